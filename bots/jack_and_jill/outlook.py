"""How good a position is after an action: what is left to spend, and what it will cost to spend it.

The cards left are worth 60 points more than the Defenses at the start; whatever does not go into a Defense comes out
of these. So the worth of an action is what it leaves, less what the rest of the way is expected to cost.
"""

from __future__ import annotations

import numpy as np

from bots.jack_and_jill.sight import aims, melee_plan, nearest, own_spots, ranged_plan, shortage, walk
from engine.cards import count, lowest, one, rest
from engine.games.jack_and_jill.hill import (
    black_spots,
    due_of,
    need_of,
    needs_of,
    red_spots,
    shorter_way,
    sum_of,
    undefeated,
)
from engine.games.jack_and_jill.search import can_win_in
from engine.games.jack_and_jill.state import (
    BETWEEN,
    END,
    JACK,
    JILL,
    MELEE,
    MOST_CARDS,
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
    part_sum,
    spot_of,
    to_of,
    value,
    values_of,
)
from engine.kernel import kernel, records

MOST_SPENT = 45  # on one action, more or less
SURE = 1000.0  # added when the match is certainly still to be won
LOST = -1000.0
NO_NEED = 99

EARLY, HOPEFUL, DOOMED = range(3)

# Weights, in points of card value.
WEIGHTS = np.dtype(
    [
        ("step", np.float64),  # cost of each step of the walk under all of Jack's monsters
        ("aim", np.float64),  # cost of each step between Jill and her monsters
        ("joker", np.float64),  # an unused Joker
        ("no_hope", np.float64),  # what the next attack costs if the hand cannot make a cheaper one
        ("monster", np.float64),  # what each further attack costs; also the next one, if most of the hand is not drawn
        ("reserve", np.float64),  # cost of each point that a suit's monsters fall short of ``enough``
        ("enough", np.float64),  # what the cards of other suits should be worth beyond the Defenses of a suit
        ("card", np.float64),  # a card that is left, besides its value
        ("passing", np.float64),  # cost of a Pass ...
        ("stalling", np.float64),  # ... and of each Pass or Trade in a row before it
        ("trading", np.float64),  # cost of a Trade
        ("partner", np.float64),  # a point that the partner's next attack gets cheaper by a Trade
        ("near", np.float64),  # to be in trading range
        ("dead", np.float64),  # cost of each point in a hand that has nothing left to do
        ("gap", np.float64),  # cost of each step between the pawns beyond trading range
    ]
)

# Found by hill climbing on the number of wins. A record is handed on faster than an array.
_ALONE = (0.206, 0.146, 4.76, 15.7, 9.18, 0.38, 11.03, 0.034, 0.5, 0.3, 0.5, 1.0, 0.0, 0.5, 0.0)
_TEAM = (0.08, 0.0, 3.4, 19.6, 10.9, 0.25, 7.6, 0.11, 0.86, 1.06, -0.1, 1.1, 0.48, 0.7, 0.06)
ALONE = np.array([_ALONE], WEIGHTS).view(np.recarray)
TEAM = np.array([_TEAM], WEIGHTS).view(np.recarray)

# A position before any action.
GLANCE = np.dtype(
    [
        ("melee", np.float64),  # what the cheapest plan of Jack wastes
        ("ranged", np.float64),  # the same for Jill
        ("tight", np.float64),  # more than 0 if any suit's reserve may run short
        ("walking", np.float64),  # the cost of Jack's walk
        ("aiming", np.float64),  # the cost of Jill's Aims
        ("idle", np.float64),  # the worth of doing nothing, were the next attack to waste nothing
        ("spare", np.int64),  # what all cards left are worth beyond all Defenses
        ("values", np.int64),  # the values of the hand
        ("hand", np.int64),  # the sum of the hand
        ("least_black", np.int64),  # the lowest Defense of the black monsters that are due
        ("least_red", np.int64),  # the same for the red ones
    ]
)


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
def glance(view, rules, w, base):
    """Fill ``base`` (GLANCE), which :func:`ceiling` and :func:`worth` use for every action."""
    table = view.table
    hand = view.hand[view.seat]
    jack, jill = table.pawn[JACK], table.pawn[JILL]
    jokers = table.jokers[view.seat]
    up = undefeated(table)
    base.melee = base.ranged = w.no_hope
    if rules.players == 1 or view.seat == JACK:
        base.melee = melee_plan(rules, table, hand, jack, up, jokers, w.joker, w.step, w.no_hope)
    if rules.players == 1 or view.seat == JILL:
        base.ranged = ranged_plan(rules, table, hand, jill, up, jokers, w.joker, w.aim, w.no_hope)
    every = view.unseen | view.hand[0] | view.hand[1]
    base.tight = shortage(rules, table, every, up, w.enough + MOST_SPENT)
    base.walking = w.step * walk(table, jack, up)
    base.aiming = w.aim * aims(table, jill, up)
    base.spare = sum_of(every) - needs_of(rules, table, up)
    base.idle = w.joker * jokers - w.monster * (count(up) - 1) + w.card * count(every) - base.walking - base.aiming
    if rules.players == 2:
        base.idle += w.near
    base.values = values_of(hand)
    base.hand = sum_of(hand)
    due = due_of(rules, table, up)
    base.least_black = least_need(rules, table, due & black_spots(table))
    base.least_red = least_need(rules, table, due & red_spots(table))


@kernel
def ceiling(view, rules, move, w, base):
    """What an action of the own seat other than a Trade is worth at most, found quickly."""
    table = view.table
    kind = kind_of(move)
    if kind == MELEE or kind == RANGED:
        used = attack_of(move) | aim_of(move)
        spot = spot_of(move)
        spent = part_sum(base.values, used) - need_of(rules, table, spot)
        if undefeated(table) == one(spot):
            return 2 * SURE - spent
        result = base.idle + w.monster - w.joker * jokers_of(move) - w.card * count(used) - spent
        return result + w.aim * shorter_way(table.pawn[JILL], spot) if kind == RANGED else result
    if kind == PASS:
        return base.idle - min(base.melee, base.ranged)
    spent = value(card_of(move))
    result = base.idle - w.card - spent
    if kind == REST:
        return result - min(base.melee, base.ranged)
    due = due_of(rules, table, undefeated(table))
    if kind == MOVE_JACK:
        cheapest = least_melee(table, due, to_of(move), w) if base.hand - spent >= base.least_black else w.no_hope
        return result + w.step * spent - min(base.ranged, cheapest)
    cheapest = w.no_hope
    if base.hand - spent - rules.min_aim >= base.least_red:
        cheapest = least_ranged(rules, table, due, to_of(move), w)
    red = count(undefeated(table) & red_spots(table))
    return result + w.aim * (spent * red + 2) - min(base.melee, cheapest)


@kernel
def least_need(rules, table, monsters):
    """The lowest Defense of some monsters; more than any hand is worth if there are none."""
    least = NO_NEED
    while monsters:
        least = min(least, need_of(rules, table, lowest(monsters)))
        monsters = rest(monsters)
    return least


@kernel
def least_melee(table, due, jack, w):
    """The least that a Melee plan wastes from a spot: the steps to the nearest monster that is due."""
    targets = due & black_spots(table)
    return (1.0 - w.step) * nearest(jack, targets, 0) if targets else w.no_hope


@kernel
def least_ranged(rules, table, due, jill, w):
    """The least that a Ranged plan wastes from a spot: an Aim at the nearest monster that is due."""
    targets = due & red_spots(table) & ~one(jill)
    if not targets:
        return w.no_hope
    way = nearest(jill, targets, 0)
    aim = way - 1 if rules.aim_distance == BETWEEN else way
    return max(rules.min_aim, aim) - w.aim * way


@kernel
def worth(view, rules, move, w, base, least):
    """The worth of an action of the own seat other than a Trade; any number up to ``least`` if it is not above that.

    ``ceiling`` should be asked first.
    """
    table = view.table
    seat = view.seat
    walking, aiming = base.walking, base.aiming
    kind = kind_of(move)
    used = used_by(view, move)
    hand = view.hand[seat] & ~used
    up = undefeated(table)
    jokers = table.jokers[seat]
    spent = sum_of(used)
    jack, jill = table.pawn[JACK], table.pawn[JILL]
    most = w.no_hope
    if kind == MELEE or kind == RANGED:  # a Melee Attack leaves the walk as it is
        up &= ~one(spot_of(move))
        jokers -= jokers_of(move)
        spent -= need_of(rules, table, spot_of(move))
        most = w.monster
        if up == 0:
            return 2 * SURE - spent
        due = due_of(rules, table, up)
        cheapest = least_melee(table, due, jack, w) if rules.players == 1 or seat == JACK else most
        if rules.players == 1 or seat == JILL:
            cheapest = min(cheapest, least_ranged(rules, table, due, jill, w))
        if count(hand) < 2:
            cheapest = most
        if kind == RANGED:
            aiming = w.aim * aims(table, jill, up)
    elif kind == MOVE_JACK:
        jack = to_of(move)
        cheapest = min(base.ranged, least_melee(table, due_of(rules, table, up), jack, w))
        walking = w.step * walk(table, jack, up)
    elif kind == MOVE_JILL:
        jill = to_of(move)
        cheapest = min(base.melee, least_ranged(rules, table, due_of(rules, table, up), jill, w))
        aiming = w.aim * aims(table, jill, up)
    else:
        cheapest = min(base.melee, base.ranged)
    cheapest = min(cheapest, most)
    if spent > base.spare:
        return LOST
    every = (view.unseen | view.hand[0] | view.hand[1]) & ~used
    result = w.joker * jokers - spent - w.monster * (count(up) - 1) + w.card * count(every)
    result -= walking + aiming
    if rules.players == 2:
        gap = shorter_way(jack, jill) - rules.trade_range
        result += w.near if gap <= 0 else -w.gap * gap
        if kind == PASS:
            result -= w.passing + w.stalling * table.stall
        if not up & own_spots(rules, table, seat):
            result -= w.dead * stranded(view, rules, hand, drawn_after(view, rules, move))
    if result - cheapest <= least:
        return result - cheapest
    if base.tight > 0:
        result -= w.reserve * shortage(rules, table, every, up, w.enough)
    if cheapest == most or result - cheapest <= least:
        return result - cheapest
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
        best = melee_plan(rules, table, hand, jack, up, jokers, w.joker, w.step, best)
    if rules.players == 1 or seat == JILL:
        best = ranged_plan(rules, table, hand, jill, up, jokers, w.joker, w.aim, best)
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
    return best_by(view, rules, moves, size, w, records(1, GLANCE))


@kernel
def best_by(view, rules, moves, size, w, glances):
    """The same, with room for a glance."""
    table = view.table
    base = glances[0]
    glance(view, rules, w, base)
    late = is_late(view, rules)
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
        result = ceiling(view, rules, move, w, base)
        if result <= least:
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
    hand = view.hand[view.seat] | view.unseen
    # Even with the last card of the Well at once? (Two hands of the largest size leave a search no room for one more.)
    if table.well_count == 1 and count(hand) + table.hand_count[other] <= MOST_CARDS:
        jack, jill = table.pawn[JACK], table.pawn[JILL]
        if not winnable(view, rules, hand, jack, jill, undefeated(table), table.jokers[view.seat]):
            return DOOMED
    return HOPEFUL
