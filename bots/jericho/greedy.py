"""Greedy: the most points this turn, looked through to the end of the chain; nothing to capture: any placement."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.planning import best_capture, points_only
from bots.jericho.sight import wins_by_pass
from engine.games.jericho.rules import lacking
from engine.games.jericho.state import PASS
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(view, rules, moves, count, _params, luck):
    """The placement that begins the best captures; else any."""
    if wins_by_pass(rules, view, moves):
        return 0
    choice = best_capture(rules, view, moves, count, lacking(rules, view.table, 1), points_only())
    if choice >= 0:
        return choice
    first = 1 if moves[0] == PASS else 0
    return first + random_below(luck, count - first)


BOT = Bot("greedy", "Takes the most points this turn, chain and all; else lays any card.", decide)
