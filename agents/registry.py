"""Agents by name: ``basic``, ``module:Class``, an entry point, or the path of a saved policy."""

from __future__ import annotations

from pathlib import Path

from agents.baselines import BASELINES, Baseline
from pontoon_env.agent import AnyAgent
from pontoon_env.agent_names import find_agent


def make_agent(spec: str) -> AnyAgent:
    """Return the agent that ``spec`` names.

    Args:
        spec: The name of a baseline, or the folder of a saved policy; else see
            `pontoon_env.agent_names.find_agent`.

    Raises:
        ValueError: There is no such agent, what was found is none, or its code has failed.
        ImportError: A saved policy needs a library that is not installed.
    """
    if spec in BASELINES:
        return Baseline(spec)
    if spec and Path(spec).is_dir():
        from agents.saved_policy import load_policy

        try:
            return load_policy(spec)
        except FileNotFoundError as error:
            raise ValueError(str(error)) from error
    try:
        return find_agent(spec)
    except ValueError as error:
        if str(error).startswith("no agent is called"):
            raise ValueError(f"{error}, and so does the folder of a saved policy") from None
        raise
