"""The demonstration, small: every file is there, and what it claims follows from its figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval import demo
from eval.demo import main
from eval.match import AgentError
from pontoon_env.history import read_history, verify_history


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test where anything is trained."""
    monkeypatch.setattr(demo, "train_player", lambda *_: pytest.fail("it trains"))


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
    assert (out / "policy" / "policy.safetensors").exists()
    assert json.loads((out / "results.json").read_text())["seed"] == 4
    assert "NOT shown to beat" in (out / "report.md").read_text()
    for path in out.glob("deal_*.jsonl"):
        assert verify_history(read_history(path)).deals == 1
    assert not list(out.glob(".*"))
    demo.claim_folder(out)  # an earlier demonstration's may be replaced


def test_what_is_published_replaces_an_earlier_demonstration(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, text in ((old, "old"), (new, "new")):
        (folder / "policy").mkdir(parents=True)
        (folder / "policy" / text).write_text(text)
        (folder / "report.md").write_text(text)
    demo.publish(new, old)
    assert [path.name for path in (old / "policy").iterdir()] == ["new"]
    assert (old / "report.md").read_text() == "new"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--timesteps", "0"], "timesteps=0"),
        (["--deals", "0"], "--deals 0"),
        (["--seed", "-1"], "seed=-1"),
        ([], "holds no demonstration"),
    ],
)
def test_what_the_demonstration_has_not_written_stays(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    no_training: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A folder of the user's is no earlier demonstration, whatever the settings are."""
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "mine").write_text("precious")
    (tmp_path / "results.json").write_text('{"format": "pontoon_benchmark_v1"}')
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    assert reason in capsys.readouterr().err
    assert (tmp_path / "policy" / "mine").read_text() == "precious"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("raised", "status", "line"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (AgentError("agent 'trained' failed"), 2, "error: agent 'trained' failed"),
        (ImportError("no torch"), 2, "error: no torch"),
    ],
)
def test_a_broken_off_demonstration_leaves_nothing_behind_and_an_earlier_one_whole(
    raised: BaseException,
    status: int,
    line: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def train(settings: Any) -> Any:
        settings.out.mkdir()
        raise raised

    monkeypatch.setattr(demo, "train_player", train)
    (tmp_path / "policy").mkdir()
    (tmp_path / "results.json").write_text('{"learning_curve": []}')
    assert main(["--out", str(tmp_path)]) == status
    assert capsys.readouterr().err.splitlines()[-1] == line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy", "results.json"]


def test_an_output_folder_that_cannot_be_written_is_refused_at_once(
    tmp_path: Path, no_training: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is trained first."""
    file = tmp_path / "file"
    file.write_text("")
    assert main(["--out", str(file / "demo")]) == 2
    assert "file" in capsys.readouterr().err
