"""Pontoon and Shoot Pontoon as a multi-agent reinforcement-learning environment.

Importing it registers the environment with Gymnasium and PettingZoo, and loads neither the engine
nor its compiler.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

import gymnasium
import pettingzoo

from pontoon_env.rules import Rules

if TYPE_CHECKING:
    from pontoon_env import pontoon_v0

__version__ = "0.1.0"
__all__ = ["Rules", "__version__", "pontoon_v0"]

gymnasium.register(
    "Pontoon-v0",
    entry_point="pontoon_env.gym_env:PontoonEnv",
    vector_entry_point="pontoon_env.vector_env:PontoonVectorEnv",
    order_enforce=False,  # it refuses a step before a reset itself, by the same class of error
)
pettingzoo.register("aec", "pontoon_env/pontoon-v0", "pontoon_env.pontoon_v0:env")
pettingzoo.register("parallel", "pontoon_env/pontoon-v0", "pontoon_env.pontoon_v0:parallel_env")


def __getattr__(name: str) -> ModuleType:
    """Import `pontoon_v0` when it is first asked for."""
    if name == "pontoon_v0":
        return importlib.import_module("pontoon_env.pontoon_v0")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
