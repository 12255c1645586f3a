"""What the simple bots of Jack and Jill share: they look at one action at a time, without planning the next.

``choose`` weighs every legal move by what it spends: an attack by overshoot, Aim and Jokers; a Move by its card and by
how far the pawns then are from the next monsters; a Rest by its card. The bots differ in the weights.
"""

from __future__ import annotations

from bots.jack_and_jill.sight import nearest, own_spots, shortage
from engine.cards import EMPTY, count, one, suit
from engine.games.jack_and_jill.hill import (
    black_spots,
    due_of,
    need_of,
    red_spots,
    sum_of,
    undefeated,
)
from engine.games.jack_and_jill.state import (
    JACK,
    JILL,
    MELEE,
    MOVE_JACK,
    MOVE_JILL,
    PASS,
    RANGED,
    REST,
    SUITS,
    TRADE,
    aim_of,
    attack_of,
    card_of,
    cards_of,
    jokers_of,
    kind_of,
    spot_of,
    taken_of,
    to_of,
    value,
)
from engine.kernel import kernel

# The weights, in points of card value.
ATTACK = 0  # an attack, over what a Move or a Rest brings
JOKER = 1  # cost of a Joker
AIM = 2  # cost of a point in an Aim
EXACT = 3  # an exact attack
DISCARD = 4  # cost of a card discarded in an attack that is not exact
WALK = 5  # cost of each step from Jack to the nearest monster that is due
DISTANCE = 6  # the same for Jill
REST_COST = 7  # of a Rest besides its card
SHORTAGE = 8  # cost of a point that a suit's monsters fall short of ENOUGH
ENOUGH = 9  # what the cards of other suits should be worth beyond the Defenses of a suit
TRADING = 10  # cost of a Trade; 0: never
WEIGHTS = 11

NEVER = -10000.0


@kernel
def choose(view, rules, moves, size, weights):
    """The place of the best legal move; Trades only for want of an attack, a Pass only for want of due monsters."""
    table = view.table
    due = due_of(rules, table, undefeated(table))
    black, red = due & black_spots(table), due & red_spots(table)
    jack_way = weights[WALK] * nearest(table.pawn[JACK], black, 0)
    jill_way = weights[DISTANCE] * nearest(table.pawn[JILL], red, 3)
    best = 0
    best_worth = 2 * NEVER
    attacked = False
    for i in range(size):
        move = moves[i]
        kind = kind_of(move)
        if kind == MELEE or kind == RANGED:
            worth = worth_of_attack(view, rules, move, weights)
            attacked = True
        elif kind == MOVE_JACK:
            worth = -value(card_of(move)) - weights[WALK] * nearest(to_of(move), black, 0) - jill_way
        elif kind == MOVE_JILL:
            worth = -value(card_of(move)) - jack_way - weights[DISTANCE] * nearest(to_of(move), red, 3)
        elif kind == REST:
            worth = -value(card_of(move)) - jack_way - jill_way - weights[REST_COST]
        elif kind == PASS:
            worth = worth_of_pass(view, rules, due)
        elif kind == TRADE and weights[TRADING] > 0 and not attacked:
            worth = worth_of_trade(view, rules, move, due) - weights[TRADING] - jack_way - jill_way
        else:
            worth = NEVER
        if worth > best_worth and weights[SHORTAGE] > 0 and kind != PASS and kind != TRADE:
            worth -= weights[SHORTAGE] * shortage_after(view, rules, move, weights[ENOUGH])
        if worth > best_worth:
            best, best_worth = i, worth
    return best


@kernel
def worth_of_attack(view, rules, move, weights):
    """An attack by what it wastes."""
    hand = view.hand[view.seat]
    attack = cards_of(hand, attack_of(move))
    aim = cards_of(hand, aim_of(move))
    over = sum_of(attack) - need_of(rules, view.table, spot_of(move))
    worth = weights[ATTACK] - over - weights[AIM] * sum_of(aim) - weights[JOKER] * jokers_of(move)
    if over <= rules.exact_margin:
        return worth + weights[EXACT]
    return worth - weights[DISCARD] * count(attack | aim)


@kernel
def shortage_after(view, rules, move, enough):
    """How much each suit's monsters fall short of ``enough`` after an action."""
    kind = kind_of(move)
    hand = view.hand[view.seat]
    up = undefeated(view.table)
    if kind == MELEE or kind == RANGED:
        used = cards_of(hand, attack_of(move) | aim_of(move))
        up &= ~one(spot_of(move))
    else:
        used = one(card_of(move))
    return shortage(rules, view.table, (view.unseen | view.hand[0] | view.hand[1]) & ~used, up, enough)


@kernel
def worth_of_trade(view, rules, move, due):
    """What a Trade brings in cards that may attack the own monsters that are due, those of each suit by themselves."""
    if view.table.stall + 2 >= rules.stall_limit:
        return NEVER
    mine = due & own_spots(rules, view.table, view.seat)
    gain = 0
    for s in range(SUITS):
        if mine & view.table.suit_spots[s]:
            if suit(taken_of(move)) != s:
                gain += value(taken_of(move))
            if suit(card_of(move)) != s:
                gain -= value(card_of(move))
    return gain if mine else NEVER


@kernel
def worth_of_pass(view, rules, due):
    """Passing is the best there is while no own monster is due and nobody stalls the match to its end."""
    mine = due & own_spots(rules, view.table, view.seat)
    return -NEVER if mine == EMPTY and view.table.stall + 2 < rules.stall_limit else NEVER
