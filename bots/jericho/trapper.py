"""Trapper: the all-rounder. As the counter, and it values what its own hand or its next cards may take."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jericho.sight import SPAN, chances, weigh, wins_by_pass
from engine.cards import count as size_of
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The most points now and later, less the expected loss."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = chances(view)
    for k in range(SPAN):
        danger = rates[k]
        rates[k] = (1.0 - danger) * params[2] * k / max(size_of(view.unseen), 1) - params[0] * danger
        rates[SPAN + k] = (1.0 - danger) * params[1] - params[0] * danger
    return weigh(rules, view, moves, count, rates)


BOT = Bot(
    "trapper",
    "Weighs what it takes, what it opens to the other hand, and what it keeps for itself.",
    decide,
    (
        Parameter("risk", 1.0, -5.0, 5.0, "weight of what the other hand may take"),
        Parameter("keep", 0.8, -5.0, 5.0, "worth of an exposed card that the own hand can take next"),
        Parameter("draw", 0.5, -5.0, 5.0, "worth of an exposed card that cards still to be drawn can take"),
    ),
)
