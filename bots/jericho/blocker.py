"""Blocker: lays a card's last side open only behind a block, best one that it can fill itself.

A spot between two cards of different ranks and suits takes only two cards of the deck. It counts how many of those
that fit are unseen: a total block has none, a strong one 1, a weak one 2.
"""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jericho.sight import RATES, SPAN, wins_by_pass
from bots.jericho.weighing import weigh
from engine.kernel import kernel, records


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The best of captures, blocks laid open for itself, and blocks put before what is exposed."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = records(1, RATES)
    count_blocks(params[0], params[1], params[2], rates[0])
    return weigh(rules, view, moves, count, rates)


@kernel
def count_blocks(strong, weak, keep, rates):
    """A point behind a block is lost as the block is strong or weak, behind none for certain."""
    for k in range(SPAN):
        danger = 1.0
        if k == 0:
            danger = 0.0
        elif k <= 2:
            danger = strong if k == 1 else weak
        rates.without[k] = -danger
        rates.holding[k] = keep * (1.0 - danger) - danger


BOT = Bot(
    "blocker",
    "Leaves a last side only behind a block, counted from the cards unseen.",
    decide,
    (
        Parameter("strong", 0.3, 0.0, 1.0, "chance that a strong block (one unseen card fits) falls"),
        Parameter("weak", 0.6, 0.0, 1.0, "chance that a weak block (two unseen cards fit) falls"),
        Parameter("keep", 0.6, 0.0, 1.0, "worth of a point that it can take next time"),
    ),
)
