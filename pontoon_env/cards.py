"""The cards: 52 numbers, their ranks, suits and two-character names (P1, P2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

RANKS: Final = "A23456789TJQK"
"""Rank names; the index of a name is the rank's number."""

SUITS: Final = "cdhs"
"""Suit names: clubs, diamonds, hearts, spades. Suits never matter (P2)."""

N_RANKS: Final = 13
N_SUITS: Final = 4
N_CARDS: Final = 52
"""Cards of one pack: card ``rank * 4 + suit``."""

ACE: Final = 0
SEVEN: Final = 6
"""Rank of a seven, of which a royal has three."""

TEN_POINTS: Final = 10
"""What a ten, jack, queen and king count (P2)."""

ACE_BONUS: Final = 10
"""What an ace counts more when it counts 11 (P2)."""

N_PIPS: Final = TEN_POINTS + 1
"""Arrays by a card's pips have this length; entry 0 is unused."""

EVEN_PACK: Final = np.array([0, *[1] * (TEN_POINTS - 1), N_RANKS - TEN_POINTS + 1]) / N_RANKS
"""``(11,)``: chance of a card by its pips."""


def card_name(card: int) -> str:
    """Return the two characters of a card, such as ``"As"`` for card 3."""
    return RANKS[card // N_SUITS] + SUITS[card % N_SUITS]


def card_names(cards: Iterable[int]) -> list[str]:
    """Return the names of cards, in their order."""
    return [card_name(int(card)) for card in cards]


def parse_card(name: str) -> int:
    """Return the number of the card called ``name``.

    Raises:
        ValueError: ``name`` is not a rank of ``A23456789TJQK`` and a suit of ``cdhs``.
    """
    if not isinstance(name, str) or len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ValueError(
            f"no card is called {name!r}: a card is one of {RANKS} and one of {SUITS}, as in 'As'"
        )
    return RANKS.index(name[0]) * N_SUITS + SUITS.index(name[1])


def parse_cards(names: Iterable[str]) -> list[int]:
    """Return the numbers of the cards called ``names``, in their order.

    Raises:
        ValueError: One of them is no card's name.
    """
    return [parse_card(name) for name in names]
