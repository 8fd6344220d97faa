"""How long it takes to play a million deals between agents, and what training pays for tables."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

import numpy as np

from agents.registry import make_agent
from eval.match import Lineup, play_sessions
from pontoon_env.rules import Rules

AGENTS: Final = ("random", "stick17", "timid", "bold", "basic", "counter")
"""Who plays, one a seat; each banks when the bank comes to it."""
DEALS: Final = 1_000_000
PROCESSES: Final = 2


def _play_share(n_sessions: int, first: int) -> tuple[int, float]:
    """Play some sessions; return deals, and all processor time that this process has had."""
    rules = Rules.pontoon(seats=len(AGENTS))
    places = np.arange(rules.seats)
    lineup = Lineup(
        agents=[make_agent(name) for name in AGENTS],
        patterns=np.stack([np.roll(places, shift) for shift in places])[:, :, None].repeat(2, 2),
    )
    play_sessions(rules, lineup, n_sessions, seed=1, first_episode=first)
    return n_sessions * rules.deals, time.process_time()


def measure_deals(deals: int, told: Callable[[], None]) -> dict[str, Any]:
    """Play so many deals, at least, on two processes that are started for it.

    Returns:
        ``deals``; ``clock_seconds``, starting included; ``cpu_seconds``, of all processes; and
        ``seconds_on_free_cores``, those of the busiest: what the clock would show with a core each.
    """
    share = -(-deals // (PROCESSES * Rules.pontoon().deals))
    begun = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        futures = [pool.submit(_play_share, share, i * share) for i in range(PROCESSES)]
        played = [future.result() for future in futures]
    told()
    return {
        "agents": list(AGENTS),
        "processes": PROCESSES,
        "deals": sum(deals for deals, _ in played),
        "clock_seconds": time.perf_counter() - begun,
        "cpu_seconds": sum(seconds for _, seconds in played),
        "seconds_on_free_cores": max(seconds for _, seconds in played),
    }


def measure_training(n_tables: int, rounds: int, told: Callable[[], None]) -> dict[str, Any]:
    """Return what share of each trainer's time its tables take; see `eval.training_bench`."""
    from eval import training_bench

    trainers = training_bench.report(n_tables, rounds)["trainers"]
    told()
    return {
        name: {
            "decisions_a_second": found["decisions_per_cpu_second"],
            "share_of_tables": found["share_of_tables"],
        }
        for name, found in trainers.items()
        if "share_of_tables" in found
    }
