"""Calling bots from the match loop: each is known by the address of its compiled code.

Numba's own first-class functions would do the same, but they are looked up anew, slowly, in every call of the loop
(0.7 ms for six). Interpreted, a bot is the Python function itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from engine.kernel import INTERPRETED


def addresses(bots: Sequence[Any], arguments: tuple[Any, ...]) -> Any:
    """What ``call_bot`` takes as ``bots``: int64 (bots,), or interpreted the functions themselves.

    ``arguments``: the types that a bot takes; it is compiled for them if it is not yet. It must return an int64.
    """
    if INTERPRETED:
        return tuple(bots)
    return np.array([_address(bot, arguments) for bot in bots], np.int64)


def _address(bot: Any, arguments: tuple[Any, ...]) -> int:
    if arguments not in bot.overloads:
        bot.compile(arguments)
    compiled = bot.overloads[arguments]
    answer = compiled.signature.return_type
    if types.unliteral(answer) != types.int64:
        raise TypeError(f"{bot.__name__} returns {answer}, not int64")
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def call_bot(bots, seat, view, rules, moves, count, params, luck):
    """The choice of the bot in a seat, which gets its row of ``params`` and of ``luck``."""
    return bots[seat](view, rules, moves, count, params[seat], luck[seat])


@intrinsic
def _call(_context, _address, _seat, view, rules, moves, _count, params, luck):
    rows = params.copy(ndim=1), luck.copy(ndim=1)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        types_given = (*signature.args[2:6], *rows)
        given = list(values[2:6])
        for matrix_type, row_type, matrix in zip(signature.args[6:], rows, values[6:], strict=True):
            given.append(_row(context, builder, matrix_type, row_type, matrix, values[1]))
        convention = context.call_conv
        code = convention.get_function_type(types.int64, types_given)
        function = builder.inttoptr(values[0], code.as_pointer())
        status, choice = convention.call_function(builder, function, types.int64, types_given, given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return choice

    return types.int64(types.int64, types.int64, view, rules, moves, types.int64, params, luck), generate


def _row(context: Any, builder: Any, matrix_type: Any, row_type: Any, matrix: Any, number: Any) -> Any:
    """A row of a C-contiguous matrix, as an array that owns nothing (the matrix outlives the call)."""
    whole = context.make_array(matrix_type)(context, builder, matrix)
    row = context.make_array(row_type)(context, builder)
    _, width = cgutils.unpack_tuple(builder, whole.shape)
    context.populate_array(
        row,
        data=builder.gep(whole.data, [builder.mul(number, width)]),
        shape=cgutils.pack_array(builder, [width]),
        strides=cgutils.pack_array(builder, [whole.itemsize]),
        itemsize=whole.itemsize,
        meminfo=None,
        parent=None,
    )
    return row._getvalue()


# Numba compares the argument lists, annotations included, so this has none.
@overload(call_bot)
def _call_bot(bots, seat, view, rules, moves, count, params, luck):
    return lambda bots, seat, view, rules, moves, count, params, luck: _call(
        bots[seat], seat, view, rules, moves, count, params, luck
    )
