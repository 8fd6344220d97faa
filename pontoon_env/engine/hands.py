"""Counting and ranking hands (P2, P6)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

from pontoon_env._jit import inlined, kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_SUITS, SEVEN, TEN_POINTS
from pontoon_env.rules import RulesRecord, SplitPontoon
from pontoon_env.state import (
    MAX_HAND_CARDS,
    MAX_HANDS,
    MAX_SEATS,
    TARGET,
    Game,
    Hand,
    HandStatus,
    Seat,
)

_SUIT_BITS: Final = 2
"""A card without these bits is its rank: ``card // N_SUITS`` would see to negative cards too."""
_CARD_BITS: Final = 63
"""A card has no other bits, and what has no others the compiler knows not to be negative."""
_SEAT_BITS: Final = MAX_SEATS - 1
_HAND_BITS: Final = MAX_HANDS - 1
_AMONG: Final = _CARD_BITS + 1

ONE_ACE: Final = 256
"""What an ace adds to a `tally` beside its point."""
_COUNT_BITS: Final = ONE_ACE - 1

_RANKS: Final = np.arange(_AMONG) >> _SUIT_BITS
_TALLY: Final = np.concatenate(
    (np.zeros_like(_RANKS), np.minimum(_RANKS + 1, TEN_POINTS) + ONE_ACE * (_RANKS == ACE))
)
"""What a card adds to a `tally`: nothing, and from `_AMONG` on what it counts."""


class Strength(IntEnum):
    """Ranks of P6 above the totals: a hand of 21 or less counts its total, a bust one nothing."""

    BUST = 0
    TRICK = 22
    PONTOON = 23
    ROYAL = 24


# Of the five places of a hand all are looked at, and those that hold no card count nothing: that
# takes no branch, where the number of cards of one hand after another would be guessed wrong.


@inlined
def seat_of(game: Game, seat: int) -> Seat:
    """Return a seat; at an index without other bits the compiler need not ask for its sign."""
    return game["seats"][seat & _SEAT_BITS]


@inlined
def hand_of(game: Game, seat: int, hand: int) -> Hand:
    """Return a hand of a seat."""
    return seat_of(game, seat)["hands"][hand & _HAND_BITS]


@inlined
def points(card: int) -> int:
    """Return what a card counts, an ace 1 (P2): an int64, though a card of a hand is narrower."""
    rank: int = np.int64(card >> _SUIT_BITS)  # type: ignore[assignment]
    return rank + 1 if rank + 1 < TEN_POINTS else TEN_POINTS


@inlined
def held_cards(hand: Hand) -> int:
    """Return which places of a hand hold a card, as bits."""
    return (1 << hand["n_cards"]) - 1


@inlined
def tally(hand: Hand, places: int) -> int:
    """Return the count of some cards of a hand, aces as 1, and `ONE_ACE` more for each ace of them.

    Args:
        hand: The hand.
        places: Which of its cards, as bits.
    """
    found = 0
    for i in range(MAX_HAND_CARDS):
        is_among = ((places >> i) & 1) * _AMONG
        found += _TALLY[(hand["cards"][i] & _CARD_BITS) + is_among]
    return found


@inlined
def count_of(hand: Hand, places: int) -> int:
    """Return the count of some cards of a hand, aces as 1; ``places`` are bits."""
    return tally(hand, places) & _COUNT_BITS


@inlined
def lowest_count(hand: Hand) -> int:
    """Return the count of a hand with its aces as 1."""
    return count_of(hand, held_cards(hand))


@inlined
def has_ace(hand: Hand) -> bool:
    """Tell whether a hand holds an ace."""
    return tally(hand, held_cards(hand)) >= ONE_ACE


@inlined
def best_total(hand: Hand) -> int:
    """Return the count of a hand with one ace as 11 where that does not bust (P22)."""
    return best_of(tally(hand, held_cards(hand)))


@inlined
def best_of(found: int) -> int:
    """Return the best total of a hand with this `tally`."""
    count = found & _COUNT_BITS
    is_soft = (count + ACE_BONUS <= TARGET) & (found >= ONE_ACE)
    return count + ACE_BONUS if is_soft else count


@inlined
def is_ace_and_ten(hand: Hand) -> bool:
    """Tell whether a hand is exactly an ace and a ten-valued card (P6)."""
    return hand["n_cards"] == 2 and best_total(hand) == TARGET


@inlined
def is_pair(hand: Hand) -> bool:
    """Tell whether a hand is exactly two cards of one rank (P16)."""
    is_alike: bool = hand["cards"][0] >> _SUIT_BITS == hand["cards"][1] >> _SUIT_BITS
    return (hand["n_cards"] == 2) & is_alike


@kernel
def is_three_sevens(hand: Hand) -> bool:
    """Tell whether a hand is exactly 7-7-7 (``royal``)."""
    if hand["n_cards"] != 3:
        return False
    for i in range(3):
        if hand["cards"][i] // N_SUITS != SEVEN:
            return False
    return True


@inlined
def is_pontoon(rules: RulesRecord, seat: Seat, hand: Hand) -> bool:
    """Tell whether a seat's hand ranks as a pontoon, natural or split (P6, P19)."""
    if seat["n_hands"] > 1 and rules["split_pontoon"] == SplitPontoon.PLAIN:
        return False
    return is_ace_and_ten(hand)


@inlined
def banker_strength(hand: Hand) -> int:
    """Return the rank of the banker's hand as a number: a `Strength`, or its total (P6 c, d)."""
    if lowest_count(hand) > TARGET:
        return Strength.BUST
    if is_ace_and_ten(hand):
        return Strength.PONTOON
    if hand["n_cards"] == MAX_HAND_CARDS:
        return Strength.TRICK
    return best_total(hand)


@inlined
def player_strength(rules: RulesRecord, seat: Seat, hand: Hand) -> int:
    """Return the rank of a player's hand as a number: a `Strength`, or its total (P6 c, d)."""
    if rules["royal"] != 0 and is_three_sevens(hand):
        return Strength.ROYAL
    rank = banker_strength(hand)
    if rank == Strength.PONTOON and not is_pontoon(rules, seat, hand):
        return TARGET
    return rank


@kernel
def is_natural(seat: Seat) -> bool:
    """Tell whether a player has declared a pontoon on an unsplit hand (P33); after P14 none has."""
    return seat["n_hands"] == 1 and seat["hands"][0]["status"] == HandStatus.DECLARED
