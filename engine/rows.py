"""Eight numbers in one step: how ``legal`` writes long lists of moves.

The compiler unrolls a loop of eight steps before it thinks of the processor's vectors, so they are asked for here.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

WIDTH = 8


def write_row(items, first, base, rows, row):
    """``items[first + i] = base + rows[row, i]`` for i = 0..7; ``items`` int64 (n,), ``rows`` int64 (m, 8).

    Compiled code checks no index: 0 <= first <= n - 8 and 0 <= row < m.
    """
    for i in range(WIDTH):
        items[first + i] = base + rows[row, i]


@intrinsic
def _write_row(_context: Any, items: Any, _first: Any, _base: Any, rows: Any, _row: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        to, first, base, source, row = arguments
        word = ir.IntType(64)
        vector = ir.VectorType(word, WIDTH)
        begin = context.make_array(rows)(context, builder, source).data
        place = builder.gep(begin, [builder.mul(row, ir.Constant(word, WIDTH))])
        row_values = builder.load(builder.bitcast(place, vector.as_pointer()))
        row_values.align = 8
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), base, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        bases = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), lanes)
        target = builder.gep(context.make_array(items)(context, builder, to).data, [first])
        store = builder.store(builder.add(row_values, bases), builder.bitcast(target, vector.as_pointer()))
        store.align = 8
        return context.get_dummy_value()

    return types.void(items, types.int64, types.int64, rows, types.int64), generate


# Numba compares the argument lists, annotations included, so this has none.
@overload(write_row, inline="always")
def _overloaded(items, first, base, rows, row):
    return lambda items, first, base, rows, row: _write_row(items, first, base, rows, row)
