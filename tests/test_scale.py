"""Large runs: whoever stores them keeps up with many cores, reports read sums alone, export holds few rows at a time.

An executor that has its chunks ready stands in for the cores, so that runs of any size cost what storing them costs.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from storage.store import StoredRun, reading, writing
from tests.conftest import Program
from tests.program import BOTS, environment
from tests.stored import results
from tests.test_tally import random_rows
from tournament import run as runner
from tournament.plan import Plan, plan_run
from tournament.statistics.counted import read
from tournament.statistics.tally import MOST_BLOCKS
from tournament.worker import Results

BOARD = 6  # line-ups of three bots at two seats
# A command, how much memory the process has held at most, and its processor time.
MEASURED = """
import sys, time
from cli.main import run_command
code = run_command(sys.argv[1:])
seconds = time.process_time()
with open("/proc/self/status") as file:
    peak = next(line.split()[1] for line in file if line.startswith("VmHWM"))
print(code, peak, seconds, file=sys.stderr)
"""


class Ready:
    """An executor whose chunks are ready, pickled as Ray's workers send them: all hold the same rows, those of so
    many deals (a power of two)."""

    workers = 1

    def __init__(self, plan: Plan, deals: int) -> None:
        self.chunk = results(plan, 0, random_rows(plan, deals * plan.board, 7, spoiled=0.001))

    def results(self, plan: Plan, first: int, end: int, keep: bool = True, *_: Any) -> Iterator[Results]:
        sent = pickle.dumps(self.chunk if keep else self.chunk._replace(rows=None), protocol=5)
        for at in range(first, end, self.chunk.matches):
            come: Results = pickle.loads(sent)
            come.tally.first = plan.layout.block(at)
            yield come._replace(first=at)


def store_ready(path: Path, chunks: int, deals: int, keep: bool) -> tuple[StoredRun, Ready]:
    """A run of Cuttle that came in so many chunks."""
    plan = plan_run("cuttle", BOTS, matches=chunks * deals * BOARD, seed=4)
    ready = Ready(plan, deals)
    with writing(path) as store:
        begun = time.process_time()
        run = runner.play(plan, store, None, ready, keep=keep)
        seconds = time.process_time() - begun
    assert run
    print(f"{plan.matches:,} matches in {chunks:,} chunks: {plan.matches / seconds:,.0f} a second of processor time")
    return run, ready


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(("chunks", "deals"), [(50, 256), pytest.param(4000, 1 << 16, marks=pytest.mark.soak)])
def test_ready_chunks_are_counted_as_they_come(tmp_path: Path, chunks: int, deals: int, keep: bool) -> None:
    if keep:
        chunks = min(chunks, 50)
    run, ready = store_ready(tmp_path / "x.duckdb", chunks, deals, keep)
    with reading(tmp_path / "x.duckdb") as store:
        tally, one = read(store, run).tally, ready.chunk.tally
        stored = store.chunks(run)
        rows = store.matches(run)[0]
    assert run.done == run.matches == chunks * deals * BOARD
    assert stored == [(at, deals * BOARD, ready.chunk.hash) for at in range(0, run.matches, deals * BOARD)]
    assert rows == (run.matches if keep else 0)
    for found, expected in zip(tally.arrays, one.arrays, strict=True):
        assert (found.sum(axis=0) == chunks * expected.sum(axis=0)).all()
    assert tally.blocks <= MOST_BLOCKS


COMMANDS = [["show"], ["show", "--format", "json"], ["rate", "--format", "csv"], ["matrix"], ["report"]]


def test_reports_read_no_rows(tmp_path: Path, program: Program) -> None:
    path = tmp_path / "x.duckdb"
    run, _ = store_ready(path, 20, 256, keep=True)
    page = tmp_path / "page.html"

    def answers() -> list[str]:
        found = []
        for name, *rest in COMMANDS:
            done = program(name, run.id, *rest, *(["--to", str(page)] if name == "report" else []), "--db", str(path))
            assert done.code == 0, done.err
            found.append(done.out)
        return [*found, page.read_text("utf-8")]

    before = answers()
    with duckdb.connect(str(path)) as connection:
        (deleted,) = connection.execute(f"DELETE FROM {run.table}").fetchone() or (0,)
    assert deleted == run.matches
    assert answers() == before


def test_what_reports_read_does_not_grow_with_matches(tmp_path: Path) -> None:
    sizes = []
    for times in (1, 8):
        path = tmp_path / f"{times}.duckdb"
        run, _ = store_ready(path, 16, times * MOST_BLOCKS // 8, keep=False)
        with reading(path) as store:
            sums = store.sums(run)
            sizes.append((len({block for block, _ in sums}), read(store, run).tally.lineups.nbytes))
    assert sizes[0] == sizes[1]


def peak(folder: Path, *arguments: str) -> float:
    """Megabytes that a command has held at most."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    code, kilobytes, seconds = done.stderr.splitlines()[-1].split()
    assert code == "0", done.stderr
    print(f"{' '.join(arguments)}: {int(kilobytes) / 1024:,.0f} MB, {float(seconds):.2f} s of processor time")
    return int(kilobytes) / 1024


@pytest.mark.soak
def test_ten_million_matches_need_the_memory_of_one(tmp_path: Path) -> None:
    held = []
    for chunks in (3, 26):  # of 393,216 matches
        path = tmp_path / f"{chunks}.duckdb"
        store_ready(path, chunks, 1 << 16, keep=True)
        used = [peak(tmp_path, *words, "latest", "--db", str(path)) for words in (["show"], ["rate"])]
        held.append([*used, peak(tmp_path, "report", "latest", "--to", "page.html", "--db", str(path))])
        for name in ("rows.csv", "rows.parquet"):
            assert peak(tmp_path, "export", "latest", "--to", name, "--db", str(path)) < 500
    for few, many in zip(*held, strict=True):
        assert many < 1.1 * few
