"""The agent ``equilibrium``: what it plays, what it sees, what it wins, what it keeps on disk."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.baselines import legal_choices
from agents.exact import equilibrium_agent
from agents.exact.equilibrium import Equilibrium
from agents.exact.equilibrium_agent import EquilibriumAgent, equilibrium_of
from agents.exact.information_sets import InformationSets, Positions
from agents.exact.policy_strategy import strategies_of
from agents.exact.public_tree import build_game
from agents.exact.responses import (
    BankerStrategy,
    PlayerStrategy,
    exploitability_of,
    value_of,
)
from agents.registry import make_agent
from eval.match import Lineup, play_sessions
from pontoon_env import batch
from pontoon_env.agent import AnyAgent, Mixing, TableAgent
from pontoon_env.cards import N_CARDS
from pontoon_env.rules import Rules
from pontoon_env.state import N_AMOUNT_MOVES, Outcome

pytestmark = pytest.mark.usefixtures("own_cache")

ONE = Rules.two_seat_exact(max_stake=1)
TWO = Rules.two_seat_exact(max_stake=2)
KEPT = "equilibrium-*.npz"


def all_positions(rules: Rules, seed: int = 0) -> list[Positions]:
    """Every information set as a table."""
    sets = InformationSets(equilibrium_of(rules).game, seed)
    return [sets.stakes(), sets.player(), *sets.banker()]


def test_it_is_an_agent_by_name() -> None:
    agent = make_agent("equilibrium")
    assert isinstance(agent, EquilibriumAgent)
    assert isinstance(agent, TableAgent)
    assert isinstance(agent, Mixing)
    assert agent.name == "equilibrium"
    for rules in (ONE, Rules.two_seat_exact(), Rules.two_seat_exact(ties="push", min_stake=10)):
        agent.check_rules(rules)


def test_it_is_asked_and_gives_its_own_strategies_back() -> None:
    """At every information set; where the courses of a trick look alike, all of them draw."""
    found = equilibrium_of(TWO)
    player, banker = strategies_of(EquilibriumAgent(), found.game)
    stakes, played, *drawn = all_positions(TWO)
    assert np.array_equal(player.stakes[stakes.sets[:, 0]], found.player.stakes[1:])
    place, kind, _ = played.sets.T
    assert np.abs(player.play - found.player.play)[place, kind].max() < 1e-12
    for positions in drawn:
        place, step, kind, _ = positions.sets.T
        there = (place, step, kind)
        assert np.abs(banker.draws - found.banker.draws)[there].max() < 1e-12
    measured = exploitability_of(found.game, player, banker)
    assert measured.player_at_worst == pytest.approx(found.exploitability.player_at_worst)
    assert measured.player_at_best == pytest.approx(found.exploitability.player_at_best)


def test_it_chooses_what_is_legal_at_every_information_set() -> None:
    """P12, P20 to P22, P28; what it may choose has chances that sum to 1."""
    agent = EquilibriumAgent()
    for positions in all_positions(ONE):
        masks, lows, highs = legal_choices(ONE, positions.games)
        chances, moves, chips = agent.alternatives(ONE, positions.games)
        rows = np.arange(positions.games.size)[:, None]
        takes_chips = moves < N_AMOUNT_MOVES
        fits = (chips >= lows[rows, moves]) & (chips <= highs[rows, moves]) | ~takes_chips
        assert (fits & (masks[rows, moves] != 0) | (chances == 0)).all()
        assert chances.sum(axis=1) == pytest.approx(1)
        before = positions.games.copy()
        moves, chips = agent.choose(ONE, positions.games)
        games, outcomes = positions.games.copy(), np.zeros(positions.games.size, np.int64)
        batch.step_batch(ONE.to_record(), games, moves, chips, outcomes, False)
        assert (outcomes == Outcome.OK).all()
        assert (positions.games == before).all()


def most_mixed(agent: AnyAgent, rules: Rules, positions: Positions) -> np.ndarray:
    """The table at which an agent's likeliest choice is least likely."""
    chances, _, _ = agent.alternatives(rules, positions.games)
    row = int(chances.max(axis=1).argmin())
    return positions.games[row : row + 1]


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["equilibrium", "random"])
@pytest.mark.parametrize("side", range(3), ids=["stake", "player", "banker"])
def test_it_mixes_as_it_says(name: str, side: int) -> None:
    """40,000 choices at one table: each frequency within 4.5 standard errors, 1 in 100,000 fails.

    Chance comes from the game's own stream, by its episode.
    """
    agent, n = make_agent(name), 40_000
    rules = TWO if name == "equilibrium" else Rules.two_seat_exact(max_stake=5)
    sets = InformationSets(build_game(rules), 1)
    positions = [sets.stakes, sets.player, lambda: next(sets.banker())][side]()
    one = most_mixed(agent, rules, positions)
    games = one.repeat(n)
    games["episode"] = np.arange(n)
    moves, chips = agent.choose(rules, games)
    chips = np.where(moves < N_AMOUNT_MOVES, chips, 0)
    chances, may_move, may_pay = (part[0] for part in agent.alternatives(rules, one))
    may_pay = np.where(may_move < N_AMOUNT_MOVES, may_pay, 0)
    seen = 0
    for chance, move, amount in zip(chances, may_move, may_pay, strict=True):
        if chance > 0:
            count = int(((moves == move) & (chips == amount)).sum())
            assert abs(count - n * chance) <= 4.5 * (n * chance * (1 - chance)) ** 0.5 + 1e-6
            seen += count
    assert seen == n
    assert np.array_equal(agent.choose(rules, games)[0], moves)


def test_it_does_not_see_what_is_hidden() -> None:
    """P26: with other cards where the seat to act sees none, and in the pack, it mixes alike."""
    agent, generator = EquilibriumAgent(), np.random.default_rng(2)
    for positions in all_positions(ONE):
        games = positions.games.copy()
        n = games.size
        visible, totals = np.zeros((2, n, 8, 4), np.int64)
        batch.see_batch(ONE.to_record(), games, games["seat"], visible, totals)
        hands = games["seats"]["hands"]
        place = np.arange(hands["cards"].shape[-1])
        is_held = place < hands["n_cards"][..., None]
        is_hidden = is_held & ((visible[..., None] >> place) & 1 == 0)
        assert is_hidden.any()
        others = generator.integers(N_CARDS, size=is_hidden.shape)
        hands["cards"][:] = np.where(is_hidden, others, hands["cards"])
        games["pack"] = generator.integers(N_CARDS, size=games["pack"].shape)
        here = agent.alternatives(ONE, positions.games)
        for one, two in zip(here, agent.alternatives(ONE, games), strict=True):
            assert np.array_equal(one, two)


# What it wins.


def errors_off(player: str, banker: str, n: int, seed: int) -> float:
    """How many standard errors ``n`` deals are off what a player should win."""
    agents = [make_agent(player), make_agent(banker)]
    lineup = Lineup(agents=agents, patterns=np.array([[[0, 1], [0, 1]]]))
    chips = play_sessions(TWO, lineup, n, seed).by_place()[:, 1]
    value = value_of(build_game(TWO), asked(player)[0], asked(banker)[1])
    return abs(float(chips.mean()) - value) / float(chips.std(ddof=1)) * n**0.5


@functools.cache
def asked(name: str) -> tuple[PlayerStrategy, BankerStrategy]:
    """How an agent plays."""
    return strategies_of(make_agent(name), build_game(TWO))


PAIRS = [
    ("equilibrium", "equilibrium"),
    ("basic", "equilibrium"),
    ("equilibrium", "stick17"),
    ("random", "basic"),
]


@pytest.mark.statistical
@pytest.mark.parametrize(("player", "banker"), PAIRS)
def test_simulated_deals_agree_with_the_value_of_the_strategies(player: str, banker: str) -> None:
    """20,000 deals, within 3 standard errors: 1 in 400 seeds would fail."""
    assert errors_off(player, banker, 20_000, 3) < 3


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("player", "banker"), PAIRS)
def test_many_simulated_deals_agree_with_the_value(player: str, banker: str) -> None:
    """2,000,000 deals, within 3 standard errors: 1 in 400 seeds would fail."""
    assert errors_off(player, banker, 2_000_000, 4) < 3


# What it keeps.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which solutions are kept, as yet without one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "pontoon_env"


@pytest.fixture
def n_solved(monkeypatch: pytest.MonkeyPatch) -> list[Rules]:
    """The rules that have been solved for."""
    solved: list[Rules] = []
    solve = equilibrium_agent.solve_equilibrium

    def count(*args: Any, **kwargs: Any) -> Equilibrium:
        solved.append(args[0].rules)
        return solve(*args, **kwargs)

    monkeypatch.setattr(equilibrium_agent, "solve_equilibrium", count)
    return solved


def ask_anew(rules: Rules) -> Equilibrium:
    """The equilibrium as a new process would get it."""
    return equilibrium_of.__wrapped__(rules)


def same(one: Equilibrium, two: Equilibrium) -> bool:
    """Whether two solutions are one, but for the time that solving took."""
    arrays = ((e.player.stakes, e.player.play, e.banker.draws) for e in (one, two))
    numbers = ((e.value, e.exploitability, e.course, e.game.rules) for e in (one, two))
    return all(map(np.array_equal, *arrays)) and next(numbers) == next(numbers)


def test_a_game_is_solved_once(folder: Path, n_solved: list[Rules]) -> None:
    """What is kept is the solution, and nothing else lies in the folder."""
    first, again = ask_anew(ONE), ask_anew(ONE)
    assert n_solved == [ONE]
    assert same(first, again)
    assert first.seconds == again.seconds
    assert len(list(folder.iterdir())) == len(list(folder.glob(KEPT))) == 1


def test_every_rule_has_a_solution_of_its_own(folder: Path, n_solved: list[Rules]) -> None:
    others = [ONE, Rules.two_seat_exact(max_stake=1, ties="push")]
    values = [ask_anew(rules).value for rules in (*others, *others)]
    assert n_solved == others
    assert values[:2] == values[2:]
    assert values[1] > values[0]
    assert len(list(folder.iterdir())) == 2


def write_other_rules(path: Path) -> None:
    """Say that the solution is that of other rules."""
    write_changed(path, rules=json.dumps(Rules.two_seat_exact(ties="push").to_dict()))


def write_changed(path: Path, **changes: Any) -> None:
    """Change what is kept; None deletes it."""
    with np.load(path) as file:
        kept = {**file, **changes}
    np.savez_compressed(path, **{name: part for name, part in kept.items() if part is not None})


def write_array(path: Path) -> None:
    """Keep an array alone, as numpy writes it."""
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def write_byte(part: float) -> Callable[[Path], None]:
    """Return what changes a byte of a file, at a part of its length."""

    def write(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(part * len(content))] ^= 255
        path.write_bytes(content)

    return write


def write_method(path: Path) -> None:
    """Say that the first part is compressed in a way that nobody knows."""
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 10] = 99
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("no solution"),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one array": write_array,
    "a pickle": lambda path: write_changed(path, play=np.array([None])),
    "other rules": write_other_rules,
    "rules that are none": lambda path: write_changed(path, rules="{"),
    "no draws": lambda path: write_changed(path, draws=None),
    "no course": lambda path: write_changed(path, course=np.zeros(3)),
    "a shorter play": lambda path: write_changed(path, play=np.zeros((3, 34, 13))),
    "a longer stake": lambda path: write_changed(path, stakes=np.zeros((11, 2))),
    "draws of another shape": lambda path: write_changed(path, draws=np.zeros((1370, 3))),
    "a worse play": lambda path: write_changed(path, draws=np.ones((1370, 3, 34))),
    "chances of two": lambda path: write_changed(path, stakes=np.full((11, 1), 2.0)),
    "no numbers": lambda path: write_changed(path, draws=np.full((1370, 3, 34), np.nan)),
    "an unknown method": write_method,
    **{f"a byte at {part}": write_byte(part) for part in (0.0, 0.1, 0.5, 0.9)},
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_damaged_is_solved_anew(
    damage: Callable[[Path], object], folder: Path, n_solved: list[Rules]
) -> None:
    """And kept in its place."""
    first = ask_anew(ONE)
    (path,) = folder.iterdir()
    damage(path)
    assert same(ask_anew(ONE), first)
    assert same(ask_anew(ONE), first)
    assert n_solved == [ONE, ONE]
    assert [kept.name for kept in folder.iterdir()] == [path.name]


def test_nothing_half_written_remains(
    folder: Path, n_solved: list[Rules], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where the disk is full nor after Ctrl-C."""

    def fail(error: type[BaseException]) -> Callable[..., None]:
        def write(file: Any, **_: Any) -> None:
            file.write(b"PK")
            raise error

        return write

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", fail(OSError))
        found = ask_anew(ONE)
        assert list(folder.iterdir()) == []
        patch.setattr(np, "savez_compressed", fail(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ask_anew(ONE)
        assert list(folder.iterdir()) == []
    assert same(ask_anew(ONE), found)
    assert len(n_solved) == 3


def test_a_solution_is_found_where_none_can_be_kept(
    tmp_path: Path, n_solved: list[Rules], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder for caches is a file."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert ask_anew(ONE).exploitability.exploitability < 0.001
    assert blocked.read_text() == ""
    assert os.listdir(tmp_path) == ["file"]


def test_the_folder_is_the_users_cache_where_nothing_else_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    ask_anew(ONE)
    assert len(list((tmp_path / ".cache" / "pontoon_env").glob(KEPT))) == 1
