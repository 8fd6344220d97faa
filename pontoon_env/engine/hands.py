"""Counting and ranking hands (P2, P6)."""

from __future__ import annotations

from enum import IntEnum

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_SUITS, SEVEN, TEN_POINTS
from pontoon_env.rules import RulesRecord, SplitPontoon
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Hand, HandStatus, Seat


class Strength(IntEnum):
    """Ranks of P6 above the totals: a hand of 21 or less counts its total, a bust one nothing."""

    BUST = 0
    TRICK = 22
    PONTOON = 23
    ROYAL = 24


@kernel
def points(card: int) -> int:
    """Return what a card counts, an ace 1 (P2)."""
    rank = card // N_SUITS
    return rank + 1 if rank + 1 < TEN_POINTS else TEN_POINTS


@kernel
def lowest_count(hand: Hand) -> int:
    """Return the count of a hand with its aces as 1."""
    count = 0
    for i in range(hand["n_cards"]):
        count += points(hand["cards"][i])
    return count


@kernel
def has_ace(hand: Hand) -> bool:
    """Tell whether a hand holds an ace."""
    for i in range(hand["n_cards"]):
        if hand["cards"][i] // N_SUITS == ACE:
            return True
    return False


@kernel
def best_total(hand: Hand) -> int:
    """Return the count of a hand with one ace as 11 where that does not bust (P22)."""
    count = lowest_count(hand)
    if count + ACE_BONUS <= TARGET and has_ace(hand):
        return count + ACE_BONUS
    return count


@kernel
def is_ace_and_ten(hand: Hand) -> bool:
    """Tell whether a hand is exactly an ace and a ten-valued card (P6)."""
    return hand["n_cards"] == 2 and best_total(hand) == TARGET


@kernel
def is_pair(hand: Hand) -> bool:
    """Tell whether a hand is exactly two cards of one rank (P16)."""
    return hand["n_cards"] == 2 and hand["cards"][0] // N_SUITS == hand["cards"][1] // N_SUITS


@kernel
def is_three_sevens(hand: Hand) -> bool:
    """Tell whether a hand is exactly 7-7-7 (``royal``)."""
    if hand["n_cards"] != 3:
        return False
    for i in range(3):
        if hand["cards"][i] // N_SUITS != SEVEN:
            return False
    return True


@kernel
def is_pontoon(rules: RulesRecord, seat: Seat, hand: Hand) -> bool:
    """Tell whether a seat's hand ranks as a pontoon, natural or split (P6, P19)."""
    if seat["n_hands"] > 1 and rules["split_pontoon"] == SplitPontoon.PLAIN:
        return False
    return is_ace_and_ten(hand)


@kernel
def banker_strength(hand: Hand) -> int:
    """Return the rank of the banker's hand as a number: a `Strength`, or its total (P6 c, d)."""
    if lowest_count(hand) > TARGET:
        return Strength.BUST
    if is_ace_and_ten(hand):
        return Strength.PONTOON
    if hand["n_cards"] == MAX_HAND_CARDS:
        return Strength.TRICK
    return best_total(hand)


@kernel
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
