"""Where matches are played: in this process, or by Ray's workers here or on a cluster. Same results, bit for bit."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from engine.cache import ROOT
from engine.errors import HilltopError, UsageError
from tournament.apart import worker_of
from tournament.cluster import guard, remote
from tournament.cluster.bridge import STOP, TAKEN, Job
from tournament.cluster.local import START_SECONDS
from tournament.pace import Pace, cut
from tournament.plan import Plan, own_file, own_files
from tournament.worker import Results

MOST_WORKERS = max(256, os.cpu_count() or 1)  # on one machine: each is a process
CONNECT_SECONDS = 5.0
PATIENCE = 60.0  # seconds that a run waits for a worker when none is left
SLOW_SECONDS = 5.0  # a start that takes longer is told of
SILENT_SECONDS = 60.0  # a bridge that says nothing for so long is stuck
FRAME = struct.Struct("!i")  # before each message: its length, as multiprocessing's connections have it
LOOK_SECONDS = 1.0  # how often what runs outside of the program is looked at
GUARD_SECONDS = 5.0  # how long the guard may take to end all processes
DRAIN_SECONDS = 5.0  # how long chunks under way are waited for when a run is to stop
RESTARTS = 2  # how often Ray on this machine is started again with no match in between
LONGEST_BASE = 30  # letters of the folder for Ray's sockets, whose paths may have 107 in all

Stopping = Callable[[], bool]  # asked often: is the run to stop?
Say = Callable[[str], None]  # told sentences for people


def _never() -> bool:
    return False


def _silent(_: str) -> None:
    pass


class Executor(Protocol):
    """Plays the matches ``first`` to ``end - 1`` of a plan, in chunks of its choice, and yields their results in order.

    Each chunk begins where the one before it ends; where that is changes nothing but the time it takes. When
    ``stopping`` says so, what is under way is finished, yielded as far as it goes on without a gap, and no more.
    ``keep``: are rows of matches wanted, or their tallies alone?
    """

    workers: int

    def results(
        self, plan: Plan, first: int, end: int, keep: bool = True, stopping: Stopping = _never, say: Say = _silent
    ) -> Iterator[Results]: ...


class InProcess:
    """A plain loop: for small runs, debugging, and as the measure of the others."""

    workers = 0

    def results(
        self, plan: Plan, first: int, end: int, keep: bool = True, stopping: Stopping = _never, say: Say = _silent
    ) -> Iterator[Results]:
        """See :class:`Executor`."""
        worker, pace = worker_of(plan.settings, keep), Pace()
        try:
            while first < end and not stopping():
                last = min(cut(first, pace.size, plan.board, plan.game.block), end)
                begun = time.perf_counter()
                results = worker.play(first, last)
                pace.learn(last - first, time.perf_counter() - begun)
                yield results
                first = last
        finally:
            worker.close()


class OnRay:
    """A warm worker a core. Local with ``workers`` of them (default one a core), or on the cluster at ``address``.

    Ray itself is kept in other processes (see ``tournament.cluster``), so that the program answers whatever happens to
    it, and none is left when the program ends. Where Ray cannot be had here and ``workers`` was not asked for, this
    process plays. ``patience``: seconds to wait for workers to come when none is left.
    """

    def __init__(
        self,
        workers: int | None = None,
        address: str | None = None,
        patience: float = PATIENCE,
        worker: str = "tournament.apart:worker_of",
    ) -> None:
        self.workers = workers if workers is not None else os.cpu_count() or 1
        self._asked = workers is not None or address is not None
        self._address, self._patience, self._worker = address, patience, worker

    def results(
        self, plan: Plan, first: int, end: int, keep: bool = True, stopping: Stopping = _never, say: Say = _silent
    ) -> Iterator[Results]:
        """See :class:`Executor`."""
        # Everything is compiled by now (run.prepare): workers here only load.
        home = self._home(plan, keep)
        failures = 0
        while first < end and not stopping():
            workers = None if self._address else min(self.workers, end - first)
            patience = self._patience if self._address else max(self._patience, START_SECONDS)
            job = Job(first, end, plan.board, plan.game.block, home, plan.fingerprint, workers, self._address, patience)
            for kind, *said in _Link(job).messages(stopping, say):
                if kind == "chunk":
                    results: Results = pickle.loads(said[0])
                    first = results.end
                    failures = 0
                    yield results
                elif kind == "ready":
                    self.workers = said[0]
                elif kind == "said":
                    say(said[0])
                elif kind == "failed":
                    name, sentence = said
                    error = {"UsageError": UsageError, "HilltopError": HilltopError}.get(name)
                    raise error(sentence) if error else HilltopError(f"a Ray worker failed: {sentence}")
                elif kind == "unstarted":
                    yield from self._elsewhere(said[0], plan, first, end, keep, stopping, say)
                    return
                elif kind == "stopped":
                    return
                elif kind == "lost":
                    failures += 1
                    if self._address or (failures > RESTARTS and self._asked):
                        raise HilltopError(f"Ray was lost: {said[0]}")
                    if failures > RESTARTS:
                        yield from self._elsewhere(said[0], plan, first, end, keep, stopping, say)
                        return
                    say(f"Ray on this machine was lost ({said[0]}); it is started again")

    def _elsewhere(
        self, why: str, plan: Plan, first: int, end: int, keep: bool, stopping: Stopping, say: Say
    ) -> Iterator[Results]:
        """Ray cannot be had: play here, unless it was asked for."""
        what = f"the Ray cluster at {self._address} cannot be reached" if self._address else "Ray cannot be started"
        if self._asked:
            raise HilltopError(f"{what}: {why}; '--workers 0' plays without Ray")
        say(f"{what} here ({why}), so this process plays alone")
        self.workers = 0
        yield from InProcess().results(plan, first, end, keep, stopping, say)

    def _home(self, plan: Plan, keep: bool) -> remote.Home:
        archive = remote.pack(ROOT) if self._address else None
        own = _own_bots(plan) if self._address else {}
        return remote.Home(
            str(ROOT), remote.digest(ROOT), remote.versions(), self._worker, plan.settings, keep, own, archive
        )


def _own_bots(plan: Plan) -> dict[str, dict[str, bytes]]:
    """Users' bots by the names that settings give them, each with the files that it draws on by names in its folder."""
    found: dict[str, dict[str, bytes]] = {}
    for spec in plan.settings["bots"]:
        path = own_file(spec)
        if path is None:
            continue
        folder = path.resolve().parent
        drawn = [file.resolve() for file in own_files([spec]) if not file.resolve().is_relative_to(ROOT / "engine")]
        for file in drawn:
            if not file.is_relative_to(folder) and not file.is_relative_to(ROOT):
                raise UsageError(f"{path} draws on {file}, which is not in its folder: it cannot travel to a cluster")
        inside = [file for file in drawn if file.is_relative_to(folder)]
        found[str(path)] = {file.relative_to(folder).as_posix(): file.read_bytes() for file in inside}
    return found


class _Link:
    """The guard and the bridge behind it, for one job; see ``tournament.cluster``."""

    def __init__(self, job: Job) -> None:
        self._job = job
        ours, theirs = socket.socketpair()
        with theirs:
            bridge = [sys.executable, "-P", "-c", "from tournament.cluster.bridge import main; main()"]
            path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, _short_folder(), *bridge],
                stdin=subprocess.PIPE,
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": path},
            )
        self._socket = ours
        self._heard = bytearray()  # of messages that are not complete yet
        # A bridge that is stopped reads nothing: nobody else waits for it.
        self._telling = threading.Thread(target=self._tell, args=(job,), daemon=True)
        self._telling.start()
        self._below: dict[int, str] = {}  # processes and when they were started
        self._looked = 0.0

    def messages(self, stopping: Stopping, say: Say) -> Iterator[tuple[Any, ...]]:
        """What the bridge says (see there), to its last word; all its processes are gone when this ends."""
        try:
            yield from self._messages(stopping, say)
        finally:
            self._close()

    def _messages(self, stopping: Stopping, say: Say) -> Iterator[tuple[Any, ...]]:
        begun = heard = time.monotonic()
        ready = told = False
        stopped = None
        try:
            while True:
                if time.monotonic() - self._looked > LOOK_SECONDS:
                    self._look()
                if stopped is None and stopping():
                    stopped = time.monotonic()
                    self._stop()
                message = self._hear()
                if message:
                    heard = time.monotonic()
                    if message[0] == "alive":
                        continue
                    ready = ready or message[0] == "ready"
                    yield message
                    heard = time.monotonic()  # whoever asks may have been busy
                    if message[0] == "chunk":
                        self._tell(TAKEN)
                    if message[0] not in ("chunk", "ready", "said"):
                        return
                    continue
                now = time.monotonic()
                if stopped is not None and now - stopped > DRAIN_SECONDS:
                    yield ("stopped",)
                    return
                if not ready and not told and now - begun > SLOW_SECONDS:
                    told = True
                    say("waiting for Ray and its workers, which take long to start on a busy machine")
                if not ready and not self._job.address and now - begun > START_SECONDS:
                    yield "unstarted", f"no worker has answered for {START_SECONDS} seconds"
                    return
                if ready and now - heard > SILENT_SECONDS:
                    yield "lost", f"it has not answered for {SILENT_SECONDS:g} seconds"
                    return
        except (EOFError, OSError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._guard.wait(timeout=GUARD_SECONDS)
            killed = ready or (self._guard.returncode or 1) in (1, -signal.SIGKILL)  # 1: see the guard
            yield ("lost", "its processes were killed") if killed else ("unstarted", "its processes have ended")

    def _close(self) -> None:
        """End all processes. A guest of a cluster is given the time to say goodbye."""
        if self._job.address:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._stop()
                self._guard.wait(timeout=3.0)
        with contextlib.suppress(OSError):
            assert self._guard.stdin
            self._guard.stdin.close()
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(timeout=GUARD_SECONDS)
        if self._guard.returncode not in (0, 1):  # it was stopped or killed: do what it would do
            self._look()
            end = time.monotonic() + GUARD_SECONDS
            while (left := self._left()) and time.monotonic() < end:
                for pid in left:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                self._guard.poll()
                time.sleep(0.01)

    def _left(self) -> set[int]:
        """What the guard would have ended: its descendants as far as they were seen, and all of its session."""
        seen = {pid for pid, born in self._below.items() if born and guard.birth(pid) == born}
        return seen.union(guard.members(self._guard.pid))

    def _tell(self, message: Any) -> None:
        packed = pickle.dumps(message)
        with contextlib.suppress(OSError):
            self._socket.sendall(FRAME.pack(len(packed)) + packed)

    def _stop(self) -> None:
        if not self._telling.is_alive():
            self._tell(STOP)

    def _hear(self) -> tuple[Any, ...] | None:
        """The next message; None if none is complete for a moment. A part of one keeps nobody waiting."""
        while True:
            if len(self._heard) >= FRAME.size:
                end = FRAME.size + FRAME.unpack_from(self._heard)[0]
                if len(self._heard) >= end:
                    message: tuple[Any, ...] = pickle.loads(memoryview(self._heard)[FRAME.size : end].tobytes())
                    del self._heard[:end]
                    return message
            if not select.select([self._socket], [], [], 0.1)[0]:
                return None
            part = self._socket.recv(1 << 20)
            if not part:
                raise EOFError
            self._heard += part

    def _look(self) -> None:
        """Remember what descends from the guard: nobody can tell any more when the guard has been killed."""
        self._looked = time.monotonic()
        for pid in [*guard.descendants(self._guard.pid), self._guard.pid]:
            self._below.setdefault(pid, guard.birth(pid))


def _short_folder() -> str:
    """A folder for temporary files in which sockets can have names."""
    folders = [tempfile.gettempdir(), os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", "/var/tmp"]
    for folder in folders:
        if folder and len(os.fsencode(folder)) <= LONGEST_BASE and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return folders[0]


def executor(workers: int | None, address: str | None, patience: float = PATIENCE) -> Executor:
    """The executor that ``--workers N`` and ``--address A`` ask for; raises HilltopError if it cannot be had."""
    if workers is not None and address is not None:
        raise UsageError("--workers is for this machine and --address for a cluster; give one of them")
    if workers is not None and not 0 <= workers <= MOST_WORKERS:
        raise UsageError(f"workers cannot be {workers}; allowed: 0 (plays in this process) to {MOST_WORKERS}")
    if not 0 <= patience <= 86_400:
        raise UsageError(f"patience cannot be {patience:g} seconds; allowed: 0 to 86400")
    if address is not None:
        _reach(address)
    return InProcess() if workers == 0 else OnRay(workers, address, patience)


def _reach(address: str) -> None:
    """Refuse an address where nobody answers: Ray would try for minutes."""
    if address == "auto":
        return
    found = re.fullmatch(r"(?P<host>[^:/\s]+):(?P<port>\d{1,5})", address)
    if not found:
        raise UsageError(f"'{address}' is not the address of a Ray cluster; write host:port, or auto")
    try:
        with contextlib.closing(socket.create_connection((found["host"], int(found["port"])), CONNECT_SECONDS)):
            pass
    except (OSError, OverflowError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise HilltopError(f"there is no Ray cluster at {address}: {why}; 'ray start --head' makes one") from error
