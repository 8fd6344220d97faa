"""Train a seat with sb3-contrib's MaskablePPO: ``python -m train.maskable_ppo``.

The learner meets other agents at many tables at once and chooses among the discrete actions: a
move, and one of the few amounts that are named with it. What is illegal has no chance. `train.run`
says what the run's folder holds, and how a run is stopped and resumed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from train.at_stake import AtStake, MaskableBuffer, ScaledInputs, ValuesAtStake
from train.run import Progress, run, run_command
from train.sb3_vec_env import PontoonVecEnv
from train.settings import SharedSettings


@dataclass(frozen=True, kw_only=True)
class Settings(SharedSettings):
    """Settings of a training run."""

    out: Path = Path("runs/maskable_ppo")
    """Folder of the run; it must be new, or hold the run that is to be resumed."""


class Policy(ValuesAtStake, MaskableActorCriticPolicy):
    """A policy that gives what is illegal no chance."""


def make_model(
    settings: SharedSettings, tables: PontoonVecEnv, kind: type[MaskablePPO] = MaskablePPO
) -> MaskablePPO:
    """Return an untrained model of a kind."""
    at_stake = AtStake(tables.rules)
    return kind(
        Policy,
        tables,
        policy_kwargs={
            "net_arch": list(settings.net_arch),
            "features_extractor_class": ScaledInputs,
            "at_stake": at_stake,
        },
        rollout_buffer_class=MaskableBuffer,
        rollout_buffer_kwargs={"at_stake": at_stake},
        **settings.of_ppo(),
    )


def train(settings: Settings, progress: Progress | None = None) -> Path:
    """Train a policy and return the folder that holds it; see `train.run.run`."""
    return run(settings, "maskable_ppo", "discrete", make_model, progress)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run_command(Settings, train, "train.maskable_ppo", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
