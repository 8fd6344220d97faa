"""Train a seat that remembers with sb3-contrib's RecurrentPPO: ``python -m train.recurrent_ppo``.

An LSTM carries what the learner has seen from decision to decision, over all deals of a session:
in a pack that is not shuffled between deals, cards that are gone tell of those to come. Its actions
are hybrid, as those of `train.hybrid_ppo`, or discrete; either way the mask travels in the
observation. `train.run` says what the run's folder holds, and how a run is stopped and resumed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import RecurrentPPO
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from torch import Tensor, nn

from agents.saved_policy import PolicyEncoding
from pontoon_env.actions import N_DISCRETE
from train.at_stake import AtStake, RecurrentBuffer
from train.hybrid_ppo import MaskedPolicy, policy_arguments
from train.run import Progress, make_tables, run, run_command
from train.sb3_vec_env import PontoonVecEnv
from train.settings import Preset, SharedSettings


@dataclass(frozen=True, kw_only=True)
class Settings(SharedSettings):
    """Settings of a training run."""

    out: Path = Path("runs/recurrent_ppo")
    """Folder of the run; it must be new, or hold the run that is to be resumed."""
    preset: Preset = "pontoon"
    """Which rules to start from."""
    num_envs: int = 256
    """Tables played at once."""
    n_steps: int = 64
    """Decisions at each table between two updates; gradients go back no further than these."""
    encoding: PolicyEncoding = "hybrid"
    """How it acts: a move and any amount (hybrid), or one of a few named amounts (discrete)."""
    lstm_size: int = 64
    """Hidden units of the policy's LSTM, and of the value function's beside it."""

    def check(self) -> None:
        """Check the numbers that no library checks; see `SharedSettings.check`."""
        super().check()
        if self.lstm_size < 1:
            raise ValueError(f"lstm_size={self.lstm_size} must be 1 or more")


class MaskedTables(PontoonVecEnv):
    """Tables of the discrete encoding whose masks are in the observations, as in the hybrid one.

    Observations are a dict of ``observation`` and of ``action_mask``, int8 ``(num_envs,
    N_DISCRETE)``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        masks = spaces.Box(0, 1, (N_DISCRETE,), np.int8)
        self.observation_space = spaces.Dict(
            {"observation": self.observation_space, "action_mask": masks}
        )

    def _observed(self) -> dict[str, NDArray[Any]]:
        masks = self.tables.masks.copy()  # the next step overwrites them
        return {"observation": self.tables.observations, "action_mask": masks}


class RecurrentMaskedPolicy(MaskedPolicy, RecurrentActorCriticPolicy):
    """A `MaskedPolicy` with an LSTM before its layers."""

    @staticmethod
    def _process_sequence(
        features: Tensor,
        lstm_states: tuple[Tensor, Tensor],
        episode_starts: Tensor,
        lstm: nn.LSTM,
    ) -> tuple[Tensor, Tensor]:
        """Run sequences through the LSTM; see `RecurrentActorCriticPolicy`.

        Where an episode starts, the rollout buffer starts a sequence. So states are reset before
        the first step alone, and all steps are one call, several times as fast as one by one.
        """
        n_sequences = lstm_states[0].shape[1]
        starts = episode_starts.reshape(n_sequences, -1)
        assert not starts[:, 1:].any(), "an episode starts within a sequence"
        kept = (1.0 - starts[:, 0]).view(1, n_sequences, 1)
        hidden, cell = lstm_states
        return RecurrentActorCriticPolicy._process_sequence(
            features, (kept * hidden, kept * cell), torch.zeros_like(episode_starts), lstm
        )


def make_env(settings: Settings, encoding: PolicyEncoding) -> PontoonVecEnv:
    """Return tables whose observations carry the mask."""
    return make_tables(settings, encoding, PontoonVecEnv if encoding == "hybrid" else MaskedTables)


def make_model(settings: Settings, tables: PontoonVecEnv) -> RecurrentPPO:
    """Return an untrained model."""
    at_stake = AtStake(tables.rules)
    arguments = policy_arguments(settings, at_stake)
    model = RecurrentPPO(
        RecurrentMaskedPolicy,
        tables,
        policy_kwargs={**arguments, "lstm_hidden_size": settings.lstm_size},
        **settings.of_ppo(),
    )
    buffer: Any = model.rollout_buffer
    model.rollout_buffer = RecurrentBuffer(  # RecurrentPPO takes no class for it
        model.n_steps,
        model.observation_space,
        model.action_space,
        buffer.hidden_state_shape,
        device=model.device,
        gamma=model.gamma,
        gae_lambda=model.gae_lambda,
        n_envs=model.n_envs,
        at_stake=at_stake,
    )
    return model


def train(settings: Settings, progress: Progress | None = None) -> Path:
    """Train a policy and return the folder that holds it; see `train.run.run`."""
    return run(
        settings, "recurrent_ppo", settings.encoding, make_model, progress, make_env=make_env
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run_command(Settings, train, "train.recurrent_ppo", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
