"""Thief: a Queen against thieves, then Jacks on the largest cards of the other side; lets others do the work."""

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
from engine.cards import ACE, JACK, KING, NO_CARD, QUEEN, SEVEN, SIX, THREE, of_ranks, rank
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    FIVE_DROP,
    FOUR_DROP,
    JACK_ON,
    JACKS,
    ONEOFF,
    PASS,
    POINTS,
    QUEENS,
    ROYAL,
    SCUTTLE,
    THREE_PICK,
    card_of,
    target_of,
)
from engine.kernel import kernel

# What it rather keeps, by rank: Jacks, Kings and Queens, and the Nines and Twos that clear their way.
KEEP = np.array([4, 8, 5, 2, 4, 2, 6, 7, 9, 9, 14, 12, 13])
TOOLS = of_ranks(JACK, QUEEN, KING)


@kernel
def decide(view, rules, moves, size, params, _luck):
    """Win; strike a Queen or a thieving Jack; a Queen of its own; steal; a King when it is near; then points."""
    me = view.seat
    other = me ^ 1
    table = view.table
    prize = int(params[0])
    need = missing(view, rules, me)
    pressed = missing(view, rules, other) <= 10
    shielded = table.royals[me] & QUEENS
    ready = view.hand[me] & JACKS
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card, target = card_of(move), target_of(move)
        value = 0
        if kind == POINTS:
            value = 290 + 2 * worth(card)
        elif kind == SCUTTLE:
            value = (450 if pressed else 200) + 12 * worth(target) - worth(card)
        elif kind == ROYAL:
            if rank(card) == QUEEN:
                value = 150 if shielded else 840
            elif rank(card) == KING:
                value = 600 if need <= 14 else 297
            else:
                value = 120
        elif kind == JACK_ON:
            value = (700 if worth(target) >= prize or pressed else 250) + 12 * worth(target)
        elif kind == ONEOFF:
            if target != NO_CARD:
                # Only what shields the other side from Jacks, or has robbed this one, is worth a Two or a Nine.
                if rank(target) == QUEEN:
                    value = 750 if ready else 305
                elif rank(target) == JACK:
                    value = 700 + 12 * worth(table.jack_on[target & 3])
                elif pressed:
                    value = 440 + setback(view, rules, me, kind, card, target)
            elif rank(card) == THREE:
                value = 400 if table.scrap & TOOLS else 100
            elif rank(card) == SEVEN:
                value = 304
            elif rank(card) in (ACE, SIX):
                shift = swing(view, rules, me, card, target)
                value = (430 if pressed else 280) + 2 * shift if shift > 5 else 10
        elif kind == DRAW:
            value = 300
        elif kind == PASS:
            value = 220
        elif kind == COUNTER:
            value = 1 if table.turn == me or robbed(view, rules) else -1
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
def robbed(view, rules):
    """Would the pending one-off win, cost the Queen or a Jack, or cost five points or more?"""
    target = view.table.target
    if target != NO_CARD and rank(target) in (JACK, QUEEN):
        return True
    return would_win(view, rules) or setback(view, rules, view.table.turn, ONEOFF, view.table.card, target) >= 5


BOT = Bot(
    "thief",
    "A Queen first, then Jacks on the largest cards across the table; Nines and Twos only clear the way.",
    decide,
    (Parameter("prize", 5, 1, 10, "the fewest points for which it spends a Jack without need"),),
)
