"""Dark tamer: the Dark One draws as often as the busiest seat, so it draws little and keeps its shots for him."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import (
    chance_below_dark,
    find,
    is_free,
    is_last_window,
    most_draws,
    outlook,
    own_points,
)
from bots.queen_of_the_hill.skills import has_room, is_weapon, shot_at
from bots.queen_of_the_hill.sniper import decide as snipe
from engine.games.queen_of_the_hill.state import DARK, DRAW, FORM, KEEP, PASS, PLACING, STOP, TURN
from engine.kernel import kernel

SURE = 0.8  # a chance to beat the Dark One at which it saves its shots


@kernel
def decide(view, rules, moves, count, params, luck):
    """Draw little, form high cards, shoot at the Dark One; without him play like a sniper."""
    table = view.table
    if not rules.dark_one_player or table.chain_count > 0:
        return snipe(view, rules, moves, count, params, luck)
    if table.stage == TURN:
        stop, draw = find(moves, count, STOP), find(moves, count, DRAW)
        if stop < 0 or draw < 0:
            return max(0, draw)
        return draw if draws_more(view, rules, params[3], params[4]) else stop
    if table.stage == PLACING:
        low = rules.points[view.drawn] <= params[2]
        wanted = low and is_weapon(rules, view.drawn) and has_room(view, rules)
        return find(moves, count, KEEP) if wanted else find(moves, count, FORM)
    if is_last_window(view, rules):
        points = own_points(view, rules)
        shot = shot_at(rules, moves, count, DARK)
        now = chance_below_dark(view, rules, points, outlook(view, rules, 0.0, 1.0), 0, 0)
        return shot if shot >= 0 and points > 0 and now < SURE else find(moves, count, PASS)
    return snipe(view, rules, moves, count, params, luck)


@kernel
def draws_more(view, rules, enough, limit):
    """Draw up to a few points or a few cards; beyond that only what the Dark One draws in any case."""
    table = view.table
    points = own_points(view, rules)
    draws = table.draws[view.seat]
    most = most_draws(view, rules)
    if draws >= most:
        return points < enough and draws < limit
    if is_free(view, rules):
        return True
    odds = outlook(view, rules, 0.0, 1.0)
    more = (1.0 - odds[2]) * chance_below_dark(view, rules, points + odds[0], odds, most, 0)
    return more > chance_below_dark(view, rules, points, odds, most, 0)


BOT = Bot(
    "dark_tamer",
    "Draws little, since the Dark One draws as often as the busiest seat, and keeps its shots for him.",
    decide,
    (
        Parameter("daring", 1.5, 0.1, 10, "times the gain that it is ready to risk where the Dark One does not play"),
        Parameter("saved", 5, 0, 40, "battle points from which it escapes from a Dark One"),
        Parameter("low", 1, 0, 20, "battle points up to which it keeps a useful card"),
        Parameter("enough", 3, 0, 40, "battle points at which it stops"),
        Parameter("limit", 1, 1, 20, "draws at which it stops, unless others drew more"),
    ),
)
