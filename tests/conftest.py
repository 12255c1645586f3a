"""What several test files start from."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.main import run_command
from storage.store import writing
from tests.program import BOTS, without_compiling
from tournament import run as runner
from tournament.execution import InProcess
from tournament.plan import plan_run

# A shell that starts the tests in the background makes them, and all that they start, deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Answer(NamedTuple):
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str


Program = Callable[..., Answer]


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Program:
    """The command line in this process, in a folder of its own."""
    monkeypatch.delenv("HILLTOP_DB", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Answer:
        capsys.readouterr()
        code = run_command(list(arguments))
        out, err = capsys.readouterr()
        return Answer(code, out, without_compiling(err))

    return run


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one complete run of 1,200 matches of Cuttle; only to be read."""
    path = tmp_path_factory.mktemp("played") / "played.duckdb"
    plan = plan_run("cuttle", BOTS, matches=1200, seed=5)
    runner.prepare(plan)
    with writing(path) as store:
        runner.play(plan, store, runner.start(plan, store), InProcess())
    return path
