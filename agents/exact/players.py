"""The agent ``exact``: the best response of a player to a banker who plays by a fixed rule."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.exact.banker_rule import final_hands
from agents.exact.fresh_pack import check_fresh_pack, fresh_pack_response
from agents.exact.from_tables import choose_from_tables
from agents.exact.player_response import Response, check_solved, player_response
from pontoon_env.opponents import EXACT
from pontoon_env.rules import Rules

DEFAULT_BANKER: Final = "stick17"
"""The rule that is answered where nothing says otherwise."""


def check_response(rules: Rules) -> None:
    """Do nothing where the best play against the ``banker_rule`` of ``rules`` is solved.

    Raises:
        ValueError: It is not; the message names the field and what would work.
    """
    check_solved(rules)
    if rules.packs != "infinite":
        check_fresh_pack(rules)


def best_response(rules: Rules) -> Response:
    """Return the best play of a player against the ``banker_rule`` of ``rules``.

    Raises:
        ValueError: It is not solved; see `check_response`.
    """
    check_response(rules)
    return _solved(replace(rules, seats=2, deals=1, min_stake=1, max_stake=1))


@functools.cache
def _solved(rules: Rules) -> Response:
    """Return the best play; once for all tables whose hands are worth the same."""
    return player_response(rules) if rules.packs == "infinite" else fresh_pack_response(rules)


class ExactPlayer:
    """Plays best against a banker's fixed rule; see `pontoon_env.agent.CompiledAgent`.

    On a first card that is worth more than nothing it stakes the most, else the least. Where it is
    the banker itself, it plays by the rule that it answers.
    """

    def __init__(self, banker: str | None = None) -> None:
        """Answer the rule ``banker``.

        Args:
            banker: ``stickN`` or ``stickNsoft``; where None, the ``banker_rule`` of the rules that
                are played, and ``stick17`` where that is free.

        Raises:
            ValueError: It is no such rule.
        """
        if banker is not None:
            final_hands(banker)
        self.banker = banker
        self.name = "exact"
        self.number = EXACT

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the best play by ``rules`` is solved; see `pontoon_env.agent.Agent`."""
        check_response(self.answered(rules))
        for field in ("bank_sale", "bank_refusable"):
            if rules.deals > 1 and getattr(rules, field):
                raise ValueError(
                    f"exact: deals={rules.deals} with {field}=true is not solved; it plays "
                    f"deals=1, or {field}=false"
                )

    def answered(self, rules: Rules) -> Rules:
        """Return ``rules`` with the ``banker_rule`` that the agent answers.

        Raises:
            ValueError: They bind the banker to another one.
        """
        bound = None if rules.banker_rule == "free" else rules.banker_rule
        if bound and self.banker not in (None, bound):
            raise ValueError(
                f"exact: banker_rule={bound!r} is not what it answers; it plays banker_rule='free' "
                f"or {self.banker!r}"
            )
        return replace(rules, banker_rule=self.banker or bound or DEFAULT_BANKER)

    def write_tables(self, rules: Rules, tables: NDArray[np.void]) -> None:
        """Write the best play into a record; see `pontoon_env.agent.CompiledAgent`."""
        answered = self.answered(rules)
        found = best_response(answered)
        record = answered.to_record()[0]
        n_hands = len(found.hands.cards)
        table = tables[0]
        table["after"][:n_hands] = found.hands.after
        table["choices"][:n_hands] = found.choices
        table["splits"] = found.splits
        table["stakes_most"] = found.ev_by_first_card > 0
        table["natural"] = found.hands.natural
        table["split_pontoon"] = found.hands.split_pontoon
        for field in ("banker_sticks_on", "banker_draws_soft"):
            table[field] = record[field]

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a move and chips for each game; see `pontoon_env.agent.TableAgent`."""
        return choose_from_tables(self, rules, games)
