"""The rule-based agents of `pontoon_env.opponents`, as agents that runners seat by number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.protocol import Decisions
from pontoon_env.opponents import OPPONENTS, opponent_number
from pontoon_env.rules import Rules


class Baseline:
    """A compiled agent by name; see `agents.protocol.Agent`.

    Runners seat its ``number`` inside the batch loop (`pontoon_env.batch.play_batch`), or ask it
    with `pontoon_env.batch.choose_batch`.
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

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Refuse: a baseline reads the cards, which an observation holds only in part.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            f"{self.name!r} is compiled and plays on tables, not on observations: seat its number, "
            f"{self.number}, with pontoon_env.batch.play_batch, or ask batch.choose_batch"
        )


BASELINES: tuple[str, ...] = tuple(OPPONENTS)
"""The names of all baselines."""
