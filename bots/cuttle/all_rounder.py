"""All-Rounder: weighs the race, both hands, shields, threats and the chance of a counter for every move."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot, Parameter
from bots.cuttle.hand import WORST, at_least, counter_odds, play_of, stolen_oddly, worth
from engine.cards import (
    ACE,
    EIGHT,
    EMPTY,
    FIVE,
    FOUR,
    NO_CARD,
    SEVEN,
    SIX,
    THREE,
    TWO,
    count,
    has,
    lower,
    lowest,
    of_rank,
    one,
    rank,
    rest,
    suit,
)
from engine.games.cuttle.moves import pickable
from engine.games.cuttle.rules import goal_of, score_of
from engine.games.cuttle.state import (
    COUNTER,
    DISCARDS,
    DRAW,
    FIVE_DROP,
    FOUR_DROP,
    FROM_SEVEN,
    JACK_ON,
    JACKS,
    KINGS,
    LIMIT_DROP,
    MAIN,
    NUMBER_CARDS,
    ON_DECK,
    ONEOFF,
    POINTS,
    QUEENS,
    ROYAL,
    SCUTTLE,
    SEVEN_SCRAP,
    THREE_PICK,
    card_of,
    kind_of,
    target_of,
    third_of,
)
from engine.kernel import kernel

ACES = of_rank(ACE)
LARGE = NUMBER_CARDS & ~lower(4 * EIGHT)  # Eights, Nines and Tens

# Weights, about a hundred to a point; found by CMA-ES (Hansen 2006) on common deals, half of it against earlier weights
# of its own, half against the other bots.
WIN = 1_000_000
SURE = WIN - 10_000  # above every move that does not win, below every one that surely does
WAIT_POINT = 76  # a point that the side which has just moved lacks
WAIT_REACH = 100  # it lacks at most ten: one card may do
WAIT_CLOSE = -6  # each point below ten
NEXT_POINT = 67  # a point that the side to move next lacks
NEXT_REACH = 191  # it lacks at most ten
NEXT_CLOSE = -40  # each point below ten
DANGER = 7184  # the side to move next surely holds a card that wins
THREAT = 497  # the side that has moved holds a card that wins next time
KING = 302  # a King, besides the points that it saves
QUEEN = 900  # the first Queen on a side,
SHIELD = 27  # and for every ten points that she covers
MORE_QUEENS = 57  # each further Queen
STEAL = 1069  # ten points without a Queen, each Jack that may be in the other hand
SWEPT = 78  # ten points of a lead, each Ace that may be in the other hand
SCUTTLED = 47  # ten points laid down, each card in the other hand that may scuttle them
DRAWN = 466  # an unknown card
SHORT = 33  # more for each card that the hand has fewer than eight
CROWDED = 39  # a large card used, each other one in the hand: several are not worth as many times one
WAITING = 14  # a draw, each large card in the hand
BEHIND = 102  # a draw, ten points of the other side
IDLE = 363  # a pass, which may end in a draw
DROPPED = 75  # the card that a Five may cost
THEIR_CARD = 432  # a card less in the other hand
RETURNED = 1410  # a card that a Nine gives back
PLAYED_SEVEN = 1089  # the better of two cards played at once
COUNTERED = 170  # the other side has spent a Two
SPARED = 177  # by this much an effect must hurt more than the loss of a Two
TWO_RETURNED = 1900  # two such cards, not frozen
ON_TOP = 400  # a card that a Nine puts on the deck: the other side must draw it first
AT_RANDOM = 520  # a card less in the other hand that it has not chosen itself
# What the bot knows of the options of 2026, bits of its parameter ``adapts``.
KNOWS_LIMIT, KNOWS_DECK, KNOWS_TWO, KNOWS_RANDOM = 1, 2, 4, 8
# What a card in hand is worth, by rank.
HOLD = np.array([513, 485, 64, 84, 75, 425, 292, 333, 423, 646, 175, 125, 487])


@kernel
def winners(rules, score, need, royals, their_points, their_royals):
    """The cards that win at once for a side if it may play them: point cards, Kings, Jacks."""
    cards = at_least(need)
    kings = count(royals & KINGS)
    if kings < 4 and score >= rules.kings_goal[kings]:
        cards |= KINGS
    if their_points & cards and not their_royals & QUEENS:
        cards |= JACKS
    return cards


@kernel
def table_value(rules, points, royals, hand, next_points, next_royals, next_hand, unseen, odds):
    """The table for a side that has moved, against the side to move next.

    ``hand`` and ``next_hand`` are what is known of the hands; each card of ``unseen`` is in the next side's hand with
    ``odds`` per cent.
    """
    score = score_of(points)
    need = goal_of(rules, royals) - score
    if need <= 0:
        return WIN
    next_score = score_of(next_points)
    next_need = goal_of(rules, next_royals) - next_score
    if next_need <= 0:
        return -WIN
    value = NEXT_POINT * next_need - WAIT_POINT * need + KING * (count(royals & KINGS) - count(next_royals & KINGS))
    if need <= 10:
        value += WAIT_REACH + WAIT_CLOSE * (10 - need)
    if next_need <= 10:
        value -= NEXT_REACH + NEXT_CLOSE * (10 - next_need)
    if hand & winners(rules, score, need, royals, next_points, next_royals):
        value += THREAT
    danger = winners(rules, next_score, next_need, next_royals, points, royals)
    if danger:
        if next_hand & danger:
            value -= DANGER
        else:
            value -= DANGER * min(100, odds * count(unseen & danger)) // 100
    if royals & QUEENS:
        value += QUEEN + SHIELD * score // 10 + MORE_QUEENS * (count(royals & QUEENS) - 1)
    elif score:
        jacks = 100 * count(next_hand & JACKS) + odds * count(unseen & JACKS)
        value -= STEAL * score * min(jacks, 100) // 1000
    if score > next_score:
        aces = 100 * count(next_hand & ACES) + odds * count(unseen & ACES)
        value -= SWEPT * (score - next_score) * min(aces, 100) // 1000
    if next_royals & QUEENS:
        value -= QUEEN + SHIELD * next_score // 10 + MORE_QUEENS * (count(next_royals & QUEENS) - 1)
    return value


@kernel
def after_effect(view, side, card, target, target2):
    """Points and royals of ``side`` and of the other side once a one-off has resolved."""
    table = view.table
    other = side ^ 1
    points, royals = table.points[side], table.royals[side]
    their_points, their_royals = table.points[other], table.royals[other]
    if target != NO_CARD:
        gone = one(target) | (one(target2) if target2 != NO_CARD else EMPTY)
        moved = EMPTY  # a card under a top Jack comes over, unless it goes with it
        tops = gone & JACKS
        while tops:
            moved |= one(table.jack_on[suit(lowest(tops))]) & ~gone
            tops = rest(tops)
        return points | moved, royals, their_points & ~moved & ~gone, their_royals & ~gone
    if rank(card) == ACE:
        return EMPTY, royals, EMPTY, their_royals
    if rank(card) == SIX:
        odd = stolen_oddly(view)
        return points ^ odd, EMPTY, their_points ^ odd, EMPTY
    return points, royals, their_points, their_royals


@kernel
def cheapest(hand, size):
    """What the ``size`` least wanted cards of a hand are worth."""
    total = 0
    for _ in range(size):
        least = WIN
        dropped = EMPTY
        left = hand
        while left:
            card = lowest(left)
            if HOLD[rank(card)] < least:
                least = HOLD[rank(card)]
                dropped = one(card)
            left = rest(left)
        if dropped:
            total += least
        hand &= ~dropped
    return total


@kernel
def best_of(cards):
    """What the most wanted card of a set is worth."""
    best = 0
    while cards:
        best = max(best, HOLD[rank(lowest(cards))])
        cards = rest(cards)
    return best


@kernel
def beside_table(view, rules, side, card, target, target2, adapts):
    """What a one-off of ``side`` brings apart from points and royals."""
    one_off = rank(card)
    if target != NO_CARD:
        if one_off == TWO:
            return 0
        if rules.nine_effect == ON_DECK and adapts & KNOWS_DECK:
            return -ON_TOP
        return -RETURNED if target2 == NO_CARD else -TWO_RETURNED
    if one_off == THREE:
        return best_of(pickable(rules, view))
    if one_off == FOUR:
        other = side ^ 1
        size = min(rules.four_discards, view.hand_count[other])
        if rules.four_random and adapts & KNOWS_RANDOM:
            if side == view.seat:
                return AT_RANDOM * size
            return size * cheapest(view.hand[other], count(view.hand[other])) // max(count(view.hand[other]), 1)
        return THEIR_CARD * size if side == view.seat else cheapest(view.hand[other], size)
    if one_off == FIVE:
        gone = 1 if view.table.phase == MAIN else 0  # the Five is still in the hand
        gone += 1 if rules.five_discard else 0
        room = rules.hand_limit - view.hand_count[side] + gone
        drawn = max(min(min(rules.five_draws, view.table.deck_count), room), 0)
        if rules.hand_limit_rule == DISCARDS and adapts & KNOWS_LIMIT:
            all_drawn = min(rules.five_draws, view.table.deck_count)
            drawn += (all_drawn - drawn) // 2  # beyond the limit: the choice of more cards, of which the worst go
        return DRAWN * drawn - (DROPPED if rules.five_discard else 0)
    return PLAYED_SEVEN if one_off == SEVEN else 0


@kernel
def answer(view, rules, adapts):
    """What countering gains over letting the chain stop here."""
    me = view.seat
    other = me ^ 1
    side = view.table.turn
    card, target = view.table.card, view.table.target
    target2 = view.table.target2 if adapts & KNOWS_TWO else NO_CARD
    effect = beside_table(view, rules, side, card, target, target2, adapts)
    points, royals, their_points, their_royals = after_effect(view, side, card, target, target2)
    table = view.table
    if side == me:
        odds = 100 * (view.hand_count[other] - count(view.hand[other])) // max(count(view.unseen), 1)
        hand, their_hand, unseen = view.hand[me], view.hand[other], view.unseen
    else:
        odds = 0
        hand, their_hand, unseen = view.hand[other], view.hand[me], EMPTY
    effect += table_value(rules, points, royals, hand, their_points, their_royals, their_hand, unseen, odds)
    effect -= table_value(
        rules,
        table.points[side],
        table.royals[side],
        hand,
        table.points[side ^ 1],
        table.royals[side ^ 1],
        their_hand,
        unseen,
        odds,
    )
    if side != me:
        effect = -effect  # what letting it resolve brings me
        return -effect - HOLD[TWO] - SPARED
    return effect - HOLD[TWO] - SPARED


@kernel
def decide(view, rules, moves, size, params, _luck):
    """The move with the best table and hand after it, one-offs weighed with the chance that they are countered."""
    me = view.seat
    other = me ^ 1
    table = view.table
    first = kind_of(moves[size - 1])
    adapts = np.int64(params[0])
    if first == COUNTER:
        return size - 1 if answer(view, rules, adapts) > 0 else 0
    points, royals = table.points[me], table.royals[me]
    their_points, their_royals = table.points[other], table.royals[other]
    hand, their_hand, unseen = view.hand[me], view.hand[other], view.unseen
    choosing = first in (FOUR_DROP, FIVE_DROP, THREE_PICK, SEVEN_SCRAP)
    choosing = choosing or (first == LIMIT_DROP and adapts & KNOWS_LIMIT != 0)
    wanted = EMPTY
    odds = 0
    still = 0
    countered = 0
    if choosing:
        score = score_of(points)
        wanted = winners(rules, score, goal_of(rules, royals) - score, royals, their_points, their_royals)
    else:
        odds = 100 * (view.hand_count[other] - count(their_hand)) // max(count(unseen), 1)
        still = table_value(rules, points, royals, hand, their_points, their_royals, their_hand, unseen, odds)
        countered = counter_odds(view, rules, other)
    best = WORST
    chosen = 0
    for i in range(size):
        move = moves[i]
        kind = play_of(move)
        card, target = card_of(move), target_of(move)
        value = 0
        if choosing:
            value = HOLD[rank(card)] + (THREAT if has(wanted, card) else 0)
            if kind in (FOUR_DROP, LIMIT_DROP):
                value = -value
                if target != NO_CARD:
                    value -= HOLD[rank(target)] + (THREAT if has(wanted, target) else 0)
                if third_of(move) != NO_CARD:
                    value -= HOLD[rank(third_of(move))] + (THREAT if has(wanted, third_of(move)) else 0)
            elif kind != THREE_PICK:
                value = -value
        elif kind == DRAW:
            value = HOLD[rank(view.top[0])] if table.deck_known else DRAWN
            value += still + SHORT * (8 - view.hand_count[me])
            value -= WAITING * count(hand & LARGE) + BEHIND * score_of(their_points) // 10
        elif POINTS <= kind <= ONEOFF:
            held = hand & ~one(card)
            a, b, c, d = points, royals, their_points, their_royals
            if kind == ONEOFF:
                target2 = third_of(move) if adapts & KNOWS_TWO else NO_CARD
                a, b, c, d = after_effect(view, me, card, target, target2)
                value = beside_table(view, rules, me, card, target, target2, adapts)
                value += table_value(rules, a, b, held, c, d, their_hand, unseen, odds)
                if countered:
                    value = (value * (100 - countered) + (still + COUNTERED) * countered) // 100
            else:
                if kind == POINTS:
                    a |= one(card)
                    above = NUMBER_CARDS & ~lower(card)
                    exposed = min(100, odds * count(unseen & above) + 100 * count(their_hand & above))
                    value = -SCUTTLED * worth(card) * exposed // 1000
                elif kind == SCUTTLE:
                    c &= ~one(target)
                elif kind == ROYAL:
                    b |= one(card)
                elif kind == JACK_ON:
                    a |= one(target)
                    c &= ~one(target)
                value += table_value(rules, a, b, held, c, d, their_hand, unseen, odds)
            if kind_of(move) < FROM_SEVEN:
                value -= HOLD[rank(card)]
                if has(LARGE, card):
                    value += CROWDED * count(held & LARGE)
        else:  # a pass: with the deck gone, cards are there to be played
            value = still - IDLE
        if value > best:
            best = value
            chosen = i
            if value > SURE:
                break
    return chosen


BOT = Bot(
    "all_rounder",
    "Weighs the race, both hands, shields, threats and the chance of a counter for every move.",
    decide,
    (
        Parameter(
            "adapts",
            15,
            0,
            15,
            "options of 2026 it knows: 1 limit, 2 Nines on the deck, 4 for two, 8 random Fours",
        ),
    ),
)
