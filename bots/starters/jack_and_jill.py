"""starter: strikes as closely as it can.

A bot for Jack and Jill. All that it sees and may do: docs/bots/jack_and_jill.md; the rules:
docs/rules/jack_and_jill.md.
KIND
"""

from bots.bot import Bot, Parameter
from engine.cards import lowest, rest
from engine.games.jack_and_jill.state import MELEE, MOVE_JACK, MOVE_JILL, RANGED, REST, cards_of, move_of, value
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def sum_of(cards):
    """What a set of cards is worth: a number whose bits are the cards (engine/cards.py)."""
    total = 0
    while cards:
        total += value(lowest(cards))
        cards = rest(cards)
    return total


@kernel
def decide(view, rules, moves, count, params, luck):
    """The place in ``moves`` of the move that this bot makes: 0 to ``count`` - 1. It is asked where there is a choice.

    view: what its seat may know; rules: the rule options; params: the values of its parameters; luck: its own random
    numbers, for ``random_below(luck, n)``. It must keep nothing from call to call.
    """
    hand = view.hand[view.seat]
    best = -1
    chosen = 0
    for i in range(count):
        move = move_of(moves[i])
        worth = 0  # a pass or a trade
        if move.kind == MELEE or move.kind == RANGED:
            spent = sum_of(cards_of(hand, move.attack)) + sum_of(cards_of(hand, move.aim))
            worth = 1000 - int(params[0]) * move.jokers - spent
        elif move.kind == MOVE_JACK or move.kind == MOVE_JILL:
            worth = 200 - 10 * value(move.card)
        elif move.kind == REST:
            worth = 100 - 10 * value(move.card)
        worth = 10 * worth + random_below(luck, 10)  # equals are chosen by lot
        if worth > best:
            best = worth
            chosen = i
    return chosen


BOT = Bot(
    "starter",
    "Strikes with the cheapest cards, otherwise walks with the lowest.",
    decide,
    (Parameter("joker", 20, 0, 100, "what a Joker is worth"),),  # written starter(joker=5)
    game="jack_and_jill",
)
