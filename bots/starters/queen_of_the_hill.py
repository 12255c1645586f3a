"""starter: forms what counts, and stops in time.

A bot for Queen of the Hill. All that it sees and may do: docs/bots/queen_of_the_hill.md; the rules:
docs/rules/queen_of_the_hill.md.
KIND
"""

from bots.bot import Bot, Parameter
from engine.games.queen_of_the_hill.state import DISCARD, DRAW, FORM, KEEP, PLAY, STOP, move_of
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(view, rules, moves, count, params, luck):
    """The place in ``moves`` of the move that this bot makes: 0 to ``count`` - 1. It is asked where there is a choice.

    view: what its seat may know; rules: the rule options and the deck, whose arrays go by kinds of cards; params: the
    values of its parameters; luck: its own random numbers, for ``random_below(luck, n)``. It must keep nothing from
    call to call.
    """
    drawn = view.table.draws[view.seat]
    best = -1000
    chosen = 0
    for i in range(count):
        move = move_of(moves[i])
        worth = 0  # a pass
        if move.kind == DRAW:
            worth = 50
        elif move.kind == STOP:
            worth = 60 if drawn >= params[0] else 40
        elif move.kind == FORM:
            worth = 10 * rules.points[view.drawn] if view.drawn >= 0 else 0
        elif move.kind == KEEP:
            worth = 5
        elif move.kind == PLAY:
            worth = -1 if move.target == view.seat else 3
        elif move.kind == DISCARD:
            worth = -rules.points[move.card]
        worth = 10 * worth + random_below(luck, 10)  # equals are chosen by lot
        if worth > best:
            best = worth
            chosen = i
    return chosen


BOT = Bot(
    "starter",
    "Forms what counts, and stops after some draws.",
    decide,
    (Parameter("draws", 4, 1, 20, "draws after which it stops"),),  # written starter(draws=6)
    game="queen_of_the_hill",
)
