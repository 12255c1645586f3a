"""The front door for notebooks: the same numbers as the command line, and a wheel that claims one name."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import hilltop
from engine.errors import HilltopError
from tests.conftest import Program
from tests.program import BOTS, ROOT, environment
from tests.test_formats import FORMATS, match


@pytest.fixture
def run(tmp_path: Path) -> hilltop.Run:
    return hilltop.play("cuttle", BOTS, matches=600, seed=4, telemetry=True, db=tmp_path / "x.duckdb")


KINDS = {"text": pl.String, "integer": pl.Int64, "number": pl.Float64}


def check(frame: pl.DataFrame, command: str, table: str, printed: list[dict[str, Any]]) -> None:
    """A frame has the keys and types of docs/formats.md, and what the command prints."""
    keys = FORMATS[command][table]
    for key, kind in frame.schema.items():
        known = match(key, keys)
        assert known, f"{command} {table}: {key} is not documented"
        assert kind == KINDS[keys[known][0].partition(" or ")[0]], f"{command} {table}: {key} is {kind}"
    wanted = [{key: row[key] for key in frame.columns} for row in printed]
    assert frame.to_dicts() == wanted
    assert wanted or not frame.height


@pytest.mark.parametrize("game", ["cuttle", "jack_and_jill"])
def test_frames_hold_what_the_commands_print(tmp_path: Path, program: Program, game: str) -> None:
    def printed(*asked: str) -> Any:
        done = program(*asked, "--db", "x.duckdb", "--format", "json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    team = game == "jack_and_jill"
    field = "stepper,budgeter" if team else BOTS
    asked = [game, "--bots", field, "--variants", "big_hand,standard" if team else "short,standard"]
    asked += ["--matches", "240", "--workers", "0", *(["--players", "2"] if team else [])]
    found = printed("balance", *asked)
    run = hilltop.load(found["run"], "x.duckdb")
    shown = printed("show", run.id)
    check(run.ratings(), "show", "ratings", shown["ratings"])
    standings = run.standings()
    order = standings["bot"].to_list()
    check(standings, "show", "ratings", sorted(shown["ratings"], key=lambda row: order.index(row["bot"])))
    if team:
        check(hilltop.teams(run), "show", "teams", shown["teams"])
        assert found["scores"]
    else:
        check(run.pairs(), "show", "pairs", shown["pairs"])
    for table in ("findings", "summary", "scores", "distributions", "pieces", "differences"):
        check(run.balance(table=table), "balance", table, found[table])
    check(hilltop.runs("x.duckdb"), "runs", "", printed("runs"))
    elo = hilltop.ratings(run, method="elo", seats=False)
    check(elo, "show", "ratings", printed("rate", run.id, "--method", "elo", "--no-seats")["ratings"])
    online = hilltop.ratings(run, method="online", tau=0.1)
    check(online, "show", "ratings", printed("rate", run.id, "--tau", "0.1")["ratings"])


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda run: run.balance(0.6), r"margin cannot be 0.6; allowed: above 0 and below 0.5"),
        (lambda run: run.balance(table="cards"), r"table cannot be 'cards'; allowed: findings, summary"),
        (
            lambda run: hilltop.ratings(run, method="glicko"),
            r"method cannot be 'glicko'; allowed: trueskill, elo, online",
        ),
        (lambda run: hilltop.ratings(run, draw_probability=1.0), r"draw probability cannot be 1"),
        (lambda run: hilltop.ratings(run, tau=1.0), r"method trueskill knows no drift"),
        (lambda run: hilltop.ratings(), "name a run"),
        (lambda run: hilltop.ratings(run, replace(run, path=Path("y")), method="online"), "of one database"),
    ],
)
def test_what_cannot_be_asked(run: hilltop.Run, ask: Callable[[hilltop.Run], Any], told: str) -> None:
    with pytest.raises(HilltopError, match=told):
        ask(run)


def test_frames_without_rows_have_their_columns(run: hilltop.Run) -> None:
    assert run.balance(table="scores").columns == list(FORMATS["balance"]["scores"])
    assert run.balance(table="scores").height == 0


def test_importing_loads_what_is_used() -> None:
    source = (
        "import sys, hilltop; print(*sorted(sys.modules.keys() & {'numpy', 'polars', 'duckdb', 'tournament'})); "
        "print(hilltop.load.__module__, {*hilltop.__all__} <= {*dir(hilltop)})"
    )
    done = subprocess.run([sys.executable, "-c", source], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "\nhilltop.api True\n"


def test_runs_are_loaded_and_pooled(run: hilltop.Run) -> None:
    again = hilltop.load("latest", run.path)
    assert (again.id, again.game) == (run.id, "cuttle")
    assert repr(again) == f"<run {run.id} of cuttle, 600 of 600 matches>"
    assert again.ratings().equals(run.ratings())
    assert hilltop.ratings(run, again).equals(run.ratings())  # the same matches count once
    listed = hilltop.runs(run.path)
    assert listed["run"].to_list() == [run.id]
    matches = again.matches()
    assert matches.height == 600
    assert set(matches["reason"]) <= {"points", "stalemate", "turn_cap", "resigned"}
    assert matches["match"].to_list() == list(range(600))
    assert again.export(run.path.with_name("rows.parquet")) == 600


def test_a_run_that_keeps_tallies_says_so(tmp_path: Path) -> None:
    run = hilltop.play("cuttle", "random,greedy", rules={"goal": 15}, matches=40, db=tmp_path / "x.duckdb", keep=False)
    assert run.settings["variants"][0]["rules"] == {"goal": 15}
    assert run.standings()["matches"].to_list() == [40, 40]
    with pytest.raises(HilltopError, match=r"keeps tallies alone; 'hilltop export \w+' plays its matches again"):
        run.matches()


def test_the_wheel_claims_one_name_and_runs(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    packages = ("engine", "bots", "storage", "tournament", "service", "cli", "hilltop")
    for name in packages:
        shutil.copytree(ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    # With the setuptools that is installed here: the tests need no network.
    asked = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(sources)]
    built = subprocess.run([sys.executable, "-m", "pip", *asked], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    assert {path.name.partition("-")[0] for path in (tmp_path / "installed").iterdir()} == {"hilltop"}
    assert (tmp_path / "installed" / "hilltop" / "service" / "static" / "service.css").is_file()
    source = "import hilltop, engine, sys; print(engine.__file__); from hilltop.start import run_program; run_program()"
    (tmp_path / "own.py").write_text((ROOT / "bots" / "uniform.py").read_text())
    done = subprocess.run(
        [sys.executable, "-c", source, "run", "cuttle", "--bots", "random,own.py", "--matches", "20", "--workers", "0"],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(tmp_path / "installed"), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "installed" / "hilltop" / "engine"))
