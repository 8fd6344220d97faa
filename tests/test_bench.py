"""The command that measures speed, without its measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval import bench


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--seats", "99"], "seats=99"),
        (["--tables", "0"], "--tables"),
        (["--rounds", "0"], "--rounds"),
        (["--json", "no_such_folder/figures.json"], "no_such_folder"),
        (["--json", "."], "is a folder"),
    ],
)
def test_a_wrong_setting_is_refused_before_anything_is_measured(
    arguments: list[str],
    reason: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "report", lambda *_: pytest.fail("it measures"))
    assert bench.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert reason in error


def figures(*_: Any) -> dict[str, Any]:
    """Figures as `bench.report` returns them."""
    face = {"name": "a", "decisions_a_second": 2.0, "lowest": 1.0, "highest": 3.0}
    return {"faces": [{**face, "beside": "a", "ratio": 1.0}]}


def test_figures_are_printed_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "report", figures)
    path = tmp_path / "figures.json"
    assert bench.main(["--json", str(path)]) == 0
    assert json.loads(path.read_text()) == figures()
    assert [found.name for found in tmp_path.iterdir()] == ["figures.json"]
    assert "(1 to 3), 1.0000 of a" in capsys.readouterr().out


def test_ctrl_c_ends_in_one_line_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "report", interrupt)
    assert bench.main(["--json", str(tmp_path / "figures.json")]) == 130
    assert capsys.readouterr().err == "stopped\n"
    assert list(tmp_path.iterdir()) == []
