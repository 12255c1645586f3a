"""Files of older versions are brought over when they are read; what cannot be trusted is told apart."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import duckdb
import pytest

from storage.migrations import MIGRATIONS
from storage.store import outdated, reading
from tests.conftest import Program
from tournament.statistics.counted import read

THIRD = 3  # the schema that stored neither facts nor tallies
COLUMNS = "run, id, game, settings, matches, lineups, version, fingerprint, created"


def aged(played: Path, path: Path, **changes: str) -> None:
    """A file as version 3 would have made it of the same run; ``changes`` of columns of its run."""
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE hilltop_schema (version INTEGER PRIMARY KEY)")
        for number in range(THIRD):
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
            connection.execute("INSERT INTO hilltop_schema VALUES (?)", [number + 1])
        connection.execute(f"ATTACH '{played}' AS new (READ_ONLY)")
        connection.execute(f"INSERT INTO runs SELECT {COLUMNS} FROM new.runs")
        for table in ("entrants", "lineups", "results2"):
            connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
        connection.execute("INSERT INTO chunks SELECT run, chunk, first, matches FROM new.chunks")
        connection.execute("DETACH new")
        for name, value in changes.items():
            connection.execute(f"UPDATE runs SET {name} = ?", [value])


@pytest.mark.parametrize("command", ["show", "rate", "runs"])
def test_an_older_file_is_counted_and_read(program: Program, played: Path, tmp_path: Path, command: str) -> None:
    path = tmp_path / "old.duckdb"
    aged(played, path)
    assert outdated(path)
    asked = [command, *(["latest"] if command != "runs" else []), "--format", "json"]
    answer = program(*asked, "--db", str(path))
    assert answer.code == 0, answer.err
    expected = json.loads(program(*asked, "--db", str(played)).out)
    found = json.loads(answer.out)
    if command == "runs":
        assert [row["stored"] for row in found] == [row["stored"] for row in expected]
    else:
        assert found["ratings"] == expected["ratings"]
        assert found["notices"] == expected["notices"] == []  # it is the same code
    assert not outdated(path)
    with reading(path) as old, reading(played) as new:
        for mine, theirs in zip(
            read(old, old.run("latest")).tally.arrays, read(new, new.run("latest")).tally.arrays, strict=True
        ):
            assert (mine == theirs).all()


def test_what_other_code_has_played_is_told_apart(program: Program, played: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    aged(played, path, fingerprint="f" * 16, version="0.0.9")
    answer = program("show", "latest", "--db", str(path))
    assert answer.code == 0, answer.err
    assert "was made by hilltop 0.0.9 with other code, which did not store what its numbers mean" in answer.out


def test_a_bot_that_is_gone_keeps_its_name_and_its_results(program: Program, played: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with reading(played) as store:
        settings = store.run("latest").settings
    gone = json.dumps({**settings, "bots": ["random", "gone.py", "points_rush"]})
    aged(played, path, settings=gone, fingerprint="f" * 16)
    answer = program("show", "latest", "--db", str(path), "--format", "json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    expected = json.loads(program("show", "latest", "--db", str(played), "--format", "json").out)
    assert [row["bot"] for row in found["ratings"]] == [
        row["bot"].replace("greedy", "gone.py") for row in expected["ratings"]
    ]
    assert [row["mu"] for row in found["ratings"]] == [row["mu"] for row in expected["ratings"]]
    assert "with other code" in found["notices"][0]


def test_a_run_that_makes_no_sense_any_more_is_left_alone(program: Program, played: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with reading(played) as store:
        settings = store.run("latest").settings
    aged(played, path, settings=json.dumps({**settings, "variants": [{"name": "forgotten", "rules": {}}]}))
    assert program("runs", "--db", str(path)).code == 0
    answer = program("show", "latest", "--db", str(path))
    assert answer.code == 1
    assert "cannot be read by this version" in answer.err
    with reading(path) as store:
        assert store.rows(store.run("latest"), 0, 10).shape == (5, 10)
