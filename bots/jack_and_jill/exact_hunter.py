"""Exact hunter: plays for gold: a suit keeper that waits for exact attacks and hates to discard."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot
from bots.jack_and_jill.steps import (
    AIM,
    ATTACK,
    DISCARD,
    ENOUGH,
    EXACT,
    JOKER,
    REST_COST,
    SHORTAGE,
    TRADING,
    WALK,
    WEIGHTS,
    choose,
)
from engine.kernel import kernel

# Found by hill climbing on the number of gold medals.
HUNTING = np.zeros(WEIGHTS)
HUNTING[[ATTACK, JOKER, AIM, EXACT, DISCARD, WALK, REST_COST, SHORTAGE, ENOUGH, TRADING]] = (
    11.3, 8.7, 1.2, 3.0, 1.4, 8.2, 2.0, 0.55, 18.5, 8.0
)  # fmt: skip


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The best of attack, step and Rest with a price on every card that will not score; in a team Trades, too."""
    return choose(view, rules, moves, count, HUNTING)


BOT = Bot("exact_hunter", "Plays for gold: waits for exact attacks, because each card discarded costs a point.", decide)
