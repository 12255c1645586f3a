"""Users' bots in a process of their own: whatever they do to it, the run goes on, and it is known who did it.

The process plays as any worker does. What it is at stands in memory that it shares with this one: the line-up and its
deals, the rows written so far, and which bot is deciding. So when it ends, the match and the bot that ended it are
known; that match is then a fault of that bot, and a new process plays the rest. An end for which no bot can be blamed
is one of the machine: what was being played is played again.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
from typing import IO, Any

import numpy as np

from engine.errors import HilltopError
from engine.guard import BUSY, guard_dtype
from engine.loop import ROW_PLIES
from tournament.cluster.guard import SIGKILL_WITH_PARENT, prctl
from tournament.counting import Array
from tournament.plan import Plan, restore
from tournament.worker import UNPLAYED, Results, Worker

SERVE = "from tournament.apart import serve; serve()"
LOST = 3  # ends in a row that no bot is to blame for
# How a process ends by what it does itself; other ends (for want of memory, by a command) may be the machine's fault.
OWN_ENDS = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT})
_FRAME = struct.Struct("!Q")
_HEAD = 8  # numbers that say what is played: line-up, first deal, deals, first column, stride, columns


def worker_of(settings: dict[str, Any], keep: bool = True) -> Worker | Apart:
    """What plays chunks of a run: in this process, or in one of its own if users' bots play that are not trusted."""
    return Apart(settings, keep) if restore(settings).apart else Worker(settings, keep)


class _Board:
    """The memory that both processes see."""

    def __init__(self, plan: Plan, file: int) -> None:
        self._guard = -(-guard_dtype(plan.game).itemsize // 64) * 64
        self._rows_at = 8 * _HEAD + self._guard * len(plan.entrants)
        self._rows = plan.rows
        self.most = max(plan.game.block, 1 << 16)
        size = self._rows_at + 4 * plan.rows * self.most
        if os.fstat(file).st_size < size:
            os.ftruncate(file, size)
        self._memory = mmap.mmap(file, size)
        self.head = np.frombuffer(self._memory, np.int64, _HEAD)
        self._dtype = guard_dtype(plan.game)

    def rows(self, matches: int) -> Array:
        """Room for the rows of so many matches."""
        return np.frombuffer(self._memory, np.int32, self._rows * matches, self._rows_at).reshape(self._rows, matches)

    def guard(self, number: int) -> memoryview:
        """The memory of a bot's guard."""
        start = 8 * _HEAD + self._guard * number
        return memoryview(self._memory)[start : start + self._guard]

    def busy(self, number: int) -> bool:
        """Is a bot deciding?"""
        return bool(np.frombuffer(self.guard(number), self._dtype, 1)["words"][0, BUSY])


class Apart:
    """A worker (:class:`tournament.worker.Worker`) in a process of its own."""

    def __init__(self, settings: dict[str, Any], keep: bool = True) -> None:
        self.plan = restore(settings)
        self._settings, self._keep = settings, keep
        with tempfile.TemporaryFile() as file:
            self._file = os.dup(file.fileno())  # which lasts as long as this worker
        self._board = _Board(self.plan, self._file)
        self._crashed: dict[int, int] = dict(settings.get("known", {}).get("crashed", ()))
        self._process: subprocess.Popen[bytes] | None = None

    def fingerprint(self) -> str:
        """The hash of the code that this worker plays with."""
        return self.plan.fingerprint

    def play(self, first: int, end: int) -> Results:
        """The results of the matches ``first`` to ``end - 1``."""
        ends: dict[Any, int] = {}
        while True:
            status, answer = self._ask("play", first, end, sorted(self._crashed.items()))
            if status is None:
                assert isinstance(answer, Results)
                return answer
            blamed = self._blamed()
            ends[blamed] = ends.get(blamed, 0) + 1
            if blamed is None and ends[None] >= LOST:
                raise HilltopError(
                    f"the process that plays the matches {first} to {end - 1} ends each time: {_how(status)}"
                )
            if blamed and (-status in OWN_ENDS or ends[blamed] > 1):
                match, seat = blamed
                self._crashed[match] = seat

    def play_lineup(self, lineup: int, deal: int, deals: int) -> Array:
        """See :meth:`tournament.worker.Worker.play_lineup`."""
        return self._have("lineup", lineup, deal, deals)  # type: ignore[no-any-return]

    def results(self, first: int, rows: Array) -> Results:
        """See :meth:`tournament.worker.Worker.results`."""
        return self._have("results", first, rows)  # type: ignore[no-any-return]

    def _have(self, *what: Any) -> Any:
        status, answer = self._ask(*what)
        if status is not None:
            raise HilltopError(f"a bot ended the process that it played in ({_how(status)}); start a new run")
        return answer

    def trace(self, number: int, positions: bool) -> Any:
        """The trace of a match, see ``tournament.trace``; raises HilltopError if a bot ends the process."""
        status, answer = self._ask("trace", number, positions)
        if status is None:
            return answer
        names = [self.plan.names[place] for place in range(len(self.plan.entrants)) if self._board.busy(place)]
        who = f"bot {names[0]}" if names else "something"
        raise HilltopError(f"{who} ended the process that match {number} was played in: {_how(status)}")

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    assert stream
                    stream.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it was never made
            self.close()
            os.close(self._file)

    def _blamed(self) -> tuple[int, int] | None:
        """The match that was being played and the seat that was deciding, if one was."""
        number, deal, deals, at, stride, columns = self._board.head[:6].tolist()
        lineup = self.plan.lineups[number]
        seats = [seat for seat, entrant in enumerate(lineup.entrants) if self._board.busy(entrant)]
        if not seats or not columns or not deals:
            return None
        plies = self._board.rows(columns)[ROW_PLIES, at::stride][:deals]
        open_ones = np.flatnonzero(plies == UNPLAYED)
        if not len(open_ones):
            return None
        return (deal + int(open_ones[0])) * len(self.plan.lineups) + number, seats[0]

    def _ask(self, *what: Any) -> tuple[int | None, Any]:
        """What the process answers, or how it has ended (as :attr:`subprocess.Popen.returncode` has it)."""
        if self._process is None:
            self._start()
        assert self._process
        assert self._process.stdin
        assert self._process.stdout
        try:
            _write(self._process.stdin, what)
            answer = _read(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            status = self._process.wait()
            self.close()
            return status, None
        kind, value = answer
        if kind == "error":
            raise HilltopError(value)
        return None, value

    def _start(self) -> None:
        self._board.head[:] = 0
        for number in range(len(self.plan.entrants)):
            self._board.guard(number)[:] = bytes(len(self._board.guard(number)))
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for the program, which ends it
            pass_fds=[self._file],
        )
        assert self._process.stdin
        with contextlib.suppress(OSError):
            _write(self._process.stdin, (self._settings, self._keep, self._file))


def _how(status: int) -> str:
    """How a process has ended."""
    if status >= 0:
        return f"it ended itself with exit code {status}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-status).name}"
    return f"signal {-status}"


def _write(stream: IO[bytes], what: Any) -> None:
    packed = pickle.dumps(what, protocol=5)
    stream.write(_FRAME.pack(len(packed)) + packed)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    head = stream.read(_FRAME.size)
    if len(head) < _FRAME.size:
        raise EOFError
    packed = stream.read(*_FRAME.unpack(head))
    if len(packed) < _FRAME.unpack(head)[0]:
        raise EOFError
    return pickle.loads(packed)


class _Told(Worker):
    """A worker that keeps the board up to date."""

    def __init__(self, settings: dict[str, Any], keep: bool, file: int) -> None:
        self._board = _Board(restore(settings), file)
        super().__init__(settings, keep)

    def know(self, crashed: list[tuple[int, int]]) -> None:
        """Learn of matches that end their process, and in which seat."""
        self._crashed = dict(crashed)

    def _room(self, size: int) -> Array:
        rows = self._board.rows(size) if size <= self._board.most else super()._room(size)
        rows[:] = 0
        rows[ROW_PLIES] = UNPLAYED
        self._board.head[:] = 0
        self._board.head[5] = size if size <= self._board.most else 0
        return rows

    def _guard_memory(self, number: int) -> Any:
        return self._board.guard(number)

    def _play_on(
        self, number: int, deal: int, deals: int, out: Array, at: int, stride: int, watched: bool = False
    ) -> None:
        self._board.head[:5] = number, deal, deals, at, stride
        super()._play_on(number, deal, deals, out, at, stride, watched)


def serve() -> None:
    """What the process does: requests come in on its standard input, answers go out by what was its output."""
    prctl(SIGKILL_WITH_PARENT, signal.SIGKILL)  # a bot may think for ever
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a bot prints must not be taken for an answer
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the program has ended
        _answer(questions, answers)


def _answer(questions: IO[bytes], answers: IO[bytes]) -> None:
    settings, keep, file = _read(questions)
    worker: _Told | None = None
    while True:
        what, *given = _read(questions)
        try:
            worker = worker or _Told(settings, keep, file)
            if what == "play":
                first, end, crashed = given
                worker.know(crashed)
                answer: Any = "results", worker.play(first, end)
            elif what == "lineup":
                answer = "rows", worker.play_lineup(*given)
            elif what == "results":
                answer = "results", worker.results(*given)
            else:
                from tournament.trace import traced

                number, positions = given
                guards = [worker.guard(entrant) for entrant in worker.plan.locate(number)[1].entrants]
                answer = "trace", traced(worker.plan, number, positions, guards)
        except HilltopError as error:
            answer = "error", str(error)
        _write(answers, answer)
