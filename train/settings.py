"""Settings that every training run has."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from stable_baselines3.common.utils import LinearSchedule

from pontoon_env.rules import PRESETS, Rules, rules_from_pairs
from pontoon_env.seating import Role

Preset = Literal["single_deal", "pontoon", "shoot", "two_seat_exact"]


@dataclass(frozen=True, kw_only=True)
class SharedSettings:
    """What every training run can be told."""

    out: Path
    """Folder of the run; it must be new, or hold the run that is to be resumed."""
    preset: Preset = "single_deal"
    """Which rules to start from."""
    rules: Annotated[tuple[str, ...], tyro.conf.arg(metavar="FIELD=VALUE")] = ()
    """Fields of the rules to change, such as seats=4 split=aces."""
    role: Role = "player"
    """Where the learner sits when a session begins: player, banker or any."""
    opponents: str = "stick17"
    """Agent on the other seats: a name, module:Class, or the folder of a saved policy."""
    banker_opponent: str | None = None
    """Agent that plays for them as banker, likewise; the one of opponents where None."""
    seed: int = 1
    """Of weights, choices and tables; table i plays the sessions of seed + i."""
    timesteps: int = 2_000_000
    """Decisions of the learner to train on; rounded up to whole rollouts."""
    num_envs: int = 1024
    """Tables played at once."""
    n_steps: int = 16
    """Decisions at each table between two updates."""
    batch_size: int = 2048
    """Decisions in a step of the optimiser."""
    n_epochs: int = 4
    """Passes over a rollout."""
    learning_rate: float = 2e-3
    """At the start; it falls linearly to zero."""
    ent_coef: float = 0.1
    """Weight of the policy's entropy at the start. With too little the learner settles on least
    stakes while it still plays its hands badly."""
    ent_coef_end: float = 0.003
    """Weight at the end; it falls by the same factor with every decision."""
    gamma: float = 1.0
    """Discount; 1 counts a session's chips as they are."""
    gae_lambda: float = 0.8
    """Lambda of generalised advantage estimation within a deal."""
    clip_range: float = 0.2
    """Clip range of PPO."""
    net_arch: tuple[int, ...] = (64, 64)
    """Hidden layers of the policy, and of the value function beside it."""
    reward_scale: float = 1.0
    """What the learner's rewards are multiplied by. Logged returns are never scaled."""
    memory: bool = False
    """Whether its observations hold the memory features."""
    checkpoint_every: int = 200_000
    """Decisions between two checkpoints."""
    resume: bool = False
    """Go on with the run in the folder, from its last checkpoint."""

    def table_rules(self) -> Rules:
        """Return the rules of the tables.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: A field is unknown or out of range, or fields clash.
        """
        return rules_from_pairs(PRESETS[self.preset], self.rules)

    def check(self) -> None:
        """Check the numbers that no library checks.

        Raises:
            ValueError: One is out of its range; the message names it.
        """
        whole = ("timesteps", "num_envs", "n_steps", "batch_size", "n_epochs", "checkpoint_every")
        counts = {name: getattr(self, name) for name in whole}
        counts |= {f"net_arch[{i}]": size for i, size in enumerate(self.net_arch)}
        for name, value in counts.items():
            if value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        for name in ("learning_rate", "reward_scale", "clip_range", "ent_coef", "ent_coef_end"):
            if not 0 < getattr(self, name) < np.inf:
                raise ValueError(f"{name}={getattr(self, name)} must be above 0")
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}={getattr(self, name)} must be from 0 to 1")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed={self.seed} must be from 0 to 2**32 - 1")
        rollout = self.num_envs * self.n_steps
        if self.batch_size == 1 or rollout % self.batch_size == 1:
            raise ValueError(
                f"batch_size={self.batch_size} leaves a batch of one of num_envs * n_steps = "
                f"{rollout} decisions, whose advantages cannot be normalised"
            )
        if self.batch_size > rollout:
            raise ValueError(
                f"batch_size={self.batch_size} is above num_envs * n_steps = {rollout}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as JSON can hold it."""
        return json.loads(json.dumps(asdict(self), default=str))  # type: ignore[no-any-return]

    def of_ppo(self) -> dict[str, Any]:
        """Return the arguments that every kind of PPO takes here."""
        return {
            "learning_rate": LinearSchedule(self.learning_rate, 0.0, 1.0),
            "n_steps": self.n_steps,
            "batch_size": self.batch_size,
            "n_epochs": self.n_epochs,
            "gamma": self.gamma,
            "gae_lambda": self.gae_lambda,
            "clip_range": self.clip_range,
            "ent_coef": self.ent_coef,
            "stats_window_size": 10_000,
            "seed": self.seed,
            "device": "cpu",
        }
