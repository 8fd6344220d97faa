"""The demonstration, small: every file is there, and what it claims follows from its figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.demo import main
from pontoon_env.history import read_history, verify_history


def test_the_demonstration_writes_all_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One rollout of training: too little to be good, and the report must say so."""
    out = tmp_path / "demo"
    small = ["--timesteps", "16384", "--deals", "400", "--seed", "3", "--out", str(out)]
    assert main(small) == 0
    printed = capsys.readouterr().out
    assert "NOT all of random and stickN" in printed
    for name in ("report.md", "results.json", "learning_curve.png", "comparison.png"):
        assert (out / name).stat().st_size > 0
    assert (out / "policy" / "policy.zip").exists()
    assert json.loads((out / "results.json").read_text())["seed"] == 4
    assert "NOT shown to beat" in (out / "report.md").read_text()
    for path in out.glob("deal_*.jsonl"):
        assert verify_history(read_history(path)).deals == 1


def test_an_output_folder_that_cannot_be_written_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is trained first."""
    file = tmp_path / "file"
    file.write_text("")
    assert main(["--out", str(file / "demo")]) == 2
    assert "file" in capsys.readouterr().err
