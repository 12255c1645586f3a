"""Jackal & High: what telemetry counts. Pieces are the animals, the Lucky 8 and the Take 2; the lead is in paws."""

from __future__ import annotations

from engine.cards import lowest
from engine.contract import NO_CELL
from engine.games.jackal_and_high.options import GAME
from engine.games.jackal_and_high.state import (
    MOST_DICE,
    NUMBER_MAX,
    PLACE,
    REROLL,
    STACK,
    TAKE_2,
    digit_of,
    kind_of,
    stacked_card,
)
from engine.kernel import kernel

# The ways of options.py, which names them, in its order.
WAYS = len(GAME.ways)
DEALT, WON, AIMED, STACKED, REROLLED, TO_VALLEY = range(WAYS)
TAKE_2_WON = 1 << (2 * NUMBER_MAX)  # beside a bag


@kernel
def stakes(state, seat):
    """Paws of stack and Take 2."""
    return state.table.paws[seat]


@kernel
def standing(_rules, state, seat):
    """Paws of stack and Take 2."""
    return state.table.paws[seat]


@kernel
def rounds(_rules, state):
    """Rounds begun."""
    return state.table.round_number


@kernel
def used(_rules, state, move):
    """The card on which the first die is put, or that is stacked."""
    kind = kind_of(move)
    if kind == STACK:
        return stacked_card(move) * WAYS + STACKED
    if kind == PLACE:
        for die in range(MOST_DICE):
            at = digit_of(move, die)
            if at > 0:
                return state.table.card[at - 1] * WAYS + AIMED
    return REROLLED if kind == REROLL else TO_VALLEY


@kernel
def held(_rules, state, seat):
    """The animals won and not yet stacked (a bag), and whether there is a Take 2."""
    return state.table.won[seat] | (TAKE_2_WON if state.table.own_take2[seat] > 0 else 0)


@kernel
def drawn(_rules, _state, _seat, _move):
    """Nobody draws cards."""
    return NO_CELL


@kernel
def piece_held(cards):
    """The cell of the lowest animal of a bag (two bits each, of which either may be set), or of the Take 2."""
    bit = lowest(cards)
    return (TAKE_2 if cards == TAKE_2_WON else bit // 2 + 1) * WAYS + DEALT
