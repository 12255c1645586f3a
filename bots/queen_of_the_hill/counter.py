"""Counter: knows the risk of the next draw and weighs it against what is at stake."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import draws_on, find
from engine.games.queen_of_the_hill.state import DRAW, STOP, TURN
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """Draw while that gains more than it risks, else stop; elsewhere the first move: form, pass, discard any card."""
    if view.table.stage != TURN:
        return 0
    stop = find(moves, count, STOP)
    if stop >= 0 and not draws_on(view, rules, params[0]):
        return stop
    return max(0, find(moves, count, DRAW))


BOT = Bot(
    "counter",
    "Counts the unseen Dark Ones and draws while the expected gain exceeds the risk to its own points.",
    decide,
    (Parameter("daring", 1, 0.1, 10, "times the gain that it is ready to risk"),),
)
