"""More of a run: its settings with more matches, bots or variants, of which only what is missing is played.

The longer run is a run of its own, equal to one that was played at once; the shorter one stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from engine.errors import HilltopError
from engine.faults import NAMES, WITHDRAWN
from storage.store import Store, StoredRun
from tournament.apart import Apart, worker_of
from tournament.counting import Array
from tournament.execution import Executor, Say, Stopping
from tournament.pace import Pace, cut
from tournament.plan import Plan
from tournament.worker import Results, Worker


class Extending:
    """Takes from a stored run what it holds of a plan, and has ``executor`` play the deals that it has not begun.

    On deals that it holds, line-ups that are new are played in this process. ``before``: the stored run's plan.
    """

    def __init__(self, store: Store, run: StoredRun, before: Plan, executor: Executor) -> None:
        if run.keep != "matches" or before.telemetry:
            why = "keeps no matches" if run.keep != "matches" else "counts what happens inside matches"
            raise HilltopError(f"run {run.id} cannot be extended: it {why}; start a new run")
        if any(fault.kind == NAMES[WITHDRAWN] for fault in store.faults(run)):
            raise HilltopError(
                f"run {run.id} cannot be extended: a bot was withdrawn from it; start a new run without it"
            )
        self._store, self._run, self._before, self._executor = store, run, before, executor
        self.workers = executor.workers

    def results(
        self,
        plan: Plan,
        first: int,
        end: int,
        keep: bool = True,
        stopping: Stopping = lambda: False,
        say: Say = lambda _: None,
    ) -> Iterator[Results]:
        """See :class:`tournament.execution.Executor`."""
        held = min(self._run.done // len(self._before.lineups) * len(plan.lineups), end)
        where = self._places(plan)
        worker, pace = worker_of(plan.settings, keep), Pace()
        while first < held and not stopping():
            last = min(cut(first, pace.size, plan.board, plan.game.block), held)
            begun = time.perf_counter()
            yield worker.results(first, self._rows(plan, worker, where, first, last))
            pace.learn(last - first, time.perf_counter() - begun)
            first = last
        if first < end and not stopping():
            yield from self._executor.results(plan, first, end, keep, stopping, say)
            self.workers = self._executor.workers

    def _places(self, plan: Plan) -> list[int | None]:
        """The stored run's number of each of the plan's line-ups; None for new ones."""

        def key(one: Plan, number: int) -> tuple[object, ...]:
            lineup = one.lineups[number]
            variant = one.variants[lineup.variant]
            return str(variant.options), *(one.settings["bots"][entrant] for entrant in lineup.entrants)

        stored = {key(self._before, number): number for number in range(len(self._before.lineups))}
        return [stored.get(key(plan, number)) for number in range(len(plan.lineups))]

    def _rows(self, plan: Plan, worker: Worker | Apart, where: list[int | None], first: int, end: int) -> Array:
        """Rows of the matches ``first`` to ``end - 1``, stored or played."""
        count, before = len(plan.lineups), len(self._before.lineups)
        deals = first // count, (end - 1) // count + 1
        stored = self._store.rows(self._run, deals[0] * before, deals[1] * before)
        self._store.release()
        rows = np.zeros((plan.rows, end - first), np.int32)
        for at in range(min(count, end - first)):
            deal, number = divmod(first + at, count)
            some = -(-(end - first - at) // count)
            place = where[number]
            if place is None:
                rows[:, at::count] = worker.play_lineup(number, deal, some)
            else:
                rows[:, at::count] = stored[:, (deal - deals[0]) * before + place :: before][:, :some]
        return rows
