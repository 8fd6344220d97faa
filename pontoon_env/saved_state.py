"""What a state holds beside the game; and what is wrong, in words, with one that is handed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

LOOP: Final = ("agents", "rewards", "_cumulative_rewards", "_remarks", "agent_selection")
"""The attributes of PettingZoo's loop that a state holds; all else there is read off the game."""
_PLAIN: Final = tuple(name.lstrip("_") for name in LOOP)
"""The same by the names of a state."""
_NUMBERS: Final = frozenset((int, float))


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


def saved_loop(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return where PettingZoo's loop stands, copied, as a state holds it.

    Args:
        attributes: Those of the environment.
    """
    return {plain: _copy(attributes[name]) for name, plain in zip(LOOP, _PLAIN, strict=True)}


def check_loop(loop: Any, everybody: Sequence[str], mover: str | None) -> dict[str, Any]:
    """Return where a state's loop stands, copied, as attributes.

    Args:
        loop: As in a state.
        everybody: All agents, in order of their seats.
        mover: The agent that is to act in the state's game; None where that is over.

    Raises:
        ValueError: Such a loop cannot be beside that game.
    """
    check_names(loop, _PLAIN, "the state's loop is none")
    kept = {name: _copy(loop[plain]) for name, plain in zip(LOOP, _PLAIN, strict=True)}
    agents, selected, remarks = kept["agents"], kept["agent_selection"], kept["_remarks"]
    if not isinstance(agents, list) or agents != (
        everybody if mover is not None else [agent for agent in everybody if agent in agents]
    ):
        raise ValueError(f"the state's loop has agents={agents!r}")
    if selected != mover if mover is not None else selected not in (agents or everybody):
        raise ValueError(f"the state's loop has agent_selection={selected!r}")
    for name in ("rewards", "_cumulative_rewards"):
        rewards = kept[name]
        if (
            not isinstance(rewards, dict)
            or list(rewards) != agents
            or not _NUMBERS.issuperset(map(type, rewards.values()))
        ):
            raise ValueError(f"the state's loop has {name.lstrip('_')}={rewards!r}")
    if not isinstance(remarks, dict) or not all(
        agent in everybody and isinstance(remark, str) for agent, remark in remarks.items()
    ):
        raise ValueError(f"the state's loop has remarks={remarks!r}")
    return kept


def _copy(value: Any) -> Any:
    """Return a list or a dict of plain values as a new one, and another value as it is."""
    return value.copy() if isinstance(value, (list, dict)) else value
