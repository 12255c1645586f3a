"""Counter: own points now, less the points given away by the exact chance that the other hand can take them."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.sight import RATES, SPAN, chances, wins_by_pass
from bots.jericho.weighing import weigh
from engine.kernel import kernel, records


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The move with the most points less the expected loss."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = records(1, RATES)
    expected_loss(view, rates[0])
    return weigh(rules, view, moves, count, rates)


@kernel
def expected_loss(view, rates):
    """A point is lost if the other hand, drawn from the unseen cards, holds a card that takes it."""
    chances(view, rates)
    for k in range(SPAN):
        rates.without[k] = -rates.without[k]
        rates.holding[k] = rates.without[k]


BOT = Bot("counter", "Own points less the points it gives away, by exact chances from the cards unseen.", decide)
