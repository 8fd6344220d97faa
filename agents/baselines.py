"""The rule-based agents of `pontoon_env.opponents`, as agents that runners seat by number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_env.batch import choose_batch
from pontoon_env.opponents import OPPONENTS, opponent_number
from pontoon_env.rules import Rules


class Baseline:
    """A compiled agent by name; see `agents.protocol.TableAgent`.

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

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a move and chips for each game; see `agents.protocol.TableAgent`."""
        moves, chips = np.zeros(games.size, np.int64), np.zeros(games.size, np.int64)
        numbers = np.full(games.size, self.number)
        choose_batch(rules.to_record(), games, numbers, moves, chips)
        return moves, chips


BASELINES: tuple[str, ...] = tuple(OPPONENTS)
"""The names of all baselines."""
