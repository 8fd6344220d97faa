"""The best response of a player to a banker who plays by a fixed rule, by dynamic programming.

A player against such a banker is alone in the world: what a hand draws, buys and splits is all that
decides what it may expect. Three facts keep this small.

Payments grow with stakes in proportion, so what a hand may expect is convex in each price: no price
between the least and the largest is better than both. A third card costs E or 2E, a later one E or
what the card before cost (P20).

A player's cards and the banker's come from one pack in an order that says nothing, so the banker's
hand may be thought of as dealt after the player has finished. Values are weighed by the chance
that the banker has no natural, since play goes on only then (P14); the weight is the same for all
moves.

The halves of a split hand stand in nobody's way, so their values add up (see `_worth_of_splits`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.exact.banker_rule import Cards, final_strengths, kind_of_cards, strength_of
from agents.exact.kinds import (
    BUST,
    CHANCES,
    COUNT,
    HARD_21,
    MAX_PIPS,
    SOFT_21,
    TOTAL,
    kind_name,
)
from agents.exact.payments import N_STRENGTHS, halves_won
from pontoon_env.cards import N_RANKS
from pontoon_env.engine.hands import Strength
from pontoon_env.engine.legality import CERTAIN_FIFTH
from pontoon_env.engine.settlement import HALVES
from pontoon_env.opponents.by_table import DEAR, Choice
from pontoon_env.opponents.tables import N_STAKES, NO_HAND
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Move

LADDERS: Final = {
    2: ((1, 2),),
    3: ((1, 0), (2, 1), (3, 2)),
    4: ((1, 0), (3, 1), (4, 1), (5, 2)),
}
"""By number of cards: the stakes that a hand can have, in E, each with the most that its next card
may cost; 0 where it has twisted, and then its stake makes no difference."""
_RANKS_OF_TEN: Final = N_RANKS - MAX_PIPS + 1
_DECIMALS: Final = 12
"""Values that agree so far are equal: the choice that comes first in `Choice` is made."""
_UNSOLVED: Final[tuple[tuple[str, tuple[object, ...], str], ...]] = (
    ("banker_rule", ("free",), "stick15 to stick21, or one of them with soft"),
    ("shoot", (True,), "shoot=false"),
    ("banker_doubles", (True,), "banker_doubles=false"),
    ("royal", (True,), "royal=false"),
    ("burn", ("13", "14"), "burn='none'"),
    ("trick_pays", (1.5,), "trick_pays=1 or 2: one and a half times is rounded to the chip"),
)


def check_solved(rules: Rules) -> None:
    """Do nothing where hands are solved under ``rules``, whatever the pack.

    Raises:
        ValueError: They are not; the message names the field and what would work.
    """
    for field, unsolved, works in _UNSOLVED:
        value = getattr(rules, field)
        if value in unsolved:
            text = str(value).lower() if isinstance(value, bool) else repr(value)
            raise ValueError(f"exact: {field}={text} is not solved; it plays {works}")


@dataclass(frozen=True)
class Hands:
    """The H hands that a player can hold, each as good as all that it stands for.

    Hand 0 has no cards. Where a natural occurs, the last hand is an ace and a ten-valued card as
    they are on a split hand (P19).
    """

    cards: tuple[Cards, ...]
    """A hand of each, by its pips."""
    after: NDArray[np.int64]
    """``(H, 11)``: the hand that each becomes by a card of so many pips, or `NO_HAND`."""
    chances: NDArray[np.float64]
    """``(H, 11)``: chances of that card; all 0 for a hand that never draws."""
    banker: NDArray[np.float64]
    """``(H, 25)``: how likely a banker whose cards come next ends with each strength."""
    natural: int
    """The number of a natural, or `NO_HAND`."""
    names: tuple[str, ...]
    """What tables call each."""

    @property
    def n_cards(self) -> NDArray[np.int64]:
        """Cards of each hand, ``(H,)``."""
        return np.array([len(cards) for cards in self.cards])

    @property
    def kinds(self) -> NDArray[np.int64]:
        """Kind of each hand (`agents.exact.kinds`), ``(H,)``."""
        return np.array([kind_of_cards(cards) for cards in self.cards])

    @property
    def is_split(self) -> NDArray[np.bool_]:
        """Tell which hand is an ace and a ten-valued card on a split hand, ``(H,)``."""
        return np.array([number == self.split_pontoon for number in range(len(self.cards))])

    @property
    def split_pontoon(self) -> int:
        """The number of an ace and a ten-valued card on a split hand, or `NO_HAND`."""
        return NO_HAND if self.natural == NO_HAND else len(self.cards) - 1

    def first(self, pips: int) -> int:
        """Return the number of the hand of one card, or `NO_HAND`."""
        return int(self.after[0, pips])


class Pack(Protocol):
    """Where the cards come from, the player's and then the banker's."""

    def chances(self, cards: Cards) -> NDArray[np.float64]:
        """Return the chances of the card after a hand of ``cards``, by its pips, ``(11,)``."""
        ...

    def key(self, cards: Cards) -> object:
        """Return what hands have in common that are as good as one another."""
        ...

    def name(self, cards: Cards) -> str:
        """Return what tables call a hand."""
        ...

    def banker(self, held: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how likely the banker ends with each strength, ``(H, 25)``.

        Args:
            held: ``(H, 11)``, the player's cards by their pips.
        """
        ...


def grow_hands(pack: Pack) -> Hands:
    """Return all hands that a player can hold by cards of a pack."""
    hands: list[Cards] = [()]
    numbers = {pack.key(()): 0}
    after, chances = [], []
    for cards in hands:  # it grows meanwhile
        is_full = kind_of_cards(cards) in (BUST, HARD_21) or len(cards) == MAX_HAND_CARDS
        chances.append(np.zeros(MAX_PIPS + 1) if is_full else pack.chances(cards))
        after.append([NO_HAND] * (MAX_PIPS + 1))
        for pips in np.flatnonzero(chances[-1]).tolist():
            drawn = tuple(sorted((*cards, pips)))
            after[-1][pips] = numbers.setdefault(pack.key(drawn), len(hands))
            if after[-1][pips] == len(hands):
                hands.append(drawn)
    natural = numbers.get(pack.key((1, MAX_PIPS)), NO_HAND)
    if natural != NO_HAND:
        hands.append(hands[natural])
        after.append(after[natural])
        chances.append(chances[natural])
    held = np.array([np.bincount(cards, minlength=MAX_PIPS + 1) for cards in hands])
    return Hands(
        tuple(hands),
        np.array(after),
        np.array(chances),
        pack.banker(held),
        natural,
        tuple(map(pack.name, hands)),
    )


@dataclass(frozen=True)
class Response:
    """A player's best play, and what it is worth, in E a deal, the banker's naturals included."""

    hands: Hands
    values: NDArray[np.float64]
    """``(H, 8, 3)``: what each hand of two cards or more may expect by its stake in E and the most
    that the next card may cost in E (0 for one that has twisted); weighed by the chance that the
    banker has no natural."""
    choices: NDArray[np.int64]
    """``(H, 8, 3)``: the `Choice` there; `NO_HAND` where the owner is not asked."""
    splits: NDArray[np.bool_]
    """``(11,)``: whether a pair of cards of so many pips is split, and split again."""
    ev_by_first_card: NDArray[np.float64]
    """``(11,)``: what the deal is worth on the first card, a stake of E being 1."""

    @property
    def ev_flat(self) -> float:
        """What a deal is worth at the stake E, before the cards."""
        return self.ev_best_stake(1.0)

    def ev_best_stake(self, ratio: float = 10.0) -> float:
        """Return what a deal is worth, in E, where up to ``ratio`` E is staked on the first card.

        The most is staked on a card that is worth more than nothing, else E: all between lies
        between in worth, too.
        """
        won = self.ev_by_first_card
        return float(self.hands.chances[0] @ np.where(won > 0, ratio * won, won))

    def table(self) -> list[dict[str, Any]]:
        """Return the choices of hands in play, one by one: hand, stake and price in E, move."""
        rows = []
        for number, cards in enumerate(self.hands.cards):
            for stake, most in LADDERS.get(len(cards), ()):
                if self.choices[number, stake, most] != NO_HAND:
                    choice = Choice(self.choices[number, stake, most])
                    is_bought = choice >= Choice.BUY_LEAST
                    move = Move.BUY if is_bought else Move[choice.name]
                    row = {"cards": len(cards), "hand": self.hands.names[number], "stake": stake}
                    row |= {"price_up_to": most, "move": move.name.lower()}
                    rows.append(row | ({"price": choice - 1} if is_bought else {}))
        return rows


@dataclass(frozen=True)
class InfinitePack:
    """Every card independent of all others: hands of one kind and as many cards are one."""

    banker_rule: str
    card_chances: NDArray[np.float64]

    def chances(self, cards: Cards) -> NDArray[np.float64]:
        """Return the same whatever the cards; see `Pack`."""
        return self.card_chances

    def key(self, cards: Cards) -> object:
        """Return number of cards and kind."""
        return len(cards), kind_of_cards(cards)

    def name(self, cards: Cards) -> str:
        """Return the name of the kind."""
        kind = kind_of_cards(cards)
        return "bust" if kind == BUST else kind_name(kind)

    def banker(self, held: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the same for all hands; see `Pack`."""
        strengths = final_strengths(self.banker_rule, self.card_chances)
        return np.broadcast_to(strengths, (len(held), N_STRENGTHS))


def player_response(rules: Rules, chances: NDArray[np.float64] = CHANCES) -> Response:
    """Return the best play from an infinite pack against the ``banker_rule`` of ``rules``.

    Args:
        rules: The rules; stakes, seats and what lies between deals make no difference.
        chances: ``(11,)``, those of a card by its pips; a ten is one of four ranks.

    Raises:
        ValueError: It is not solved; the message names the field and what would work.
    """
    check_solved(rules)
    if rules.packs != "infinite":
        raise ValueError(f"exact: packs={rules.packs} is no infinite pack")
    return solve(rules, grow_hands(InfinitePack(rules.banker_rule, chances)))


def solve(rules: Rules, hands: Hands) -> Response:
    """Return the best play with ``hands``; a pair is split only by the chances of its first card.

    That is exact from an infinite pack, and from any pack where nothing may be split.
    """
    n_cards, kinds = hands.n_cards, hands.kinds
    strengths = np.array([strength_of(kind, n) for kind, n in zip(kinds, n_cards, strict=True)])
    if rules.split_pontoon == "plain":
        strengths[hands.is_split] = TARGET
    halves = halves_won(rules)[hands.is_split.astype(np.int64), strengths]
    plays_on = np.arange(N_STRENGTHS) != Strength.PONTOON
    won = (halves * hands.banker) @ plays_on / HALVES
    is_bust = kinds == BUST
    won[is_bust] = -hands.banker[is_bust] @ plays_on  # final, whatever the banker ends with (P25)
    is_closed = (
        is_bust
        | (n_cards == MAX_HAND_CARDS)
        | (kinds == HARD_21)
        | (strengths == Strength.PONTOON)
        | ((kinds == SOFT_21) & (not rules.soft21_draws))
    )
    values, choices = _solve_play(rules, hands, won, ~is_closed)
    natural_won = halves[:, Strength.PONTOON] * hands.banker[:, Strength.PONTOON] / HALVES
    two_cards = values[:, 1, DEAR] + natural_won
    first_cards, splits = np.zeros(MAX_PIPS + 1), np.zeros(MAX_PIPS + 1, np.bool_)
    for pips in np.flatnonzero(hands.chances[0]).tolist():
        first = hands.first(pips)
        gain = _worth_of_splits(rules, hands, values[:, 1, DEAR], won, pips)
        first_cards[pips] = hands.chances[first] @ two_cards[hands.after[first]] + gain
        splits[pips] = gain > 0
    return Response(hands, values, choices, splits, first_cards)


def _solve_play(
    rules: Rules, hands: Hands, won: NDArray[np.float64], is_open: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return ``values`` and ``choices`` of a `Response`.

    Args:
        rules: The rules.
        hands: The hands.
        won: ``(H,)``, what each wins a stake where it ends.
        is_open: ``(H,)``, whether its owner is asked once it has two cards.
    """
    values = won[:, None, None] * np.arange(N_STAKES)[None, :, None] * np.ones(DEAR + 1)
    choices = np.full(values.shape, NO_HAND)
    for n in reversed(LADDERS):
        rows = np.flatnonzero(is_open & (hands.n_cards == n))
        kinds = hands.kinds[rows]
        drawn = np.einsum("hp,hpsm->hsm", hands.chances[rows], values[hands.after[rows]])
        can_stick = TOTAL[kinds] >= rules.stick_min
        is_certain = (n == MAX_HAND_CARDS - 1) & (COUNT[kinds] <= CERTAIN_FIFTH)
        can_buy = ~(is_certain & rules.no_certain_fifth)
        for stake in range(1, 2 * n - 2):
            for most in range(DEAR + 1):
                options = np.full((len(Choice), rows.size), -np.inf)
                options[Choice.STICK, can_stick] = stake * won[rows][can_stick]
                options[Choice.TWIST] = drawn[:, stake, 0]
                for price in range(1, most + 1):
                    options[price + 1, can_buy] = drawn[can_buy, stake + price, price]
                best = options.round(_DECIMALS).argmax(axis=0)
                choices[rows, stake, most] = best
                values[rows, stake, most] = options[best, np.arange(rows.size)]
    return values, choices


def _worth_of_splits(
    rules: Rules,
    hands: Hands,
    values: NDArray[np.float64],
    won: NDArray[np.float64],
    pips: int,
) -> float:
    """Return what the right to split is worth on a first card; 0 where splitting loses (P16).

    A pair played as it is has one value, split or not, so each split gains the same: two halves,
    each with a card of its own, in place of the pair. Where that is more than nothing, as many
    pairs are split as may be, and the worth is the gain times their expected number.

    Args:
        rules: The rules.
        hands: The hands.
        values: ``(H,)``, what each hand may expect at the stake E.
        won: ``(H,)``, what each wins a stake where it ends.
        pips: The first card's.
    """
    if rules.split == "none" or (rules.split == "aces" and pips != 1):
        return 0.0
    first = hands.first(pips)
    chances, after = hands.chances[first], hands.after[first]
    same_rank = chances[pips] / (_RANKS_OF_TEN if pips == MAX_PIPS else 1)
    halves = np.where(after == hands.natural, hands.split_pontoon, after)
    is_one_card = rules.split_aces_one_card and pips == 1
    half = chances @ (won if is_one_card else values)[halves]
    gain = 2 * half - values[after[pips]]
    if gain.round(_DECIMALS) <= 0:
        return 0.0
    n_splits = _splits(1 if is_one_card else rules.max_hands - 1, 1, same_rank)
    return float(same_rank * gain * n_splits)


def _splits(n_left: int, n_pairs: int, same_rank: float) -> float:
    """Return how many splits to expect where ``n_pairs`` pairs wait and all that may be are split.

    Args:
        n_left: How many more the rules allow.
        n_pairs: Pairs of one rank in hand.
        same_rank: Chance that a card makes a pair of a half.
    """
    if n_left == 0 or n_pairs == 0:
        return 0.0
    return 1.0 + sum(
        comb(2, new)
        * same_rank**new
        * (1 - same_rank) ** (2 - new)
        * _splits(n_left - 1, n_pairs - 1 + new, same_rank)
        for new in range(3)
    )
