"""The agent ``basic`` as the banker: it draws or stays by what it may expect to be paid (P28, P30).

For each live hand it follows the cards as everybody saw them come, keeping how likely each count
is: hidden cards are any card, and each buy, twist and stick tells something of the count it was
made on. Then it weighs staying against drawing, now and later, from the cards that do not lie face
up.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_SUITS, TEN_POINTS
from pontoon_env.engine.hands import Strength, best_total, has_ace, lowest_count, points
from pontoon_env.engine.settlement import HALVES, stakes_won
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, HandStatus, Move

_N_COUNTS: Final = TARGET + 1
_N_STRENGTHS: Final = len(range(Strength.ROYAL + 1))
_OF_A_RANK: Final = 4.0
_RANKS_OF_TEN: Final = 4


def _supposed_draws(n_cards: int, count: int, is_soft: bool) -> tuple[float, float]:
    """Return how likely a player, careful or bold, is supposed to buy and to twist on a hand.

    Args:
        n_cards: Cards of the hand, 2 to 4.
        count: Its count with aces as 1, under 21.
        is_soft: Whether an ace may count 11.
    """
    total = count + ACE_BONUS if is_soft else count
    if n_cards == 4:
        draws = 1.0 if total < 15 else 0.7 if count <= 16 else 0.1
        return 0.9 * draws, 0.1 * draws
    if total < 15:
        buys = 0.7 if count <= 12 else 0.1
        return buys, 1.0 - buys
    if is_soft:
        draws = 0.8 if total <= 17 else 0.5 if total == 18 or n_cards == 3 else 0.05
        return 0.8 * draws, 0.2 * draws
    twists = {15: 0.25, 16: 0.2}.get(total, 0.02)
    return 0.0, twists


def _draw_table() -> NDArray[np.float64]:
    """Return `_supposed_draws` of all hands, ``(2, 5, 22, 2)``: buy or twist, cards, count, ace."""
    table = np.zeros((2, MAX_HAND_CARDS, _N_COUNTS, 2))
    for n_cards in range(2, MAX_HAND_CARDS):
        for count in range(2, TARGET):
            for ace in range(2):
                is_soft = ace == 1 and count + ACE_BONUS <= TARGET
                table[:, n_cards, count, ace] = _supposed_draws(n_cards, count, is_soft)
    return table


def _two_cards() -> NDArray[np.float64]:
    """Return the chances of two cards that are no pontoon, ``(22, 2)``: count, has an ace."""
    chances = np.zeros((_N_COUNTS, 2))
    pips = [*range(1, TEN_POINTS), *[TEN_POINTS] * _RANKS_OF_TEN]
    for first in pips:
        for second in pips:
            if {first, second} != {1, TEN_POINTS}:
                chances[first + second, int(1 in (first, second))] += 1 / len(pips) ** 2
    return chances


def _stuck_on_two_cards() -> NDArray[np.float64]:
    """Return the chances of each strength of two hidden cards that a player stuck on, ``(25,)``."""
    chances = np.zeros(_N_STRENGTHS)
    for count in range(_N_COUNTS):
        for ace in range(2):
            is_soft = ace == 1 and count + ACE_BONUS <= TARGET
            sticks = 1.0 - _DRAWS[:, 2, count, ace].sum()
            chances[count + ACE_BONUS if is_soft else count] += _TWO_CARDS[count, ace] * sticks
    chances /= chances.sum()
    return chances


_DRAWS: Final = _draw_table()
_TWO_CARDS: Final = _two_cards()
_STUCK_ON_TWO: Final = _stuck_on_two_cards()
_EVEN_PACK: Final = np.array([0, *[1.0] * 9, _RANKS_OF_TEN]) / (9 + _RANKS_OF_TEN)
"""Chances of a card by its pips."""


@kernel
def choose_as_banker(rules: RulesRecord, game: Game) -> int:
    """Draw where that is expected to be paid more than staying on what the banker holds."""
    hand = game["seats"][game["banker"]]["hands"][0]
    paid = np.zeros(_N_STRENGTHS)
    _expect_payments(rules, game, paid)
    pack = np.zeros(TEN_POINTS + 1)
    _unseen_cards(rules, game, pack)
    return (
        Move.TWIST if _value_of_drawing(hand, paid, pack) > paid[best_total(hand)] else Move.STICK
    )


@kernel
def _value_of_drawing(hand: Hand, paid: NDArray[np.float64], pack: NDArray[np.float64]) -> float:
    """Return what the banker may expect who draws now and goes on as well as possible, in chips.

    Args:
        hand: The banker's, of two to four cards.
        paid: What ending with each strength is paid, in chips, ``(25,)``.
        pack: Chances of the next card by its pips, ``(11,)``.
    """
    own_count = lowest_count(hand)
    own_ace = 1 if has_ace(hand) else 0
    values = np.zeros((MAX_HAND_CARDS + 1, _N_COUNTS, 2))
    drawing = 0.0
    for n in range(MAX_HAND_CARDS - 1, hand["n_cards"] - 1, -1):
        top = own_count if n == hand["n_cards"] else TARGET - 1
        for count in range(own_count, top + 1):
            for ace in range(own_ace, 2):
                drawing = 0.0
                for pips in range(1, TEN_POINTS + 1):
                    after = count + pips
                    if after > TARGET:
                        drawing += pack[pips] * paid[Strength.BUST]
                    elif n + 1 == MAX_HAND_CARDS:
                        drawing += pack[pips] * paid[Strength.TRICK]
                    elif after == TARGET:
                        drawing += pack[pips] * paid[TARGET]
                    else:
                        drawing += pack[pips] * values[n + 1, after, 1 if pips == 1 else ace]
                if top == own_count and ace == own_ace:
                    return drawing
                total = count + ACE_BONUS if ace == 1 and count + ACE_BONUS <= TARGET else count
                values[n, count, ace] = max(drawing, paid[total])
    return drawing


@kernel
def _unseen_cards(rules: RulesRecord, game: Game, pack: NDArray[np.float64]) -> None:
    """Write the chances of the next card by its pips: the pack without the cards that lie face up.

    Args:
        rules: The rules.
        game: In the banker's turn.
        pack: Out, ``(11,)``.
    """
    for pips in range(1, TEN_POINTS + 1):
        pack[pips] = _EVEN_PACK[pips]
    if rules["packs"] == 0:
        return
    for pips in range(1, TEN_POINTS + 1):
        pack[pips] = _OF_A_RANK * rules["packs"] * (_RANKS_OF_TEN if pips == TEN_POINTS else 1)
    for seat in range(rules["seats"]):
        owner = game["seats"][seat]
        for i in range(owner["n_hands"]):
            hand = owner["hands"][i]
            for card in range(hand["n_cards"]):
                if (hand["up"] >> card) & 1 != 0:
                    pack[points(hand["cards"][card])] -= 1.0
    n_cards = pack.sum()
    for pips in range(1, TEN_POINTS + 1):
        pack[pips] /= n_cards


@kernel
def _expect_payments(rules: RulesRecord, game: Game, paid: NDArray[np.float64]) -> None:
    """Write what the live hands may be expected to pay for each strength of the banker (P30, S7).

    Args:
        rules: The rules.
        game: In the banker's turn.
        paid: Out, chips, ``(25,)``: by the banker's `Strength` or total.
    """
    stakes = np.zeros(_N_STRENGTHS)
    bets = np.zeros(_N_STRENGTHS)
    chances = np.zeros(_N_STRENGTHS)
    for seat in range(rules["seats"]):
        if seat == game["banker"]:
            continue
        owner = game["seats"][seat]
        for i in range(owner["n_hands"]):
            hand = owner["hands"][i]
            if hand["status"] == HandStatus.BUST:
                continue
            _guess_strength(rules, hand, chances)
            for rank in range(_N_STRENGTHS):
                stakes[rank] += chances[rank] * hand["stake"]
                bets[rank] += chances[rank] * hand["bet"]
    least = lowest_count(game["seats"][game["banker"]]["hands"][0])
    for own in range(Strength.TRICK + 1):
        if Strength.BUST < own < least:
            continue
        for rank in range(_N_STRENGTHS):
            if stakes[rank] > 0.0:
                won = stakes_won(rules, rank, own, False)
                if game["is_doubled"] != 0 and -2 * HALVES < won < 2 * HALVES and won != 0:
                    won = 2 * HALVES if won > 0 else -2 * HALVES
                paid[own] -= stakes[rank] * won / HALVES
                paid[own] -= bets[rank] if won > 0 else -bets[rank] if won < 0 else 0.0


@kernel
def _guess_strength(rules: RulesRecord, hand: Hand, chances: NDArray[np.float64]) -> None:
    """Write how likely a finished hand has each strength, by what everybody saw of it (P26).

    Args:
        rules: The rules.
        hand: A player's live hand.
        chances: Out, ``(25,)``: by `Strength` or total; they sum to one.
    """
    for rank in range(_N_STRENGTHS):
        chances[rank] = 0.0
    n_cards = hand["n_cards"]
    if hand["status"] == HandStatus.DECLARED:
        chances[Strength.PONTOON] = 1.0
        return
    if n_cards == MAX_HAND_CARDS:
        chances[Strength.TRICK] = 1.0
        return
    if n_cards == 2 and hand["up"] == 0:
        for rank in range(_N_STRENGTHS):
            chances[rank] = _STUCK_ON_TWO[rank]
        return
    now = np.zeros((_N_COUNTS, 2))
    then = np.zeros((_N_COUNTS, 2))
    if hand["up"] & 1 != 0:  # a split hand: its first card lies face up
        first = hand["cards"][0]
        then[points(first), 1 if first // N_SUITS == ACE else 0] = 1.0
        _add_card(then, now, 0)
    else:
        now[:, :] = _TWO_CARDS
    for n in range(2, n_cards):
        is_up = (hand["up"] >> n) & 1 != 0
        for count in range(_N_COUNTS):
            for ace in range(2):
                then[count, ace] = now[count, ace] * (
                    _DRAWS[1, n, count, ace] if is_up else _DRAWS[0, n, count, ace]
                )
                now[count, ace] = 0.0
        _add_card(then, now, points(hand["cards"][n]) if is_up else 0)
    closes = hand["is_split_ace"] != 0 and rules["split_aces_one_card"] != 0
    sum_of_chances = 0.0
    for count in range(_N_COUNTS):
        for ace in range(2):
            total = count + ACE_BONUS if ace == 1 and count + ACE_BONUS <= TARGET else count
            chance = now[count, ace]
            if not closes:
                chance *= 1.0 - _DRAWS[0, n_cards, count, ace] - _DRAWS[1, n_cards, count, ace]
            chances[total] += chance
            sum_of_chances += chance
    if sum_of_chances <= 0.0:
        chances[rules["stick_min"]] = 1.0
        return
    for rank in range(_N_STRENGTHS):
        chances[rank] /= sum_of_chances


@kernel
def _add_card(before: NDArray[np.float64], after: NDArray[np.float64], pips: int) -> None:
    """Add to ``after`` the chances of a hand after one card more, one that does not bust it.

    Args:
        before: Chances of the counts, ``(22, 2)``: count, has an ace.
        after: Out, likewise.
        pips: The card's, an ace's 1; 0 for a hidden card, which may be any.
    """
    low = 1 if pips == 0 else pips
    high = TEN_POINTS if pips == 0 else pips
    for count in range(_N_COUNTS):
        for ace in range(2):
            chance = before[count, ace]
            if chance > 0.0:
                for card in range(low, min(high, TARGET - count) + 1):
                    after[count + card, 1 if card == 1 else ace] += chance * (
                        1.0 if pips != 0 else _EVEN_PACK[card]
                    )
