"""Jackal & High: which moves are legal (``docs/rules/jackal_and_high.md``, section 2, Turns, 2)."""

from __future__ import annotations

from engine.games.jackal_and_high.state import (
    GUARDS,
    LANES,
    MOST_MOVES,
    PLACE,
    ROW_GUARDS,
    at_least,
    code,
    digit,
    in_lane,
    in_lanes,
    up_to,
)
from engine.kernel import inlined

USUAL_LANES = 6  # with up to four seats there are no more


@inlined
def legal_placements(rules, table, moves):
    """Every way to put one or more of the rolled dice on the row, ascending; return their number.

    All dice are brought to every lane in turn, the highest die in the outermost loop; dice that are not there can only
    stay in hand. Of equal dice the lower one goes no further than the other, so that every placement comes once.
    """
    row = rules.players + rules.row_extra
    dice = table.hand[table.turn]
    a, b, c, d = table.rolled
    rooms_d = table.rooms[table.turn]
    n = 0
    fits_d = at_least(rooms_d, d)
    for to_d in range(row + 1 if dice > 3 else 1):
        if in_lanes(fits_d, to_d):
            rooms_c = rooms_d - in_lane(d, to_d)
            fits_c = at_least(rooms_c, c)
            last = to_d if c == d else row
            for to_c in range(last + 1 if dice > 2 else 1):
                if in_lanes(fits_c, to_c):
                    rooms_b = rooms_c - in_lane(c, to_c)
                    fits_b = at_least(rooms_b, b)
                    last = to_c if b == c else row
                    for to_b in range(last + 1 if dice > 1 else 1):
                        if in_lanes(fits_b, to_b):
                            placed = code(PLACE, digit(to_d, 3) + digit(to_c, 2) + digit(to_b, 1))
                            fits_a = at_least(rooms_b - in_lane(b, to_b), a)
                            fits_a &= up_to(to_b if a == b else row)
                            fits_a &= GUARDS if placed != code(PLACE) else ROW_GUARDS
                            # A move is written for each lane, but only one that fits is kept: quicker than to branch.
                            for to_a in range(USUAL_LANES):
                                moves[n & (MOST_MOVES - 1)] = placed + to_a
                                n += in_lanes(fits_a, to_a)
                            if row >= USUAL_LANES:
                                for to_a in range(USUAL_LANES, LANES):
                                    moves[n & (MOST_MOVES - 1)] = placed + to_a
                                    n += in_lanes(fits_a, to_a)
    return n


@inlined
def reroll_possible(rules, table):
    """Turns, 2: only a last die, while rolls are left."""
    return table.hand[table.turn] == 1 and table.attempt < rules.rolls_for_last_die
