"""The rule-based agents: legal, deterministic, blind to what is hidden, and strong enough."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from agents.baselines import Baseline
from eval.benchmark import Scenario, net_of_candidate
from eval.match import everywhere, play_sessions
from eval.statistics import clustered_mean, paired_difference
from pontoon_env import batch
from pontoon_env.cards import N_CARDS, parse_cards
from pontoon_env.history import stack_pack
from pontoon_env.opponents import OPPONENTS, opponent_number
from pontoon_env.rules import Rules
from pontoon_env.state import Move, Outcome, Phase
from tests.naive import random_rules
from tests.test_observation import hide_otherwise

FLAT_BOUND = 0.0671
"""Net a deal of the best play against stick17: infinite pack, no splits, flat stakes."""


def decisions_of(
    rules: Rules, games: np.ndarray, numbers: list[int]
) -> Iterator[tuple[int, int, int]]:
    """Play a session, the agents taking turns; yield each agent, its move and its chips."""
    record = rules.to_record()
    moves, chips, outcomes = (np.zeros(1, np.int64) for _ in range(3))
    moves[0] = batch.NO_MOVE
    batch.step_batch(record, games, moves, chips, outcomes, True)
    n = 0
    while games["phase"][0] != Phase.OVER:
        number = numbers[n % len(numbers)]
        batch.choose_batch(record, games, np.array([number]), moves, chips)
        yield number, int(moves[0]), int(chips[0])
        batch.step_batch(record, games, moves, chips, outcomes, True)
        assert outcomes[0] == Outcome.OK, (Phase(games["phase"][0]), number, moves, chips)
        n += 1


def choices_of_all() -> list[tuple[int, int, int]]:
    """What each agent chooses in a session of either family that it plays alone."""
    choices = []
    for rules in (Rules.pontoon(deals=3, seats=3), Rules.shoot(deals=3, seats=3)):
        for number in OPPONENTS.values():
            games, keys = batch.new_games(1), np.ones((2, 1), np.uint64)
            batch.begin_batch(rules.to_record(), games, *keys)
            choices += decisions_of(rules, games, [number])
    return choices


def test_agents_choose_the_same_compiled_and_uncompiled() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", "from tests.test_opponents import *; print(choices_of_all())"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.strip() == str(choices_of_all())


def begun(rules: Rules, seed: int) -> np.ndarray:
    """A session that has begun."""
    games = batch.new_games(1)
    batch.begin_batch(rules.to_record(), games, np.array([seed], np.uint64), np.zeros(1, np.uint64))
    return games


def at_first_hand(rules: Rules, hands: list[str], then: str = "") -> np.ndarray:
    """A table at its first decision in play: hands from the banker's left, the banker's last."""
    games = begun(rules, 1)
    ranks = "".join(hand[0] for hand in hands) + "".join(hand[1] for hand in hands) + then
    suits = {rank: iter("cdhs") for rank in ranks}
    stack(games, [rank + next(suits[rank]) for rank in ranks])
    run(rules, games, *[Move.STAKE] * (rules.seats - 1))
    return games


def stack(games: np.ndarray, names: list[str]) -> None:
    """Lay the cards called so on top of the pack."""
    top = parse_cards(names)
    stack_pack(games[0], [*top, *(card for card in range(N_CARDS) if card not in top)])


def run(rules: Rules, games: np.ndarray, *moves: Move) -> None:
    """Make moves, each for the least amount."""
    seats = batch.external_seats(1)
    outcomes = np.zeros(1, np.int64)
    for move in (batch.NO_MOVE, *moves):
        batch.play_batch(
            rules.to_record(), games, seats, np.array([move]), np.zeros(1), outcomes, 0
        )
        assert outcomes[0] == Outcome.OK


def choice(rules: Rules, games: np.ndarray, name: str = "basic") -> str:
    """What an agent would do now."""
    moves, chips = np.zeros(1, np.int64), np.zeros(1, np.int64)
    batch.choose_batch(rules.to_record(), games, np.array([OPPONENTS[name]]), moves, chips)
    move = Move(int(moves[0])).name.lower()
    return f"{move} {chips[0]}" if chips[0] else move


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_every_agent_makes_only_legal_decisions_under_all_rules(first: int) -> None:
    """P12 to P37, S1 to S11, section 3: agents take turns at random, under random rules."""
    chosen = random.Random(first)
    for seed in range(first, first + 100):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        numbers = chosen.choices(list(OPPONENTS.values()), k=97)
        for _ in decisions_of(rules, begun(rules, seed), numbers):
            pass


@pytest.mark.parametrize("name", OPPONENTS)
def test_every_agent_plays_whole_sessions_of_both_games_alone(name: str) -> None:
    for rules in (Rules.pontoon(deals=30), Rules.shoot(deals=30), Rules.shoot(seats=2, deals=30)):
        for _ in decisions_of(rules, begun(rules, 3), [OPPONENTS[name]]):
            pass


@pytest.mark.parametrize("name", OPPONENTS)
def test_an_agent_repeats_itself(name: str) -> None:
    """Even `random`: its stream is keyed by seed, episode, deal, seat and decision."""
    rules = Rules.shoot(deals=10)
    first, second = (
        list(decisions_of(rules, begun(rules, 8), [OPPONENTS[name]])) for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("name", [name for name in OPPONENTS if name != "counter"])
def test_an_agent_does_not_see_what_is_hidden(name: str) -> None:
    """P26: in a paired world that differs in hidden cards only, it chooses alike.

    ``counter`` knows more than a seat sees, so it is held to less: see `test_counter`.
    """
    n_changed = 0
    generator = np.random.default_rng(4)
    for seed in range(60):
        rules = Rules.from_dict(random_rules(random.Random(seed), packs=1))
        games = begun(rules, seed)
        moves, chips = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for number, move, amount in decisions_of(rules, games, [OPPONENTS[name], 0, 17, 1]):
            if number != OPPONENTS[name]:
                continue
            other = games.copy()
            n_changed += hide_otherwise(rules, other, int(games["seat"][0]), generator)
            batch.choose_batch(rules.to_record(), other, np.array([number]), moves, chips)
            assert (moves[0], chips[0]) == (move, amount)
    assert n_changed > 200


def test_an_unknown_name_is_refused_with_what_exists() -> None:
    with pytest.raises(ValueError, match="'stick20'; the agents are random, stick15"):
        opponent_number("stick20")


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("56", "buy 200"),
        ("A7", "buy 200"),
        ("A8", "stick"),
        ("AA", "buy 200"),
        ("T4", "twist"),
        ("T5", "stick"),
        ("88", "split"),
        ("77", "split"),
        ("99", "stick"),
        ("KK", "stick"),
    ],
)
def test_basic_plays_two_cards_by_its_table(hand: str, expected: str) -> None:
    """P16, P20 to P22."""
    rules = Rules.single_deal(seats=2)
    assert choice(rules, at_first_hand(rules, [hand, "T7"])) == expected


def test_basic_stakes_most_on_an_ace_and_least_on_a_seven() -> None:
    """P12."""
    rules = Rules.single_deal(seats=2)
    for rank, stake in (("A", 1000), ("3", 1000), ("4", 100), ("7", 100), ("K", 100)):
        games = begun(rules, 1)
        stack(games, [f"{rank}c", "5d", "6d", "9d"])
        run(rules, games)
        assert choice(rules, games) == f"stake {stake}"


def test_basic_goes_on_to_the_trick() -> None:
    """P20, P23: a soft 21 of three bought cards draws on, and so do four cards that count 16."""
    rules = Rules.single_deal(seats=2)
    games = at_first_hand(rules, ["A4", "T7"], "65")
    run(rules, games, Move.BUY)
    assert choice(rules, games) == "buy 100"
    run(rules, games, Move.BUY)
    assert choice(rules, games) == "buy 100"


@pytest.mark.parametrize("name", ["basic", "bayes", "counter"])
def test_a_banker_draws_on_where_its_total_beats_nobody(name: str) -> None:
    """P28, P30: 18 loses to a trick all the same; it stays where the player may hold less."""
    rules = Rules.single_deal(seats=2)
    games = at_first_hand(rules, ["23", "T8"], "2345")
    run(rules, games, Move.BUY, Move.BUY, Move.BUY)
    assert games["phase"][0] == Phase.BANKER
    assert choice(rules, games, name) == "twist"
    games = at_first_hand(rules, ["T8", "T8"])
    run(rules, games, Move.STICK)
    assert choice(rules, games, name) == "stick"


def test_basic_forms_the_least_kitty_and_shoots_on_an_ace_alone() -> None:
    """S1, S2."""
    rules = Rules.shoot(seats=2, deals=1)
    for rank, expected in (("A", "shoot 100"), ("K", "pass")):
        games = begun(rules, 1)
        stack(games, [f"{rank}c", "5d", "6d", "9d"])
        run(rules, games)
        assert choice(rules, games) == "kitty 100"
        run(rules, games, Move.KITTY, Move.STAKE)
        assert choice(rules, games) == expected


def player_net(name: str, rules: Rules, n: int, is_flat: bool = True) -> np.ndarray:
    """What an agent wins in each deal against a stick17 banker."""
    scenario = Scenario(role="player", others="stick17", banker="stick17", is_flat=is_flat)
    return net_of_candidate(scenario, Baseline(name), rules, n, 21)


@pytest.mark.statistical
def test_basic_comes_near_the_best_play_against_stick17() -> None:
    """The best play, by dynamic programming, wins 0.0671 E a deal; see `FLAT_BOUND`.

    400,000 deals, interval about 0.010: the mean must be at least 85% of it, less the interval, and
    not above it by more than the interval.
    """
    rules = Rules.two_seat_exact(max_stake=1)
    found = clustered_mean(
        net_of_candidate(
            Scenario(role="player", others="basic", banker="stick17", is_flat=False),
            Baseline("basic"),
            rules,
            400_000,
            21,
        )
    )
    assert 0.85 * FLAT_BOUND - found.half_width < found.mean < FLAT_BOUND + found.half_width


@pytest.mark.statistical
def test_stick17_beats_random_as_player_and_as_banker() -> None:
    """20,000 paired deals: differences of about 0.5 and 1.5 least stakes, intervals under 0.1."""
    rules = Rules.single_deal()
    assert (
        paired_difference(
            player_net("stick17", rules, 20_000), player_net("random", rules, 20_000)
        ).low
        > 0.3
    )
    banker = Scenario(role="banker", others="stick17", banker=None, is_flat=False)
    nets = [
        net_of_candidate(banker, Baseline(name), rules, 20_000, 21)
        for name in ("stick17", "random")
    ]
    assert paired_difference(nets[0], nets[1]).low > 1.0


@pytest.mark.statistical
def test_basic_beats_every_stick_as_player_with_its_stakes_and_without() -> None:
    """20,000 paired deals; about 1.4 and 0.2 least stakes, intervals about 0.3 and 0.04."""
    rules = Rules.single_deal()
    for is_flat, margin in ((False, 0.8), (True, 0.1)):
        own = player_net("basic", rules, 20_000, is_flat)
        for n in range(15, 20):
            other = player_net(f"stick{n}", rules, 20_000, is_flat)
            assert paired_difference(own, other).low > margin


@pytest.mark.parametrize("name", ["timid", "bold", "bayes"])
def test_an_agent_answers_about_the_bank_by_what_it_is_worth(name: str) -> None:
    """P34: at limits ten to one the bank is a burden: offered, and bought by nobody."""
    rules = Rules.pontoon(seats=3, deals=9, shuffle="never")
    games = begun(rules, 2)
    run(rules, games)
    games["phase"], games["seat"] = Phase.OFFER, games["banker"]
    assert choice(rules, games, name).startswith("offer ")
    games["phase"], games["price"] = Phase.SALE, 1
    assert choice(rules, games, name) == "pass"
    equal = Rules.pontoon(seats=3, deals=9, max_stake=100)
    assert choice(equal, games, name) == ("accept" if name == "bayes" else "pass")


def test_timid_and_bold_are_what_they_are_called() -> None:
    """P12, P16, P20: one pays as little as it may, the other as much."""
    rules = Rules.single_deal(seats=2)
    for hand, of_timid, of_bold in (
        ("56", "twist", "buy 200"),
        ("T5", "stick", "buy 200"),
        ("A4", "stick", "buy 200"),
        ("KK", "stick", "split"),
        ("T7", "stick", "stick"),
    ):
        games = at_first_hand(rules, [hand, "T7"])
        assert choice(rules, games, "timid") == of_timid
        assert choice(rules, games, "bold") == of_bold
    games = begun(rules, 1)
    run(rules, games)
    assert choice(rules, games, "timid") == "stake 100"
    assert choice(rules, games, "bold") == "stake 1000"


def test_bayes_reads_the_stakes() -> None:
    """P12, P28: who stakes most and sticks on two cards has an ace with an eight or a nine."""
    rules = Rules.single_deal(seats=2)
    for fraction, of_bayes in ((0.0, "stick"), (1.0, "twist")):
        games = begun(rules, 1)
        stack(games, ["Ac", "Td", "9c", "7d"])
        run(rules, games)
        stake = np.array([Move.STAKE]), np.array([fraction]), np.zeros(1, np.int64)
        batch.play_batch(rules.to_record(), games, batch.external_seats(1), *stake, 0)
        run(rules, games, Move.STICK)
        assert choice(rules, games, "bayes") == of_bayes
        assert choice(rules, games, "basic") == "stick"


def test_a_table_of_basic_players_is_zero_sum_over_long_sessions() -> None:
    """P4, S11: kitties, sales and auctions included."""
    rules = Rules.shoot(deals=40, max_stake=100)
    assert not play_sessions(rules, everywhere(Baseline("basic"), rules), 100, 1).chips.sum()
