"""Jericho: the records that hold a match, the coding of its moves, and every named number.

**Spots.** A spot is one int64, ``at``: a column is STRIDE numbers wide, so that a step upwards adds 1 and a step to
the right adds STRIDE; spots in rising order are sorted by x, then y. There is no grid. Each open spot (section b) has
a *slot*, a number that it keeps while it is open; the facts about it stand there, and ``order`` lists the open spots
by ``at``. All is kept up to date as cards come and go. Which slot a spot has depends on how the table came about, and
nothing else does.

**Neighbours** are one int64, ``beside``: twelve bits a direction, 0 for nothing, a card plus 1 (the face-down base
counts as card BASE), or SLOT plus the slot of an open spot. Around a card on the table nothing is 0, and above the
directions stands how many cards there are: its occupied sides. Around an open spot only cards are noted.

**Moves** are int64, legal moves in rising order:

    PASS     0
    STOP     1
    place    at * 64 + card     (by x, then y, then card)
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.cards import ALL_CARDS, SUITS, of_rank, of_ranks
from engine.kernel import kernel

SEATS = 2
MOST_MOVES = 4096  # h cards in hand and n < 52 - h face up: at most h * (4n + 5) + 1 moves, which is at most 2731

# What lies on the table: cards 0-51, and the base while it is face down.
BASE = 52
LYING = 53
SLOT = 64  # in ``beside``, open spots come after the cards
SIDE = 1 << 48  # one occupied side in ``beside``

# Spots. In a match |x| + |y| <= 51 (section j); a position may name cards up to FARTHEST away.
STRIDE = 1 << 18
CENTRE = STRIDE * STRIDE // 2 + STRIDE // 2
FARTHEST = 100_000
RIGHT, UP, LEFT, DOWN = range(4)  # the opposite direction is two further on
STEP = np.array([STRIDE, 1, -STRIDE, -1])
MOST_SPOTS = 208  # at most 4 open spots around each of 51 cards, and the one at the centre
FEW_SPOTS, MANY_SPOTS = 32, 64  # more than most matches have half of the time, and ever

# Kinds of moves.
PASS, STOP, PLACE = range(3)

# What bots are told of them (docs/bots/jericho.md).
MOVE_KINDS = {
    "PASS": "place nothing",
    "STOP": "end the chain",
    "PLACE": "lay ``card`` on the open spot at column ``x``, row ``y``, whose number is ``spot``",
}

# Reasons (section f).
REASONS = ("passes", "turn_cap")
BY_PASSES, TURN_CAP = range(2)
NOT_OVER = -1

# Values of text options, in the order in which options.py lists them.
BY_RANK, FLAT = range(2)
SUIT_OR_RANK, COLOUR_OR_RANK = range(2)
OPTIONAL, FORCED, ONE_PLACEMENT = range(3)
AT_TURN_END, AT_ONCE = range(2)

# The cards whose fixed worth has bit 0, 1, 2, 3; aces and faces are worth what the options say.
WORTH_1, WORTH_2, WORTH_4, WORTH_8 = (of_ranks(*(r for r in range(1, 10) if (r + 1) & bit)) for bit in (1, 2, 4, 8))
ACES = of_rank(0)
FACES = of_ranks(10, 11, 12)

_BLACK = "CS"


def _matching(card: int, match_rule: int) -> int:
    """The cards that may lie beside ``card``; every card may lie beside the base."""
    if card == BASE:
        return ALL_CARDS
    suit = SUITS[card % 4]
    like = [suit] if match_rule == SUIT_OR_RANK else [s for s in SUITS if (s in _BLACK) == (suit in _BLACK)]
    return of_rank(card // 4) | sum(1 << other for other in range(52) if SUITS[other % 4] in like)


# MATCHING[match_rule, card]: the set of cards that match it.
MATCHING = np.array([[_matching(card, rule) for card in range(LYING)] for rule in (SUIT_OR_RANK, COLOUR_OR_RANK)])

# What both seats see (section h), the same in STATE and VIEW.
TABLE = np.dtype(
    [
        ("turn", np.int64),  # seat on turn; after the end the seat that moved last
        ("chain", np.int64),  # 1 in state CHAIN
        ("passes", np.int64),  # passes in a row so far
        ("turns", np.int64),  # turns finished so far
        ("reason", np.int64),  # index into REASONS, or NOT_OVER
        ("base_down", np.int64),  # 1 while the base lies face down at the centre
        ("face_up", np.int64),  # set: the face-up cards
        ("discard", np.int64),  # set
        ("captured", np.int64, SEATS),  # set: a seat's capture pile
        ("draw_count", np.int64),  # cards in the draw pile
        ("deck", np.int64),  # set: every card of the match (a position may leave some out)
        ("at", np.int64, LYING),  # the spot of each card on the table, 0 for the others
        ("beside", np.int64, LYING),  # what is around it, 0 for the others
    ]
)

# The open spots.
SPOTS = np.dtype(
    [
        ("count", np.int64),  # open spots
        ("used", np.int64),  # slots that are in use or have been
        (
            "order",
            np.int64,
            MOST_SPOTS,
        ),  # at * 256 + slot of the open spots, rising; then free slots
        ("at", np.int64, MOST_SPOTS),  # by slot: the spot; 0 for a free slot
        ("beside", np.int64, MOST_SPOTS),  # by slot: its neighbours
        ("near", np.int64, MOST_SPOTS),  # by slot, set: its neighbours, BASE included; EMPTY for a free slot
        ("fits", np.int64, MOST_SPOTS),  # by slot, set: the cards that fit there; EMPTY for a free slot
    ]
)

STATE = np.dtype(
    [
        ("table", TABLE),
        ("spots", SPOTS),
        ("hand", np.int64, SEATS),  # set: the cards in a seat's hand
        ("base_card", np.int64),  # the card that lies face down, or NO_CARD
        ("draw", np.int64, 52),  # draw[draw_count - 1] is drawn next
    ]
)

VIEW = np.dtype(
    [
        ("table", TABLE),
        ("spots", SPOTS),
        ("seat", np.int64),  # whose view this is
        ("to_act", np.int64),  # seat to decide, or NOBODY
        ("hand", np.int64),  # set: the own hand
        ("hand_count", np.int64, SEATS),  # sizes of both hands
        ("unseen", np.int64),  # set: other hand, draw pile and base
    ]
)


@kernel
def placement(at, card):
    """The move that lays ``card`` on the spot ``at``."""
    return at * 64 + card


@kernel
def spot_of(move):
    """The spot of a placement."""
    return move >> 6


@kernel
def card_of(move):
    """The card of a placement."""
    return move & 63


@kernel
def entry_at(entry):
    """The spot of an entry of ``order``."""
    return entry >> 8


@kernel
def entry_slot(entry):
    """The slot of an entry of ``order``."""
    return entry & 255


@kernel
def link(direction, node):
    """What a neighbour adds to ``beside``: a card plus 1, or SLOT plus a slot."""
    return node << (12 * direction)


@kernel
def node(beside, direction):
    """What is in that direction: 0, a card (or BASE) plus 1, or SLOT plus a slot."""
    return (beside >> (12 * direction)) & 4095


@kernel
def sides(beside):
    """How many sides of a card on the table are occupied."""
    return beside >> 48


@kernel
def neighbours(beside):
    """The set of cards (BASE included) around a card on the table or a spot."""
    found = card_set(beside & 4095) | card_set((beside >> 12) & 4095)
    found |= card_set((beside >> 24) & 4095) | card_set((beside >> 36) & 4095)
    return found >> 1  # nothing is bit 0 here


@kernel
def card_set(found):
    """The set of a card plus 1 if a node is one."""
    return (1 << (found & 63)) * (found < SLOT)


Move = namedtuple("Move", ("kind", "card", "spot", "x", "y"))


@kernel
def kind_of(move):
    """PASS, STOP or PLACE."""
    return min(move, PLACE)


@kernel
def x_of(move):
    """The column of a placement, 0 = the base's."""
    return (spot_of(move) - CENTRE + STRIDE // 2) // STRIDE


@kernel
def y_of(move):
    """The row of a placement, 0 = the base's."""
    return spot_of(move) - CENTRE - x_of(move) * STRIDE


@kernel
def move_of(move):
    """The parts of a move by name; a PASS or STOP has only its kind."""
    return Move(kind_of(move), card_of(move), spot_of(move), x_of(move), y_of(move))
