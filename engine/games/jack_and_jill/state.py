"""Jack and Jill: the records that hold a match, the coding of its moves, and every named number.

Well cards are the cards A to T of ``engine.cards`` (numbers 0 to 39, so a rising order is one of rising values), Hill
cards the J Q K (40 to 51). Sets of spots are masks of twelve bits.

A *part* is a set of cards of one hand: bit i stands for the i-th lowest card of that hand. Moves are int64, legal
moves in rising order: ``(((kind * 2^7 + a) * 2^7 + b) * 2^7 + c) * 2^3 + jokers``, where

    kind                    a                b              c               jokers
    MOVE_JACK MOVE_JILL     card             spot moved to
    MELEE                   monster's spot                  part: attack    flipped
    RANGED                  monster's spot   part: aim      part: attack    flipped
    REST                    card
    PASS
    TRADE                   card given       card taken
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.cards import lowest, of_rank, of_ranks, rest
from engine.kernel import kernel
from engine.rows import byte_sum

MOST_SEATS = 2
SPOTS = 12
ALL_SPOTS = (1 << SPOTS) - 1
MONSTERS = 10
WELL_CARDS = (1 << 40) - 1
FIRST_RANK = 10  # of the court cards
MOST_CARDS = 14  # two hands of the largest size
MOST_MOVES = 10457 + 1  # section 8, and room to try one more
MEMO = 256  # lost situations remembered, a power of 2; those that find no place are searched again

# Characters, which are also the seats of two players.
JACK, JILL = range(2)

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
SUITS = 4
RANKS = 3  # stages of monsters: Jacks, Queens, Kings

MOVE_JACK, MOVE_JILL, MELEE, RANGED, REST, PASS, TRADE = range(7)

# What bots are told of them (docs/bots/jack_and_jill.md).
MOVE_KINDS = {
    "MOVE_JACK": "Jack goes to the spot ``to`` with ``card``",
    "MOVE_JILL": "Jill goes to the spot ``to`` with ``card``",
    "MELEE": "Jack strikes the monster on ``spot`` with the part ``attack`` of the hand, flipping ``jokers`` Jokers",
    "RANGED": "Jill shoots at the monster on ``spot``, aiming with the part ``aim``, striking with the part ``attack``",
    "REST": "discard ``card`` and draw",
    "PASS": "do nothing",
    "TRADE": "give ``card`` to the partner and take ``taken``",
}

# Reasons (section 4), in the order of the tests.
REASONS = ("won", "stalled", "c1", "c2", "c3", "c4", "stuck")
WON, STALLED, C1, C2, C3, C4, STUCK = range(7)
OPEN = -1  # no reason: the match goes on

# Values of text options, in the order in which options.py lists them.
BY_RANK, ANY_ORDER = range(2)
STEPS, BETWEEN = range(2)
IN_RANGE, ALWAYS = range(2)
SOUND, LITERAL, OFF = range(3)

# The cards whose value has bit 0, 1, 2, 3: four population counts add up a set.
WORTH_1, WORTH_2, WORTH_4, WORTH_8 = (of_ranks(*(r for r in range(10) if (r + 1) & bit)) for bit in (1, 2, 4, 8))
OF_SUIT = np.array([sum(1 << (4 * rank + suit) for rank in range(10)) for suit in range(SUITS)])
OF_RANK = np.array([of_rank(rank) for rank in range(10)])

# The values of a hand stand in one integer, a byte a card; BYTES[part] are the bits of a part's cards.
BYTES = np.array([sum(255 << (8 * card) for card in range(7) if part >> card & 1) for part in range(128)])

# What all seats see (section 6), the same fields in STATE and VIEW.
TABLE = np.dtype(
    [
        ("turn", np.int64),  # seat on turn
        ("hill", np.int64, SPOTS),  # the court card of each spot
        ("down", np.int64),  # set of spots: face down
        ("pawn", np.int64, 2),  # the spots of Jack and Jill
        ("crown", np.int64),  # set of at most one spot: the crowned King's
        ("suit_spots", np.int64, SUITS),  # set of spots: where the cards of each suit lie
        ("rank_spots", np.int64, RANKS),  # the same for Jacks, Queens, Kings
        ("jokers", np.int64, MOST_SEATS),  # unused Jokers; alone only the first
        ("shown", np.int64, MOST_SEATS),  # set: cards of a hand which the partner knows; alone always empty
        ("hand_count", np.int64, MOST_SEATS),  # sizes of the hands
        ("well_count", np.int64),  # cards in the Well
        ("discard", np.int64),  # set
        ("scored", np.int64),  # set: the score pile
        ("stall", np.int64),  # passes and Trades in a row
        ("reason", np.int64),  # index into REASONS, or OPEN
    ]
)

# A situation on the way of a search, and how far its actions have been tried.
FRAME = np.dtype(
    [
        ("cards0", np.int64),  # set: what Jack may use (cards numbered as in ``search.py``)
        ("cards1", np.int64),  # set: what Jill may use
        ("most0", np.int64),  # most cards that Jack may still use
        ("most1", np.int64),  # most cards that Jill may still use
        ("jack", np.int64),  # spot
        ("jill", np.int64),  # spot
        ("up", np.int64),  # set: spots of the undefeated monsters
        ("jokers0", np.int64),  # unused Jokers of Jack
        ("jokers1", np.int64),  # unused Jokers of Jill
        ("key", np.int64),  # code of the situation in the memo
        ("slack", np.int64),  # what the cards are worth beyond what is needed
        ("stage", np.int64),  # kind of actions that are being tried
        ("targets", np.int64),  # set: monsters that Jill has still to try
        ("aim", np.int64),  # set: the Aim that is being tried; in Moves: 0 forwards, 1 backwards
        ("part", np.int64),  # set: the attack to try next; in Moves: cards still to try
        ("spent", np.int64),  # set: cards of the attack found last
        ("flipped", np.int64),  # Jokers of that attack
        ("spot", np.int64),  # monster of that attack
        ("steps", np.int64),  # way of the Move found last
    ]
)
MOST_FRAMES = MOST_CARDS + 3  # each action uses a card; there are three searches, one within the other

# What a search works with. Between searches ``memo`` is all 0.
END = np.dtype(
    [
        ("value", np.int64, MOST_CARDS),  # of each card
        ("sum_low", np.int64, 128),  # the sum of each set of cards 0 to 6 ...
        ("sum_high", np.int64, 128),  # ... and of cards 7 to 13
        ("of_suit", np.int64, SUITS),  # set: the cards of each suit
        ("frames", FRAME, MOST_FRAMES),  # from the first situation to the one that is being tried
        ("stored", np.int64),  # how many entries of memo are not 0
        ("memo", np.int64, MEMO),  # codes of lost situations at places given by ``place_of``
    ]
)

STATE = np.dtype(
    [
        ("table", TABLE),
        ("hand", np.int64, MOST_SEATS),  # set: the cards in a seat's hand
        ("in_well", np.int64),  # set: the cards of the Well
        ("well", np.int64, 40),  # well[well_count - 1] is the top card
        ("end", END),  # room for the search of C4
    ]
)

VIEW = np.dtype(
    [
        ("table", TABLE),
        ("seat", np.int64),  # whose view this is
        ("hand", np.int64, MOST_SEATS),  # set: the own hand, and what is certain of the partner's
        ("unseen", np.int64),  # set: the Well and the partner's hidden cards
    ]
)


@kernel
def code(kind, a=0, b=0, c=0, jokers=0):
    """A move as one integer (see the table above)."""
    return (((kind * 128 + a) * 128 + b) * 128 + c) * 8 + jokers


@kernel
def kind_of(move):
    """The kind of a move."""
    return move >> 24


@kernel
def card_of(move):
    """The card of a move: moved with, rested or given (part a)."""
    return (move >> 17) & 127


@kernel
def spot_of(move):
    """The spot of the monster that is attacked (part a)."""
    return (move >> 17) & 127


@kernel
def to_of(move):
    """The spot that a MOVE leads to (part b)."""
    return (move >> 10) & 127


@kernel
def taken_of(move):
    """The card that a TRADE takes (part b)."""
    return (move >> 10) & 127


@kernel
def aim_of(move):
    """The part of the hand that a RANGED attack aims with (part b); nothing for a MELEE attack."""
    return (move >> 10) & 127


@kernel
def attack_of(move):
    """The part of the hand that attacks (part c)."""
    return (move >> 3) & 127


@kernel
def jokers_of(move):
    """How many Jokers an attack flips."""
    return move & 7


@kernel
def cards_of(hand, part):
    """The cards of a part of a hand, as a set."""
    cards = 0
    while part:
        if part & 1:
            cards |= hand & -hand
        hand = rest(hand)
        part >>= 1
    return cards


@kernel
def part_of(hand, cards):
    """The part of a hand that its ``cards`` are: the reverse of :func:`cards_of`."""
    part = 0
    place = 1
    while hand:
        if cards & hand & -hand:
            part |= place
        place += place
        hand = rest(hand)
    return part


@kernel
def values_of(hand):
    """The values of a hand's cards in one integer, for :func:`part_sum`."""
    values = 0
    shift = 0
    while hand:
        values |= value(lowest(hand)) << shift
        shift += 8
        hand = rest(hand)
    return values


@kernel
def part_sum(values, part):
    """The sum of the values of a part of the hand that ``values_of`` gave ``values`` for."""
    return byte_sum(values & BYTES[part])


@kernel
def value(card):
    """What a Well card is worth, 1 to 10 (section 1)."""
    return (card >> 2) + 1


Move = namedtuple("Move", ("kind", "card", "spot", "to", "taken", "aim", "attack", "jokers"))


@kernel
def move_of(move):
    """The parts of a move by name; which of them mean something depends on its kind (see the table above)."""
    return Move(
        kind_of(move), card_of(move), spot_of(move), to_of(move), taken_of(move), aim_of(move), attack_of(move),
        jokers_of(move),
    )  # fmt: skip
