"""Two instructions of the processor that Python has no words for, for kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

FETCHED_BYTES: Final = 64
"""Bytes that the processor fetches at once."""

_config: Any = numba.core.config  # its attributes are set at run time, unknown to type checkers
_types: Any = types
_cgutils: Any = cgutils

_WORD: Final = ir.IntType(64)
_TWO_WORDS: Final = ir.IntType(128)
_FLAG: Final = ir.IntType(32)
_TO_WRITE, _TO_KEEP, _DATA = (ir.Constant(_FLAG, flag) for flag in (1, 3, 1))


def _instruction(code: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of functions that are to be an instruction, where they are compiled.

    Args:
        code: Numba's hook: it returns the types, and what writes the instruction.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        compiled: Any = function if _config.DISABLE_JIT else intrinsic(code)
        result: Callable[P, R] = compiled
        return result

    return decorate


def _multiply_wide(_: Any, a: Any, b: Any) -> Any:
    """Return types and code of `multiply_wide`."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        factors = (builder.zext(factor, _TWO_WORDS) for factor in arguments)
        product = builder.mul(*factors)
        high = builder.trunc(builder.lshr(product, ir.Constant(_TWO_WORDS, 64)), _WORD)
        low = builder.trunc(product, _WORD)
        return context.make_tuple(builder, signature.return_type, (high, low))

    return _types.UniTuple(_types.uint64, 2)(a, b), write


@_instruction(_multiply_wide)
def multiply_wide(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and the lower 64 bits of a product."""
    product = int(a) * int(b)
    return np.uint64(product >> 64), np.uint64(product & 0xFFFFFFFFFFFFFFFF)


def _fetch(_: Any, array: Any, byte: Any) -> Any:
    """Return types and code of `fetch`."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(builder.bitcast(data, _cgutils.voidptr_t), [arguments[1]])
        kind = ir.FunctionType(ir.VoidType(), [_cgutils.voidptr_t, _FLAG, _FLAG, _FLAG])
        hint = _cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(hint, [place, _TO_WRITE, _TO_KEEP, _DATA])
        return context.get_dummy_value()

    return _types.void(array, byte), write


@_instruction(_fetch)
def fetch(array: NDArray[Any], byte: int) -> None:
    """Have the processor fetch a byte of an array, and those around it, to be read or written.

    It changes nothing but how long what follows takes.

    Args:
        array: In one piece.
        byte: Which of its bytes, from 0; it need not be one of the array.
    """
