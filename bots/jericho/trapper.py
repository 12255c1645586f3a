"""Trapper: like the counter, but lays cards open that it can take itself and the other hand probably cannot.

And what could take such a card, where hardly any other one does, it does not lay just to lay something.
"""

from __future__ import annotations

import numpy as np

from bots.bot import Bot, Parameter
from bots.jericho.sight import RATES, SPAN, chances, wins_by_pass
from bots.jericho.weighing import weigh
from engine.cards import count as size_of
from engine.kernel import kernel, records


@kernel
def decide(view, rules, moves, count, params, _luck):
    """The move with the most points now and expected, for both seats."""
    if wins_by_pass(rules, view, moves):
        return 0
    rates = records(1, RATES)
    expected_swing(view, params[0], params[1], params[2], params[3], rates[0])
    return weigh(rules, view, moves, count, rates)


@kernel
def expected_swing(view, risk, keep, draw, few, rates):
    """What the other hand takes, against what is still there next turn for a card in hand or one that may be drawn."""
    chances(view, rates)
    rates.keepers = np.int64(few)
    unseen = max(size_of(view.unseen), 1)
    for k in range(SPAN):
        danger = rates.without[k]
        rates.without[k] = (1.0 - danger) * draw * k / unseen - danger * risk
        rates.holding[k] = (1.0 - danger) * keep - danger * risk


BOT = Bot(
    "trapper",
    "Weighs what it opens to either hand by exact chances, and keeps what only it can take.",
    decide,
    (
        Parameter("risk", 1.3, 0.0, 5.0, "cost of a point that the other hand can take"),
        Parameter("keep", 0.8, 0.0, 1.0, "worth of a point that only the own hand can take next turn"),
        Parameter("draw", 0.5, 0.0, 1.0, "worth of a point that a drawn card may take"),
        Parameter(
            "few", 2.0, 0.0, 20.0, "keeps cards that fit beside a card two sides short where fewer unseen ones do"
        ),
    ),
)
