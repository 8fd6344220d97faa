"""Golden histories and perft counts: the course of games is what it was."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from pontoon_env import batch
from pontoon_env.engine.legality import amount_bounds, legal_moves
from pontoon_env.history import read_history, verify_history
from pontoon_env.rules import Rules
from pontoon_env.state import N_AMOUNT_MOVES, Move, Phase
from tests.golden import FOLDER, SESSIONS, regenerated
from tests.naive import Referee, SeededChance
from tests.scripted import EngineGame


@pytest.mark.parametrize("name", SESSIONS)
def test_a_golden_session_takes_its_course(name: str) -> None:
    """Same seed, rules and decisions: the same game, line by line, on every machine."""
    kept = (FOLDER / f"{name}.jsonl").read_text()
    played = regenerated(name)
    if played != kept:
        lines = difflib.unified_diff(kept.splitlines(), played.splitlines(), "kept", "played", n=1)
        pytest.fail("\n".join(list(lines)[:20]))


@pytest.mark.parametrize("name", SESSIONS)
def test_a_golden_session_verifies(name: str) -> None:
    """What is kept follows from the rulebook."""
    assert verify_history(read_history(FOLDER / f"{name}.jsonl")).decisions > 0


PERFT = {
    "pontoon": (Rules.pontoon(seats=3, deals=1), 11, [2, 4, 16, 52, 188, 456, 872, 1328, 528]),
    "shoot": (Rules.shoot(seats=2, deals=1), 55, [2, 4, 12, 48, 184, 252, 348, 1200, 1776]),
}
"""Rules, seed, and how many decision sequences of length 1, 2, … there are, amounts at a limit."""

Decisions = list[tuple[str, int | None]]


def engine_perft(rules: Rules, games: np.ndarray, depth: int) -> int:
    """Count the decision sequences of a length on copies of the engine's record."""
    if depth == 0:
        return 1
    if games[0]["phase"] == Phase.OVER:
        return 0
    record = rules.to_record()
    bits = legal_moves(record[0], games[0])
    total = 0
    for move in Move:
        if (bits >> move) & 1:
            bounds = amount_bounds(record[0], games[0], int(move))
            for chips in sorted(set(bounds)) if move < N_AMOUNT_MOVES else [0]:
                following = games.copy()
                outcome = np.zeros(1, np.int64)
                made = np.array([move], np.int64), np.array([chips], np.int64)
                batch.step_batch(record, following, *made, outcome, True)
                assert outcome[0] == 0
                total += engine_perft(rules, following, depth - 1)
    return total


def referee_perft(begin: Callable[[], Referee], made: Decisions, depth: int) -> int:
    """Count the decision sequences of a length, each begun anew by the referee."""
    if depth == 0:
        return 1
    referee = begin()
    for move, chips in made:
        referee.act(move, chips)
    if referee.seat is None:
        return 0
    return sum(
        referee_perft(begin, [*made, (move, chips)], depth - 1)
        for move, bounds in referee.legal().items()
        for chips in ([None] if bounds is None else sorted(set(bounds)))
    )


@pytest.mark.parametrize("name", PERFT)
def test_perft(name: str) -> None:
    """From a fixed pack, both engines count the decision sequences kept here."""
    rules, seed, counts = PERFT[name]
    engine = EngineGame(rules.to_dict(), seed=seed)
    begin = partial(
        Referee,
        rules.to_dict(),
        banker=engine.first_banker,
        pack=engine.first_pack,
        chance=SeededChance(random.Random(0)),
    )
    depths = range(1, len(counts) + 1)
    assert [engine_perft(rules, engine.games, depth) for depth in depths] == counts
    assert [referee_perft(begin, [], depth) for depth in depths if counts[depth - 1] < 1500] == [
        count for count in counts if count < 1500
    ]
