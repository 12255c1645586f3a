"""Runs of older files get what newer versions store: facts, and the tally of their matches.

The code that played such a run is not known file by file, so what its numbers mean is asked of today's code, and said
to be: facts made here are trusted only if the code's fingerprint is still the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import HilltopError
from storage.store import Store, StoredRun, outdated, writing
from tournament.counting import Joiner, counter_of
from tournament.describe import describe
from tournament.plan import Plan, restore
from tournament.statistics.tally import Tally


def upgrade(path: Path) -> None:
    """Bring a database up to date, if it is older; nothing that it holds is lost."""
    if not outdated(path):
        return
    with writing(path) as store:
        for run in store.runs():
            if store.facts(run) is None:
                _describe(store, run)


def _describe(store: Store, run: StoredRun) -> None:
    # What was counted inside matches then cannot be added up as it is now: such a run is read as one without.
    settings = {key: value for key, value in run.settings.items() if key != "telemetry"}
    try:
        plan = restore(settings)
        if len(plan.lineups) != run.lineups:
            raise HilltopError(f"it had {run.lineups} line-ups, and would have {len(plan.lineups)}")
    except HilltopError as error:
        raise HilltopError(
            f"run {run.id} of an older version cannot be brought over: {error}; put back what is missing"
        ) from error
    facts = replace(describe(plan), trusted=plan.fingerprint == run.fingerprint)
    store.describe(run, facts.to_json(), _sums(store, run, plan))


def _sums(store: Store, run: StoredRun, plan: Plan) -> dict[int, bytes]:
    counter = counter_of(plan)
    joiner = Joiner(counter, 0)
    total = Tally(plan.layout)
    names = ["ranks", "reason", "plies", *(f"score{seat}" for seat in range(plan.players))]
    for first, frame in store.slices(run, names):
        rows: Any = np.array([frame[name].to_numpy().astype(np.int32) for name in names])
        size = rows.shape[1]
        head, tail = counter.edges(first, size)
        total = total + counter.count(first, rows)
        joiner.join(total, first, size, rows[:, :head], rows[:, size - tail :])
    return {block: total.pack(block) for block in range(total.first, total.end)}
