"""The agent ``basic`` as a player: how it stakes, shoots, splits, buys, twists and sticks.

The thresholds are those of the best play against a banker who sticks on 17, found by dynamic
programming; where one pack and an infinite one ask for different ones, those of one pack. What
drives the play is the five-card trick: it pays double, and each bought card adds up to 2E to what
it pays.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_SUITS
from pontoon_env.engine.hands import has_ace, lowest_count, points
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, Move

STAKE_UP_TO: Final = 3
"""Most is staked on an ace, a two or a three: the first cards that win on average, by tricks."""

SPLIT_FROM: Final = 7
SPLIT_TO: Final = 8
"""Sevens and eights are split: two hands from such a card lose less than 14 or 16. Nines and tens
stick on a good total; pairs up to fives, aces too, win more as the start of one dear trick."""
SEVEN_POINTS: Final = 7

DRAW_HARD_UP_TO: Final = 14
"""Two and three cards draw up to here: 15 busts too often, and every total below 17 wins alike."""
DRAW_SOFT_UP_TO: Final = 18
"""Two cards with an ace as 11 draw up to here: they cannot bust, and 18 loses more than it wins."""
DRAW_FOURTH_UP_TO: Final = 20
"""Three cards with an ace as 11 draw up to here: two cards from a trick, and they cannot bust."""
DRAW_FIFTH_UP_TO: Final = 17
"""Four cards draw up to here, aces as 1: one card makes the trick."""

BUY_CERTAIN_UP_TO: Final = 11
"""A third or fourth card that cannot bust is bought, at the highest price."""
BUY_FIFTH_UP_TO: Final = 16
"""A fifth card is bought up to where the trick is likely enough, aces as 1."""
NO_THIRD: Final = (6, 9)
"""Where a trick pays like a total, no third card is bought on these counts: they make neither."""

SHOOT_UP_TO: Final = 11
"""One shoots before a fourth card up to here: it cannot bust, and the hand wins more than half."""

WANTS_CARD: Final = 1
"""Bit of `WANTS`: the hand draws even where it may stick."""
WOULD_BUY: Final = 2
"""Bit of `WANTS`: where the hand draws and may buy the card, it buys it."""


def _wants_card(n_cards: int, count: int, is_soft: bool, is_twisted: bool, tricks: bool) -> bool:
    """Tell whether a hand that may stick draws all the same."""
    if n_cards == 4:
        return count <= DRAW_FIFTH_UP_TO
    if not is_soft:
        return count <= DRAW_HARD_UP_TO
    soft_total = count + ACE_BONUS
    if n_cards == 2:
        return soft_total <= DRAW_SOFT_UP_TO
    if tricks and not is_twisted:
        return True  # even on 21: two more cards at 2E make a trick that pays double
    return soft_total <= DRAW_FOURTH_UP_TO


def _would_buy(n_cards: int, count: int, tricks: bool) -> bool:
    """Tell whether the card that a hand draws is worth a higher stake (P20)."""
    if n_cards == 4:
        return count <= BUY_FIFTH_UP_TO - (0 if tricks else 1)
    if n_cards == 2 and not tricks and NO_THIRD[0] <= count <= NO_THIRD[1]:
        return False
    return count <= BUY_CERTAIN_UP_TO


def _wants() -> NDArray[np.int64]:
    """Return the table of what ``basic`` wants; see `WANTS`."""
    wants = np.zeros((2, 2, MAX_HAND_CARDS, TARGET + 1, 2), np.int64)
    for tricks, twisted, n_cards, count, soft in np.ndindex(wants.shape):
        if n_cards >= 2 and (soft == 0 or count + ACE_BONUS <= TARGET):
            card = _wants_card(n_cards, count, soft == 1, twisted == 1, tricks == 1)
            buys = _would_buy(n_cards, count, tricks == 1)
            wants[tricks, twisted, n_cards, count, soft] = WANTS_CARD * card + WOULD_BUY * buys
    return wants


WANTS: Final = _wants()
"""``(2, 2, 5, 22, 2)``: what ``basic`` wants with a hand, as bits.

By whether a trick pays double, whether a card has been twisted, the number of cards, the count with
aces as 1, and whether an ace may count 11. Whoever supposes that a player plays as ``basic`` reads
it too (`posterior`).
"""


@kernel
def choose_stake(rules: RulesRecord, first_card: int) -> int:
    """Stake most on a good first card, least on any other: winnings grow with the stake (P12)."""
    return rules["max_stake"] if points(first_card) <= STAKE_UP_TO else rules["min_stake"]


@kernel
def shoots_first(hand: Hand) -> bool:
    """Shoot before the second card on an ace alone: no other wins more than half its bets (S2)."""
    is_ace: bool = hand["cards"][0] // N_SUITS == ACE
    return is_ace


@kernel
def choose_in_play(rules: RulesRecord, game: Game, moves: int) -> int:
    """Choose the move with the hand in play (P16 to P22, S4).

    A hand that may be burnt is burnt: 13 and 14 are the worst. A shoot bet before a fourth card is
    only made on the way to that card.
    """
    hand = game["seats"][game["seat"]]["hands"][game["hand"]]
    count = lowest_count(hand)
    tricks = 1 if tricks_pay_double(rules, game) else 0
    wants = WANTS[tricks, hand["is_twisted"], hand["n_cards"], count, _soft(hand, count)]
    can_stick = (moves >> Move.STICK) & 1 != 0
    if (moves >> Move.BURN) & 1 != 0:
        move = Move.BURN
    elif (moves >> Move.SPLIT) & 1 != 0 and _wants_split(rules, hand):
        move = Move.SPLIT
    elif (moves >> Move.TWIST) & 1 == 0 or (can_stick and wants & WANTS_CARD == 0):
        move = Move.STICK
    elif (moves >> Move.SHOOT) & 1 != 0 and count <= SHOOT_UP_TO:
        move = Move.SHOOT
    elif (moves >> Move.BUY) & 1 != 0 and wants & WOULD_BUY != 0:
        move = Move.BUY
    else:
        move = Move.TWIST
    return move


@kernel
def tricks_pay_double(rules: RulesRecord, game: Game) -> bool:
    """Tell whether a trick wins twice what a total wins (``trick_pays``, ``banker_doubles``)."""
    return rules["trick_pays_halves"] == 4 and game["is_doubled"] == 0


@kernel
def _wants_split(rules: RulesRecord, hand: Hand) -> bool:
    """Tell whether a pair is better as two hands (P16); two sevens may still become a royal."""
    pips = points(hand["cards"][0])
    if pips == SEVEN_POINTS and rules["royal"] != 0:
        return False
    return SPLIT_FROM <= pips <= SPLIT_TO


@kernel
def _soft(hand: Hand, count: int) -> int:
    """Return 1 for a hand that may count an ace as 11, else 0."""
    return 1 if count + ACE_BONUS <= TARGET and has_ace(hand) else 0
