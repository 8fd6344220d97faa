"""The rule-based agents of `pontoon_env.opponents`, as agents that runners seat by number."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env.agent import legal_choices
from pontoon_env.batch import choose_batch
from pontoon_env.opponents import OPPONENTS, RANDOM, opponent_number
from pontoon_env.rules import Rules
from pontoon_env.state import N_MOVES

MOST_AMOUNTS: Final = 100
"""Amounts of one move that are listed one by one."""


class Baseline:
    """A compiled agent by name; see `pontoon_env.agent.CompiledAgent`.

    Runners seat its ``number`` inside the batch loop (`pontoon_env.batch.play_batch`), or ask it.
    """

    def __init__(self, name: str) -> None:
        """Find the agent called ``name``.

        Raises:
            ValueError: There is none.
        """
        self.number = opponent_number(name)
        self.name = name

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: a baseline plays by all rules."""

    def write_tables(self, rules: Rules, tables: NDArray[np.void]) -> None:
        """Write nothing: a baseline plays from no tables."""

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a move and chips for each game; see `pontoon_env.agent.TableAgent`."""
        moves, chips = np.zeros(games.size, np.int64), np.zeros(games.size, np.int64)
        numbers = np.full(games.size, self.number)
        choose_batch(rules.to_record(), games, numbers, moves, chips)
        return moves, chips

    def alternatives(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return what it may choose for each game; see `pontoon_env.agent.Mixing`."""
        if self.number == RANDOM:
            return _all_alike(rules, games)
        moves, chips = self.choose(rules, games)
        return np.ones((games.size, 1)), moves[:, None], chips[:, None]


def _all_alike(
    rules: Rules, games: NDArray[np.void]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return every legal move, all alike, with every amount by its part of the fractions.

    Raises:
        ValueError: There are too many amounts to list.
    """
    masks, lows, highs = legal_choices(rules, games)
    spans = np.where(masks != 0, highs - lows, 0)
    width = int(spans.max()) + 1
    if width > MOST_AMOUNTS:
        raise ValueError(f"{width} amounts of one move are too many to list")
    steps = np.arange(width)
    span = np.maximum(spans, 1)[..., None]
    # An amount is the nearest to a uniform fraction of the interval: the ends have half a share.
    shares = np.where((steps == 0) | (steps == span), 0.5, 1.0) / span * (steps <= span)
    shares = np.where(spans[..., None] == 0, steps == 0, shares)
    n_legal = masks.sum(axis=1)[:, None, None]
    chances = masks[..., None] / n_legal * shares
    chips = lows[..., None] + steps
    moves = np.broadcast_to(np.arange(N_MOVES)[:, None], chips.shape)
    n = games.size
    return chances.reshape(n, -1), moves.reshape(n, -1), chips.reshape(n, -1)


BASELINES: tuple[str, ...] = tuple(OPPONENTS)
"""The names of all baselines."""
