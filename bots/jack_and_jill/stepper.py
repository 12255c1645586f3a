"""Stepper: the cheapest attack at once, otherwise the cheapest way towards the next monster; no look-ahead."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jack_and_jill.steps import choose
from engine.kernel import kernel

ANY = 99.0


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The cheapest attack, step or Rest."""
    return choose(view, rules, moves, count, ANY, params[0], 0.0)


BOT = Bot(
    "stepper",
    "The cheapest attack at once, else small steps towards the next monster; never looks ahead.",
    decide,
    (Parameter("joker_price", 4.0, 0.0, 20.0, "what flipping a Joker costs, in points of cards"),),
)
