"""The benchmark: pairing, tables, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.baselines import BASELINES, Baseline
from eval import benchmark
from eval.benchmark import Scenario, main, net_of_candidate, run_benchmark, scenarios
from pontoon_env.agent import Decisions
from pontoon_env.rules import Rules
from pontoon_env.state import Move

RULES = Rules.single_deal(seats=4)
PLAYER = Scenario(role="player", others="stick17", banker="stick17", is_flat=False)
BANKER = Scenario(role="banker", others="stick17", banker=None, is_flat=False)
ANY = Scenario(role="any", others="stick17", banker=None, is_flat=False)


class Sticker:
    """Plays as `stick17` does, from observations alone."""

    name = "sticker"

    def check_rules(self, rules: Rules) -> None:
        """Plays by all rules."""

    def act(self, decisions: Decisions, generator: np.random.Generator) -> Any:
        can_stick = decisions.masks[:, Move.STICK] != 0
        total = np.round(decisions.observations[:, self.total_column] * 21)
        wants = np.where(can_stick & (total >= 17), Move.STICK, Move.TWIST)
        moves = np.where(decisions.masks[:, Move.STAKE] != 0, Move.STAKE, wants)
        return moves, np.zeros(len(decisions))

    @property
    def total_column(self) -> int:
        from pontoon_env.observation import layout

        return next(part.start for part in layout(RULES) if part.name == "own_hand_0.total")


class Illegal(Sticker):
    """Always sticks."""

    name = "always-sticks"

    def act(self, decisions: Decisions, generator: np.random.Generator) -> Any:
        n = len(decisions)
        return np.full(n, Move.STICK), np.zeros(n)


class Impostor(Sticker):
    """Has a baseline's name."""

    name = "basic"


class Choosy(Sticker):
    """Refuses all rules."""

    name = "choosy"

    def check_rules(self, rules: Rules) -> None:
        raise ValueError(f"seats={rules.seats} are too many")


class Unsure(Sticker):
    """Fails when asked about the rules."""

    name = "unsure"

    def check_rules(self, rules: Rules) -> None:
        raise KeyError("rules")


@pytest.mark.parametrize("scenario", [PLAYER, BANKER, ANY])
def test_candidates_that_play_alike_win_alike_on_every_deal(scenario: Scenario) -> None:
    """The same deals for every candidate, compiled or asked: paired by seed and episode."""
    asked, compiled = (
        net_of_candidate(scenario, agent, RULES, 3000, 5)
        for agent in (Sticker(), Baseline("stick17"))
    )
    assert (asked == compiled).all()


def test_a_player_sits_on_every_players_place_in_turn_and_a_banker_holds_the_bank() -> None:
    lineup = PLAYER.lineup(Baseline("basic"), RULES)
    assert [np.flatnonzero(pattern[:, 0] == 0).tolist() for pattern in lineup.patterns] == [
        [1],
        [2],
        [3],
    ]
    lineup = BANKER.lineup(Baseline("basic"), RULES)
    assert lineup.patterns[:, :, 0].tolist() == [[0, 1, 1, 1]]


def test_any_sits_on_every_seat_in_turn_in_both_roles_against_one_agent_on_all_others() -> None:
    lineup = ANY.lineup(Baseline("basic"), RULES)
    assert [np.argwhere(pattern == 0).tolist() for pattern in lineup.patterns] == [
        [[place, 0], [place, 1]] for place in range(4)
    ]
    assert {lineup.agents[number].name for number in (1, 2)} == {"stick17"}


def test_any_plays_session_i_on_place_i_modulo_the_seats() -> None:
    rules = Rules.pontoon(seats=3, deals=4)
    basic = Baseline("basic")
    won = net_of_candidate(ANY, basic, rules, 7, 5)
    played = benchmark.play_sessions(rules, ANY.lineup(basic, rules), 7, 5).by_place()
    assert won.tolist() == [played[i, i % 3] / rules.min_stake for i in range(7)]


def test_an_agent_that_plays_as_another_has_no_advantage_over_it() -> None:
    row = run_benchmark([Sticker()], RULES, [ANY], 60, 5).row(ANY, "stick17")
    difference = row.differences["sticker"]
    assert (difference.mean, difference.low, difference.high) == (0, 0, 0)


def test_every_player_scenario_is_played_flat_too() -> None:
    found = scenarios(["any", "player", "banker"], ["stick17", "basic"], ["stick16", "basic"])
    assert [(s.role, s.others, s.banker, s.is_flat) for s in found] == [
        ("player", "stick16", "stick17", False),
        ("player", "stick16", "stick17", True),
        ("player", "stick16", "basic", False),
        ("player", "stick16", "basic", True),
        ("banker", "stick16", None, False),
        ("banker", "basic", None, False),
        ("any", "stick16", None, False),
        ("any", "basic", None, False),
    ]


def test_results_hold_every_baseline_and_differences_with_the_policy() -> None:
    results = run_benchmark([Sticker()], RULES, [PLAYER], 1500, 5)
    rows = results.tables[PLAYER]
    assert [row.candidate for row in rows] == ["sticker", *BASELINES]
    same = results.row(PLAYER, "stick17").differences["sticker"]
    assert (same.mean, same.low, same.high) == (0, 0, 0)
    other = results.row(PLAYER, "random").differences["sticker"]
    own, random = results.row(PLAYER, "sticker").net, results.row(PLAYER, "random").net
    assert other.mean == pytest.approx(own.mean - random.mean)
    assert results.row(PLAYER, "sticker").differences == {}


def test_deals_are_rounded_up_to_whole_sessions() -> None:
    rules = Rules.pontoon(seats=3, deals=8)
    assert run_benchmark([Baseline("basic")], rules, [PLAYER], 17, 1).sessions == 3


def test_two_policies_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="share a name"):
        run_benchmark([Sticker(), Sticker()], RULES, [PLAYER], 10, 1)


def test_a_baselines_row_is_its_own() -> None:
    with pytest.raises(ValueError, match="calls itself 'basic'"):
        run_benchmark([Impostor()], RULES, [PLAYER], 10, 1)


def test_the_program_writes_tables_and_numbers(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "deep" / "out"
    arguments = ["basic", "--seats", "4", "--deals", "300", "--seed", "3", "--out", str(out)]
    assert main([*arguments, "--rules", "split=none"]) == 0
    found = json.loads((out / "results.json").read_text())
    assert (found["deals"], found["seed"], found["rules"]["split"]) == (300, 3, "none")
    assert len(found["scenarios"]) == 6
    assert [row["candidate"] for row in found["scenarios"][0]["rows"]] == [
        "basic",
        *(name for name in BASELINES if name != "basic"),
    ]
    assert "| basic |" in (out / "results.md").read_text()
    assert sorted(path.name for path in out.iterdir()) == ["results.json", "results.md"]
    assert "basic minus it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-agent"], "no agent is called 'no-such-agent'"),
        (["basic", "--rules", "splits=any"], "splits"),
        (["basic", "--deals", "0"], "--deals"),
        (["basic", "--roles", "dealer"], "--roles dealer names others than player, banker, any"),
        (["basic", "--roles", "any,any"], "any,any names an agent twice"),
        (["basic", "--bankers", "stick3"], "stick3"),
        (["basic", "--bankers", "stick17,stick17"], "stick17,stick17 names an agent twice"),
        (["basic", "--players", "basic,stick17,basic"], "names an agent twice"),
        (["tests.test_benchmark:Illegal", "--seats", "4", "--deals", "10"], "always-sticks"),
        (["tests.test_benchmark:Impostor"], "calls itself 'basic'"),
        (["tests.test_benchmark:Choosy"], "agent 'choosy' refuses these rules: seats=6"),
        (["tests.test_benchmark:Unsure"], "agent 'unsure' raised KeyError"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    arguments: list[str], reason: str, tmp_path: Path, capsys: Any
) -> None:
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert reason in error


def test_ctrl_c_ends_in_one_line_and_writes_nothing(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(benchmark, "net_of_candidate", interrupt)
    assert main(["basic", "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "stopped"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused_before_play(
    tmp_path: Path, capsys: Any
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["basic", "--deals", "1000000000", "--out", str(blocked / "out")]) == 2
    assert "error: " in capsys.readouterr().err
