"""Playing a run into the store: chunks come in order, results and progress go out, any moment may be the last."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.errors import HilltopError
from engine.faults import CRASHED, NAMES, WITHDRAWN
from storage.store import UNREPEATABLE, Chunk, Store, StoredFault, StoredRun
from tournament.apart import Apart
from tournament.compiling import Tell, compile_plan
from tournament.counting import Array, Joiner, counter_of
from tournament.describe import describe
from tournament.execution import Executor, Say, Stopping
from tournament.plan import Plan, restore
from tournament.statistics.code import differences, in_short
from tournament.statistics.tally import Tally
from tournament.version import version
from tournament.worker import Fault, Results, Worker

# Results are committed when so many rows are waiting or so many seconds have passed. DuckDB writes a transaction of
# some row groups (122,880 rows each) straight to the file, smaller ones twice.
COMMIT_ROWS = 983_040
COMMIT_SECONDS = 3.0
AGAIN = 200  # matches at the beginning of a run that are played again at its end
AGAIN_SECONDS = 5.0
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
        {name: value for name, value in plan.settings.items() if name != "known"},
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


class Conduct:
    """What is known of the faults of a run's bots, and what follows: who is withdrawn, after which match.

    A bot is withdrawn after the match of its ``plan.max_faults``-th fault, in the order of matches: wherever and in
    whatever chunks these are played, it is the same one.
    """

    def __init__(self, plan: Plan, stored: Sequence[StoredFault] = ()) -> None:
        self._plan = plan
        self._counts = [0] * len(plan.entrants)
        self._crashed: dict[int, int] = {}
        self.withdrawn: dict[int, int] = {}
        for fault in stored:
            if fault.kind == NAMES[WITHDRAWN]:
                self.withdrawn[fault.entrant] = fault.match
            elif fault.kind in NAMES:
                self._counts[fault.entrant] += 1
            if fault.kind == NAMES[CRASHED]:
                self._crashed[fault.match] = fault.seat

    @property
    def plan(self) -> Plan:
        """The plan with what workers must know of all this."""
        known = {
            "withdrawn": sorted(self.withdrawn.items()),
            "crashed": sorted(self._crashed.items()),
            "check": self._plan.settings.get("known", {}).get("check", False),
        }
        return (
            replace(self._plan, settings={**self._plan.settings, "known": known}) if any(known.values()) else self._plan
        )

    def overdue(self, faults: Sequence[Fault]) -> Fault | None:
        """The first fault in the next chunk after which a bot must be withdrawn that is not yet. (That others must be
        is known when the chunk has been played without the first.)"""
        counts = list(self._counts)
        for fault in faults:
            counts[fault.entrant] += 1
            if counts[fault.entrant] == self._plan.max_faults and fault.entrant not in self.withdrawn:
                return fault
        return None

    def take(self, faults: Sequence[Fault]) -> list[StoredFault]:
        """Count the faults of the next chunk; what is to be stored of them."""
        found = []
        for fault in faults:
            self._counts[fault.entrant] += 1
            if fault.kind == CRASHED:
                self._crashed[fault.match] = fault.seat
            found.append(StoredFault(fault.match, fault.entrant, fault.seat, NAMES[fault.kind], fault.said))
            if self.withdrawn.get(fault.entrant) == fault.match:
                said = f"after {self._counts[fault.entrant]} faults"
                found.append(StoredFault(fault.match, fault.entrant, fault.seat, NAMES[WITHDRAWN], said))
        return found


def knowing(plan: Plan, store: Store, run: StoredRun) -> Plan:
    """The plan of a stored run with what is known of its bots' faults: so its matches are played as they were."""
    return Conduct(plan, store.faults(run)).plan


class Recorder:
    """Takes the results of a run's chunks in their order, and stores them, some at a time."""

    def __init__(self, plan: Plan, store: Store, run: StoredRun) -> None:
        self._store, self.run = store, run
        self._counter = counter_of(plan)
        self._joiner = Joiner(self._counter, run.done, _begun(plan, store, run))
        self._keeps = run.keep == MATCHES
        self._waiting: list[Chunk] = []
        self._faults: list[StoredFault] = []
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

    def take(self, results: Results, faults: Sequence[StoredFault] = ()) -> None:
        """Take the results of the next chunk."""
        self._faults += faults
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
        self._store.append(self.run, self._waiting, {block: self._sums.pack(block) for block in blocks}, self._faults)
        self.stored = self.end
        self._waiting, self._faults = [], []
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
    conduct = Conduct(plan, store.faults(run) if run else ())
    store.release()
    last_commit = float("-inf")

    def commit() -> None:
        nonlocal last_commit
        if recorder:
            recorder.commit()
            store.release()
            last_commit = time.monotonic()

    results = _results(executor, conduct, plan, first, keep, stopping, say)
    rows: list[Array] = []  # of the first matches
    try:
        for one, faults in results:
            if one.rows is not None and one.first < AGAIN:
                rows.append(one.rows[:, : AGAIN - one.first].copy())
            if one.first == first:
                run = run or start(plan, store, keep)
                store.sit(run, True)
                recorder = recorder or Recorder(plan, store, run)
                begun(run)
            assert recorder
            recorder.take(one, faults)
            if recorder.rows >= COMMIT_ROWS or time.monotonic() - last_commit >= COMMIT_SECONDS:
                commit()
            progress(recorder.end)
        commit()
        if run and recorder and recorder.stored == plan.matches and (plan.apart or plan.checked):
            begun_rows = np.concatenate(rows, axis=1) if first == 0 else np.zeros((plan.rows, 0), np.int32)
            odd = unrepeatable(conduct.plan, begun_rows)
            for fault in odd:
                say(f"bot {plan.names[fault.entrant]} is not repeatable: match {fault.match} {fault.said}")
            if odd:
                store.add_faults(run, odd)
                store.release()
    except BaseException:
        with contextlib.suppress(HilltopError):
            commit()
        raise
    finally:
        results.close()
        if recorder:
            with contextlib.suppress(HilltopError):
                store.sit(recorder.run, False)
                store.release()
    return store.run(run.id) if run else None


def unrepeatable(plan: Plan, rows: Array) -> list[StoredFault]:
    """Bots whose matches end otherwise when they are played again, in a fresh process and in the reverse order.

    ``rows``: of the first matches, as they were played. A bot is to blame for a match if no other is of a user's, or
    has been blamed already; for one that several may be to blame for, all are. What takes long is not all played again.
    """
    worker = Apart(plan.settings)
    differing = []
    end = time.monotonic() + AGAIN_SECONDS
    try:
        for match in reversed(range(rows.shape[1])):
            again = worker.play(match, match + 1).rows
            if again is None or (again[:, 0] != rows[:, match]).any():
                differing.append(match)
            if time.monotonic() > end:
                break
    finally:
        worker.close()
    suspects = {match: _suspects(plan, match) for match in reversed(differing)}
    blamed: dict[int, int] = {}
    for alone in (True, False):
        for match, entrants in suspects.items():
            if not set(entrants) & set(blamed) and (len(entrants) == 1 or not alone):
                blamed |= dict.fromkeys(entrants, match)
    said = "ends otherwise when it is played again in a fresh process"
    return [
        StoredFault(match, entrant, plan.locate(match)[1].entrants.index(entrant), UNREPEATABLE, said)
        for entrant, match in blamed.items()
    ]


def _suspects(plan: Plan, match: int) -> list[int]:
    seated = dict.fromkeys(plan.locate(match)[1].entrants)
    return [entrant for entrant in seated if plan.entrants[entrant].own] or list(seated)


def _results(
    executor: Executor, conduct: Conduct, plan: Plan, first: int, keep: bool, stopping: Stopping, say: Say
) -> Generator[tuple[Results, list[StoredFault]]]:
    """The results of a plan from a match on, with what is to be stored of faults in them.

    A chunk in which it becomes time to withdraw a bot is played once more, by workers that know it.
    """
    while first < plan.matches and not stopping():
        results = executor.results(conduct.plan, first, plan.matches, keep, stopping, say)
        overdue = False
        try:
            for one in results:
                last = conduct.overdue(one.faults)
                if last:
                    conduct.withdrawn[last.entrant] = last.match
                    say(f"bot {plan.names[last.entrant]} is withdrawn after {plan.max_faults} faults: {last.said}")
                    overdue = True
                    break
                faults = conduct.take(one.faults)
                first = one.end
                yield one, faults
        finally:
            close: Any = getattr(results, "close", None)
            if close:
                close()
        if not overdue:
            return
