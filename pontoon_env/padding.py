"""Observations laid out as at the largest table: eight seats, four hands each.

What is seen is written compactly first and copied in runs, so that tables without padding pay
nothing for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_env.observation import layout
from pontoon_env.rules import Rules

Run = tuple[int, int, int]
"""Elements ``[start, stop)`` of a compact observation, and where they begin in a padded one."""


def padding_runs(rules: Rules, memory: bool = False) -> tuple[Run, ...]:
    """Return the runs that a compact observation consists of, in order."""
    places = {part.name: part.start for part in layout(rules, memory, padded=True)}
    runs: list[Run] = []
    for part in layout(rules, memory):
        place = places[part.name]
        if runs and place - part.start == runs[-1][2] - runs[-1][0]:
            start, _, first = runs.pop()
            runs.append((start, part.stop, first))
        else:
            runs.append((part.start, part.stop, place))
    return tuple(runs)


def write_padded(
    runs: Sequence[Run],
    compact: NDArray[np.float32],
    padded: NDArray[np.float32],
    rows: Any = np.s_[:],
) -> None:
    """Copy compact observations to their places in padded ones.

    Args:
        runs: As `padding_runs` returns them.
        compact: float32 ``(n, observation_size)``, of the rows to write.
        padded: Out, float32 ``(m, padded size)``, zero but for those places.
        rows: Which of its rows to write, ``n`` of them; all where not given.
    """
    for start, stop, place in runs:
        padded[rows, place : place + stop - start] = compact[:, start:stop]
