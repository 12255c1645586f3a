"""starter: places where the most cards lie around.

A bot for Jericho. All that it sees and may do: docs/bots/jericho.md; the rules: docs/rules/jericho.md.
KIND
"""

from bots.bot import Bot, Parameter
from engine.cards import count as size_of
from engine.cards import rank
from engine.games.jericho.state import PLACE, move_of
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def around(view, spot):
    """How many cards lie beside an open spot."""
    for slot in range(view.spots.used):
        if view.spots.at[slot] == spot:
            return size_of(view.spots.near[slot])  # a set of cards is a number (engine/cards.py)
    return 0


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
        worth = 0  # a pass or a stop
        if move.kind == PLACE:
            worth = 100 * around(view, move.spot) + int(params[0]) * rank(move.card)
        worth = 10 * worth + random_below(luck, 10)  # equals are chosen by lot
        if worth > best:
            best = worth
            chosen = i
    return chosen


BOT = Bot(
    "starter",
    "Places where the most cards lie around, high cards first.",
    decide,
    (Parameter("high", 1, 0, 10, "weight of a card's rank"),),  # written starter(high=0)
    game="jericho",
)
