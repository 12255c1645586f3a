"""Sniper: shoots at low numbers with single dice and rolls again until something is hit."""

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
    in_lane,
    in_lanes,
    kind_of,
)
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """Every die that makes a number goes there; if none does, roll again, or give up the lowest die."""
    table = view.table
    if table.phase != PLACING:
        return 0
    rooms = table.rooms[view.seat]
    move = 0
    for die in range(hand_of(table, view.seat)):
        hit = equal_to(rooms, table.rolled[die])
        if hit:
            to = first_lane(hit)
            move += digit(to, die)
            rooms -= in_lane(table.rolled[die], to)
    if move:
        return find_turned(view, moves, count, move)
    if kind_of(moves[count - 1]) != PLACE:
        return find(moves, count, code(REROLL))
    fits = at_least(rooms, table.rolled[0])
    lowest = HAND
    for to in range(1, rules.players + rules.row_extra + 1):
        if in_lanes(fits, to) and table.card[to - 1] < lowest:
            lowest = table.card[to - 1]
            move = digit(to, 0)
    return find_turned(view, moves, count, move)


BOT = Bot("sniper", "Single dice on low numbers; rolls the last die until one is hit.", decide)
