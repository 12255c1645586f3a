"""Threshold: forms everything and stops at a fixed number of battle points."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import find, own_points
from engine.games.queen_of_the_hill.state import DRAW, STOP, TURN
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """Stop with enough points, else draw; elsewhere the first move: form, pass, or discard any card."""
    if view.table.stage == TURN and own_points(view, rules) >= params[0]:
        stop = find(moves, count, STOP)
        return stop if stop >= 0 else 0
    return max(0, find(moves, count, DRAW))


BOT = Bot(
    "threshold",
    "Forms everything, stops at a fixed number of battle points, never keeps or plays a card.",
    decide,
    (Parameter("points", 11, 0, 40, "battle points at which it stops"),),
)
