"""Tables whose seats the caller plays, in one compiled call: decide, run on, say who is next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import as_kernel, entry_point
from pontoon_env.actions import chips_of_move
from pontoon_env.batch import NO_MOVE, status_batch
from pontoon_env.engine.session import advance, decide
from pontoon_env.state import Outcome

_write_status = as_kernel(status_batch)


@entry_point
def step_tables(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    moves: NDArray[np.int64],
    fractions: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    seats: NDArray[np.int64],
    masks: NDArray[np.int8],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    worths: NDArray[np.int64],
) -> None:
    """Make a decision in each game, run on to the next, and write how the games stand then.

    Unlike `batch.play_batch` it knows no compiled agents, which take half of the time to compile.

    Args:
        rules: One record of rules.
        games: ``(n,)``, changed in place; a game whose decision is refused stays as it is.
        moves: ``(n,)``, a `Move` each, or `batch.NO_MOVE` to run on only.
        fractions: ``(n,)``, amounts as fractions of the legal interval; not read where the move
            takes none.
        outcomes: Out, ``(n,)``, an `Outcome` each.
        seats: Out, as of `batch.status_batch`, like all that follow.
        masks: Out.
        lows: Out.
        highs: Out.
        worths: Out.
    """
    for i in range(games.size):
        game = games[i]
        outcomes[i] = Outcome.OK
        if moves[i] != NO_MOVE:
            chips = chips_of_move(rules[0], game, moves[i], fractions[i])
            outcomes[i] = decide(rules[0], game, moves[i], chips)
        if outcomes[i] == Outcome.OK:
            advance(rules[0], game)
    _write_status(rules, games, seats, masks, lows, highs, worths)
