"""Jackal & High: which moves are legal (``docs/rules/jackal_and_high.md``, section 2, Turns, 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.cards import count, lower, lowest, place, rest
from engine.games.jackal_and_high.state import (
    LANES,
    LANES_OF,
    PLACE,
    code,
    digit,
    fitting,
    hand_of,
    in_lane,
)
from engine.kernel import inlined
from engine.rows import write_row

EIGHT = (1 << LANES) - 1


def pair_set(lanes_of: Callable[[int], int]) -> int:
    """A set of pairs of lanes for two dice, bit ``8 * upper + lower`` for each pair, as an int64.

    ``lanes_of(upper)``: the lanes of the lower die, as a set, that go with that lane of the upper one.
    """
    return int(np.uint64(sum(lanes_of(upper) << (LANES * upper) for upper in range(LANES))).astype(np.int64))


def with_upper(lanes: int) -> int:
    """All pairs with the upper die on one of these lanes."""
    return pair_set(lambda upper: EIGHT * (lanes >> upper & 1))


def with_lower(lanes: int) -> int:
    """All pairs with the lower die on one of these lanes."""
    return pair_set(lambda _: lanes)


WITH_UPPER, WITH_LOWER = (np.array([pairs(lanes) for lanes in range(1 << LANES)]) for pairs in (with_upper, with_lower))
SAME = pair_set(lambda upper: 1 << upper)
OTHER = pair_set(lambda upper: EIGHT - (1 << upper))
RISING = pair_set(lambda upper: (2 << upper) - 1)  # the lower die goes no further than the upper one
ALL = pair_set(lambda _: EIGHT)


@inlined
def legal_placements(rules, table, moves):
    """Every way to put one or more of the rolled dice on the row, ascending; return their number.

    The highest of four dice is brought to every lane that it fits on in turn. Dice that are not there can only stay in
    hand. Of equal dice the lower one goes no further than the other, so that every placement comes once.
    """
    dice, rooms = hand_of(table, table.turn), table.rooms[place(table.turn)]
    a, _, c, d = table.rolled
    if dice == 1:
        return write_placements(moves, 0, code(PLACE), fitting(rooms, a) - 1)  # all but the hand
    if dice < 4:
        lanes_c = fitting(rooms, c) if dice == 3 else 1
        return place_three(table, moves, 0, code(PLACE), rooms, lanes_c)
    n = 0
    lanes_d = fitting(rooms, d)
    while lanes_d:
        to_d = lowest(lanes_d)
        lanes_d = rest(lanes_d)
        left = rooms - in_lane(d, to_d)
        lanes_c = fitting(left, c)
        if c == d:
            lanes_c &= lower(to_d + 1)
        n = place_three(table, moves, n, code(PLACE, digit(to_d, 3)), left, lanes_c)
    return n


@inlined
def place_three(table, moves, n, placed_d, rooms, lanes_c):
    """The placements of the lower three dice, where the fourth has left these ``rooms``.

    Where two dice fit together is a set of pairs, and one loop goes through the pairs of the upper two dice: loops in
    loops end at places that the processor cannot foresee. Beside each, the lowest die fits where it fits beside the
    second die alone, but for the third one's lane.
    """
    a, b, c, _ = table.rolled
    upper_two = fitting_pairs(lanes_c, fitting(rooms, b), fitting(rooms, b + c), b == c)
    lower_two = fitting_pairs(EIGHT, fitting(rooms, a), fitting(rooms, a + b), a == b)
    too_high = WITH_UPPER[EIGHT & ~fitting(rooms, a + c)] | (WITH_UPPER[EIGHT & ~fitting(rooms, a + b + c)] & SAME)
    too_high |= placed_d == code(PLACE)  # at least one die is put on the row: after no other the lowest cannot stay
    while upper_two:
        pair = lowest(upper_two)
        upper_two = rest(upper_two)
        to_c, to_b = pair // LANES, pair % LANES
        lanes_a = (lower_two >> (LANES * to_b)) & ~(((too_high >> pair) & 1) << to_c) & EIGHT
        n = write_placements(moves, n, placed_d + digit(pair, 1), lanes_a)
    return n


@inlined
def fitting_pairs(upper, lower, both, alike):
    """The set of the pairs of lanes for two dice: where each fits, where both do on one lane; are the dice alike?"""
    together = WITH_UPPER[upper] & WITH_LOWER[lower] & (WITH_UPPER[both] | OTHER)
    return together & (RISING if alike else ALL)


@inlined
def write_placements(moves, n, placed, lanes):
    """Write a move for each lane to which the lowest die can go, onto ``moves[n:]``; return where they end.

    Eight are written in any case, and those that fit counted: quicker than branches that nobody can predict.
    """
    write_row(moves, n, placed, LANES_OF, lanes)
    return n + count(lanes)


@inlined
def reroll_possible(rules, table):
    """Turns, 2: only a last die, while rolls are left."""
    return hand_of(table, table.turn) == 1 and table.attempt < rules.rolls_for_last_die
