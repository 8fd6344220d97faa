"""Matches: seating, seeds, and what happens to agents that fail."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.baselines import Baseline
from agents.registry import make_agent
from eval import match
from eval.match import AgentError, Lineup, everywhere, play_sessions
from eval.statistics import clustered_mean, paired_difference
from pontoon_env.agent import Agent, Decisions, TableAgent
from pontoon_env.rules import Rules
from pontoon_env.state import N_AMOUNT_MOVES, Move

SHORT = Rules.pontoon(seats=4, deals=3)


class FirstLegal:
    """Makes the first legal move for the least amount; counts what it was asked."""

    def __init__(self) -> None:
        self.name = "first-legal"
        self.n_decisions = 0

    def check_rules(self, rules: Rules) -> None:
        """Plays by all rules."""

    def act(self, decisions: Decisions, generator: np.random.Generator) -> Any:
        self.n_decisions += len(decisions)
        return decisions.masks.argmax(axis=1), np.zeros(len(decisions))


class Drawn(FirstLegal):
    """Draws moves and amounts from its generator."""

    def act(self, decisions: Decisions, generator: np.random.Generator) -> Any:
        chances = generator.random(decisions.masks.shape) * decisions.masks
        return chances.argmax(axis=1), generator.random(len(decisions))


class Broken(FirstLegal):
    """Answers whatever `answer` makes of a legal answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.name = "broken"
        self.answer = answer

    def act(self, decisions: Decisions, generator: np.random.Generator) -> Any:
        moves, fractions = super().act(decisions, generator)
        return self.answer(moves, fractions)


class Forger(FirstLegal):
    """Makes an illegal move, after it has written into its masks that it is legal."""

    name = "forger"

    def act(self, decisions: Decisions, generator: np.random.Generator) -> Any:
        decisions.masks[:] = 1
        n = len(decisions)
        return np.full(n, Move.AUCTION), np.zeros(n)


class Nameless(FirstLegal):
    """Has a number for a name."""

    def __init__(self) -> None:
        super().__init__()
        self.name = 3


def lineup(*agents: Agent, places: list[int], seats: int = 4) -> Lineup:
    """Agents by place, the same as player and as banker."""
    patterns = np.array(places, np.int64)[None, :seats, None].repeat(2, axis=2)
    return Lineup(agents=agents, patterns=patterns)


class NoArray:
    """Cannot be made an array, as a tensor of a library that asks for its gradient."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("detach it first")


def raise_division(_moves: Any, _fractions: Any) -> Any:
    """Fail as a policy with a bug would."""
    return 1 // 0


def test_chips_are_only_moved() -> None:
    """P4: a session is zero-sum."""
    for rules in (SHORT, Rules.shoot(seats=4, deals=3)):
        seats = lineup(Baseline("basic"), Baseline("random"), Drawn(), places=[0, 1, 2, 0])
        assert not play_sessions(rules, seats, 300, 1).chips.sum(axis=1).any()


def test_the_same_seed_gives_the_same_match_and_another_seed_another() -> None:
    seats = lineup(Drawn(), Baseline("basic"), places=[0, 1, 0, 1])
    first, again, other = (play_sessions(SHORT, seats, 100, seed).chips for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


def test_a_session_does_not_depend_on_how_many_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Episodes are keys of their own: a match in parts and in small blocks is the match in one."""
    seats = lineup(FirstLegal(), Baseline("basic"), Baseline("random"), places=[0, 1, 2, 1])
    whole = play_sessions(SHORT, seats, 90, 3).chips
    assert (play_sessions(SHORT, seats, 40, 3).chips == whole[:40]).all()
    assert (play_sessions(SHORT, seats, 50, 3, first_episode=40).chips == whole[40:]).all()
    monkeypatch.setattr(match, "BLOCK", 7)
    assert (play_sessions(SHORT, seats, 90, 3).chips == whole).all()


def test_a_match_is_the_same_on_one_thread_and_on_three() -> None:
    for others in (Baseline("bayes"), FirstLegal()):
        seats = lineup(others, Baseline("basic"), places=[0, 1, 1, 0])
        told: list[int] = []
        one, three = (
            play_sessions(SHORT, seats, 50, 3, progress=told.append, threads=threads)
            for threads in (1, 3)
        )
        assert (one.chips == three.chips).all()
        assert (one.first_bankers == three.first_bankers).all()
        assert sum(told) == 100


def test_a_baseline_plays_the_same_in_the_kernel_and_outside() -> None:
    """At equal limits, staking least changes nothing, but the baseline is asked table by table."""
    rules = replace(SHORT, max_stake=SHORT.min_stake)
    for name in ("random", "stick17", "basic"):
        inside = everywhere(Baseline(name), rules)
        outside = replace(inside, stakes_least=frozenset({0}))
        result = play_sessions(rules, inside, 50, 2).chips
        assert (play_sessions(rules, outside, 50, 2).chips == result).all()


def test_stakes_are_made_the_least_for_the_agents_named_and_for_no_others() -> None:
    """P12: the others' stakes stay their own."""
    rules = Rules.single_deal(seats=3, split="none", banker_rule="stick17")
    most = Broken(lambda moves, fractions: (moves, fractions + 1.0))
    staked = lineup(Baseline("stick17"), most, Baseline("stick17"), places=[0, 1, 2], seats=3)
    flat = replace(staked, stakes_least=frozenset({1}))
    large, small = (play_sessions(rules, seats, 200, 1).by_place() for seats in (staked, flat))
    assert (large[:, 2] == small[:, 2]).all()
    assert np.abs(large[:, 1]).min() > np.abs(small[:, 1]).min()


def test_only_the_seats_of_an_agent_ask_it() -> None:
    agent = FirstLegal()
    rules = Rules.single_deal(seats=4)
    play_sessions(rules, lineup(agent, Baseline("stick17"), places=[1, 1, 1, 1]), 20, 1)
    assert agent.n_decisions == 0
    play_sessions(rules, lineup(agent, Baseline("stick17"), places=[1, 0, 1, 1]), 20, 1)
    assert agent.n_decisions >= 20


@pytest.mark.statistical
def test_an_agent_against_itself_wins_nothing_from_any_seat() -> None:
    """P8: the first banker is any seat. 20,000 sessions; each of six 99.9% intervals holds 0."""
    rules = Rules.pontoon(deals=2)
    chips = play_sessions(rules, everywhere(Baseline("basic"), rules), 20_000, 11).chips
    for seat in range(rules.seats):
        found = clustered_mean(chips[:, seat], confidence=0.999)
        assert found.low <= 0 <= found.high


@pytest.mark.statistical
def test_an_agent_beside_itself_wins_alike_on_the_same_place() -> None:
    """Two agents that choose alike have a paired difference of exactly 0."""
    rules = Rules.single_deal()
    first = play_sessions(rules, everywhere(FirstLegal(), rules), 500, 7).by_place()
    second = play_sessions(rules, everywhere(FirstLegal(), rules), 500, 7).by_place()
    found = paired_difference(first[:, 1], second[:, 1])
    assert (found.low, found.high) == (0, 0)


BROKEN = {
    "illegal": (lambda m, f: (m * 0 + Move.AUCTION, f), "move auction is illegal"),
    "no move": (lambda m, f: (m + 99, f), "is illegal; legal are stake"),
    "nan": (lambda m, f: (m, f * np.nan), "amount nan of stake is no fraction"),
    "too much": (lambda m, f: (m, f + 1.5), "amount 1.5 of stake is no fraction"),
    "short": (lambda m, f: (m[1:], f), "has shapes"),
    "floats": (lambda m, f: (m.astype(float), f), "has types float64"),
    "one array": (lambda *_: None, "answered NoneType"),
    "exception": (raise_division, "raised ZeroDivisionError"),
    "no array": (lambda _, f: (NoArray(), f), "not moves and amounts: detach it first"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_policy_is_named_with_seed_episode_and_deal(kind: str) -> None:
    answer, reason = BROKEN[kind]
    seats = lineup(Broken(answer), Baseline("stick17"), places=[1, 0, 1, 1])
    with pytest.raises(AgentError, match=reason) as caught:
        play_sessions(SHORT, seats, 30, 77, first_episode=5)
    for part in ("broken", "seed 77", "episode 5", "deal 0"):
        assert part in str(caught.value)


def test_a_policy_that_writes_into_its_masks_is_held_to_the_rules() -> None:
    seats = lineup(Forger(), Baseline("stick17"), places=[1, 0, 1, 1])
    with pytest.raises(AgentError, match=r"first-legal.*move auction is illegal; legal are stake"):
        play_sessions(SHORT, seats, 30, 77)


def test_a_compiled_agent_that_is_refused_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline that would make an illegal decision ends the match, it does not loop for ever."""
    whole = Rules.to_record

    def spoiled(rules: Rules) -> Any:
        record = whole(rules)
        record["max_stake"] = record["min_stake"] - 1  # no stake is legal
        return record

    monkeypatch.setattr(Rules, "to_record", spoiled)
    with pytest.raises(
        AgentError, match=r"'stick17', seed 1, episode 0, deal 0, seat ., phase stake"
    ):
        play_sessions(SHORT, everywhere(Baseline("stick17"), SHORT), 3, 1)


def test_amounts_of_moves_that_take_none_are_not_read() -> None:
    def answer(moves: Any, fractions: Any) -> Any:
        return moves, np.where(moves < N_AMOUNT_MOVES, fractions, np.nan)

    seats = lineup(Broken(answer), Baseline("stick17"), places=[1, 0, 1, 1])
    assert play_sessions(SHORT, seats, 20, 1).chips.shape == (20, 4)


def test_a_lineup_for_another_table_is_refused() -> None:
    with pytest.raises(ValueError, match="for 4 seats, not 6"):
        play_sessions(Rules.pontoon(), lineup(FirstLegal(), places=[0, 0, 0, 0]), 1, 1)
    with pytest.raises(ValueError, match="none to play"):
        play_sessions(SHORT, everywhere(FirstLegal(), SHORT), 0, 1)


def test_agents_are_found_by_name_and_by_class() -> None:
    assert make_agent("basic").name == "basic"
    assert make_agent("tests.test_match:FirstLegal").name == "first-legal"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("stick99", "there are random, stick15"),
        ("no_such_module:Agent", "No module named 'no_such_module'"),
        (".:Agent", "no agent is called '.:Agent'"),
        ("tests.test_match:Missing", "Missing"),
        ("tests.test_match:SHORT", "'tests.test_match:SHORT' gives no agent: .* not callable"),
        ("tests.test_match:Broken", "'tests.test_match:Broken' gives no agent: TypeError"),
        ("tests.test_match:Nameless", "its name is 3, not a text"),
        ("pontoon_env.rules:Rules", "lacks name"),
        (".", "no saved policy"),
    ],
)
def test_what_names_no_agent_is_refused(spec: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_agent(spec)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("class Policy(:", "SyntaxError"),
        ("import no_such_library", "No module named 'no_such_library'"),
        ("raise SystemExit('done')", "SystemExit: done"),
        ("class Policy:\n    def __init__(self):\n        raise KeyError('weights')", "KeyError"),
    ],
)
def test_a_module_that_fails_is_named_with_the_cause(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code of others may raise anything; a module that has failed is not kept by Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.delitem(sys.modules, "failing_policy", raising=False)
    (tmp_path / "failing_policy.py").write_text(text)
    importlib.invalidate_caches()
    with pytest.raises(ValueError, match=f"'failing_policy:Policy' gives no agent: .*{reason}"):
        make_agent("failing_policy:Policy")


def test_a_baseline_asked_outside_the_loop_plays_as_in_it() -> None:
    """`TableAgent`: the same choices, whether a runner seats its number or asks it."""

    class Asked:
        name = "asked"
        check_rules = Baseline("basic").check_rules
        choose = Baseline("basic").choose

    assert isinstance(Asked(), TableAgent)
    assert not isinstance(Asked(), Agent)
    rules = Rules.shoot(seats=4, deals=3)
    inside, outside = (
        play_sessions(rules, everywhere(agent, rules), 50, seed=5)
        for agent in (Baseline("basic"), Asked())
    )
    np.testing.assert_array_equal(inside.chips, outside.chips)


class Bidder:
    """Reads tables, and stakes a chip less than nothing."""

    name = "bidder"

    def check_rules(self, rules: Rules) -> None:
        pass

    def choose(self, rules: Rules, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.full(games.size, Move.STAKE), np.full(games.size, -1)


class Reader(Bidder):
    """Reads what tables do not hold."""

    def choose(self, rules: Rules, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return games["no"], games["no"]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (Bidder(), "phase stake: stake -1 is illegal; it may be 100 to 1000 chips"),
        (Reader(), "agent 'bidder' raised ValueError: no field of name no; .* seed 1, episode 0"),
    ],
)
def test_an_agent_of_tables_that_fails_is_named(agent: Bidder, reason: str) -> None:
    rules = Rules.single_deal(seats=2)
    with pytest.raises(AgentError, match=reason):
        play_sessions(rules, everywhere(agent, rules), 8, seed=1)
