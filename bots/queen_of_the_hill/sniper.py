"""Sniper: keeps ability cards and spends each where it counts most."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import draws_on, find, is_last_window, own_points
from bots.queen_of_the_hill.skills import answer, has_room, is_weapon, settle, shed, snipe_leader
from engine.games.queen_of_the_hill.state import (
    DISCARDING,
    DRAW,
    ESCAPING,
    FORM,
    KEEP,
    PASS,
    PLACING,
    PLAY,
    STOP,
    TALLY,
    TURN,
)
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """Draw by the odds; hit in the last window only; bonuses that turn the result; escapes that are worth it."""
    table = view.table
    if table.chain_count > 0:
        return answer(view, rules, moves, count)
    if table.stage == TURN:
        stop = find(moves, count, STOP)
        if stop >= 0 and not draws_on(view, rules, params[0]):
            return stop
        return max(0, find(moves, count, DRAW))
    if table.stage == PLACING:
        wanted = is_weapon(rules, view.drawn) and has_room(view, rules)
        return find(moves, count, KEEP) if wanted else find(moves, count, FORM)
    if table.stage == DISCARDING:
        return shed(view, rules, moves, count)
    if table.stage == TALLY:
        return settle(view, rules, moves, count)
    if table.stage == ESCAPING and own_points(view, rules) >= params[1]:
        return find(moves, count, PLAY)
    if is_last_window(view, rules):
        shot = snipe_leader(view, rules, moves, count)
        if shot >= 0:
            return shot
    return find(moves, count, PASS)


BOT = Bot(
    "sniper",
    "Keeps ability cards: hits the largest Battle Zone in the last window, plays bonuses that turn the result.",
    decide,
    (
        Parameter("daring", 1.75, 0.1, 10, "times the gain that it is ready to risk"),
        Parameter("saved", 5, 0, 40, "battle points from which it escapes from a Dark One"),
    ),
)
