"""The bench of the trainers."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from eval import training_bench
from eval.training_bench import TimedTables
from pontoon_env.rules import Rules
from train.sb3_vec_env import PontoonVecEnv


def burn(seconds: float) -> None:
    """Keep the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class SlowTables(TimedTables):
    """Tables whose steps take 20 ms of processor time, and 20 ms in which it sleeps."""

    def _step(self) -> Any:
        made = super()._step()
        burn(0.02)
        time.sleep(0.02)
        return made


@pytest.mark.parametrize("steps", [1, 3])
def test_the_share_is_that_of_the_processor_time_within_the_tables(steps: int) -> None:
    tables = SlowTables(8, Rules.single_deal(), seed=3)
    tables.reset()

    def learn(*_: Any, **__: Any) -> None:
        for _step in range(steps):
            tables.step(tables.action_masks().argmax(axis=1))
        burn(0.02)

    model: Any = SimpleNamespace(learn=learn, n_steps=steps, n_envs=8)
    found = training_bench.measure(model, tables, rounds=5)
    share = steps / (steps + 1)
    assert found["share_of_tables"]["median"] == pytest.approx(share, abs=0.05)
    rate = 8 * steps / (0.02 * (steps + 1))
    assert found["decisions_per_cpu_second"] == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("reset", ()),
        ("step_async", (np.zeros(8, np.int64),)),
        ("step_wait", ()),
        ("env_method", ("action_masks",)),
    ],
)
def test_each_call_of_a_rollout_is_timed_and_answered(
    name: str, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = TimedTables(8, Rules.single_deal(), seed=3)

    def answer(_: PontoonVecEnv, *given: Any) -> list[Any]:
        burn(0.01)
        return list(given)

    monkeypatch.setattr(PontoonVecEnv, name, answer)
    before = time.process_time()
    answered = getattr(tables, name)(*arguments)
    assert 0.01 <= tables.cpu_seconds <= time.process_time() - before
    assert answered == (None if name == "step_async" else list(arguments))


def test_it_prints_what_each_trainer_manages(capsys: pytest.CaptureFixture[str]) -> None:
    assert training_bench.main(["--tables", "256", "--rounds", "2"]) == 0
    trainers = json.loads(capsys.readouterr().out)["trainers"]
    for name in ("maskable_ppo", "hybrid_ppo"):
        assert trainers[name]["decisions_per_cpu_second"] > 0
        share = trainers[name]["share_of_tables"]
        assert 0 < share["low"] <= share["median"] <= share["high"] < 1
    assert trainers["self_play"]["learner_decisions_per_cpu_second"] > 0


def test_too_few_tables_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert training_bench.main(["--tables", "8"]) == 2
    assert "--tables must be 256 or more" in capsys.readouterr().err
