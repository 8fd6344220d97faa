"""What callers hand over as actions, read as moves and fractions, or refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env.actions import (
    FRACTION_OF_DISCRETE,
    MOVE_OF_DISCRETE,
    N_DISCRETE,
    N_SCORES,
    Encoding,
    hybrid_of_box,
)
from pontoon_env.state import N_MOVES, Move

_MOVES: Final[list[int]] = MOVE_OF_DISCRETE.tolist()
_FRACTIONS: Final[list[float]] = FRACTION_OF_DISCRETE.tolist()

_FORMS: Final[dict[Encoding, str]] = {
    "hybrid": (
        f'{{"move": m, "amount": a}}, m a whole number from 0 to {N_MOVES - 1}, '
        "a a number from 0 to 1"
    ),
    "discrete": f"a whole number from 0 to {N_DISCRETE - 1}",
    "box": f"{N_SCORES} numbers from 0 to 1, a score for each of {N_MOVES} moves and the amount",
}
"""What an action is in each encoding."""


def read_hybrid(action: Any) -> tuple[int, float]:
    """Return the move and the fraction of a hybrid action; it need not be legal.

    Raises:
        TypeError: It is no hybrid action.
        ValueError: The move or the amount is out of range.
    """
    try:
        move, fraction = _whole(action["move"]), action["amount"]
        if type(fraction) is not float:
            fraction = _real(fraction)
    except (IndexError, KeyError, TypeError, ValueError):
        raise TypeError(_misread("hybrid", action)) from None
    if 0 <= move < N_MOVES and 0.0 <= fraction <= 1.0:
        return move, fraction
    raise ValueError(_misread("hybrid", action))


def read_discrete(action: Any) -> tuple[int, float]:
    """Return the move and the fraction of a discrete action; all else as of `read_hybrid`."""
    try:
        number = _whole(action)
    except TypeError:
        raise TypeError(_misread("discrete", action)) from None
    if 0 <= number < N_DISCRETE:
        return _MOVES[number], _FRACTIONS[number]
    raise ValueError(_misread("discrete", action))


def read_box(action: Any, mask: NDArray[np.int8]) -> tuple[int, float]:
    """Return the move, which is legal, and the fraction of a box action.

    Args:
        action: What the caller handed over.
        mask: int8 ``(N_MOVES,)``, the legal moves.

    Raises:
        TypeError: It is no array of ``N_SCORES`` numbers.
        ValueError: One of them is out of range.
    """
    scores = _array(action)
    if scores is None or scores.shape != (N_SCORES,) or scores.dtype.kind not in "fiu":
        raise TypeError(_misread("box", action))
    wrong = _first_out_of_range(scores)
    if wrong is not None:
        raise ValueError(f"a box action is {_FORMS['box']}, but {wrong}")
    decision = hybrid_of_box(scores, mask)
    return decision["move"], decision["amount"]


def split_hybrid_batch(actions: Any) -> tuple[Any, Any]:
    """Return the moves and the amounts of a batch of hybrid actions; neither is checked yet.

    Raises:
        ValueError: It is no mapping of both.
    """
    if not isinstance(actions, Mapping) or not {"move", "amount"} <= set(actions):
        raise ValueError(
            'hybrid actions are {"move": moves, "amount": fractions}, an array of each, '
            f"not {actions!r}"
        )
    return actions["move"], actions["amount"]


def read_box_batch(
    actions: Any, masks: NDArray[np.int8]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return moves, which are legal where any is, and fractions of a batch of box actions.

    Args:
        actions: What the caller handed over.
        masks: int8 ``(n, N_MOVES)``, the legal moves.

    Raises:
        ValueError: They are no array of ``(n, N_SCORES)`` numbers from 0 to 1.
    """
    scores, shape = _array(actions), (len(masks), N_SCORES)
    if scores is None or scores.shape != shape or scores.dtype.kind not in "fiu":
        found = f"{actions!r}" if scores is None else f"{scores.dtype} of shape {scores.shape}"
        raise ValueError(
            f"box actions are an array of shape {shape}: in each row {_FORMS['box']}; not {found}"
        )
    if not _are_fractions(scores).all():
        row = int(np.flatnonzero(~_are_fractions(scores).all(axis=1))[0])
        wrong = _first_out_of_range(scores[row])
        raise ValueError(f"box actions are {_FORMS['box']} in each row, but in row {row} {wrong}")
    moves = np.where(masks, scores[:, :N_MOVES], -1.0).argmax(axis=1)
    return moves, scores[:, -1].astype(np.float64)


def check_choices(choices: Any, n: int, name: str, last: int) -> NDArray[np.int64]:
    """Return actions or moves, one a table, as kernels take them; they may be out of range.

    Args:
        choices: What a caller gave.
        n: Number of tables.
        name: What the choices are called.
        last: The largest of them.

    Returns:
        int64 ``(n,)``.

    Raises:
        ValueError: They have another shape, or are no whole numbers.
    """
    array = _one_a_table(choices, n, name)
    if array.dtype.kind not in "iu":
        raise out_of_range(array, np.zeros(n), n, name, last)
    return np.ascontiguousarray(array, np.int64)


def check_fractions(fractions: Any, n: int) -> NDArray[np.float64]:
    """Return fractions, one a table, as kernels take them, float64 ``(n,)``; see `check_choices`.

    Raises:
        ValueError: They have another shape, or are no numbers.
    """
    array = _one_a_table(fractions, n, "fractions")
    if array.dtype.kind not in "fiu":
        raise out_of_range(np.zeros(n, np.int64), array, n, "moves", 0)
    return np.ascontiguousarray(array, np.float64)


def out_of_range(
    choices: NDArray[Any], fractions: NDArray[Any], n: int, name: str, last: int
) -> ValueError:
    """Return the error of choices or fractions of which one is none; arguments as above."""
    if choices.dtype.kind in "iu" and ((choices >= 0) & (choices <= last)).all():
        found = _first_wrong(fractions, n, 1)
        return ValueError(f"fractions must be numbers from 0 to 1, not {found}")
    found = _first_wrong(choices, n, last)
    return ValueError(f"{name} must be whole numbers from 0 to {last}, not {found}")


def _one_a_table(values: Any, n: int, name: str) -> NDArray[Any]:
    """Return values as an array, refusing any other number of them than one a table."""
    try:
        array: NDArray[Any] = np.asarray(values)
    except (TypeError, ValueError) as error:  # lists of unequal length, say
        raise ValueError(f"the {name} are no array: {values!r}") from error
    if array.shape != (n,):
        found = f"have shape {array.shape}, not" if array.ndim else f"are {values!r}, no array of"
        raise ValueError(f"the {name} {found} {(n,)}: one a table")
    return array


def _first_wrong(values: NDArray[Any], n: int, highest: float) -> str:
    """Show the first of some values, one a table, that is not of [0, ``highest``]."""
    if values.dtype.kind not in "fiu":
        return repr(values if n > 1 else values[0])
    table = int((~((values >= 0) & (values <= highest))).argmax())
    return f"{values[table]} at table {table}" if n > 1 else str(values[table])


def _array(values: Any) -> NDArray[Any] | None:
    """Return values as an array; None where they cannot be one."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return None


def _are_fractions(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which numbers are of [0, 1]; NaN is none."""
    fits: NDArray[np.bool_] = (values >= 0) & (values <= 1)
    return fits


def _first_out_of_range(scores: NDArray[Any]) -> str | None:
    """Say which number of a box action is the first that is out of range; None: none is."""
    for place in np.flatnonzero(~_are_fractions(scores)).tolist():
        name = "the amount" if place == N_MOVES else f"the score of {Move(place).name.lower()}"
        return f"{name} is {scores[place]}"
    return None


def _misread(encoding: Encoding, action: Any) -> str:
    """Say what an action looks like, of one that does not."""
    return f"a {encoding} action is {_FORMS[encoding]}, not {action!r}"


def _whole(value: Any) -> int:
    """Return a whole number, of any type but bool, as an int; raise TypeError for all else."""
    if isinstance(value, bool):
        raise TypeError
    return index(value)


def _real(value: Any) -> float:
    """Return a real number, a 0-d array too, as a float; raise TypeError for all else.

    One that no float can hold is infinite.
    """
    if getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    try:
        return float(value)
    except OverflowError:
        return np.inf
