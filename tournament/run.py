"""Playing a run into the store: chunks come in order, results and progress go out, any moment may be the last."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from engine.errors import HilltopError
from storage.store import Chunk, Store, StoredRun
from tournament.compiling import Tell, compile_plan
from tournament.counting import Array, Joiner, counter_of
from tournament.describe import describe
from tournament.execution import Executor, Say, Stopping
from tournament.plan import Plan, restore
from tournament.statistics.code import differences, in_short
from tournament.statistics.tally import Tally
from tournament.version import version
from tournament.worker import Results, Worker

# Results are committed when so many rows are waiting or so many seconds have passed. DuckDB writes a transaction of
# some row groups (122,880 rows each) straight to the file, smaller ones twice.
COMMIT_ROWS = 983_040
COMMIT_SECONDS = 3.0
MATCHES, TALLIES = "matches", "tallies"  # what a run keeps

Progress = Callable[[int], None]  # told the number of matches stored so far, of the whole run


def prepare(plan: Plan, tell: Tell = lambda *_: None) -> None:
    """Compile what the plan plays, or load it from the cache, before anything is stored or any worker starts."""
    compile_plan(plan, tell)
    Worker(plan.settings)


def start(plan: Plan, store: Store, keep: bool = True) -> StoredRun:
    """Store what a run is; it holds no matches yet. ``keep`` its matches, or their tallies alone?"""
    lineups = [(lineup.bot_set, lineup.variant, lineup.entrants) for lineup in plan.lineups]
    facts = describe(plan).to_json()
    return store.add_run(
        plan.settings,
        plan.matches,
        plan.names,
        lineups,
        version(),
        plan.fingerprint,
        facts,
        MATCHES if keep else TALLIES,
    )


def resume(store: Store, stored: StoredRun) -> Plan:
    """The plan of a stored run, to play the rest of it or to play it again; refused if the code has changed since, with
    the files that differ."""
    code = (store.facts(stored) or {}).get("code")
    told = in_short(differences(code)) if code else ""
    back = "" if stored.version == version() else f" (hilltop {stored.version} played it)"
    if told:
        raise HilltopError(
            f"run {stored.id} was played with other code: {told}{back}; put back what it was, or start a new run"
        )
    plan = restore(stored.settings)
    if plan.fingerprint != stored.fingerprint:
        raise HilltopError(
            f"run {stored.id} was played with other rules or bots (fingerprint {stored.fingerprint}, "
            f"now {plan.fingerprint}){back}; put back what they were, or start a new run"
        )
    return plan


class Recorder:
    """Takes the results of a run's chunks in their order, and stores them, some at a time."""

    def __init__(self, plan: Plan, store: Store, run: StoredRun) -> None:
        self._store, self.run = store, run
        self._counter = counter_of(plan)
        self._joiner = Joiner(self._counter, run.done, _begun(plan, store, run))
        self._keeps = run.keep == MATCHES
        self._waiting: list[Chunk] = []
        self._sums = Tally(plan.layout)
        self.stored = run.done

    @property
    def end(self) -> int:
        """The match after the last one that was taken."""
        return self._waiting[-1].end if self._waiting else self.stored

    @property
    def rows(self) -> int:
        """Rows that wait to be stored."""
        return self.end - self.stored if self._keeps else 0

    def take(self, results: Results) -> None:
        """Take the results of the next chunk."""
        if not (self._sums.first <= results.tally.first and results.tally.end <= self._sums.end):
            self._sums = self._sums + Tally(self._sums.layout, results.tally.first, results.tally.blocks)
        self._sums.add(results.tally)
        self._joiner.join(self._sums, results.first, results.matches, results.head, results.tail)
        rows = results.rows if self._keeps else None
        self._waiting.append(Chunk(results.first, results.matches, rows, results.hash))

    def commit(self) -> None:
        """Store what was taken."""
        if not self._waiting:
            return
        if not self._keeps and self._joiner.rows is not None:
            held = np.ascontiguousarray(self._joiner.rows, "<i4").tobytes()
            self._waiting[-1] = replace(self._waiting[-1], held=held)
        blocks = range(self._sums.first, self._sums.end)
        self._store.append(self.run, self._waiting, {block: self._sums.pack(block) for block in blocks})
        self.stored = self.end
        self._waiting = []
        self._sums = Tally(self._sums.layout)


def _begun(plan: Plan, store: Store, run: StoredRun) -> Array | None:
    """The rows of the board that a run holds a part of; None if it holds whole ones."""
    size = run.done % plan.board
    if not size:
        return None
    if run.keep == MATCHES:
        return store.rows(run, run.done - size, run.done)
    return np.frombuffer(store.held(run), "<i4").reshape(plan.rows, size)


def play(
    plan: Plan,
    store: Store,
    run: StoredRun | None,
    executor: Executor,
    progress: Progress = lambda _: None,
    keep: bool = True,
    stopping: Stopping = lambda: False,
    say: Say = lambda _: None,
    begun: Callable[[StoredRun], None] = lambda _: None,
) -> StoredRun | None:
    """Play what ``run`` does not hold yet and store it; the run as it is then. Whatever ends this, all finished chunks
    are kept.

    Without a ``run`` a new one is stored when its first matches have been played: None if none were; ``keep`` its
    matches, or their tallies alone? ``begun`` is told when matches come in. The store is held only while something is
    written.
    """
    if run is not None and run.complete:
        return run
    first = run.done if run else 0
    keep = run.keep == MATCHES if run else keep
    recorder = Recorder(plan, store, run) if run else None
    store.release()
    last_commit = float("-inf")

    def commit() -> None:
        nonlocal last_commit
        if recorder:
            recorder.commit()
            store.release()
            last_commit = time.monotonic()

    results = executor.results(plan, first, plan.matches, keep, stopping, say)
    try:
        for one in results:
            if one.first == first:
                run = run or start(plan, store, keep)
                store.sit(run, True)
                recorder = recorder or Recorder(plan, store, run)
                begun(run)
            assert recorder
            recorder.take(one)
            if recorder.rows >= COMMIT_ROWS or time.monotonic() - last_commit >= COMMIT_SECONDS:
                commit()
            progress(recorder.end)
        commit()
    except BaseException:
        with contextlib.suppress(HilltopError):
            commit()
        raise
    finally:
        close: Any = getattr(results, "close", None)
        if close:
            close()
        if recorder and recorder.stored < plan.matches:
            with contextlib.suppress(HilltopError):
                store.sit(recorder.run, False)
                store.release()
    return store.run(run.id) if run else None
