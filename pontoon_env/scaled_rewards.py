"""Rewards for learners on the PettingZoo face: scaled, and clipped where that is asked for.

The faces with one learner need nothing of the kind: Gymnasium's own wrappers do it, single
(``gymnasium.wrappers.TransformReward``) and batched (``gymnasium.wrappers.vector``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from pontoon_env.arguments import is_nonnegative


class ScaledRewards(BaseWrapper[str, Any, Any]):
    """An AEC environment whose rewards are multiplied by ``scale`` and kept within ``±clip``.

    Every payment is scaled and clipped as it is made; `last` returns the sum of those since the
    agent's last action. Clipped rewards are not zero-sum. Results are measured without it.

    For agents that are called at once, hand it to
    ``pettingzoo.utils.conversions.turn_based_aec_to_parallel``.
    """

    def __init__(self, env: AECEnv[str, Any, Any], scale: float, clip: float | None = None) -> None:
        """Wrap an environment; its present session goes on, with rewards from here on.

        Args:
            env: The environment, such as ``pontoon_v0.env()``.
            scale: What a reward is multiplied by, above 0.
            clip: The largest absolute value of a reward then, above 0; None for no limit.

        Raises:
            ValueError: A number is out of its range.
        """
        super().__init__(env)
        for name, value in (("scale", scale), ("clip", clip)):
            if not (name == "clip" and value is None) and not (is_nonnegative(value) and value):
                raise ValueError(f"{name}={value!r} must be a number above 0")
        self.scale = float(scale)
        self.clip = None if clip is None else float(clip)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(getattr(env, "agents", ()), 0.0)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the environment, but none that begins with an underscore."""
        if name.startswith("_") or "env" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.env, name)

    @property
    def rewards(self) -> dict[str, float]:  # type: ignore[override]  # PettingZoo's is an attribute
        """What the last step paid each agent."""
        return {agent: self._scaled(reward) for agent, reward in self.env.rewards.items()}

    def _scaled(self, reward: float) -> float:
        """Return a reward for learners."""
        reward *= self.scale
        return reward if self.clip is None else min(max(reward, -self.clip), self.clip)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a session, as the environment does."""
        self.env.reset(seed=seed, options=options)
        self._cumulative_rewards = dict.fromkeys(self.env.agents, 0.0)

    def step(self, action: Any) -> None:
        """Make the decision of the agent to act, as the environment does."""
        agent = self.env.agent_selection
        self.env.step(action)
        delivered = self._cumulative_rewards
        self._cumulative_rewards = {
            name: (0.0 if name == agent else delivered.get(name, 0.0)) + reward
            for name, reward in self.rewards.items()
        }

    def clone(self) -> ScaledRewards:
        """Return an independent copy of wrapper, environment and game."""
        twin = ScaledRewards(self.env.clone(), self.scale, self.clip)  # type: ignore[attr-defined]
        twin._cumulative_rewards = self._cumulative_rewards.copy()
        return twin

    def get_state(self) -> dict[str, Any]:
        """Return the state of the environment, and what is still to be delivered here."""
        state: dict[str, Any] = self.env.get_state()  # type: ignore[attr-defined]
        return {**state, "scaled_rewards": self._cumulative_rewards.copy()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go back to what `get_state` returned.

        Raises:
            ValueError: It is no such state, or none of this wrapper; nothing has changed.
        """
        if not isinstance(state, Mapping) or "scaled_rewards" not in state:
            raise ValueError("this is no state of ScaledRewards: it has no scaled_rewards")
        delivered = dict(state["scaled_rewards"])
        self.env.set_state(state)  # type: ignore[attr-defined]
        self._cumulative_rewards = delivered
