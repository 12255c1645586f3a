"""Follower: chases the best rival who has finished, and stops as soon as it is ahead."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import draws_on, estimate, find, has_finished, own_points, unseen_points
from engine.games.queen_of_the_hill.state import DRAW, STOP, TURN
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """Draw while behind a finished rival; the last seat stops when ahead, the others as soon as the odds say so."""
    if view.table.stage != TURN:
        return 0
    stop, draw = find(moves, count, STOP), find(moves, count, DRAW)
    if stop < 0 or draw < 0:
        return max(0, draw)
    mean, _ = unseen_points(view, rules)
    best = 0.0
    is_last = True
    for seat in range(rules.players):
        if seat != view.seat:
            if has_finished(view, rules, seat):
                best = max(best, estimate(view, rules, seat, mean))
            else:
                is_last = False
    if own_points(view, rules) < best + params[0]:
        return draw  # surely behind: nothing to lose
    if is_last:
        return stop
    return draw if draws_on(view, rules, params[1]) else stop


BOT = Bot(
    "follower",
    "Estimates finished rivals by the number of their cards; gambles on when behind, stops when ahead.",
    decide,
    (
        Parameter("margin", 3, -10, 20, "battle points above the best finished rival at which it feels ahead"),
        Parameter("daring", 1.5, 0.1, 10, "times the gain that it is ready to risk while others are to follow"),
    ),
)
