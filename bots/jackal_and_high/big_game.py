"""Big game: hunts the card with the most paws, large dice first, and leaves the rest to the last die's rolls."""

from __future__ import annotations

from bots.bot import Bot
from bots.jackal_and_high.plan import equal_to, find, find_turned
from engine.games.jackal_and_high.state import (
    HAND,
    PLACE,
    PLACING,
    REROLL,
    at_least,
    code,
    digit,
    first_lane,
    hand_of,
    in_lanes,
    kind_of,
    lane,
)
from engine.kernel import inlined, kernel


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The largest dice on the target, as long as the dice left can make the rest; the lowest anywhere if none helps."""
    table = view.table
    if table.phase != PLACING:
        return 0
    rooms = table.rooms[view.seat]
    dice = hand_of(table, view.seat)
    if dice == 1:
        hit = equal_to(rooms, table.rolled[0])
        if hit:
            return find(moves, count, digit(first_lane(hit), 0))
        return find(moves, count, code(REROLL)) if kind_of(moves[count - 1]) != PLACE else 0
    to = target(view, rules, rooms, dice)
    room = lane(rooms, to)
    left = dice
    move = 0
    for die in range(dice - 1, -1, -1):
        face = table.rolled[die]
        # A die goes there if it makes the number, or if the dice left can still make the rest, at least one of them.
        if face == room or (face < room <= face + (left - 1) * rules.die_sides):
            move += digit(to, die)
            room -= face
            left -= 1
    return find_turned(view, moves, count, move) if move else 0


@inlined
def target(view, rules, rooms, dice):
    """The lane of the number in reach with the most paws; one that own dice lie on comes first."""
    table = view.table
    most = -1
    to = 1
    begun = at_least(table.counts[view.seat], 1)
    for at in range(rules.players + rules.row_extra):
        room = lane(rooms, at + 1)
        if 0 < room <= dice * rules.die_sides:
            paws = lane(table.row_paws, at + 1) + (HAND if in_lanes(begun, at + 1) else 0)
            if paws > most:
                most = paws
                to = at + 1
    return to


BOT = Bot("big_game", "Most paws first: large dice there at once, the rest for the last die's rolls.", decide)
