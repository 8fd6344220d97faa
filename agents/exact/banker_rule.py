"""How a banker who plays by a fixed rule ends: every final hand, and how many orders lead to it.

The agents ``stick15`` to ``stick19`` play by these rules, too, as bankers.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.exact.kinds import (
    AFTER,
    BUST,
    CHANCES,
    FIRST_SOFT,
    HARD_21,
    MAX_PIPS,
    NO_CARDS,
    SOFT_21,
    TOTAL,
)
from agents.exact.payments import N_STRENGTHS
from pontoon_env.engine.hands import Strength
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_HAND_CARDS

Cards = tuple[int, ...]
"""The cards of a hand by their pips, sorted."""


@dataclass(frozen=True)
class FinalHands:
    """All L hands that a banker can end with, a natural among them (P14, P29)."""

    cards: NDArray[np.int64]
    """``(L, 11)``: how many cards of each pips."""
    orders: NDArray[np.int64]
    """``(L,)``: in how many orders these cards can come and be drawn."""
    strengths: NDArray[np.int64]
    """``(L,)``: the `Strength` or total."""


def kind_of_cards(cards: Cards) -> int:
    """Return the kind of a hand (`agents.exact.kinds`); only the last card may bust it."""
    kind = NO_CARDS
    for pips in cards:
        kind = int(AFTER[kind, pips])
    return kind


def strength_of(kind: int, n_cards: int) -> int:
    """Return the rank of a hand as a number: a `Strength`, or its total (P6)."""
    if kind == BUST:
        return Strength.BUST
    if n_cards == MAX_HAND_CARDS:
        return Strength.TRICK
    if n_cards == 2 and kind == SOFT_21:
        return Strength.PONTOON
    return int(TOTAL[kind])


@functools.cache
def final_hands(banker_rule: str) -> FinalHands:
    """Return the hands that a banker ends with who plays by ``banker_rule``.

    Raises:
        ValueError: It is no fixed rule.
    """
    record = Rules(banker_rule=banker_rule).to_record()[0]
    sticks_on, draws_soft = int(record["banker_sticks_on"]), bool(record["banker_draws_soft"])
    if sticks_on == 0:
        raise ValueError(f"banker_rule={banker_rule!r} is not fixed; stick15 to stick21 are")

    def draws(cards: Cards) -> bool:
        kind = kind_of_cards(cards)
        if len(cards) < 2:
            return True
        if kind in (BUST, HARD_21) or len(cards) == MAX_HAND_CARDS:
            return False
        if len(cards) == 2 and kind == SOFT_21:
            return False
        is_drawn_to = TOTAL[kind] == sticks_on and kind >= FIRST_SOFT and draws_soft
        return bool(TOTAL[kind] < sticks_on or is_drawn_to)

    ends: Counter[Cards] = Counter()
    drawn_to: Counter[Cards] = Counter({(): 1})
    while drawn_to:
        after: Counter[Cards] = Counter()
        for cards, orders in drawn_to.items():
            for pips in range(1, MAX_PIPS + 1):
                after[tuple(sorted((*cards, pips)))] += orders
        drawn_to = Counter({cards: orders for cards, orders in after.items() if draws(cards)})
        ends.update({cards: orders for cards, orders in after.items() if cards not in drawn_to})
    return FinalHands(
        np.array([np.bincount(cards, minlength=MAX_PIPS + 1) for cards in ends]),
        np.array(list(ends.values())),
        np.array([strength_of(kind_of_cards(cards), len(cards)) for cards in ends]),
    )


def final_strengths(
    banker_rule: str, chances: NDArray[np.float64] = CHANCES
) -> NDArray[np.float64]:
    """Return how likely a banker ends with each strength, ``(25,)``, from an infinite pack.

    Args:
        banker_rule: ``stickN`` or ``stickNsoft``.
        chances: ``(11,)``, those of a card by its pips.
    """
    ends = final_hands(banker_rule)
    likelihoods = ends.orders * np.prod(chances**ends.cards, axis=1)
    strengths = np.zeros(N_STRENGTHS)
    np.add.at(strengths, ends.strengths, likelihoods)
    return strengths
