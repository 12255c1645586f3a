"""hilltop for notebooks: play tournaments, load stored ones, and have their numbers as Polars frames.

>>> import hilltop
>>> run = hilltop.play("cuttle", bots="random,greedy", matches=10_000)
>>> run.ratings()
>>> hilltop.balance(hilltop.load("latest", db="hilltop.duckdb"))

The rest of the program lives in packages of its own beside or inside this one (``engine``, ``bots``, ``storage``,
``tournament``, ``cli``). Installed, they are inside this folder, so that they are no top-level names of the
environment; importing ``hilltop`` makes them known to this process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hilltop.api import Run, balance, load, pairs, play, ratings, runs, standings, teams

__all__ = ["Run", "balance", "load", "pairs", "play", "ratings", "runs", "standings", "teams"]

_HERE = Path(__file__).resolve().parent
_HOME = str(_HERE if (_HERE / "engine").is_dir() else _HERE.parent)
if _HOME not in sys.path:
    sys.path.insert(0, _HOME)


def __getattr__(name: str) -> Any:
    """Loaded when it is first asked for: commands start without what they do not use."""
    if name not in __all__:
        raise AttributeError(f"module 'hilltop' has no attribute '{name}'")
    from hilltop import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
