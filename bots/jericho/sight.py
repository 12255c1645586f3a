"""What several bots for Jericho ask of a view: who leads, what cards are worth, what a placement lays open.

A card is *exposed* when one more occupied side captures it; its *closers* are the cards that fit on a free side of it.
What an exposed card is worth to the seat that leaves it to the other one is told by RATES, a point each; every bot has
its own idea of them. ``now`` and ``soon`` are the sets of cards that lack one and two occupied sides.
"""

from __future__ import annotations

import numpy as np

from engine.cards import ACE, ALL_CARDS, EMPTY, JACK, count, lowest, one, rank, rest
from engine.games.jericho.rules import worth
from engine.games.jericho.spots import find, is_open
from engine.games.jericho.state import (
    BASE,
    FLAT,
    MATCHING,
    PASS,
    SLOT,
    STEP,
    STRIDE,
    entry_slot,
    node,
)
from engine.kernel import kernel

WORST = -1e9  # below every value
SPAN = 10  # the usual matching lets up to 15 cards fit beside a card; more than 9 unseen ones count as 9

# What a point on an exposed card is worth, by the number of its closers that are unseen.
RATES = np.dtype(
    [
        ("without", np.float64, SPAN),  # with no closer in the own hand
        ("holding", np.float64, SPAN),  # with one
        ("only_points", np.int64),  # 1: exposed cards are of no interest
        ("keepers", np.int64),  # of unseen cards: where fewer than these fit, those in hand are kept; 0: nowhere
    ]
)


# ---------------------------------------------------------------- the match


@kernel
def lead(rules, view):
    """By how much the own seat leads; with hand_penalty the other hand counts as so many average unseen cards."""
    me = view.seat
    points = worth(rules, view.table.captured[me]) - worth(rules, view.table.captured[me ^ 1])
    if rules.hand_penalty:
        points -= worth(rules, view.hand)
        points += worth(rules, view.unseen) * view.hand_count[me ^ 1] // max(count(view.unseen), 1)
    return points


@kernel
def wins_by_pass(rules, view, moves):
    """Does a pass, which is move 0 if it is legal, end the match with a win?"""
    return moves[0] == PASS and view.table.passes + 1 == rules.end_passes and lead(rules, view) > 0


@kernel
def may_rest(rules, view, moves):
    """May a seat pass without danger? It leads, and the other seat must play on or lose."""
    return moves[0] == PASS and view.table.passes + 1 < rules.end_passes and lead(rules, view) > 0


@kernel
def index_of(moves, count, move):
    """The index of a legal move."""
    low = 0
    while count > 1:
        half = count >> 1
        low += half * (moves[low + half - 1] < move)
        count -= half
    return low


# ---------------------------------------------------------------- cards


@kernel
def price(rules, view, card):
    """The worth of a card, or of the base as far as it is known."""
    if card == BASE:
        return worth(rules, view.unseen) / max(count(view.unseen), 1)
    ace, face = rules.ace_points, rules.face_points
    points = rank(card) + 1
    points = ace if rank(card) == ACE else points
    points = face if rank(card) >= JACK else points
    points = 1 if rules.points == FLAT else points
    return 1.0 * points


@kernel
def points_of(rules, view, cards):
    """The worth of a set of cards, BASE included."""
    total = 0.0
    while cards:
        total += price(rules, view, lowest(cards))
        cards = rest(cards)
    return total


@kernel
def chances(view, rates):
    """Rates to begin with: how likely the other hand holds one of so many unseen cards, for all that the seat knows."""
    held = view.hand_count[view.seat ^ 1]
    left = count(view.unseen)
    none = 1.0
    for k in range(SPAN):
        rates.without[k] = 1.0 - none
        rates.holding[k] = 1.0 - none
        none *= (left - held) / left if left > held else 0.0
        left -= 1


@kernel
def rate(view, hand, fits, rates):
    """What a point on a card with these closers is worth to the seat that leaves it with ``hand``."""
    k = min(count(view.unseen & fits), SPAN - 1)
    return rates.holding[k] if hand & fits else rates.without[k]


@kernel
def only_one(cards):
    """A set of one card, or nothing."""
    return cards if count(cards) == 1 else EMPTY


# ---------------------------------------------------------------- exposed cards


@kernel
def closers(view, card, without):
    """The cards that fit on a free side of a card on the table; the slot ``without`` (-1: none) is left out."""
    fits = EMPTY
    for direction in range(4):
        slot = node(view.table.beside[card], direction) - SLOT
        if slot >= 0 and slot != without:
            fits |= view.spots.fits[slot]
    return fits


@kernel
def standing(rules, view, hand, exposed, rates):
    """What these exposed cards are worth to the seat that leaves them with ``hand``."""
    value = 0.0
    while exposed:
        card = lowest(exposed)
        value += price(rules, view, card) * rate(view, hand, closers(view, card, -1), rates)
        exposed = rest(exposed)
    return value


@kernel
def narrowing(view, exposed, start, end):
    """The open spots in the slots ``start`` to ``end`` where a card lessens what fits beside an exposed one.

    Returns a set of slots, counted from ``start`` on.
    """
    found = EMPTY
    spots = view.spots
    while exposed:
        card = lowest(exposed)
        for direction in range(4):
            if node(view.table.beside[card], direction) >= SLOT:
                there = view.table.at[card] + STEP[direction]
                for step in STEP:
                    place = find(spots, there + step)
                    slot = entry_slot(spots.order[place])
                    if is_open(spots, place, there + step) and start <= slot < end:
                        found |= one(slot - start)
        exposed = rest(exposed)
    return found


@kernel
def narrowed(rules, view, at, card, hand, exposed, rates):
    """What ``card`` on the open spot ``at`` changes for cards exposed before, because fewer fit beside it then."""
    value = 0.0
    while exposed:
        other = lowest(exposed)
        for direction in range(4):
            slot = node(view.table.beside[other], direction) - SLOT
            away = view.table.at[other] + STEP[direction] - at
            if slot >= 0 and away in (1, -1, STRIDE, -STRIDE):
                before = view.spots.fits[slot]
                after = before & MATCHING[rules.match_rule, card]
                if after != before:
                    others = closers(view, other, slot)
                    change = rate(view, hand, others | after, rates) - rate(view, hand, others | before, rates)
                    value += price(rules, view, other) * change
        exposed = rest(exposed)
    return value


@kernel
def opened(rules, view, slot, hand, soon, rates):
    """What cards that a placement exposes are worth, as in ``standing``, and the only closers in ``hand``."""
    value = 0.0
    only = EMPTY
    cards = view.spots.near[slot] & soon
    while cards:
        card = lowest(cards)
        fits = closers(view, card, slot)
        value += price(rules, view, card) * rate(view, hand, fits, rates)
        only |= only_one(hand & fits)
        cards = rest(cards)
    return value, only


@kernel
def around(view, slot, at):
    """The cards that fit beside an open spot, on its free sides: closers, if they match, of a card laid on it."""
    spots = view.spots
    fits = EMPTY
    for direction in range(4):
        if node(spots.beside[slot], direction) == 0:
            there = at + STEP[direction]
            place = find(spots, there)
            fits |= spots.fits[entry_slot(spots.order[place])] if is_open(spots, place, there) else ALL_CARDS
    return fits
