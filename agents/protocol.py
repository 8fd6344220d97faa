"""What an agent is: a batch of decisions in, a move and an amount for each out.

Most see decisions as observations (`Agent`). What is compiled, or needs more of the course of play
than an observation holds, reads the records of the tables themselves (`TableAgent`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pontoon_env.rules import Rules


@dataclass(frozen=True)
class Decisions:
    """N decisions to make, each seen by the seat that makes it; the arrays are the agent's own."""

    observations: NDArray[np.float32]
    """``(n, observation_size)``: docs/observation.md."""
    masks: NDArray[np.int8]
    """``(n, N_MOVES)``: 1 where a `Move` is legal."""
    lows: NDArray[np.float32]
    """``(n, N_MOVES)``: least amount of each legal move, in least stakes."""
    highs: NDArray[np.float32]
    """``(n, N_MOVES)``: largest amount of each legal move, in least stakes."""

    def __len__(self) -> int:
        """Return N."""
        return len(self.masks)


@runtime_checkable
class Agent(Protocol):
    """Anything that plays."""

    name: str
    """What tables of results call it."""

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the agent can play by ``rules``.

        Raises:
            ValueError: It cannot; the message names the field and what would work.
        """

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return a legal `Move` for each decision, int64 ``(n,)``, and an amount, float64 ``(n,)``.

        The amount is the fraction of the legal interval, from 0 (least) to 1 (largest); it is not
        read where the move takes none. All chance comes from ``generator``.
        """
        ...


@runtime_checkable
class TableAgent(Protocol):
    """An agent that reads the records of tables.

    It keeps to what the seat to act may know (P26): a record holds more.
    """

    name: str
    """What tables of results call it."""

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the agent can play by ``rules``; see `Agent.check_rules`."""

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a legal `Move` for the seat to act of each game, and its amount in chips.

        Args:
            rules: Rules that `check_rules` has let pass.
            games: Records of `pontoon_env.state.GAME`, ``(n,)``, each at a decision; not changed.

        Returns:
            Moves and chips, int64 ``(n,)`` each; chips are not read where the move takes none. All
            chance comes from the game's own stream (`pontoon_env.random_stream`).
        """
        ...


AnyAgent = Agent | TableAgent


@runtime_checkable
class Mixing(Protocol):
    """An agent that can say how it mixes its choices: its exploitability needs no sampling then.

    One without it must play no choice at random where its exploitability is asked for.
    """

    def alternatives(
        self, *decisions: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[Any]]:
        """Return what the agent may choose, and how likely each choice is.

        Args:
            *decisions: `Decisions`, as `Agent.act` takes them, or rules and games, as
                `TableAgent.choose` does.

        Returns:
            Chances, moves and amounts, ``(n, k)`` each, for ``k`` alternatives; a row's chances sum
            to 1, what has none is not read. Amounts are fractions of the legal interval from an
            `Agent`, chips from a `TableAgent`.
        """
        ...
