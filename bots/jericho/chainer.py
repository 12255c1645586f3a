"""Chainer: searches the captures of its turn, and lays out the next ones for its own hand, heedless of the other."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.sight import RATES, SPAN, chances, wins_by_pass
from bots.jericho.weighing import weigh
from engine.kernel import kernel, records


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The best chain of captures, this turn's and what the cards left in hand can do next turn."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = records(1, RATES)
    own_chances(view, rates[0])
    return weigh(rules, view, moves, count, rates)


@kernel
def own_chances(view, rates):
    """A point that a card in hand can take is worth what is likely to be left of it; any other is worth nothing."""
    chances(view, rates)
    for k in range(SPAN):
        rates.holding[k] = 1.0 - rates.without[k]
        rates.without[k] = 0.0


BOT = Bot("chainer", "Searches its turn for the best chain of captures, and prepares the next one.", decide)
