"""What the bots of Jack and Jill reckon with: how far it is to the monsters, and what a hand can do there."""

from __future__ import annotations

import numpy as np

from engine.cards import lowest, of_rank, one, rest
from engine.games.jack_and_jill.hill import (
    aim_jokers,
    black_spots,
    due_of,
    is_red,
    melee_jokers,
    need_of,
    needs_of,
    red_spots,
    shorter_way,
    suit_at,
    sum_of,
)
from engine.games.jack_and_jill.state import BETWEEN, JACK, OF_SUIT, RANKS, SPOTS, SUITS, value
from engine.kernel import kernel

NO_PLAN = 99.0
_SUMS = (1 << 50) - 1  # the sums that ``reach`` tells, 0 to 49


def _of_values(values: set[int]) -> int:
    return sum(of_rank(worth - 1) for worth in values if 1 <= worth <= 10)


# _LANDING[12 * a + ahead]: the cards that together with a Move of ``a`` (0: alone) lead ``ahead`` spots on.
_LANDING = np.array(
    [
        _of_values({b for b in range(1, 11) if ahead in {way % SPOTS for way in (a + b, a - b, b - a, -a - b)}})
        for a in range(11)
        for ahead in range(SPOTS)
    ]
)

# _AIMING[(12 * a + way) * 4 + bend]: the cards that together with an Aim of ``a`` come within ``bend`` of ``way``.
_AIMING = np.array(
    [
        _of_values({b for b in range(1, 11) if min(abs(a + b - way), abs(a + b - (SPOTS - way))) <= bend})
        for a in range(12)
        for way in range(12)
        for bend in range(4)
    ]
)


@kernel
def own_spots(rules, table, seat):
    """The spots of the monsters that a seat has to beat."""
    if rules.players == 1:
        return black_spots(table) | red_spots(table)
    return black_spots(table) if seat == JACK else red_spots(table)


@kernel
def nearest(spot, targets, there):
    """Steps to the nearest of some spots; ``there`` if the pawn stands on it, 0 if there is none."""
    if not targets:
        return 0
    best = 99
    while targets:
        way = shorter_way(spot, lowest(targets))
        best = min(best, way if way > 0 else there)
        targets = rest(targets)
    return best


@kernel
def walk(table, jack, up):
    """The steps of the shortest walk from ``jack`` under all black monsters of ``up``, by rank, the Crown last."""
    black = up & black_spots(table)
    crown = black & table.crown
    at0, cost0 = jack, 0  # the two ends that a walk may have so far, and its steps
    at1, cost1 = jack, 0
    for rank in range(RANKS):
        stage = black & ~crown & table.rank_spots[rank]
        if stage:
            here = lowest(stage)
            there = lowest(rest(stage)) if rest(stage) else here
            first = min(cost0 + shorter_way(at0, here), cost1 + shorter_way(at1, here))
            second = min(cost0 + shorter_way(at0, there), cost1 + shorter_way(at1, there))
            between = shorter_way(here, there)
            at0, cost0, at1, cost1 = here, second + between, there, first + between
    if crown:
        return min(cost0 + shorter_way(at0, lowest(crown)), cost1 + shorter_way(at1, lowest(crown)))
    return min(cost0, cost1)


@kernel
def aims(table, jill, up):
    """The sum of all red monsters' distances from Jill; one on her own spot counts 3."""
    red = up & red_spots(table)
    total = 0
    while red:
        way = shorter_way(jill, lowest(red))
        total += way if way > 0 else 3
        red = rest(red)
    return total


@kernel
def reach(cards):
    """The sums of all subsets of some cards, as a set of numbers."""
    sums = 1
    while cards:
        sums = (sums | sums << value(lowest(cards))) & _SUMS
        cards = rest(cards)
    return sums


@kernel
def least_over(rules, cards, suit, need, jokers, joker_price):
    """What the best Melee Attack with some of these cards wastes: overshoot, and Jokers at their price."""
    foreign = cards & ~OF_SUIT[suit]
    sums = reach(foreign) >> need
    best = lowest(sums) if sums else NO_PLAN
    own = cards & OF_SUIT[suit]
    if own and jokers > 0 and best > joker_price:
        none = reach(foreign)
        with_one = 0
        with_two = 0
        while own:
            worth = value(lowest(own))
            with_two = (with_two | with_one << worth) & _SUMS
            with_one = (with_one | none << worth) & _SUMS
            own = rest(own)
        if with_one >> need:
            best = min(best, lowest(with_one >> need) + joker_price)
        if with_two >> need and melee_jokers(rules, 2) <= jokers:
            best = min(best, lowest(with_two >> need) + melee_jokers(rules, 2) * joker_price)
    return best


@kernel
def melee_plan(rules, table, hand, jack, up, jokers, joker_price, step_price, bound):
    """What the cheapest way to beat a due black monster with this hand wastes: Moves (two at most), overshoot, Jokers.

    Steps that bring Jack nearer to the monster save ``step_price`` each. ``bound`` if the hand has no cheaper one.
    """
    targets = due_of(rules, table, up) & black_spots(table)
    best = bound
    allowed = min(jokers, rules.jokers_per_action)
    total = sum_of(hand)
    while targets:
        spot = lowest(targets)
        targets = rest(targets)
        need = need_of(rules, table, spot)
        spare = total - need
        if spare < 0:
            continue
        suit = suit_at(table, spot)
        ahead = (spot - jack + SPOTS) % SPOTS
        over = least_over(rules, hand, suit, need, allowed, joker_price)
        if ahead == 0:
            best = min(best, over)
            continue
        # No walk takes less than the shorter way, and with fewer cards no attack wastes less.
        steps = shorter_way(jack, spot)
        floor = over - step_price * steps
        if floor + steps >= best:
            continue
        singles = hand & _LANDING[ahead]
        while singles:
            card = singles & -singles
            singles = rest(singles)
            a = value(lowest(card))
            if floor + a >= best or a > spare:
                break
            less = least_over(rules, hand & ~card, suit, need, allowed, joker_price)
            best = min(best, floor - over + a + less)
        first = hand
        while first:
            card = first & -first
            first = rest(first)
            a = value(lowest(card))
            if floor + 2 * a >= best or 2 * a > spare:
                break
            seconds = first & _LANDING[12 * a + ahead]
            while seconds:
                other = seconds & -seconds
                seconds = rest(seconds)
                both = a + value(lowest(other))
                if floor + both >= best or both > spare:
                    break
                less = least_over(rules, hand & ~(card | other), suit, need, allowed, joker_price)
                best = min(best, floor - over + both + less)
    return best


@kernel
def ranged_plan(rules, table, hand, jill, up, jokers, joker_price, step_price, bound):
    """The same for a due red monster, from where Jill stands: Aim (two cards at most), overshoot, Jokers.

    Each step that the monster is away saves ``step_price``.
    """
    targets = due_of(rules, table, up) & red_spots(table) & ~one(jill)
    best = bound
    allowed = min(jokers, rules.jokers_per_action)
    bend = min(allowed * rules.joker_shift, 3)
    between = 1 if rules.aim_distance == BETWEEN else 0
    while targets:
        spot = lowest(targets)
        targets = rest(targets)
        need = need_of(rules, table, spot)
        foreign = hand & ~OF_SUIT[suit_at(table, spot)]
        sums = reach(foreign) >> need
        if not sums:
            continue
        # No Aim costs less than the shorter way (a Joker is worth more than what it bends), and with fewer cards no
        # attack wastes less.
        way = shorter_way(jill, spot)
        saved = step_price * way
        floor = lowest(sums) - saved
        if floor + max(rules.min_aim, way - between) >= best:
            continue
        if rules.min_aim == 0:
            best = min(best, shot(rules, foreign, need, way, 0, joker_price, best + saved) - saved)
        singles = hand & _AIMING[(12 * between + way) * 4 + bend]
        while singles:
            card = singles & -singles
            singles = rest(singles)
            aim = value(lowest(card))
            if floor + aim >= best:
                break
            best = min(best, shot(rules, foreign & ~card, need, way, aim, joker_price, best + saved) - saved)
        first = hand
        while first:
            card = first & -first
            first = rest(first)
            a = value(lowest(card))
            if floor + 2 * a >= best:
                break
            seconds = first & _AIMING[(12 * (a + between) + way) * 4 + bend]
            while seconds:
                other = seconds & -seconds
                seconds = rest(seconds)
                aim = a + value(lowest(other))
                if floor + aim >= best:
                    break
                left = foreign & ~(card | other)
                best = min(best, shot(rules, left, need, way, aim, joker_price, best + saved) - saved)
    return best


@kernel
def shot(rules, foreign, need, way, aim, joker_price, least):
    """What a Ranged Attack with an Aim of sum ``aim`` wastes; NO_PLAN if it is not below ``least``."""
    waste = aim + aim_jokers(rules, way, aim) * joker_price
    if waste >= least or sum_of(foreign) < need:
        return NO_PLAN
    sums = reach(foreign) >> need
    return waste + lowest(sums) if sums else NO_PLAN


@kernel
def shortage(rules, table, cards, up, reserve):
    """How much the cards left fall short of ``reserve`` over what each suit's monsters need from other suits."""
    total = sum_of(cards)
    missing = 0.0
    for suit in range(SUITS):
        monsters = up & table.suit_spots[suit]
        if monsters:
            margin = total - sum_of(cards & OF_SUIT[suit]) - needs_of(rules, table, monsters)
            missing += max(0.0, reserve - margin)
            if margin < 0 and is_red(suit):
                missing += 1000.0
    return missing


@kernel
def index_of(moves, size, move):
    """Where a legal move stands."""
    for i in range(size):
        if moves[i] == move:
            return i
    return 0
