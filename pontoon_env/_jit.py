"""How kernels are compiled, and where the machine code is kept.

Kernels are plain Python on records and arrays. With ``NUMBA_DISABLE_JIT=1`` they run uncompiled,
for coverage and tracebacks, and play the same games.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Generic, ParamSpec, TypeVar

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from pontoon_env import process_lock

P = ParamSpec("P")
R = TypeVar("R")

_config: Any = numba.core.config  # its attributes are set at run time, unknown to type checkers
_njit: Any = functools.partial(numba.njit, nogil=True, error_model="numpy")
_TAKEN_APART: Final = "0.68."
"""The version of numba whose compiler `_kernel_compiler` fits; with another, compiling takes a
quarter longer."""
_PACKAGE: Final = Path(__file__).parent
_CONSTANTS: Final = (
    "_instructions.py",
    "_kernel_compiler.py",
    "cards.py",
    "rules.py",
    "state.py",
    "tables.py",
)
"""Modules without kernels that these are compiled by, or with the values of."""


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


def _say(doing: str) -> None:
    """Say what keeps the caller waiting."""
    print(f"pontoon_env: {doing} (once a version; under a minute)", file=sys.stderr, flush=True)


@functools.cache
def _announce_compilation() -> None:
    """Say, once a process, that the next seconds are spent compiling."""
    _say("compiling")


@functools.cache
def _announce_waiting() -> None:
    """Say, once a process, that another one spends the next seconds so."""
    _say("waiting for another process that is compiling")


class _Kernel(Generic[P, R]):
    """A function that other kernels call, and Python too.

    For Python it is compiled once more, where Python does call it: few kernels are, and what that
    takes would make up a good part of the time to compile.
    """

    def __init__(self, function: Callable[P, R], is_inlined: bool = False) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._is_inlined = is_inlined

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        return self._for_python(*arguments, **named)

    @functools.cached_property
    def _for_python(self) -> Callable[P, R]:
        """What Python calls."""
        compiled: Callable[P, R] = _njit()(self._function)
        return compiled

    @functools.cached_property
    def _within(self) -> Any:
        """What kernels call."""
        njit = functools.partial(
            _njit,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            forceinline=self._is_inlined,
            _nrt=not self._is_inlined,
        )
        if numba.__version__.startswith(_TAKEN_APART):
            from pontoon_env._kernel_compiler import KernelCompiler

            njit = functools.partial(njit, pipeline_class=KernelCompiler)
        return njit(self._function)

    @property
    def _numba_type_(self) -> Any:
        """By which numba, where it comes upon this within a kernel, knows what to call."""
        return self._within._numba_type_


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other kernels call; its machine code ends up in the entry points."""
    return function if _config.DISABLE_JIT else _Kernel(function)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel into each kernel that calls it, however large the compiler thinks it.

    A call costs some nanoseconds, and many more where an array is handed over: its references are
    counted, under a lock. Here they are not, so that no array can be made within. For what runs at
    every decision or for every hand, and is called in few places: into each of them it is compiled
    anew.
    """
    return function if _config.DISABLE_JIT else _Kernel(function, is_inlined=True)


def word_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Inline a kernel of 64-bit words that wrap around; uncompiled, numpy must not warn of it."""
    return np.errstate(over="ignore")(function) if _config.DISABLE_JIT else inlined(function)


def entry_point(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls, and keep its machine code on disk.

    numba stamps what it keeps with the one file that defines the function, so an edit of a
    constant or a kernel elsewhere would leave stale machine code behind. The folder carries a
    digest of all sources instead: those of this package, and those beside the function where it is
    of another. Entry points release the interpreter lock: batches can be played
    on several threads.
    """
    if _config.DISABLE_JIT:
        return function
    dispatcher: Any = _njit(no_cfunc_wrapper=True)(function)
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
        _take_turns(dispatcher, folder / f"{function.__qualname__}.lock")
    _announce_when_compiling(dispatcher)
    result: Callable[P, R] = dispatcher
    return result


def _take_turns(dispatcher: Any, lock: Path) -> None:
    """Let one process at a time compile: the next ones load what it has left on disk."""
    load_or_compile = dispatcher.compile

    def in_turn(signature: Any) -> Any:
        # Numba's own lock comes first: else two threads could hold one lock each for good.
        with global_compiler_lock, process_lock.held(lock, _announce_waiting):
            return load_or_compile(signature)

    dispatcher.compile = in_turn


def _announce_when_compiling(dispatcher: Any) -> None:
    """Make a dispatcher announce itself where its machine code is not on disk yet."""
    compile_signature = dispatcher._compiler.compile

    def compile_and_say(*arguments: Any) -> Any:
        _announce_compilation()
        with _no_collection():
            return compile_signature(*arguments)

    dispatcher._compiler.compile = compile_and_say


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Collect no garbage: there is next to none while compiling, and looking for it takes long."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
