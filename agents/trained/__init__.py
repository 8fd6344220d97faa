"""Policies that come trained with a checkout: a folder each, named in every face and command.

A folder holds a saved policy (`agents.saved_policy`) and ``CARD.md``, which says how it was trained
and what it is worth. It is found by its name through an entry point of pyproject.toml: that of
``self-play-two`` is ``agents.trained:self_play_two``, what `__getattr__` returns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Final

from agents.saved_policy import SETTINGS_FILE, SavedPolicy, load_policy

FOLDER: Final = Path(__file__).parent
"""Where the policies are."""


def trained_policies() -> list[str]:
    """Return the names of all policies that come trained."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{SETTINGS_FILE}"))


def attribute_of(name: str) -> str:
    """Return the attribute of this module that the entry point of a policy names."""
    return name.replace("-", "_")


def __getattr__(attribute: str) -> Callable[[], SavedPolicy]:
    """Return what loads the policy that is named so, with underscores for hyphens.

    Raises:
        AttributeError: There is none.
    """
    for name in trained_policies():
        if attribute_of(name) == attribute:
            return functools.partial(load_policy, FOLDER / name)
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
