"""Progress of long work on standard error: a bar on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

EVERY = 10.0  # seconds between lines in a pipe
FIRST = 2.0  # seconds to the first of them, doubled for each one that follows


class Compiling:
    """What is compiled just now: one line that changes on a terminal, a line now and then in a pipe.

    A context manager that is called with how many of how many parts are ready and which are at work; says nothing if it
    never is.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._told = -EVERY
        self._live = _is_live()
        self._width = 0  # of a line that has not ended

    def __enter__(self) -> Compiling:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            print(file=sys.stderr, flush=True)

    def __call__(self, done: int, total: int, busy: Sequence[str]) -> None:
        doing = f": {', '.join(busy)}" if busy else ""
        text = f"compiling {self._title}, {done} of {total} parts ready{doing} (kept for the next time)"
        now = time.monotonic()
        if self._live:
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)
        elif done == total or now - self._told >= EVERY:
            self._told = now
            print(text, file=sys.stderr, flush=True)


def _is_live() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class Bar:
    """Matches done of ``total``, matches a second and time left. A context manager; safe to stop twice."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = self._first = self._kept = 0
        self._began = self._told = time.monotonic()
        self._wait = min(FIRST, EVERY)
        self._steady = False  # have results begun to come in?
        self._live = _is_live()
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if kind is None and self._done > self._kept and not self._live:
            self._line()

    def say(self, text: str) -> None:
        """A line of text above the bar."""
        if self._progress:
            self._progress.console.print(text)
        else:
            sys.stderr.write(f"{text}\n")  # at once: another thread may speak too
            sys.stderr.flush()

    def start(self, done: int) -> None:
        """Begin with ``done`` matches stored by an earlier try."""
        self._done = self._first = self._kept = done
        self._began = self._told = time.monotonic()
        self._steady = False
        if self._live:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            console = Console(stderr=True, highlight=False, markup=False, emoji=False)
            self._progress = Progress(
                BarColumn(bar_width=None),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=console,
                expand=True,
                transient=False,
            )
            self._task = self._progress.add_task("matches", total=self._total, completed=done, rate="")
            self._progress.start()

    def update(self, done: int) -> None:
        """``done`` matches are finished."""
        begins = not self._steady and done < self._total
        if begins:  # what it took to start says nothing about the rate
            self._first, self._began, self._steady = done, time.monotonic(), True
        self._done = done
        if self._progress:
            rate = "" if begins else f"{self._rate():,.0f} matches/s"
            self._progress.update(self._task, completed=done, rate=rate)
        elif begins:
            self._told = self._began
        elif time.monotonic() - self._told >= self._wait:
            self._wait = min(2.0 * self._wait, EVERY)
            self._line()

    def stop(self) -> None:
        """Take the bar off the screen's live part."""
        if self._progress:
            self._progress.stop()
            self._progress = None

    def _rate(self) -> float:
        return (self._done - self._first) / max(time.monotonic() - self._began, 1e-9)

    def _line(self) -> None:
        self._told = time.monotonic()
        left = (self._total - self._done) / max(self._rate(), 1e-9)
        part = f"{self._done:,} of {self._total:,} matches ({100 * self._done / self._total:.0f} %)"
        self.say(f"{part}, {self._rate():,.0f} matches/s, {left:,.0f} s left")
