"""Budgeter: looks one action ahead and counts what is left to spend: cards, steps, Jokers, each suit's reserve."""

from __future__ import annotations

from bots.bot import Bot
from bots.jack_and_jill.outlook import ALONE, TEAM, best_action
from engine.kernel import kernel


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The action that leaves the best outlook; no Trades."""
    best, _ = best_action(view, rules, moves, count, ALONE[0] if rules.players == 1 else TEAM[0])
    return best


BOT = Bot(
    "budgeter",
    "Looks one action ahead: what is left to spend, and what the cheapest next attack would cost.",
    decide,
)
