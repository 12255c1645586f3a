"""Cards of the 52-card deck as numbers, and sets of cards as 64-bit masks.

A card is ``4 * rank + suit`` with ranks ``A23456789TJQK`` (0-12) and suits ``CDHS`` (0-3), so cards in rising
order are sorted by rank, then suit. A set of cards is an int64 with bit ``card`` set; 52 bits fit and the sign is
never touched. All functions take and return int64 in compiled code and plain integers otherwise.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from engine.kernel import kernel

RANKS = "A23456789TJQK"
SUITS = "CDHS"
NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
NUMBERS = {name: card for card, name in enumerate(NAMES)}

NO_CARD = -1
ALL_CARDS = (1 << 52) - 1
EMPTY = 0

ACE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING = range(13)


def of_rank(rank: int) -> int:
    """The four cards of a rank (for constants; kernels use the constants)."""
    return 0b1111 << (4 * rank)


def of_ranks(*ranks: int) -> int:
    """All cards of the given ranks (for constants)."""
    return sum(of_rank(rank) for rank in ranks)


def names(cards: int) -> list[str]:
    """The names of a set of cards, in card order."""
    return [NAMES[card] for card in range(52) if cards >> card & 1]


def count(cards):
    """How many cards a set has."""
    return int(cards).bit_count()


def lowest(cards):
    """The first card of a set that is not empty."""
    return (int(cards) & -int(cards)).bit_length() - 1


def rest(cards):
    """The set without its lowest card."""
    left = int(cards) & (int(cards) - 1)
    return left if left >= -(1 << 63) else EMPTY  # of a set of bit 63 alone, which is the sign


def highest(cards):
    """The last card of a set that is not empty."""
    return int(cards).bit_length() - 1


def place(index):
    """An index that is not negative, as one: compiled code then does not look whether it counts from the end."""
    return index


def builtin(function: Any, answer: Any, generate: Any) -> None:
    """Have compiled code use an instruction of the processor for ``function``, which takes one int64."""
    signature = answer(types.int64)

    @type_callable(function)
    def typed(_context: Any) -> Any:
        return lambda _cards: signature

    @lower_builtin(function, types.int64)
    def lowered(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return generate(builder, arguments[0])


_ONE = ir.Constant(ir.IntType(64), 1)
_YES = ir.Constant(ir.IntType(1), 1)  # the set is not empty
builtin(count, types.int64, lambda builder, cards: builder.ctpop(cards))
builtin(lowest, types.int64, lambda builder, cards: builder.cttz(cards, _YES))
builtin(
    highest, types.int64, lambda builder, cards: builder.xor(builder.ctlz(cards, _YES), ir.Constant(ir.IntType(64), 63))
)
builtin(rest, types.int64, lambda builder, cards: builder.and_(cards, builder.sub(cards, _ONE)))
builtin(place, types.uint64, lambda _builder, index: index)


@kernel
def one(card):
    """The set of one card."""
    return 1 << card


@kernel
def has(cards, card):
    """Is the card in the set?"""
    return (cards >> card) & 1 != 0


@kernel
def lower(card):
    """The set of all cards before ``card``."""
    return (1 << card) - 1


@kernel
def rank(card):
    """0 (ace) to 12 (king)."""
    return card >> 2


@kernel
def suit(card):
    """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card & 3


@kernel
def pick(cards, n):
    """The n-th card of a set (0 = lowest); n must be below its size."""
    for _ in range(n):
        cards &= cards - 1
    return lowest(cards)
