"""A stored run is evidence: its digest, an audit that finds any change, and matches played again."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.errors import HilltopError
from storage.store import reading, writing
from tests.conftest import Program
from tests.program import BOTS, content, hilltop
from tournament import run as runner
from tournament.evidence import audit
from tournament.execution import InProcess
from tournament.plan import plan_run
from tournament.statistics.counted import read
from tournament.statistics.tally import digest


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    path = tmp_path / "copy.duckdb"
    shutil.copy(played, path)
    return path


def change(path: Path, statement: str) -> None:
    connection = duckdb.connect(str(path))
    try:
        connection.execute(statement)
    finally:
        connection.close()


def findings(path: Path) -> list[str]:
    with reading(path) as store:
        return [finding for run in store.runs() for finding in audit(store, run)]


# ---------------------------------------------------------------- the digest


def test_the_digest_depends_on_the_matches_alone(program: Program, tmp_path: Path, played: Path) -> None:
    plan = plan_run("cuttle", BOTS, matches=1200, seed=5)

    class Cut(InProcess):
        def results(self, plan: Any, first: int, end: int, *others: Any, **named: Any) -> Iterator[Any]:
            for at in range(first, end, 7):
                yield from super().results(plan, at, min(at + 7, end), *others, **named)

    path = tmp_path / "cut.duckdb"
    with writing(path) as store:
        run = runner.play(plan, store, None, Cut())
        assert run
        kept = runner.play(plan, store, None, InProcess(), keep=False)
        assert kept
        digests = {digest(read(store, one).tally, one.done) for one in (run, kept)}
    shown = json.loads(program("show", "latest", "--db", str(played), "--format", "json").out)
    assert digests == {shown["run"]["digest"]}
    other = tmp_path / "other.duckdb"
    with writing(other) as store:
        run = runner.play(plan_run("cuttle", BOTS, matches=1200, seed=6), store, None, InProcess())
        assert run
        assert digest(read(store, run).tally, run.done) not in digests


# ---------------------------------------------------------------- the audit


def test_what_is_whole_has_no_findings(program: Program, played: Path, tmp_path: Path) -> None:
    answer = program("audit", "--db", str(played))
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "1 run, 1,200 matches: no findings\n"
    path = tmp_path / "teams.duckdb"
    with writing(path) as store:
        for plan in (
            plan_run("jack_and_jill", "random,stepper,budgeter", players=2, matches=500, seed=1),
            plan_run("jackal_and_high", "spreader,sniper,random", players=3, matches=333, seed=1, telemetry=True),
        ):
            for keep in (True, False):
                assert runner.play(plan, store, None, InProcess(), keep=keep)
    assert findings(path) == []


COLUMNS = {"ranks": 12, "reason": 3, "plies": 9, "score0": 6, "score1": 6}


@pytest.mark.parametrize("seed", range(50))
def test_any_flipped_bit_of_a_result_is_found(copy: Path, seed: int) -> None:
    dice = random.Random(seed)
    match, column = dice.randrange(1200), dice.choice(sorted(COLUMNS))
    bit = 1 << dice.randrange(COLUMNS[column])
    change(copy, f"UPDATE results2 SET {column} = xor({column}::INTEGER, {bit})::INTEGER WHERE match = {match}")
    assert findings(copy)


def test_any_flipped_byte_of_the_file_is_found_or_changes_nothing(copy: Path) -> None:
    whole, before = copy.read_bytes(), content(copy)
    found = 0
    for seed in range(50):
        dice = random.Random(seed)
        flipped = bytearray(whole)
        flipped[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        copy.write_bytes(flipped)
        try:
            changed = findings(copy)
        except HilltopError as error:  # the file cannot be opened
            changed = [str(error)]
        found += bool(changed)
        if not changed:
            assert content(copy) == before
    assert found > 10


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("DELETE FROM results2 WHERE match = 77", "1199 results are stored"),
        ("INSERT INTO results2 SELECT * FROM results2 WHERE match = 77", "1 match is stored more than once"),
        ("UPDATE results2 SET match = 5000 WHERE match = 77", "of the matches 0 to 5000"),
        ("UPDATE results2 SET ranks = 7 WHERE match = 77", "match 77 has a result that no match can have"),
        ("UPDATE results2 SET reason = 99 WHERE match = 77", "match 77 has a result that no match can have"),
        ("UPDATE chunks SET first = first + 1 WHERE chunk = 1", "begins at match"),
        ("DELETE FROM chunks WHERE chunk = 1", "begins at match"),
        ("UPDATE chunks SET hash = 'x'::BLOB WHERE chunk = 1", "are not those that were played"),
        ("DELETE FROM tallies WHERE part = (SELECT max(part) FROM tallies)", "in the sums; planned until match 1200"),
        ("UPDATE tallies SET sums = sums[1:40]", "sums cannot be read"),
        ("UPDATE runs SET fingerprint = 'other'", "its id should be"),
        ("UPDATE runs SET settings = replace(settings, '\"seed\": 5', '\"seed\": 6')", "its id should be"),
        ("UPDATE entrants SET bot = 'other' WHERE entrant = 0", "its bots are other"),
        ("UPDATE lineups SET entrants = [1, 0] WHERE lineup = 0", "its line-ups are not those"),
        ("UPDATE runs SET matches = 1000", "its chunks hold 1,200 matches, but 1,000 were planned"),
    ],
)
def test_each_kind_of_change_is_named(program: Program, copy: Path, statement: str, word: str) -> None:
    change(copy, statement)
    answer = program("audit", "latest", "--db", str(copy))
    assert answer.code == 1, statement
    assert word in answer.out
    assert all(line.startswith("run ") for line in answer.out.splitlines())


# ---------------------------------------------------------------- played again


def test_verify_plays_matches_again(program: Program, copy: Path) -> None:
    answer = program("verify", "latest", "--db", str(copy))
    assert (answer.code, answer.out) == (0, "")
    assert "1,000 of 1,200 matches played again, none end otherwise" in answer.err
    change(copy, "UPDATE results2 SET plies = plies + 1 WHERE match IN (3, 700)")
    answer = program("verify", "latest", "--all", "--db", str(copy))
    assert answer.code == 1
    assert [line.split(" was ")[0].split(": ")[1] for line in answer.out.splitlines()] == ["match 3", "match 700"]
    assert "2 end otherwise" in answer.err
    for wrong in (["--sample", "0"], ["--all", "--sample", "5"]):
        assert program("verify", "latest", *wrong, "--db", str(copy)).code == 2


def test_verify_interpreted(played: Path) -> None:
    done = hilltop("verify", "latest", "--interpreted", "--sample", "3", "--db", str(played))
    assert done.returncode == 0, done.stderr
    assert "3 of 1,200 matches played again, none end otherwise" in done.stderr


def test_verify_of_a_run_that_keeps_tallies(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "tallies.duckdb"
    plan = plan_run("cuttle", BOTS, matches=300, seed=5)
    with writing(path) as store:
        assert runner.play(plan, store, None, InProcess(), keep=False)
    assert program("verify", "latest", "--db", str(path)).code == 0
    change(path, "UPDATE chunks SET hash = 'x'::BLOB WHERE chunk = 1")
    answer = program("verify", "latest", "--all", "--db", str(path))
    assert answer.code == 1
    assert "do not end as they did" in answer.out


# ---------------------------------------------------------------- left out of ratings


def test_leaving_a_run_out_of_ratings_is_a_recorded_choice(program: Program, copy: Path) -> None:
    with reading(copy) as store:
        (run,) = store.runs()
    db = ["--db", str(copy)]
    assert program("exclude", "latest", "--reason", " ", *db).code == 2
    assert program("exclude", "latest", "--reason", "a broken\nmachine", *db).code == 0
    answer = program("rate", "latest", *db)
    assert answer.code == 1
    assert f"run {run.id} is left out of ratings since" in answer.err
    assert ": a broken machine; 'hilltop include" in answer.err
    (row,) = json.loads(program("runs", "--format", "json", *db).out)
    assert row["left_out"] == "a broken machine"
    assert program("include", "latest", "--reason", "it was not", *db).code == 0
    assert program("rate", "latest", *db).code == 0
    assert findings(copy) == []
