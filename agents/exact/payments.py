"""What a live hand is paid at settlement, as the engine's own table has it (P14, P30)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import entry_point
from pontoon_env.engine.hands import Strength
from pontoon_env.engine.settlement import stakes_won
from pontoon_env.rules import Rules

N_STRENGTHS: Final = len(range(Strength.ROYAL + 1))
"""Strengths of hands: bust 0, totals, and the ranks above them (`pontoon_env.engine.hands`)."""


@entry_point
def _write_halves(rules: NDArray[np.void], halves: NDArray[np.int64]) -> None:
    """Write the payments by split, strength and the banker's strength, ``(2, 25, 25)``."""
    for is_split in range(2):
        for strength in range(halves.shape[1]):
            for banker_strength in range(halves.shape[2]):
                halves[is_split, strength, banker_strength] = stakes_won(
                    rules[0], strength, banker_strength, is_split == 1
                )


def halves_won(rules: Rules) -> NDArray[np.int64]:
    """Return what a live hand wins, in halves of its stake, int64 ``(2, 25, 25)``.

    Indices are whether the hand is a split one, its strength and the banker's. A payment in chips
    is ``halves * stake // 2``, as at settlement.
    """
    halves = np.zeros((2, N_STRENGTHS, N_STRENGTHS), np.int64)
    _write_halves(rules.to_record(), halves)
    return halves
