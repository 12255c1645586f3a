"""The same source gives the same results compiled, interpreted, and compiled with bounds checks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import registry
from tests.digest import digest

ROOT = Path(__file__).resolve().parent.parent


def _elsewhere(game: str, matches: int, *bots: str, **flags: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.digest", game, str(matches), *([";".join(bots)] if bots else [])],
        cwd=ROOT,
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("game", registry.GAMES)
def test_interpreted_is_the_same_without_a_warning(game: str) -> None:
    assert _elsewhere(game, 12, NUMBA_DISABLE_JIT="1") == digest(game, 12)


# Interpreted code refuses the same indices, so this is for what is rare.
@pytest.mark.soak
@pytest.mark.parametrize("game", registry.GAMES)
def test_no_index_leaves_its_array(game: str) -> None:
    assert _elsewhere(game, 200, NUMBA_BOUNDSCHECK="1") == digest(game, 200)


def test_no_index_of_cuttle_leaves_its_array() -> None:
    bots = ["random", "greedy", "points_rush"]
    assert _elsewhere("cuttle", 200, *bots, NUMBA_BOUNDSCHECK="1") == digest("cuttle", 200, bots)
