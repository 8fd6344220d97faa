"""How every command ends: its exit status, and one line in place of a traceback."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, ParamSpec

from pontoon_env.agent import AgentError

P = ParamSpec("P")

_WRONG: Final = 2
"""Exit status where a setting is wrong or an agent failed."""
_INTERRUPTED: Final = 130
"""Exit status after Ctrl-C."""


def exit_status(command: Callable[P, None]) -> Callable[P, int]:
    """Make a command return its exit status.

    It is 0 where the command returns, 2 where a setting is wrong or an agent failed, 130 after
    Ctrl-C; the last two print one line on standard error.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            command(*args, **kwargs)
        except (AgentError, ImportError, OSError, TypeError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return _WRONG
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
            return _INTERRUPTED
        return 0

    return run


def check_writable(path: Path) -> None:
    """See that a file can be written, before work is spent on what it is to hold.

    Raises:
        OSError: It cannot, or its folder is missing.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file to write")
    if not path.parent.is_dir():
        raise NotADirectoryError(f"{path} cannot be written: {path.parent} is no folder")
    probe = path.with_name(f".{path.name}.probe")
    probe.write_bytes(b"")
    probe.unlink()
