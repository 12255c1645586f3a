"""Eight numbers in one step: how ``legal`` writes long lists of moves.

The compiler unrolls a loop of eight steps before it thinks of the processor's vectors, so they are asked for here.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

WIDTH = 8

_WORD = ir.IntType(64)
_EIGHT = ir.VectorType(_WORD, WIDTH)
_ALIKE = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)


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
