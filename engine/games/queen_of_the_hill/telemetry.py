"""Queen of the Hill: what telemetry counts. Pieces are the kinds of the deck; the lead is in rounds won."""

from __future__ import annotations

from engine.cards import NO_CARD, lowest, one
from engine.contract import NO_CELL
from engine.games.queen_of_the_hill.options import GAME
from engine.games.queen_of_the_hill.state import (
    DISCARD,
    DRAW,
    FORM,
    KEEP,
    PASS,
    PLAY,
    READY,
    card_of,
    kind_of,
)
from engine.kernel import kernel

# The ways of options.py, which names them, in its order.
WAYS = len(GAME.ways)
DEALT, CAME_LATER, FORMED, KEPT_BACK, PLAYED, DISCARDED, DRAWN, STOPPED, PASSED, DRAWN_BLIND = range(WAYS)


@kernel
def stakes(state, seat):
    """Rounds won."""
    return state.table.wins[seat]


@kernel
def standing(_rules, state, seat):
    """Rounds won; the Dark One is not at the table."""
    return state.table.wins[seat]


@kernel
def rounds(_rules, state):
    """Rounds begun."""
    return state.table.round_number


@kernel
def used(_rules, state, move):
    """The kind that is formed, kept, played or discarded."""
    kind = kind_of(move)
    if kind == DRAW:
        return DRAWN
    if kind == PASS:
        return PASSED
    if kind == FORM:
        return (state.drawn + 1) * WAYS + FORMED
    if kind == KEEP:
        return (state.drawn + 1) * WAYS + KEPT_BACK
    if kind == PLAY:
        return (card_of(move) + 1) * WAYS + PLAYED
    if kind == DISCARD:
        return (card_of(move) + 1) * WAYS + DISCARDED
    return STOPPED


@kernel
def held(_rules, state, seat):
    """The kinds of the Ready Zone, and the one being placed."""
    kinds = state.kinds[seat, READY]
    if state.drawn != NO_CARD and state.table.active == seat:
        kinds |= one(state.drawn)
    return kinds


@kernel
def drawn(_rules, state, seat, move):
    """The kind on top of the deck, if it is drawn by one who has not peeked at it. A reshuffle comes after the move."""
    if kind_of(move) != DRAW or state.table.deck_count == 0 or state.table.peek[seat] > 0:
        return NO_CELL
    return (state.deck[state.table.deck_count - 1] + 1) * WAYS + DRAWN_BLIND


@kernel
def piece_held(kinds):
    """The cell of the lowest kind."""
    return (lowest(kinds) + 1) * WAYS + DEALT
