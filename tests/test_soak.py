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

# Bots, seats and matches of each game: about ten seconds of two workers.
GAMES = {
    "cuttle": ("random,greedy,points_rush", 2, 5_000_000),
    "jericho": ("random,greedy,careful", 2, 700_000),
    "jack_and_jill": ("random,stepper,budgeter", 2, 600_000),
    "jackal_and_high": ("random,spreader,sniper", 3, 400_000),
    "queen_of_the_hill": ("random,threshold,counter", 4, 1_000_000),
}
# What is killed: the program itself, or a process with this in its command line.
VICTIMS = ["program", "guard.py", "tournament.cluster.bridge", "raylet/raylet", "gcs_server", "ray::Remote", "agent"]
KILLS = 10  # of a game and seed
DELAY = (
    12.0  # seconds, at most, from the start to a kill, and from one to the next: all of a start, of play, of the end
)


def held(path: Path) -> tuple[str, bool, int]:
    """Digest of the only run, whether it is complete, and findings of its audit; nothing stored is no run."""
    if not path.exists():
        return "", False, 0
    with reading(path) as store:
        runs = store.runs()
        if not runs:
            return "", False, 0
        (run,) = runs
        return digest(read(store, run).tally, run.done), run.complete, len(audit(store, run))


def undisturbed(path: Path, game: str, matches: int, seed: int) -> str:
    bots, players, _ = GAMES[game]
    plan = plan_run(game, bots, players=players, matches=matches, seed=seed)
    runner.prepare(plan)
    with writing(path) as store:
        assert runner.play(plan, store, None, InProcess())
    return held(path)[0]


def killed(running: Running, dice: random.Random, kills: int, delay: float) -> int:
    """Kill what descends from a run, or itself, at random moments; how many were killed when it has ended."""
    done = 0
    while running.process.poll() is None:
        next_one = time.monotonic() + dice.uniform(0.0, delay)
        while running.process.poll() is None and (done == kills or time.monotonic() < next_one):
            running.below()
            time.sleep(0.05)
        victim = dice.choice(VICTIMS)
        pids = [running.process.pid] if victim == "program" else named(running.below(), victim)
        if done < kills and pids:
            with contextlib.suppress(OSError):
                os.kill(dice.choice(pids), signal.SIGKILL)
                done += 1
    return done


def survive(tmp_path: Path, game: str, seed: int, kills: int, matches: int = 0, delay: float = DELAY) -> None:
    """Play runs and kill, resume and kill, until so many are killed; each is what it would have been."""
    dice = random.Random(f"{game} {seed}")
    bots, players, usual = GAMES[game]
    matches = matches or usual
    first = ["run", game, "--bots", bots, "--players", str(players), "--matches", str(matches), "--seed", str(seed)]
    whole = undisturbed(tmp_path / "whole.duckdb", game, matches, seed)
    number = 0
    while kills:
        path, complete = tmp_path / f"{number}.duckdb", False
        while not complete:
            begun = held(path)[0]
            running = Running(path, "--workers", "2", play=["run", "--resume", "latest"] if begun else first)
            try:
                kills -= killed(running, dice, kills, delay)
                said = running.rest()
                code = running.process.wait()
            finally:
                running.close()
            assert running.gone()
            # It was killed itself, or what it needs was, again and again, and it says how to go on.
            assert code in (0, -signal.SIGKILL) or (code == 1 and "lost" in said), said
            assert code != 1 or "run --resume" in said or "nothing was stored" in said, said
            complete = code == 0
        assert held(path) == (whole, True, 0)
        number += 1


def test_random_kills(tmp_path: Path) -> None:
    survive(tmp_path, "cuttle", seed=0, kills=2, matches=1_000_000, delay=5.0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", GAMES)
def test_random_kills_of_every_game(tmp_path: Path, game: str, seed: int) -> None:
    """Two hundred in all."""
    survive(tmp_path, game, seed, KILLS)
