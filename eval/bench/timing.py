"""Slices of play and how they are timed; needs nothing but Python, for the peers' processes too."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

SLICE: Final = 0.15
"""Seconds of processor time of a slice."""

Play = Callable[[], int]
"""Plays a little and returns the number of decisions: choices that an environment acted on."""


@dataclass(frozen=True)
class Slice:
    """What was played in a slice."""

    decisions: int
    cpu_ns: int
    """Processor time of the whole process, all threads."""
    wall_ns: int

    @property
    def rate(self) -> float:
        """Decisions per second of processor time."""
        return self.decisions / self.cpu_ns * 1e9


def play_slice(play: Play, seconds: float = SLICE) -> Slice:
    """Play until ``seconds`` of processor time have been spent, once at least."""
    decisions = 0
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    while True:
        decisions += play()
        spent = time.process_time_ns() - cpu
        if spent >= seconds * 1e9:
            return Slice(decisions, spent, time.perf_counter_ns() - wall)


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this thread, and all that it starts, on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
