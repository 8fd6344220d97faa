"""Asking an agent that plays from tables: the compiled kernels, outside the batch loop."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_env.agent import CompiledAgent
from pontoon_env.batch import choose_batch
from pontoon_env.opponents.tables import TABLES
from pontoon_env.rules import Rules


@functools.lru_cache(maxsize=8)
def tables_of(agent: Any, rules: Rules) -> NDArray[np.void]:
    """Return the record of `TABLES` that a `CompiledAgent` plays from, its own fields alone."""
    tables = np.zeros(1, TABLES)
    agent.write_tables(rules, tables)
    return tables


def choose_from_tables(
    agent: CompiledAgent, rules: Rules, games: NDArray[np.void]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a move and chips for each game; see `pontoon_env.agent.TableAgent.choose`."""
    moves, chips = np.zeros(games.size, np.int64), np.zeros(games.size, np.int64)
    numbers = np.full(games.size, agent.number)
    tables = tables_of(agent, rules)  # type: ignore[arg-type]  # agents are hashed by identity
    choose_batch(rules.to_record(), games, numbers, moves, chips, tables)
    return moves, chips
