"""Scout trap: looks at the deck before it takes a risk, and leaves the Dark One that it has seen to the next seat."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import draws_on, find, own_points
from bots.queen_of_the_hill.skills import answer, has_room, is_useful, play_with, settle, shed
from engine.cards import has
from engine.games.queen_of_the_hill.state import (
    CANCEL,
    DISCARDING,
    DRAW,
    ESCAPE,
    ESCAPING,
    FORM,
    KEEP,
    MILL,
    PASS,
    PEEK,
    PLACING,
    PLAY,
    STOP,
    TALLY,
    TURN,
)
from engine.kernel import inlined, kernel


@kernel
def decide(view, rules, moves, count, params, _luck):
    """At its turn look, then draw the safe cards; everything else is formed."""
    table = view.table
    if table.chain_count > 0:
        return answer(view, rules, moves, count)
    if table.stage == TURN:
        return take_turn(view, rules, moves, count, params)
    if table.stage == PLACING:
        effect = rules.effect[view.drawn]
        wanted = effect in (PEEK, MILL, ESCAPE, CANCEL) and is_useful(rules, view.drawn) and has_room(view, rules)
        return find(moves, count, KEEP) if wanted else find(moves, count, FORM)
    if table.stage == DISCARDING:
        return shed(view, rules, moves, count)
    if table.stage == TALLY:
        return settle(view, rules, moves, count)
    if table.stage == ESCAPING and own_points(view, rules) >= params[1]:
        return find(moves, count, PLAY)
    return find(moves, count, PASS)


@inlined
def take_turn(view, rules, moves, count, params):
    """With something to lose: look first; take what is known to be safe; mill or leave a Dark One that lies on top."""
    stop, draw = find(moves, count, STOP), find(moves, count, DRAW)
    if stop < 0 or draw < 0:
        return max(0, draw)
    points = own_points(view, rules)
    if points >= params[1]:
        if view.table.peek[view.seat] == 0:
            look = play_with(rules, moves, count, PEEK)
            if look >= 0:
                return look
        elif has(rules.dark_ones, view.top[0]):
            mill = play_with(rules, moves, count, MILL)
            return mill if mill >= 0 else stop
    return draw if draws_on(view, rules, params[0]) else stop


BOT = Bot(
    "scout_trap",
    "Looks at the deck before a risk, draws what is safe and leaves a seen Dark One to the next seat.",
    decide,
    (
        Parameter("daring", 1.5, 0.1, 10, "times the gain that it is ready to risk on an unknown card"),
        Parameter("scout", 6, 0, 40, "battle points from which it looks, and escapes from a Dark One"),
    ),
)
