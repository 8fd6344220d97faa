"""Measure what training costs beside its tables: ``python -m eval.training_bench``.

Each trainer learns on our tables and on recorded ones of equal shapes, which cost nothing, in short
slices that take turns: what the first manages of the second's decisions per CPU second is left of
the trainer by its tables. Self-play is measured by itself. One thread; prints JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.saved_policy import PolicyEncoding
from eval.command import exit_status
from train import hybrid_ppo, maskable_ppo, self_play
from train.learner_state import policy_tensors
from train.run import make_tables
from train.sb3_vec_env import PontoonVecEnv
from train.settings import SharedSettings

_RECORDED: Final = 32
"""Steps of a recording; it begins anew after them."""


class RecordedTables(PontoonVecEnv):
    """Tables that show what was recorded of random play, whatever is decided."""

    def record(self) -> None:
        """Record some steps of random play."""
        generator = np.random.default_rng(0)
        self.reset()
        self._steps: list[tuple[NDArray[np.int8], VecEnvStepReturn]] = []
        for _ in range(_RECORDED):
            masks = self.tables.masks
            choices = (generator.random(masks.shape) * masks).argmax(axis=1)
            amounts = generator.random(choices.size)
            is_hybrid = self.encoding == "hybrid"
            actions = np.stack([choices, amounts], axis=1) if is_hybrid else choices
            super().step_async(actions.astype(np.float32) if is_hybrid else actions)
            step = super().step_wait()
            self._steps.append((self.tables.masks.copy(), deepcopy(step)))
        self._at = 0

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take no notice of the actions."""

    def step_wait(self) -> VecEnvStepReturn:
        """Return the next step of the recording."""
        self._at = (self._at + 1) % _RECORDED
        self.tables.masks, step = self._steps[self._at]
        return step


Slice = Callable[[], float]
"""Trains for one rollout and returns decisions per CPU second."""


def _slice(model: OnPolicyAlgorithm) -> Slice:
    """Return what trains a model for a rollout."""
    model.set_logger(Logger(folder=None, output_formats=[]))
    n_decisions = model.n_steps * model.n_envs

    def train() -> float:
        begun = time.process_time()
        model.learn(n_decisions, reset_num_timesteps=False)
        return n_decisions / (time.process_time() - begun)

    return train


def _pair(module: Any, settings: SharedSettings, encoding: PolicyEncoding) -> tuple[Slice, Slice]:
    """Return the slices of a trainer: on our tables, and on recorded ones."""
    tables = make_tables(settings, encoding)
    recorded = make_tables(settings, encoding, RecordedTables)
    assert isinstance(recorded, RecordedTables), "the kind that was asked for"
    recorded.record()
    ours, theirs = (module.make_model(settings, env) for env in (tables, recorded))
    return _slice(ours), _slice(theirs)


def _self_play(settings: self_play.Settings) -> Slice:
    """Return the slice of self-play, its present self renewed as in a run."""
    pool = self_play.make_pool(settings)
    model = maskable_ppo.make_model(settings, self_play.make_tables(settings, pool))
    pool.renew(policy_tensors(model.policy))
    pool.freeze()
    train = _slice(model)

    def renewed() -> float:
        pool.renew(policy_tensors(model.policy))
        return train()

    return renewed


def report(num_envs: int, rounds: int) -> dict[str, Any]:
    """Return what was measured, as JSON can hold it.

    Args:
        num_envs: Tables; a rollout has 16 decisions at each.
        rounds: Slices of each trainer; figures are medians.
    """
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    shapes: Any = {"num_envs": num_envs, "n_steps": 16, "seed": 1}
    player = maskable_ppo.Settings(preset="single_deal", **shapes)
    any_amount = hybrid_ppo.Settings(preset="single_deal", **shapes)
    pairs = {
        "maskable_ppo": _pair(maskable_ppo, player, "discrete"),
        "hybrid_ppo": _pair(hybrid_ppo, any_amount, "hybrid"),
    }
    everybody = self_play.Settings(preset="pontoon", memory=True, n_epochs=2, **shapes)
    alone = {"self_play": _self_play(replace(everybody, batch_size=4096))}
    slices = [*(each for pair in pairs.values() for each in pair), *alone.values()]
    for each in slices:
        each()  # compiled, and every array made
    measured = [[each() for each in slices] for _ in range(rounds)]
    columns = [list(column) for column in zip(*measured, strict=True)]
    found: dict[str, Any] = {}
    for i, name in enumerate(pairs):
        ours, theirs = columns[2 * i], columns[2 * i + 1]
        ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
        found[name] = {
            "decisions_per_cpu_second": round(statistics.median(ours)),
            "on_recorded_tables": round(statistics.median(theirs)),
            "ratio": round(statistics.median(ratios), 3),
            "ratio_spread": [round(min(ratios), 3), round(max(ratios), 3)],
        }
    for name, column in zip(alone, columns[-len(alone) :], strict=True):
        found[name] = {"learner_decisions_per_cpu_second": round(statistics.median(column))}
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
