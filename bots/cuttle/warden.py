"""Warden: keeps Twos in reserve, stops what would hurt most, strikes royals at once and stocks up in between."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot, Parameter
from bots.cuttle.hand import (
    WORST,
    gain,
    kept,
    missing,
    play_of,
    setback,
    swing,
    worth,
    would_win,
)
from engine.cards import ACE, FIVE, FOUR, JACK, KING, NO_CARD, QUEEN, SEVEN, SIX, THREE, TWO, count, rank
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    FIVE_DROP,
    FOUR_DROP,
    JACK_ON,
    JACKS,
    KINGS,
    ONEOFF,
    PASS,
    POINTS,
    QUEENS,
    ROYAL,
    SCUTTLE,
    THREE_PICK,
    TWOS,
    card_of,
    target_of,
)
from engine.kernel import kernel

# What it rather keeps, by rank: Twos first.
KEEP = np.array([7, 20, 6, 5, 8, 4, 8, 7, 9, 10, 14, 9, 15])
STOCK = 4  # with fewer cards in hand it draws before it lays down points


@kernel
def decide(view, rules, moves, size, params, _luck):
    """Win; strike Kings and Queens; stop a side that is near its goal; stock up; points."""
    me = view.seat
    other = me ^ 1
    table = view.table
    need = missing(view, rules, me)
    pressed = missing(view, rules, other) <= 10
    spare = count(view.hand[me] & TWOS) > int(params[0])
    worthwhile = table.scrap & (TWOS | JACKS | KINGS)
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card, target = card_of(move), target_of(move)
        value = 0
        if kind == POINTS:
            value = 300 + 2 * worth(card) if rank(card) != TWO else 50
        elif kind == SCUTTLE:
            value = (700 if pressed else 295) + 10 * worth(target) - 8 * worth(card)
        elif kind == ROYAL:
            if rank(card) == KING:
                value = 450 if table.points[me] else 290
            elif rank(card) == QUEEN:
                value = 150 if table.royals[me] & QUEENS else 330
            else:
                value = 120
        elif kind == JACK_ON:
            value = (720 if pressed else 340) + 10 * worth(target)
        elif kind == ONEOFF:
            value = one_off(view, rules, card, target, pressed, spare, worthwhile)
        elif kind == DRAW:
            value = 322 if view.hand_count[me] < STOCK else 310
        elif kind == PASS:
            value = 100
        elif kind == COUNTER:
            value = 1 if guarded(view, rules) else -1
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


@kernel
def one_off(view, rules, card, target, pressed, spare, worthwhile):
    """The score of a one-off; a Two is spent only if enough others stay in reserve, or to stop a win."""
    what = rank(card)
    shift = swing(view, rules, view.seat, card, target)
    if target != NO_CARD:
        if what == TWO and not spare and not (pressed and shift > 0):
            return 20
        urgent = rank(target) in (KING, QUEEN, JACK)
        return (900 if urgent else 700 if pressed else 200) + 5 * shift + (3 if what != TWO else 0)
    if what in (ACE, SIX):
        return (700 if pressed else 250) + 10 * shift if shift > 0 else 10
    if what == THREE:
        return 360 if worthwhile else 150
    if what == FIVE:
        return 350
    if what == FOUR:
        return 312
    return 340 if what == SEVEN else 0


@kernel
def guarded(view, rules):
    """Aces, Sixes, Fours and anything that would win are countered; so is a counter of its own one-off."""
    what = rank(view.table.card)
    if view.table.turn == view.seat or what == FOUR or would_win(view, rules):
        return True
    if what not in (ACE, SIX):
        return False
    return setback(view, rules, view.table.turn, ONEOFF, view.table.card, NO_CARD) > 0


BOT = Bot(
    "warden",
    "Holds Twos back for Aces, Sixes, Fours and winning strokes; hits royals at once; Fives and Threes in between.",
    decide,
    (Parameter("reserve", 1, 0, 3, "Twos kept for counters"),),
)
