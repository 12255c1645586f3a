"""The front door for notebooks: the same numbers as the command line, and a wheel that claims one name."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest

import hilltop
from engine.errors import HilltopError
from tests.conftest import Program
from tests.program import BOTS, ROOT, environment


@pytest.fixture
def run(tmp_path: Path) -> hilltop.Run:
    return hilltop.play("cuttle", BOTS, matches=600, seed=4, telemetry=True, db=tmp_path / "x.duckdb")


def test_frames_hold_what_the_commands_print(run: hilltop.Run, program: Program) -> None:
    shown = json.loads(program("show", "latest", "--db", str(run.path), "--format", "json").out)
    rated = {row["bot"]: row for row in shown["ratings"]}
    for row in run.ratings().to_dicts():
        assert {key: rated[row["bot"]][key] for key in row} == row
    for row in run.standings().to_dicts():
        assert {key: rated[row["bot"]][key] for key in row} == row
    printed = {(row["bot"], row["against"]): row for row in shown["pairs"]}
    for row in run.pairs().to_dicts():
        assert {key: printed[row["bot"], row["against"]][key] for key in row} == row
    found = run.balance()
    assert {"seat_share", "lead_changes", "bot_share"} <= set(found["metric"])
    assert found["matches"].dtype == pl.Int64


def test_runs_are_loaded_and_pooled(run: hilltop.Run) -> None:
    again = hilltop.load("latest", run.path)
    assert (again.id, again.game) == (run.id, "cuttle")
    assert again.ratings().equals(run.ratings())
    assert hilltop.ratings(run, again).equals(run.ratings())  # the same matches count once
    listed = hilltop.runs(run.path)
    assert listed["run"].to_list() == [run.id]
    matches = again.matches()
    assert matches.height == 600
    assert set(matches["reason"]) <= {"points", "stalemate", "turn_cap", "resigned"}
    assert matches["match"].to_list() == list(range(600))


def test_a_run_that_keeps_tallies_says_so(tmp_path: Path) -> None:
    run = hilltop.play("cuttle", "random,greedy", rules={"goal": 15}, matches=40, db=tmp_path / "x.duckdb", keep=False)
    assert run.settings["variants"][0]["rules"] == {"goal": 15}
    assert run.standings()["matches"].to_list() == [40, 40]
    with pytest.raises(HilltopError, match=r"keeps tallies alone; 'hilltop export \w+' plays its matches again"):
        run.matches()


def test_the_wheel_claims_one_name_and_runs(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    packages = ("engine", "bots", "storage", "tournament", "cli", "hilltop")
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
