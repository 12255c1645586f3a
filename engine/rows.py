"""Eight numbers in one step: how ``legal`` finds and writes long lists of moves.

The compiler unrolls a loop of eight steps before it thinks of the processor's vectors, so they are asked for here.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from engine.cards import builtin

WIDTH = 8
GUARD_BIT = 6  # the bit of each of eight bytes that :func:`side_by_side` takes

_WORD = ir.IntType(64)
_EIGHT = ir.VectorType(_WORD, WIDTH)
_ALIKE = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)

# The product with this number has the guards of bytes 0 to 7 in bits 56 to 63, and nothing else that reaches them.
_GATHER = sum(1 << (56 + byte - 8 * byte - GUARD_BIT) for byte in range(WIDTH))

_ONES = sum(1 << (8 * byte) for byte in range(WIDTH))  # the product with it has the sum of all bytes in bits 56 to 63


def side_by_side(guards):
    """Bit i is bit ``8 * i + GUARD_BIT`` of ``guards``, i = 0..7, which has no other bits."""
    return ((int(guards) * _GATHER) >> 56) & 255


builtin(
    side_by_side,
    types.int64,
    lambda builder, guards: builder.lshr(builder.mul(guards, ir.Constant(_WORD, _GATHER)), ir.Constant(_WORD, 56)),
)


def byte_sum(word):
    """The sum of the eight bytes of a word that is not negative, if it is below 256."""
    return ((int(word) * _ONES) >> 56) & 255


builtin(
    byte_sum,
    types.int64,
    lambda builder, word: builder.lshr(builder.mul(word, ir.Constant(_WORD, _ONES)), ir.Constant(_WORD, 56)),
)


def write_row(items, first, base, rows, row):
    """``items[first + i] = base + rows[row, i]`` for i = 0..7; ``items`` int64 (n,), ``rows`` int64 (m, 8); returns 0.

    Compiled code checks no index: 0 <= first <= n - 8 and 0 <= row < m.
    """
    for i in range(WIDTH):
        items[first + i] = base + rows[row, i]
    return 0


@type_callable(write_row)
def _typed(_context: Any) -> Any:
    return lambda items, first, base, rows, row: types.int64


@lower_builtin(write_row, types.Array, types.int64, types.int64, types.Array, types.int64)
def _lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    items, first, base, rows, row = arguments
    to = context.make_array(signature.args[0])(context, builder, items).data
    source = context.make_array(signature.args[3])(context, builder, rows).data
    source = builder.gep(source, [builder.mul(row, ir.Constant(_WORD, WIDTH))])
    numbers = builder.load(builder.bitcast(source, _EIGHT.as_pointer()))
    numbers.align = 8
    nothing = ir.Constant(_EIGHT, ir.Undefined)
    first_base = builder.insert_element(nothing, base, ir.Constant(ir.IntType(32), 0))
    bases = builder.shuffle_vector(first_base, nothing, _ALIKE)
    target = builder.bitcast(builder.gep(to, [first]), _EIGHT.as_pointer())
    builder.store(builder.add(numbers, bases), target).align = 8
    return ir.Constant(_WORD, 0)
