"""Who beats whom: planted cycles are found, and none where there is none; methods of rating."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Program
from tournament.statistics.estimate import Jackknifed, jackknife
from tournament.statistics.matrix import cycles


def shares(chances: np.ndarray, matches: int, seed: int) -> Jackknifed:
    """Of bots that beat each other with these chances, in 50 blocks."""
    rng = np.random.default_rng(seed)
    bots = len(chances)
    wins = rng.binomial(matches, chances, (50, bots, bots))
    wins = np.triu(wins, 1) + np.tril(matches - wins.transpose(0, 2, 1), -1)
    met = np.full_like(wins, matches)
    return jackknife(lambda won, n: won / n, [wins, met], np.full((50, 1, 1), matches), bounds=(0.0, 1.0))


def test_a_planted_cycle_is_found_and_chance_makes_none() -> None:
    ring = np.full((4, 4), 0.5)
    ring[0, 1] = ring[1, 2] = 0.6
    ring[0, 2] = 0.4  # so 2 beats 0
    ring[:3, 3] = 0.7
    (found,) = cycles(shares(ring, 20, 1))
    assert found.bots == (0, 1, 2)
    assert found.p < 0.001
    assert found.narrowest.low is not None
    assert found.narrowest.low < 0.6 < (found.narrowest.high or 0.0)
    wrong = sum(any(one.p < 0.05 for one in cycles(shares(np.full((5, 5), 0.5), 20, seed))) for seed in range(100))
    assert wrong <= 11  # of 5 expected at most; more has a chance of 1 %
    ladder = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.7, 0.3)
    assert cycles(shares(ladder, 40, 2)) == []


def test_the_command_shows_pairs_cycles_and_equilibrium(program: Program, played: Path) -> None:
    answer = program("matrix", "latest", "--db", str(played))
    assert answer.code == 0
    for title in ("Each against each", "Cycles", "Dominated", "Equilibrium"):
        assert title in answer.out
    shown = json.loads(program("matrix", "latest", "--db", str(played), "--format", "json").out)
    assert sum(row["value"] for row in shown["equilibrium"]) == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["trueskill", "elo", "online"])
def test_every_method_rates_and_says_what_it_is(program: Program, played: Path, method: str) -> None:
    found = json.loads(program("rate", "--db", str(played), "--method", method, "--format", "json").out)
    rows = found["ratings"]
    assert found["method"] == method
    assert [row["mu"] for row in rows] == sorted((row["mu"] for row in rows), reverse=True)
    for row in rows:
        assert row["mu_low"] == row["conservative"] < row["mu"] < row["mu_high"]
        assert row["rank"] <= row["rank_worst"]
    assert (max(row["order"] for row in rows) > 0) == (method == "online")
    assert (found["fit"] is None) == (method == "online")
    assert len(found["seats"]) == (0 if method == "online" else 2)
    none = json.loads(program("rate", "--db", str(played), "--no-seats", "--format", "json").out)
    assert none["seats"] == []
    if method != "online":
        assert sum(one["mu"] for one in found["seats"]) == pytest.approx(0.0, abs=1e-9)
        assert 0.0 < found["fit"]["explained"] <= 1.0
        assert found["fit"]["log_loss"] < found["fit"]["even_log_loss"]


def test_methods_that_do_not_go_with_options(program: Program, played: Path) -> None:
    for arguments, sentence in (
        (["--method", "elo", "--tau", "1"], "--method elo knows no drift; leave --tau out"),
        (["--method", "online", "--no-seats"], "--method online knows no effects of seats; leave --no-seats out"),
    ):
        answer = program("rate", "--db", str(played), *arguments)
        assert (answer.code, answer.err) == (2, f"hilltop: {sentence}\n")
