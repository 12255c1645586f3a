"""Cuttle: what telemetry counts. Pieces are the thirteen ranks; the lead is what a side still needs for its goal."""

from __future__ import annotations

from engine.cards import NO_CARD, lowest, place
from engine.contract import NO_CELL
from engine.games.cuttle.options import GAME
from engine.games.cuttle.rules import goal_of, score_of
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    FROM_SEVEN,
    JACK_ON,
    KINGS,
    LIMIT_DROP,
    ONEOFF,
    POINTS,
    ROYAL,
    SCUTTLE,
    THREE_PICK,
    card_of,
    kind_of,
)
from engine.kernel import kernel

# The ways of options.py, which names them, in its order.
WAYS = len(GAME.ways)
(
    DEALT, CAME_LATER, AS_POINTS, AS_SCUTTLE, AS_ROYAL, AS_JACK, AS_ONEOFF, AS_COUNTER, PICKED, DROPPED, OVER_LIMIT,
    DRAWN_BLIND,
) = range(WAYS)  # fmt: skip


@kernel
def stakes(state, seat):
    """The point cards and Kings of a side."""
    return state.table.points[seat] | state.table.royals[seat] & KINGS


@kernel
def standing(rules, state, seat):
    """Points less the goal: 0 wins."""
    return score_of(state.table.points[seat]) - goal_of(rules, state.table.royals[seat])


@kernel
def rounds(_rules, state):
    """Turns of both seats, in pairs."""
    return (state.table.turns + 1) // 2


@kernel
def used(_rules, _state, move):
    """The rank that a move plays, and how."""
    kind = kind_of(move)
    if kind > FROM_SEVEN:
        kind -= FROM_SEVEN
    card = card_of(move)
    if card == NO_CARD:
        return NO_CELL
    way = DROPPED
    if kind == POINTS:
        way = AS_POINTS
    elif kind == SCUTTLE:
        way = AS_SCUTTLE
    elif kind == ROYAL:
        way = AS_ROYAL
    elif kind == JACK_ON:
        way = AS_JACK
    elif kind == ONEOFF:
        way = AS_ONEOFF
    elif kind == COUNTER:
        way = AS_COUNTER
    elif kind == THREE_PICK:
        way = PICKED
    elif kind == LIMIT_DROP:
        way = OVER_LIMIT
    return (card // 4 + 1) * WAYS + way


@kernel
def held(_rules, state, seat):
    """The cards in hand."""
    return state.hand[seat]


@kernel
def drawn(_rules, state, _seat, move):
    """The rank on top of the deck, unless it has been seen there."""
    if kind_of(move) != DRAW or state.table.deck_known > 0:
        return NO_CELL
    return (state.deck[place(state.table.deck_count - 1)] // 4 + 1) * WAYS + DRAWN_BLIND


@kernel
def piece_held(cards):
    """The cell of the rank of the lowest card."""
    return (lowest(cards) // 4 + 1) * WAYS + DEALT
