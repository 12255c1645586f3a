"""Runs in processes of their own, and all that descends from them, for tests that kill some of it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from storage.store import reading
from tests.program import BOTS, command, environment
from tournament.cluster.guard import descendants

LONG = ["run", "cuttle", "--bots", BOTS, "--matches", "40_000_000", "--workers", "2", "--seed", "4"]
GONE_SECONDS = 15.0
PATIENT = 120.0  # for what must come, on a busy machine


def until(what: Callable[[], object], seconds: float = PATIENT) -> bool:
    """Wait until a function says yes."""
    end = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(found)


def alive(pid: int) -> bool:
    """Does a process run (and is no zombie)?"""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return False


def command_line(pid: int) -> str:
    """Of a process that runs."""
    return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes())


def named(pids: list[int], name: str) -> list[int]:
    """Those of some processes whose command line holds a name. (The guard's also holds that of its command.)"""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            line = command_line(pid)
            if name in line and (name == "guard.py" or "guard.py" not in line):
                found.append(pid)
    return found


class Running:
    """A run on two workers in a process of its own; what descends from it is looked after.

    ``within``: a command that becomes the run's.
    """

    def __init__(
        self, path: Path, *more: str, play: list[str] = LONG, setup: str = "", within: Sequence[str] = ()
    ) -> None:
        self.path = path
        self.process = subprocess.Popen(
            [*within, *command(*play, "--db", str(path), *more, setup=setup)],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.said = ""
        self.all: set[int] = set()

    def below(self) -> list[int]:
        """Its descendants; all that were ever seen are remembered."""
        found = descendants(self.process.pid)
        self.all.update(found)
        return found

    def wait_for(self, name: str) -> int:
        """Until a process with this in its command line descends from it."""
        assert until(lambda: named(self.below(), name)), f"no {name}: {self.rest()}"
        return named(self.below(), name)[0]

    def hear(self, word: str) -> None:
        """Read messages until one holds a word."""
        assert self.process.stderr
        while word not in self.said:
            line = self.process.stderr.readline()
            assert line, f"ended without '{word}': {self.said}"
            self.said += line
        self.below()

    def rest(self) -> str:
        """What it still says."""
        assert self.process.stderr
        self.said += self.process.stderr.read()
        return self.said

    def end(self, number: int) -> tuple[int, str, float]:
        """Send a signal; exit code, messages and how long it took."""
        self.below()
        begun = time.monotonic()
        self.process.send_signal(number)
        self.rest()
        return self.process.wait(), self.said, time.monotonic() - begun

    def close(self) -> None:
        """Kill it, if it still runs."""
        self.below()
        self.process.kill()
        self.process.wait()
        assert self.process.stderr
        self.process.stderr.close()

    def gone(self) -> bool:
        """Do all that descended from it end soon?"""
        if until(lambda: not any(alive(pid) for pid in self.all), GONE_SECONDS):
            return True
        left = [command_line(pid)[:100] for pid in self.all if alive(pid)]
        raise AssertionError(f"left after {GONE_SECONDS:g} seconds: {left}")


def stored(path: Path) -> int:
    """Matches of the only run."""
    with reading(path) as store:
        (run,) = store.runs()
        return run.done
