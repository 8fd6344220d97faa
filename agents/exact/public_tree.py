"""The two-seat game as a tree of what is public: every stake, every price, every twisted card.

What a player holds is a kind of hand (`agents.exact.kinds`) at a node of the tree; what the banker
holds is independent of it, since every card comes from an infinite pack. So a node and a kind are
an information set of the player, and a node and the kind and number of the banker's cards are one
of the banker, who plays where the player's hand has been closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from agents.exact.kinds import (
    AFTER,
    CHANCES,
    COUNT,
    HARD_21,
    MAX_PIPS,
    N_KINDS,
    NO_CARDS,
    SOFT_21,
    TOTAL,
)
from agents.exact.payments import halves_won
from pontoon_env.engine.legality import CERTAIN_FIFTH
from pontoon_env.opponents import by_equilibrium, tables
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_HAND_CARDS

MAX_STAKE: Final = 10
"""The largest stake that is solved: the nodes grow with its third power."""
STICK: Final = by_equilibrium.STICK
TWIST: Final = by_equilibrium.TWIST
FIRST_PRICE: Final = by_equilibrium.FIRST_PRICE
"""Actions of the player: stick, twist, and from here on buy for E, E + 1, … chips."""
N_ACTIONS: Final = tables.N_ACTIONS
MAY_STICK: Final = 1
MAY_TWIST: Final = 2
MAY_BUY: Final = 4
FIRST_DECISION: Final = by_equilibrium.FIRST_DECISION
"""A hand is played from two cards on, a player's and the banker's alike."""
N_DECISIONS: Final = tables.N_DECISIONS
"""Numbers of cards on which a hand can be asked: two, three and four."""
START: Final = -1
"""Stands for the parent of a node of two cards."""

NODE: Final = np.dtype(
    [
        ("stake", np.int64),
        ("n_cards", np.int64),
        ("total_stake", np.int64),
        ("highest_price", np.int64),
        ("first_bought", np.int64),
        ("first_twisted", np.int64),
        ("parent", np.int64),
        ("shown_pips", np.int64),
    ]
)
"""A node; `Node` says what each field holds."""


class Node(TypedDict):
    """The fields of `NODE`, for type checkers."""

    stake: int
    """E, in chips."""
    n_cards: int
    """Cards of the player's hand, 2 to 5."""
    total_stake: int
    """T, in chips."""
    highest_price: int
    """The most that the next card may be bought for; 0 where a card has been twisted."""
    first_bought: int
    """The node after a card bought for E; for each chip more, one further on."""
    first_twisted: int
    """The node after a twisted ace; for each pip more, one further on."""
    parent: int
    shown_pips: int
    """Pips of the card that was twisted last; 0 where the last card lies face down."""


_NEEDED: Final[dict[str, object]] = {
    "seats": 2,
    "deals": 1,
    "packs": "infinite",
    "shoot": False,
    "split": "none",
    "banker_doubles": False,
    "trick_beats_pontoon": False,
    "royal": False,
    "burn": "none",
    "banker_rule": "free",
}
"""What the rules must be, for the tree to be the whole game."""


def check_two_seat_rules(rules: Rules) -> None:
    """Refuse rules whose game is not the one that is solved here.

    Raises:
        ValueError: A field has another value than the game asks for; the message names both.
    """
    for field, needed in _NEEDED.items():
        if getattr(rules, field) != needed:
            raise ValueError(
                f"{field}={getattr(rules, field)!r} is not solved: the two-seat game asks for "
                f"{field}={needed!r}, as in Rules.two_seat_exact()"
            )
    if rules.max_stake > MAX_STAKE:
        raise ValueError(
            f"max_stake={rules.max_stake} is not solved: the two-seat game asks for stakes of 1 to "
            f"{MAX_STAKE} chips, as in Rules.two_seat_exact()"
        )


@dataclass(frozen=True, eq=False)
class TwoSeatGame:
    """The game of `Rules.two_seat_exact`, ready to be solved."""

    rules: Rules
    chances: NDArray[np.float64]
    """``(11,)``: chance of a card by its pips."""
    nodes: NDArray[np.void]
    """``NODE``: those of two cards first, by stake, then those of three, four and five."""
    n_open: int
    """How many nodes, the first ones, have fewer than five cards: there the player is asked."""

    @cached_property
    def halves(self) -> NDArray[np.int64]:
        """What a hand wins by its strength and the banker's, in halves of its stake."""
        halves: NDArray[np.int64] = halves_won(self.rules)[0]
        return halves

    @cached_property
    def stakes(self) -> NDArray[np.int64]:
        """The stakes that may be chosen, in chips; stake ``i`` leads to node ``i``."""
        return np.arange(self.rules.min_stake, self.rules.max_stake + 1)

    @cached_property
    def rights(self) -> NDArray[np.int64]:
        """What a player may do with a hand: see `rights_by_kind`."""
        return rights_by_kind(self.rules)

    @cached_property
    def by_first_card(self) -> NDArray[np.float64]:
        """Chances of the kinds of two cards after a first card of so many pips, ``(11, 34)``."""
        kinds = np.zeros((MAX_PIPS + 1, N_KINDS))
        for first in range(1, MAX_PIPS + 1):
            for second in range(1, MAX_PIPS + 1):
                kinds[first, AFTER[AFTER[NO_CARDS, first], second]] += self.chances[second]
        return kinds

    @cached_property
    def two_cards(self) -> NDArray[np.float64]:
        """Chances of the kinds of two cards, ``(34,)``: that of `SOFT_21` is a pontoon's."""
        return self.chances @ self.by_first_card

    @property
    def natural(self) -> float:
        """The chance that two cards are a pontoon."""
        return float(self.two_cards[SOFT_21])


def build_game(rules: Rules, chances: NDArray[np.float64] = CHANCES) -> TwoSeatGame:
    """Return the tree of the game under ``rules``.

    Args:
        rules: Rules such as `Rules.two_seat_exact`; see `check_two_seat_rules`.
        chances: ``(11,)``: chance of a card by its pips; another pack than the real one makes a
            smaller game.

    Raises:
        ValueError: The rules make another game.
    """
    check_two_seat_rules(rules)
    nodes = [
        (stake, FIRST_DECISION, stake, 2 * stake, 0, 0, START, 0)
        for stake in range(rules.min_stake, rules.max_stake + 1)
    ]
    place = 0
    while place < len(nodes) and nodes[place][1] < MAX_HAND_CARDS:
        stake, n_cards, total, highest, _, _, parent, shown = nodes[place]
        first_bought = len(nodes)
        nodes += [
            (stake, n_cards + 1, total + price, price, 0, 0, place, 0)
            for price in range(stake, highest + 1)
        ]
        first_twisted = len(nodes)
        nodes += [
            (stake, n_cards + 1, total, 0, 0, 0, place, pips) for pips in range(1, MAX_PIPS + 1)
        ]
        nodes[place] = (stake, n_cards, total, highest, first_bought, first_twisted, parent, shown)
        place += 1
    return TwoSeatGame(rules, chances, np.array(nodes, NODE), place)


def rights_by_kind(rules: Rules) -> NDArray[np.int64]:
    """Return what a player may do with a hand, ``(6, 34)``: by number of cards and kind.

    The sum of `MAY_STICK`, `MAY_TWIST` and `MAY_BUY` (where no card was twisted); 0 where the hand
    closes by itself (P20 to P24).
    """
    rights = np.zeros((MAX_HAND_CARDS + 1, N_KINDS), np.int64)
    for n_cards in range(FIRST_DECISION, MAX_HAND_CARDS):
        for kind in range(N_KINDS):
            is_soft_21 = kind == SOFT_21 and (n_cards == FIRST_DECISION or not rules.soft21_draws)
            if kind == HARD_21 or is_soft_21:
                continue
            rights[n_cards, kind] = MAY_TWIST
            if TOTAL[kind] >= rules.stick_min:
                rights[n_cards, kind] += MAY_STICK
            is_certain = n_cards == MAX_HAND_CARDS - 1 and COUNT[kind] <= CERTAIN_FIFTH
            if not (is_certain and rules.no_certain_fifth):
                rights[n_cards, kind] += MAY_BUY
    return rights
