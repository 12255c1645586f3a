"""Jackal & High: which moves are legal (``docs/rules/jackal_and_high.md``, section 2, Turns, 2)."""

from __future__ import annotations

from engine.cards import count, lowest, rest
from engine.games.jackal_and_high.state import (
    GUARD,
    GUARDS,
    LANES_OF,
    PLACE,
    at_least,
    code,
    digit,
    first_lane,
    fitting,
    in_lane,
    up_to,
)
from engine.kernel import inlined
from engine.rows import write_row


@inlined
def legal_placements(table, moves):
    """Every way to put one or more of the rolled dice on the row, ascending; return their number.

    All dice are brought to every lane that they fit on in turn, the highest die in the outermost loop; dice that are
    not there can only stay in hand. Of equal dice the lower one goes no further than the other, so that every placement
    comes once.
    """
    dice = table.hand[table.turn]
    a, _, c, d = table.rolled
    rooms = table.rooms[table.turn]
    if dice == 1:
        return write_placements(moves, 0, code(PLACE), fitting(rooms, a))
    n = 0
    lanes_d = at_least(rooms, d) if dice > 3 else GUARD
    while lanes_d:
        to_d = first_lane(lanes_d)
        lanes_d = rest(lanes_d)
        most_c = up_to(to_d) if c == d else GUARDS
        n = place_three(table, moves, n, code(PLACE, digit(to_d, 3)), rooms - in_lane(d, to_d), most_c)
    return n


@inlined
def place_three(table, moves, n, placed_d, rooms, lanes_c):
    """The placements of the lower three dice, where the fourth has left these ``rooms``.

    Where a die fits beside others can be told beforehand, as only those on the same lane count.
    """
    dice = table.hand[table.turn]
    a, b, c, _ = table.rolled
    fits_a, fits_b, fits_ab = fitting(rooms, a), fitting(rooms, b), fitting(rooms, a + b)
    fits_ac, fits_bc, fits_abc = fitting(rooms, a + c), fitting(rooms, b + c), fitting(rooms, a + b + c)
    lanes_c &= at_least(rooms, c) if dice > 2 else GUARD
    while lanes_c:
        to_c = first_lane(lanes_c)
        lanes_c = rest(lanes_c)
        placed_c = placed_d + digit(to_c, 2)
        beside_a = instead(fits_a, fits_ac, to_c)
        beside_b = instead(fits_b, fits_bc, to_c)
        beside_ab = instead(fits_ab, fits_abc, to_c)
        lanes_b = beside_b
        if b == c:
            lanes_b &= (2 << to_c) - 1
        while lanes_b:
            to_b = lowest(lanes_b)
            lanes_b = rest(lanes_b)
            lanes_a = instead(beside_a, beside_ab, to_b)
            if a == b:
                lanes_a &= (2 << to_b) - 1
            n = write_placements(moves, n, placed_c + digit(to_b, 1), lanes_a)
    return n


@inlined
def instead(lanes, others, i):
    """A set of lanes in which lane i is as in another set."""
    return lanes ^ ((lanes ^ others) & (1 << i))


@inlined
def write_placements(moves, n, placed, lanes):
    """Write a move for each lane to which the lowest die can go, onto ``moves[n:]``; return where they end.

    Eight are written in any case, and those that fit counted: quicker than branches that nobody can predict.
    """
    lanes -= placed == code(PLACE)  # at least one die is put on the row
    write_row(moves, n, placed, LANES_OF, lanes)
    return n + count(lanes)


@inlined
def reroll_possible(rules, table):
    """Turns, 2: only a last die, while rolls are left."""
    return table.hand[table.turn] == 1 and table.attempt < rules.rolls_for_last_die
