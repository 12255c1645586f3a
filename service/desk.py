"""The service's view of the database: read when the file has changed, and never by two threads at once.

DuckDB lets one process open a file in one way at a time, so all threads share one lock; the file itself is held only
while something is read or written, as everywhere (``storage/store.py``).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from hilltop.api import Run, current, judged, run_of
from storage.jobs import Job, Jobs
from storage.store import Store, StoredRun, reading, writing
from tournament.balance.summary import Balance

KEPT = 256  # answers
LASTS = 5.0  # seconds
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Snapshot:
    """What the file held at one moment: runs oldest first, jobs by run, speeds and exclusions by number of run."""

    runs: tuple[StoredRun, ...]
    jobs: dict[int, Job]
    paces: dict[int, float | None]
    excluded: dict[int, tuple[str, datetime]]

    def state(self, run: StoredRun) -> str:
        """``waiting``, ``playing``, ``complete``, ``stopped`` or ``failed``."""
        if run.complete:
            return "complete"
        job = self.jobs.get(run.number)
        if job:
            return job.state
        return "playing" if run.number in self.paces else "stopped"


class Desk:
    """Reads and writes of all threads. Answers are kept until what they were made from changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._kept: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()
        with self.writing():  # makes the file if there is none
            pass
        current(path)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Store]:
        """The database to read from."""
        with self._lock, reading(self.path) as store:
            yield store

    @contextlib.contextmanager
    def writing(self) -> Iterator[Store]:
        """The database to write to."""
        with self._lock, writing(self.path) as store:
            yield store
        self._kept.pop("snapshot", None)  # who has written must not be told what was before

    def kept(self, key: Hashable, stamp: Hashable, make: Callable[[], Answer]) -> Answer:
        """The answer to ``key`` for what ``stamp`` stands for: one that is there, else made now, by one thread.

        While it is made the others get the one before, if there was one.
        """
        found = self._kept.get(key)
        if found and found[0] == stamp:
            return found[1]  # type: ignore[no-any-return]
        with self._guard:
            lock = self._making.setdefault(key, threading.Lock())
        if not lock.acquire(blocking=found is None):
            assert found
            return found[1]  # type: ignore[no-any-return]
        try:
            found = self._kept.get(key)
            if not found or found[0] != stamp:
                found = stamp, make()
                with self._guard:
                    self._kept[key] = found
                    self._kept.move_to_end(key)
                    while len(self._kept) > KEPT:
                        old, _ = self._kept.popitem(last=False)
                        self._making.pop(old, None)
            return found[1]
        finally:
            lock.release()

    def stamp(self) -> Hashable:
        """What changes whenever the file does."""
        found = self.path.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def snapshot(self) -> Snapshot:
        """What the file holds now."""
        moment = int(time.time() / LASTS)  # whether a run of another program is being played is a matter of time
        return self.kept("snapshot", (self.stamp(), moment), self._look)

    def _look(self) -> Snapshot:
        with self.reading() as store:
            jobs = {job.run: job for job in Jobs(store).all()}
            return Snapshot(tuple(store.runs()), jobs, store.paces(), store.excluded())

    def load(self, run: StoredRun) -> Run:
        """A run with its numbers as they are now."""
        with self.reading() as store:
            return run_of(store, store.run(run.id))

    def judged(self, run: StoredRun) -> Balance:
        """The report on a run's balance."""
        with self._lock:  # a cooperative run's needs another run of the file
            return judged(self.load(run))

    def export(self, run: StoredRun, target: Path) -> None:
        """Write a run's matches to a file, as ``hilltop export`` does."""
        with self._lock:
            self.load(run).export(target)

    def run(self, name: str) -> StoredRun:
        """The run that an id, the beginning of one or ``latest`` names; raises HilltopError."""
        with contextlib.suppress(StopIteration):
            return next(run for run in self.snapshot().runs if run.id == name)
        with self.reading() as store:
            return store.run(name)
