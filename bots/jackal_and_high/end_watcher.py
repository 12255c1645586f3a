"""End watcher: an undertaker that counts the deck, and near the end plays for the place, not for paws."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jackal_and_high.plan import MOST_GAIN, PAW, choose, exact_lanes, gains, roll_again
from bots.jackal_and_high.valley import lay_high_first, valley_worth
from engine.games.jackal_and_high.state import STACKING, filled, in_lane, lane, total_of
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """As undertaker, with every gain weighed by how much it betters the chance to end first."""
    if view.table.phase == STACKING:
        return lay_high_first(rules, moves, count)
    again = roll_again(view, moves, count)
    if again >= 0:
        return again
    with_one, with_more = gains(view, rules, params[0], params[1])
    first, further = valley_worth(view, rules, params[2])
    bonus = for_ties(view, rules, params[5])
    with_one = added(rules, with_one, bonus)
    with_more = added(rules, with_more, bonus)
    if view.table.deck_count <= params[4]:
        spread = params[3]
        lead = lead_of(view, rules)
        with_one = for_place(rules, with_one, lead, spread)
        with_more = for_place(rules, with_more, lead, spread)
    return choose(view, rules, moves, count, with_one, with_more, first, further)


@kernel
def rounds_left(view, rules):
    """About how many rounds the deck lasts after this one: two of three positions are won in a round."""
    return 1.5 * view.table.deck_count / (rules.players + rules.row_extra)


@kernel
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


@kernel
def for_place(rules, gain, lead, spread):
    """The gains bent: a paw counts most where the lead is near 0, and less the further it is from there."""
    base = standing(lead, spread)
    scale = 8.0 * PAW / (standing(lead + 8.0, spread) - base)
    bent = 0
    for to in range(1, rules.players + rules.row_extra + 1):
        value = scale * (standing(lead + lane(gain, to) / PAW, spread) - base)
        bent += in_lane(min(int(value), MOST_GAIN), to)
    return bent


@kernel
def for_ties(view, rules, weight):
    """Lanes: eighths of a paw that a card is worth more because it may break ties."""
    table = view.table
    bonus = 0
    for at in range(rules.players + rules.row_extra):
        beaten = 0
        for seat in range(rules.players):
            if seat != view.seat and table.high[view.seat] <= table.high[seat] < table.card[at]:
                beaten += 1
        bonus += in_lane(int(weight * PAW * beaten), at + 1)
    return bonus


@kernel
def added(rules, gain, bonus):
    """Two lanes, lane by lane."""
    both = 0
    for to in range(1, rules.players + rules.row_extra + 1):
        more = lane(bonus, to) if lane(gain, to) > 2 else 0
        both += in_lane(min(lane(gain, to) + more, MOST_GAIN), to)
    return both


@kernel
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
        Parameter("spread", 3.0, 0.5, 50.0, "paws by which a lead may change in a round"),
        Parameter("near", 3.0, 0.0, 50.0, "cards in deck"),
        Parameter("tie", 0.2, 0.0, 2.0, "weight of the highest card, which breaks ties"),
    ),
)
