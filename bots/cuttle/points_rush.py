"""Points Rush: lay down the largest cards as fast as they come and never look at the other side."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.cuttle.hand import WORST, gain, missing, play_of, worth
from engine.cards import EIGHT, JACK, KING, NO_CARD, QUEEN, rank
from engine.games.cuttle.state import (
    DRAW,
    FIVE_DROP,
    FOUR_DROP,
    JACK_ON,
    ONEOFF,
    PASS,
    POINTS,
    RESOLVE,
    ROYAL,
    SCUTTLE,
    THREE_PICK,
    card_of,
    target_of,
    third_of,
)
from engine.kernel import kernel


@kernel
def keeping(card):
    """What a card in hand is worth to a racer: Kings most, then by points."""
    if card == NO_CARD:
        return 0
    if rank(card) == KING:
        return 20
    if rank(card) == QUEEN:
        return 3
    return 8 if rank(card) == JACK else worth(card)


@kernel
def decide(view, rules, moves, size, params, _luck):
    """Win; a King when points are down; the largest points; draw when nothing is left to lay down."""
    me = view.seat
    need = missing(view, rules, me)
    least = int(params[0])
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card = card_of(move)
        score = 0
        if kind == POINTS:
            score = (200 if worth(card) >= least else 50) + worth(card)
        elif kind == ROYAL:
            score = 30 if rank(card) == EIGHT else 40
            if rank(card) == KING:
                score = 500 if view.table.points[me] else 60
        elif kind == DRAW:
            score = 100
        elif kind == PASS:
            score = 20
        elif kind == JACK_ON:
            score = 70 + worth(target_of(move))
        elif kind == SCUTTLE:
            score = 10 - worth(card)
        elif kind == RESOLVE:
            score = 1  # never counters
        elif kind == THREE_PICK:
            score = keeping(card)
        elif kind in (FIVE_DROP, FOUR_DROP):
            score = -keeping(card) - keeping(target_of(move)) - keeping(third_of(move))
        if POINTS <= kind <= ONEOFF and gain(view, rules, me, kind, card, target_of(move)) >= need:
            return i
        if score > best:
            best = score
            chosen = i
    return chosen


BOT = Bot(
    "points_rush",
    "Races: a win, a King, else the largest card for points; never counters, never looks across the table.",
    decide,
    (Parameter("least", 5, 1, 10, "the fewest points for which it lays a card down instead of drawing"),),
)
