"""What a bot may use to read a file of numbers when it is imported: ``WEIGHTS = json.loads(data("weights.json"))``."""

from __future__ import annotations

from engine.userfiles import data

__all__ = ["data"]
