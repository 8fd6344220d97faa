"""Agents that are not compiled into the package, by name: entry points, and ``module:Class``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pontoon_env.agent import AnyAgent, checked_agent
from pontoon_env.opponents import OPPONENTS

GROUP: Final = "pontoon_env.agents"
"""The entry point group in which packages offer agents, or what makes them when called."""
OF_A_CHECKOUT: Final = "agents"
"""The package of this project's agents that the wheel names and does not hold."""


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
        package = offered[spec].module.partition(".")[0]
        if package == OF_A_CHECKOUT and importlib.util.find_spec(package) is None:
            raise ValueError(
                f"{spec!r} is played by the folder {package}, which a checkout of pontoon-env has "
                "and the installed package has not"
            )
        return _made(spec, offered[spec].load)
    module, colon, name = spec.partition(":")
    if colon and module and not module.startswith(".") and name.isidentifier():
        return _made(spec, lambda: getattr(_module(module), name))
    names = ", ".join((*OPPONENTS, *sorted(offered)))
    raise ValueError(f"no agent is called {spec!r}: there are {names}; module:Class names others")


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
        made = find_class()()
    except (Exception, SystemExit) as error:
        raise ValueError(f"{spec!r} gives no agent: {type(error).__name__}: {error}") from error
    try:
        return checked_agent(made)
    except TypeError as error:
        raise ValueError(f"{spec!r} is no agent: {error}") from error
