"""Every example runs and prints its line; those of OpenSpiel and RLlib in tests of their own."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
TESTED_ELSEWHERE = {"openspiel_game.py", "pontoon_openspiel.py", "pontoon_rllib.py", "rllib_ppo.py"}
OF_OTHERS = {"__init__.py", "search_player.py"}
"""Files that show no library."""


def run_example(name: str, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str]) -> str:
    """Run an example as a reader does, and return the one line that it prints."""
    patch.setattr(sys, "argv", [name])
    runpy.run_module(f"examples.{name}", run_name="__main__")
    lines = captured.readouterr().out.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@pytest.mark.slow
def test_stable_baselines3_learns_on_one_table_and_on_many(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = run_example("sb3_single_seat", monkeypatch, capsys)
    assert line == "one table and 32 tables: 1024 masked decisions learned from"


@pytest.mark.slow
def test_ppo_in_one_file_wins_more_in_its_second_half(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = run_example("cleanrl_ppo", monkeypatch, capsys)
    found = re.fullmatch(r"20480 legal decisions; least stakes a deal (\S+), then (\S+)", line)
    assert found is not None, line
    assert float(found[2]) > float(found[1])


@pytest.mark.filterwarnings("ignore")  # what TorchRL warns of is its own
def test_torchrl_collects_hybrid_decisions_of_all_seats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it is installed: the project does not ask for it."""
    pytest.importorskip("torchrl", reason="TorchRL is not installed; docs/loading.md says how")
    line = run_example("torchrl_collect", monkeypatch, capsys)
    assert line == "384 legal decisions of 3 seats, 3 updates"


def test_every_example_says_first_what_it_shows_and_is_on_the_page() -> None:
    page = (ROOT / "docs" / "loading.md").read_text(encoding="utf-8")
    paths = [path for path in EXAMPLES.glob("*.py") if path.name not in OF_OTHERS]
    assert {path.name for path in paths} >= TESTED_ELSEWHERE
    for path in paths:
        assert path.read_text(encoding="utf-8").startswith('"""'), path.name
        assert path.name in page, path.name
