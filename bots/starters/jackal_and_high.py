"""starter: puts dice where they make a number.

A bot for Jackal & High. All that it sees and may do: docs/bots/jackal_and_high.md; the rules:
docs/rules/jackal_and_high.md.
KIND
"""

from bots.bot import Bot, Parameter
from engine.games.jackal_and_high.state import NO_CARD, PLACE, STACK, digit_of, hand_of, lane, move_of, paws_of
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def worth_of(view, rules, move, dice):
    """What a placement seems to be worth: numbers that it makes, and dice that it leaves in hand."""
    table, me = view.table, view.seat
    worth = 0
    for at in range(rules.players + rules.row_extra):
        if table.card[at] == NO_CARD:
            continue
        added = 0
        for die in range(hand_of(table, me)):
            if digit_of(move, die) == 1 + at:  # where rolled[die] goes: 0 = it stays in hand, 1 + at = position at
                added += table.rolled[die]
        if added > 0:
            missing = lane(table.rooms[me], 1 + at) - added  # what its own dice leave of the number
            worth += 10 + 10 * paws_of(rules, table.card[at]) if missing == 0 else -missing
    for die in range(hand_of(table, me)):
        if digit_of(move, die) == 0:
            worth += dice
    return worth


@kernel
def decide(view, rules, moves, count, params, luck):
    """The place in ``moves`` of the move that this bot makes: 0 to ``count`` - 1. It is asked where there is a choice.

    view: what its seat may know; rules: the rule options; params: the values of its parameters; luck: its own random
    numbers, for ``random_below(luck, n)``. It must keep nothing from call to call.
    """
    best = -10_000
    chosen = 0
    for i in range(count):
        move = move_of(moves[i])
        worth = 0  # a re-roll, or the die goes to the valley
        if move.kind == PLACE:
            worth = worth_of(view, rules, moves[i], int(params[0]))
        elif move.kind == STACK:
            worth = -paws_of(rules, move.card)  # the last one lies on top, where it can be lost
        worth = 10 * worth + random_below(luck, 10)  # equals are chosen by lot
        if worth > best:
            best = worth
            chosen = i
    return chosen


BOT = Bot(
    "starter",
    "Puts dice where they make a number, and keeps the others.",
    decide,
    (Parameter("dice", 3, 0, 20, "what a die in hand is worth"),),  # written starter(dice=0)
    game="jackal_and_high",
)
