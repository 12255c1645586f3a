"""Seer: looks into the other hand through an Eight, and does what that hand cannot answer."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot, Parameter
from bots.cuttle.hand import (
    WORST,
    counter_odds,
    gain,
    holding_odds,
    kept,
    missing,
    pending_swing,
    play_of,
    scuttlers,
    swing,
    worth,
    would_win,
)
from engine.cards import FIVE, FOUR, KING, NO_CARD, QUEEN, SEVEN, THREE, rank
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    EIGHTS,
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
    TWOS,
    card_of,
    target_of,
)
from engine.kernel import kernel

# What it rather keeps, by rank: Eights until one lies, Sevens and strong one-offs.
KEEP = np.array([6, 10, 5, 5, 7, 5, 10, 9, 9, 10, 13, 8, 14])
EARLY = 12  # turns in which glasses still pay


@kernel
def decide(view, rules, moves, size, params, _luck):
    """Win; glasses early; then points, thefts and one-offs by what they bring if the other hand has no answer."""
    me = view.seat
    other = me ^ 1
    table = view.table
    trust = int(params[0])
    need = missing(view, rules, me)
    pressed = missing(view, rules, other) <= 10
    blind = not (table.royals[me] & EIGHTS or rules.open_hands)
    shielded = table.royals[me] & QUEENS
    risky = counter_odds(view, rules, other)
    theft = 0 if shielded else holding_odds(view, other, JACKS)
    undone = holding_odds(view, other, TWOS)
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card, target = card_of(move), target_of(move)
        value = 0
        if kind == POINTS:
            lost = max(theft, holding_odds(view, other, scuttlers(card)))
            value = 250 + 12 * worth(card) * (140 - lost) // 100
        elif kind == SCUTTLE:
            value = (380 if pressed else 250) + 14 * worth(target) - 9 * worth(card)
        elif kind == ROYAL:
            if rank(card) == KING:
                value = 420 if table.points[me] else 285
            elif rank(card) == QUEEN:
                value = 150 if shielded else 330
            else:
                value = 400 if blind and table.turns < EARLY else 100
        elif kind == JACK_ON:
            value = (360 if pressed else 250) + 20 * worth(target) * (140 - undone) // 140
        elif kind == ONEOFF:
            value = one_off(view, rules, card, target, pressed)
            if risky > trust and value > 0:
                value = value * (200 - risky) // 200
        elif kind == DRAW:
            value = 300
        elif kind == PASS:
            value = 240
        elif kind == COUNTER:
            value = 1 if worth_a_two(view, rules) else -1
        elif kind == THREE_PICK:
            value = kept(KEEP, move)
        elif kind in (FOUR_DROP, FIVE_DROP):
            value = -kept(KEEP, move)
        if POINTS <= kind <= ONEOFF and gain(view, rules, me, kind, card, target) >= need:
            value = 10_000 - (kind if kind != ONEOFF else risky)
        if value > best:
            best = value
            chosen = i
    return chosen


@kernel
def one_off(view, rules, card, target, pressed):
    """What a one-off brings if nobody counters it."""
    what = rank(card)
    if what == SEVEN:
        return 370
    if what == FIVE:
        return 330
    if what == THREE:
        return 340 if view.table.scrap & (JACKS | TWOS) else 280
    if what == FOUR:
        return 335
    shift = swing(view, rules, view.seat, card, target)
    if target != NO_CARD and rank(target) == QUEEN:
        shift += 3
    return (340 if pressed else 250) + 14 * shift


@kernel
def worth_a_two(view, rules):
    """Counter for its own one-off, against a win, a Four, or a swing of seven points."""
    if view.table.turn == view.seat or rank(view.table.card) == FOUR or would_win(view, rules):
        return True
    return pending_swing(view, rules) >= 7


BOT = Bot(
    "seer",
    "Puts on an Eight as glasses, reads the other hand, and plays what that hand cannot answer; likes Sevens.",
    decide,
    (Parameter("trust", 15, 0, 100, "the chance of a counter, in per cent, that it takes for none"),),
)
