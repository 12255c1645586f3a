"""End watcher: an undertaker that counts the deck, and near the end plays for the place, not for paws."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jackal_and_high.plan import MOST_GAIN, PAW, choose, exact_lanes, find, find_turned, gains, roll_again
from bots.jackal_and_high.valley import lay_high_first, valley_worth
from engine.games.jackal_and_high.state import HIGH_CARD, REROLL, STACKING, code, filled, in_lane, lane, total_of
from engine.kernel import inlined, kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """As undertaker; once the deck is low, every gain is weighed by how much it betters the chance to end first."""
    if view.table.phase == STACKING:
        return lay_high_first(rules, moves, count)
    if roll_again(view, rules):
        return find(moves, count, code(REROLL))
    with_one, with_two, with_three = gains(view, rules, params[0], params[1])
    first, further = valley_worth(view, rules, params[2])
    if view.table.deck_count <= params[3]:
        lead = lead_of(view, rules)
        with_one = for_place(view, rules, with_one, lead, params[4], params[5])
        with_two = for_place(view, rules, with_two, lead, params[4], params[5])
        with_three = for_place(view, rules, with_three, lead, params[4], params[5])
    move = choose(view, rules, with_one, with_two, with_three, first, further)
    return find_turned(view, moves, count, move)


@inlined
def lead_of(view, rules):
    """The paws by which this seat is ahead of the best of the others, numbers made in this round included."""
    table = view.table
    best = -999
    own = 0
    for seat in range(rules.players):
        made = table.paws[seat] + total_of(table.row_paws & filled(exact_lanes(table, seat)))
        if seat == view.seat:
            own = made
        else:
            best = max(made, best)
    return own - best


@inlined
def for_place(view, rules, gain, lead, spread, tie):
    """The gains bent: paws count most where the lead is near 0, and a card that would break a tie counts more."""
    table = view.table
    base = standing(lead, spread)
    scale = 8.0 * PAW / (standing(lead + 8.0, spread) - base)
    bent = 0
    for to in range(1, rules.players + rules.row_extra + 1):
        paws = lane(gain, to) / PAW
        beaten = 0
        for seat in range(rules.players):
            if seat != view.seat and table.high[view.seat] <= table.high[seat] < table.card[to - 1]:
                beaten += 1
        if rules.tie_break == HIGH_CARD and paws > 0.25:
            paws += tie * beaten
        bent += in_lane(min(int(scale * (standing(lead + paws, spread) - base)), MOST_GAIN), to)
    return bent


@inlined
def standing(lead, spread):
    """How well a lead stands, from -1 to 1, if the rest of the match may change it by about ``spread`` paws."""
    return lead / (spread + abs(lead))


BOT = Bot(
    "end_watcher",
    "An undertaker that counts the deck and near the end plays for the place.",
    decide,
    (
        Parameter("unwon", 1.0, 0.0, 2.0, "the part of the free cards that a Lucky 8 is expected to bring"),
        Parameter("threat", 0.05, 0.0, 0.2, "how much each die in rivals' hands lowers a card's worth, times its odds"),
        Parameter("valley", 1.0, 0.0, 2.0, "how much the valley counts"),
        Parameter("near", 5.0, 0.0, 53.0, "the end is near with so many cards in the deck"),
        Parameter("spread", 4.0, 0.5, 50.0, "paws by which a lead may still change then"),
        Parameter("tie", 0.1, 0.0, 1.0, "paws that it is worth to pass a rival's highest card"),
    ),
)
