"""Careful: takes the most points, and otherwise never leaves a card with its last side free."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.planning import best_capture, points_only
from bots.jericho.sight import index_of, may_rest, points_of, price, wins_by_pass
from bots.jericho.weighing import BLOCK, NO_PLACE, quiet_move, survey
from engine.cards import EMPTY, count, lowest, rest
from engine.games.jericho.rules import lacking_one_or_two
from engine.games.jericho.state import PASS, entry_at, entry_slot, placement
from engine.kernel import kernel

LOW_FIRST = 1  # among safe placements: the lowest card, then the most sides beside


@kernel
def decide(view, rules, moves, size, _params, _luck):
    """The best captures; else the lowest card where it lays nothing open; else, in the lead, a pass."""
    if wins_by_pass(rules, view, moves):
        return 0
    now, soon = lacking_one_or_two(rules, view.table)
    best = NO_PLACE
    for start in range(0, view.spots.used, BLOCK):
        capturing, _, _, ranked = survey(rules, view, now, soon, EMPTY, EMPTY, LOW_FIRST, start)
        if capturing:
            return best_capture(rules, view, moves, size, now, points_only())
        best = max(best, ranked)
    if best != NO_PLACE:
        return index_of(moves, size, quiet_move(view, EMPTY, best))
    return 0 if may_rest(rules, view, moves) else index_of(moves, size, least_given(rules, view, soon))


@kernel
def least_given(rules, view, soon):
    """The placement that lays the fewest points open."""
    spots = view.spots
    choice = PASS
    least = 1e9
    for i in range(spots.count):
        slot = entry_slot(spots.order[i])
        cards = view.hand & spots.fits[slot]
        near = spots.near[slot]
        given = points_of(rules, view, near & soon)
        while cards:
            card = lowest(cards)
            points = given + (price(rules, view, card) if count(near) == rules.capture_sides - 1 else 0.0)
            if points < least:
                least = points
                choice = placement(entry_at(spots.order[i]), card)
            cards = rest(cards)
    return choice


BOT = Bot("careful", "Takes the most points, but never leaves a card with only its last side free.", decide)
