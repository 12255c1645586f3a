"""Addresses: bots that the match loop calls by the address of their code, and memory that a kernel finds by its own.

Numba's own first-class functions would do the same for bots, but they are looked up anew, slowly, in every call of the
loop (0.7 ms for six). Interpreted, an address stands for the Python function itself. Memory by address is how a search
gets the records and arrays that it works with: made once, they reach it as one number among a bot's parameters.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from engine.compiler import INTERPRETED, Kernel, arrays_by_address, call_by_address

_interpreted: dict[int, Any] = {}  # the functions that addresses stand for in interpreted code


def addresses(bots: Sequence[Any], arguments: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """What ``call_bot`` takes as ``bots``: int64 (bots,).

    ``arguments``: the types that a bot takes; it is compiled for them if it is not yet. It must return an int64.
    """
    return np.array([_address(bot, arguments) for bot in bots], np.int64)


def _address(bot: Any, arguments: tuple[Any, ...]) -> int:
    if INTERPRETED:
        _interpreted[id(bot)] = bot
        return id(bot)
    if not isinstance(bot, Kernel):  # in plain Python: engine/plain.py
        return int(bot.address(arguments))
    bot.compile(arguments)
    compiled = bot.overloads[arguments]
    answer = compiled.signature.return_type
    if types.unliteral(answer) != types.int64:
        raise TypeError(f"{bot.__name__} returns {answer}, not int64")
    return int(compiled.address)


def call_bot(bots, seat, view, rules, moves, count, params, luck):
    """The choice of the bot in a seat, which gets its row of ``params`` and of ``luck``."""
    return _interpreted[bots[seat]](view, rules, moves, count, params[seat], luck[seat])


# Numba compares the argument lists, annotations included, so this has none.
@overload(call_bot)
def _call_bot(bots, seat, view, rules, moves, count, params, luck):
    return lambda bots, seat, view, rules, moves, count, params, luck: call_by_address(
        bots[seat], seat, view, rules, moves, count, params, luck
    )


def arrays_at(address, dtype):
    """The fields of the record of that type at an address, as a tuple of arrays; fields without a shape have length 1.

    The record must outlive their use. A kernel calls this itself: it may not return arrays that it was not given.
    """
    block = (ctypes.c_char * dtype.itemsize).from_address(int(address))
    record = np.frombuffer(block, dtype)
    fields = [record[name] if record[name].ndim == 1 else record[name][0] for name in dtype.names]
    return tuple(field.view(np.recarray) if field.dtype.names else field for field in fields)


@overload(arrays_at)
def _arrays_at(address, dtype):
    return lambda address, dtype: arrays_by_address(address, dtype)
