"""Pontoon for PettingZoo, version 0: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

import os
from typing import Any, TypedDict, Unpack

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from pontoon_env.actions import Encoding
from pontoon_env.aec import PontoonAECEnv
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


def parallel_env(**settings: Unpack[Settings]) -> ParallelEnv[str, Any, Any]:
    """Return the environment with all agents called at once; only the mover's action counts."""
    parallel: ParallelEnv[str, Any, Any] = turn_based_aec_to_parallel(PontoonAECEnv(**settings))
    return parallel
