"""What the decisions of random play are about, so that quick ones do not pass for others."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.opponents import RANDOM
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_SEATS, N_MOVES, Phase

KINDS: Final = {
    "stake": (Phase.STAKE,),
    "hand in play": (Phase.PLAY,),
    "banker": (Phase.BANKER, Phase.DOUBLE),
    "sale of the bank": (Phase.ACCEPT_BANK, Phase.OFFER, Phase.SALE, Phase.BID),
    "kitty and shooting": (
        Phase.FORM_KITTY,
        Phase.TOP_UP,
        Phase.DRY_KITTY,
        Phase.SHOOT,
        Phase.SPLIT_SHOOT,
    ),
}
"""The phases that ask for decisions, by kind."""


def census(rules: Rules, n_tables: int = 256, n_steps: int = 512) -> dict[str, Any]:
    """Return the shares of each kind of decision, of forced ones, and decisions a deal.

    Forced is a decision with one legal move that leaves no choice of amount either.
    """
    games, record = batch.new_games(n_tables), rules.to_record()
    seeds, episodes = np.ones(n_tables, np.uint64), np.arange(n_tables, dtype=np.uint64)
    batch.begin_batch(record, games, seeds, episodes)
    agents = batch.external_seats(n_tables)
    agents[:] = RANDOM
    moves, fractions = np.full(n_tables, batch.NO_MOVE), np.zeros(n_tables)
    outcomes, seats = np.zeros((2, n_tables), np.int64)
    masks = np.zeros((n_tables, N_MOVES), np.int8)
    lows, highs = np.zeros((2, n_tables, N_MOVES), np.int64)
    worths = np.zeros((n_tables, MAX_SEATS), np.int64)
    by_phase = np.zeros(len(Phase), np.int64)
    n_forced = 0
    for limit in [0] + [1] * n_steps:
        batch.play_batch(record, games, agents, moves, fractions, outcomes, limit)
        batch.status_batch(record, games, seats, masks, lows, highs, worths)
        asked = seats != batch.NOBODY
        by_phase += np.bincount(games["phase"][asked], minlength=len(Phase))
        n_forced += int(_is_forced(masks, lows, highs).sum())
    n = int(by_phase.sum())
    return {
        "shares": {kind: float(by_phase[list(phases)].sum() / n) for kind, phases in KINDS.items()},
        "forced": n_forced / n,
        "decisions_a_deal": n / max(int(games["deal"].sum()), 1),
    }


def _is_forced(
    masks: NDArray[np.int8], lows: NDArray[np.int64], highs: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell where one move alone is legal, for one amount at most."""
    forced: NDArray[np.bool_] = (masks.sum(axis=1) == 1) & (lows == highs).all(axis=1)
    return forced
