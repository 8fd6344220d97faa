"""Commands as processes, some at a time, each with one thread."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
INTERRUPTED: Final = 130
"""Exit status of a command that Ctrl-C has stopped."""
_PAUSE: Final = 0.1
"""Seconds between two looks at the processes."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A command to run."""

    name: str
    arguments: tuple[str, ...]
    """What Python is called with."""
    log: Path
    """The file that what it prints is added to; its folder must be there."""
    printed: Path | None = None
    """The file that its standard output is written to instead."""

    @property
    def command(self) -> str:
        """The command as it is typed."""
        return " ".join(("python", *self.arguments))


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a job has ended."""

    status: int
    """Its exit status; below 0, the number of the signal that has ended it."""
    core_seconds: float
    """Seconds that it has kept a core busy."""


def run_jobs(
    jobs: Sequence[Job],
    at_once: int,
    ended: Callable[[Job, Ended], None],
    looked: Callable[[list[Job]], None],
) -> None:
    """Run commands in their order.

    Args:
        jobs: What to run.
        at_once: How many run at a time.
        ended: Told of each that has ended, those too that Ctrl-C has stopped.
        looked: Told every moment which ones run.

    Raises:
        KeyboardInterrupt: Ctrl-C; it has been handed on, and all have ended. A second one kills.
        OSError: A log cannot be written, or a process not be started.
    """
    waiting = list(jobs)
    running: dict[subprocess.Popen[bytes], Job] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                job = waiting.pop(0)
                running[_start(job)] = job
            _collect(running, ended)
            looked(list(running.values()))
            time.sleep(_PAUSE)
    except BaseException:
        _stop(running, ended)
        raise


def _start(job: Job) -> subprocess.Popen[bytes]:
    """Start a job; Ctrl-C reaches it through `_stop` alone."""
    environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
    with job.log.open("ab") as log:
        printed = log if job.printed is None else job.printed.open("wb")
        try:
            return subprocess.Popen(
                [sys.executable, *job.arguments],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        finally:
            printed.close()


def _collect(
    running: dict[subprocess.Popen[bytes], Job], ended: Callable[[Job, Ended], None]
) -> None:
    """Take out the processes that have ended."""
    for process in list(running):
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid == 0:
            continue
        process.returncode = os.waitstatus_to_exitcode(status)
        job = running.pop(process)
        seconds = used.ru_utime + used.ru_stime
        ended(job, Ended(status=process.returncode, core_seconds=seconds))


def _stop(running: dict[subprocess.Popen[bytes], Job], ended: Callable[[Job, Ended], None]) -> None:
    """Hand Ctrl-C on to all processes and wait until they have ended."""
    number = signal.SIGINT
    while running:
        for process in running:
            process.send_signal(number)
        try:
            while running:
                _collect(running, ended)
                time.sleep(_PAUSE)
        except KeyboardInterrupt:
            number = signal.SIGKILL
