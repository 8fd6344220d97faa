"""Measure what share of training its tables take: ``python -m eval.training_bench``.

While a trainer learns for a rollout, its updates included, the processor time spent within its
calls of the tables is added up; the share is that over the processor time of the whole. What the
trainer makes of the answers is its own. Of self-play, whose tables ask networks too, the speed
alone is measured. One thread; prints JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.saved_policy import PolicyEncoding
from eval.bench.figures import spread
from eval.command import exit_status
from train import hybrid_ppo, maskable_ppo, self_play
from train.learner_state import policy_tensors
from train.run import make_tables
from train.sb3_vec_env import PontoonVecEnv
from train.settings import SharedSettings

P = ParamSpec("P")
R = TypeVar("R")


class TimedTables(PontoonVecEnv):
    """Tables that add up the processor time spent within the calls that a rollout makes."""

    cpu_seconds = 0.0

    def _timed(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what a call returns, and add its time."""
        begun = time.process_time()
        try:
            return call(*args, **kwargs)
        finally:
            self.cpu_seconds += time.process_time() - begun

    def reset(self) -> NDArray[np.float32] | dict[str, NDArray[Any]]:
        """Begin a session in each row."""
        return self._timed(super().reset)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the step to come."""
        self._timed(super().step_async, actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Make the step."""
        return self._timed(super().step_wait)

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Return what ``action_masks`` holds."""
        return self._timed(super().env_method, method_name, *args, **kwargs)


def _train(model: OnPolicyAlgorithm) -> float:
    """Train a model for a rollout; return the seconds of processor time."""
    gc.collect()  # a full one takes 0.4 s, and would fall to whoever allocates when it is due
    begun = time.process_time()
    model.learn(model.n_steps * model.n_envs, reset_num_timesteps=False)
    return time.process_time() - begun


def measure(model: OnPolicyAlgorithm, tables: TimedTables, rounds: int) -> dict[str, Any]:
    """Train a model for some rollouts, after one that compiles and makes every array.

    Returns:
        ``decisions_per_cpu_second``, a median, and ``share_of_tables``, a median with its spread.
    """
    _train(model)
    seconds, shares = [], []
    for _ in range(rounds):
        tables.cpu_seconds = 0.0
        seconds.append(_train(model))
        shares.append(round(tables.cpu_seconds / seconds[-1], 4))
    n_decisions = model.n_steps * model.n_envs
    return {
        "decisions_per_cpu_second": round(n_decisions / statistics.median(seconds)),
        "share_of_tables": spread(shares),
    }


def _measure_trainer(
    module: Any, settings: SharedSettings, encoding: PolicyEncoding, rounds: int
) -> dict[str, Any]:
    """Return what `measure` finds of the trainer in a module."""
    tables = make_tables(settings, encoding, TimedTables)
    assert isinstance(tables, TimedTables), "the kind that was asked for"
    return measure(_silent(module.make_model(settings, tables)), tables, rounds)


def _measure_self_play(settings: self_play.Settings, rounds: int) -> dict[str, Any]:
    """Return the speed of self-play, its present self renewed as in a run."""
    pool = self_play.make_pool(settings)
    model = _silent(maskable_ppo.make_model(settings, self_play.make_tables(settings, pool)))
    pool.renew(policy_tensors(model.policy))
    pool.freeze()
    _train(model)
    seconds = []
    for _ in range(rounds):
        pool.renew(policy_tensors(model.policy))
        seconds.append(_train(model))
    n_decisions = model.n_steps * model.n_envs
    return {"learner_decisions_per_cpu_second": round(n_decisions / statistics.median(seconds))}


def _silent(model: OnPolicyAlgorithm) -> OnPolicyAlgorithm:
    """Return the model, which is to log nothing."""
    model.set_logger(Logger(folder=None, output_formats=[]))
    return model


def report(num_envs: int, rounds: int) -> dict[str, Any]:
    """Return what was measured, as JSON can hold it.

    Args:
        num_envs: Tables; a rollout has 16 decisions at each.
        rounds: Rollouts of each trainer; figures are medians.
    """
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    shapes: Any = {"num_envs": num_envs, "n_steps": 16, "seed": 1}
    player = maskable_ppo.Settings(preset="single_deal", **shapes)
    any_amount = hybrid_ppo.Settings(preset="single_deal", **shapes)
    everybody = self_play.Settings(preset="pontoon", memory=True, n_epochs=2, **shapes)
    found = {
        "maskable_ppo": _measure_trainer(maskable_ppo, player, "discrete", rounds),
        "hybrid_ppo": _measure_trainer(hybrid_ppo, any_amount, "hybrid", rounds),
        "self_play": _measure_self_play(replace(everybody, batch_size=4096), rounds),
    }
    return {"num_envs": num_envs, "n_steps": 16, "rounds": rounds, "trainers": found}


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(prog="python -m eval.training_bench", description=__doc__)
    parser.add_argument("--tables", type=int, default=1024, help="tables played at once")
    parser.add_argument("--rounds", type=int, default=7, help="rollouts of each trainer")
    return parser.parse_args(arguments)


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    settings = _parse(arguments)
    if settings.tables < 256 or settings.rounds < 1:  # a rollout holds a batch of 4096
        raise ValueError("--tables must be 256 or more, --rounds 1 or more")
    print(json.dumps(report(settings.tables, settings.rounds), indent=2))


if __name__ == "__main__":
    sys.exit(main())
