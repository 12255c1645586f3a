"""Undertaker: a fox that reckons with Vulture Valley: what it offers, what it may cost, what should lie on top."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jackal_and_high.plan import choose, find, find_turned, gains, roll_again
from bots.jackal_and_high.valley import lay_high_first, valley_worth
from engine.games.jackal_and_high.state import REROLL, STACKING, code
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """As fox, with dice in the valley worth a part of its card and a risk for the own top card."""
    if view.table.phase == STACKING:
        return lay_high_first(rules, moves, count)
    if roll_again(view, rules):
        return find(moves, count, code(REROLL))
    with_one, with_two, with_three = gains(view, rules, params[0], params[1])
    first, further = valley_worth(view, rules, params[2])
    move = choose(view, rules, with_one, with_two, with_three, first, further)
    return find_turned(view, moves, count, move)


BOT = Bot(
    "undertaker",
    "A fox that weighs Vulture Valley, and lays cheap cards on top of its stack.",
    decide,
    (
        Parameter("unwon", 1.0, 0.0, 2.0, "the part of the free cards that a Lucky 8 is expected to bring"),
        Parameter("threat", 0.05, 0.0, 0.2, "how much each die in rivals' hands lowers a card's worth, times its odds"),
        Parameter("valley", 1.0, 0.0, 2.0, "how much the valley counts"),
    ),
)
