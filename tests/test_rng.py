"""The random numbers: the published generator, unbiased, and streams that are apart."""

from __future__ import annotations

import numpy as np
import pytest

from engine.rng import MASK, next_word, random_below, random_unit, seed_stream, shuffle


def _textbook_sfc32(state: list[int], count: int) -> list[int]:
    """sfc32 as PractRand gives it, in plain unsigned 32-bit arithmetic."""
    a, b, c, counter = state
    words = []
    for _ in range(count):
        word = (a + b + counter) % 2**32
        counter = (counter + 1) % 2**32
        a = b ^ (b >> 9)
        b = (c * 9) % 2**32
        c = (((c << 21) | (c >> 11)) + word) % 2**32
        words.append(word)
    return words


def _stream(seed: int, deal: int, stream: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    rng = np.zeros(4, np.int64)
    seed_stream(rng, seed, deal, stream)
    return rng


@pytest.mark.parametrize("start", [[1, 2, 3, 1], [MASK, MASK, MASK, MASK], [0, 0, 0, 1], [123456789, 362436069, 5, 9]])
def test_words_are_those_of_sfc32(start: list[int]) -> None:
    rng = np.array(start, np.int64)
    assert [int(next_word(rng)) for _ in range(200)] == _textbook_sfc32(start, 200)


def test_seeding_is_sfc32_after_fifteen_rounds() -> None:
    seed, deal = (7 << 40) + 5, (3 << 33) + 11
    expected = _textbook_sfc32([seed & MASK, seed >> 32, deal & MASK, ((deal >> 32) << 6) + 2 + 1], 20)[15:]
    rng = _stream(seed, deal, 2)
    assert [int(next_word(rng)) for _ in range(5)] == expected


def test_streams_and_neighbours_differ_everywhere() -> None:
    keys = [(s, d, t) for s in (0, 1, 2**32, 2**63 - 1) for d in (0, 1, 2**32, 2**40) for t in range(7)]
    first = {tuple(int(next_word(rng)) for _ in range(4)) for rng in (_stream(*key) for key in keys)}
    assert len(first) == len(keys)


def test_numbers_below_n_are_uniform() -> None:
    """Chi-squared over all residues at a fixed seed; 1e-6 quantiles, so only a broken generator fails."""
    for n, limit in ((2, 24.0), (7, 38.0), (52, 120.0)):
        rng = _stream(3, n, 0)
        counts = np.bincount([int(random_below(rng, n)) for _ in range(20_000)], minlength=n)
        expected = 20_000 / n
        assert len(counts) == n
        assert ((counts - expected) ** 2 / expected).sum() < limit


def test_rejection_happens_exactly_where_it_must() -> None:
    # For n just above 2^30 a quarter of all words is rejected: the results still cover the whole range evenly.
    n = (1 << 30) + 1
    rng = _stream(1, 1, 1)
    numbers = [int(random_below(rng, n)) for _ in range(4000)]
    assert min(numbers) >= 0
    assert max(numbers) < n
    assert abs(sum(number < n // 2 for number in numbers) - 2000) < 160


def test_shuffle_is_a_permutation_and_every_order_occurs() -> None:
    rng = _stream(9, 0, 0)
    orders = set()
    for _ in range(400):
        items = np.arange(4)
        shuffle(rng, items, 4)
        assert sorted(items) == [0, 1, 2, 3]
        orders.add(tuple(int(item) for item in items))
    assert len(orders) == 24


def test_unit_floats_lie_in_the_unit_interval() -> None:
    rng = _stream(2, 2, 2)
    values = [float(random_unit(rng)) for _ in range(1000)]
    assert min(values) >= 0.0
    assert max(values) < 1.0
