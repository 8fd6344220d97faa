"""Agents by name: ``basic``, ``module:Class``, an entry point, or the path of a saved policy."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from agents.baselines import BASELINES, Baseline
from agents.protocol import Agent

GROUP: Final = "pontoon_env.agents"
"""The entry point group in which other packages offer agents, or what makes them when called."""


def make_agent(spec: str) -> Agent:
    """Return the agent that ``spec`` names.

    Args:
        spec: The name of a baseline or of an entry point of `GROUP`; else ``module:Class``, which
            is called without arguments; else the folder of a saved policy.

    Raises:
        ValueError: There is no such agent, or what was found is none.
        ImportError: It needs a library that is not installed.
    """
    if spec in BASELINES:
        return Baseline(spec)
    offered = {point.name: point for point in entry_points(group=GROUP)}
    if spec in offered:
        return _checked(spec, offered[spec].load()())
    if Path(spec).is_dir():
        from agents.saved_policy import load_policy

        try:
            return load_policy(spec)
        except FileNotFoundError as error:
            raise ValueError(str(error)) from error
    module, colon, name = spec.partition(":")
    if colon and module and name.isidentifier():
        return _checked(spec, _load(spec, module, name)())
    names = ", ".join((*BASELINES, *sorted(offered)))
    raise ValueError(
        f"no agent is called {spec!r}: there are {names}; module:Class and the folder of a saved "
        "policy name others"
    )


def _load(spec: str, module: str, name: str) -> Any:
    """Return the attribute ``name`` of ``module``, looking in the working folder too."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, and needs one that is not
        raise ValueError(f"no agent is called {spec!r}: there is no module {module!r}") from error
    except AttributeError as error:
        raise ValueError(f"no agent is called {spec!r}: {error}") from error


def _checked(spec: str, agent: object) -> Agent:
    """Return ``agent`` where it is one."""
    if not isinstance(agent, Agent):
        raise ValueError(  # noqa: TRY004 -- the name is at fault, as for any that names no agent
            f"{spec!r} is no agent: {type(agent).__name__} lacks name, check_rules or act"
        )
    return agent
