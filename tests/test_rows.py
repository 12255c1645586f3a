"""Eight numbers in one step: the same compiled and interpreted, and nothing written beside them."""

from __future__ import annotations

import numpy as np

from engine.cards import lowest, rest
from engine.kernel import kernel
from engine.rows import GUARD_BIT, WIDTH, byte_sum, side_by_side, write_row


@kernel
def compiled(items, first, base, rows, row):
    write_row(items, first, base, rows, row)
    return 0


def test_a_row_goes_to_its_place_and_nowhere_else() -> None:
    rows = np.arange(3 * WIDTH).reshape(3, WIDTH) ** 2
    for first in range(4):
        for row in range(3):
            items = np.full(WIDTH + 4, -1)
            again = items.copy()
            compiled(items, first, 1000, rows, row)
            write_row(again, first, 1000, rows, row)
            assert items.tolist() == again.tolist()
            assert items.tolist() == [-1] * first + (1000 + rows[row]).tolist() + [-1] * (4 - first)


@kernel
def compiled_words(guards, word):
    return side_by_side(guards), byte_sum(word)


def test_bits_side_by_side_and_the_sum_of_bytes() -> None:
    dice = np.random.default_rng(3)
    for _ in range(200):
        chosen = dice.integers(0, 2, WIDTH).tolist()
        parts = dice.multinomial(255, [1 / WIDTH] * WIDTH).tolist()
        parts[-1] &= 127  # not the sign
        guards = sum(bit << (8 * i + GUARD_BIT) for i, bit in enumerate(chosen))
        word = sum(part << (8 * i) for i, part in enumerate(parts))
        expected = sum(bit << i for i, bit in enumerate(chosen)), sum(parts)
        assert compiled_words(guards, word) == expected
        assert (side_by_side(guards), byte_sum(word)) == expected


@kernel
def compiled_members(cards, members):
    n = 0
    while cards:
        members[n] = lowest(cards)
        cards = rest(cards)
        n += 1
    return n


def test_a_set_of_64_is_gone_through_to_the_sign() -> None:
    every = [0, 7, 31, 62, 63]
    for wanted in (every, every[3:], every[4:]):
        cards = np.int64(sum((1 << card) for card in wanted) - (1 << 64))
        members = np.zeros(WIDTH, np.int64)
        assert members[: compiled_members(cards, members)].tolist() == wanted
        alone = []
        while cards:
            alone.append(lowest(cards))
            cards = rest(cards)
        assert alone == wanted
