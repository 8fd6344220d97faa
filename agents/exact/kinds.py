"""Kinds of hands: all that the further course of a hand depends on, beside its number of cards.

A kind is a lowest count, and whether an ace may still count 11 without a bust. Two hands of a kind
with as many cards draw, stick and win alike; so do all cards of one count of pips (P2, P6).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env.cards import ACE_BONUS, N_RANKS, TEN_POINTS
from pontoon_env.opponents import tables
from pontoon_env.state import TARGET

MAX_PIPS: Final = TEN_POINTS
"""The most that a card counts with aces as 1."""
CHANCES: Final[NDArray[np.float64]] = (
    np.array([0, *[1] * (MAX_PIPS - 1), N_RANKS - MAX_PIPS + 1]) / N_RANKS
)
"""``(11,)``: chance of a card of an infinite pack by its pips; entry 0 stands for no card."""

FIRST_SOFT: Final = tables.FIRST_SOFT
"""Kinds below are hard counts, 0 to 21; from here on soft ones, by their lowest count."""
N_KINDS: Final = tables.N_KINDS
"""22 hard kinds, 12 soft ones; not all of them occur."""
BUST: Final = -1
"""Stands for a kind of hand that counts more than 21."""
NO_CARDS: Final = 0
"""The kind of a hand without cards."""
HARD_21: Final = TARGET
"""A hand of this kind closes by itself (P24)."""
SOFT_21: Final = N_KINDS - 1
"""An ace and ten more: of two cards a pontoon, of three or four a soft 21."""


def kind_of(count: int, has_ace: bool) -> int:
    """Return the kind of a hand by its lowest count and whether it holds an ace."""
    if count > TARGET:
        return BUST
    return FIRST_SOFT + count if has_ace and count + ACE_BONUS <= TARGET else count


def _counts() -> NDArray[np.int64]:
    """Return the lowest count of each kind."""
    return np.array([*range(TARGET + 1), *range(N_KINDS - FIRST_SOFT)])


def _after() -> NDArray[np.int64]:
    """Return the kind that each kind becomes by a card."""
    after = np.full((N_KINDS, MAX_PIPS + 1), BUST)
    for kind in range(N_KINDS):
        for pips in range(1, MAX_PIPS + 1):
            has_ace = kind >= FIRST_SOFT or pips == 1
            after[kind, pips] = kind_of(int(COUNT[kind]) + pips, has_ace)
    return after


COUNT: Final[NDArray[np.int64]] = _counts()
"""``(34,)``: lowest count of each kind."""
TOTAL: Final[NDArray[np.int64]] = np.where(
    np.arange(N_KINDS) >= FIRST_SOFT, COUNT + ACE_BONUS, COUNT
)
"""``(34,)``: best total of each kind (P22)."""
AFTER: Final[NDArray[np.int64]] = _after()
"""``(34, 11)``: the kind that a kind becomes by a card of so many pips; `BUST` above 21."""


def kind_name(kind: int) -> str:
    """Return what a kind is called in tables: ``hard 14`` or ``soft 17``."""
    return f"{'soft' if kind >= FIRST_SOFT else 'hard'} {TOTAL[kind]}"
