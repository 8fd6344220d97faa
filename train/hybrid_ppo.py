"""Train a seat on moves and amounts with PPO: ``python -m train.hybrid_ppo``.

The learner chooses a legal move and, where that takes one, any amount of its interval: a masked
categorical distribution of the move, and a Beta distribution of the amount's fraction. The mask
travels in the observation, so that Stable-Baselines3's own PPO learns it through a policy class.
`train.run` says what the run's folder holds, and how a run is stopped and resumed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.distributions import CategoricalDistribution, Distribution
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor
from torch.distributions import Beta
from torch.nn.functional import softplus

from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES
from train.at_stake import INPUT_SCALE, AtStake, DictBuffer, ValuesAtStake
from train.run import Progress, run, run_command
from train.sb3_vec_env import PontoonVecEnv
from train.settings import SharedSettings

_ILLEGAL: Final = -1e8
"""Logit of what is illegal: its chance is exactly 0, and no infinity spoils the entropy."""
_EDGE: Final = 1e-6
"""Fractions stay this far from 0 and 1, where the logarithm of their density may be infinite."""


@dataclass(frozen=True, kw_only=True)
class Settings(SharedSettings):
    """Settings of a training run."""

    out: Path = Path("runs/hybrid_ppo")
    """Folder of the run; it must be new, or hold the run that is to be resumed."""


class MaskApart(BaseFeaturesExtractor):
    """Gives a network the observation times `INPUT_SCALE`, and keeps the mask that came with it."""

    masks: Tensor
    """Of the observations last seen, float32 ``(n, choices)``."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        seen = observation_space["observation"].shape
        assert seen is not None, "a flat observation"
        super().__init__(observation_space, features_dim=seen[0])

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """Return the scaled observations, float32 ``(n, observation_size)``."""
        self.masks = observations["action_mask"]
        return observations["observation"] * INPUT_SCALE


class HybridDistribution(CategoricalDistribution):
    """Of a move and a fraction: pi(move, fraction) = pi(move) Beta(fraction).

    A network's outputs are the logits of the moves and two more numbers (a, b): alpha = 1 +
    softplus(a) and beta = 1 + softplus(b), so that the density is bounded and has one peak. Of a
    move that takes no amount the fraction is drawn too, but has no part in probability or entropy.
    Actions are float32 ``(n, 2)``: the number of the move, and the fraction.
    """

    def __init__(self) -> None:
        super().__init__(action_dim=N_MOVES + 2)

    def proba_distribution(self, action_logits: Tensor) -> Self:
        """Read the outputs of a network, ``(n, N_MOVES + 2)``, with logits of illegal moves low."""
        self.log_chances = action_logits[:, :N_MOVES].log_softmax(dim=1)
        self.chances = self.log_chances.exp()
        self.above_one = softplus(action_logits[:, N_MOVES:])  # columns alpha - 1 and beta - 1
        parameters = 1.0 + self.above_one
        self.total = parameters.sum(dim=1)
        self.log_norm = parameters.lgamma().sum(dim=1) - self.total.lgamma()
        return self

    def log_prob(self, actions: Tensor) -> Tensor:
        """Return the logarithm of the density of each action, ``(n,)``."""
        moves = actions[:, :1].long()
        fractions = actions[:, 1].clamp(_EDGE, 1.0 - _EDGE)
        logs = torch.stack([fractions.log(), torch.log1p(-fractions)], dim=1)
        of_amount = (self.above_one * logs).sum(dim=1) - self.log_norm
        of_move = self.log_chances.gather(1, moves)[:, 0]
        return of_move + torch.where(moves[:, 0] < N_AMOUNT_MOVES, of_amount, 0.0)

    def entropy(self) -> Tensor:
        """Return the entropy of each row, ``(n,)``: of the move, and of the amount where it counts.

        That of an amount is a differential one: 0 where all fractions are alike, else below.
        """
        of_move = -(self.chances * self.log_chances).sum(dim=1)
        parameters = 1.0 + self.above_one
        spread = (self.above_one * parameters.digamma()).sum(dim=1)
        of_amount = self.log_norm - spread + (self.total - 2.0) * self.total.digamma()
        return of_move + self.chances[:, :N_AMOUNT_MOVES].sum(dim=1) * of_amount

    def sample(self) -> Tensor:
        """Return drawn actions."""
        moves = torch.multinomial(self.chances, 1)
        alpha, beta = (1.0 + self.above_one).unbind(dim=1)
        fractions = Beta(alpha, beta).sample().clamp(_EDGE, 1.0 - _EDGE)
        return torch.stack([moves[:, 0].float(), fractions], dim=1)

    def mode(self) -> Tensor:
        """Return the likeliest move of each row, with the likeliest fraction."""
        moves = self.log_chances.argmax(dim=1)
        alpha_less_one, beta_less_one = self.above_one.clamp(min=_EDGE).unbind(dim=1)
        fractions = alpha_less_one / (alpha_less_one + beta_less_one)
        return torch.stack([moves.float(), fractions], dim=1)


class MaskedPolicy(ValuesAtStake, ActorCriticPolicy):
    """A policy that gives what is illegal no chance, as the mask in its observations says.

    Its actions are hybrid where their space is a `spaces.Box`, else discrete. It needs `MaskApart`
    for its features.
    """

    features_extractor: MaskApart

    def _build(self, lr_schedule: Schedule) -> None:
        if isinstance(self.action_space, spaces.Box):
            self.action_dist = HybridDistribution()
        super()._build(lr_schedule)

    def _get_action_dist_from_latent(self, latent_pi: Tensor) -> Distribution:
        masks = self.features_extractor.masks
        outputs = self.action_net(latent_pi)
        n_choices = masks.shape[1]
        logits = outputs[:, :n_choices].masked_fill(masks == 0, _ILLEGAL)
        outputs = torch.cat([logits, outputs[:, n_choices:]], dim=1)
        assert isinstance(self.action_dist, CategoricalDistribution), "of discrete choices"
        return self.action_dist.proba_distribution(outputs)


def policy_arguments(settings: SharedSettings, at_stake: AtStake) -> dict[str, Any]:
    """Return how a `MaskedPolicy` is built."""
    return {
        "net_arch": list(settings.net_arch),
        "features_extractor_class": MaskApart,
        "at_stake": at_stake,
    }


def make_model(settings: Settings, tables: PontoonVecEnv) -> PPO:
    """Return an untrained model."""
    at_stake = AtStake(tables.rules)
    return PPO(
        MaskedPolicy,
        tables,
        policy_kwargs=policy_arguments(settings, at_stake),
        rollout_buffer_class=DictBuffer,
        rollout_buffer_kwargs={"at_stake": at_stake},
        **settings.of_ppo(),
    )


def train(settings: Settings, progress: Progress | None = None) -> Path:
    """Train a policy and return the folder that holds it; see `train.run.run`."""
    return run(settings, "hybrid_ppo", "hybrid", make_model, progress)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run_command(Settings, train, "train.hybrid_ppo", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
