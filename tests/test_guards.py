"""Bots that do harm: each is named, the run goes on, and no match of others is touched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots import registry as bot_registry
from engine.errors import UsageError
from engine.faults import NAMES, WITHDRAWN
from engine.loop import ROW_RANKS, ROW_REASON
from storage.store import UNREPEATABLE, StoredFault, writing
from tests.program import environment
from tournament import run as runner
from tournament.execution import InProcess
from tournament.plan import Plan, checking, guarding, plan_run
from tournament.worker import Worker

HOSTILE = """
import numpy as np
from numba.core import types
from numba.extending import intrinsic
import llvmlite.ir as ir
from bots.bot import Bot, Parameter
from engine.kernel import kernel


@intrinsic
def word(_context, address):
    def generate(_context, builder, _signature, values):
        return builder.load(builder.inttoptr(values[0], ir.IntType(64).as_pointer()))
    return types.int64(types.int64), generate


@kernel
def decide(view, rules, moves, count, params, luck):
    how = int(params[0])
    if how == 1:
        return count
    if how == 2:
        raise ValueError("oops")
    if how == 3:
        return np.int64(view.hand[count + 70])
    if how == 4:
        n = 1
        while n < 10**15:
            n += 1 + luck[n % 2] % 2
        return n % count
    if how == 5:
        rules.goal = 1
    if how == 6:
        moves[0] = 123456789
    if how == 7:
        view.hand[0] += 1
    if how == 8:
        params[1] = 7.0
    if how == 9 and count > 12:
        return word(5)
    return 0


BOT = Bot("hostile", "Does harm.", decide, (Parameter("how", 0, 0, 9, "how"),), blind=True)
"""
KINDS = ["illegal", "raised", "raised", "over_budget", "meddled", "meddled", "meddled", "meddled"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile")
    (path / "hostile.py").write_text(HOSTILE)
    return path


def field(folder: Path, *hows: int) -> str:
    return ",".join(["random", "greedy", *(f"{folder / 'hostile.py'}(how={how})" for how in hows)])


def played(plan: Plan, tmp_path: Path, executor: Any = None) -> tuple[Any, list[StoredFault]]:
    """The rows of a run and its faults, as they are stored."""
    with writing(tmp_path / "runs.duckdb") as store:
        run = runner.play(plan, store, None, executor or InProcess())
        assert run
        return store.rows(run, 0, run.done), store.faults(run)


def test_each_kind_of_fault_is_told_apart(folder: Path) -> None:
    plan = plan_run("cuttle", field(folder, *range(1, 9)), matches=180, guard=guarding(budget=10_000))
    results = Worker(plan.settings).play(0, plan.matches)
    for how, kind in enumerate(KINDS):
        found = {(NAMES[fault.kind], fault.said) for fault in results.faults if fault.entrant == how + 2}
        assert {name for name, _ in found} == {kind}
    said = {fault.entrant - 1: fault.said for fault in results.faults}
    assert said[2].startswith("raised an error: ValueError: oops (File ")
    assert said[3].startswith("raised an error: IndexError: index is out of bounds")
    assert said[3].endswith(", line 25)")
    assert said[5] == "changed what it was shown: rules.goal"
    assert said[6] == "changed what it was shown: moves"
    assert said[7] == "changed what it was shown: view.hand"
    assert said[8] == "changed what it was shown: params"


def test_a_hostile_bot_touches_no_other_match(folder: Path) -> None:
    """Matches of random and greedy are those of a field without it."""
    hostile = plan_run("cuttle", field(folder, 5, 6, 7), matches=400, seed=3)
    rows = Worker(hostile.settings).play(0, hostile.matches).rows
    alone = plan_run("cuttle", "random,greedy", matches=40, seed=3)
    own = Worker(alone.settings).play(0, alone.matches).rows
    for number, lineup in enumerate(hostile.lineups):
        same = rows[:, number :: len(hostile.lineups)]
        if max(lineup.entrants) < 2:
            place = [one.entrants for one in alone.lineups].index(lineup.entrants)
            assert (same == own[:, place::2]).all()
        else:
            assert (same[ROW_REASON] < 0).all()


def test_a_bot_that_ends_its_process_is_named(folder: Path, tmp_path: Path) -> None:
    plan = plan_run("cuttle", field(folder, 9), matches=18, guard=guarding(max_faults=2))
    rows, faults = played(plan, tmp_path)
    crashed = [fault for fault in faults if fault.kind == "crashed"]
    assert {fault.entrant for fault in crashed} == {2}
    assert len(crashed) == 2
    assert [fault.match for fault in faults if fault.kind == NAMES[WITHDRAWN]] == [crashed[-1].match]
    seats = [plan.locate(match)[1].entrants.index(2) for match in (fault.match for fault in crashed)]
    assert rows[ROW_RANKS, [fault.match for fault in crashed]].tolist() == seats


@pytest.mark.parametrize("pieces", [1, 7, 1000])
def test_who_is_withdrawn_after_which_match_does_not_depend_on_chunks(
    folder: Path, tmp_path: Path, pieces: int
) -> None:
    class Pieces:
        workers = 0

        def results(self, plan: Plan, first: int, end: int, *_: Any) -> Any:
            worker = Worker(plan.settings)
            while first < end:
                yield worker.play(first, min(first + pieces, end))
                first = min(first + pieces, end)

    plan = plan_run("cuttle", field(folder, 1, 2, 5), matches=100, guard=guarding(max_faults=3, trust=True))
    rows, faults = played(plan, tmp_path, Pieces())
    last = {fault.entrant: fault.match for fault in faults if fault.kind == NAMES[WITHDRAWN]}
    assert set(last) == {2, 3, 4}
    reasons = rows[ROW_REASON]
    for match, reason in enumerate(reasons.tolist()):
        seated = plan.locate(match)[1].entrants
        assert (reason == -1 - WITHDRAWN) == any(match > last.get(entrant, 10**9) for entrant in seated)
    counted = [0] * 5
    for match in np.flatnonzero((reasons < 0) & (reasons != -1 - WITHDRAWN)).tolist():
        counted[plan.locate(match)[1].entrants[rows[ROW_RANKS, match]]] += 1
    assert counted == [0, 0, 3, 3, 3]


def test_a_bot_that_keeps_something_is_named(tmp_path: Path) -> None:
    path = tmp_path / "state.py"
    path.write_text(
        "from bots.bot import Bot\nseen = [0]\n\n"
        "def decide(view, rules, moves, count, params, luck):\n"
        "    seen[0] += 1\n    return seen[0] % count\n\n"
        'BOT = Bot("state", "Counts.", decide)\n'
    )
    _, faults = played(plan_run("cuttle", f"random,greedy,{path}", matches=24), tmp_path)
    assert [(fault.kind, fault.entrant) for fault in faults] == [(UNREPEATABLE, 2)]


def test_checking_changes_no_result() -> None:
    plan = plan_run("cuttle", "random,greedy", matches=60)
    rows = [Worker(one.settings).play(0, 60).rows for one in (plan, checking(plan))]
    assert (rows[0] == rows[1]).all()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("import os; os._exit(0)", r"cannot be loaded: it ends the program \(exit code 0\)"),
        ("import os; os.kill(os.getpid(), 11)", r"cannot be loaded: it ends the program \(SIGSEGV\)"),
        ("import engine.rng; engine.rng.random_below = len", "it changes engine.rng.random_below, which belongs to"),
        ("import bots.uniform as u; u.decide.py_func.__code__ = (lambda a, b, c, d, e, f: 0).__code__", "it changes "),
        ("import numpy; numpy.zeros = numpy.ones", "it changes numpy.zeros, which belongs to the program"),
        ("raise SystemExit(3)", "cannot be loaded: SystemExit: 3"),
    ],
)
def test_what_a_file_may_not_do_when_it_is_loaded(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        f"{line}\nfrom bots.bot import Bot\n\ndef decide(view, rules, moves, count, params, luck):\n    return 0\n\n"
        'BOT = Bot("own", "An idea.", decide)\n'
    )
    with pytest.raises(UsageError, match=sentence):
        bot_registry.field("cuttle", str(path))


def test_interpreted_faults_are_the_same(folder: Path) -> None:
    """As plain Python the same bots do the same wrong, but for the crash."""
    code = (
        "import json, sys\nfrom tournament.plan import plan_run, guarding\nfrom tournament.worker import Worker\n"
        f"plan = plan_run('cuttle', {field(folder, 1, 2, 5, 6, 7, 8)!r}, matches=112)\n"
        "found = Worker(plan.settings).play(0, plan.matches).faults\n"
        "print(json.dumps([(one.match, one.entrant, one.seat, one.kind) for one in found]))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment(NUMBA_DISABLE_JIT=jit),
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for jit in ("0", "1")
    }
    assert len(said) == 1
