"""How good a position is after an action: what is left to spend, and what it will cost to spend it.

The cards left are worth 60 points more than the Defenses at the start; whatever does not go into a Defense comes out
of these. So the worth of an action is what it leaves, less what the rest of the way is expected to cost.
"""

from __future__ import annotations

import numpy as np

from bots.jack_and_jill.sight import aims, melee_plan, own_spots, ranged_plan, shortage, walk
from engine.cards import count, one
from engine.games.jack_and_jill.hill import (
    need_of,
    needs_of,
    shorter_way,
    sum_of,
    undefeated,
)
from engine.games.jack_and_jill.search import can_win_in
from engine.games.jack_and_jill.state import (
    END,
    JACK,
    JILL,
    MELEE,
    MOVE_JACK,
    MOVE_JILL,
    PASS,
    RANGED,
    REST,
    TRADE,
    aim_of,
    attack_of,
    card_of,
    cards_of,
    jokers_of,
    kind_of,
    spot_of,
    to_of,
    value,
)
from engine.kernel import kernel, records

MOST_SPENT = 45  # on one action, more or less
SURE = 1000.0  # added when the match is certainly still to be won
LOST = -1000.0

EARLY, HOPEFUL, DOOMED = range(3)

# Weights, in points of card value.
STEP = 0  # cost of each step of the walk under all of Jack's monsters
AIM = 1  # cost of each step between Jill and her monsters
JOKER = 2  # an unused Joker
NO_HOPE = 3  # what the next attack costs if the hand, with one card to be drawn, cannot make a cheaper one
MONSTER = 4  # what each further attack costs; also the next one, if most of the hand is yet to be drawn
RESERVE = 5  # cost of each point that a suit's monsters fall short of ENOUGH
ENOUGH = 6  # what the cards of other suits should be worth beyond the Defenses of a suit
CARD = 7  # a card that is left, besides its value
PASSING = 8  # cost of a Pass ...
STALLING = 9  # ... and of each Pass or Trade in a row before it
TRADING = 10  # cost of a Trade
PARTNER = 11  # a point that the partner's next attack gets cheaper by a Trade
NEAR = 12  # to be in trading range
DEAD = 13  # cost of each point in a hand that has nothing left to do
GAP = 14  # cost of each step between the pawns beyond trading range

# Found by hill climbing on the number of wins.
ALONE = np.array([0.206, 0.146, 4.76, 15.7, 9.18, 0.38, 11.03, 0.034, 0.5, 0.3, 0.5, 1.0, 0.0, 0.5, 0.0])
TEAM = np.array([0.08, 0.0, 3.4, 19.6, 10.9, 0.25, 7.6, 0.11, 0.86, 1.06, -0.1, 1.1, 0.48, 0.7, 0.06])


@kernel
def used_by(view, move):
    """The cards that an action of the own seat uses up."""
    kind = kind_of(move)
    if kind == MELEE or kind == RANGED:
        return cards_of(view.hand[view.seat], attack_of(move) | aim_of(move))
    return one(card_of(move)) if kind != PASS else 0


@kernel
def up_after(view, move):
    """The monsters left after an action."""
    kind = kind_of(move)
    up = undefeated(view.table)
    return up & ~one(spot_of(move)) if kind == MELEE or kind == RANGED else up


@kernel
def jokers_after(view, move):
    """The own Jokers left after an action."""
    kind = kind_of(move)
    return view.table.jokers[view.seat] - (jokers_of(move) if kind == MELEE or kind == RANGED else 0)


@kernel
def drawn_after(view, rules, move):
    """How many cards an action draws, if the Well has them."""
    kind = kind_of(move)
    if kind == MELEE or kind == RANGED:
        return rules.hand_size - count(view.hand[view.seat] & ~used_by(view, move))
    if kind == PASS:
        return 0
    return rules.rest_draw if kind == REST else rules.move_draw


@kernel
def glance(view, rules, w):
    """What ``worth`` needs to know of the position before any action.

    The cheapest plans of each pawn; whether any suit's reserve may run short; Jack's walk and Jill's Aims.
    """
    table = view.table
    hand = view.hand[view.seat]
    jack, jill = table.pawn[JACK], table.pawn[JILL]
    jokers = table.jokers[view.seat]
    up = undefeated(table)
    bound = w[NO_HOPE]
    melee = ranged = bound
    if rules.players == 1 or view.seat == JACK:
        melee = melee_plan(rules, table, hand, jack, up, jokers, w[JOKER], w[STEP], bound)
    if rules.players == 1 or view.seat == JILL:
        ranged = ranged_plan(rules, table, hand, jill, up, jokers, w[JOKER], w[AIM], bound)
    every = view.unseen | view.hand[0] | view.hand[1]
    tight = shortage(rules, table, every, up, w[ENOUGH] + MOST_SPENT)
    return melee, ranged, tight, w[STEP] * walk(table, jack, up), w[AIM] * aims(table, jill, up)


@kernel
def worth(view, rules, move, w, base, least):
    """The worth of an action of the own seat other than a Trade; any number below ``least`` if it is below that."""
    table = view.table
    seat = view.seat
    melee, ranged, tight, walking, aiming = base
    kind = kind_of(move)
    used = used_by(view, move)
    hand = view.hand[seat] & ~used
    up = undefeated(table)
    jokers = table.jokers[seat]
    spent = sum_of(used)
    most = w[NO_HOPE]
    if kind == MELEE or kind == RANGED:
        up &= ~one(spot_of(move))
        jokers -= jokers_of(move)
        spent -= need_of(rules, table, spot_of(move))
        most = w[MONSTER]
        if up == 0:
            return 2 * SURE - spent
        cheapest = most if count(hand) < 2 else 0.0
    elif kind == MOVE_JACK:
        cheapest = min(ranged, -6 * w[STEP])
    elif kind == MOVE_JILL:
        cheapest = min(melee, -6 * w[AIM])
    else:
        cheapest = min(melee, ranged)
    cheapest = min(cheapest, most)
    every = (view.unseen | view.hand[0] | view.hand[1]) & ~used
    result = w[JOKER] * jokers - spent - w[MONSTER] * (count(up) - 1) + w[CARD] * count(every)
    if result - cheapest + w[NEAR] < least:
        return result - most
    if sum_of(every) < needs_of(rules, table, up):
        return LOST
    jack = to_of(move) if kind == MOVE_JACK else table.pawn[JACK]
    jill = to_of(move) if kind == MOVE_JILL else table.pawn[JILL]
    if kind == MOVE_JACK or kind == MELEE:
        walking = w[STEP] * walk(table, jack, up)
    if kind == MOVE_JILL or kind == RANGED:
        aiming = w[AIM] * aims(table, jill, up)
    result -= walking + aiming
    if rules.players == 2:
        gap = shorter_way(jack, jill) - rules.trade_range
        result += w[NEAR] if gap <= 0 else -w[GAP] * gap
        if kind == PASS:
            result -= w[PASSING] + w[STALLING] * table.stall
        if not up & own_spots(rules, table, seat):
            result -= w[DEAD] * stranded(view, rules, hand, drawn_after(view, rules, move))
    if result - cheapest < least:
        return result - most
    if tight > 0:
        result -= w[RESERVE] * shortage(rules, table, every, up, w[ENOUGH])
    if cheapest == most or result - cheapest < least:
        return result - most
    return result - plan(rules, table, seat, hand, jack, jill, up, jokers, w, min(most, result - least))


@kernel
def stranded(view, rules, hand, drawn):
    """What a hand is worth that has nothing left to do: its cards and those still drawn to it."""
    total = float(sum_of(hand))
    if view.unseen and view.table.well_count > 0:
        total += min(drawn, view.table.well_count) * sum_of(view.unseen) / count(view.unseen)
    return total


@kernel
def plan(rules, table, seat, hand, jack, jill, up, jokers, w, bound):
    """What the cheapest way to beat a monster with a hand wastes (``sight``), or ``bound`` if that is less."""
    best = bound
    if rules.players == 1 or seat == JACK:
        best = melee_plan(rules, table, hand, jack, up, jokers, w[JOKER], w[STEP], best)
    if rules.players == 1 or seat == JILL:
        best = ranged_plan(rules, table, hand, jill, up, jokers, w[JOKER], w[AIM], best)
    return best


@kernel
def foreseen(view, rules, move, result, least):
    """``result``, but with SURE, or LOST, if all cards are in known hands after the action: then a search tells."""
    table = view.table
    if drawn_after(view, rules, move) < table.well_count or result + SURE <= least or kind_of(move) == PASS:
        return result
    hand = view.hand[view.seat] & ~used_by(view, move) | view.unseen
    jack = to_of(move) if kind_of(move) == MOVE_JACK else table.pawn[JACK]
    jill = to_of(move) if kind_of(move) == MOVE_JILL else table.pawn[JILL]
    if winnable(view, rules, hand, jack, jill, up_after(view, move), jokers_after(view, move)):
        return result + SURE
    return LOST


@kernel
def winnable(view, rules, hand, jack, jill, up, jokers):
    """Would the match still be won if the own seat held ``hand`` and the Well were empty?"""
    table = view.table
    ends = records(1, END)
    if view.seat == JACK:
        return can_win_in(rules, table, ends, hand, view.hand[1], jack, jill, up, jokers, table.jokers[1])
    return can_win_in(rules, table, ends, view.hand[0], hand, jack, jill, up, table.jokers[0], jokers)


@kernel
def best_action(view, rules, moves, size, w):
    """The best legal move that is no Trade, and its worth."""
    table = view.table
    base = glance(view, rules, w)
    late = is_late(view, rules)
    # No Move or Rest is worth more than this less its card.
    most = w[JOKER] * table.jokers[view.seat] - w[MONSTER] * (count(undefeated(table)) - 1) + w[CARD] * 40
    most += w[NEAR] + 6 * max(w[STEP], w[AIM])
    best = 0
    best_worth = 3 * LOST
    start = 0  # attacks first: after a good one most other actions need no closer look
    while kind_of(moves[start]) < MELEE:
        start += 1
    for k in range(size):
        i = start + k if start + k < size else start + k - size
        move = moves[i]
        kind = kind_of(move)
        if kind == TRADE or (kind == PASS and table.stall + 1 == rules.stall_limit):
            continue
        least = best_worth - SURE if late == HOPEFUL else best_worth
        if kind != MELEE and kind != RANGED and kind != PASS and most - value(card_of(move)) <= least:
            continue
        result = worth(view, rules, move, w, base, least)
        if late == HOPEFUL:
            result = foreseen(view, rules, move, result, best_worth)
        elif late == DOOMED and kind != PASS:
            result += LOST
        if result > best_worth:
            best, best_worth = i, result
    return best, best_worth


@kernel
def is_late(view, rules):
    """May an action empty the Well while the partner's hand is known (HOPEFUL)? Are all sure to lose then (DOOMED)?"""
    table = view.table
    other = view.seat ^ 1
    if table.well_count > rules.hand_size or table.hand_count[other] > count(view.hand[other]):
        return EARLY
    if table.well_count == 1:  # even with the last card of the Well at once?
        hand = view.hand[view.seat] | view.unseen
        jack, jill = table.pawn[JACK], table.pawn[JILL]
        if not winnable(view, rules, hand, jack, jill, undefeated(table), table.jokers[view.seat]):
            return DOOMED
    return HOPEFUL
