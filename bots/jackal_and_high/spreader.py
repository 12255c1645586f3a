"""Spreader: one die a turn, always where least is missing, for the most rolls in a round."""

from __future__ import annotations

from bots.bot import Bot
from bots.jackal_and_high.plan import find, find_turned
from engine.games.jackal_and_high.state import HAND, PLACE, PLACING, REROLL, code, digit, hand_of, kind_of, lane
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The single die and position that leave the least to be made; the last die is rolled until nothing is left."""
    table = view.table
    if table.phase != PLACING:
        return 0
    rooms = table.rooms[view.seat]
    nearest = HAND
    move = 0
    for die in range(hand_of(table, view.seat)):
        for to in range(1, rules.players + rules.row_extra + 1):
            missing = lane(rooms, to) - table.rolled[die]
            if 0 <= missing < nearest:
                nearest = missing
                move = digit(to, die)
    if nearest > 0 and kind_of(moves[count - 1]) != PLACE:
        return find(moves, count, code(REROLL))
    return find_turned(view, moves, count, move)


BOT = Bot("spreader", "One die a turn, where least is missing; three turns give the most rolls.", decide)
