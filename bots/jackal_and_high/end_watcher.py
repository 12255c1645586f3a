"""End watcher: an undertaker that watches who would end first, and contests what that seat has made."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jackal_and_high.plan import MOST_GAIN, choose, exact_lanes, find, find_turned, gains, roll_again
from bots.jackal_and_high.valley import lay_high_first, valley_worth
from engine.cards import rest
from engine.games.jackal_and_high.state import REROLL, STACKING, code, filled, first_lane, in_lane, lane, total_of
from engine.kernel import inlined, kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """As undertaker, but a card that the leader would win is worth more: the leader loses it, too."""
    if view.table.phase == STACKING:
        return lay_high_first(rules, moves, count)
    if roll_again(view, rules):
        return find(moves, count, code(REROLL))
    with_one, with_two, with_three = gains(view, rules, params[0], params[1])
    first, further = valley_worth(view, rules, params[2])
    if view.table.deck_count <= params[3]:
        theirs = made_by_leader(view, rules)
        with_one = raised(with_one, theirs, params[4])
        with_two = raised(with_two, theirs, params[4])
        with_three = raised(with_three, theirs, params[4])
    move = choose(view, rules, with_one, with_two, with_three, first, further)
    return find_turned(view, moves, count, move)


@inlined
def made_by_leader(view, rules):
    """The lanes whose number the seat with the most paws has made, those numbers counted; none if that is this seat."""
    table = view.table
    most = -1
    lanes = 0
    for seat in range(rules.players):
        made = exact_lanes(table, seat)
        paws = table.paws[seat] + total_of(table.row_paws & filled(made))
        if paws > most:
            most = paws
            lanes = made if seat != view.seat else 0
    return lanes


@inlined
def raised(gain, lanes, part):
    """Gains, those of a set of lanes raised by a part of them."""
    while lanes:
        to = first_lane(lanes)
        old = lane(gain, to)
        gain += in_lane(min(int(old * part), MOST_GAIN - old), to)
        lanes = rest(lanes)
    return gain


BOT = Bot(
    "end_watcher",
    "An undertaker that contests what the seat that would end first has made.",
    decide,
    (
        Parameter("unwon", 0.7, 0.0, 2.0, "the part of the free cards that a Lucky 8 is expected to bring"),
        Parameter("threat", 0.1, 0.0, 0.2, "how much each die in rivals' hands lowers a card's worth, times its odds"),
        Parameter("valley", 1.0, 0.0, 2.0, "how much the valley counts"),
        Parameter("near", 53.0, 0.0, 53.0, "cards in the deck from which it minds the leader (53: always)"),
        Parameter("denied", 0.25, 0.0, 2.0, "how much more a card is worth that the leader loses by it"),
    ),
)
