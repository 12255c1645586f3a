"""How fast a game could be played at all: a plain C program of its rules beside the match loop.

The program (``<game>.c`` in this folder) plays the standard variant with random bots. What the loop takes longer is the
price of options, views, bots in files of their own, and of being compiled from Python.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.errors import HilltopError

GAMES = ("cuttle",)
ROUNDS = 5  # of both, one after the other: what else the machine does meets both
_FOLDER = Path(__file__).parent
_FLAGS = ("-std=c11", "-O3", "-D_POSIX_C_SOURCE=199309L")


def _compiler() -> list[str]:
    """The command that compiles C."""
    chosen = os.environ.get("CC", "").split()
    for command in [chosen] if chosen else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(command[0]):
            return command
    raise HilltopError("there is no C compiler here (cc, gcc or clang; the variable CC names another)")


@contextmanager
def program(game: str) -> Iterator[Path]:
    """The compiled program, for as long as the context lasts; raises HilltopError if that cannot be had."""
    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix="hilltop-limit-") as folder:
        binary = Path(folder) / game
        for native in (["-march=native"], []):  # not every compiler knows its own processor
            command = [*compiler, *_FLAGS, *native, "-o", str(binary), str(_FOLDER / f"{game}.c")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
        else:
            reason = next(iter(done.stderr.strip().splitlines()), "it gave no reason")
            raise HilltopError(f"the C compiler {compiler[0]} did not compile it: {reason}")
        yield binary


def seconds_of(binary: Path, matches: int, seed: int) -> float:
    """Processor time that the program takes for so many matches of random bots."""
    command = [str(binary), "--matches", str(matches), "--seed", str(seed)]
    said: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return float(said["cpu_seconds"])


def compare(worker: Any, seconds: float) -> tuple[float, float]:
    """Matches a second of processor time of the C program, and how many times as long the match loop takes.

    ``worker`` plays random bots (``tournament.worker.Worker``). Both play in turn, for about ``seconds`` in all; the
    answers are medians of the rounds. Raises HilltopError without a C compiler.
    """
    game = worker.plan.game.id
    with program(game) as binary:
        trial = 1 << 13
        size = max(trial, int(trial * seconds / (2 * ROUNDS) / max(seconds_of(binary, trial, 0), 1e-6)))
        rates, ratios = [], []
        for number in range(ROUNDS):
            plain = seconds_of(binary, size, number + 1)
            start = time.process_time()
            worker.play_lineup(0, number * size, size)
            ratios.append((time.process_time() - start) / plain)
            rates.append(size / plain)
    return statistics.median(rates), statistics.median(ratios)
