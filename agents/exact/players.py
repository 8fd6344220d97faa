"""The agent ``exact``: the best response of a player to a banker who plays by a fixed rule."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.exact.banker_rule import final_hands
from agents.exact.fresh_pack import check_fresh_pack, fresh_pack_response
from agents.exact.player_response import DEAR, Choice, Response, check_solved, player_response
from pontoon_env._jit import entry_point, kernel
from pontoon_env.engine.hands import best_total, lowest_count, points
from pontoon_env.engine.legality import can_split
from pontoon_env.rules import Rules, RulesRecord
from pontoon_env.state import Game, Hand, Move, Phase

DEFAULT_BANKER: Final = "stick17"
"""The rule that is answered where nothing says otherwise."""


class Tables(NamedTuple):
    """A `Response` as kernels read it."""

    after: NDArray[np.int64]
    choices: NDArray[np.int64]
    splits: NDArray[np.bool_]
    wins: NDArray[np.bool_]
    """``(11,)``: whether the first card is worth more than nothing."""
    natural: int
    split_pontoon: int


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


@functools.cache
def _tables(rules: Rules) -> tuple[NDArray[np.void], Tables]:
    """Return the rules and the best play as kernels read them."""
    found = best_response(rules)
    return rules.to_record(), Tables(
        found.hands.after,
        found.choices,
        found.splits,
        found.ev_by_first_card > 0,
        found.hands.natural,
        found.hands.split_pontoon,
    )


class ExactPlayer:
    """Plays best against a banker's fixed rule; see `pontoon_env.agent.TableAgent`.

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

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a move and chips for each game; see `pontoon_env.agent.TableAgent`."""
        record, tables = _tables(self.answered(rules))
        moves, chips = np.zeros(games.size, np.int64), np.zeros(games.size, np.int64)
        _choose(record, games, tables, moves, chips)
        return moves, chips


@entry_point
def _choose(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    tables: Tables,
    moves: NDArray[np.int64],
    chips: NDArray[np.int64],
) -> None:
    """Write the best choice in each game.

    Args:
        rules: One record of rules, with the ``banker_rule`` that is answered.
        games: ``(n,)``, each at a decision of `Phase` STAKE, PLAY or BANKER; not changed.
        tables: The best play.
        moves: Out, ``(n,)``, a `Move` each.
        chips: Out, ``(n,)``.
    """
    for i in range(games.size):
        seat = games[i]["seats"][games[i]["seat"]]
        if games[i]["phase"] == Phase.STAKE:
            wins = tables.wins[points(seat["hands"][0]["cards"][0])]
            moves[i] = Move.STAKE
            chips[i] = rules[0]["max_stake"] if wins else rules[0]["min_stake"]
        elif games[i]["phase"] == Phase.PLAY:
            moves[i], chips[i] = _choose_in_play(rules[0], games[i], tables)
        else:
            moves[i] = Move.TWIST if _draws(rules[0], seat["hands"][0]) else Move.STICK


@kernel
def _choose_in_play(rules: RulesRecord, game: Game, tables: Tables) -> tuple[int, int]:
    """Return move and chips of the hand in play.

    A hand that somebody else has begun, at prices between the extremes, is played as the nearest
    one that the tables hold.
    """
    seat = game["seats"][game["seat"]]
    hand = seat["hands"][game["hand"]]
    move: int = Move.SPLIT
    chips = 0
    if can_split(rules, game, seat, hand) and tables.splits[points(hand["cards"][0])]:
        return move, chips
    number = 0
    for i in range(hand["n_cards"]):
        number = tables.after[number, points(hand["cards"][i])]
    if seat["n_hands"] > 1 and number == tables.natural:
        number = tables.split_pontoon
    least = seat["initial_stake"]
    stake = min(hand["stake"] // least, 2 * hand["n_cards"] - 3)
    choice = tables.choices[number, stake, _most(hand, least)]
    move = Move.STICK
    if choice == Choice.TWIST:
        move = Move.TWIST
    elif choice >= Choice.BUY_LEAST:
        move = Move.BUY
        chips = least * (choice - 1)
    return move, chips


@kernel
def _most(hand: Hand, least: int) -> int:
    """Return the most that the next card may cost, in E; 0 where the hand has twisted (P20)."""
    if hand["is_twisted"] != 0:
        return 0
    if hand["last_price"] == 0:
        return DEAR
    return min(hand["last_price"] // least, DEAR)


@kernel
def _draws(rules: RulesRecord, hand: Hand) -> bool:
    """Tell whether the rule that is answered draws to the banker's hand."""
    total = best_total(hand)
    if total == rules["banker_sticks_on"] and rules["banker_draws_soft"] != 0:
        return total != lowest_count(hand)
    return total < rules["banker_sticks_on"]
