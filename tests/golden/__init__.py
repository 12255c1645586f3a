"""Golden matches. ``python -m tests.golden`` writes them again after a wanted change; review reads the diff."""

from __future__ import annotations

import json
from pathlib import Path

from bots import registry as bots
from engine import registry
from engine.game import Game
from tournament.trace import trace


def golden(game: Game) -> str:
    """Match 0 of seed 2026 by random bots: the frame of the trace on the first line, then a step a line."""
    seats = bots.field(game.id, ",".join(["random"] * game.default_seats))
    document = trace(game, "standard", game.settle({}, game.default_seats), seats, 2026, 0, legal=True)
    steps = document.pop("steps")
    lines = [json.dumps(document), *(json.dumps(step) for step in steps[:60])]
    return "\n".join(lines) + "\n"


def write() -> None:
    """Write all golden matches."""
    for name in registry.GAMES:
        (Path(__file__).parent / f"{name}.jsonl").write_text(golden(registry.game(name)), encoding="utf-8")
