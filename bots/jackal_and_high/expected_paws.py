"""Expected paws: weighs every placement by paws and the exact odds to complete sums and to win contests."""

from __future__ import annotations

from bots.bot import Bot
from bots.jackal_and_high.plan import choose, find, find_turned, gains, roll_again
from engine.games.jackal_and_high.state import REROLL, STACKING, code
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The placement with the most paws expected; a Lucky 8 is worth its Take 2 only, the valley nothing."""
    if view.table.phase == STACKING:
        return 0
    if roll_again(view, rules):
        return find(moves, count, code(REROLL))
    with_one, with_two, with_three = gains(view, rules, 0.0, 0.0)
    move = choose(view, rules, with_one, with_two, with_three, 0.0, 0.0)
    return find_turned(view, moves, count, move)


BOT = Bot("expected_paws", "Paws times the exact odds of completing a card and winning its contest.", decide)
