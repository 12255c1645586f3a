"""Blocker: leaves a last side only where few unseen cards fit: none (total), one (strong), two (weak)."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jericho.sight import SPAN, chances, weigh, wins_by_pass
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The most points now, less what weak and strong blocks may let through."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = chances(view)
    for k in range(SPAN):
        danger = 0.0 if k == 0 else (params[0] if k == 1 else (params[1] if k == 2 else 1.0))
        rates[k] = -danger
        rates[SPAN + k] = params[2] * (1.0 - danger) - danger
    return weigh(rules, view, moves, count, rates)


BOT = Bot(
    "blocker",
    "Exposes cards only behind blocks: spots that no unseen card fits, or only one or two.",
    decide,
    (
        Parameter("strong", 0.25, -5.0, 5.0, "danger of a spot that one unseen card fits"),
        Parameter("weak", 0.5, -5.0, 5.0, "danger of a spot that two unseen cards fit"),
        Parameter("keep", 0.8, -5.0, 5.0, "worth of an exposed card that the own hand can take next"),
    ),
)
