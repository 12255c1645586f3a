"""Chainer: the best chain of captures in its turn, and last sides where its own hand holds the filling card."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.sight import SPAN, chances, weigh, wins_by_pass
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The most points now and in its next turn."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = chances(view)
    for k in range(SPAN):
        rates[SPAN + k] = 1.0 - rates[k]
        rates[k] = 0.0
    return weigh(rules, view, moves, count, rates)


BOT = Bot(
    "chainer",
    "Searches its whole turn for the best chain of captures, and sets up the next one.",
    decide,
)
