"""The best response of a player to a fixed banker's rule from a fresh pack, card by card.

Every hand that differs in its pips is a hand of its own, and both the next card and the banker's
come from what is left. The banker's cards are thought of as drawn after the player's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.exact.banker_rule import Cards, final_hands
from agents.exact.kinds import CHANCES, MAX_PIPS
from agents.exact.payments import N_STRENGTHS
from agents.exact.player_response import Response, check_solved, grow_hands, solve
from pontoon_env._jit import entry_point
from pontoon_env.cards import N_CARDS
from pontoon_env.rules import Rules


def check_fresh_pack(rules: Rules) -> None:
    """Do nothing where each deal comes from a whole pack of which a player knows but the own cards.

    Raises:
        ValueError: It does not, or it may be split; the message says what would work.
    """
    works = (
        "it plays packs='infinite' with any seats, or seats=2 with a fresh pack and split='none'"
    )
    if rules.seats != 2:
        raise ValueError(
            f"exact: packs={rules.packs} with seats={rules.seats} is not solved; {works}"
        )
    if rules.split != "none" and rules.max_hands > 1:
        raise ValueError(
            f"exact: packs={rules.packs} with split={rules.split!r} is not solved; {works}"
        )
    if rules.deals > 1 and rules.shuffle != "every":
        raise ValueError(
            f"exact: packs={rules.packs} with deals={rules.deals} and shuffle={rules.shuffle!r} is "
            "not solved; it plays deals=1 or shuffle='every', where each deal has a fresh pack"
        )


@dataclass(frozen=True)
class FreshPack:
    """A whole pack, or two: hands of the same pips are one."""

    banker_rule: str
    n_packs: int

    def chances(self, cards: Cards) -> NDArray[np.float64]:
        """Return those of the cards that are left; see `Pack`."""
        left = (self._whole() - np.bincount(cards, minlength=MAX_PIPS + 1)).astype(np.float64)
        return left / float(left.sum())

    def key(self, cards: Cards) -> object:
        """Return the cards."""
        return cards

    def name(self, cards: Cards) -> str:
        """Return the cards, such as ``A-6-10``."""
        return "-".join("A" if pips == 1 else str(pips) for pips in cards)

    def banker(self, held: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how likely the banker ends with each strength from what is left; see `Pack`."""
        ends = final_hands(self.banker_rule)
        chances = np.zeros((len(held), N_STRENGTHS))
        _write_strengths(self._whole() - held, ends.cards, ends.orders, ends.strengths, chances)
        return chances

    def _whole(self) -> NDArray[np.int64]:
        """Return the cards of the whole pack by their pips, ``(11,)``."""
        return np.rint(CHANCES * N_CARDS * self.n_packs).astype(np.int64)


def fresh_pack_response(rules: Rules) -> Response:
    """Return the best play of two seats from a fresh pack against ``banker_rule``.

    Raises:
        ValueError: It is not solved; the message names the field and what would work.
    """
    check_solved(rules)
    if rules.packs == "infinite":
        raise ValueError("exact: packs='infinite' has no fresh pack")
    check_fresh_pack(rules)
    return solve(rules, grow_hands(FreshPack(rules.banker_rule, rules.packs)))


@entry_point
def _write_strengths(
    left: NDArray[np.int64],
    cards: NDArray[np.int64],
    orders: NDArray[np.int64],
    strengths: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> None:
    """Write how likely a banker ends with each strength, by the cards that are left.

    Args:
        left: ``(n, 11)``, cards left by their pips.
        cards: ``(L, 11)``, as of `FinalHands`.
        orders: ``(L,)``, likewise.
        strengths: ``(L,)``, likewise.
        chances: Out, ``(n, 25)``, zeros before.
    """
    for i in range(left.shape[0]):
        n_left = left[i].sum()
        for end in range(cards.shape[0]):
            likelihood = float(orders[end])
            n_drawn = 0
            for pips in range(1, cards.shape[1]):
                for n in range(cards[end, pips]):
                    likelihood *= (left[i, pips] - n) / (n_left - n_drawn)
                    n_drawn += 1
            chances[i, strengths[end]] += likelihood
