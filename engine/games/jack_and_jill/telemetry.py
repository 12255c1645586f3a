"""Jack and Jill: what telemetry counts. Pieces are the ten ranks of Well cards; the standing is the score pile's."""

from __future__ import annotations

from engine.cards import count, lowest
from engine.contract import NO_CELL
from engine.games.jack_and_jill.options import GAME
from engine.games.jack_and_jill.state import (
    MELEE,
    MOVE_JACK,
    MOVE_JILL,
    PASS,
    RANGED,
    REST,
    card_of,
    jokers_of,
    kind_of,
)
from engine.kernel import kernel

# The ways of options.py, which names them, in its order.
WAYS = len(GAME.ways)
DEALT, CAME_LATER, MOVED, RESTED, TRADED, HIT, SHOT, WITH_JOKER, PASSED = range(WAYS)


@kernel
def stakes(state, _seat):
    """The score pile."""
    return state.table.scored


@kernel
def standing(_rules, state, _seat):
    """The cards of the score pile: the same for all, as they play together."""
    return count(state.table.scored)


@kernel
def rounds(_rules, _state):
    """Turns pass from seat to seat one by one: there are no rounds."""
    return 0


@kernel
def used(_rules, _state, move):
    """The rank that is moved with, rested or given; attacks use several cards and count for none of them."""
    kind = kind_of(move)
    if kind == PASS:
        return PASSED
    if kind == MELEE or kind == RANGED:
        if jokers_of(move) > 0:
            return WITH_JOKER
        return HIT if kind == MELEE else SHOT
    way = TRADED
    if kind == MOVE_JACK or kind == MOVE_JILL:
        way = MOVED
    elif kind == REST:
        way = RESTED
    return (card_of(move) // 4 + 1) * WAYS + way


@kernel
def held(_rules, state, seat):
    """The cards in hand."""
    return state.hand[seat]


@kernel
def drawn(_rules, _state, _seat, _move):
    """Cards that are drawn come with what a move does."""
    return NO_CELL


@kernel
def piece_held(cards):
    """The cell of the rank of the lowest card."""
    return (lowest(cards) // 4 + 1) * WAYS + DEALT
