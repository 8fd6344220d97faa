"""The bench of the trainers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agents.saved_policy import PolicyEncoding
from eval import training_bench
from pontoon_env.rules import Rules


@pytest.mark.parametrize("encoding", ["discrete", "hybrid"])
def test_recorded_tables_show_what_was_seen_and_are_not_played(encoding: PolicyEncoding) -> None:
    tables = training_bench.RecordedTables(8, Rules.single_deal(), seed=3, encoding=encoding)
    tables.record()
    games = tables.tables.games.copy()
    for number in range(training_bench._RECORDED + 2):
        seen, rewards, dones, infos = tables.step(np.zeros(8))
        masks = tables.action_masks()
        assert masks.any(axis=1).all()
        assert [bool(info) for info in infos] == dones.tolist()
        if encoding == "hybrid":
            assert isinstance(seen, dict)
            assert (seen["action_mask"] == masks).all()
        if number == 0:
            first = rewards.copy()
        if number == training_bench._RECORDED:
            assert (rewards == first).all()
    assert (tables.tables.games == games).all()


def test_it_prints_what_each_trainer_manages(capsys: pytest.CaptureFixture[str]) -> None:
    assert training_bench.main(["--tables", "256", "--rounds", "1"]) == 0
    trainers = json.loads(capsys.readouterr().out)["trainers"]
    for name in ("maskable_ppo", "hybrid_ppo"):
        ours, theirs = (
            trainers[name][key] for key in ("decisions_per_cpu_second", "on_recorded_tables")
        )
        assert trainers[name]["ratio"] == pytest.approx(ours / theirs, rel=0.1)  # of one round
    assert trainers["self_play"]["learner_decisions_per_cpu_second"] > 0


def test_too_few_tables_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert training_bench.main(["--tables", "8"]) == 2
    assert "--tables must be 256 or more" in capsys.readouterr().err
