"""Queen of the Hill: cards of a pile or a zone counted in few words.

A *bag* says how many cards of each kind there are: WORDS int64 of eight kinds each, a byte a kind (at most 100 copies,
section j, so the sign is never touched). The *sums* of some cards are one int64 with four parts: how many cards they
are, Dark Ones left out; how many Dark Ones; their battle points; the squares of these. Bags and sums are added and
subtracted as they are.
"""

from __future__ import annotations

from engine.kernel import inlined

WORDS = 4

# Where the parts of sums begin: at most 250 cards of at most 20 points.
DARK_PART, POINTS_PART, SQUARES_PART = 10, 20, 34


@inlined
def word_of(card):
    """The word of a bag that counts this kind."""
    return card >> 3


@inlined
def copies_in(word, card):
    """How many cards of a kind the word that counts it has."""
    return (word >> (8 * (card & 7))) & 255


@inlined
def in_word(card, copies=1):
    """So many cards of a kind, as its word counts them."""
    return copies << (8 * (card & 7))


@inlined
def sums_of(points):
    """The sums of one card of so many points that is not a Dark One."""
    return 1 + (points << POINTS_PART) + (points * points << SQUARES_PART)


@inlined
def sums_of_dark_ones(dark_ones):
    """The sums of so many Dark Ones."""
    return dark_ones << DARK_PART


@inlined
def cards_in(sums):
    """How many cards, Dark Ones left out."""
    return sums & 1023


@inlined
def dark_ones_in(sums):
    """How many Dark Ones."""
    return (sums >> DARK_PART) & 1023


@inlined
def points_in(sums):
    """Their battle points as formed by a seat."""
    return (sums >> POINTS_PART) & 16383


@inlined
def squares_in(sums):
    """The sum of the squares of the battle points."""
    return sums >> SQUARES_PART
