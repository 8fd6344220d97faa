"""Two instructions of the processor that Python has no words for, for kernels.

Uncompiled, the one is reckoned by Python's whole numbers, and the other does nothing.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

FETCHED_BYTES: Final = 64
"""Bytes that the processor fetches at once."""

_WORD: Final = ir.IntType(64)
_TWO_WORDS: Final = ir.IntType(128)
_FLAG: Final = ir.IntType(32)
_TO_WRITE, _TO_KEEP, _DATA = (ir.Constant(_FLAG, flag) for flag in (1, 3, 1))


def _multiply_wide(_: Any, a: Any, b: Any) -> Any:
    """Return the type of `multiply_wide`, and what writes its instruction."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        factors = (builder.zext(factor, _TWO_WORDS) for factor in arguments)
        product = builder.mul(*factors)
        high = builder.trunc(builder.lshr(product, ir.Constant(_TWO_WORDS, 64)), _WORD)
        low = builder.trunc(product, _WORD)
        return context.make_tuple(builder, signature.return_type, (high, low))

    return types.UniTuple(types.uint64, 2)(a, b), write


def _fetch(_: Any, array: Any, byte: Any) -> Any:
    """Return the type of `fetch`, and what writes its instruction."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(builder.bitcast(data, cgutils.voidptr_t), [arguments[1]])
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _FLAG, _FLAG, _FLAG])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(instruction, [place, _TO_WRITE, _TO_KEEP, _DATA])
        return context.get_dummy_value()

    return types.void(array, byte), write


if config.DISABLE_JIT:

    def multiply_wide(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
        """Return the upper and the lower 64 bits of a product."""
        product = int(a) * int(b)
        return np.uint64(product >> 64), np.uint64(product & 0xFFFFFFFFFFFFFFFF)

    def fetch(array: NDArray[Any], byte: int) -> None:
        """Have the processor fetch a byte of an array, and those around it, to be read or written.

        Args:
            array: In one piece.
            byte: Which of its bytes, from 0; it need not be one of the array.
        """

else:
    multiply_wide = intrinsic(_multiply_wide)
    fetch = intrinsic(_fetch)
