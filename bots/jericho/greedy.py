"""Greedy: the most points this turn, looked through to the end of the chain; nothing to capture: any placement."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.planning import best_capture, points_only
from bots.jericho.sight import wins_by_pass
from bots.jericho.weighing import BLOCK, survey
from engine.cards import EMPTY
from engine.games.jericho.rules import lacking
from engine.games.jericho.state import PASS
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(view, rules, moves, count, _params, luck):
    """The placement that begins the best captures; else any."""
    if wins_by_pass(rules, view, moves):
        return 0
    now = lacking(rules, view.table, 1)
    for start in range(0, view.spots.used, BLOCK):
        if survey(rules, view, now, EMPTY, EMPTY, EMPTY, 1, start)[0]:
            return best_capture(rules, view, moves, count, now, points_only())
    first = 1 if moves[0] == PASS else 0
    return first + random_below(luck, count - first)


BOT = Bot("greedy", "Takes the most points this turn, chain and all; else lays any card.", decide)
