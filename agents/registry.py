"""Agents by name: ``basic``, ``module:Class``, an entry point, or the path of a saved policy."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from agents.baselines import BASELINES, Baseline
from agents.protocol import Agent, AnyAgent, TableAgent

GROUP: Final = "pontoon_env.agents"
"""The entry point group in which other packages offer agents, or what makes them when called."""
_EXACT: Final = {
    "exact": "agents.exact.players:ExactPlayer",
    "equilibrium": "agents.exact.equilibrium_agent:EquilibriumAgent",
}
"""Agents of exact play by name; their modules are loaded when one is asked for."""


def make_agent(spec: str) -> AnyAgent:
    """Return the agent that ``spec`` names.

    Args:
        spec: The name of a baseline, of exact play or of an entry point of `GROUP`; else
            ``module:Class``, which is called without arguments; else the folder of a saved policy.

    Raises:
        ValueError: There is no such agent, what was found is none, or its code has failed.
        ImportError: A saved policy needs a library that is not installed.
    """
    if spec in BASELINES:
        return Baseline(spec)
    spec = _EXACT.get(spec, spec)
    offered = {point.name: point for point in entry_points(group=GROUP)}
    if spec in offered:
        return _made(spec, offered[spec].load)
    if Path(spec).is_dir():
        from agents.saved_policy import load_policy

        try:
            return load_policy(spec)
        except FileNotFoundError as error:
            raise ValueError(str(error)) from error
    module, colon, name = spec.partition(":")
    if colon and module and not module.startswith(".") and name.isidentifier():
        return _made(spec, lambda: getattr(_module(module), name))
    names = ", ".join((*BASELINES, *_EXACT, *sorted(offered)))
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
