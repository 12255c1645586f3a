"""Signals that ask the program to end: heard whatever it is doing, answered with one sentence and one exit code.

Python runs the handler of a signal between two steps of its own, so code that does not come back (a bot that thinks for
ever, a terminal that takes no output) would make the program deaf. The system, though, writes the number of each signal
to a socket at once, where a thread reads it: that thread speaks, and ends the program if nobody else does.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

INTERRUPTED, TERMINATED = 130, 128 + signal.SIGTERM
STUCK_SECONDS = 1.0  # so long the program may hear nothing of having to end now
END_SECONDS = 10.0  # so long it may take to do so
SAY_SECONDS = 1.0  # so long its last words wait for those before them
HEARD = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]


class Asked:
    """Is a run asked to end? A first signal asks, which the run finds out by calling this; a second one ends it."""

    def __init__(self, say: Callable[[str], None] = lambda _: None, advice: Callable[[], str] = str) -> None:
        self.say, self.advice = say, advice
        self.said = threading.Event()  # that it is

    def __call__(self) -> bool:
        if _state.now:  # and yet here: a library has swallowed the answer, or two signals came as one
            _state.answer()
        return bool(_state.number)


class _State:
    """What signals have told the program."""

    def __init__(self) -> None:
        self.number = 0  # the first signal that came; 0: none
        self.now = False  # is the program to end now?
        self.answering = False  # is it about to?
        self.asked: Asked | None = None  # the run that a first signal asks to end
        self.count = self._handled = 0  # signals that the thread and the main thread have heard
        self._words: queue.SimpleQueue[Asked] = queue.SimpleQueue()

    def answer(self) -> None:
        """End the program from within."""
        self.now = self.answering = True
        raise KeyboardInterrupt

    def handle(self, number: int, _: Any) -> None:
        """The main thread hears a signal."""
        self.number = self.number or number
        self._handled += 1
        if self.now or self._handled > 1 or not self.asked:
            self.answer()

    def listen(self, numbers: socket.socket) -> None:
        """The thread hears signals, and ends the program if it does not do so itself."""
        deadline, ending, reprieved = float("inf"), None, False
        while True:
            left = deadline - time.monotonic()
            if select.select([numbers], [], [], None if left == float("inf") else max(0.0, left))[0]:
                for number in filter(HEARD.__contains__, numbers.recv(64)):
                    self.number = self.number or number
                    if self.asked and not self.count:
                        self._words.put(self.asked)
                    elif deadline == float("inf"):
                        self.now, ending = True, self.asked
                        deadline = time.monotonic() + STUCK_SECONDS
                    self.count += 1
            elif self.answering and not reprieved:
                deadline, reprieved = deadline + END_SECONDS - STUCK_SECONDS, True
            else:
                self._leave(ending)

    def speak(self) -> None:
        """Another thread says what the first one, which nothing may keep waiting, has heard."""
        while True:
            asked = self._words.get()
            asked.say(FINISHING)
            asked.said.set()

    def _leave(self, asked: Asked | None) -> None:
        lines = [asked.advice() if asked else "", f"hilltop: {word()}"]
        if select.select([], [2], [], 0)[1]:
            cursor = "\x1b[?25h" if os.isatty(2) else ""  # a bar may have hidden it
            with contextlib.suppress(OSError):
                os.write(2, (cursor + "".join(f"{line}\n" for line in lines if line)).encode())
        os._exit(code())


FINISHING = "finishing what is under way; once more ends at once"
_state = _State()


def listen() -> None:
    """Answer signals from now on (in the main thread of the program alone); those that are ignored stay so."""
    wanted = [number for number in HEARD if signal.getsignal(number) != signal.SIG_IGN]
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.detach(), warn_on_full_buffer=False)
    threading.Thread(target=_state.listen, args=(ours,), daemon=True).start()
    threading.Thread(target=_state.speak, daemon=True).start()
    for number in wanted:
        signal.signal(number, _state.handle)


def deafen() -> None:
    """All is said: no further signal changes how the program ends, but for one that takes too long."""
    for number in HEARD:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def asking(say: Callable[[str], None], advice: Callable[[], str]) -> Iterator[Asked]:
    """What tells whether a signal has asked to end.

    ``say`` is told so, in another thread; ``advice`` is what to say of the work if the program cannot.
    """
    _state.asked = asked = Asked(say, advice)
    try:
        yield asked
    finally:
        if _state.number:
            asked.said.wait(SAY_SECONDS)
        _state.asked = None


def must_end() -> bool:
    """Has a signal told the program to end now? Whatever goes wrong after that is a part of ending."""
    return _state.now


def code() -> int:
    """The exit code of a program that a signal ended."""
    return TERMINATED if _state.number == signal.SIGTERM else INTERRUPTED


def word() -> str:
    """What such a program says of itself."""
    return "terminated" if _state.number == signal.SIGTERM else "interrupted"
