"""Jackal & High: the records that hold a match, the coding of its moves and events, and every named number.

Cards are numbers: an animal is its own number (1-7, 9-24), LUCKY_8 is 8 (so every card of the row is the sum that
dice must make), TAKE_2 is 25, NO_CARD is 0.

Moves are int64, legal moves in rising order: ``kind * 4096 + part``:

    kind     part
    PLACE    four octal digits, the last for rolled[0]: 0 = the die stays in hand, 1 + at = it is put on position at
    REROLL   0
    VALLEY   0
    STACK    the card to lay on top of the stack

Equal dice are alike, so from one to the next their digits never fall. At least one digit of a PLACE is not 0.

Events are the dice rolled: of a roll ``event[0]`` to ``event[3]``, ascending, then 0 for dice that are not there; of a
contest or the valley the same for each seat that rolls, from ``event[4 * seat]`` on.

Some numbers a position of the row are kept as *lanes*: 8 lanes of a byte each in one int64, lane 0 for the hand and
lane 1 + at for position at. That lets one subtraction find every position on which a die fits. Some numbers a seat are
lanes too, lane ``seat`` for each, and a set of lanes is their guard bits.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.cards import lowest
from engine.kernel import inlined
from engine.rows import GUARD_BIT, byte_sum, side_by_side

MOST_SEATS = 5
MOST_DICE = 4
MOST_ROW = 7
MOST_PLACEMENTS = 4095  # section 8: 8^4 - 1
MOST_MOVES = MOST_PLACEMENTS + 8  # they are written eight at a time
MOST_EVENT = MOST_SEATS * MOST_DICE
DECK_SIZE = 53  # section 8

NO_CARD = 0
LUCKY_8 = 8
LOW_MAX = 7  # animals up to here have copies, and paws_low
MID_MAX = 16  # animals up to here have paws_mid
NUMBER_MAX = 24
TAKE_2 = 25

# Phases (section 2), in the order of PHASES.
ROLL, PLACING, CONTEST, STACKING, VALLEY_ROLL, OVER = range(6)
PHASES = ("roll", "place", "contest", "stack", "valley", "over")

# Kinds of moves.
PLACE, REROLL, VALLEY, STACK = range(4)

# What bots are told of them (docs/bots/jackal_and_high.md).
MOVE_KINDS = {
    "PLACE": "bring each rolled die to where ``die0`` to ``die3`` say",
    "REROLL": "roll the last die again",
    "VALLEY": "put the last die into the valley",
    "STACK": "lay ``card`` on top of the stack",
}

# Reasons (section 5).
REASONS = ("deck_out", "round_cap")
DECK_OUT, ROUND_CAP = range(2)

# Values of text options, in the order in which options.py lists them.
SENDS_ONE, SENDS_ALL = range(2)
FEWEST_WIN, MOST_WIN, TIES_REROLL = range(3)
OWNER_STACKS, LOW_ON_TOP, HIGH_ON_TOP = range(3)
LEFT_STARTS, SAME_STARTS = range(2)
HIGH_CARD, SHARED = range(2)

LANES = 8
LANE_BITS = 8  # six for the value, then a guard bit, and one that is never used: the sign of the last lane
HAND = 63  # the value of lane 0: any number of dice fits into the hand
ONES = sum(1 << LANE_BITS * lane for lane in range(LANES))
GUARD = 1 << GUARD_BIT
GUARDS = ONES * GUARD
ROW_GUARDS = GUARDS - GUARD

# LANES_OF[set]: the lanes of a set that ``fitting`` gave, ascending, then 0.
LANES_OF = np.zeros((1 << LANES, LANES), np.int64)
for _set in range(1 << LANES):
    _lanes = [lane for lane in range(LANES) if _set >> lane & 1]
    LANES_OF[_set, : len(_lanes)] = _lanes

CARD_BITS = 5
WORD_CARDS = 12  # cards of a stack in one word
STACK_WORDS = 4  # section 8: at most 37 cards

# All of the match but the order of the deck is public (section 6): the same fields in STATE and VIEW.
TABLE = np.dtype(
    [
        ("phase", np.int64),  # ROLL .. OVER
        ("round_number", np.int64),  # from 1
        ("starter", np.int64),  # seat that began the round
        ("turn", np.int64),  # seat whose dice are to be rolled or that decides, else -1
        ("attempt", np.int64),  # rolls made in this turn; 0 outside ROLL and PLACING
        ("rolled", np.int64, MOST_DICE),  # dice on the table in PLACING, ascending; unused entries are 0
        ("contest", np.int64),  # row position contested in CONTEST, else -1
        ("win", np.int64),  # set of lanes: seats that may still win the valley's card, in VALLEY_ROLL
        ("lose", np.int64),  # set of lanes: seats that may still lose a card, in VALLEY_ROLL
        ("card", np.int64, MOST_ROW),  # the row: an animal, LUCKY_8 or NO_CARD
        ("take2", np.int64, MOST_ROW),  # Take 2 under each of them
        ("row_paws", np.int64),  # lanes: paws on each position, those of its Take 2 too; ROLL and PLACING, else 0
        ("rooms", np.int64, MOST_SEATS),  # lanes: what a seat's dice leave of each number; ROLL and PLACING, else 0
        ("counts", np.int64, MOST_SEATS),  # lanes: how many dice a seat has on each position
        ("dice", np.int64, (MOST_SEATS, LANES)),  # these dice, if any: four bits a face, how many show it
        ("hands", np.int64),  # lanes: dice in each seat's hand (those rolled included)
        ("valley", np.int64),  # the animal there, or NO_CARD
        ("valley_dice", np.int64),  # lanes: each seat's dice in the valley
        ("stack", np.int64, (MOST_SEATS, STACK_WORDS)),  # five bits a card, from the bottom
        ("stack_size", np.int64, MOST_SEATS),  # animals in a seat's stack
        ("high", np.int64, MOST_SEATS),  # the highest animal of each stack, 0 without one
        ("won", np.int64, MOST_SEATS),  # bag: animals won this round, not yet stacked
        ("own_take2", np.int64, MOST_SEATS),  # Take 2 that a seat has
        ("paws", np.int64, MOST_SEATS),  # score: paws of the stack and of the Take 2
        ("deck_count", np.int64),  # cards in the deck
        ("deck_animals", np.int64),  # bag: the animals of the deck
        ("deck_take2", np.int64),  # the Take 2 of the deck
        ("deck_lucky8", np.int64),  # the Lucky 8 of the deck
        ("out", np.int64),  # Lucky 8 that left the game
        ("reason", np.int64),  # index into REASONS; valid in OVER
    ]
)

STATE = np.dtype(
    [
        ("table", TABLE),
        ("deck", np.int64, DECK_SIZE),  # deck[deck_count - 1] is the top card; entries from deck_count on are 0
    ]
)

VIEW = np.dtype(
    [
        ("table", TABLE),
        ("seat", np.int64),  # whose view this is
        ("to_act", np.int64),  # seat to decide, NOBODY or CHANCE
    ]
)


# ---------------------------------------------------------------- moves


@inlined
def code(kind, part=0):
    """A move as one integer (see the table above)."""
    return (kind << 12) + part


@inlined
def kind_of(move):
    """The kind of a move."""
    return move >> 12


@inlined
def digit_of(move, die):
    """The lane to which a PLACE brings rolled[die]: 0 = it stays in hand, 1 + at = position at."""
    return (move >> (3 * die)) & 7


@inlined
def digit(lane, die):
    """The part of a PLACE that brings rolled[die] to a lane."""
    return lane << (3 * die)


@inlined
def stacked_card(move):
    """The card that a STACK lays."""
    return move & 4095


# ---------------------------------------------------------------- lanes


@inlined
def lane(lanes, i):
    """The value of a lane."""
    return (lanes >> (LANE_BITS * i)) & (2 * HAND + 1)


@inlined
def in_lane(value, i):
    """Lanes that hold ``value`` in lane i and 0 elsewhere; add or subtract it."""
    return value << (LANE_BITS * i)


@inlined
def total_of(lanes):
    """The sum of all lanes, if it is below 256."""
    return byte_sum(lanes)


@inlined
def at_least(lanes, value):
    """The set (guard bits) of the lanes that hold ``value`` (0 to 63) or more."""
    return ((lanes | GUARDS) - value * ONES) & GUARDS


@inlined
def first_lane(guards):
    """The first lane of a set of lanes that is not empty."""
    return lowest(guards) // LANE_BITS


@inlined
def fitting(rooms, value):
    """The set of the lanes that hold ``value`` (0 to 63) or more, as bits side by side: bit i stands for lane i."""
    return side_by_side(at_least(rooms, value))


@inlined
def in_lanes(guards, i):
    """Is lane i in a set of lanes?"""
    return guards & in_lane(GUARD, i) != 0


@inlined
def up_to(i):
    """The set of all lanes up to lane i."""
    return GUARDS & (in_lane(2 * GUARD - 1, i) | (in_lane(1, i) - 1))


@inlined
def filled(guards):
    """All bits of a set of lanes: with ``&``, the values of these lanes and 0 in the others."""
    return 2 * guards - (guards >> GUARD_BIT)


@inlined
def dice_at(table, seat, at):
    """How many dice a seat has on a row position."""
    return lane(table.counts[seat], at + 1)


@inlined
def hand_of(table, seat):
    """How many dice a seat has in hand, those rolled included."""
    return lane(table.hands, seat)


@inlined
def faces(face):
    """One die of that face, as ``dice`` counts it; nothing for 0, which is no die."""
    return (1 << (4 * face)) >> 4


# ---------------------------------------------------------------- bags: how often each number occurs, two bits each


@inlined
def bag_of(number):
    """The bag of one animal; add it to a bag or subtract it."""
    return 1 << (2 * (number - 1))


@inlined
def copies(bag, number):
    """How often a bag holds an animal."""
    return (bag >> (2 * (number - 1))) & 3


@inlined
def lowest_number(bag):
    """The lowest animal of a bag that is not empty."""
    return lowest(bag) // 2 + 1


@inlined
def highest_number(bag):
    """The highest animal of a bag that is not empty."""
    number = NUMBER_MAX
    while copies(bag, number) == 0:
        number -= 1
    return number


@inlined
def above(bag, number):
    """The part of a bag that lies above a number."""
    return bag & ~((1 << (2 * number)) - 1)


# ---------------------------------------------------------------- stacks


@inlined
def card_in_stack(table, seat, i):
    """The i-th animal of a seat's stack, 0 = at the bottom."""
    return (table.stack[seat, i // WORD_CARDS] >> (CARD_BITS * (i % WORD_CARDS))) & 31


@inlined
def in_stack(card, i):
    """A card as the i-th of a stack; add it to its word of the stack or subtract it."""
    return card << (CARD_BITS * (i % WORD_CARDS))


@inlined
def top_card(table, seat):
    """The animal on top of a seat's stack, or NO_CARD."""
    if table.stack_size[seat] == 0:
        return NO_CARD
    return card_in_stack(table, seat, table.stack_size[seat] - 1)


@inlined
def paws_of(rules, card):
    """The paws of an animal (section 1); a Lucky 8 has none of its own."""
    more = (card > LOW_MAX) * (rules.paws_mid - rules.paws_low) + (card > MID_MAX) * (rules.paws_high - rules.paws_mid)
    return ((card != LUCKY_8) & (card != NO_CARD)) * (rules.paws_low + more)


Move = namedtuple("Move", ("kind", "card", "die0", "die1", "die2", "die3"))


@inlined
def card_of(move):
    """The card that a STACK lays; of another move, its part."""
    return stacked_card(move)


@inlined
def die0_of(move):
    """Where a PLACE brings rolled[0]: 0 = it stays in hand, 1 + at = position at."""
    return digit_of(move, 0)


@inlined
def die1_of(move):
    """Where a PLACE brings rolled[1], likewise."""
    return digit_of(move, 1)


@inlined
def die2_of(move):
    """Where a PLACE brings rolled[2], likewise."""
    return digit_of(move, 2)


@inlined
def die3_of(move):
    """Where a PLACE brings rolled[3], likewise."""
    return digit_of(move, 3)


@inlined
def move_of(move):
    """The parts of a move by name; which of them mean something depends on its kind (see the table above)."""
    return Move(kind_of(move), card_of(move), die0_of(move), die1_of(move), die2_of(move), die3_of(move))
