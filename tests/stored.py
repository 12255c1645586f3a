"""Rows that nobody has played, stored as if they had been."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from storage.store import Store, StoredRun
from tournament import run as runner
from tournament.counting import counter_of
from tournament.plan import Plan
from tournament.worker import Results

Array = np.ndarray[Any, Any]


def results(plan: Plan, first: int, rows: Array) -> Results:
    """What a worker would return for these rows."""
    counter = counter_of(plan)
    size = rows.shape[1]
    head, tail = counter.edges(first, size)
    digest = hashlib.sha256(rows.tobytes()).digest()
    return Results(
        first, size, counter.count(first, rows), rows[:, :head], rows[:, size - tail :], digest, rows.astype(np.int32)
    )


def store_rows(store: Store, plan: Plan, rows: Array, keep: bool = True) -> StoredRun:
    """A new run of the plan that holds these rows."""
    run = runner.start(plan, store, keep)
    recorder = runner.Recorder(plan, store, run)
    recorder.take(results(plan, 0, rows))
    recorder.commit()
    return store.run(run.id)
