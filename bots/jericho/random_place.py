"""Random placements: any placement alike; passes only if it must, never stops a chain."""

from __future__ import annotations

from bots.bot import Bot
from engine.games.jericho.state import STOP
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(_view, _rules, moves, count, _params, luck):
    """Each placement with the same probability."""
    first = 1 if moves[0] <= STOP else 0
    return first + random_below(luck, count - first)


BOT = Bot("random_place", "Any placement alike; passes only if it must.", decide)
