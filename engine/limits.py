"""How long a decision in Python may take: so many lines, and never a matter of time."""

from __future__ import annotations

import atexit
import functools
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

BUDGET = 200_000_000  # steps of a decision unless told otherwise: turns of a loop and calls of kernels
LINE = 1000  # steps of a compiled bot that a line of Python counts as
LONG_SECONDS = 1.0  # of processor time: a decision that takes longer is begun anew, counted


class OutOfLines(Exception):
    """A decision in plain Python has taken more lines than it may."""


class _Long(BaseException):
    """A decision takes long: it is time to count its lines."""


_asked = 0  # decisions in plain Python so far
_long = 0  # the one that was under way when the clock was last looked at; 0 for none
_deciding = False


def in_time(ask: Callable[[], T], lines: int) -> T:
    """What ``ask`` returns. Raises OutOfLines if that takes more lines of Python.

    Time decides nothing: who takes long is asked again, and then its lines are counted.
    """
    global _asked, _deciding
    if threading.current_thread() is not threading.main_thread():
        return ask()
    _clock()
    _asked += 1
    _deciding = True
    try:
        return ask()
    except _Long:
        pass
    finally:
        _deciding = False
    return _counted(ask, lines)


@functools.cache
def _clock() -> None:
    """Look now and then whether a decision is still the same."""

    def look(*_: Any) -> None:
        global _long
        if _deciding and _long == _asked:
            raise _Long
        _long = _asked

    signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONG_SECONDS, LONG_SECONDS)
    atexit.register(signal.setitimer, signal.ITIMER_VIRTUAL, 0)  # once Python is gone nobody hears it, and it kills


def _counted(ask: Callable[[], T], lines: int) -> T:
    left = lines

    def step(_frame: Any, what: str, _given: Any) -> Any:
        nonlocal left
        left -= what == "line"
        if left < 0:
            raise OutOfLines(f"more than {lines:,} lines of Python")
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        return ask()
    finally:
        sys.settrace(before)
