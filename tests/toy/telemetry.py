"""What is counted of the toy."""

from __future__ import annotations

from engine.contract import NO_CELL
from engine.kernel import kernel

WAYS = 3


@kernel
def stakes(state, seat):
    """The level shown."""
    return state.level[seat]


@kernel
def standing(_rules, state, seat):
    """The level shown."""
    return state.level[seat]


@kernel
def rounds(_rules, _state):
    """One."""
    return 1


@kernel
def used(_rules, _state, _move):
    """Showing a level needs no piece."""
    return 2


@kernel
def held(_rules, state, seat):
    """Card X, or nothing."""
    return state.held[seat]


@kernel
def drawn(_rules, _state, _seat, _move):
    """Nothing is drawn."""
    return NO_CELL


@kernel
def piece_held(_cards):
    """The cell of X."""
    return WAYS
