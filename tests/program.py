"""The program as its users start it: in processes of their own; and what a database holds, to compare two."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from storage.store import reading
from tournament.statistics.counted import read

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "from cli.main import run_program; run_program()"

BOTS = "random,greedy,points_rush"
FIELD = BOTS.split(",")


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what a user may have set for the program, and with the package found."""
    plain = {key: value for key, value in os.environ.items() if key not in ("HILLTOP_DB", "RAY_ADDRESS", "NO_COLOR")}
    return {**plain, "PYTHONPATH": str(ROOT), **changes}


def command(*arguments: str, setup: str = "") -> list[str]:
    """The command line of the program; ``setup`` is Python that runs first."""
    return [sys.executable, "-c", textwrap.dedent(setup) + "\n" + PROGRAM, *arguments]


def hilltop(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, setup: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    done = subprocess.run(
        command(*arguments, setup=setup),
        cwd=cwd,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    done.stderr = without_compiling(done.stderr)
    return done


def without_compiling(text: str) -> str:
    """What was said, but for the lines that depend on what the cache holds."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("compiling "))


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, in order, but for the time at which a run was made, and where chunks were cut: for their
    tallies added up, and their sizes."""
    queries = {
        "runs": "SELECT * EXCLUDE (created) FROM runs ORDER BY run",
        "entrants": "SELECT * FROM entrants ORDER BY run, entrant",
        "lineups": "SELECT * FROM lineups ORDER BY run, lineup",
        "chunks": "SELECT run, min(first), sum(matches) FROM chunks GROUP BY run ORDER BY run",
        "results": "SELECT * FROM results ORDER BY run, match",
        "telemetry": "SELECT * FROM telemetry ORDER BY run, chunk, variant",
    }
    connection = duckdb.connect(str(path), read_only=True)
    try:
        found = {name: connection.execute(query).fetchall() for name, query in queries.items()}
    finally:
        connection.close()
    with reading(path) as store:
        tallies = [read(store, run).tally for run in store.runs()]
    found["tallies"] = [(tally.first, *(array.tobytes() for array in tally.arrays)) for tally in tallies]
    return found
