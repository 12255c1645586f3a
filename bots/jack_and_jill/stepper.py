"""Stepper: the cheapest attack at once, otherwise the cheapest way towards the next monster; no look-ahead."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot
from bots.jack_and_jill.steps import AIM, ATTACK, DISTANCE, JOKER, REST_COST, WALK, WEIGHTS, choose
from engine.kernel import kernel

CAREFUL = np.zeros(WEIGHTS)
CAREFUL[ATTACK] = 1000.0  # before everything else
CAREFUL[[JOKER, AIM, WALK, DISTANCE, REST_COST]] = 4.0, 1.0, 2.0, 2.0, 1.0


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The cheapest attack, step or Rest."""
    return choose(view, rules, moves, count, CAREFUL)


BOT = Bot("stepper", "The cheapest attack at once, else small steps to the next monster; never looks ahead.", decide)
