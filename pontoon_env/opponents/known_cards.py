"""Playing a hand where the cards to come are known, each in its place (see `memory`).

A player who knows them sees where every number of draws would lead, and takes the best: buying all
the way at the highest price where the end wins more than it loses, twisting where it does not.
What remains uncertain is the banker: the own cards, where they are not known, and how many cards
the players in between will take, which moves the banker's draws along the pack. The banker is
supposed to draw below 17; of the shifts, some around the usual are weighed alike.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_SUITS
from pontoon_env.engine.hands import Strength, points
from pontoon_env.engine.settlement import HALVES, stakes_won
from pontoon_env.memory import card_to_come
from pontoon_env.opponents.posterior import N_STRENGTHS
from pontoon_env.opponents.removal import VALUES
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game

_BANKER_STAYS_FROM: Final = 17
_SPREAD: Final = 2
"""The number of cards that others take is supposed to be the usual one, give or take so many."""
_CARDS_A_PLAYER: Final = 0.8
"""Cards that a player usually takes."""

UNKNOWN: Final = -1
"""Stands for the banker's cards where they are not known."""


@kernel
def first_shift(n_players: int) -> int:
    """Return the least number of cards that so many players are supposed to take."""
    least = np.int64(_CARDS_A_PLAYER * n_players + 0.5) - _SPREAD
    return max(0, least)  # type: ignore[return-value]


@kernel
def last_shift(n_players: int) -> int:
    """Return the largest number of cards that so many players are supposed to take."""
    if n_players == 0:
        return 0
    return np.int64(_CARDS_A_PLAYER * n_players + 0.5) + _SPREAD  # type: ignore[return-value]


@kernel
def banker_end(game: Game, count: int, ace: int, place: int) -> int:
    """Return the strength that a banker who draws below 17 ends on.

    Args:
        game: Its pack is known.
        count: Count of the banker's two cards with aces as 1.
        ace: 1 where one of them is an ace.
        place: Where in the pack the banker's draws begin.
    """
    for n_cards in range(2, MAX_HAND_CARDS):
        total = count + ACE_BONUS if ace == 1 and count + ACE_BONUS <= TARGET else count
        if total >= _BANKER_STAYS_FROM or place >= game["n_pack"]:
            return total
        card = card_to_come(game, place)
        place += 1
        count += points(card)
        if card // N_SUITS == ACE:
            ace = 1
        if count > TARGET:
            return Strength.BUST
        if n_cards + 1 == MAX_HAND_CARDS:
            return Strength.TRICK
    return count


@kernel
def expect_end(
    rules: RulesRecord,
    game: Game,
    strength: int,
    banker_count: int,
    banker_ace: int,
    place: int,
    n_after: int,
) -> tuple[float, float]:
    """Return what a hand may expect at settlement: for each chip of its stake, and of its bets.

    Args:
        rules: The rules.
        game: Its pack is known.
        strength: The hand's.
        banker_count: Count of the banker's two cards, or `UNKNOWN`.
        banker_ace: 1 where one of them is an ace.
        place: Where in the pack the draws of those who come later begin.
        n_after: How many players have their turn before the banker.
    """
    stakes = 0.0
    bets = 0.0
    if banker_count == UNKNOWN:
        for own in range(N_STRENGTHS):
            chance = VALUES[1, own, 0]
            if chance > 0.0:
                won = stakes_won(rules, strength, own, False)
                stakes += chance * won / HALVES
                bets += chance if won > 0 else -chance if won < 0 else 0.0
        return stakes, bets
    first, last = first_shift(n_after), last_shift(n_after)
    for shift in range(first, last + 1):
        own = banker_end(game, banker_count, banker_ace, place + shift)
        won = stakes_won(rules, strength, own, False)
        stakes += won / HALVES
        bets += 1.0 if won > 0 else -1.0 if won < 0 else 0.0
    n = last + 1 - first
    return stakes / n, bets / n


@kernel
def plan_hand(
    rules: RulesRecord,
    game: Game,
    hand: NDArray[np.int64],
    stake: float,
    price: float,
    place: int,
    banker_count: int,
    banker_ace: int,
    n_after: int,
) -> tuple[float, float, int, bool]:
    """Find the best number of cards to draw.

    Args:
        rules: The rules.
        game: Its pack is known.
        hand: The hand's number of cards, count with aces as 1, and 1 where it holds an ace.
        stake: Its stake.
        price: What each card is bought for; 0 where none can be.
        place: Where in the pack its draws begin.
        banker_count: Count of the banker's two cards, or `UNKNOWN`.
        banker_ace: 1 where one of them is an ace.
        n_after: How many players have their turn before the banker.

    Returns:
        What the hand is worth, in the unit of ``stake``; what a shoot bet on it is worth, a chip;
        how many cards to draw; and whether to buy them.
    """
    n_cards, count, ace = hand[0], hand[1], hand[2]
    best, best_bet, best_draws, best_buys = -1e9, -1.0, 1, False
    for draws in range(MAX_HAND_CARDS - n_cards + 1):
        if draws > 0:
            if place + draws > game["n_pack"]:
                break
            card = card_to_come(game, place + draws - 1)
            count += points(card)
            if card // N_SUITS == ACE:
                ace = 1
            if count > TARGET:
                if -stake > best:
                    best, best_bet, best_draws, best_buys = -stake, -1.0, draws, False
                break
        strength = count + ACE_BONUS if ace == 1 and count + ACE_BONUS <= TARGET else count
        if n_cards + draws == MAX_HAND_CARDS:
            strength = np.int64(Strength.TRICK)
        if strength < rules["stick_min"]:
            continue
        worth, bet = expect_end(
            rules, game, strength, banker_count, banker_ace, place + draws, n_after
        )
        buys = worth > 0.0 and price > 0.0
        worth *= stake + price * draws if buys else stake
        if worth > best:
            best, best_bet, best_draws, best_buys = worth, bet, draws, buys
        if count == TARGET:
            break
    return best, best_bet, best_draws, best_buys
