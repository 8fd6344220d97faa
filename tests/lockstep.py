"""The engine and the naive referee side by side: the same decisions, compared after every one."""

from __future__ import annotations

import random
from collections import deque

import numpy as np

from pontoon_env.history import Line
from pontoon_env.rules import Rules
from tests.naive import Card, Referee, full_pack, random_rules
from tests.scripted import EngineGame
from tests.views import compare_views


class EngineChance:
    """Chance as the engine had it: the referee is told its shuffles and cards in their order."""

    def __init__(self) -> None:
        self._packs: deque[list[Card]] = deque()
        self._cards: deque[Card] = deque()
        self._settled: deque[list[Card]] = deque()

    def hear(self, line: Line) -> None:
        """Note a line of the engine's history."""
        if line["line"] == "shuffle":
            self._packs.append(line["pack"])
        elif line["line"] == "card":
            self._cards.append(line["card"])
        elif line["line"] == "settle":
            self._settled.append(line["pack"])

    def shuffled_pack(self) -> list[Card]:
        """Return the engine's next shuffled pack."""
        return list(self._packs.popleft())

    def card(self) -> Card:
        """Return the engine's next card."""
        return self._cards.popleft()

    def gathered(self, cards: list[Card]) -> list[Card]:
        """Return the order in which the engine gathered ``cards``."""
        pack = self._settled.popleft()
        order = pack[len(pack) - len(cards) :]
        assert sorted(order) == sorted(cards), "the engine gathered other cards than the referee"
        return order


class Lockstep:
    """One session on both."""

    def __init__(self, rules: Rules, seed: int, pack: list[Card] | None = None) -> None:
        """Begin a session; ``pack`` stacks the first pack, from which cards may be missing."""
        chance = EngineChance()
        fields = rules.to_dict()
        self.engine = EngineGame(fields, pack=pack, seed=seed, hear=chance.hear)
        self.referee = Referee(
            fields,
            banker=self.engine.first_banker,
            pack=self.engine.first_pack,
            chance=chance,
            seed=seed,
        )
        self._n_compared = 0

    def decide(self, move: str, chips: int | None) -> None:
        """Make a decision on both."""
        self.engine.act(move, chips)
        self.referee.act(move, chips)

    def compare(self) -> None:
        """Assert that both stand at the same point of the same session."""
        engine, referee = self.engine, self.referee
        start = self._n_compared
        assert engine.lines[start:] == referee.lines[start:]
        self._n_compared = len(engine.lines)
        assert engine.seat == referee.seat
        assert engine.legal() == referee.legal()
        assert engine.chips == referee.chips
        assert (engine.kitty, engine.outstanding) == (referee.kitty, referee.outstanding)
        assert engine.banker == referee.banker
        assert engine.pack == referee.pack


FAVOURED = ("7", "AK", "AK", "AK", "AQJ", "AQJ", "A234", "9", "K", "67")
"""Ranks that `rich_pack` brings to the top: royals, pontoons, tricks, splits, burnt hands."""


def rich_pack(chosen: random.Random, packs: int) -> list[Card]:
    """Return a whole pack in which some ranks lie near the top, so that rare things happen."""
    favoured = chosen.choice(FAVOURED)
    cards = full_pack(packs)
    return sorted(cards, key=lambda card: chosen.random() * (0.15 if card[0] in favoured else 1))


def play_rules(seed: int) -> tuple[Rules, list[Card] | None]:
    """Return random rules and, two times in five, a rich pack or one that runs out."""
    chosen = random.Random(seed)
    if seed % 5 == 3:
        rules = random_rules(chosen, packs=chosen.choice((1, 2)))
        return Rules.from_dict(rules), rich_pack(chosen, rules["packs"])
    if seed % 5 == 4:
        rules = random_rules(chosen, packs=1, deals=1)
        pack = rich_pack(chosen, 1)
        return Rules.from_dict(rules), pack[: 2 * rules["seats"] + chosen.randrange(6)]
    return Rules.from_dict(random_rules(chosen)), None


def random_decision(lockstep: Lockstep, generator: np.random.Generator) -> tuple[str, int | None]:
    """Return a random legal decision: a split rather often, an amount often at a limit."""
    legal = list(lockstep.referee.legal().items())
    move, bounds = legal[generator.integers(len(legal))]
    if generator.random() < 0.5 and "split" in dict(legal):
        move, bounds = "split", None
    if bounds is None:
        return move, None
    low, high = bounds
    edge = generator.random()
    if edge < 0.3:
        return move, low if edge < 0.15 else high
    return move, int(generator.integers(low, high + 1))


def play_lockstep(
    rules: Rules, seed: int, generator: np.random.Generator, pack: list[Card] | None = None
) -> int:
    """Play a session with random legal decisions on both; return how many it took.

    After every decision both are compared, and what one seat, drawn anew each time, sees.
    """
    lockstep = Lockstep(rules, seed, pack)
    n_decisions = 0
    while lockstep.engine.seat is not None:
        lockstep.compare()
        compare_views(lockstep, [int(generator.integers(rules.seats))])
        lockstep.decide(*random_decision(lockstep, generator))
        n_decisions += 1
    lockstep.compare()
    return n_decisions
