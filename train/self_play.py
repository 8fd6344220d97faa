"""Train all seats by self-play with sb3-contrib's MaskablePPO: ``python -m train.self_play``.

One policy learns to play every seat, the banker's too. Each table has one learner, on a seat that
goes round, and all others there are one member of a pool: the learner's present self, a frozen past
one, or a baseline; those that still win are met more often. The pool's pay-offs are logged as
``pool/NAME``, what the learner wins against a member in a session, in least stakes.

A checkpoint holds the pool too. `train.run` says what else the run's folder holds, and how a run is
stopped and resumed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from agents.registry import make_agent
from agents.saved_policy import PolicyEncoding, PolicySettings
from pontoon_env.agent import check_agent
from pontoon_env.opponents import opponent_number
from pontoon_env.seating import Role
from train.learner_state import policy_tensors
from train.maskable_ppo import make_model
from train.pool import Pool, PoolVecEnv
from train.run import Progress, run, run_command
from train.sb3_vec_env import PontoonVecEnv
from train.settings import Preset, SharedSettings
from train.teacher import TaughtPPO, Teacher


@dataclass(frozen=True, kw_only=True)
class Settings(SharedSettings):
    """Settings of a training run."""

    out: Path = Path("runs/self_play")
    """Folder of the run; it must be new, or hold the run that is to be resumed."""
    preset: Preset = "pontoon"
    """Which rules to start from."""
    role: Role = "any"
    """Where the learner sits when a session begins: player, banker or any."""
    opponents: Annotated[str, tyro.conf.Suppress] = "pool"
    """What the saved policy says it was trained against; nothing else can be chosen."""
    banker_opponent: Annotated[str | None, tyro.conf.Suppress] = None
    """None: the pool plays all roles."""
    baselines: tuple[str, ...] = ("basic", "bayes", "counter", "bold", "stick17")
    """Compiled agents in the pool."""
    n_past: int = 6
    """Past selves that the pool keeps."""
    self_share: float = 0.5
    """Part of the tables whose learner meets its present self."""
    past_share: float = 0.25
    """Part of the tables whose learner meets a past self, or its present one until there is one;
    the others meet baselines."""
    freeze_every: int = 500_000
    """Decisions of the learner between two past selves."""
    teacher: str | None = None
    """Agent that the learner imitates at first, as train.teacher says; None: it learns by itself
    from the beginning."""
    taught: int = 0
    """Decisions of the learner that the teacher is asked about; it meets only baselines so long."""
    taught_learning_rate: float = 3e-3
    """While it is taught: at the start; it falls linearly to zero, and then learning_rate does."""

    def check(self) -> None:
        """Check the numbers that no library checks; see `SharedSettings.check`."""
        super().check()
        for name, kept in (("opponents", "pool"), ("banker_opponent", None)):
            if getattr(self, name) != kept:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} cannot be chosen in self-play: the pool sits "
                    "on the other seats; --baselines names the agents in it"
                )
        for name in self.baselines:
            try:
                opponent_number(name)
            except ValueError as error:
                raise ValueError(f"baselines: {error}") from error
        if len(set(self.baselines)) < len(self.baselines):
            raise ValueError(f"baselines={self.baselines} must each be named once")
        if self.n_past < 0 or self.freeze_every < 1:
            raise ValueError(
                f"n_past={self.n_past} must be 0 or more and "
                f"freeze_every={self.freeze_every} 1 or more"
            )
        if not 0 <= self.taught < self.timesteps or (self.taught > 0) != (self.teacher is not None):
            raise ValueError(
                f"teacher={self.teacher!r} and taught={self.taught} go together: an agent, and how "
                f"many of the {self.timesteps} decisions it is asked about, or neither"
            )
        if not 0 < self.taught_learning_rate < np.inf:
            raise ValueError(f"taught_learning_rate={self.taught_learning_rate} must be above 0")
        own, past = self.self_share, self.past_share
        if not (own >= 0 and past >= 0 and own + past <= 1):
            raise ValueError(
                f"self_share={own} and past_share={past} must be 0 or more and 1 or less together"
            )


@dataclass(frozen=True)
class FallingTwice:
    """A learning rate that falls linearly to zero while there is a teacher, and again after it."""

    taught_rate: float
    rate: float
    taught: float
    """Part of the training that has a teacher, below 1."""

    def __call__(self, progress_remaining: float) -> float:
        """Return the rate, for the part of the training that is left."""
        done = 1.0 - progress_remaining
        if done < self.taught:
            return self.taught_rate * (1.0 - done / self.taught)
        return self.rate * progress_remaining / (1.0 - self.taught)


def make_pool(settings: Settings) -> Pool:
    """Return the pool of a run, without any network."""
    described = PolicySettings(
        rules=settings.table_rules(),
        role=settings.role,
        opponents=settings.opponents,
        banker_opponent=None,
        seed=settings.seed,
        timesteps=0,
        training={},
        algorithm="self_play",
        encoding="discrete",
        memory=settings.memory,
        plays="drawn",
    )
    shares = settings.self_share, settings.past_share
    return Pool(described, settings.baselines, settings.n_past, shares, settings.seed)


def make_tables(
    settings: Settings, pool: Pool, encoding: PolicyEncoding = "discrete"
) -> PoolVecEnv:
    """Return tables whose learners meet a pool, and have a teacher if there is one.

    Raises:
        ImportError: The teacher needs a library that is not installed.
        ValueError: It is unknown, or cannot play by the rules.
    """
    tables = PoolVecEnv(
        pool,
        settings.num_envs,
        settings.table_rules(),
        settings.role,
        reward_scale=settings.reward_scale,
        seed=settings.seed,
        memory=settings.memory,
        encoding=encoding,
    )
    if settings.teacher is not None:
        agent = make_agent(settings.teacher)
        check_agent(agent, tables.rules)
        tables.teacher = Teacher(agent, tables.tables)
    return tables


def train(settings: Settings, progress: Progress | None = None) -> Path:
    """Train a policy and return the folder that holds it; see `train.run.run`."""
    settings.check()
    pool = make_pool(settings)

    def make_env(_: Settings, encoding: PolicyEncoding) -> PoolVecEnv:
        return make_tables(settings, pool, encoding)

    def make_player(_: Settings, tables: PontoonVecEnv) -> MaskablePPO:
        model = make_model(settings, tables, TaughtPPO)
        pool.renew(policy_tensors(model.policy))
        assert isinstance(model, TaughtPPO), "as it was asked for"
        assert isinstance(tables, PoolVecEnv), "as make_env made them"
        model.teacher = tables.teacher
        if settings.teacher is not None:
            rates = settings.taught_learning_rate, settings.learning_rate
            model.lr_schedule = FallingTwice(*rates, settings.taught / settings.timesteps)
            # Adam has seen whole gradients while it was taught: clipped ones would move nothing.
            model.max_grad_norm = np.inf
        return model

    def renew(model: OnPolicyAlgorithm) -> None:
        if isinstance(model, TaughtPPO) and model.teacher is not None:
            pool.is_only_baselines = model.num_timesteps < settings.taught
            model.teacher.is_teaching = pool.is_only_baselines
        pool.renew(policy_tensors(model.policy))
        rollout = settings.num_envs * settings.n_steps
        if model.num_timesteps % settings.freeze_every < rollout <= model.num_timesteps:
            pool.freeze()
        for name, payoff in zip(pool.names, pool.payoffs(), strict=True):
            model.logger.record(f"pool/{name}", payoff)

    return run(
        settings,
        "self_play",
        "discrete",
        make_player,
        progress,
        make_env=make_env,
        before_rollout=renew,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run_command(Settings, train, "train.self_play", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
