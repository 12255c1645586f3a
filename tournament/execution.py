"""Where chunks are played: in this process, or by Ray actors here or on a cluster. Same results, bit for bit."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

from engine.errors import HilltopError, UsageError
from tournament.plan import Plan
from tournament.worker import Results, Worker, one_line

IN_FLIGHT = 4  # chunks handed to a worker and not yet returned: enough to keep it busy, few enough to stay small
RETRIES = 3  # how often a chunk is played again when its worker dies
OBJECT_STORE = 512 * 1024 * 1024
MOST_WORKERS = max(256, os.cpu_count() or 1)  # on one machine: each is a process
CONNECT_SECONDS = 5.0


class Executor(Protocol):
    """Plays the matches ``first`` to ``end - 1`` of a plan, in chunks of its choice, and yields their results in order.

    Each chunk begins where the one before it ends; where that is changes nothing but the time it takes. ``keep``: are
    rows of matches wanted, or their tallies alone?
    """

    workers: int

    def results(self, plan: Plan, first: int, end: int, keep: bool = True) -> Iterator[Results]: ...


class InProcess:
    """A plain loop: for small runs, debugging, and as the measure of the others."""

    workers = 0

    def results(self, plan: Plan, first: int, end: int, keep: bool = True) -> Iterator[Results]:
        """See :class:`Executor`."""
        worker = Worker(plan.settings, keep)
        for chunk in _chunks(plan, first, end):
            yield worker.play(*chunk)


def _chunks(plan: Plan, first: int, end: int) -> list[tuple[int, int]]:
    """The matches ``first`` to ``end - 1`` in chunks; small runs are cut too, so that several workers share them."""
    wanted = min(plan.game.block, max(1024, -(-plan.matches // 16)))
    chunks = []
    while first < end:
        last = min(plan.chunk_end(first, wanted), end)
        chunks.append((first, last))
        first = last
    return chunks


class Actor:
    """A worker in a process of Ray's, made when first needed: so Ray tells plainly what goes wrong in making it."""

    def __init__(self, kind: type[Worker], settings: dict[str, Any], keep: bool) -> None:
        self._kind, self._settings, self._keep = kind, settings, keep

    @cached_property
    def _worker(self) -> Worker:
        return self._kind(self._settings, self._keep)

    def fingerprint(self) -> str:
        """See :class:`Worker`."""
        return self._worker.fingerprint()

    def play(self, first: int, end: int) -> Results:
        """See :class:`Worker`."""
        return self._worker.play(first, end)


class OnRay:
    """One warm actor a core; at most ``IN_FLIGHT`` chunks an actor are under way or waiting for an earlier one.

    Local with ``workers`` actors (default one a core), or on the cluster at ``address`` with as many as it has cores.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self.workers = workers if workers is not None else os.cpu_count() or 1
        self._every_core = workers is None
        self._address = address

    def results(self, plan: Plan, first: int, end: int, keep: bool = True) -> Iterator[Results]:
        """See :class:`Executor`."""
        if first >= end:
            return
        # Everything is compiled by now (run.prepare): actors only load, and never write the cache at once.
        # Ray tells of lost workers on standard output, which is for results.
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            yield from self._results(plan, _chunks(plan, first, end), keep)

    def _results(self, plan: Plan, chunks: Sequence[tuple[int, int]], keep: bool) -> Iterator[Results]:
        import ray

        actors: list[Any] = []
        try:
            _start_ray(self._address, self.workers)
            if self._address and self._every_core:
                self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
            remote = ray.remote(num_cpus=1, max_restarts=RETRIES, max_task_retries=RETRIES)(Actor)
            for _ in range(min(self.workers, len(chunks))):
                actors.append(remote.remote(Worker, plan.settings, keep))
            self._compare(plan, ray.get([actor.fingerprint.remote() for actor in actors]))
            yield from _in_order(ray, actors, chunks)
        except ray.exceptions.RayTaskError as error:  # a Python exception in a worker, not the end of one
            if isinstance(error.cause, HilltopError):
                raise HilltopError(str(error.cause)) from error
            raise HilltopError(f"a Ray worker failed: {one_line(error.cause)}") from error
        except ray.exceptions.RayError as error:
            raise HilltopError(f"a Ray worker was lost for good: {one_line(error)}") from error
        finally:
            for actor in actors:
                ray.kill(actor)
            ray.shutdown()

    def _compare(self, plan: Plan, fingerprints: list[str]) -> None:
        for theirs in fingerprints:
            if theirs != plan.fingerprint:
                raise HilltopError(
                    f"a worker has other rules or bots (fingerprint {theirs}) than this program ({plan.fingerprint}); "
                    "install the same version of hilltop on every node"
                )


def _in_order(ray: Any, actors: list[Any], chunks: Sequence[tuple[int, int]]) -> Iterator[Results]:
    """Keep every actor busy with a bounded number of chunks; yield results in the order of the chunks."""
    window = IN_FLIGHT * len(actors)
    load = dict.fromkeys(range(len(actors)), 0)
    waiting: dict[Any, tuple[int, int]] = {}  # reference -> chunk, actor
    done: dict[int, Results] = {}
    submitted = wanted = 0
    while wanted < len(chunks):
        results = done.pop(wanted, None)
        if results is not None:
            wanted += 1
        while submitted < min(len(chunks), wanted + window):
            actor = min(load, key=lambda number: load[number])
            if load[actor] >= IN_FLIGHT:
                break
            waiting[actors[actor].play.remote(*chunks[submitted])] = (submitted, actor)
            load[actor] += 1
            submitted += 1
        if results is not None:
            yield results  # with every actor's queue full: storing may take longer than a chunk
            continue
        ready, _ = ray.wait(list(waiting), num_returns=1)
        for reference in ready:
            chunk, actor = waiting.pop(reference)
            load[actor] -= 1
            done[chunk] = ray.get(reference)


def _start_ray(address: str | None, workers: int) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    where: dict[str, Any] = {"address": address}
    if address is None:
        where = {"address": "local", "num_cpus": workers, "include_dashboard": False}
        where["object_store_memory"] = OBJECT_STORE
    quiet: dict[str, Any] = {"logging_level": "error", "log_to_driver": False}
    try:
        with _interrupted_later():
            ray.init(**where, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        what = f"the Ray cluster at {address}" if address else "Ray on this machine"
        raise HilltopError(f"cannot start {what}: {one_line(error)}; '--workers 0' plays without Ray") from error


@contextlib.contextmanager
def _interrupted_later() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM: a Ray that is half started crashes on the way out. Its own handlers go."""
    if threading.current_thread() is not threading.main_thread():
        yield  # which no signal interrupts
        return
    came: list[int] = []
    held = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda got, _: came.append(got)) for number in held}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            raise KeyboardInterrupt


def executor(workers: int | None, address: str | None) -> Executor:
    """The executor that ``--workers N`` and ``--address A`` ask for; raises HilltopError if it cannot be had."""
    if workers is not None and address is not None:
        raise UsageError("--workers is for this machine and --address for a cluster; give one of them")
    if workers is not None and not 0 <= workers <= MOST_WORKERS:
        raise UsageError(f"workers cannot be {workers}; allowed: 0 (plays in this process) to {MOST_WORKERS}")
    if address is not None:
        _reach(address)
    return InProcess() if workers == 0 else OnRay(workers, address)


def _reach(address: str) -> None:
    """Refuse an address where nobody answers: Ray would try for minutes."""
    if address == "auto":
        return
    found = re.fullmatch(r"(?:ray://)?(?P<host>[^:/\s]+):(?P<port>\d{1,5})", address)
    if not found:
        raise UsageError(f"'{address}' is not the address of a Ray cluster; write host:port, or auto")
    try:
        with contextlib.closing(socket.create_connection((found["host"], int(found["port"])), CONNECT_SECONDS)):
            pass
    except (OSError, OverflowError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise HilltopError(f"there is no Ray cluster at {address}: {why}; 'ray start --head' makes one") from error
