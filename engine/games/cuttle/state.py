"""Cuttle: the records that hold a match, the coding of its moves, and every named number.

Moves are int64, legal moves in rising order: ``kind * 2^18 + (a + 1) * 2^12 + (b + 1) * 2^6 + (c + 1)``, where a
part that a move does not use is NO_CARD (-1):

    kind                          a                 b                        c
    DRAW PASS RESOLVE
    POINTS ROYAL                  card
    SCUTTLE JACK_ON               card              point card
    ONEOFF                        card              target of a Two or Nine  second target of a Nine
    COUNTER THREE_PICK FIVE_DROP  card
    FOUR_DROP LIMIT_DROP          first card        second card              third card
    POINTS + FROM_SEVEN, ...      revealed card     as above                 as above
    SEVEN_SCRAP                   revealed card

The chance event (four_random) holds the cards that a Four takes, ascending; unused entries are NO_CARD.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.cards import (
    ACE,
    EIGHT,
    FIVE,
    FOUR,
    JACK,
    KING,
    NINE,
    NO_CARD,
    QUEEN,
    SEVEN,
    SIX,
    TEN,
    THREE,
    TWO,
    of_rank,
    of_ranks,
    one,
)
from engine.kernel import kernel

SEATS = 2
MOST_MOVES = 22_100  # section 9: the ways to choose three of 52 cards
MOST_EVENT = 3

# Phases (section 3), in this order in POSITION's "phase"; a Four that takes cards at random is a phase of its own here.
MAIN, COUNTERING, PICKING, DROPPING_FOUR, DROPPING_FIVE, REVEALING, LIMITING, OVER, TAKING_FOUR = range(9)
PHASES = ("main", "counter", "three", "four", "five", "seven", "limit", "over", "four")

# Kinds of moves; a revealed card is played with the kind of the same play from hand, plus FROM_SEVEN.
DRAW, PASS, POINTS, SCUTTLE, ROYAL, JACK_ON, ONEOFF, RESOLVE, COUNTER, THREE_PICK = range(10)
FOUR_DROP, FIVE_DROP, LIMIT_DROP = range(10, 13)
FROM_SEVEN = 13
SEVEN_SCRAP = ONEOFF + FROM_SEVEN + 1

# What bots are told of them (docs/bots/cuttle.md); with FROM_SEVEN the card is one that a Seven reveals.
MOVE_KINDS = {
    "DRAW": "draw the top card",
    "PASS": "pass, where nothing can be drawn",
    "POINTS": "lay ``card`` down for its points",
    "SCUTTLE": "scuttle the point card ``target`` with ``card``",
    "ROYAL": "lay down a King, Queen or Glasses Eight, ``card``",
    "JACK_ON": "steal the point card ``target`` with the Jack ``card``",
    "ONEOFF": "play ``card`` for its one-off effect, aimed at ``target`` and ``third`` if it needs targets",
    "RESOLVE": "let the one-off happen",
    "COUNTER": "counter the one-off with the Two ``card``",
    "THREE_PICK": "take ``card`` from the scrap",
    "FOUR_DROP": "give up ``card``, ``target`` and ``third`` to a Four, as many as it takes",
    "FIVE_DROP": "discard ``card`` for a Five",
    "LIMIT_DROP": "discard ``card``, ``target`` and ``third`` down to the hand limit",
    "FROM_SEVEN + POINTS": "lay the revealed ``card`` down for its points",
    "FROM_SEVEN + SCUTTLE": "scuttle ``target`` with the revealed ``card``",
    "FROM_SEVEN + ROYAL": "lay the revealed King, Queen or Glasses Eight ``card`` down",
    "FROM_SEVEN + JACK_ON": "steal ``target`` with the revealed Jack ``card``",
    "FROM_SEVEN + ONEOFF": "play the revealed ``card`` for its one-off effect",
    "SEVEN_SCRAP": "scrap the revealed ``card``, as all are Jacks without a target",
}

# Reasons (section 6).
REASONS = ("points", "stalemate", "turn_cap")
BY_POINTS, STALEMATE, TURN_CAP = range(3)

# Values of text options, in the order in which options.py lists them.
MOVER_WINS, BOTH_DRAW = range(2)
SUIT_SCUTTLES, TIES_NEVER, TIES_ANY = range(3)
REFUSES, DISCARDS = range(2)  # hand_limit_rule
TO_HAND, ON_DECK, TWO_TO_HAND = range(3)  # nine_effect

NUMBER_CARDS = of_ranks(*range(ACE, TEN + 1))
ROYAL_CARDS = of_ranks(EIGHT, QUEEN, KING)
ACES, TWOS, THREES, FOURS, EIGHTS, NINES, JACKS, QUEENS, KINGS = (
    of_rank(r) for r in (ACE, TWO, THREE, FOUR, EIGHT, NINE, JACK, QUEEN, KING)
)
FIVES_SEVENS = of_ranks(FIVE, SEVEN)
UNTARGETED = of_ranks(ACE, THREE, FOUR, FIVE, SIX, SEVEN)
TARGETED = of_ranks(TWO, NINE)

# The cards whose points have bit 0, 1, 2, 3: four population counts add up a side.
WORTH_1, WORTH_2, WORTH_4, WORTH_8 = (
    of_ranks(*(r for r in range(ACE, TEN + 1) if (r + 1) & bit)) for bit in (1, 2, 4, 8)
)

# What both seats see (section 7), the same fields in STATE and VIEW.
TABLE = np.dtype(
    [
        ("turn", np.int64),  # seat on turn
        ("turns", np.int64),  # turns completed
        ("passes", np.int64),  # consecutive passes that ended the last turns
        ("phase", np.int64),  # MAIN .. OVER
        ("card", np.int64),  # one-off waiting to resolve (COUNTERING), Three that picks (PICKING), or NO_CARD
        ("target", np.int64),  # what the waiting Two or Nine aims at, or NO_CARD
        ("target2", np.int64),  # the second target of a Nine that has two, or NO_CARD
        ("counters", np.int64),  # how many Twos have been played on it
        ("counter", np.int64, 4),  # these Twos in order; unused entries are NO_CARD
        ("points", np.int64, SEATS),  # set: point cards on a seat's side
        ("royals", np.int64, SEATS),  # set: its Kings, Queens and Glasses Eights
        ("known", np.int64, SEATS),  # set: cards in its hand which the other seat has seen there
        ("frozen", np.int64, SEATS),  # set of at most one card of its hand
        ("jacks", np.int64),  # set: the Jacks that lie on point cards
        ("jack_on", np.int64, 4),  # the point card under the Jack of each suit, or NO_CARD
        ("jack_height", np.int64, 4),  # its place in that stack, 0 = directly on the card
        ("scrap", np.int64),  # set
        ("deck_count", np.int64),  # cards in the deck
        ("deck_known", np.int64),  # how many from the top both seats know
        ("winner", np.int64),  # seat, or -1; valid in phase OVER
        ("reason", np.int64),  # index into REASONS; valid in phase OVER
    ]
)

STATE = np.dtype(
    [
        ("table", TABLE),
        ("hand", np.int64, SEATS),  # set: the cards in a seat's hand
        ("in_deck", np.int64),  # set: the cards of the deck
        ("deck", np.int64, 52),  # deck[deck_count - 1] is the top card
    ]
)

VIEW = np.dtype(
    [
        ("table", TABLE),
        ("seat", np.int64),  # whose view this is
        ("to_act", np.int64),  # seat to decide, or NOBODY
        ("hand", np.int64, SEATS),  # set: the own hand, and what is certain of the other
        ("hand_count", np.int64, SEATS),  # sizes of both hands
        ("unseen", np.int64),  # set: every card hidden from this seat
        ("top", np.int64, 52),  # the known top cards, top[0] first; the rest is NO_CARD
    ]
)


@kernel
def on_turn(state):
    """The seat on turn, 0 or 1, and seen by the compiler to be: it need not look whether an index is negative."""
    return state.table.turn & 1


@kernel
def code(kind, a=NO_CARD, b=NO_CARD, c=NO_CARD):
    """A move as one integer (see the table above)."""
    return ((kind * 64 + a + 1) * 64 + b + 1) * 64 + c + 1


@kernel
def kind_of(move):
    """The kind of a move."""
    return move >> 18


@kernel
def card_of(move):
    """The card that a move plays, picks or drops (part a), or NO_CARD."""
    return ((move >> 12) & 63) - 1


@kernel
def target_of(move):
    """The card that a move is aimed at (part b), or NO_CARD."""
    return ((move >> 6) & 63) - 1


@kernel
def dropped_by(move):
    """The set of cards that a FOUR_DROP or LIMIT_DROP names."""
    cards = one(card_of(move))
    if target_of(move) != NO_CARD:
        cards |= one(target_of(move))
    if third_of(move) != NO_CARD:
        cards |= one(third_of(move))
    return cards


@kernel
def third_of(move):
    """The third card of a drop, or the second target of a Nine (part c), or NO_CARD."""
    return (move & 63) - 1


Move = namedtuple("Move", ("kind", "card", "target", "third"))


@kernel
def move_of(move):
    """The parts of a move by name."""
    return Move(kind_of(move), card_of(move), target_of(move), third_of(move))
