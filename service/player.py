"""Plays the jobs, one at a time and in turns, each in a process of its own: the command line's ``run --resume``.

So a job is stored, stopped and taken up again like any other run, what goes wrong in it does not touch the service, and
when the service is gone in any way, so is the process; the job is then still in the queue.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO

from engine.errors import HilltopError
from service.desk import Desk
from service.settings import Settings
from storage.jobs import COMPLETE, FAILED, PLAYING, STOPPED, WAITING, Job, Jobs
from tournament.cluster.guard import SIGKILL_WITH_PARENT, prctl

TURN = 60.0  # seconds that a job is played while others wait
LOOK = 0.5  # seconds between two looks at the process that plays
ENDS = 20.0  # seconds that it has to store what it has played


class Player(threading.Thread):
    """The thread that sees to it that jobs are played. It is the parent of the processes, which end when it does."""

    def __init__(self, desk: Desk, settings: Settings) -> None:
        super().__init__(name="player", daemon=True)
        self._desk, self._settings = desk, settings
        self._asked = threading.Event()  # something may have to be done
        self._ending = threading.Event()

    def wake(self) -> None:
        """Jobs have changed."""
        self._asked.set()

    def end(self) -> None:
        """Store what is being played, leave the rest in the queue, and end."""
        self._ending.set()
        self._asked.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """See :class:`Player`; called by :meth:`start`."""
        self._recover()
        while not self._ending.is_set():
            self._asked.clear()
            job = self._next()
            if job is None:
                self._asked.wait(LOOK * 4)
            else:
                self._play(job)

    def _recover(self) -> None:
        """Jobs that were being played when a service was killed wait again."""
        with contextlib.suppress(HilltopError), self._desk.writing() as store:
            jobs = Jobs(store)
            for job in jobs.all():
                if job.state == PLAYING:
                    jobs.change(job.run, WAITING)

    def _next(self) -> Job | None:
        if not any(job.state == WAITING for job in self._desk.snapshot().jobs.values()):
            return None
        with contextlib.suppress(HilltopError), self._desk.writing() as store:  # busy: the next look may have it
            jobs = Jobs(store)
            job = jobs.next()
            if job:
                jobs.change(job.run, PLAYING)
            return job
        return None

    def _play(self, job: Job) -> None:
        with tempfile.TemporaryFile() as said:
            process = self._start(job, said)
            begun = time.monotonic()
            why = None
            while process.poll() is None:
                self._asked.wait(LOOK)
                self._asked.clear()
                why = why or self._why_to_end(job, begun)
                if why:
                    _end(process)
            self._finish(job, process.returncode, why, said)

    def _start(self, job: Job, said: IO[bytes]) -> subprocess.Popen[bytes]:
        run = next(run for run in self._desk.snapshot().runs if run.number == job.run)
        settings = self._settings
        where = ["--address", settings.address] if settings.address else []
        if settings.workers is not None and not settings.address:
            where = ["--workers", str(settings.workers)]
        words = ["run", "--resume", run.id, "--db", str(settings.db), "--format", "json", *where]
        return subprocess.Popen(
            [sys.executable, "-m", "hilltop", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # Ctrl-C at the service is the service's to pass on
            preexec_fn=lambda: prctl(SIGKILL_WITH_PARENT, signal.SIGKILL),
        )

    def _why_to_end(self, job: Job, begun: float) -> str | None:
        """The state that the job is to have after its process has been told to end; None lets it play on."""
        if self._ending.is_set():
            return WAITING
        jobs = self._desk.snapshot().jobs
        if job.run in jobs and jobs[job.run].state == STOPPED:
            return STOPPED
        others = any(other.state == WAITING for other in jobs.values())
        return WAITING if others and time.monotonic() - begun > TURN else None

    def _finish(self, job: Job, code: int, why: str | None, said: IO[bytes]) -> None:
        with contextlib.suppress(HilltopError), self._desk.writing() as store:
            jobs = Jobs(store)
            run = next(run for run in store.runs() if run.number == job.run)
            now = jobs.of(job.run)
            if run.complete:
                jobs.change(job.run, COMPLETE)
            elif why == STOPPED or (now and now.state == STOPPED):
                jobs.change(job.run, STOPPED)
            elif why:
                jobs.change(job.run, why)
            else:
                jobs.change(job.run, FAILED, _last_line(said) or f"its process ended with {code}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to store what it has and end; kill it if it does not."""
    for number, seconds in ((signal.SIGINT, ENDS), (signal.SIGINT, ENDS), (signal.SIGKILL, ENDS)):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return


def _last_line(said: IO[bytes]) -> str:
    """What a process said before it ended, without the program's name."""
    said.seek(0)
    lines = [line for line in said.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("hilltop: ")[:500] if lines else ""
