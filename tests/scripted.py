"""Scripted deals: stacked packs, decisions as text, on the engine and on the naive referee."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from pontoon_env import batch
from pontoon_env.cards import card_names, parse_cards
from pontoon_env.engine.legality import amount_bounds, legal_moves
from pontoon_env.history import Line, Recorder, pack_in_order, stack_pack
from pontoon_env.rules import Rules
from pontoon_env.state import N_AMOUNT_MOVES, Move, Outcome, Phase
from tests.naive import DEFAULT_RULES, Card, Chance, Referee, SeededChance, full_pack

Legal = dict[str, tuple[int, int] | None]


class Game(Protocol):
    """What the engine and the referee have in common; see `tests.naive.Referee`."""

    lines: list[Line]

    @property
    def seat(self) -> int | None: ...
    @property
    def hand(self) -> int | None: ...
    @property
    def pack(self) -> list[Card]: ...
    @property
    def chips(self) -> list[int]: ...
    @property
    def kitty(self) -> int: ...
    @property
    def outstanding(self) -> int: ...
    @property
    def banker(self) -> int: ...
    def legal(self) -> Legal: ...
    def act(self, move: str, chips: int | None = None) -> None: ...


class EngineGame:
    """The engine behind the referee's interface; its chance is its own."""

    def __init__(
        self,
        rules: Mapping[str, Any],
        *,
        banker: int | None = None,
        pack: Sequence[Card] | None = None,
        chance: Chance | None = None,
        seed: int | None = None,
        hear: Callable[[Line], None] | None = None,
    ) -> None:
        """Begin a session; banker and pack are the seed's where left out."""
        self.rules = Rules.from_dict(rules)
        self.record = self.rules.to_record()
        self.games = batch.new_games(1)
        self.lines: list[Line] = []
        self._hear = hear
        batch.begin_batch(
            self.record, self.games, np.array([seed or 0], np.uint64), np.zeros(1, np.uint64)
        )
        self.game = self.games[0]
        if banker is not None:
            self.game["banker"] = self.game["seat"] = banker
        if pack is not None:
            stack_pack(self.game, parse_cards(pack))
            self.game["n_fresh"] = len(pack)
        self.first_banker = int(self.game["banker"])
        self.first_pack = self.pack
        self._recorder = Recorder(self.rules, self.games, self._write)
        self._recorder.begin(seed)

    def _write(self, line: Line) -> None:
        self.lines.append(line)
        if self._hear is not None:
            self._hear(line)

    @property
    def seat(self) -> int | None:
        return None if self.game["phase"] == Phase.OVER else int(self.game["seat"])

    @property
    def hand(self) -> int | None:
        return int(self.game["hand"])

    @property
    def pack(self) -> list[Card]:
        return [] if self.rules.packs == "infinite" else card_names(pack_in_order(self.game))

    @property
    def chips(self) -> list[int]:
        chips: list[int] = self.game["seats"]["chips"][: self.rules.seats].tolist()
        return chips

    @property
    def kitty(self) -> int:
        return int(self.game["kitty"])

    @property
    def outstanding(self) -> int:
        return int(self.game["outstanding"])

    @property
    def banker(self) -> int:
        return int(self.game["banker"])

    def legal(self) -> Legal:
        bits = legal_moves(self.record[0], self.game)
        legal: Legal = {}
        for move in Move:
            if (bits >> move) & 1:
                low, high = amount_bounds(self.record[0], self.game, int(move))
                legal[move.name.lower()] = (int(low), int(high)) if move < N_AMOUNT_MOVES else None
        return legal

    def act(self, move: str, chips: int | None = None) -> None:
        outcome = self._recorder.decide(Move[move.upper()], chips or 0)
        if outcome != Outcome.OK:
            raise ValueError(f"{move} {chips} is illegal: {outcome!r}; legal are {self.legal()}")


def stacked(hands: list[str], then: str = "", packs: int = 1) -> list[Card]:
    """A pack that deals each seat its two cards, then the cards of `then`, then the rest.

    Args:
        hands: For each seat the ranks of its first two cards, the banker's (seat 0) first.
        then: The ranks of the cards that follow, in dealing order. Suits are given out in turn.
        packs: How many packs of 52 it is made of.
    """
    dealing_order = [*hands[1:], hands[0]]
    ranks = "".join(hand[0] for hand in dealing_order) + "".join(hand[1] for hand in dealing_order)
    rest = full_pack(packs)
    top = []
    for rank in ranks + then:
        card = next(card for card in rest if card[0] == rank)
        rest.remove(card)
        top.append(card)
    return top + rest


def play(game: Game, *steps: str) -> None:
    """Plays steps such as "2 stake 10" and checks that it is that seat's turn each time."""
    for step in steps:
        seat, move, *chips = step.split()
        assert game.seat == int(seat), (step, game.seat, game.legal())
        game.act(move, int(chips[0]) if chips else None)


def told(game: Game) -> list[str]:
    """Every decision so far as "2 stake", in order: who was asked, and what they did."""
    return [f"{line['seat']} {line['move']}" for line in lines(game, "decision")]


def last_hands(game: Game) -> list[list[str]]:
    """The ranks of the hands that the last settlement showed, for each seat, left to right."""
    shown = lines(game, "settle")[-1]["shown"]
    return [[ranks(hand) for hand in seat] for seat in shown]


def drift(game: Game) -> None:
    """Play to the end: stake the least, stick as soon as one may, else twist; refuse the rest."""
    while game.seat is not None:
        legal = game.legal()
        move = next(move for move in ("stick", "pass", "twist", "stake", "kitty") if move in legal)
        limits = legal[move]
        game.act(move, None if limits is None else limits[0])


def case_names(*modules: Mapping[str, Any]) -> list[str]:
    """The names of a module's cases: "test_x", or "test_x[id]" where cases are given by ids.

    Args:
        modules: The names of each module, such as `vars` returns.
    """
    names = []
    for module in modules:
        for name, test in module.items():
            if not name.startswith("test_") or not callable(test):
                continue
            marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
            ids = [getattr(value, "id", None) for mark in marks for value in mark.args[1]]
            names += [f"{name}[{id_}]" for id_ in ids if id_] or [name]
    return names


def stakes(players: int) -> list[str]:
    """Ten chips from each player."""
    return [f"{seat} stake 10" for seat in range(1, players + 1)]


def lines(game: Game, name: str) -> list[dict[str, Any]]:
    """The lines of one name."""
    return [line for line in game.lines if line["line"] == name]


def net(game: Game) -> list[int]:
    """The net chips of the first deal."""
    result: list[int] = lines(game, "settle")[0]["net"]
    return result


def names_after_settlement(game: Game) -> list[str]:
    """The names of the lines after the first settlement."""
    names = [line["line"] for line in game.lines]
    return names[names.index("settle") + 1 :]


def ranks(cards: list[Card]) -> str:
    """The ranks of some cards."""
    return "".join(card[0] for card in cards)


def make_table(
    game: type[Any],
    hands: list[str],
    then: str = "",
    *,
    pack: list[Card] | None = None,
    **rules: Any,
) -> Any:
    """A session of one deal from a stacked pack with small stakes; `rules` overrule defaults."""
    given = {**DEFAULT_RULES, "seats": len(hands), "deals": 1, "min_stake": 1, **rules}
    packs = given["packs"]
    if pack is None:
        pack = [] if packs == "infinite" else stacked(hands, then, packs)
    return game(given, banker=0, pack=pack, chance=SeededChance(random.Random(1), packs))


MakeTable = Callable[..., Any]

GAMES = (Referee, EngineGame)
"""The two that play every script."""
