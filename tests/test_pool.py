"""The pool of self-play: who is met how often, who is kept, and who sits where."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.saved_policy import N_OUTPUTS
from pontoon_env import Rules, batch
from pontoon_env.observation import observation_size
from pontoon_env.opponents import opponent_number
from pontoon_env.seating import Role
from tests.policies import random_tensors, settings_of, some_games
from train.pool import Pool, PoolVecEnv, Tensors

RULES = Rules.pontoon(seats=4, deals=2)
BASELINES = ("basic", "bold", "random")
SHARES = (0.5, 0.2)
SELF, BASELINE = 0, -3
"""Places of the present self and of the first baseline."""
N = 12


def weights(seed: int) -> Tensors:
    """Return random weights of a policy."""
    size = observation_size(RULES)
    return random_tensors(size, N_OUTPUTS["discrete"], seed=seed, scale=5.0)


def make_pool(n_past: int = 3, shares: tuple[float, float] = SHARES, **fields: Any) -> Pool:
    """Return a pool whose present self has weights 0, and no past one."""
    settings = settings_of(RULES, plays="drawn")
    arguments = {"baselines": BASELINES, "seed": 5, **fields}
    pool = Pool(settings, n_past=n_past, shares=shares, **arguments)
    pool.renew(weights(0))
    return pool


def numbers_of(pool: Pool) -> NDArray[np.int64]:
    """Return the numbers of the members: networks below `batch.EXTERNAL`, then the baselines."""
    n_networks = len(pool.names) - len(BASELINES)
    networks = [batch.EXTERNAL - 1 - place for place in range(n_networks)]
    return np.array([*networks, *map(opponent_number, BASELINES)])


def note(pool: Pool, **returns: float) -> None:
    """Note two sessions against each member named."""
    numbers = numbers_of(pool)[[pool.names.index(name) for name in returns]]
    values = np.array([*returns.values()])
    pool.note(np.concatenate([numbers, numbers]), np.concatenate([values - 1, values + 1]))


def by_name(pool: Pool, values: NDArray[np.float64]) -> dict[str, float]:
    """Return what belongs to each member by its name."""
    return dict(zip(pool.names, values.tolist(), strict=True))


# Who is met.


def test_shares_are_kept_and_missing_past_selves_are_not_met() -> None:
    """Their part is the present self's, until there is one."""
    pool = make_pool()
    assert pool.names == ["self", "past_0", "past_1", "past_2", *BASELINES]
    chances = pool.chances()
    assert chances == pytest.approx([0.7, 0, 0, 0, 0.1, 0.1, 0.1])
    pool.freeze()
    assert pool.chances() == pytest.approx([0.5, 0.2, 0, 0, 0.1, 0.1, 0.1])
    pool.freeze()
    note(pool, self=3, past_0=-4, past_1=2, basic=-1, bold=-8, random=5)
    chances = pool.chances()
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert chances[SELF] == pytest.approx(0.5)
    assert chances[1:3].sum() == pytest.approx(0.2)
    assert chances[3] == 0
    assert chances[BASELINE:].sum() == pytest.approx(0.3)
    pool.is_only_baselines = True
    assert pool.chances()[BASELINE:].sum() == pytest.approx(1)


@pytest.mark.parametrize("shares", [(0.0, 0.2), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, 0.7)])
def test_all_shares_give_chances(shares: tuple[float, float]) -> None:
    """None is below 0, by a rounding either, whatever has been won."""
    rng = np.random.default_rng(0)
    pool = make_pool(shares=shares)
    for _ in range(60):
        note(pool, **by_name(pool, rng.normal(0, 50, len(pool.names))))
        chances = pool.chances()
        assert (chances >= 0).all()
        pool.draw(3)
        pool.renew(weights(0))
        pool.freeze()
    assert chances[SELF] == pytest.approx(shares[0])


def test_those_that_win_more_are_met_more_and_none_is_left_out() -> None:
    pool = make_pool()
    for _ in range(3):
        pool.freeze()
    note(pool, past_0=1, past_1=-2, past_2=0, basic=0.5, bold=9, random=2)
    chances = by_name(pool, pool.chances())
    assert chances["past_1"] > chances["past_2"] > chances["past_0"] > 0.2 * 0.3 / 3 / 1.3
    assert chances["basic"] > chances["random"] > chances["bold"] > 0.3 * 0.3 / 3 / 1.3


@pytest.mark.statistical
def test_members_are_drawn_by_their_chances() -> None:
    """20,000 draws; each share within 0.02 of its chance, more than five standard errors."""
    pool = make_pool()
    pool.freeze()
    note(pool, past_0=1, basic=0.5, bold=9, random=2)
    drawn = pool.draw(20_000)
    shares = (drawn[:, None] == numbers_of(pool)).mean(axis=0)
    assert shares == pytest.approx(pool.chances(), abs=0.02)
    assert shares.sum() == 1


def test_payoffs_are_means_of_late_and_nan_where_none_have_met() -> None:
    """What was noted before counts 0.9 as much after each rollout."""
    pool = make_pool()
    assert np.isnan(pool.payoffs()).all()
    note(pool, self=3, bold=-8)
    assert by_name(pool, pool.payoffs())["self"] == pytest.approx(3)
    pool.renew(weights(1))
    note(pool, bold=4)
    payoffs = by_name(pool, pool.payoffs())
    assert payoffs["bold"] == pytest.approx((0.9 * 2 * -8 + 2 * 4) / (0.9 * 2 + 2))
    assert payoffs["self"] == pytest.approx(3)
    assert np.isnan(payoffs["random"])


# Who is kept.


def past(pool: Pool) -> list[NDArray[np.float32] | None]:
    """Return the first weights of each past self that is there."""
    state = pool.get_state()
    places = range(1, len(pool.names) - len(BASELINES))
    return [state.get(f"network.{place}.hidden.0.weight") for place in places]


def test_the_past_self_that_wins_least_is_replaced() -> None:
    """First all places are filled; what was won against the one that went counts no more."""
    pool = make_pool()
    for seed in range(1, 4):
        pool.renew(weights(seed))
        pool.freeze()
    note(pool, past_0=1, past_1=7, past_2=-3)
    pool.renew(weights(4))
    for place, seed in enumerate((1, 2, 3)):
        assert np.array_equal(past(pool)[place], weights(seed)["hidden.0.weight"])
    pool.freeze()
    for place, seed in enumerate((1, 4, 3)):
        assert np.array_equal(past(pool)[place], weights(seed)["hidden.0.weight"])
    payoffs = by_name(pool, pool.payoffs())
    assert np.isnan(payoffs["past_1"])
    assert payoffs["past_0"] == pytest.approx(1)
    assert payoffs["past_2"] == pytest.approx(-3)


def test_a_pool_without_past_selves_freezes_nothing() -> None:
    pool = make_pool(n_past=0)
    pool.freeze()
    assert pool.names == ["self", *BASELINES]
    assert pool.chances()[SELF] == pytest.approx(0.7)


def test_a_state_leads_the_same_course_on() -> None:
    """By way of a file, into a pool of which nothing is left."""
    pool = make_pool()
    for seed in range(1, 3):
        pool.renew(weights(seed))
        pool.freeze()
    note(pool, self=1, past_0=2, basic=3)
    pool.draw(7)
    file = io.BytesIO()
    np.savez(file, **pool.get_state())
    file.seek(0)
    other = make_pool(seed=99)
    other.note(numbers_of(other), np.full(len(other.names), 50.0))
    with np.load(file) as state:
        other.set_state(dict(state))
    assert np.array_equal(other.payoffs(), pool.payoffs(), equal_nan=True)
    assert np.array_equal(other.chances(), pool.chances())
    assert np.array_equal(other.draw(100), pool.draw(100))
    games = some_games(RULES)
    numbers = numbers_of(pool)[np.arange(games.size) % 3]
    for mine, theirs in zip(
        pool.ask(RULES, games, numbers), other.ask(RULES, games, numbers), strict=True
    ):
        assert np.array_equal(mine, theirs)


def test_each_network_is_asked_for_its_own_games() -> None:
    """Its answers do not depend on whose others are asked for at the same time."""
    pool = make_pool()
    pool.renew(weights(1))
    pool.freeze()
    pool.renew(weights(2))
    games = some_games(RULES)
    numbers = numbers_of(pool)[np.arange(games.size) % 2]
    moves, fractions = pool.ask(RULES, games, numbers)
    n_differing = 0
    for place in range(2):
        alone = pool.ask(RULES, games, np.full(games.size, numbers[place]))
        own = numbers == numbers[place]
        assert np.array_equal(moves[own], alone[0][own])
        assert np.array_equal(fractions[own], alone[1][own])
        n_differing += int((moves[~own] != alone[0][~own]).sum())
    assert n_differing > 0


# Who sits where.


class Watched(PoolVecEnv):
    """Keeps what it notes of ended sessions, and checks the tables on which they end."""

    def _note_ends(self, rows: NDArray[np.intp]) -> None:
        super()._note_ends(rows)
        worth = batch.worth(self.tables.games[rows])
        assert (worth.sum(axis=1) == 0).all(), "nobody brings money in, or takes any away"
        self.noted: list[tuple[int, float]] = getattr(self, "noted", [])
        members = self.tables.members(rows).tolist()
        self.noted += zip(members, self._returns[rows].tolist(), strict=True)


@pytest.mark.parametrize("role", ["any", "player", "banker"])
def test_one_member_sits_on_all_seats_but_the_learners(role: Role) -> None:
    """From each session's begin to its end; what it wins is noted against that member."""
    pool = make_pool()
    pool.freeze()
    env = Watched(pool, N, RULES, role, seed=3)
    env.reset()
    rng = np.random.default_rng(1)
    numbers, met = numbers_of(pool), set()
    before = np.zeros(N, np.int64)
    ended = np.ones(N, np.bool_)
    for _ in range(150):
        seats, opponents = env.tables.seats, env.tables.opponents
        for row in range(N):
            beside = np.delete(opponents[row, : RULES.seats], seats[row], axis=0)
            assert (opponents[row, seats[row]] == batch.EXTERNAL).all()
            assert np.unique(beside).size == 1
            assert beside[0, 0] in numbers
            assert ended[row] or beside[0, 0] == before[row]
            before[row] = beside[0, 0]
            met.add(int(beside[0, 0]))
        masks = env.action_masks()
        ended = env.step((rng.random(masks.shape) * masks).argmax(axis=1))[2]
    assert met == {*numbers[:2].tolist(), *numbers[BASELINE:].tolist()}
    assert len(env.noted) > 50
    for number, payoff in zip(numbers.tolist(), pool.payoffs().tolist(), strict=True):
        won = [each for member, each in env.noted if member == number]
        assert payoff == pytest.approx(np.mean(won) if won else np.nan, nan_ok=True)


def test_tables_that_are_set_back_meet_the_same_members_again() -> None:
    """Those that sit there, and those that are drawn after."""
    first, second = (PoolVecEnv(make_pool(seed=seed), N, RULES, "any", seed=3) for seed in (1, 2))
    first.reset()
    second.reset()
    second.set_state(first.get_state())
    rng = np.random.default_rng(1)
    for _ in range(60):
        masks = first.action_masks()
        assert np.array_equal(masks, second.action_masks())
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        seen, rewards, *_ = first.step(actions)
        found, found_rewards, *_ = second.step(actions)
        assert np.array_equal(seen, found)
        assert np.array_equal(rewards, found_rewards)
        assert np.array_equal(first.tables.opponents, second.tables.opponents)
