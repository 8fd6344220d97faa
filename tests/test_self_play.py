"""Self-play: what a run logs and leaves behind, that it repeats itself, and what it refuses."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.saved_policy import load_policy
from eval.match import everywhere, play_sessions
from pontoon_env import Rules
from tests.test_run import assert_same_policy, quiet, tensors
from train.self_play import Settings, main, train

SMALL = Settings(
    rules=("seats=3", "deals=2"),
    timesteps=512,
    num_envs=16,
    n_steps=8,
    batch_size=64,
    net_arch=(8,),
    baselines=("basic", "stick17"),
    n_past=2,
    freeze_every=128,
)
"""Four rollouts of 128 decisions; a past self after each but the last."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of `SMALL`."""
    folder = tmp_path_factory.mktemp("self_play") / "run"
    return train(dataclasses.replace(SMALL, out=folder), quiet)


def test_the_policy_says_how_it_was_trained_and_plays_every_seat(out: Path) -> None:
    rules = Rules.pontoon(seats=3, deals=2)
    policy = load_policy(out)
    assert policy.settings.rules == rules
    assert (policy.settings.algorithm, policy.settings.opponents) == ("self_play", "pool")
    assert (policy.settings.plays, policy.deterministic) == ("likeliest", True)
    assert policy.settings.role == "any"
    chips = play_sessions(rules, everywhere(policy, rules), 50, 3).chips
    assert (chips.sum(axis=1) == 0).all()
    assert (chips != 0).any(axis=0).all()


@pytest.mark.parametrize("name", ["opponents", "banker_opponent"])
def test_opponents_cannot_be_chosen(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command has no such option, and the settings say who sits there."""
    option = f"--{name.replace('_', '-')}"
    with pytest.raises(SystemExit, match="2"):
        main(["--out", str(tmp_path / "run"), option, "basic"])
    assert f"Unrecognized options: {option}, basic" in capsys.readouterr().err
    with pytest.raises(ValueError, match=f"{name}='basic' cannot be chosen in self-play: the pool"):
        train(dataclasses.replace(SMALL, out=tmp_path / "run", **{name: "basic"}), quiet)
    assert not (tmp_path / "run").exists()


def test_what_is_won_against_each_member_is_logged(out: Path) -> None:
    """As NaN before they have met."""
    with next((out / "log").glob("*/progress.csv")).open() as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == 4
    names = {"self", "past_0", "past_1", "basic", "stick17"}
    assert {key.removeprefix("pool/") for key in rows[0] if key.startswith("pool/")} == names
    logged = {name: [float(row[f"pool/{name}"]) for row in rows] for name in names}
    assert np.isnan([payoffs[0] for payoffs in logged.values()]).all()
    assert np.isfinite(logged["self"][1:]).all()
    assert np.isnan(logged["past_1"][:3]).all(), "it is frozen before the third rollout"
    assert any(np.isfinite(payoffs).any() for name, payoffs in logged.items() if "past" in name)


def test_a_run_repeats_itself_and_another_seed_does_not(out: Path, tmp_path: Path) -> None:
    again = train(dataclasses.replace(SMALL, out=tmp_path / "again"), quiet)
    assert_same_policy(again, out)
    other = train(dataclasses.replace(SMALL, out=tmp_path / "other", seed=2), quiet)
    assert not np.array_equal(tensors(other)["head.weight"], tensors(out)["head.weight"])


@pytest.mark.parametrize(
    "fields",
    [
        {"n_past": 0},
        {"baselines": ()},
        {"self_share": 0.0, "past_share": 0.0},
        {"self_share": 0.0, "past_share": 1.0},
        {"self_share": 1.0, "past_share": 0.0},
        {"freeze_every": 1},
        {"memory": True},
        {"preset": "two_seat_exact", "rules": ()},
        {"preset": "shoot", "role": "banker"},
    ],
)
def test_the_least_and_the_most_of_each_setting_train(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    folder = train(dataclasses.replace(SMALL, out=tmp_path / "run", **fields), quiet)
    assert all(np.isfinite(tensor).all() for tensor in tensors(folder).values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baselines", "basic", "nobody"], "baselines: no agent is called 'nobody'"),
        (["--baselines", "exact"], "baselines: no agent is called 'exact'; the agents are random"),
        (["--baselines", "basic", "bold", "basic"], "must each be named once"),
        (["--self-share", "0.8", "--past-share", "0.3"], "self_share=0.8 and past_share=0.3"),
        (["--self-share", "-0.1"], "self_share=-0.1"),
        (["--past-share", "nan"], "past_share=nan"),
        (["--n-past", "-1"], "n_past=-1 must be 0 or more"),
        (["--freeze-every", "0"], "freeze_every=0"),
        (["--timesteps", "0"], "timesteps=0"),
        (["--rules", "seats=99"], "seats=99"),
        (["--teacher", "counter"], "teacher='counter' and taught=0 go together"),
        (["--taught", "100"], "teacher=None and taught=100 go together"),
        (["--teacher", "counter", "--taught", "-1"], "taught=-1"),
        (["--teacher", "basic", "--taught", "2000000"], "of the 2000000 decisions"),
        (["--taught-learning-rate", "0"], "taught_learning_rate=0.0 must be above 0"),
        (["--teacher", "nobody", "--taught", "100"], "nobody"),
        (["--teacher", "exact", "--taught", "100"], "agent 'exact' refuses these rules"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(tmp_path / "run"), *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()
