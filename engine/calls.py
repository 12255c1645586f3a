"""Calling bots from the match loop: each is known by the address of its compiled code.

Numba's own first-class functions would do the same, but they are looked up anew, slowly, in every call of the loop
(0.7 ms for six). Interpreted, a bot is the Python function itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from engine.compiler import INTERPRETED, call_by_address


def addresses(bots: Sequence[Any], arguments: tuple[Any, ...]) -> Any:
    """What ``call_bot`` takes as ``bots``: int64 (bots,), or interpreted the functions themselves.

    ``arguments``: the types that a bot takes; it is compiled for them if it is not yet. It must return an int64.
    """
    if INTERPRETED:
        return tuple(bots)
    return np.array([_address(bot, arguments) for bot in bots], np.int64)


def _address(bot: Any, arguments: tuple[Any, ...]) -> int:
    bot.compile(arguments)
    compiled = bot.overloads[arguments]
    answer = compiled.signature.return_type
    if types.unliteral(answer) != types.int64:
        raise TypeError(f"{bot.__name__} returns {answer}, not int64")
    return int(compiled.address)


def call_bot(bots, seat, view, rules, moves, count, params, luck):
    """The choice of the bot in a seat, which gets its row of ``params`` and of ``luck``."""
    return bots[seat](view, rules, moves, count, params[seat], luck[seat])


# Numba compares the argument lists, annotations included, so this has none.
@overload(call_bot)
def _call_bot(bots, seat, view, rules, moves, count, params, luck):
    return lambda bots, seat, view, rules, moves, count, params, luck: call_by_address(
        bots[seat], seat, view, rules, moves, count, params, luck
    )
