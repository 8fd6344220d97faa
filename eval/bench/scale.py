"""How throughput changes with the number of tables and of threads, and what a table takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eval.bench.faces import Batch, batch_rules
from eval.bench.figures import spread
from eval.bench.timing import on_one_core, play_slice
from pontoon_env.observation import observation_size
from pontoon_env.rules import Rules
from pontoon_env.state import GAME

SIZES: Final = (64, 1024, 8192, 65_536)
BESIDE: Final = 1024
"""Tables of the size that the others are measured beside."""
_TABLES_OF_A_THREAD: Final = 4096
_SECONDS: Final = 0.3
"""Of the clock, that threads play for."""
_QUEUES: Final = Path("/proc/thread-self/schedstat")
"""Where Linux tells how long a thread has run and how long it has waited for a core, in ns."""


def measure_sizes(
    rules: Rules, observed: bool, rounds: int, told: Callable[[], None]
) -> list[dict[str, Any]]:
    """Return decisions per CPU second for each size, and the ratio to those of 1,024 tables."""
    with on_one_core():
        batches = {n: Batch(rules, n, observed) for n in SIZES}
        rates: dict[int, list[float]] = {n: [] for n in SIZES}
        for each in batches.values():
            each.play()
        for number in range(rounds):
            for n in SIZES if number % 2 == 0 else reversed(SIZES):
                rates[n].append(play_slice(batches[n].play).rate)
            told()
    return [
        {
            "tables": n,
            "observed": observed,
            "decisions_a_second": spread(rates[n]),
            "ratio": spread([x / y for x, y in zip(rates[n], rates[BESIDE], strict=True)]),
        }
        for n in SIZES
    ]


@dataclass
class _Turn:
    """What threads did at once."""

    decisions: int = 0
    queued_ns: int = 0
    """Time that they were ready and had no core."""


def _play_at_once(batches: list[Batch]) -> dict[str, float]:
    """Play each batch on a thread of its own, and return rates and cores.

    Returns:
        ``by_clock``, decisions a second; ``by_cpu``, a second of processor time; ``got``, the cores
        that were had; ``wanted``, those that the threads would have kept busy, as far as the system
        tells.
    """
    turn, lock = _Turn(), threading.Lock()
    start = threading.Barrier(len(batches) + 1)

    def run(tables: Batch) -> None:
        start.wait()
        queued, decisions = _queued_ns(), 0
        end = time.perf_counter() + _SECONDS
        while time.perf_counter() < end:
            decisions += tables.play()
        with lock:
            turn.decisions += decisions
            turn.queued_ns += _queued_ns() - queued

    threads = [threading.Thread(target=run, args=(tables,)) for tables in batches]
    for thread in threads:
        thread.start()
    clock, cpu = time.perf_counter(), time.process_time()
    start.wait()
    for thread in threads:
        thread.join()
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    return {
        "by_clock": turn.decisions / clock,
        "by_cpu": turn.decisions / cpu,
        "got": cpu / clock,
        "wanted": (cpu + turn.queued_ns / 1e9) / clock,
    }


def _queued_ns() -> int:
    """Return how long this thread has waited for a core; 0 where the system does not tell."""
    try:
        return int(_QUEUES.read_text(encoding="ascii").split()[1])
    except OSError:
        return 0


def measure_threads(rules: Rules, rounds: int, told: Callable[[], None]) -> dict[str, Any]:
    """Return what two threads manage of what one does.

    A busy machine may give two threads no more than one core. So beside ``ratio_by_clock`` there is
    ``ratio``: what a core does with two threads to what it does with one, times the cores that two
    threads would keep busy. Where one waits for the other that number falls, as the ratio does.
    """
    batches = [Batch(rules, _TABLES_OF_A_THREAD, False) for _ in range(2)]
    alone, both = [], []
    for each in batches:
        each.play()
    for number in range(rounds):
        if number % 2 == 0:
            alone.append(_play_at_once(batches[:1]))
            both.append(_play_at_once(batches))
        else:
            both.append(_play_at_once(batches))
            alone.append(_play_at_once(batches[:1]))
        told()
    pairs = list(zip(alone, both, strict=True))
    return {
        "cores_got": spread([two["got"] for two in both]),
        "cores_wanted": spread([two["wanted"] for two in both]),
        "ratio_by_clock": spread([two["by_clock"] / one["by_clock"] for one, two in pairs]),
        "ratio": spread([two["by_cpu"] / one["by_cpu"] * two["wanted"] for one, two in pairs]),
    }


def measure_scale(seats: int, rounds: int, told: Callable[[], None]) -> dict[str, Any]:
    """Return sizes, threads and bytes; ``told`` is called three times a round."""
    rules = batch_rules(seats)
    sizes = [
        *measure_sizes(rules, False, rounds, told),
        *measure_sizes(rules, True, rounds, told),
    ]
    return {
        "sizes": sizes,
        "threads": measure_threads(rules, rounds, told),
        "bytes_a_table": GAME.itemsize,
        "bytes_an_observation": 4 * observation_size(rules),
    }
