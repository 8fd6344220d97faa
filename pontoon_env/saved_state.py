"""What is wrong with a state that somebody hands over, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def check_names(values: object, names: Sequence[str], what: str) -> None:
    """Raise ValueError, ``what`` and which, where values are no mapping or lack a name."""
    is_mapping = isinstance(values, Mapping)
    missing = [name for name in names if not is_mapping or name not in values]  # type: ignore[operator]
    if missing:
        raise ValueError(f"{what}: it has no {', '.join(missing)}")


def clash(theirs: Any, ours: Mapping[str, Any]) -> str:
    """Say in what the rules of a state differ from those of the environment."""
    if not isinstance(theirs, Mapping):
        return f"the state's rules={theirs!r} are no mapping"
    names = [name for name in ours if theirs.get(name) != ours[name]]
    of_state = ", ".join(f"{name}={theirs.get(name)!r}" for name in names)
    of_env = ", ".join(f"{name}={ours[name]!r}" for name in names)
    return f"a state of rules with {of_state} does not fit an environment with {of_env}"
