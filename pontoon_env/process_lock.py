"""One process at a time: a lock on a file, which the system drops where its holder dies."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PATIENCE: Final = 1.0
"""Seconds of waiting before anything is said of it."""
_PAUSE: Final = 0.02
"""Seconds between two attempts."""


@contextlib.contextmanager
def held(path: Path, say_waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock on a file, or none where the file, or its system, can have none.

    Args:
        path: The file, which is made and left.
        say_waiting: Called once where another process has held it for a second.
    """
    try:
        file = path.open("ab")
    except OSError:
        yield
        return
    with file:
        _wait_for(file, say_waiting)
        try:
            yield
        finally:
            _unlock(file)


def _wait_for(file: IO[bytes], say_waiting: Callable[[], None]) -> None:
    """Take the lock on an open file as soon as no other process has it."""
    begun = time.monotonic()
    has_said = False
    while _is_taken(file):
        if not has_said and time.monotonic() - begun > _PATIENCE:
            has_said = True
            say_waiting()
        time.sleep(_PAUSE)


def _is_taken(file: IO[bytes]) -> bool:
    """Try to take the lock; tell whether another process has it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    except OSError:  # a file system without locks
        return False
    return False


def _unlock(file: IO[bytes]) -> None:
    """Give the lock back at once: a process that was forked meanwhile would keep it."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_UN)
