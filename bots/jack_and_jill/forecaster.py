"""Forecaster: a budgeter that asks what the next card may bring."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.jack_and_jill.courier import best_trade, finish
from bots.jack_and_jill.outlook import (
    ALONE,
    GLANCE,
    LOST,
    SURE,
    TEAM,
    best_action,
    ceiling,
    glance,
    plan,
    used_by,
    worth,
)
from engine.cards import count, lowest, one, rest
from engine.games.jack_and_jill.hill import undefeated
from engine.games.jack_and_jill.state import JACK, JILL, MOVE_JACK, MOVE_JILL, REST, kind_of, to_of
from engine.kernel import kernel, records


@kernel
def decide(view, rules, moves, size, params, _luck):
    """The action with the best outlook, averaged over cards that may be drawn; in a team also the courier's Trades."""
    weights = ALONE[0] if rules.players == 1 else TEAM[0]
    if rules.players == 2 and view.table.well_count == 0:
        return finish(view, rules, moves, size)
    best, best_worth = best_action(view, rules, moves, size, weights)
    if LOST / 2 < best_worth < SURE / 2 and view.table.well_count > 0:
        best, best_worth = forecast(
            view, rules, moves, size, weights, records(1, GLANCE), best, best_worth, params[0], params[1]
        )
    if rules.players == 2:
        return best_trade(view, rules, moves, size, best, best_worth)
    return best


@kernel
def forecast(view, rules, moves, size, weights, glances, best, best_worth, samples, margin):
    """The best action and its worth after a look at what the next card may bring; ``glances`` is room for a glance."""
    base = glances[0]
    glance(view, rules, weights, base)
    least = best_worth - margin
    for i in range(size):
        kind = kind_of(moves[i])
        if kind == MOVE_JACK or kind == MOVE_JILL or kind == REST:
            if ceiling(view, rules, moves[i], weights, base) <= least:
                continue
            result = worth(view, rules, moves[i], weights, base, least)
            if result > least:
                result += gain_by_draw(view, rules, moves[i], weights, samples)
                if result > best_worth:
                    best, best_worth = i, result
    return best, best_worth


@kernel
def gain_by_draw(view, rules, move, w, samples):
    """How much cheaper the next plan becomes, on average, by the card drawn after a Move or a Rest."""
    table = view.table
    kind = kind_of(move)
    hand = view.hand[view.seat] & ~used_by(view, move)
    jack = to_of(move) if kind == MOVE_JACK else table.pawn[JACK]
    jill = to_of(move) if kind == MOVE_JILL else table.pawn[JILL]
    up = undefeated(table)
    jokers = table.jokers[view.seat]
    before = plan(rules, table, view.seat, hand, jack, jill, up, jokers, w, w.no_hope)
    cards = view.unseen
    stride = max(1, int(count(cards) / samples))
    skip = stride // 2
    gain = 0.0
    drawn = 0
    while cards:
        if skip == 0:
            after = hand | one(lowest(cards))
            gain += before - plan(rules, table, view.seat, after, jack, jill, up, jokers, w, before)
            drawn += 1
            skip = stride
        skip -= 1
        cards = rest(cards)
    return gain / max(drawn, 1)


BOT = Bot(
    "forecaster",
    "A courier that asks what the next card may bring: averages its outlook over several unseen cards.",
    decide,
    (
        Parameter("cards", 4.0, 1.0, 40.0, "how many of the unseen cards it tries as the next one"),
        Parameter("margin", 1.0, 0.0, 40.0, "how far behind the best a plain outlook may be to be looked at again"),
    ),
)
