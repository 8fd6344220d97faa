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
    seen: NDArray[np.float32],
    seen_mask: NDArray[np.int8],
    amount_low: NDArray[np.float32],
    amount_high: NDArray[np.float32],
    mask: NDArray[np.int8],
    chips_low: NDArray[np.int64],
    chips_high: NDArray[np.int64],
    ledger: NDArray[np.int64],
) -> tuple[int, int, bool]:
    """Make a decision, run on to the next, and write how the game stands then.

    Unlike `batch.play_batch` it knows no compiled agents, which take half of the time to compile.

    Args:
        rules: One record of rules.
        games: One game, changed in place; where its decision is refused, it stays as it is.
        move: A `Move`, or `batch.NO_MOVE` to run on only.
        fraction: Its amount as a fraction of the legal interval; not read where it takes none.
        observer: Whose observation to write; `batch.TO_ACT` for the seat that is to act then.
        seen: Out, float32 ``(observation_size,)``: the observation.
        seen_mask: Out, int8 ``(N_MOVES,)`` or ``(N_DISCRETE,)``: what the observer may choose.
        amount_low: Out, float32 ``(N_MOVES,)``: the observer's least amounts, in least stakes.
        amount_high: Out, likewise the largest amounts.
        mask: Out, like ``seen_mask``: what the seat to act may choose.
        chips_low: Out, int64 ``(N_MOVES,)``: its least amounts, in chips.
        chips_high: Out, likewise the largest amounts.
        ledger: In and out, int64 ``(2, MAX_SEATS)``, in chips: what each seat owns, and by how much
            that has changed since the call before.

    Returns:
        The `Outcome`; the seat to act, `batch.NOBODY` where the session is over; and whether
        the ledger has changed.
    """
    game = games[0]
    outcome = Outcome.OK.value
    if move != NO_MOVE:
        amount = chips_of_move(rules[0], game, move, fraction)
        outcome = decide(rules[0], game, move, amount)
    if outcome == Outcome.OK:
        advance(rules[0], game)
    seat = game["seat"] if observer == TO_ACT else observer
    row = seen.reshape((1, seen.size))
    n_seen = observe(rules[0], game, seat, row, 0)
    if seen.size > n_seen:
        write_memory(rules[0], game, seat, row, 0, n_seen)
    moves = legal_moves(rules[0], game)
    write_mask(moves, mask.reshape((1, mask.size)), 0)
    write_mask(moves if seat == game["seat"] else 0, seen_mask.reshape((1, mask.size)), 0)
    for i in range(N_MOVES):
        low, high = 0, 0
        if (moves >> i) & 1 != 0:
            low, high = amount_bounds(rules[0], game, i)
        chips_low[i], chips_high[i] = low, high
        if seat != game["seat"]:
            low, high = 0, 0
        amount_low[i] = low / rules[0]["min_stake"]
        amount_high[i] = high / rules[0]["min_stake"]
    to_act = NOBODY if game["phase"] == Phase.OVER else int(game["seat"])
    return outcome, to_act, _is_paid(game, ledger)


@inlined
def _is_paid(game: Game, ledger: NDArray[np.int64]) -> bool:
    """Bring the ledger of `play_table` up to date, and tell whether it has changed."""
    is_paid = False
    for seat in range(MAX_SEATS):
        worth = game["seats"][seat]["chips"]
        if seat == game["banker"]:
            worth += game["kitty"]  # S11
        ledger[1, seat] = worth - ledger[0, seat]
        ledger[0, seat] = worth
        if ledger[1, seat] != 0:
            is_paid = True
    return is_paid
