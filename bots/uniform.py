"""The yardstick of every game: any legal move alike."""

from __future__ import annotations

from bots.bot import Bot
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(_view, _rules, _moves, count, _params, luck):
    """Each legal move with the same probability."""
    return random_below(luck, count)


BOT = Bot("random", "Any legal move alike: the yardstick.", decide, blind=True)
