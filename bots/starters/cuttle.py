"""starter: lays down what is worth most.

A bot for Cuttle. All that it sees and may do: docs/bots/cuttle.md; the rules: docs/rules/cuttle.md.
KIND
"""

from bots.bot import Bot, Parameter
from engine.cards import KING, rank
from engine.games.cuttle.state import DRAW, JACK_ON, POINTS, ROYAL, SCUTTLE, move_of
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def worth_of(view, move, least):
    """What a move seems to be worth."""
    me = view.seat
    if move.kind == POINTS:
        return 10 * (rank(move.card) + 1)  # an ace has rank 0
    if move.kind == ROYAL:
        # view.table is what both see; sets of cards are numbers: 0 is an empty one (engine/cards.py).
        return 105 if rank(move.card) == KING and view.table.points[me] else 60
    if move.kind == JACK_ON:
        return 10 * (rank(move.target) + 1)
    if move.kind == SCUTTLE:
        return 10 * (rank(move.target) - rank(move.card))
    return 10 * least if move.kind == DRAW else 0


@kernel
def decide(view, rules, moves, count, params, luck):
    """The place in ``moves`` of the move that this bot makes: 0 to ``count`` - 1. It is asked where there is a choice.

    view: what its seat may know; rules: the rule options; params: the values of its parameters; luck: its own random
    numbers, for ``random_below(luck, n)``. It must keep nothing from call to call.
    """
    best = -1
    chosen = 0
    for i in range(count):
        move = move_of(moves[i])
        worth = 10 * worth_of(view, move, int(params[0])) + random_below(luck, 10)  # equals are chosen by lot
        if worth > best:
            best = worth
            chosen = i
    return chosen


BOT = Bot(
    "starter",
    "Lays down what is worth most.",
    decide,
    (Parameter("least", 7, 1, 10, "points that drawing a card is worth"),),  # "starter(least=5)" on the command line
    game="cuttle",
)
