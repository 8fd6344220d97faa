"""Agents that are not compiled into the package, by name: entry points, and ``module:Class``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pontoon_env.agent import Agent, AnyAgent, TableAgent
from pontoon_env.opponents import OPPONENTS

GROUP: Final = "pontoon_env.agents"
"""The entry point group in which packages offer agents, or what makes them when called."""


def find_agent(spec: str) -> AnyAgent:
    """Return the agent that ``spec`` names and that is not one of `pontoon_env.opponents`.

    Args:
        spec: The name of an entry point of `GROUP`; else ``module:Class``, which is called without
            arguments.

    Raises:
        ValueError: There is no such agent, what was found is none, or its code has failed.
    """
    offered = {point.name: point for point in entry_points(group=GROUP)}
    if spec in offered:
        return _made(spec, offered[spec].load)
    module, colon, name = spec.partition(":")
    if colon and module and not module.startswith(".") and name.isidentifier():
        return _made(spec, lambda: getattr(_module(module), name))
    names = ", ".join((*OPPONENTS, *sorted(offered)))
    raise ValueError(
        f"no agent is called {spec!r}: there are {names}; module:Class and the folder of a saved "
        "policy name others"
    )


def _module(name: str) -> ModuleType:
    """Return a module, looking for it in the working folder too."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


def _made(spec: str, find_class: Callable[[], Any]) -> AnyAgent:
    """Return an agent of the class that ``find_class`` returns.

    Raises:
        ValueError: What it makes is no agent, or the code of others, which may raise anything and
            even exit, has failed.
    """
    try:
        agent: AnyAgent = find_class()()
        is_agent, name = isinstance(agent, Agent | TableAgent), getattr(agent, "name", None)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{spec!r} gives no agent: {type(error).__name__}: {error}") from error
    if not is_agent:
        raise ValueError(
            f"{spec!r} is no agent: {type(agent).__name__} lacks name, check_rules or act (choose)"
        )
    if not isinstance(name, str) or not name:
        raise ValueError(f"{spec!r} is no agent: its name is {name!r}, not a text for tables")
    return agent
