"""Runs that wait for the service to play them: a queue in the same file as the runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from storage.store import Store

WAITING, PLAYING, COMPLETE, STOPPED, FAILED = "waiting", "playing", "complete", "stopped", "failed"
STATES = (WAITING, PLAYING, COMPLETE, STOPPED, FAILED)


@dataclass(frozen=True)
class Job:
    """A run that a client of the service asked for.

    run      the number of the run
    state    waiting, playing, complete, stopped (by a client, until it is resumed) or failed
    client   who asked
    key      what the client calls its request, so that asking twice makes one job; None if it has no name
    told     why it failed
    created  when it was asked for (UTC)
    turn     when it last began or ended a turn: the client whose last turn is longest ago is next
    """

    run: int
    state: str
    client: str
    key: str | None
    told: str | None
    created: datetime
    turn: datetime


class Jobs:
    """The queue in an open store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[Job]:
        """All jobs in the order in which they were asked for."""
        rows = self._store._rows("SELECT run, state, client, key, told, created, turn FROM jobs ORDER BY rowid")
        return [Job(*row) for row in rows]

    def of(self, run: int) -> Job | None:
        """The job of a run; None if nobody asked the service for it."""
        return next((job for job in self.all() if job.run == run), None)

    def add(self, run: int, client: str, key: str | None) -> None:
        """A run that is to be played."""
        now = _now()
        self._store._rows("INSERT INTO jobs VALUES (?, ?, ?, ?, NULL, ?, ?)", [run, WAITING, client, key, now, now])

    def change(self, run: int, state: str, told: str | None = None) -> None:
        """The job of a run is in another state now."""
        values: list[Any] = [state, told, _now(), run]
        self._store._rows("UPDATE jobs SET state = ?, told = ?, turn = ? WHERE run = ?", values)

    def next(self) -> Job | None:
        """Whose turn is next: the client that has waited longest since its last turn, and its oldest waiting job."""
        jobs = self.all()
        last = {
            client: max(job.turn for job in jobs if job.client == client) for client in {job.client for job in jobs}
        }
        waiting = [job for job in jobs if job.state == WAITING]
        return min(waiting, key=lambda job: (last[job.client], job.turn), default=None)


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
