"""Counter: own points less what the other hand takes, by the exact chance that it holds a filling card."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.sight import SPAN, chances, weigh, wins_by_pass
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The most points now, less the expected loss."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = chances(view)
    for k in range(SPAN):
        rates[k] *= -1.0
        rates[SPAN + k] = rates[k]
    return weigh(rules, view, moves, count, rates)


BOT = Bot(
    "counter",
    "Weighs its points against the exact chance that the other hand can take what it exposes.",
    decide,
)
