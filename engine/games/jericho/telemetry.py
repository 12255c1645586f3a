"""Jericho: what telemetry counts. Pieces are the thirteen ranks; the lead is the worth of the captured cards."""

from __future__ import annotations

from engine.cards import lowest
from engine.contract import NO_CELL
from engine.games.jericho.options import GAME
from engine.games.jericho.rules import worth
from engine.games.jericho.state import PASS, STOP, card_of
from engine.kernel import kernel

# The ways of options.py, which names them, in its order.
WAYS = len(GAME.ways)
DEALT, CAME_LATER, PLACED, CHAINED, STOPPED, PASSED = range(WAYS)


@kernel
def stakes(state, seat):
    """The capture pile."""
    return state.table.captured[seat]


@kernel
def standing(rules, state, seat):
    """The worth of the capture pile."""
    return worth(rules, state.table.captured[seat])


@kernel
def rounds(_rules, state):
    """Turns of both seats, in pairs."""
    return (state.table.turns + 1) // 2


@kernel
def used(_rules, state, move):
    """The rank that is laid, first in a turn or in a chain."""
    if move == PASS:
        return PASSED
    if move == STOP:
        return STOPPED
    return (card_of(move) // 4 + 1) * WAYS + (CHAINED if state.table.chain else PLACED)


@kernel
def held(_rules, state, seat):
    """The cards in hand."""
    return state.hand[seat]


@kernel
def drawn(_rules, _state, _seat, _move):
    """Hands are filled up when a turn ends, by no move of their own."""
    return NO_CELL


@kernel
def piece_held(cards):
    """The cell of the rank of the lowest card."""
    return (lowest(cards) // 4 + 1) * WAYS + DEALT
