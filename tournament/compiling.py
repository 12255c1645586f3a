"""Compiling what a run plays on every core at once, before its first match.

The work is cut into units (``engine/compiler.py``): the match loop, and each bot. Units that the cache does not hold
are given out one at a time to this process and to helpers it starts, which all fill the one cache; a unit that another
program is just compiling is waited for. Helpers get names and settings, and make the rest themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bots.bot import Bot
from engine import cache
from engine.compiler import INTERPRETED, kept
from engine.errors import HilltopError
from engine.game import rules_record
from engine.guard import guarded_of
from engine.loop import bot_arguments, loop_arguments, loop_of
from tournament.plan import Plan, plan_run, restore
from tournament.worker import compile_part

SERVE = "from tournament.compiling import serve; serve()"

Tell = Callable[[int, int, list[str]], None]  # told how many of how many units are ready, and which are at work


@dataclass(frozen=True)
class Unit:
    """A part of what a plan plays, compiled on its own: the match loop, or a bot. ``place`` tells units apart."""

    name: str
    kernel: Any
    arguments: tuple[Any, ...]
    place: int = 0
    bot: Bot | None = None
    guarded: bool = False

    @property
    def kept(self) -> bool:
        """Does the cache hold it?"""
        return kept([(self.kernel, self.arguments)], self.guarded)

    @property
    def size(self) -> int:
        """How much there is to compile, roughly: bytes of Python's code."""
        return sum(len(one.py_func.__code__.co_code) for one in self.kernel.reached() if hasattr(one, "py_func"))


def units(plan: Plan) -> list[Unit]:
    """What must be compiled for a plan, the largest first."""
    rules = rules_record(plan.game, plan.variants[0].options, plan.players)
    loop = loop_of(plan.game.id, plan.telemetry)
    found = [Unit("match loop", loop, loop_arguments(plan.game, rules, plan.telemetry))]
    found.append(Unit("guard", guarded_of(plan.game.id), bot_arguments(plan.game, rules), 1))
    known = set()
    for bot in (part for entrant in plan.entrants for part in entrant.parts):
        decide: Any = bot.decide
        if hasattr(decide, "reached") and decide not in known:
            known.add(decide)
            found.append(
                Unit(bot.name, decide, bot_arguments(plan.game, rules), len(found), bot, bot.own and not plan.trusts)
            )
    return sorted(found, key=lambda unit: -unit.size)


def compile_plan(plan: Plan, tell: Tell = lambda *_: None) -> None:
    """Have all that a plan plays in the cache. Raises HilltopError for a bot that cannot be compiled."""
    if INTERPRETED:
        return
    missing = [unit for unit in units(plan) if not unit.kept]
    if missing:
        with cache.lent():
            _Crew(plan, missing, tell).work()


def _compile(plan: Plan, unit: Unit) -> None:
    if unit.bot is None:
        unit.kernel.compile(unit.arguments)
    else:
        rules = rules_record(plan.game, plan.variants[0].options, plan.players)
        compile_part(plan.game, rules, unit.bot, plan.trusts)


class _Crew:
    """This process and its helpers at work on units."""

    def __init__(self, plan: Plan, missing: list[Unit], tell: Tell) -> None:
        self._plan, self._tell, self._total = plan, tell, len(missing)
        self._left: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        for unit in missing:
            self._left.put(unit)
        self._lock = threading.Lock()
        self._busy: list[str] = []
        self._done = 0
        self._errors: list[str] = []

    def work(self) -> None:
        """Compile all units."""
        helpers = [_Helper(self._plan) for _ in range(min(_cores(), self._total) - 1)]
        threads = [threading.Thread(target=self._feed, args=[helper.compile], daemon=True) for helper in helpers]
        try:
            for thread in threads:
                thread.start()
            self._feed(lambda unit: _compile(self._plan, unit))
            for thread in threads:
                thread.join()
        finally:
            for helper in helpers:
                helper.end()
        # What a helper has failed to do: this process does it, and tells why if it cannot be done.
        if not self._errors:
            for unit in units(self._plan):
                if not unit.kept:
                    _compile(self._plan, unit)
        if self._errors:
            raise HilltopError(self._errors[0])

    def _feed(self, compile_unit: Callable[[Unit], None]) -> None:
        """Have units compiled until none is left, or one cannot be."""
        while not self._errors:
            try:
                unit = self._left.get_nowait()
            except queue.Empty:
                return
            self._note(unit.name, begins=True)
            try:
                compile_unit(unit)
            except HilltopError as error:
                self._errors.append(str(error))
            except (OSError, EOFError):  # a helper that is no more
                return
            finally:
                self._note(unit.name, begins=False)

    def _note(self, name: str, begins: bool) -> None:
        with self._lock:
            if begins:
                self._busy.append(name)
            else:
                self._busy.remove(name)
                self._done += 1
            if begins or self._done == self._total:
                self._tell(self._done, self._total, list(self._busy))


class _Helper:
    """A process that compiles the units it is told to."""

    def __init__(self, plan: Plan) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for the program, which ends its helpers
        )
        with contextlib.suppress(OSError):
            self._send(plan.settings)

    def _send(self, what: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def compile(self, unit: Unit) -> None:
        """Have a unit compiled; raises HilltopError if that cannot be done, OSError or EOFError without the helper."""
        assert self._process.stdout
        self._send(unit.place)
        answer = self._process.stdout.readline()
        if not answer:
            raise EOFError
        error = json.loads(answer)
        if error is not None:
            raise HilltopError(error)

    def end(self) -> None:
        """No more."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                assert stream
                stream.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def serve() -> None:
    """What a helper does: a line with settings, then a line a unit, each answered by null or what went wrong."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a bot file that prints must not be taken for an answer
    plan = restore(json.loads(sys.stdin.readline()))
    parts = {unit.place: unit for unit in units(plan)}
    for line in sys.stdin:
        error = None
        try:
            _compile(plan, parts[json.loads(line)])
        except HilltopError as problem:
            error = str(problem)
        answers.write(json.dumps(error) + "\n")
        answers.flush()


def ahead(games: Sequence[str]) -> None:
    """Compile all bots of some games with as little of the machine as others leave, the smallest parts first.

    So that whoever comes meanwhile, and begins with the largest, seldom meets a part that is under way.
    """
    os.nice(19)
    parent = os.getppid()
    for game in games:
        plan = plan_run(game)
        for unit in reversed(units(plan)):
            if os.getppid() != parent:
                return
            with contextlib.suppress(HilltopError):
                _compile(plan, unit)
