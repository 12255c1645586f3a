"""The process that speaks with Ray, for a program that must answer signals whatever state Ray is in.

It gets a :class:`Job` on its standard output, which is a socket, and sends messages back, each a pickled tuple:

``("said", sentence)`` for people; ``("ready", workers)`` when the first worker has answered; ``("chunk", results)`` in
the order of the matches, ``results`` being pickled; ``("alive",)`` now and then; and at the end ``("complete",)``,
``("stopped",)`` after a ``STOP`` from the program, ``("failed", kind, sentence)`` when playing on is of no use,
``("unstarted", sentence)`` when Ray cannot be had, or ``("lost", sentence)`` when Ray or all workers are gone.

The program answers each chunk with ``TAKEN``. What it has not taken yet is bounded, so that little is played after it
was asked to stop; of that, a worker has at most one chunk at hand and one waiting.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import sys
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tournament.cluster import local, remote
from tournament.pace import CHUNK_SECONDS, Chunk, Schedule

STOP, TAKEN = "stop", "taken"
IN_FLIGHT = 2  # chunks handed to a worker and not yet returned: enough to keep it busy
AHEAD = 8  # chunks a worker that the program may leave waiting, as when others read the file
MOST_BYTES = 256 << 20  # of results that wait for the program or for an earlier chunk
ALIVE_SECONDS = 1.0
LOOK_SECONDS = 2.0  # how often nodes that have joined are looked for


@dataclass(frozen=True)
class Job:
    """What is to be played and where. ``workers``: on this machine, or None for as many as the cluster has cores."""

    first: int
    end: int
    board: int
    block: int
    home: remote.Home
    fingerprint: str
    workers: int | None
    address: str | None
    patience: float


@dataclass
class Hand:
    """A worker as the bridge sees it."""

    actor: Any
    node: str = ""  # its name, once it has answered
    ready: bool = False
    chunks: deque[Chunk] = field(default_factory=deque)


class Bridge:
    """See the module."""

    def __init__(self, job: Job, connection: Connection) -> None:
        import ray

        self._ray: Any = ray
        self._job, self._connection = job, connection
        self._schedule = Schedule(job.first, job.end, job.board, job.block)
        self._hands: dict[int, Hand] = {}
        # Reference -> hand, and the chunk or what else it was asked.
        self._waiting: dict[Any, tuple[int, Chunk | str]] = {}
        self._results: dict[int, bytes] = {}  # first match -> what waits for an earlier chunk
        self._kept = self._queued = self._sent = 0  # bytes; each is written by one thread
        self._untaken = 0  # chunks that the program was sent and has not taken yet
        self._refused: set[str] = set()
        self._outbox: queue.Queue[bytes | None] = queue.Queue()
        self._sender = threading.Thread(target=self._send, daemon=True)
        self._sender.start()
        self._made = 0
        self._told_ready = False
        self._looked = self._alive = float("-inf")
        self._since_worker = time.monotonic()  # since when there is no worker
        self._most = job.workers or 1
        self._begun = False  # has a worker been ready?

    # ------------------------------------------------------------ to the program

    def say(self, *message: Any) -> None:
        """Send a message."""
        packed = pickle.dumps(message, protocol=5)
        self._queued += len(packed)
        self._outbox.put(packed)

    def _send(self) -> None:
        while (packed := self._outbox.get()) is not None:
            self._connection.send_bytes(packed)
            self._sent += len(packed)

    def close(self) -> None:
        """Have everything sent."""
        self._outbox.put(None)
        self._sender.join()

    # ------------------------------------------------------------ playing

    def play(self) -> tuple[Any, ...]:
        """Play the job; the last message."""
        home = self._job.home
        self._home = self._ray.put(home)
        actor = self._ray.remote(remote.RemoteWorker)
        # Lost workers are made anew here, where it is known what they were playing.
        self._class = actor.options(num_cpus=1, max_restarts=0, max_task_retries=0)
        while not self._schedule.complete:
            self._hear()
            now = time.monotonic()
            if now - self._alive >= ALIVE_SECONDS:
                self._alive = now
                self.say("alive")
            ended = self._look(now)
            if ended:
                return ended
            self._hand_out()
            if self._schedule.stopped and not any(hand.chunks for hand in self._hands.values()):
                return ("stopped",)
            ended = self._collect()
            if ended:
                return ended
        return ("complete",)

    def _hear(self) -> None:
        """What the program says."""
        while self._connection.poll(0):
            if self._connection.recv() == STOP:
                self._schedule.stopped = True
            else:
                self._untaken -= 1

    def _look(self, now: float) -> tuple[Any, ...] | None:
        """Make workers for cores that are free; see whether any is left."""
        if any(hand.node not in ("", *self._refused) for hand in self._hands.values()):
            self._since_worker = now
        elif now - self._since_worker > self._job.patience:
            return "lost", f"no Ray worker is left, and none came within {self._job.patience:g} seconds"
        if now - self._looked < LOOK_SECONDS:
            return None
        self._looked = now
        if self._job.workers is None:
            self._most = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        most = min(self._most, self._job.end - self._schedule.wanted)
        while len(self._hands) < most and not self._schedule.stopped:
            self._made += 1
            hand = self._hands[self._made] = Hand(self._class.remote(self._home))
            self._waiting[hand.actor.where.remote()] = self._made, "where"
        return None

    def _hand_out(self) -> None:
        ready = [number for number, hand in self._hands.items() if hand.ready]
        depth = IN_FLIGHT if self._schedule.pace.seconds <= 2 * CHUNK_SECONDS else 1
        full = self._kept + self._queued - self._sent > MOST_BYTES or self._untaken >= AHEAD * len(ready)
        for load in range(depth):
            for number in ready:
                hand = self._hands[number]
                if len(hand.chunks) != load or full or any(map(self._schedule.suspect, hand.chunks)):
                    continue
                chunk = self._schedule.hand_out(len(ready), not load, number, ready[0])
                if chunk is None:
                    continue
                hand.chunks.append(chunk)
                self._waiting[hand.actor.play.remote(*chunk)] = (number, chunk)

    def _collect(self) -> tuple[Any, ...] | None:
        """Take what has come back; the last message if it is time for one."""
        if not self._waiting:
            time.sleep(0.05)
            return None
        ready, _ = self._ray.wait(list(self._waiting), num_returns=1, timeout=0.2)
        for reference in ready:
            number, asked = self._waiting.pop(reference)
            try:
                answer = self._ray.get(reference)
            except self._ray.exceptions.RayTaskError as error:
                return "failed", "", _first_line(error.cause)
            except self._ray.exceptions.RayError as error:
                return self._lose(number, error)
            if asked == "where":
                ended = self._place(number, *answer)
            elif asked == "prepare":
                ended = self._begin(number, *answer)
            else:
                ended = self._take(number, asked, *answer)  # type: ignore[arg-type]
            if ended:
                return ended
        return None

    def _place(self, number: int, node: str, lacks: str) -> tuple[Any, ...] | None:
        """A worker has said where it is."""
        hand = self._hands[number]
        hand.node = node
        if not lacks:
            self._waiting[hand.actor.prepare.remote()] = number, "prepare"
            return None
        # The worker stays, idle, and keeps its core: so no other is made there.
        if node not in self._refused:
            self._refused.add(node)
            self.say("said", f"node {node} is left out: it has {lacks}")
        if all(hand.node in self._refused for hand in self._hands.values()):
            return "failed", "HilltopError", f"no node of the cluster can play: {node} has {lacks}"
        return None

    def _begin(self, number: int, fingerprint: str, trouble: Any) -> tuple[Any, ...] | None:
        """A worker has what it plays with."""
        if trouble:
            return "failed", *trouble
        if fingerprint != self._job.fingerprint and self._job.home.archive is None:
            sentence = (
                f"a worker has other rules or bots (fingerprint {fingerprint}) than this program "
                f"({self._job.fingerprint}); they were changed just now, so start again"
            )
            return "failed", "HilltopError", sentence
        if not self._begun:
            self._begun = True
            self.say("ready", self._most)
        self._hands[number].ready = True
        return None

    def _take(self, number: int, chunk: Chunk, results: bytes, seconds: float, trouble: Any) -> tuple[Any, ...] | None:
        """A chunk has come back."""
        self._hands[number].chunks.remove(chunk)
        if trouble:
            return "failed", *trouble
        self._schedule.finish(chunk, seconds)
        self._results[chunk[0]] = results
        self._kept += len(results)
        while delivered := self._schedule.deliver():
            results = self._results.pop(delivered[0])
            self._kept -= len(results)
            self._untaken += 1
            self.say("chunk", results)
        return None

    def _lose(self, number: int, error: Exception) -> tuple[Any, ...] | None:
        """A worker is gone, and with it the chunks it had."""
        print(f"worker {number} is lost: {error}", flush=True)
        hand = self._hands.pop(number)
        self._waiting = {one: asked for one, asked in self._waiting.items() if asked[0] != number}
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(hand.actor)  # if it only cannot be reached
        if not self._begun and not self._job.address:
            return "lost", f"a worker ended before it could answer ({_first_line(error)})"
        guilty = "its node has died" not in str(error)
        for chunk in hand.chunks:
            match = self._schedule.lose(chunk, guilty, number)
            if match is not None:
                return "failed", "HilltopError", f"match {match} ends every process that plays it"
        self._looked = float("-inf")
        return None


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"


class NoToken(Exception):
    """The user has none for the cluster."""


def _connect(job: Job, folder: Path) -> None:
    """Reach Ray, or start it here."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    if job.address is None:
        os.environ.update(local.environment(folder))
        local.start(job.workers or 1, folder)
        return
    host = job.address.rpartition(":")[0]
    if host in ("127.0.0.1", "localhost", "[::1]"):
        # Else Ray dials another interface than the one that was asked for.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    import ray

    if job.address != "auto" and "RAY_AUTH_MODE" not in os.environ and _wants_token(job.address):
        if not _token():
            raise NoToken("it wants a token: copy ~/.ray/auth_token of its head node here, or set RAY_AUTH_TOKEN_PATH")
        from ray._private.authentication import authentication_token_setup as setup

        setup._enable_token_auth()  # what Ray itself does, but not for an address that is given
    ray.init(address=job.address, logging_level=logging.ERROR, log_to_driver=False)


def _wants_token(address: str) -> bool:
    """Does the cluster turn away who brings no token? One that wants none cannot speak with who brings one."""
    from ray import _raylet

    client: Any = _raylet
    try:
        client.GcsClient(address=address)
    except Exception as error:
        return "auth" in str(error).lower()
    return False


def _token() -> bool:
    """Has the user a token for clusters?"""
    given = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return bool(given) or (Path.home() / ".ray" / "auth_token").is_file()


def _watch(connection: Connection, made: list[Bridge]) -> None:
    """End this process when one of Ray's on this machine has ended: Ray itself would wait, no matter what for."""
    while not (dead := local.lost()):
        time.sleep(ALIVE_SECONDS)
    last = "lost", f"Ray's {dead} has ended"
    if made:
        made[0].say(*last)
        made[0].close()
    else:
        connection.send(last)
    os._exit(0)


def main() -> None:
    """The process: standard output is the connection, the last argument the guard's private folder."""
    folder = Path(sys.argv[-1])
    connection = Connection(os.dup(1))
    log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    job: Job = connection.recv()
    made: list[Bridge] = []
    if not job.address:
        threading.Thread(target=_watch, args=(connection, made), daemon=True).start()
    try:
        _connect(job, folder)
        import ray

        # Told of by hand, not by name: nodes have no hilltop.
        ray.cloudpickle.register_pickle_by_value(remote)
    except NoToken as error:
        connection.send(("unstarted", str(error)))
        return
    except Exception as error:
        connection.send(("unstarted", _first_line(error)))
        return
    bridge = Bridge(job, connection)
    made.append(bridge)
    try:
        last = bridge.play()
    except Exception as error:
        traceback.print_exc()
        last = "lost", _first_line(error)
    bridge.say(*last)
    bridge.close()
    if job.address:
        ray.shutdown()  # a cluster should see its guest go; what runs here the guard ends faster


if __name__ == "__main__":
    main()
