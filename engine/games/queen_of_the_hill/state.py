"""Queen of the Hill: the records that hold a match, the coding of its moves, and every named number.

A card is its kind: the number (0-31) of its ``[[kind]]`` block in the deck. A party is a seat (0-5) or DARK, the Dark
One as a player of his own. Moves are int64, legal moves in rising order: ``kind of move * 2^9 + (card + 1) * 2^3 +
(target + 1)``, where a part that a move does not use is NO_CARD or NOBODY (-1):

    kind of move              card                      target
    DRAW STOP FORM KEEP PASS
    PLAY                      the card played           a party, for effects aimed at one
    DISCARD                   the card discarded

Events: of a reshuffle the new deck, its top card first; of a hit the one card.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.cards import NO_CARD
from engine.contract import NOBODY
from engine.games.queen_of_the_hill.bags import WORDS
from engine.games.queen_of_the_hill.options import OPTIONS
from engine.kernel import inlined

MOST_SEATS = 6
PARTIES = 7
DARK = 6  # the Dark One among the parties
KINDS = 32  # most kinds of a deck (section j)
MOST_CARDS = 250  # most cards of a deck (section j)
MOST_MOVES = 2 + PARTIES * KINDS  # section j
MOST_EVENT = MOST_CARDS

HIDDEN = -2  # in a view: a card is there, but which one is not known

# Zones (section a); the order of ZONE_NAMES.
BATTLE, KEPT, READY = range(3)
ZONE_NAMES = ("battle", "keep", "ready")
ZONES = 3

# Stages (section b), in this order in POSITION's "stage".
TURN, DRAWING, PLACING, ESCAPING, MID_WINDOW, END_WINDOW, DARK_DRAWING, TALLY, DISCARDING, OVER = range(10)
STAGES = ("turn", "draw", "place", "escape", "mid_window", "end_window", "dark_draw", "tally", "discard", "over")

# Kinds of moves (section i).
DRAW, STOP, FORM, KEEP, PASS, PLAY, DISCARD = range(7)
MOVES = ("draw", "stop", "form", "keep", "pass", "play", "discard")

# What bots are told of them (docs/bots/queen_of_the_hill.md).
MOVE_KINDS = {
    "DRAW": "draw a card",
    "STOP": "draw no more this round",
    "FORM": "put the drawn card into the Battle Zone",
    "KEEP": "put the drawn card into the Keep Zone",
    "PASS": "play nothing",
    "PLAY": "play ``card``, aimed at the party ``target`` if it needs one",
    "DISCARD": "discard ``card``",
}

# Effects and timings (section b, Proactive plays), in the order of deck.py; 0 is a card without.
NO_EFFECT, DISCARD_BATTLE, DISCARD_READY, PEEK, MILL, BONUS, PENALTY, ESCAPE, CANCEL = range(9)
NO_TIMING, WHEN_DRAWING, AT_TALLY, OWN_TURN, ANY_TIME = range(5)

# Reasons (section f).
REASONS = ("rounds_won", "dark_one", "round_cap")
BY_ROUNDS, BY_DARK_ONE, ROUND_CAP = range(3)

# Values of text options, in the order in which options.py lists them.
BOTH_EMPTY, BATTLE_EMPTY, NEVER = range(3)
CONTINUES, ENDS = range(2)
SAME_STARTS, LEFT_STARTS = range(2)
EACH_DRAW, TURN_END = range(2)

# The rule options, then the deck: entries of kinds that it does not have are 0.
RULES = np.dtype(
    [
        ("players", np.int64),
        *((option.name, np.int64) for option in OPTIONS if option.kind != "data"),
        ("kinds", np.int64),  # how many kinds the deck has
        ("cards", np.int64),  # how many cards
        ("copies", np.int64, KINDS),  # cards of a kind in the deck
        ("points", np.int64, KINDS),  # battle points as formed by a seat
        ("effect", np.int64, KINDS),  # NO_EFFECT .. CANCEL
        ("timing", np.int64, KINDS),  # NO_TIMING .. ANY_TIME
        ("amount", np.int64, KINDS),  # how many or how much its effect takes or gives
        ("own_zone", np.int64, KINDS),  # 1: a DISCARD_BATTLE that may hit the own zone
        ("dark_ones", np.int64),  # set: the kinds of type dark_one
        # What ``plays.prepare`` derives: sets of kinds that fit at each stage for the active seat (1) and others (0)
        ("proactive", np.int64, (2, len(STAGES))),
        ("cancels", np.int64, (2, len(STAGES))),  # the same for what cancels
        ("escapes", np.int64),  # set: the kinds that escape
        ("sums", np.int64, KINDS),  # of one card of each kind
        ("deck_sums", np.int64),  # of the whole deck
    ]
)

# What is open to all (section h), the same fields in STATE and VIEW.
TABLE = np.dtype(
    [
        ("round_number", np.int64),  # from 1
        ("starter", np.int64),  # seat that began the round
        ("active", np.int64),  # party, or NOBODY
        ("stage", np.int64),  # TURN .. OVER
        ("decider", np.int64),  # the seat to decide, or CHANCE, or NOBODY
        ("deck_count", np.int64),  # cards in the deck
        ("discard_count", np.int64),  # cards in the discard pile
        ("discards", np.int64, WORDS),  # bag
        ("discard_sums", np.int64),  # of the discard pile
        ("held", np.int64, (PARTIES, ZONES)),  # cards in each zone
        ("wins", np.int64, PARTIES),  # rounds won
        ("bonus", np.int64, PARTIES),  # battle points besides those of cards, this round
        ("draws", np.int64, MOST_SEATS),  # cards drawn this round
        ("busted", np.int64, MOST_SEATS),  # 1: has drawn a Dark One this round without escaping
        ("peek", np.int64, MOST_SEATS),  # how many top cards a seat knows
        ("peekers", np.int64),  # set: the seats that know any
        ("due", np.int64),  # cards that the Dark One has still to draw (DARK_DRAWING)
        ("window_next", np.int64),  # the seat asked in a window, or NOBODY
        ("window_left", np.int64),  # seats still to be asked, that one included
        ("reply_next", np.int64),  # the seat that may answer the chain, or NOBODY
        ("reply_left", np.int64),  # seats still to be asked for an answer, that one included
        ("chain_count", np.int64),  # cards in the chain
        ("chain_target", np.int64),  # the party that its first card is aimed at, or NOBODY
        ("hit_of", np.int64),  # party whose zone is hit, or NOBODY
        ("hit_zone", np.int64),  # BATTLE or READY
        ("hit_left", np.int64),  # hits still to come; 0 = none pending
    ]
)

STATE = np.dtype(
    [
        ("table", TABLE),
        ("drawn", np.int64),  # the card being placed or escaped, or NO_CARD
        ("drawn_known", np.int64),  # set of seats that know it (PLACING), the active one left out
        ("zone", np.int64, (PARTIES, ZONES, WORDS)),  # a bag each
        ("sums", np.int64, (PARTIES, ZONES)),  # of the cards in each zone
        ("kinds", np.int64, (PARTIES, ZONES)),  # set: the kinds in each zone
        ("deck", np.int64, MOST_CARDS),  # deck[deck_count - 1] is the top card
        ("chain_card", np.int64, MOST_CARDS),
        ("chain_by", np.int64, MOST_CARDS),
        # Cards known to seats in others' zones (section h, seen), a row a card in any order
        ("seen_count", np.int64),
        ("seen", np.int64, MOST_CARDS),  # where and what (seen_code)
        ("seen_by", np.int64, MOST_CARDS),  # set of the seats that know it, not empty
    ]
)

VIEW = np.dtype(
    [
        ("table", TABLE),
        ("seat", np.int64),  # whose view this is
        ("drawn", np.int64),  # a card, HIDDEN or NO_CARD
        ("drawn_known", np.int64),  # 1: this seat knows the card that another one is placing
        ("own", np.int64, (ZONES, WORDS)),  # the own zones, a bag each
        ("own_sums", np.int64, ZONES),  # of the cards in each own zone
        ("has_more", np.int64),  # 1: there may be anything in the fields below
        ("knows", np.int64),  # 1: anything in known
        ("known", np.int64, (PARTIES, ZONES, WORDS)),  # cards known from seen, a bag for each zone
        ("known_sums", np.int64, (PARTIES, ZONES)),  # of the cards in known
        ("shown", np.int64, (PARTIES, WORDS)),  # bags: all Battle Zones, own one included, at TALLY; else 0
        ("shown_sums", np.int64, PARTIES),  # likewise
        ("top", np.int64, MOST_CARDS),  # the table.peek[seat] known top cards, top[0] first; the rest is NO_CARD
        ("chain_card", np.int64, MOST_CARDS),  # chain_count entries; the rest is NO_CARD
        ("chain_by", np.int64, MOST_CARDS),  # likewise; the rest is NOBODY
    ]
)


@inlined
def code(kind, card=NO_CARD, target=NOBODY):
    """A move as one integer (see the table above)."""
    return (kind * 64 + card + 1) * 8 + target + 1


@inlined
def kind_of(move):
    """The kind of a move."""
    return move >> 9


@inlined
def card_of(move):
    """The card that a move plays or discards, or NO_CARD."""
    return ((move >> 3) & 63) - 1


@inlined
def target_of(move):
    """The party that a play is aimed at, or NOBODY."""
    return (move & 7) - 1


@inlined
def seen_code(party, zone, card):
    """A known card's place and kind as one integer, in the order of parties, zones and kinds."""
    return (party * ZONES + zone) * KINDS + card


Move = namedtuple("Move", ("kind", "card", "target"))


@inlined
def move_of(move):
    """The parts of a move by name."""
    return Move(kind_of(move), card_of(move), target_of(move))
