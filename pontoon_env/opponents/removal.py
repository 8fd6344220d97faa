"""What a hand is worth where the pack is not even: values, and the effect of each card on them.

Counting cards pays by small differences: an ace gone, two tens too many. To weigh them at every
decision would take a whole dynamic programme each time. Instead it is solved once, when this module
is loaded, for the even pack and for packs with a little more of one card; the differences are the
effects of that card (Griffin, "The Theory of Blackjack", 1979, calls them the effects of removal).
At the table a value is then the even pack's plus the effects, each as often as the pack deviates.

The programme: a pack so large that cards do not run out, a banker who draws below 17 and stays from
there on, a stake of one, and cards bought at the highest price or twisted. Splits are valued as two
hands that are not split again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE_BONUS, EVEN_PACK, N_PIPS, TEN_POINTS
from pontoon_env.engine.hands import Strength
from pontoon_env.opponents.posterior import N_COUNTS, N_STRENGTHS
from pontoon_env.state import MAX_HAND_CARDS, TARGET

BUY: Final = 0
TWIST: Final = 1
_N_DRAWS: Final = 2
"""The two ways to draw a card."""

_BANKER_STAYS_FROM: Final = 17
_LEAST_TOTAL: Final = 15
_STEP: Final = 0.01
"""By how much of a pack a card is added to find its effect."""

_OPEN: Final = -1
_STAYS: Final = 2
"""Beside the ways to draw, what a plan says of a hand."""
_PLAN_SHAPE: Final = (2, MAX_HAND_CARDS + 1, N_COUNTS, 2)
_HANDS_SHAPE: Final = (2, MAX_HAND_CARDS, N_COUNTS, 2, _N_DRAWS)


@dataclass(frozen=True)
class Values:
    """What hands are worth for one pack, in initial stakes E, unless it says otherwise."""

    banker: NDArray[np.float64]
    """``(25,)``: how likely the banker ends on each strength, having no pontoon."""
    draws: NDArray[np.float64]
    """``(2, 5, 22, 2, 2)``: what drawing is worth, by whether the hand has twisted, its cards,
    its count with aces as 1, whether it holds an ace, and how it draws. Where it has twisted: in
    stakes of the hand."""
    bets: NDArray[np.float64]
    """Likewise, what a shoot bet on a hand that draws is worth, in bets."""
    halves: NDArray[np.float64]
    """``(11,)``: what half of a split pair is worth by its pips."""
    first: NDArray[np.float64]
    """``(11,)``: what a first card is worth by its pips, the banker's pontoon counted in."""
    first_bets: NDArray[np.float64]
    """``(11,)``: likewise a shoot bet on it, in bets."""

    def flat(self) -> NDArray[np.float64]:
        """Return all values, one after another."""
        parts = (self.banker, self.draws, self.bets, self.halves, self.first, self.first_bets)
        return np.concatenate([part.ravel() for part in parts])


_N_HANDS: Final = int(np.prod(_HANDS_SHAPE))
_DRAWS_AT: Final = N_STRENGTHS
_BETS_AT: Final = _DRAWS_AT + _N_HANDS
HALVES_AT: Final = _BETS_AT + _N_HANDS
"""Place of the first value of half a pair: that of a card with so many pips stands as far on."""
FIRST_AT: Final = HALVES_AT + N_PIPS
"""Place of the first value of a first card, likewise."""
FIRST_BETS_AT: Final = FIRST_AT + N_PIPS
"""Place of the first value of a shoot bet on a first card, likewise."""


def _total(count: int, ace: int) -> int:
    """Return the best total of a count that may hold an ace."""
    return count + ACE_BONUS if ace and count + ACE_BONUS <= TARGET else count


def _after_card(count: int, ace: int) -> list[tuple[int, int, int]]:
    """Return the pips that do not bust a hand, each with the count and the ace after it."""
    top = min(TEN_POINTS, TARGET - count)
    return [(pips, count + pips, int(ace or pips == 1)) for pips in range(1, top + 1)]


def _banker(pack: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how likely a banker without a pontoon ends on each strength, ``(25,)``."""
    ends = np.zeros(N_STRENGTHS)
    hands: dict[tuple[int, int], float] = {}
    for first in range(1, N_PIPS):
        for second in range(1, N_PIPS):
            if {first, second} != {1, TEN_POINTS}:
                hand = (first + second, int(1 in (first, second)))
                hands[hand] = hands.get(hand, 0.0) + pack[first] * pack[second]
    for n_cards in range(2, MAX_HAND_CARDS + 1):
        drawn: dict[tuple[int, int], float] = {}
        for (count, ace), chance in hands.items():
            if n_cards == MAX_HAND_CARDS:
                ends[Strength.TRICK] += chance
            elif _total(count, ace) >= _BANKER_STAYS_FROM:
                ends[_total(count, ace)] += chance
            else:
                for pips, after, has_ace in _after_card(count, ace):
                    hand = (after, has_ace)
                    drawn[hand] = drawn.get(hand, 0.0) + chance * pack[pips]
        hands = drawn
    ends /= 1 - 2 * pack[1] * pack[TEN_POINTS]
    ends[Strength.BUST] = 1 - ends.sum()
    return ends


def _solve(pack: NDArray[np.float64], trick_pays: float, plan: NDArray[np.int64]) -> Values:
    """Return the values for a pack, by dynamic programming from the last card back.

    Args:
        pack: ``(11,)``, the chances of a card by its pips.
        trick_pays: What a trick wins, in stakes.
        plan: ``(2, 6, 22, 2)``: how each hand is played: the way to draw, or `_STAYS`. Where it is
            `_OPEN`, the best is chosen and written. The effect of a card is that on a plan: where
            two choices are worth the same, a bet may not be, and would seem to jump.
    """
    banker = _banker(pack)
    stays, bets = _settled(banker, trick_pays)
    draws, draw_bets = np.zeros(_HANDS_SHAPE), np.zeros(_HANDS_SHAPE)
    best = np.zeros((*_PLAN_SHAPE, 2))  # worth of a hand, and of a bet on it
    for n_cards in range(MAX_HAND_CARDS, 1, -1):
        for twisted, count, ace in np.ndindex(2, N_COUNTS, 2):
            hand = (twisted, n_cards, count, ace)
            stake = 1 if twisted else 2 * n_cards - 3
            total = Strength.TRICK if n_cards == MAX_HAND_CARDS else _total(count, ace)
            choices = {}
            if total >= _LEAST_TOTAL:
                choices[_STAYS] = (stake * stays[total], bets[total])
            if n_cards < MAX_HAND_CARDS and count < TARGET:
                for way in range(_N_DRAWS):
                    drawn = _draw(pack, best, hand, way)
                    draws[(*hand, way)], draw_bets[(*hand, way)] = drawn
                    if way == TWIST or not twisted:
                        choices[way] = drawn
            if plan[hand] == _OPEN:
                plan[hand] = max(choices, key=lambda choice: choices[choice])
            best[hand] = choices[int(plan[hand])]
    return Values(banker, draws, draw_bets, *_first_cards(pack, best[0, 2]))


def _settled(
    banker: NDArray[np.float64], trick_pays: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what each strength wins against a banker, a stake and a bet, ``(25,)`` each."""
    stakes, bets = np.zeros(N_STRENGTHS), np.zeros(N_STRENGTHS)
    for strength in range(1, Strength.PONTOON):
        beats = banker[:strength].sum()
        bets[strength] = 2 * beats - 1
        pays = trick_pays if strength == Strength.TRICK else 1.0
        stakes[strength] = pays * beats - (1 - beats) - banker[Strength.TRICK]
    return stakes, bets


def _first_cards(
    pack: NDArray[np.float64], two: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return `Values.halves`, `Values.first` and `Values.first_bets`.

    Args:
        pack: The chances of a card.
        two: What hands of two cards, and bets on them, are worth, by count and ace.
    """
    halves, first, first_bets = np.zeros(N_PIPS), np.zeros(N_PIPS), np.zeros(N_PIPS)
    banker_pontoon = 2 * pack[1] * pack[TEN_POINTS]
    for card in range(1, N_PIPS):
        hands = np.array(
            [
                (2.0, 1.0)
                if {card, other} == {1, TEN_POINTS}
                else two[card + other, int(1 in (card, other))]
                for other in range(1, N_PIPS)
            ]
        )
        halves[card] = pack[1:] @ hands[:, 0]
        if card < TEN_POINTS:
            hands[card - 1, 0] = max(hands[card - 1, 0], 2 * halves[card])
        worth, bet = pack[1:] @ hands
        first[card] = (1 - banker_pontoon) * worth - 2 * banker_pontoon
        first_bets[card] = (1 - banker_pontoon) * bet - banker_pontoon
    return halves, first, first_bets


def _draw(
    pack: NDArray[np.float64],
    best: NDArray[np.float64],
    hand: tuple[int, int, int, int],
    way: int,
) -> tuple[float, float]:
    """Return what a hand that draws, and a bet on it, are worth.

    Args:
        pack: The chances of a card.
        best: What hands of more cards are worth.
        hand: Whether it has twisted, its cards, its count and whether it holds an ace.
        way: `BUY` or `TWIST`.
    """
    twisted, n_cards, count, ace = hand
    stake = 1 if twisted else 2 * n_cards - 3
    after = (0, n_cards + 1) if way == BUY else (1, n_cards + 1)
    scale = stake if way == TWIST else 1
    lost = stake + 2 if way == BUY else stake
    worth, bet, busts = 0.0, 0.0, 1.0
    for pips, count_after, has_ace in _after_card(count, ace):
        found = best[(*after, count_after, has_ace)]
        worth += pack[pips] * scale * found[0]
        bet += pack[pips] * found[1]
        busts -= pack[pips]
    return worth - busts * lost, bet - busts


def _effects() -> NDArray[np.float64]:
    """Return all values and the effects of the cards on them; see `VALUES`."""
    tables = []
    for trick_pays in (1.0, 2.0):
        plan = np.full(_PLAN_SHAPE, _OPEN)
        even = _solve(EVEN_PACK, trick_pays, plan).flat()
        table = np.zeros((even.size, N_PIPS))
        table[:, 0] = even
        for pips in range(1, N_PIPS):
            card = np.zeros(N_PIPS)
            card[pips] = 1.0
            other = _solve((1 - _STEP) * EVEN_PACK + _STEP * card, trick_pays, plan).flat()
            table[:, pips] = (other - even) / _STEP
        tables.append(table)
    return np.array(tables)


VALUES: Final = _effects()
"""``(2, n, 11)``: by whether a trick pays double, each value for an even pack, and its changes with
the shares of the cards of 1 to 10 pips."""


@kernel
def value_at(tricks: int, place: int, pack: NDArray[np.float64]) -> float:
    """Return a value for a pack.

    Args:
        tricks: 1 where a trick pays double.
        place: Where the value stands in `VALUES`.
        pack: ``(11,)``: by how much the share of each card deviates from the even pack's.
    """
    value: float = VALUES[tricks, place, 0]
    for pips in range(1, N_PIPS):
        value += VALUES[tricks, place, pips] * pack[pips]
    return value


@kernel
def draws_at(is_twisted: int, n_cards: int, count: int, ace: int, way: int) -> int:
    """Return where the value of drawing to a hand stands in `VALUES`; see `Values.draws`."""
    hand = ((is_twisted * MAX_HAND_CARDS + n_cards) * N_COUNTS + count) * 2 + ace
    return _DRAWS_AT + hand * _N_DRAWS + way


@kernel
def bets_at(is_twisted: int, n_cards: int, count: int, ace: int, way: int) -> int:
    """Return where the value of a bet on a hand that draws stands in `VALUES`."""
    return draws_at(is_twisted, n_cards, count, ace, way) + _BETS_AT - _DRAWS_AT
