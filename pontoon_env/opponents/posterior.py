"""What the course of a live hand tells of its hidden cards: a posterior over its strengths.

Hidden cards are supposed to be any cards, drawn from an even pack; each thing that the player was
seen to do then weighs them by how likely that was. The supposed player plays as ``basic``
(`basic_player.WANTS`), but for a share of decisions that are made in the style of another player,
careful or bold, so that nothing that can be seen is impossible. What tells:

* the initial stake: the largest is staked on an ace, a two or a three, the least on the others;
* a pair that was not split is hardly one that ``basic`` splits;
* a card bought at the highest price: the hand could not bust, or was one card from a trick;
* a card bought for less, a card twisted, and in the end that the player stuck.

Bought cards are hidden and come before the twisted ones, which lie face up (P21): so a hand is a
number of hidden cards, then known ones. What hidden cards alone tell is worked out here, once, when
the module is loaded; the kernel follows the cards that are up.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, EVEN_PACK, N_PIPS, N_SUITS, TEN_POINTS
from pontoon_env.engine.hands import Strength, points
from pontoon_env.opponents.basic_player import (
    SPLIT_FROM,
    SPLIT_TO,
    STAKE_UP_TO,
    WANTS,
    WANTS_CARD,
    WOULD_BUY,
    tricks_pay_double,
)
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, HandStatus, Seat

N_COUNTS: Final = TARGET + 1
N_STRENGTHS: Final = len(range(Strength.ROYAL + 1))

OTHER_STYLES: Final = 0.08
"""Share of decisions, but for stakes, in which a player is supposed not to play as ``basic``."""
OTHER_STAKES: Final = 0.03
"""Share of initial stakes that are supposed to tell nothing of the first card."""

_BUY_FULL: Final = 0
_BUY_LESS: Final = 1
_TWIST: Final = 2
_STICK: Final = 3
_N_SEEN: Final = 4
"""What a player can be seen to do with a hand."""

_STAKE_UNKNOWN: Final = 0
_STAKE_LOW: Final = 1
_STAKE_HIGH: Final = 2
_N_STAKES: Final = 3
"""Kinds of hands by what is known of the first card; of a split hand it is known: a kind each."""


def _other_draws(n_cards: int, count: int, is_soft: bool) -> tuple[float, float]:
    """Return how likely a player of another style, careful or bold, is to buy and to twist.

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
    return 0.0, {15: 0.25, 16: 0.2}.get(total, 0.02)


def _likely() -> NDArray[np.float64]:
    """Return how likely each thing is that is seen; see `_LIKELY`."""
    likely = np.zeros((2, 2, MAX_HAND_CARDS, N_COUNTS, 2, _N_SEEN))
    for tricks, twisted, n_cards, count, ace in np.ndindex(likely.shape[:-1]):
        if n_cards < 2 or count < n_cards:
            continue
        row = likely[tricks, twisted, n_cards, count, ace]
        if count == TARGET:
            row[_STICK] = 1.0
            continue
        is_soft = ace == 1 and count + ACE_BONUS <= TARGET
        wants = WANTS[tricks, twisted, n_cards, count, int(is_soft)]
        must_draw = count + ACE_BONUS * is_soft < 15
        if not must_draw and wants & WANTS_CARD == 0:
            row[_STICK] = 1 - OTHER_STYLES
        elif wants & WOULD_BUY != 0 and twisted == 0:
            row[_BUY_FULL] = 1 - OTHER_STYLES
        else:
            row[_TWIST] = 1 - OTHER_STYLES
        buys, twists = _other_draws(n_cards, count, is_soft)
        if twisted == 1:
            buys, twists = 0.0, buys + twists
        others = np.array([buys / 2, buys / 2, twists, 1 - buys - twists])
        row += OTHER_STYLES * others
    return likely


_LIKELY: Final = _likely()
"""``(2, 2, 5, 22, 2, 4)``: chance of what is seen, by whether a trick pays double, whether the hand
has twisted, its cards, its count with aces as 1 and whether it holds an ace."""


def _first_card(kind: int) -> NDArray[np.float64]:
    """Return the chances of the first card by its pips, ``(11,)``, for a kind of hand."""
    if kind >= _N_STAKES:
        known = np.zeros(N_PIPS)
        known[kind - _N_STAKES + 1] = 1.0
        return known
    if kind == _STAKE_UNKNOWN:
        return EVEN_PACK
    is_likely = (np.arange(N_PIPS) <= STAKE_UP_TO) == (kind == _STAKE_HIGH)
    return EVEN_PACK * np.where(is_likely, 1 - OTHER_STAKES / 2, OTHER_STAKES / 2)


def _two_cards(kind: int) -> NDArray[np.float64]:
    """Return two cards that are no pontoon and were not split, by count and ace.

    The result, ``(22, 2, 11)``, holds a chance, then that chance times the number of hidden cards
    of each number of pips.
    """
    state = np.zeros((N_COUNTS, 2, N_PIPS))
    for first, chance in enumerate(_first_card(kind)):
        for second in range(1, N_PIPS):
            if chance == 0 or {first, second} == {1, TEN_POINTS}:
                continue
            is_split = first == second and SPLIT_FROM <= first <= SPLIT_TO
            share = chance * EVEN_PACK[second] * (OTHER_STYLES if is_split else 1.0)
            cell = state[first + second, int(1 in (first, second))]
            cell[0] += share
            cell[second] += share
            if kind < _N_STAKES:
                cell[first] += share
    return state


def _with_hidden_card(state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return hands, as `_two_cards` has them, after one more hidden card that busts none."""
    after = np.zeros_like(state)
    for pips in range(1, N_PIPS):
        moved = state[: N_COUNTS - pips] * EVEN_PACK[pips]
        moved[..., pips] += moved[..., 0]
        if pips == 1:
            after[pips:, 1] += moved.sum(1)
        else:
            after[pips:] += moved
    return after


N_KINDS: Final = _N_STAKES + TEN_POINTS


def _hidden_hands() -> NDArray[np.float64]:
    """Return the hands of hidden cards alone; see `_CHANCES`."""
    hands = np.zeros((2, N_KINDS, 2, MAX_HAND_CARDS + 1, N_COUNTS, 2, N_PIPS))
    for tricks, kind, is_less in np.ndindex(hands.shape[:3]):
        state = _two_cards(kind)
        for n_cards in range(2, MAX_HAND_CARDS + 1):
            hands[tricks, kind, is_less, n_cards] = state
            if n_cards < MAX_HAND_CARDS:
                bought = _LIKELY[tricks, 0, n_cards, :, :, _BUY_LESS if is_less else _BUY_FULL]
                state = _with_hidden_card(state * bought[..., None])
    return hands


def _stuck(hands: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return strengths and hidden cards of hands that ended without a twist.

    Args:
        hands: As `_hidden_hands` returns.

    Returns:
        `_STUCK` and `_STUCK_CARDS`.
    """
    strengths = np.zeros((*hands.shape[:4], N_STRENGTHS))
    cards = np.zeros((*hands.shape[:4], N_PIPS))
    for tricks, kind, is_less, n_cards in np.ndindex(hands.shape[:4]):
        if n_cards < 2:
            continue
        state = hands[tricks, kind, is_less, n_cards].copy()
        if n_cards < MAX_HAND_CARDS:
            state *= _LIKELY[tricks, 0, n_cards, :, :, _STICK, None]
        here = strengths[tricks, kind, is_less, n_cards]
        for count, ace in np.ndindex(state.shape[:2]):
            is_soft = ace == 1 and count + ACE_BONUS <= TARGET
            total = Strength.TRICK if n_cards == MAX_HAND_CARDS else count + ACE_BONUS * is_soft
            here[total] += state[count, ace, 0]
        all_chances = here.sum()
        if all_chances > 0:
            cards[tricks, kind, is_less, n_cards, 1:] = state[..., 1:].sum((0, 1)) / all_chances
            here /= all_chances
    return strengths, cards


_HANDS: Final = _hidden_hands()
_CHANCES: Final = np.ascontiguousarray(_HANDS[..., 0])
"""``(2, 13, 2, 6, 22, 2)``: how likely hidden cards, bought at the highest price or for less, are a
count, with an ace or without; by tricks, kind of hand, price and number of cards."""
_CARDS: Final = _HANDS[1, _STAKE_UNKNOWN, 0] / np.maximum(
    _HANDS[1, _STAKE_UNKNOWN, 0, ..., :1], np.finfo(np.float64).tiny
)
"""``(6, 22, 2, 11)``: how many cards of each number of pips hidden cards of a count hold."""
_STUCK, _STUCK_CARDS = _stuck(_HANDS)
"""``(2, 13, 2, 6, 25)`` and ``(2, 13, 2, 6, 11)``: chances of the strengths of a hand that ended
without a twist, and how many cards of each number of pips are hidden in it."""


@kernel
def kind_of_hand(rules: RulesRecord, owner: Seat, hand: Hand) -> int:
    """Return the kind of a hand by what is known of its first card."""
    if hand["up"] & 1 != 0 and owner["n_hands"] > 1:
        return _N_STAKES - 1 + points(hand["cards"][0])
    if rules["min_stake"] == rules["max_stake"]:
        return _STAKE_UNKNOWN
    if 2 * owner["initial_stake"] > rules["min_stake"] + rules["max_stake"]:
        return _STAKE_HIGH
    return _STAKE_LOW


@kernel
def read_hand(
    rules: RulesRecord,
    game: Game,
    owner: Seat,
    hand: Hand,
    chances: NDArray[np.float64],
    unseen: NDArray[np.float64],
) -> None:
    """Write how likely a player's live hand is of each strength, from what everybody saw of it.

    Args:
        rules: The rules.
        game: In the banker's turn.
        owner: The player.
        hand: The hand, live.
        chances: Out, ``(25,)``, all 0 before.
        unseen: Changed, ``(11,)``: numbers of cards by pips, of which the hand's hidden cards are
            taken away, as many as may be expected.
    """
    n_cards = hand["n_cards"]
    is_split = owner["n_hands"] > 1
    if hand["status"] == HandStatus.DECLARED:
        chances[Strength.PONTOON] = 1.0
        if not is_split:
            unseen[TEN_POINTS] -= 1.0
        return
    kind = kind_of_hand(rules, owner, hand)
    tricks = 1 if tricks_pay_double(rules, game) else 0
    n_hidden = n_cards
    for card in range(n_cards - 1, 1, -1):
        if (hand["up"] >> card) & 1 != 0:
            n_hidden = card
    is_less = 0
    if 2 * owner["initial_stake"] * (n_hidden - 2) + owner["initial_stake"] > hand["stake"]:
        is_less = 1
    closes = hand["is_split_ace"] != 0 and rules["split_aces_one_card"] != 0
    if n_hidden == n_cards and not closes:
        for rank in range(N_STRENGTHS):
            chances[rank] = _STUCK[tricks, kind, is_less, n_cards, rank]
        for pips in range(1, N_PIPS):
            unseen[pips] -= _STUCK_CARDS[tricks, kind, is_less, n_cards, pips]
        return
    _follow_twists(rules, hand, n_hidden, tricks, kind, is_less, chances, unseen)


@kernel
def _follow_twists(
    rules: RulesRecord,
    hand: Hand,
    n_hidden: int,
    tricks: int,
    kind: int,
    is_less: int,
    chances: NDArray[np.float64],
    unseen: NDArray[np.float64],
) -> None:
    """Do as `read_hand` for a hand of which some cards were twisted, or that closed on two cards.

    Args:
        rules: The rules.
        hand: The hand.
        n_hidden: How many cards it had before the first twist.
        tricks: 1 where a trick pays double.
        kind: Its kind.
        is_less: 1 where a card was bought for less than the highest price.
        chances: Out.
        unseen: Changed.
    """
    n_cards = hand["n_cards"]
    sum_of_chances = 0.0
    mean_count = 0.0
    chance_of_ace = 0.0
    for count in range(2, N_COUNTS):
        for ace in range(2):
            chance = _CHANCES[tricks, kind, is_less, n_hidden, count, ace]
            after = count
            has_ace = ace
            for n in range(n_hidden, n_cards):
                if chance == 0.0 or after >= TARGET:
                    chance = 0.0
                    break
                is_twisted = 1 if n > n_hidden else 0
                chance *= _LIKELY[tricks, is_twisted, n, after, has_ace, _TWIST]
                card = hand["cards"][n]
                after += points(card)
                if card // N_SUITS == ACE:
                    has_ace = 1
            if chance == 0.0 or after > TARGET:
                continue
            if n_cards == MAX_HAND_CARDS:
                rank: int = Strength.TRICK
            else:
                rank = after + ACE_BONUS if has_ace == 1 and after + ACE_BONUS <= TARGET else after
                if n_cards > n_hidden:
                    chance *= _LIKELY[tricks, 1, n_cards, after, has_ace, _STICK]
            chances[rank] += chance
            sum_of_chances += chance
            mean_count += chance * count
            chance_of_ace += chance * ace
    if sum_of_chances <= 0.0:
        chances[rules["stick_min"]] = 1.0
        return
    for rank in range(N_STRENGTHS):
        chances[rank] /= sum_of_chances
    if kind < _N_STAKES:
        likeliest = np.int64(mean_count / sum_of_chances + 0.5)
        ace = 1 if 2.0 * chance_of_ace > sum_of_chances else 0
        for pips in range(1, N_PIPS):
            unseen[pips] -= _CARDS[n_hidden, likeliest, ace, pips]
