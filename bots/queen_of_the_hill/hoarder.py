"""Hoarder: gives the first round away to fill its Ready Zone, and wins later ones with it."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import find
from bots.queen_of_the_hill.skills import has_room, is_weapon
from bots.queen_of_the_hill.sniper import decide as snipe
from engine.games.queen_of_the_hill.state import DRAW, FORM, KEEP, KEPT, PLACING, READY, TURN
from engine.kernel import inlined, kernel


@kernel
def decide(view, rules, moves, count, params, luck):
    """Hoard as long as nobody threatens to win the match and cards are wanting, else play them like a sniper."""
    table = view.table
    if rules.abilities and table.chain_count == 0 and hoards(view, rules, params[2]):
        if table.stage == TURN and table.held[view.seat, KEPT] < rules.ready_limit - table.held[view.seat, READY]:
            return max(0, find(moves, count, DRAW))
        if table.stage == PLACING:
            wanted = is_weapon(rules, view.drawn) and has_room(view, rules)
            return find(moves, count, KEEP) if wanted else find(moves, count, FORM)
    return snipe(view, rules, moves, count, params, luck)


@inlined
def hoards(view, rules, rounds):
    """Is this a round to give away?"""
    if view.table.round_number > rounds or view.table.held[view.seat, READY] >= rules.ready_limit:
        return False
    most_wins = 0
    for seat in range(rules.players):
        most_wins = max(most_wins, view.table.wins[seat])
    return most_wins < rules.rounds_to_win - 1


BOT = Bot(
    "hoarder",
    "Gives the first round away to keep items and ability cards, then wins with them.",
    decide,
    (
        Parameter("daring", 1.5, 0.1, 10, "times the gain that it is ready to risk in later rounds"),
        Parameter("saved", 5, 0, 40, "battle points from which it escapes from a Dark One"),
        Parameter("rounds", 1, 0, 10, "rounds that it gives away"),
    ),
)
