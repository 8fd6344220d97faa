"""The only place that knows numba: how kernels are compiled, and where the machine code is kept.

Kernels are plain Python on records and arrays. With ``NUMBA_DISABLE_JIT=1`` they run uncompiled,
for coverage and tracebacks, and play the same games.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import numba
import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

_config: Any = numba.core.config  # its attributes are set at run time, unknown to type checkers
_PACKAGE: Final = Path(__file__).parent
_CONSTANTS: Final = ("cards.py", "state.py", "rules.py")
"""Modules without kernels whose values kernels are compiled with."""


def _sources() -> bytes:
    """Return the text of all modules that compiled code depends on."""
    texts = [
        path.read_bytes()
        for path in sorted(_PACKAGE.rglob("*.py"))
        if path.name in _CONSTANTS or b"_jit" in path.read_bytes()
    ]
    return b"".join(texts)


_SOURCES: Final = _sources()


@functools.cache
def _cache_folder(package: Path) -> Path | None:
    """Return where the machine code of a package is kept.

    That is beside its sources, else in the user's cache, else nowhere: None.

    Args:
        package: This one, or the folder of another whose kernels call those of this one.
    """
    text = b"".join(path.read_bytes() for path in sorted(package.glob("*.py")))
    digest = hashlib.sha256(_SOURCES if package == _PACKAGE else _SOURCES + text).hexdigest()[:16]
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pontoon_env"
    parents = (
        [Path(_config.CACHE_DIR)] if _config.CACHE_DIR else [package / "__pycache__", user_cache]
    )
    for parent in parents:
        folder = parent / f"numba-{package.name}-{digest}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            _prune(folder)
            return folder
    return None


def _prune(folder: Path, keep: int = 4) -> None:
    """Delete the compiled code of all but the ``keep`` latest versions of a package's sources."""
    family = folder.parent.glob(folder.name.rpartition("-")[0] + "-*")
    versions = sorted(family, key=lambda version: version.stat().st_mtime)
    for version in versions[:-keep]:
        if version != folder:
            shutil.rmtree(version, ignore_errors=True)


_announced = False


def _announce_compilation() -> None:
    """Say, once a process, that the next seconds are spent compiling."""
    global _announced  # noqa: PLW0603 -- a process-wide fact
    if not _announced:
        _announced = True
        print(
            "pontoon_env: compiling (once a version; under a minute)",
            file=sys.stderr,
            flush=True,
        )


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other kernels call; its machine code ends up in the entry points."""
    compiled: Callable[P, R] = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel into each kernel that calls it, however large the compiler thinks it.

    A call costs some nanoseconds, and many more where an array is handed over: its references are
    counted, under a lock. For what runs at every decision or for every hand, and is called in few
    places: into each of them it is compiled anew.
    """
    compile_into: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True)
    compiled: Callable[P, R] = compile_into(function)
    return compiled


def word_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel of 64-bit words that wrap around; uncompiled, numpy must not warn of it."""
    if _config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)
    return kernel(function)


def entry_point(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls, and keep its machine code on disk.

    numba stamps what it keeps with the one file that defines the function, so an edit of a
    constant or a kernel elsewhere would leave stale machine code behind. The folder carries a
    digest of all sources instead: those of this package, and those beside the function where it is
    of another. Entry points release the interpreter lock: batches can be played
    on several threads.
    """
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if _config.DISABLE_JIT:
        return function
    home = Path(function.__code__.co_filename).parent
    folder = _cache_folder(_PACKAGE if home.is_relative_to(_PACKAGE) else home)
    if folder is not None:
        inherited = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)
        try:
            with contextlib.suppress(RuntimeError):  # nowhere to write: every process compiles
                dispatcher.enable_caching()
        finally:
            _config.CACHE_DIR = inherited
    _announce_when_compiling(dispatcher)
    result: Callable[P, R] = dispatcher
    return result


def _announce_when_compiling(dispatcher: Any) -> None:
    """Make a dispatcher announce itself where its machine code is not on disk yet."""
    compile_signature = dispatcher._compiler.compile

    def compile_and_say(*arguments: Any) -> Any:
        _announce_compilation()
        return compile_signature(*arguments)

    dispatcher._compiler.compile = compile_and_say
