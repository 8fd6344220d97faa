"""The command that simulates sessions: what it prints and writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval import simulate
from eval.simulate import main
from pontoon_env.history import read_history, verify_history
from pontoon_env.rules import Rules


def test_a_session_is_printed_and_its_history_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.jsonl"
    arguments = ["--game", "shoot", "--seats", "3", "--deals", "4", "--seed", "7"]
    assert main([*arguments, "--agents", "basic,random,stick17", "--history", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "shoot, 3 seats, 4 deals, seed 7" in printed
    assert "seat_2  stick17" in printed
    assert verify_history(read_history(path)).deals == 4


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--game", "shoot", "--rules", "shoot=false"], "--game shoot and --rules shoot=false"),
        (["--rules", "shoot=true"], "--game pontoon and --rules shoot=true"),
        (["--agents", "basic,random"], "2 agents for 6 seats"),
        (["--agents", "nobody"], "no agent is called 'nobody'"),
        (["--seed", "-1"], "seed"),
        (["--history", "no_such_folder/game.jsonl"], "no_such_folder"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--deals", "1", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert reason in printed.err


def test_ctrl_c_ends_in_one_line_and_leaves_no_half_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(simulate.Recorder):
        def decide(self, move: int, chips: int) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "Recorder", Interrupted)
    assert main(["--deals", "3", "--history", str(tmp_path / "game.jsonl")]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "stopped"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("agents", [["basic", "bayes", "stick17"], ["tests.test_match:FirstLegal"]])
def test_a_session_is_the_same_with_and_without_a_history(
    agents: list[str], tmp_path: Path
) -> None:
    """Compiled agents play many decisions at a time where nothing is recorded."""
    rules = Rules.pontoon(seats=3, deals=20)
    seated = agents * (3 // len(agents))
    plain = simulate.simulate(rules, seated, 5, progress=False)
    path = tmp_path / "game.jsonl"
    assert simulate.simulate(rules, seated, 5, path, progress=False) == plain
    assert any(plain)
