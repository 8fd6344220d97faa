"""Learn in units of what is at stake, deal by deal.

A hand staked at ten wins and loses ten times what the same hand does at one. Left as they are,
advantages of large bets drown those of small ones, and the value function spends itself on the
former: a learner then finds a hand worthless that it plays badly, stakes little on it, and never
learns to play it. So advantages and values are divided by what is at stake. It does not change
which choice is best in a state, for it is the same for all of them.

At stake, for a player, is what lies on its own hands, shoot bets too; for the banker, what lies on
all others'. It is the largest stake before there is any; and at least that where the bank may
change hands or a kitty goes on, since what is to come is at stake there too. It is read off the
observation.

What later deals bring has little to do with how a hand is played, but far more spread. So
generalised advantage estimation ends with each deal. Where the bank may change hands or a kitty
goes on, it ends in `AHEAD` of the value of the next deal's beginning: what the bank is worth is
learned there.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.recurrent.buffers import RecurrentDictRolloutBuffer
from stable_baselines3.common.buffers import DictRolloutBuffer
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from pontoon_env.observation import layout
from pontoon_env.rules import Rules

INPUT_SCALE: Final = 16.0
"""Observations are multiplied by it on their way into a network. They are scaled to about one, and
a point of a hand is a 21st: with steps so small, weights take long to tell 16 from 17."""

AHEAD: Final = 0.9
"""What the value of the next deal's beginning counts for at the end of a deal. At 1, a network's
errors add up over the deals of a session, and its values run away."""

_Numbers = TypeVar("_Numbers", NDArray[np.float32], Tensor)


class AtStake:
    """Tells what is at stake in observations of some rules."""

    ahead: NDArray[np.float32]
    """``(n,)``: `deals_left` of the states whose values were predicted last."""

    def __init__(self, rules: Rules) -> None:
        """Find the places of the observation that tell it."""
        own: list[int] = []
        others: list[int] = []
        for part in layout(rules):
            seat, _, name = part.name.partition(".hand_")
            if name.endswith((".stake", ".bet")):
                (own if seat == "seat_0" else others).append(part.start)
            elif part.name == "seat_0.is_banker":
                self._is_banker = part.start
            elif part.name == "deals_left":
                self._deals_left = part.start
        self._own = own
        self._others = others
        self._largest_stake = rules.max_stake / rules.min_stake
        changes_hands = rules.bank_sale or rules.bank_passes != "never"
        self.ties_deals = rules.deals > 1 and (rules.shoot or changes_hands)
        """Whether what is decided in one deal is paid for in another."""

    def of(self, observations: _Numbers) -> _Numbers:
        """Return what is at stake, in least stakes and above 0, for observations ``(…, size)``."""
        own = observations[..., self._own].sum(-1)
        others = observations[..., self._others].sum(-1)
        is_banker = observations[..., self._is_banker]
        largest_stakes = own + is_banker * (others - own)
        if self.ties_deals:
            largest_stakes = largest_stakes.clip(1.0)
        units: _Numbers = (largest_stakes + (largest_stakes == 0)) * self._largest_stake
        return units

    def deals_left(self, observations: _Numbers) -> _Numbers:
        """Return what tells one deal of a session from another, for ``(…, size)``."""
        left: _Numbers = observations[..., self._deals_left]
        return left


class ScaledInputs(BaseFeaturesExtractor):
    """Gives a network the observation times `INPUT_SCALE`."""

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, features_dim=observation_space.shape[0])

    def forward(self, observations: Tensor) -> Tensor:
        """Return the scaled observations, float32 ``(n, observation_size)``."""
        return observations * INPUT_SCALE


class ValuesAtStake:
    """Mixin of SB3's policies: the value network tells values in units of what is at stake.

    Where deals are tied, a second output tells of what is to come after this one, in least stakes.
    In rollouts values are in least stakes, as rewards are; in updates, where `AdvantagesAtStake`
    has divided the returns, they are in units.
    """

    at_stake: AtStake

    def __init__(self, *args: Any, at_stake: AtStake, **kwargs: Any) -> None:
        self.at_stake = at_stake
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        policy: Any = self
        super()._build(lr_schedule)  # type: ignore[misc]
        if not self.at_stake.ties_deals:
            return
        policy.value_net = nn.Linear(policy.value_net.in_features, 2)
        nn.init.zeros_(policy.value_net.bias)
        policy.optimizer = policy.optimizer_class(
            policy.parameters(), lr=lr_schedule(1), **policy.optimizer_kwargs
        )

    def forward(self, obs: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return what the policy does, its values in least stakes, ``(n, 1)``."""
        actions, parts, *rest = super().forward(obs, *args, **kwargs)  # type: ignore[misc]
        return actions, self._units(obs) * self._value(obs, parts), *rest

    def predict_values(self, obs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """Return the values in least stakes, ``(n, 1)``; at a rollout's end, of what follows it."""
        self.at_stake.ahead = self.at_stake.deals_left(_flat(obs)).numpy(force=True)
        parts = super().predict_values(obs, *args, **kwargs)  # type: ignore[misc]
        return self._units(obs) * self._value(obs, parts)

    def evaluate_actions(self, obs: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return what the policy does, its values in units, ``(n, 1)``."""
        parts, *rest = super().evaluate_actions(obs, *args, **kwargs)  # type: ignore[misc]
        return self._value(obs, parts), *rest

    def _value(self, obs: Any, parts: Tensor) -> Tensor:
        """Return values in units, ``(n, 1)``, of the network's outputs, ``(n, 1 or 2)``."""
        if not self.at_stake.ties_deals:
            return parts
        return parts[:, :1] + parts[:, 1:] / self._units(obs)

    def _units(self, obs: Any) -> Tensor:
        """Return what is at stake, ``(n, 1)``."""
        units: Tensor = self.at_stake.of(_flat(obs))
        return units[:, None]


class AdvantagesAtStake:
    """Mixin of SB3's rollout buffers: what is learned from is divided by what is at stake."""

    def __init__(self, *args: Any, at_stake: AtStake, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at_stake = at_stake

    def compute_returns_and_advantage(self, last_values: Tensor, dones: NDArray[np.bool_]) -> None:
        """Fill in advantages and returns, in units, and put the values into units too.

        Args:
            last_values: Of the states after the last step, ``(n, 1)``.
            dones: Whether the last step ended a session, ``(n,)``.
        """
        buffer: Any = self
        observations = _flat(buffer.observations)
        values = np.concatenate([buffer.values, last_values.numpy(force=True).reshape(1, -1)])
        goes_on = 1.0 - np.concatenate([buffer.episode_starts[1:], dones[None]])
        left = self.at_stake.deals_left(observations)
        same_deal = goes_on * (left == np.concatenate([left[1:], self.at_stake.ahead[None]]))
        ahead = AHEAD if self.at_stake.ties_deals else 0.0
        counts_next = same_deal + ahead * (goes_on - same_deal)
        errors = buffer.rewards + buffer.gamma * values[1:] * counts_next - values[:-1]
        decay = buffer.gamma * buffer.gae_lambda * same_deal
        advantage = np.zeros(buffer.n_envs, np.float32)
        for step in reversed(range(buffer.buffer_size)):
            advantage = errors[step] + decay[step] * advantage
            buffer.advantages[step] = advantage
        units = self.at_stake.of(observations)
        buffer.advantages /= units
        buffer.values /= units
        buffer.returns = buffer.advantages + buffer.values


class MaskableBuffer(AdvantagesAtStake, MaskableRolloutBuffer):
    """Of MaskablePPO."""


class DictBuffer(AdvantagesAtStake, DictRolloutBuffer):
    """Of PPO, where the mask is in the observation."""


class RecurrentBuffer(AdvantagesAtStake, RecurrentDictRolloutBuffer):
    """Of RecurrentPPO, where the mask is in the observation."""


def _flat(observations: Any) -> Any:
    """Return the flat part of observations that may carry their mask."""
    return observations["observation"] if isinstance(observations, dict) else observations
