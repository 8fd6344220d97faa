"""Pontoon for RLlib: masked moves with any amount for its PPO, and its policies as saved policies.

RLlib reads no masks, and gives every move an amount. So `MaskedModule` masks the logits by what it
observes, and `HybridDistribution` counts an amount only where the move takes one. The policy's
network is one that a saved policy can hold: what `export` writes is an agent for all that plays.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchDistribution
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from torch import Tensor, nn
from torch.distributions import Beta, Categorical, kl_divergence
from torch.nn.functional import softplus

from agents.saved_policy import PolicySettings, SavedPolicy, load_policy, save_policy
from pontoon_env import Rules, pontoon_v0
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES

HIDDEN: Final = (64, 64)
INPUT_SCALE: Final = 16.0
"""A point of a hand is a 21st of an input: with steps so small, weights take long to tell it."""
EDGE: Final = 1e-6
"""Fractions stay this far from 0 and 1, where the logarithm of their density may be infinite."""
ILLEGAL: Final = -1e8
"""Logit of what is illegal: its chance is exactly 0."""


class AllSeats(PettingZooEnv):  # type: ignore[misc]  # RLlib has no types
    """A table whose seats all learn."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(pontoon_v0.env(**settings))


class HybridDistribution(TorchDistribution):  # type: ignore[misc]
    """Of a move, and of the fraction that is its amount where it takes one.

    Its inputs are the logits of the moves and two more numbers (a, b) of a Beta distribution, with
    alpha = 1 + softplus(a) and beta = 1 + softplus(b).
    """

    moves: Any  # PyTorch's distributions are typed in part
    amounts: Any
    above_one: Tensor
    """alpha - 1 and beta - 1, ``(n, 2)``."""
    chance: Tensor
    """That the move takes an amount, ``(n,)``."""

    def _get_torch_distribution(self, logits: Tensor) -> Categorical:
        self.above_one = softplus(logits[..., N_MOVES:])
        alpha, beta = (1 + self.above_one).unbind(-1)
        self.amounts = Beta(alpha, beta, validate_args=False)
        moves = Categorical(logits=logits[..., :N_MOVES], validate_args=False)
        self.moves = moves
        self.chance = moves.probs[..., :N_AMOUNT_MOVES].sum(-1)
        return moves

    def sample(self, *, sample_shape: Any = ()) -> dict[str, Tensor]:
        amounts = self.amounts.sample(sample_shape).clamp(EDGE, 1 - EDGE)
        return {"amount": amounts, "move": self.moves.sample(sample_shape)}

    def logp(self, value: dict[str, Tensor], **_: Any) -> Tensor:
        fractions = value["amount"].float().clamp(EDGE, 1 - EDGE)
        of_moves: Tensor = self.moves.log_prob(value["move"])
        takes_amount = value["move"] < N_AMOUNT_MOVES
        return of_moves + torch.where(takes_amount, self.amounts.log_prob(fractions), 0.0)

    def entropy(self, **_: Any) -> Tensor:
        entropy: Tensor = self.moves.entropy() + self.chance * self.amounts.entropy()
        return entropy

    def kl(self, other: HybridDistribution, **_: Any) -> Tensor:
        of_amounts = kl_divergence(self.amounts, other.amounts)
        return kl_divergence(self.moves, other.moves) + self.chance * of_amounts

    def to_deterministic(self) -> Likeliest:
        return Likeliest(self)

    @staticmethod
    def required_input_dim(*_: Any, **__: Any) -> int:
        return N_MOVES + 2


class Likeliest:
    """The likeliest move of a distribution, with the likeliest fraction."""

    def __init__(self, distribution: HybridDistribution) -> None:
        alpha_less_one, beta_less_one = distribution.above_one.clamp(min=EDGE).unbind(-1)
        self.amounts = alpha_less_one / (alpha_less_one + beta_less_one)
        self.moves = distribution.moves.logits.argmax(-1)

    def sample(self) -> dict[str, Tensor]:
        return {"amount": self.amounts, "move": self.moves}

    def logp(self, value: dict[str, Tensor]) -> Tensor:
        return torch.zeros_like(self.amounts)


class MaskedModule(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):  # type: ignore[misc]
    """A policy's network, its tensors named as a saved policy's, and one of values beside it."""

    def setup(self) -> None:
        self.action_dist_cls = HybridDistribution
        sizes = [self.observation_space["observation"].shape[0], *HIDDEN]
        pairs = list(pairwise(sizes))
        self.hidden = nn.ModuleList(nn.Linear(*pair) for pair in pairs)
        self.head = nn.Linear(sizes[-1], N_MOVES + 2)
        nn.init.normal_(self.head.weight, std=0.01)  # all that is legal is about as likely at first
        layers = [layer for pair in pairs for layer in (nn.Linear(*pair), nn.Tanh())]
        self.value = nn.Sequential(*layers, nn.Linear(sizes[-1], 1))

    def get_non_inference_attributes(self) -> list[str]:
        return ["value"]

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        seen, legal = (batch[Columns.OBS][name] for name in ("observation", "action_mask"))
        inner = seen * INPUT_SCALE
        for layer in self.hidden:
            inner = layer(inner).tanh()
        outputs = self.head(inner)
        logits = outputs[..., :N_MOVES].masked_fill(legal == 0, ILLEGAL)
        return {Columns.ACTION_DIST_INPUTS: torch.cat([logits, outputs[..., N_MOVES:]], dim=-1)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        values: Tensor = self.value(batch[Columns.OBS]["observation"] * INPUT_SCALE)
        return values[..., 0]


def make_config(
    rules: Rules, opponents: str = "", num_env_runners: int = 0, num_envs: int = 32
) -> PPOConfig:
    """Return how one policy learns all seats, or one seat where its opponents are named.

    Args:
        rules: Of the tables.
        opponents: Name of the agent on the other seats, such as ``stick17``; none where empty.
        num_env_runners: Processes that play, wherever the cluster has a core; 0 plays in this one.
        num_envs: Tables of each.
    """
    config = (
        PPOConfig()
        .env_runners(num_env_runners=num_env_runners, num_envs_per_env_runner=num_envs)
        .rl_module(rl_module_spec=RLModuleSpec(MaskedModule))
        .training(
            train_batch_size_per_learner=2048,
            minibatch_size=512,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.02,
            use_kl_loss=False,
            clip_param=0.2,
            vf_clip_param=float("inf"),  # a deal wins or loses tens of least stakes
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=1, log_level="ERROR")
    )
    config.normalize_actions = False  # it would map amounts from -1 to 1 onto those from 0 to 1
    if opponents:
        settings = {"rules": rules, "opponents": opponents, "encoding": "hybrid"}
        return config.environment("pontoon_env:Pontoon-v0", env_config=settings)
    config.multi_agent(policies={"seats"}, policy_mapping_fn=lambda *_, **__: "seats")
    # RLlib's check of environments with many agents makes a random move, legal or not.
    return config.environment(AllSeats, env_config={"rules": rules}, disable_env_checking=True)


def policy_tensors(weights: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a saved policy of a module's weights; `INPUT_SCALE` is in the first."""
    tensors = {name: weights[name] for name in weights if not name.startswith("value.")}
    tensors["hidden.0.weight"] = tensors["hidden.0.weight"] * np.float32(INPUT_SCALE)
    return tensors


def export(algorithm: Algorithm, folder: Path, decisions: int = 0) -> SavedPolicy:
    """Write what has been learned as a saved policy, and return it as an agent.

    Args:
        algorithm: Of `make_config`.
        folder: Made where it is missing; a policy in it is replaced.
        decisions: How many it was trained on.
    """
    config = algorithm.config
    (weights,) = algorithm.learner_group.get_weights().values()
    settings = PolicySettings(
        rules=config.env_config["rules"],
        role="any" if config.is_multi_agent else "player",
        opponents=config.env_config.get("opponents", "self"),
        banker_opponent=None,
        seed=config.seed,
        timesteps=decisions,
        training={"ray": ray.__version__, "lr": config.lr, "batch": config.total_train_batch_size},
        algorithm="rllib_ppo",
        encoding="hybrid",
    )
    save_policy(folder, policy_tensors(weights), settings)
    return load_policy(folder)
