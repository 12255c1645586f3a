"""Greedy: the move after which the table looks best, own side and other side weighed against each other."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.cuttle.hand import WORST, gain, missing, play_of, stolen_oddly, worth
from engine.cards import ACE, FIVE, FOUR, JACK, KING, NO_CARD, QUEEN, SEVEN, SIX, count, has, rank, suit
from engine.games.cuttle.rules import score_of
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    FIVE_DROP,
    FOUR_DROP,
    JACK_ON,
    KINGS,
    MAIN,
    ONEOFF,
    POINTS,
    QUEENS,
    ROYAL,
    SCUTTLE,
    THREE_PICK,
    TWOS,
    card_of,
    target_of,
    third_of,
)
from engine.kernel import kernel

# A hand card counts HELD; point cards count their points; royals 2, the first King 4, the first Queen 3.
HELD = 1
PLAIN_ROYAL, FIRST_KING, FIRST_QUEEN = 2, 4, 3
FROM_A_SEVEN = 5  # what the better of two unknown cards brings when played at once
WIN = 1000


@kernel
def royal_value(royals, card):
    """What a royal adds to a side that has ``royals`` besides it."""
    if rank(card) == KING:
        return PLAIN_ROYAL if royals & KINGS else FIRST_KING
    if rank(card) == QUEEN:
        return PLAIN_ROYAL if royals & QUEENS else FIRST_QUEEN
    return PLAIN_ROYAL


@kernel
def royals_value(royals):
    """What all royals of a side are worth."""
    value = PLAIN_ROYAL * count(royals)
    if royals & KINGS:
        value += FIRST_KING - PLAIN_ROYAL
    return value + FIRST_QUEEN - PLAIN_ROYAL if royals & QUEENS else value


@kernel
def effect(view, rules, side, card, target):
    """A one-off of ``side`` that resolves: what it changes on its own side, and on the other (its card not counted)."""
    other = side ^ 1
    points, their_points = view.table.points[side], view.table.points[other]
    if target != NO_CARD:
        back = 0 if has(TWOS, card) else HELD  # a Nine returns its target to the hand
        if rank(target) == JACK:
            value = worth(view.table.jack_on[suit(target)])
            return value, back - value
        if has(their_points, target):
            return 0, back - worth(target)
        return 0, back - royal_value(view.table.royals[other] & ~(1 << target), target)
    one_off = rank(card)
    if one_off == ACE:
        return -score_of(points), -score_of(their_points)
    if one_off == SIX:
        odd = stolen_oddly(view)
        own = score_of(points ^ odd) - score_of(points) - royals_value(view.table.royals[side])
        return own, score_of(their_points ^ odd) - score_of(their_points) - royals_value(view.table.royals[other])
    if one_off == FOUR:
        return 0, -HELD * min(rules.four_discards, view.hand_count[other])
    if one_off == FIVE:
        gone = (1 if view.table.phase == MAIN else 0) + (1 if rules.five_discard else 0)
        room = rules.hand_limit - view.hand_count[side] + gone
        drawn = max(min(min(rules.five_draws, view.table.deck_count), room), 0)
        return HELD * (drawn - (1 if rules.five_discard else 0)), 0
    return (FROM_A_SEVEN if one_off == SEVEN else HELD), 0  # a Three takes a card


@kernel
def held(card):
    """What it rather keeps: Kings, Jacks, Queens, then by rank."""
    if card == NO_CARD:
        return 0
    if rank(card) == KING:
        return 30
    if rank(card) == JACK:
        return 20
    return 15 if rank(card) == QUEEN else worth(card)


@kernel
def decide(view, rules, moves, size, params, _luck):
    """Compare what every move changes: own side times (1 - aggression), other side times aggression."""
    me = view.seat
    against = int(params[0] * 100 + 0.5)
    mine = 100 - against
    need = missing(view, rules, me)
    royals = view.table.royals[me]
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card, target = card_of(move), target_of(move)
        own = theirs = 0
        if kind == POINTS:
            own = worth(card) - HELD
        elif kind == SCUTTLE:
            own, theirs = -HELD, -worth(target)
        elif kind == ROYAL:
            own = royal_value(royals, card) - HELD
        elif kind == JACK_ON:
            own, theirs = worth(target) - HELD, -worth(target)
        elif kind == ONEOFF:
            own, theirs = effect(view, rules, me, card, target)
            own -= HELD
        elif kind == DRAW:
            own = HELD
        elif kind == COUNTER:
            # Against what happens if the chain stops here: the effect, or nothing.
            turn = view.table.turn
            on_turn, on_other = effect(view, rules, turn, view.table.card, view.table.target)
            if view.table.counters % 2 == 1:
                own, theirs = on_turn - HELD, on_other
            else:
                own, theirs = -on_other - HELD, -on_turn
        elif kind == THREE_PICK:
            own = held(card)
        elif kind in (FOUR_DROP, FIVE_DROP):
            own = -held(card) - held(target) - held(third_of(move))
        score = own * mine - theirs * against
        if POINTS <= kind <= ONEOFF and gain(view, rules, me, kind, card, target) >= need:
            score += WIN * 100
        if score > best:
            best = score
            chosen = i
    return chosen


BOT = Bot(
    "greedy",
    "Looks one move ahead: the best table of points, royals and hand cards, own minus the other side's.",
    decide,
    (Parameter("aggression", 0.5, 0, 1, "weight of hurting the other side; the rest is for helping its own"),),
)
