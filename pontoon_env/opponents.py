"""The rule-based agents that play inside the batch loop: compiled, deterministic, by name.

An agent reads the rules, its own cards and what everybody sees, never the pack or a hidden card of another
seat. One that plays at random draws from a stream of its own, keyed by deal, seat and decision.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.engine.hands import best_total
from pontoon_env.engine.legality import legal_moves
from pontoon_env.random_stream import Purpose, below, unit, words
from pontoon_env.rules import RulesRecord
from pontoon_env.state import N_MOVES, Game, Move, Phase

RANDOM: Final = 0
"""Number of the agent that plays uniformly at random; an agent that sticks on N has number N."""

OPPONENTS: Final = {"random": RANDOM, **{f"stick{n}": n for n in range(15, 20)}}
"""Numbers of the agents by name."""

_SEAT_SHIFT: Final = 32
_HALF: Final = np.uint64(32)


def opponent_number(name: str) -> int:
    """Return the number of the agent called ``name``.

    Raises:
        ValueError: There is no such agent.
    """
    if name not in OPPONENTS:
        raise ValueError(f"no agent is called {name!r}; the agents are {', '.join(OPPONENTS)}")
    return OPPONENTS[name]


@kernel
def choose(opponent: int, rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Return the move and the chips that an agent chooses for the seat to act.

    Args:
        opponent: A number of `OPPONENTS`.
        rules: The rules.
        game: At a decision; not changed.
    """
    if opponent == RANDOM:
        return choose_at_random(rules, game)
    return choose_by_total(opponent, rules, game)


@kernel
def choose_at_random(rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Choose a legal move uniformly, and its amount as a uniform fraction of the legal interval."""
    moves = legal_moves(rules, game)
    n_moves = 0
    for move in range(N_MOVES):
        n_moves += (moves >> move) & 1
    place = (game["seat"] << _SEAT_SHIFT) + game["decision"]
    block = words(game, Purpose.AGENT, place, 0)
    left = below(block[0] >> _HALF, n_moves)
    for move in range(N_MOVES):
        if (moves >> move) & 1 != 0:
            if left == 0:
                return move, chips_of_move(rules, game, move, unit(block[1]))
            left -= 1
    return -1, 0


@kernel
def choose_by_total(total: int, rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Twist below a total and stick from it on, for the least stake; never buy, split, shoot or trade.

    Where the rules forbid to stick on the total, it twists; where no card is left, it sticks.
    """
    phase = game["phase"]
    moves = legal_moves(rules, game)
    if phase in (Phase.PLAY, Phase.BANKER):
        wants_card = best_total(game["seats"][game["seat"]]["hands"][game["hand"]]) < total
        can_stick = (moves >> Move.STICK) & 1 != 0
        can_twist = (moves >> Move.TWIST) & 1 != 0
        move = Move.TWIST if can_twist and (wants_card or not can_stick) else Move.STICK
    elif phase == Phase.STAKE:
        move = Move.STAKE
    elif phase in (Phase.FORM_KITTY, Phase.DRY_KITTY):
        move = Move.KITTY
    elif phase == Phase.ACCEPT_BANK:
        move = Move.ACCEPT
    else:
        move = Move.PASS
    return move, chips_of_move(rules, game, move, 0.0)
