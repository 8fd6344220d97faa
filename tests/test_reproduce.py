"""``python -m eval.reproduce``: what is run, kept, resumed, refused and told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.saved_policy import save_policy
from eval import reproduce
from eval.measurements import read_measurement
from eval.reproduce import chosen_recipes, main, measurings_of, trainings_of
from pontoon_env.opponents import OPPONENTS
from tests.policies import RULES, settings_of, tensors_for
from train.recipes import Measure, Recipe

NET = Measure(
    title="advantage",
    program="benchmark",
    arguments=("--seats", "3", "--roles", "any", "--players", "basic", "--deals", "40"),
    minus=("others",),
)
TRAINED = (
    *("--rules", "seats=3", "--num-envs", "8", "--n-steps", "4"),
    *("--batch-size", "8", "--timesteps", "64"),
)
GOOD = Recipe(name="good", program="maskable_ppo", arguments=TRAINED, seeds=(1, 2), measures=(NET,))
BAD = replace(GOOD, name="bad", arguments=(*TRAINED, "--role", "dealer"))


@pytest.fixture
def recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two recipes, of which one cannot be run."""
    monkeypatch.setattr(reproduce, "RECIPES", {"good": GOOD, "bad": BAD})


def save(folder: Path, scale: float = 1.0) -> None:
    """Save a policy."""
    settings = settings_of(RULES)
    save_policy(folder, tensors_for(settings, scale=scale), settings)


@pytest.mark.slow
def test_what_can_be_trained_is_measured_and_what_fails_is_named(
    recipes: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run again, it does what is missing alone."""
    assert main(["--out", str(tmp_path)]) == 1
    folder = tmp_path / "shortened"
    log = folder / "logs" / "bad-1.log"
    assert f"error: bad-1 failed with status 2: see {log}" in capsys.readouterr().err
    assert "dealer" in log.read_text()
    found = read_measurement(folder / "measurements" / "good-1-advantage.json")
    assert (found.recipe, found.seed, found.deals, found.sessions) == ("good", 1, 2000, 2000)
    assert [value.name for value in found.values] == ["over basic"]
    assert found.values[0].low is not None
    assert f"--out {folder / 'policies' / 'good-1'}" in str(found.training_command)
    assert "--deals 2000 --seed 1000" in found.command
    assert found.core_seconds is not None
    assert found.core_seconds > 0.5
    assert set(found.versions) >= {"pontoon-env", "torch"}
    page = (folder / "results.md").read_text()
    assert "**Shortened**" in page
    assert f"| `good`, seed 1 | {found.values[0]} |" in page
    kept = (folder / "measurements" / "good-1-advantage.json").stat().st_mtime_ns
    assert main(["--only", "good", "--out", str(tmp_path)]) == 0
    assert (folder / "measurements" / "good-1-advantage.json").stat().st_mtime_ns == kept


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--only", "nobody"], "no policy is called 'nobody': there are player-discrete, "),
        (["--jobs", "0"], "--jobs 0 must be 1 or more"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_run(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main([*arguments, "--out", str(out)]) == 2
    assert reason in capsys.readouterr().err
    assert not out.exists()


def test_a_policy_comes_with_the_twin_that_it_is_measured_by() -> None:
    found = chosen_recipes(["memory-never"], is_full=True)
    assert [recipe.name for recipe in found] == ["plain-never", "memory-never"]
    trainings = trainings_of(Path("out"), found)
    pairs = [
        (each.subject, each.twin and each.twin.name)
        for each in measurings_of(Path("out"), trainings, is_shortened=False)
    ]
    assert pairs == [(f"memory-never-{seed}", f"plain-never-{seed}") for seed in (1, 2, 3)]


def test_agents_beside_are_measured_once_each() -> None:
    trainings = trainings_of(Path("out"), chosen_recipes(["self-play-two"], is_full=True))
    found = measurings_of(Path("out"), trainings, is_shortened=False)
    assert [each.subject for each in found] == ["self-play-two-1", *OPPONENTS]
    assert len({each.name for each in found}) == len(found)


def test_a_run_that_was_begun_is_resumed_and_a_whole_policy_is_left_alone(
    recipes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, whole, new = trainings_of(tmp_path, [replace(GOOD, seeds=(1, 2, 3))])
    for part in ("trainings", "logs"):
        (tmp_path / part).mkdir()
    for each in (begun, whole):
        each.policy.mkdir(parents=True)
        each.note(3.0)
        (each.policy / "training.json").write_text("{}")
    save(whole.policy)
    seen: list[Any] = []
    monkeypatch.setattr(reproduce, "run_jobs", lambda jobs, *_: seen.extend(jobs))
    assert reproduce.train_all([begun, whole, new], 1) == []
    assert [(job.name, "--resume" in job.arguments) for job in seen] == [
        ("good-1", True),
        ("good-3", False),
    ]


def test_the_time_of_a_training_adds_up(tmp_path: Path) -> None:
    (training, _) = trainings_of(tmp_path, [GOOD])
    training.noted.parent.mkdir()
    training.note(1.5)
    training.note(2.0)
    assert training.read_note()["core_seconds"] == 3.5


def test_a_folder_that_another_command_has_filled_is_refused(
    recipes: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shortened"
    (training,) = trainings_of(folder, [GOOD.shortened()])
    training.policy.mkdir(parents=True)
    (training.policy / "training.json").write_text("{}")
    assert main(["--only", "good", "--out", str(tmp_path)]) == 2
    assert "was filled by another command (one that is not noted)" in capsys.readouterr().err
    training.noted.write_text(json.dumps({"command": "python -m train.other", "core_seconds": 1}))
    assert main(["--only", "good", "--out", str(tmp_path)]) == 2
    assert "was filled by another command (python -m train.other)" in capsys.readouterr().err


def test_what_was_measured_counts_for_that_policy_and_that_command_alone(tmp_path: Path) -> None:
    trainings = trainings_of(tmp_path, [replace(GOOD, seeds=(1,))])
    (measuring,) = measurings_of(tmp_path, trainings, is_shortened=False)
    (training,) = trainings
    for folder in (measuring.kept.parent, measuring.played, training.noted.parent):
        folder.mkdir(parents=True)
    assert not measuring.is_kept()
    save(training.policy)
    training.note(1.0)
    estimate = {"mean": 1.0, "low": 0.5, "high": 1.5, "n_clusters": 9}
    row = {"candidate": "basic", "net": estimate, "differences": {"good-1": estimate}}
    scenario = {"role": "any", "others": "basic", "banker": None, "is_flat": False}
    played = {"rules": {}, "deals": 9, "sessions": 9, "scenarios": [{**scenario, "rows": [row]}]}
    measuring.written.write_text(json.dumps(played))
    measuring.keep()
    assert measuring.is_kept()
    on_more = replace(NET, arguments=(*NET.arguments[:-1], "50"))
    assert not replace(measuring, measure=on_more).is_kept()
    save(training.policy, scale=2.0)
    assert not measuring.is_kept()
