"""Fox: expects paws, and minds what others may do: contests to come, and cards left for the Lucky 8."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jackal_and_high.plan import choose, find, find_turned, gains, roll_again
from engine.games.jackal_and_high.state import REROLL, STACKING, code
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """As expected_paws, with the Lucky 8 worth what is likely to stay unwon, and rivals' dice a threat."""
    if view.table.phase == STACKING:
        return 0
    if roll_again(view, rules):
        return find(moves, count, code(REROLL))
    with_one, with_two, with_three = gains(view, rules, params[0], params[1])
    move = choose(view, rules, with_one, with_two, with_three, 0.0, 0.0)
    return find_turned(view, moves, count, move)


BOT = Bot(
    "fox",
    "Expects paws, counts the Lucky 8 as the cards it will bring, and avoids contests.",
    decide,
    (
        Parameter("unwon", 1.0, 0.0, 2.0, "the part of the free cards that a Lucky 8 is expected to bring"),
        Parameter("threat", 0.05, 0.0, 0.2, "how much each die in rivals' hands lowers a card's worth, times its odds"),
    ),
)
