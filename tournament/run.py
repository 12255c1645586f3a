"""Playing a run into the store: chunks come in order, results and progress go out, any moment may be the last."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from engine import registry
from engine.errors import HilltopError
from storage.store import Chunk, Store, StoredRun
from tournament.execution import Executor
from tournament.plan import Plan, restore
from tournament.version import version
from tournament.worker import Worker

# Results are committed when so many are waiting or so many seconds have passed. DuckDB writes a transaction of some
# row groups (122,880 rows each) straight to the file, smaller ones twice.
COMMIT_ROWS = 480_000
COMMIT_SECONDS = 3.0

Progress = Callable[[int], None]  # told the number of matches stored so far, of the whole run


def prepare(plan: Plan) -> None:
    """Compile what the plan plays, or load it from the cache, before anything is stored or any worker starts."""
    Worker(plan.settings)


def start(plan: Plan, store: Store) -> StoredRun:
    """Store a run's settings; it holds no matches yet."""
    lineups = [(lineup.team, lineup.variant, lineup.entrants) for lineup in plan.lineups]
    entrants = [entrant.spec for entrant in plan.entrants]
    return store.add_run(plan.settings, plan.matches, entrants, lineups, version(), plan.fingerprint)


def resume(stored: StoredRun) -> Plan:
    """The plan of a stored run, to play the rest of it; refused if the code has changed since."""
    plan = restore(stored.settings)
    if plan.fingerprint != stored.fingerprint:
        raise HilltopError(
            f"run {stored.id} was played with other rules or bots (fingerprint {stored.fingerprint}, "
            f"now {plan.fingerprint}); start a new run, or go back to hilltop {stored.version}"
        )
    return plan


def play(plan: Plan, store: Store, run: StoredRun, executor: Executor, progress: Progress = lambda _: None) -> None:
    """Play what ``run`` does not hold yet and store it. Whatever ends this, all finished chunks are kept."""
    if run.complete:
        return
    waiting: list[Chunk] = []
    stored = run.done

    def commit() -> None:
        nonlocal stored
        if waiting:
            store.append(run, waiting)
            stored += sum(chunk.rows.shape[1] for chunk in waiting)
            waiting.clear()
            progress(stored)

    last_commit = time.monotonic()
    results = executor.results(plan, run.chunks, plan.chunks)
    try:
        for number, (rows, telemetry) in enumerate(results, start=run.chunks):
            waiting.append(Chunk(number, plan.chunk_bounds(number)[0], rows, telemetry))
            now = time.monotonic()
            if sum(chunk.rows.shape[1] for chunk in waiting) >= COMMIT_ROWS or now - last_commit >= COMMIT_SECONDS:
                commit()
                last_commit = now
            else:
                progress(stored + sum(chunk.rows.shape[1] for chunk in waiting))
        commit()
    except BaseException:
        with contextlib.suppress(HilltopError):
            commit()
        raise
    finally:
        close: Any = getattr(results, "close", None)
        if close:
            close()
    store.checkpoint()


def reasons(run: StoredRun) -> list[str]:
    """What the numbers of a run's column ``reason`` mean."""
    return list(registry.game(run.game).state.REASONS)
