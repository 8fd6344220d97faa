"""A table whose seats the caller plays, in one compiled call: decide, run on, pay, show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import entry_point, inlined
from pontoon_env.actions import chips_of_move, write_mask
from pontoon_env.batch import NO_MOVE, NOBODY, TO_ACT
from pontoon_env.engine.legality import amount_bounds, legal_moves
from pontoon_env.engine.session import advance, decide
from pontoon_env.memory import write_memory
from pontoon_env.observation import observe
from pontoon_env.state import MAX_SEATS, N_MOVES, Game, Outcome, Phase


@entry_point
def play_table(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    move: int,
    fraction: float,
    observer: int,
    row: int,
    seen: NDArray[np.float32],
    masks: NDArray[np.int8],
    amounts: NDArray[np.float32],
    chips: NDArray[np.int64],
    payments: NDArray[np.int64],
) -> tuple[int, int, bool]:
    """Make a decision, run on to the next, and write how the game stands then.

    Unlike `batch.play_batch` it knows no compiled agents, which take half of the time to compile.

    Args:
        rules: One record of rules.
        games: One game, changed in place; where its decision is refused, it stays as it is.
        move: A `Move`, or `batch.NO_MOVE` to run on only.
        fraction: Its amount as a fraction of the legal interval; not read where it takes none.
        observer: Whose observation to write; `batch.TO_ACT` for the seat that is to act then.
        row: Which row of the next four to write.
        seen: Out, float32 ``(n, observation_size)``: the observation.
        masks: Out, int8 ``(2, n, N_MOVES)`` or ``(2, n, N_DISCRETE)``: what the observer may
            choose, and what the seat to act may.
        amounts: Out, float32 ``(2, n, N_MOVES)``: the observer's least and largest amounts, in
            least stakes.
        chips: Out, int64 ``(2, n, N_MOVES)``: those of the seat to act, in chips.
        payments: Out, int64 ``(MAX_SEATS,)``: by how much what each seat owns has changed, in
            chips.

    Returns:
        The `Outcome`; the seat to act, `batch.NOBODY` where the session is over; and whether
        anything was paid.
    """
    game = games[0]
    payments[:] = 0
    _add_worths(game, -1, payments)
    outcome = Outcome.OK.value
    if move != NO_MOVE:
        amount = chips_of_move(rules[0], game, move, fraction)
        outcome = decide(rules[0], game, move, amount)
    if outcome == Outcome.OK:
        advance(rules[0], game)
    _add_worths(game, 1, payments)
    seat = game["seat"] if observer == TO_ACT else observer
    n_seen = observe(rules[0], game, seat, seen, row)
    if seen.shape[1] > n_seen:
        write_memory(rules[0], game, seat, seen, row, n_seen)
    moves = legal_moves(rules[0], game)
    write_mask(moves, masks[1], row)
    write_mask(moves if seat == game["seat"] else 0, masks[0], row)
    for i in range(N_MOVES):
        low, high = 0, 0
        if (moves >> i) & 1 != 0:
            low, high = amount_bounds(rules[0], game, i)
        chips[0, row, i], chips[1, row, i] = low, high
        if seat != game["seat"]:
            low, high = 0, 0
        amounts[0, row, i] = low / rules[0]["min_stake"]
        amounts[1, row, i] = high / rules[0]["min_stake"]
    to_act = NOBODY if game["phase"] == Phase.OVER else int(game["seat"])
    return outcome, to_act, bool(payments.any())


@inlined
def _add_worths(game: Game, times: int, sums: NDArray[np.int64]) -> None:
    """Add what each seat owns, so many times; the kitty is the banker's (S11)."""
    for seat in range(MAX_SEATS):
        sums[seat] += times * game["seats"][seat]["chips"]
    sums[game["banker"]] += times * game["kitty"]
