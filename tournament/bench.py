"""Measurements of one machine: kernels, the whole pipeline, interpreted code, ratings. Ratios mean more than rates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bots import registry as bots
from engine.cache import ROOT
from engine.errors import HilltopError
from engine.game import Game
from engine.loop import ROW_PLIES
from storage.store import writing
from tournament import limit, trueskill
from tournament import run as runner
from tournament.execution import OnRay
from tournament.plan import Plan, restore
from tournament.worker import Worker

Row = dict[str, Any]


def measure(
    game: Game, seconds: float, workers: int | None, say: Callable[[str], None], players: int | None = None
) -> list[Row]:
    """Two rows: ``random`` (random against itself) and ``scripted`` (round robin of all other bots)."""
    seats = game.default_seats if players is None else players
    game.settle({}, seats)  # refuses other numbers of seats
    rating, package = _rating_rates(min(seconds, 3.0))
    rows = []
    scripted = [name for name in bots.names(game.id) if name != "random"]
    for label, field in (("random", ["random"]), ("scripted", scripted)):
        if not field:
            continue
        say(f"{game.id}: {label}")
        plan = _plan(game, field, 1000, seats)
        runner.prepare(plan)
        before = _kernel_rates(plan, seconds / 2)
        # Long enough that the last commit, when nobody plays any more, counts for as little as in a real run.
        matches = int(before[0] * 6 * seconds) * (workers or os.cpu_count() or 1)
        pipeline, used = _pipeline_rate(_plan(game, field, max(matches, 4 * game.block), seats), workers)
        after = _kernel_rates(plan, seconds / 2)
        plain, ratio = _limit(plan, seconds, say) if label == "random" else (None, None)
        kernel, decisions = ((one + other) / 2 for one, other in zip(before, after, strict=True))
        rows.append(
            {
                "game": game.id,
                "seats": plan.players,
                "bots": label,
                "workers": used,
                "kernel_matches_per_s": kernel,
                "kernel_decisions_per_s": decisions,
                "limit_matches_per_s": plain,
                "limit_ratio": ratio,
                "playouts_per_s": _playout_rate(game, field[0] if label == "random" else "", seats, min(seconds, 3.0)),
                "pipeline_matches_per_s": pipeline,
                "pipeline_share": pipeline / (used * kernel),
                "interpreted_matches_per_s": _interpreted_rate(plan, min(seconds, 2.0)),
                "rating_updates_per_s": rating,
                "package_updates_per_s": package,
            }
        )
    return rows


def measure_limit(game: Game, seconds: float, say: Callable[[str], None]) -> Row:
    """The part of the row ``random`` that compares the kernel with a plain C program of the rules, and nothing else."""
    say(f"{game.id}: random, and a plain C program")
    plan = _plan(game, ["random"], 1000, game.default_seats)
    runner.prepare(plan)
    plain, ratio = _limit(plan, seconds, say)
    return {
        "game": game.id,
        "seats": plan.players,
        "bots": "random",
        "kernel_matches_per_s": plain / ratio if plain and ratio else _kernel_rates(plan, seconds / 2)[0],
        "limit_matches_per_s": plain,
        "limit_ratio": ratio,
    }


def _plan(game: Game, field: list[str], matches: int, players: int) -> Plan:
    variants = [{"name": "standard", "rules": {}}]
    return restore(
        {"game": game.id, "players": players, "variants": variants, "bots": field, "matches": matches, "seed": 1}
    )


def _kernel_rates(plan: Plan, seconds: float) -> tuple[float, float]:
    """Matches and decisions a second of processor time of the loop alone, in this process."""
    worker = Worker(plan.settings)
    lineups = len(plan.lineups)
    size = 16  # deals in a call of the loop
    while True:
        start = time.process_time()
        worker.play_lineup(0, 0, size)
        if time.process_time() - start > 0.1 or size >= plan.game.block:
            break
        size *= 4
    deals = size // lineups + 1
    matches = decisions = deal = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        for number in range(lineups):  # all of them equally often
            decisions += int(worker.play_lineup(number, deal, deals)[ROW_PLIES].sum(dtype=np.int64))
        deal += deals
        matches += deals * lineups
    taken = time.process_time() - start
    return matches / taken, decisions / taken


def _playout_rate(game: Game, policy: str, players: int, seconds: float) -> float:
    """Playouts a second of processor time of rollouts with that policy, or the game's own, in matches of its own."""
    search = f"rollouts(playouts=200{f',policy={policy}' if policy else ''})"
    worker = Worker(_plan(game, [search], 1 << 20, players).settings)
    start = time.process_time()
    deal = 0
    while time.process_time() - start < seconds:
        worker.play_lineup(0, deal, 1)
        deal += 1
    taken = time.process_time() - start
    return float(worker.plan.entrants[0].workspace.memory.played[0, 0]) / taken


def _limit(plan: Plan, seconds: float, say: Callable[[str], None]) -> tuple[float | None, float | None]:
    """``limit.compare``, or nothing and a sentence why."""
    if plan.game.id not in limit.GAMES:
        return None, None
    try:
        return limit.compare(Worker(plan.settings), seconds)
    except HilltopError as reason:
        say(f"no C program was measured: {reason}")
        return None, None


def _pipeline_rate(plan: Plan, workers: int | None) -> tuple[float, int]:
    """Matches a second that reach the database, and the number of workers that played them."""
    executor = OnRay(workers)
    marks: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder, writing(Path(folder) / "bench.duckdb") as store:
        stored = runner.start(plan, store)
        runner.play(plan, store, stored, executor, lambda done: marks.append((time.perf_counter(), done)))
    # From the first chunk to the end of the last commit: starting and ending Ray are left out.
    began, first = marks[0]
    end, last = marks[-1]
    assert last == plan.matches
    return (last - first) / (end - began), executor.workers


def _interpreted_rate(plan: Plan, seconds: float) -> float:
    """Matches a second of the same source as plain Python, in a process of its own."""
    program = (
        "import json, sys, time\n"
        "from tournament.worker import Worker\n"
        "worker, seconds = Worker(json.loads(sys.argv[1])), float(sys.argv[2])\n"
        "start, done = time.perf_counter(), 0\n"
        "while time.perf_counter() - start < seconds:\n"
        "    worker.play_lineup(done % len(worker.plan.lineups), done, 1)\n"
        "    done += 1\n"
        "print(done / (time.perf_counter() - start))\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    finished = subprocess.run(
        [sys.executable, "-c", program, json.dumps(plan.settings), str(seconds)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(finished.stdout)


def _rating_rates(seconds: float) -> tuple[float, float]:
    """Two-player updates a second of the kernel and of the ``trueskill`` package, on the same kind of matches."""
    import trueskill as package

    random = np.random.default_rng(1)
    size = 1 << 19
    entrants = random.permuted(np.tile(np.arange(8, dtype=np.int64), (size, 1)), axis=1)[:, :2].copy()
    ranks = np.ascontiguousarray(np.array([[0, 1], [1, 0], [0, 0]], np.int64)[random.integers(0, 3, size)])
    model = trueskill.Model(draw_probability=0.1)
    ratings = trueskill.update(*trueskill.new_ratings(8, model), entrants[:2], ranks[:2], model)
    start = time.perf_counter()
    done = 0
    while time.perf_counter() - start < seconds / 2:
        ratings = trueskill.update(*ratings, entrants, ranks, model)
        done += size
    ours = done / (time.perf_counter() - start)
    environment = package.TrueSkill(tau=0.0, draw_probability=0.1)
    board = [environment.create_rating() for _ in range(8)]
    start = time.perf_counter()
    done = 0
    while time.perf_counter() - start < seconds / 2:
        for (one, two), rank in zip(entrants[done : done + 100], ranks[done : done + 100], strict=True):
            (new_one,), (new_two,) = environment.rate([(board[one],), (board[two],)], ranks=list(rank))
            board[one], board[two] = new_one, new_two
        done += 100
    return ours, done / (time.perf_counter() - start)
