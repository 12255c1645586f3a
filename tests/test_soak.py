"""Kills at random moments, of anything: a run played on holds what an undisturbed one holds, and nothing is left."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from storage.store import reading, writing
from tests.running import Running, named
from tournament import run as runner
from tournament.evidence import audit
from tournament.execution import InProcess
from tournament.plan import plan_run
from tournament.statistics.counted import read
from tournament.statistics.tally import digest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

# Bots, seats and matches of each game: a few seconds of two workers.
GAMES = {
    "cuttle": ("random,greedy,points_rush", 2, 600_000),
    "jericho": ("random,greedy,careful", 2, 120_000),
    "jack_and_jill": ("random,stepper,budgeter", 2, 120_000),
    "jackal_and_high": ("random,spreader,sniper", 3, 60_000),
    "queen_of_the_hill": ("random,threshold,counter", 4, 200_000),
}
# What is killed: the program itself, or a process with this in its command line.
VICTIMS = ["program", "guard.py", "tournament.cluster.bridge", "raylet/raylet", "gcs_server", "ray::Remote", "agent"]
KILLS = 5  # of a run
DELAY = 4.0  # seconds, at most, between two of them


def held(path: Path) -> tuple[str, bool, int]:
    """Digest of the only run, whether it is complete, and findings of its audit; nothing stored is no run."""
    with reading(path) as store:
        runs = store.runs()
        if not runs:
            return "", False, 0
        (run,) = runs
        return digest(read(store, run).tally, run.done), run.complete, len(audit(store, run))


def undisturbed(path: Path, game: str, seed: int) -> str:
    bots, players, matches = GAMES[game]
    plan = plan_run(game, bots, players=players, matches=matches, seed=seed)
    runner.prepare(plan)
    with writing(path) as store:
        assert runner.play(plan, store, None, InProcess())
    return held(path)[0]


def survive(tmp_path: Path, game: str, seed: int, kills: int) -> None:
    dice = random.Random(f"{game} {seed}")
    bots, players, matches = GAMES[game]
    first = ["run", game, "--bots", bots, "--players", str(players), "--matches", str(matches), "--seed", str(seed)]
    path = tmp_path / "killed.duckdb"
    done = False
    while not done:
        begun = path.exists() and held(path)[0]
        running = Running(path, "--workers", "2", play=["run", "--resume", "latest"] if begun else first)
        try:
            while kills and running.process.poll() is None:
                time.sleep(dice.uniform(0.0, DELAY))
                victim = dice.choice(VICTIMS)
                below = running.below()
                pids = [running.process.pid] if victim == "program" else named(below, victim)
                if pids:
                    kills -= 1
                    with contextlib.suppress(OSError):
                        os.kill(dice.choice(pids), signal.SIGKILL)
                if victim == "program":
                    break
            while running.process.poll() is None:
                running.below()
                time.sleep(0.1)
            said = running.rest()
            code = running.process.wait()
        finally:
            running.close()
        assert running.gone()
        assert code in (0, -signal.SIGKILL) or "run --resume" in said or "nothing was stored" in said, said
        done = code == 0
        assert done or kills or code == -signal.SIGKILL or "lost" in said, said
    assert held(path) == (undisturbed(tmp_path / "whole.duckdb", game, seed), True, 0)


@pytest.mark.parametrize("game", ["cuttle"])
def test_random_kills(tmp_path: Path, game: str) -> None:
    survive(tmp_path, game, seed=0, kills=3)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("game", GAMES)
def test_random_kills_of_every_game(tmp_path: Path, game: str, seed: int) -> None:
    survive(tmp_path, game, seed, KILLS)
