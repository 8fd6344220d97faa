"""Tables that two agents play from, ``exact`` and ``equilibrium``: what solvers outside have found.

Kernels read one record of `TABLES`, or an empty array where neither agent plays.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env.cards import N_PIPS
from pontoon_env.state import MAX_HAND_CARDS

MAX_HANDS: Final = 2200
"""Hands that differ in their pips: two packs hold 2,118."""
N_STAKES: Final = 8
"""Stakes of 0 to 7 E (P20)."""
N_PRICES: Final = 3
"""The most that the next card may cost, in E: 0 where it may not be bought, 1 or 2."""
N_KINDS: Final = 34
"""Kinds of hands in the two-seat game: 22 hard counts and 12 soft ones."""
FIRST_SOFT: Final = 22
N_DECISIONS: Final = MAX_HAND_CARDS - 2
"""Numbers of cards on which a hand is asked: two, three and four."""
MAX_OPEN_NODES: Final = 2110
"""Public states of the two-seat game with fewer than five cards, at stakes of 1 to 10."""
N_ACTIONS: Final = 13
"""Stick, twist, and eleven prices."""
N_FIRST_STAKES: Final = 10

NO_HAND: Final = -1
"""Stands for a hand that does not occur."""

TABLES: Final = np.dtype(
    [
        ("after", np.int16, (MAX_HANDS, N_PIPS)),
        ("choices", np.int8, (MAX_HANDS, N_STAKES, N_PRICES)),
        ("splits", np.int8, (N_PIPS,)),
        ("stakes_most", np.int8, (N_PIPS,)),
        ("natural", np.int64),
        ("split_pontoon", np.int64),
        ("banker_sticks_on", np.int64),
        ("banker_draws_soft", np.int64),
        ("first_bought", np.int64, (MAX_OPEN_NODES,)),
        ("first_twisted", np.int64, (MAX_OPEN_NODES,)),
        ("stakes", np.float64, (N_PIPS, N_FIRST_STAKES)),
        ("play", np.float64, (MAX_OPEN_NODES, N_KINDS, N_ACTIONS)),
        ("draws", np.float64, (MAX_OPEN_NODES, N_DECISIONS, N_KINDS)),
    ],
    align=True,
)
"""The first eight fields are of ``exact``, the others of ``equilibrium``."""

NO_TABLES: Final[NDArray[np.void]] = np.zeros(0, TABLES)
"""What is handed over where no agent plays from tables."""
