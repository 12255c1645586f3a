"""What Vulture Valley may bring and cost: shared by the bots that mind it."""

from __future__ import annotations

from bots.jackal_and_high.plan import PAW, exact_lanes
from engine.games.jackal_and_high.state import NO_CARD, at_least, hand_of, lane, paws_of, stacked_card, top_card
from engine.kernel import inlined

OFTEN = 0.6  # how often a seat that still has dice in hand ends up with some in the valley
USUAL = 1.5  # dice that it then has there, about


@inlined
def lay_high_first(rules, moves, count):
    """The place of the card with the most paws: the cheapest ends on top, where cards are lost."""
    best = 0
    for i in range(1, count):
        if paws_of(rules, stacked_card(moves[i])) >= paws_of(rules, stacked_card(moves[best])):
            best = i
    return best


@inlined
def visitors(view, rules):
    """How many rivals are expected in the valley, and the chance that there is none."""
    table = view.table
    expected = 0.0
    alone = 1.0
    for seat in range(rules.players):
        if seat != view.seat:
            chance = OFTEN
            if lane(table.valley_dice, seat) > 0:
                chance = 1.0
            elif hand_of(table, seat) == 0:
                chance = 1.0 if at_least(table.counts[seat], 1) & ~exact_lanes(table, seat) else 0.0
            expected += chance
            alone *= 1.0 - chance
    return expected, alone


@inlined
def valley_worth(view, rules, weight):
    """The worth of the first die in the valley, and of every other one, in eighths of a paw."""
    expected, alone = visitors(view, rules)
    one = with_dice(view, rules, expected, alone, 1)
    three = with_dice(view, rules, expected, alone, 3)
    return weight * PAW * one, weight * PAW * (three - one) / 2


@inlined
def with_dice(view, rules, expected, alone, dice):
    """The paws that so many dice in the valley bring: a share of its card, less the risk of the own top card."""
    table = view.table
    others = USUAL * expected
    prize = 0.0
    lost = alone if table.valley == NO_CARD else 0.0
    if table.valley != NO_CARD:
        prize = paws_of(rules, table.valley) * dice / (dice + others)
    if expected > 0.0:
        lost += (1.0 - alone) * USUAL / (USUAL + dice * expected)  # to roll the lowest: many dice seldom do
    if not rules.valley_loss:
        lost = 0.0
    return prize - lost * paws_of(rules, top_card(table, view.seat))
