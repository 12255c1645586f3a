"""Scuttler: no large card of the other side stays; own points grow slowly, from small cards."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot, Parameter
from bots.cuttle.hand import (
    WORST,
    gain,
    kept,
    missing,
    pending_swing,
    play_of,
    worth,
    would_win,
)
from engine.cards import ACE, EIGHT, KING, SEVEN, count, rank
from engine.games.cuttle.rules import score_of
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    FIVE_DROP,
    FOUR_DROP,
    JACK_ON,
    ONEOFF,
    PASS,
    POINTS,
    ROYAL,
    SCUTTLE,
    THREE_PICK,
    card_of,
    target_of,
)
from engine.kernel import kernel

# What it rather keeps, by rank: an Ace and large cards to strike with.
KEEP = np.array([9, 7, 3, 2, 4, 2, 8, 9, 11, 13, 12, 5, 10])
SMALL = 6  # up to here cards are for building
STRIKERS = 3  # so many larger cards in hand are enough: one more is laid down


@kernel
def decide(view, rules, moves, size, params, _luck):
    """Win; scuttle large cards, cheaply; an Ace when behind; a Jack on a large card; then build."""
    me = view.seat
    other = me ^ 1
    large = int(params[0])
    need = missing(view, rules, me)
    pressed = missing(view, rules, other) <= 10
    points, their_points = view.table.points[me], view.table.points[other]
    score, their_score = score_of(points), score_of(their_points)
    behind = their_score - score >= 10 or count(their_points) - count(points) >= 2
    strikers = 0
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card, target = card_of(move), target_of(move)
        value = 0
        if kind == POINTS:
            if worth(card) > SMALL:
                strikers += 1
            value = (300 if worth(card) <= SMALL else 250 if strikers > STRIKERS else 150) + worth(card)
        elif kind == SCUTTLE:
            urgent = worth(target) >= large or pressed
            value = (900 if urgent else 100) + 12 * worth(target) - worth(card)
        elif kind == ROYAL:
            if rank(card) == KING:
                value = 500 if points else 160
            else:
                value = 110 if rank(card) == EIGHT else 280 if score >= 10 else 140
        elif kind == JACK_ON:
            value = (890 if worth(target) >= large or pressed else 260) + 12 * worth(target)
        elif kind == ONEOFF:
            if rank(card) == ACE:
                value = 850 if behind else 10
            elif rank(card) == SEVEN:
                value = 290
        elif kind == DRAW:
            value = 200
        elif kind == PASS:
            value = 120
        elif kind == COUNTER:
            value = (
                1 if (view.table.turn == me or pending_swing(view, rules) >= large or would_win(view, rules)) else -1
            )
        elif kind == THREE_PICK:
            value = kept(KEEP, move)
        elif kind in (FOUR_DROP, FIVE_DROP):
            value = -kept(KEEP, move)
        if POINTS <= kind <= ONEOFF and gain(view, rules, me, kind, card, target) >= need:
            value = 10_000 - kind
        if value > best:
            best = value
            chosen = i
    return chosen


BOT = Bot(
    "scuttler",
    "Throws its cards at every large card across the table, with an Ace when behind, and builds with small ones.",
    decide,
    (Parameter("large", 7, 1, 10, "the fewest points of a card that is scuttled at once"),),
)
