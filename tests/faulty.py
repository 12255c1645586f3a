"""Workers with something wrong with them, for Ray's processes to load by name (``OnRay(worker=...)``).

They find the folder in which they leave marks, and what they are to do, in their environment.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from engine.errors import HilltopError, UsageError
from tournament.worker import Results, Worker

FOLDER = "HILLTOP_TEST_FOLDER"


def once(name: str) -> bool:
    """True for the first process that asks."""
    try:
        (Path(os.environ[FOLDER]) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Fragile(Worker):
    """Dies without a word when it has played match 500, once."""

    def play(self, first: int, end: int) -> Results:
        results = super().play(first, end)
        if first <= 500 < end and once("died"):
            die()
        return results


class Poisoned(Worker):
    """Dies of match 500, every time."""

    def play(self, first: int, end: int) -> Results:
        if first <= 500 < end:
            (Path(os.environ[FOLDER]) / f"{first}-{end}-{os.getpid()}").touch()
            die()
        return super().play(first, end)


class Old(Worker):
    def fingerprint(self) -> str:
        return "0123456789abcdef"


class Refusing(Worker):
    def play(self, first: int, end: int) -> Results:
        raise HilltopError("a match of a, b failed: ValueError: oops")


class Failing(Worker):
    def play(self, first: int, end: int) -> Results:
        raise ValueError("oops\nand more")


class Lacking(Worker):
    def __init__(self, settings: dict[str, Any], keep: bool = True) -> None:
        raise UsageError("there is no bot file 'own.py'")


class Slow(Worker):
    """Takes a second a match."""

    def play(self, first: int, end: int) -> Results:
        time.sleep(end - first)
        return super().play(first, end)
