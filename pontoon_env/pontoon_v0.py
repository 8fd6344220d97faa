"""Pontoon for PettingZoo, version 0: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from pontoon_env.actions import Encoding
from pontoon_env.aec import PontoonAECEnv
from pontoon_env.errors import NotResetError
from pontoon_env.rules import Rules
from pontoon_env.seating import OnIllegal

__all__ = ["env", "parallel_env", "raw_env"]


class Settings(TypedDict, total=False):
    """The settings of the environment, as `PontoonAECEnv` takes them."""

    rules: Rules | None
    encoding: Encoding
    on_illegal: OnIllegal
    illegal_penalty: float
    render_mode: str | None
    history: str | os.PathLike[str] | None
    memory: bool
    padded: bool
    information_state: bool


def env(**settings: Unpack[Settings]) -> PontoonAECEnv:
    """Return the environment, with settings as of `PontoonAECEnv`; it needs no stock wrappers."""
    return PontoonAECEnv(**settings)


raw_env = env
"""The same as `env`: its checks are part of it and cost next to nothing."""


class _AllAtOnce(turn_based_aec_to_parallel_wrapper[str, Any, Any]):
    """PettingZoo's converter, with words for calls that cannot be answered."""

    def step(self, actions: Any) -> Any:
        """Make the decision of the agent to act; the others' actions are not read.

        Raises:
            NotResetError: No session has begun.
            ValueError: The action of the agent to act is missing.
        """
        if not hasattr(self, "agents"):
            raise NotResetError("no session has begun: call reset() before step()")
        if not self.agents:
            return {}, {}, {}, {}, {}
        mover = self.aec_env.agent_selection
        if not isinstance(actions, Mapping) or mover not in actions:
            raise ValueError(
                f"{mover} is to act: actions must be a dict that has it, not {actions!r}"
            )
        return super().step(actions)  # type: ignore[no-untyped-call]  # PettingZoo's


def parallel_env(**settings: Unpack[Settings]) -> ParallelEnv[str, Any, Any]:
    """Return the environment with all agents called at once; only the mover's action counts."""
    return _AllAtOnce(PontoonAECEnv(**settings))
