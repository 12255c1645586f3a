"""Where chunks are played: in this process, or by Ray actors here or on a cluster. Same results, bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from engine.errors import HilltopError
from tournament.plan import Plan
from tournament.worker import Worker

IN_FLIGHT = 3  # chunks handed to a worker and not yet returned: enough to keep it busy, few enough to stay small
RETRIES = 3  # how often a chunk is played again when its worker dies
OBJECT_STORE = 512 * 1024 * 1024

Rows = np.ndarray[Any, Any]


class Executor(Protocol):
    """Plays chunks ``first..last-1`` of a plan and yields their rows in this order."""

    workers: int

    def results(self, plan: Plan, first: int, last: int) -> Iterator[Rows]: ...


class InProcess:
    """A plain loop: for small runs, debugging, and as the measure of the others."""

    workers = 0

    def results(self, plan: Plan, first: int, last: int) -> Iterator[Rows]:
        """See :class:`Executor`."""
        worker = Worker(plan.settings)
        for chunk in range(first, last):
            yield worker.play(chunk)


class OnRay:
    """One warm actor a core; at most ``IN_FLIGHT`` chunks an actor are under way or waiting for an earlier one.

    Local with ``workers`` actors (default one a core), or on the cluster at ``address`` with as many as it has cores.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self.workers = workers if workers is not None else os.cpu_count() or 1
        self._every_core = workers is None
        self._address = address

    def results(self, plan: Plan, first: int, last: int) -> Iterator[Rows]:
        """See :class:`Executor`."""
        # Everything is compiled by now (run.prepare): actors only load, and never write the cache at once.
        ray = _start_ray(self._address, self.workers)
        try:
            if self._address and self._every_core:
                self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
            actors = self._actors(ray, plan, last - first)
            yield from _in_order(ray, actors, first, last)
        except ray.exceptions.RayError as error:
            raise HilltopError(f"a Ray worker failed for good: {_first_line(error)}") from error
        finally:
            ray.shutdown()

    def _actors(self, ray: Any, plan: Plan, chunks: int) -> list[Any]:
        remote = ray.remote(num_cpus=1, max_restarts=RETRIES, max_task_retries=RETRIES)(Worker)
        actors = [remote.remote(plan.settings) for _ in range(min(self.workers, max(chunks, 1)))]
        ready = [actor.fingerprint.remote() for actor in actors]
        for theirs in ray.get(ready):
            if theirs != plan.fingerprint:
                raise HilltopError(
                    f"a worker has other rules or bots (fingerprint {theirs}) than this program ({plan.fingerprint}); "
                    "install the same version of hilltop on every node"
                )
        return actors


def _in_order(ray: Any, actors: list[Any], first: int, last: int) -> Iterator[Rows]:
    """Keep every actor busy with a bounded number of chunks; yield results in the order of the chunks."""
    window = IN_FLIGHT * len(actors)
    load = dict.fromkeys(range(len(actors)), 0)
    waiting: dict[Any, tuple[int, int]] = {}  # reference -> chunk, actor
    done: dict[int, Rows] = {}
    submitted = wanted = first
    while wanted < last:
        while submitted < min(last, wanted + window):
            actor = min(load, key=lambda number: load[number])
            if load[actor] >= IN_FLIGHT:
                break
            waiting[actors[actor].play.remote(submitted)] = (submitted, actor)
            load[actor] += 1
            submitted += 1
        ready, _ = ray.wait(list(waiting), num_returns=1)
        for reference in ready:
            chunk, actor = waiting.pop(reference)
            load[actor] -= 1
            done[chunk] = ray.get(reference)
        while wanted in done:
            yield done.pop(wanted)
            wanted += 1


def _start_ray(address: str | None, workers: int) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    quiet: dict[str, Any] = {"logging_level": "error", "log_to_driver": False, "configure_logging": True}
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE,
                **quiet,
            )
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = f"the Ray cluster at {address}" if address else "Ray on this machine"
        raise HilltopError(f"cannot start {where}: {_first_line(error)}; '--workers 0' plays without Ray") from error
    return ray


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def executor(workers: int | None, address: str | None) -> Executor:
    """The executor that ``--workers N`` and ``--address A`` ask for."""
    if address is None and workers == 0:
        return InProcess()
    return OnRay(workers, address)
