"""The agent ``random``: every legal move alike, every amount alike.

It is no opponent but a measure: of the engine, which it drives through every corner of the rules;
of learning, which must leave it behind at once; and of cost, since no agent chooses for less than
a look at what is legal and a random word. That it sells and buys the bank at any price makes it a
source of chips at tables that trade: leave it out of matches that are to measure play.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pontoon_env._jit import inlined
from pontoon_env.actions import chips_of_move
from pontoon_env.random_stream import Purpose, Words, below, unit, words
from pontoon_env.rules import RulesRecord
from pontoon_env.state import N_MOVES, Game

_SEAT_SHIFT: Final = 32
_HALF: Final = np.uint64(32)

_MOVE_BITS: Final = (1 << N_MOVES) - 1
_CHOICES: Final = np.arange(_MOVE_BITS + 1)
_N_BITS: Final = np.bitwise_count(_CHOICES).astype(np.int8)
"""How many moves are legal, by the moves as bits."""
_LOWEST_BIT: Final = np.bitwise_count((_CHOICES & -_CHOICES) - 1).astype(np.int8)
"""The first of them; not read where there is none."""


@inlined
def agent_words(game: Game) -> Words:
    """Return the random words that belong to the seat to act and to its decision."""
    place = (game["seat"] << _SEAT_SHIFT) + game["decision"]
    return words(game, Purpose.AGENT, place, 0)


@inlined
def choose_at_random(rules: RulesRecord, game: Game, moves: int) -> tuple[int, int]:
    """Choose one of some moves uniformly, and its amount as a uniform fraction of what is legal."""
    block = agent_words(game)
    n_moves: int = np.int64(_N_BITS[moves & _MOVE_BITS])  # type: ignore[assignment]
    for _ in range(below(block[0] >> _HALF, n_moves)):
        moves &= moves - 1  # all but the lowest bit
    move: int = np.int64(_LOWEST_BIT[moves & _MOVE_BITS])  # type: ignore[assignment]
    return move, chips_of_move(rules, game, move, unit(block[1]))
