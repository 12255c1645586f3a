"""A run that is extended equals the run played at once, and plays only what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import HilltopError
from storage.store import reading, writing
from tests.conftest import Program
from tests.program import BOTS
from tournament import run as runner
from tournament.evidence import audit
from tournament.execution import InProcess
from tournament.extend import Extending
from tournament.plan import plan_run
from tournament.statistics.counted import read
from tournament.statistics.tally import digest
from tournament.worker import Worker


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        assert runner.play(plan_run("cuttle", BOTS, matches=600, seed=3), store, None, InProcess())
    return path


def digests(path: Path) -> list[str]:
    with reading(path) as store:
        assert not [finding for run in store.runs() for finding in audit(store, run)]
        return [digest(read(store, run).tally, run.done) for run in store.runs()]


MORE = {
    "matches": ["--matches", "1500"],
    "bots": ["--bots", f"scuttler,{BOTS}"],
    "a variant": ["--variant", "short"],
    "all": ["--bots", f"{BOTS},thief", "--rule", "goal=15", "--matches", "4000"],
}


@pytest.mark.parametrize("what", MORE)
def test_an_extended_run_equals_the_run_played_at_once(program: Program, begun: Path, what: str) -> None:
    answer = program("run", "--extend", "latest", *MORE[what], "--workers", "0", "--db", str(begun))
    assert answer.code == 0, answer.err
    with reading(begun) as store:
        first, longer = store.runs()
        plan = runner.resume(store, longer)
        count = longer.done
        rows = store.rows(longer, 0, count)
    np.testing.assert_array_equal(rows, Worker(plan.settings).play(0, plan.matches).rows)
    assert (first.done, longer.complete, count) == (600, True, plan.matches)
    whole = begun.with_name("whole.duckdb")
    with writing(whole) as store:
        assert runner.play(plan, store, None, InProcess())
    assert digests(whole) == digests(begun)[1:]


def test_only_what_is_missing_is_played(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    longer = plan_run("cuttle", BOTS, matches=900, seed=3)
    played: list[int] = []
    with writing(begun) as store:
        (run,) = store.runs()
        executor = Extending(store, run, runner.resume(store, run), InProcess())
        count = Worker.play

        def counted(self: Worker, first: int, end: int) -> object:
            played.append(end - first)
            return count(self, first, end)

        monkeypatch.setattr(Worker, "play", counted)
        monkeypatch.setattr(Worker, "play_lineup", lambda *_: pytest.fail("played again"))
        assert runner.play(longer, store, None, executor)
    assert sum(played) == 300


@pytest.mark.parametrize(
    ("more", "code", "word"),
    [
        (["--bots", "random,greedy"], 2, "--bots must name them and more"),
        (["--matches", "60"], 2, "give more --matches"),
        (["--seed", "4"], 2, "has seed 3; leave seed out"),
        (["--resume", "latest"], 2, "give one of them"),
    ],
)
def test_what_is_no_extension(program: Program, begun: Path, more: list[str], code: int, word: str) -> None:
    answer = program("run", "--extend", "latest", *more, "--workers", "0", "--db", str(begun))
    assert answer.code == code
    assert word in answer.err


def test_tallies_alone_cannot_be_extended(tmp_path: Path) -> None:
    plan = plan_run("cuttle", BOTS, matches=60, seed=3)
    with writing(tmp_path / "x.duckdb") as store:
        run = runner.play(plan, store, None, InProcess(), keep=False)
        assert run
        with pytest.raises(HilltopError, match="it keeps no matches; start a new run"):
            Extending(store, run, plan, InProcess())
