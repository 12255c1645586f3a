"""Careful: takes the most points, and otherwise never leaves a card with its last side free."""

from __future__ import annotations

from bots.bot import Bot
from bots.jericho.sight import (
    CROWDED,
    WORST,
    best_capture,
    exposed,
    may_rest,
    price,
    wins_by_pass,
)
from engine.cards import lowest, rest
from engine.games.jericho.state import STOP, card_of, neighbours, sides, spot_of
from engine.kernel import kernel

GIVEN = 1000.0  # a point laid open weighs more than any tie between safe placements


@kernel
def decide(view, rules, moves, count, _params, _luck):
    """The best captures; else the lowest card where it lays nothing open; else a pass in the lead."""
    if wins_by_pass(rules, view, moves):
        return 0
    now, soon = exposed(rules, view.table)
    choice = best_capture(rules, view, moves, count, now)
    if choice >= 0:
        return choice
    best = WORST
    spot = 0
    laid_open = 0.0
    beside = 0
    place = 0
    for i in range(count):
        if moves[i] <= STOP:
            continue
        if spot_of(moves[i]) != spot:
            spot = spot_of(moves[i])
            while view.spots.at[place] < spot:
                place += 1
            beside = view.spots.beside[place]
            laid_open = 0.0
            cards = neighbours(beside) & soon
            while cards:
                laid_open += price(rules, view, lowest(cards))
                cards = rest(cards)
        cost = price(rules, view, card_of(moves[i]))
        given = laid_open + cost if sides(beside) == rules.capture_sides - 1 else laid_open
        value = CROWDED * sides(beside) - cost - GIVEN * given
        if value > best:
            best = value
            choice = i
    return 0 if best <= -GIVEN and may_rest(rules, view, moves) else choice


BOT = Bot("careful", "Takes the most points, but never leaves a card with only its last side free.", decide)
