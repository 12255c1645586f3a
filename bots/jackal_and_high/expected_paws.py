"""Expected paws: weighs every placement by paws and the exact odds to complete sums and to win contests."""

from __future__ import annotations

from bots.bot import Bot
from bots.jackal_and_high.plan import choose, gains, roll_again
from engine.games.jackal_and_high.state import STACKING
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The placement with the most paws expected; a Lucky 8 is worth its Take 2 only, the valley nothing."""
    if view.table.phase == STACKING:
        return 0
    again = roll_again(view, moves, count)
    if again >= 0:
        return again
    with_one, with_more = gains(view, rules, 0.0, 0.0)
    return choose(view, rules, moves, count, with_one, with_more, 0.0, 0.0)


BOT = Bot("expected_paws", "Paws times the exact odds of completing a card and winning its contest.", decide)
