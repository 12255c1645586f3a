"""Suit keeper: a stepper that keeps, for each suit, enough of the others, and waits when an attack wastes too much."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot
from bots.jack_and_jill.steps import (
    AIM,
    ATTACK,
    ENOUGH,
    JOKER,
    REST_COST,
    SHORTAGE,
    TRADING,
    WALK,
    WEIGHTS,
    choose,
)
from engine.kernel import kernel

# Found by hill climbing on the number of wins.
KEEPING = np.zeros(WEIGHTS)
KEEPING[[ATTACK, JOKER, AIM, WALK, REST_COST, SHORTAGE, ENOUGH, TRADING]] = 9.3, 6.2, 1.33, 5.5, 1.84, 0.56, 13.6, 8.0


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The best of attack, step and Rest with an eye on what each suit will need; in a team also Trades."""
    return choose(view, rules, moves, count, KEEPING)


BOT = Bot(
    "suit_keeper",
    "A stepper that keeps enough cards of other suits for each suit's monsters, and its Jokers for need.",
    decide,
)
