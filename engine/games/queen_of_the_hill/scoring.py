"""Queen of the Hill: the end of a round (step T7 of section b of the rules page) and of the match (section f)."""

from __future__ import annotations

from engine.contract import NOBODY
from engine.games.queen_of_the_hill.bags import dark_ones_in, points_in
from engine.games.queen_of_the_hill.plays import after, plays_along
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    BY_DARK_ONE,
    BY_ROUNDS,
    DARK,
    DISCARDING,
    KEPT,
    LEFT_STARTS,
    OVER,
    PARTIES,
    ROUND_CAP,
)
from engine.games.queen_of_the_hill.zones import discard_zone, move_kept
from engine.kernel import inlined, kernel


@kernel
def score(rules, state):
    """T7: the single highest total wins the round; then the end is tested, or the next round begins."""
    table = state.table
    best = -1
    winner = NOBODY
    for party in range(PARTIES):
        if plays_along(rules, party):
            points = total(rules, state, party)
            if points > best:
                best = points
                winner = party
            elif points == best:
                winner = NOBODY  # a tie for the highest
    if winner != NOBODY:
        table.wins[winner] += 1
        if winner != DARK:
            table.starter = winner
    elif rules.tie_starter == LEFT_STARTS:
        table.starter = after(rules, table.starter)
    for party in range(PARTIES):
        if table.held[party, BATTLE] > 0:
            discard_zone(state, party)
        table.bonus[party] = 0
    for seat in range(rules.players):
        table.draws[seat] = 0
        table.busted[seat] = 0
    if end_reason(rules, state) != NOBODY:
        table.stage = OVER
        return
    table.round_number += 1
    table.stage = DISCARDING
    for seat in range(rules.players):
        if table.held[seat, KEPT] > 0:
            move_kept(state, seat)


@inlined
def total(rules, state, party):
    """T7: the battle points of a party in this round."""
    table = state.table
    if party != DARK and table.busted[party] and not rules.busted_can_win:
        return 0
    sums = state.sums[party, BATTLE]  # Dark Ones lie only in the Dark One's own zone
    points = table.bonus[party] + points_in(sums) + dark_ones_in(sums) * rules.dark_one_points
    return max(0, points)


@inlined
def end_reason(rules, state):
    """Why the match ends after this round, tested in the order of section f, or NOBODY."""
    table = state.table
    for seat in range(rules.players):
        if table.wins[seat] == rules.rounds_to_win:
            return BY_ROUNDS
    if rules.dark_one_player and table.wins[DARK] == rules.rounds_to_win:
        return BY_DARK_ONE
    return ROUND_CAP if table.round_number == rules.round_cap else NOBODY
