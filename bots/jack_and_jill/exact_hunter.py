"""Exact hunter: waits for attacks that hit the Defense exactly, as long as the cards left allow waiting."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jack_and_jill.steps import choose, slack
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """Exact attacks only, one or two over when the slack is short, anything when it is nearly gone."""
    left = slack(view, rules)
    most_over = 0.0 if left > params[0] else 2.0 if left > params[0] / 2.0 else 99.0
    return choose(view, rules, moves, count, most_over, 4.0, 0.0)


BOT = Bot(
    "exact_hunter",
    "Plays for gold: waits for exact attacks while there is slack, and overshoots only when it is short.",
    decide,
    (Parameter("slack", 40.0, 0.0, 100.0, "worth of cards beyond the Defenses above which it waits for exact hits"),),
)
