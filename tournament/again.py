"""Matches of a run that keeps only tallies, played again and compared with the hashes of what was counted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import HilltopError
from storage.export import export as write
from storage.store import Chunk, Store, StoredRun, writing
from tournament.apart import worker_of
from tournament.plan import Plan
from tournament.run import MATCHES, knowing, start
from tournament.worker import Results


def chunks(plan: Plan, store: Store, run: StoredRun, match: int | None = None) -> Iterator[Results]:
    """All chunks of a run as they were played (or the one that holds a match); raises HilltopError for one that comes
    to something else."""
    worker = worker_of(knowing(plan, store, run).settings)
    stored = store.chunks(run)
    store.release()
    for first, matches, digest in stored:
        if match is not None and not first <= match < first + matches:
            continue
        results = worker.play(first, first + matches)
        if results.hash != digest:
            raise HilltopError(
                f"matches {first} to {first + matches - 1} of run {run.id} end differently when played again"
            )
        yield results


def row(plan: Plan, store: Store, run: StoredRun, match: int) -> dict[str, Any]:
    """What is stored of one match, or would be if the run kept its matches."""
    if run.keep == MATCHES:
        return store.result(run, match)
    if match >= run.done:
        raise run.missing(match)
    (results,) = chunks(plan, store, run, match)
    names = ("ranks", "reason", "plies", *(f"score{seat}" for seat in range(plan.players)))
    return {"match": match, **dict(zip(names, results.rows[:, match - results.first].tolist(), strict=True))}


def export(plan: Plan, store: Store, run: StoredRun, target: Path, reasons: tuple[str, ...]) -> int:
    """Write a row a match, as ``storage.export`` does; returns how many."""
    beside = store.path.absolute().parent
    with (
        tempfile.TemporaryDirectory(prefix="hilltop-", dir=beside) as folder,
        writing(Path(folder) / "again.duckdb") as other,
    ):
        copy = start(plan, other)
        for results in chunks(plan, store, run):
            other.append(copy, [Chunk(results.first, results.matches, results.rows, results.hash)])
        return write(other, other.run(copy.id), target, reasons)
