"""Suit keeper: a stepper that keeps the 9s and 10s which some King must still be attacked with, and its Jokers."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jack_and_jill.steps import choose
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """As the stepper, with a price on high cards of use against Kings."""
    return choose(view, rules, moves, count, params[1], 8.0, params[0])


BOT = Bot(
    "suit_keeper",
    "A stepper that saves the 9s and 10s that the Kings will need, and its Jokers.",
    decide,
    (
        Parameter("keep", 6.0, 0.0, 30.0, "extra price of a 9 or 10 that some King can be attacked with"),
        Parameter("most_over", 4.0, 0.0, 40.0, "largest overshoot of an attack"),
    ),
)
