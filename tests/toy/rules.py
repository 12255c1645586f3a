"""The toy's rules."""

from __future__ import annotations

from engine.contract import NOBODY
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def deal(rules, state, rng):
    """All chance happens here."""
    state.turn = 0
    for seat in range(2):
        state.held[seat] = random_below(rng, 2)
        state.offer[seat] = state.held[seat]
        if rules.shop:
            state.held[seat] = 0
        state.level[seat] = 0
    state.lucky = 1 if random_below(rng, 1000) < rules.luck else 0
    state.point = random_below(rng, 1000)


@kernel
def to_act(state):
    """Seat 0, then seat 1."""
    return state.turn if state.turn < 2 else NOBODY


@kernel
def legal(_rules, _state, moves):
    """Four levels."""
    for level in range(4):
        moves[level] = level
    return 4


@kernel
def apply(rules, state, move):
    """Show a level; in a shop, who shows 2 or more takes an X that is on offer."""
    state.level[state.turn] = move
    if rules.shop and move >= 2:
        state.held[state.turn] = state.offer[state.turn]
    state.turn += 1


@kernel
def observe(_rules, state, seat, view):
    """The own card."""
    view.seat = seat
    view.held = state.held[seat]


@kernel
def outcome(rules, state, result):
    """See the package's text."""
    lead = state.level[0] - state.level[1]
    result.reason = 1 if lead != 0 else 2
    if state.lucky:
        chance = 500 + rules.bias + rules.card * (state.held[0] - state.held[1])
        lead = 1 if state.point < chance else -1
        result.reason = 0
    result.winner = -1
    for seat in range(2):
        mine = lead if seat == 0 else -lead
        result.ranks[seat] = 1 if mine < 0 else 0
        result.scores[seat] = 1 if mine > 0 else 0
        if mine > 0:
            result.winner = seat
