"""Intervals, Elo, Holm's correction and the draw rate. Coverage is computed exactly or from fixed seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats  # type: ignore[import-untyped]

from tournament.intervals import (
    Interval,
    difference_interval,
    draw_probability,
    elo,
    elo_interval,
    holm,
    mean_interval,
    share_interval,
    student_quantile,
)

Sampler = Callable[[np.random.Generator, tuple[int, int]], npt.NDArray[np.float64]]


def totals(values: npt.ArrayLike) -> tuple[Any, Any, int]:
    array = np.asarray(values, dtype=np.float64)
    return array.sum(), (array**2).sum(), array.size


# Shares


def test_share_interval_by_hand() -> None:
    """30 wins and 10 losses: Agresti and Coull's N, centre and variance, with t in place of z."""
    z2 = stats.norm.ppf(0.975) ** 2
    deals = 40 + z2
    centre = (30 + z2 / 2) / deals
    half = stats.t.ppf(0.975, 42) * math.sqrt(centre * (1 - centre) / (deals - 1))
    share = share_interval(30, 30, 40)
    assert share.estimate == 0.75
    assert share.low == pytest.approx(centre - half)
    assert share.high == pytest.approx(centre + half)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 2, 10, 100, 10_000])
def test_share_interval_never_degenerates(value: float, n: int) -> None:
    """n equal scores: rare other results cannot be excluded, and the interval shrinks as 1 / n."""
    low, high = share_interval(n * value, n * value**2, n)[1:]
    assert 0.0 <= low <= value <= high <= 1.0
    width = high - low
    assert width > 1.0 / (n + 4)
    assert width < 12.0 / n


def test_no_deals() -> None:
    share = share_interval(0, 0, 0)
    assert math.isnan(share.estimate)
    assert share[1:] == (0.0, 1.0)
    assert share_interval(0, 0, 0, level=0.5)[1:] == (0.0, 1.0)


def test_share_interval_holds_its_estimate_and_takes_arrays() -> None:
    rng = np.random.default_rng(1)
    n = rng.integers(1, 50, (4, 5))
    scores = [[rng.beta(0.3, 0.2, size) for size in row] for row in n]
    sums = np.array([[deals.sum() for deals in row] for row in scores])
    squares = np.array([[(deals**2).sum() for deals in row] for row in scores])
    for level in (0.5, 0.9, 0.99):
        share = share_interval(sums, squares, n, level)
        assert share.low.shape == (4, 5)
        assert ((share.low >= 0) & (share.low <= share.estimate)).all()
        assert ((share.estimate <= share.high) & (share.high <= 1)).all()
        assert (share.low < share.high).all()
        one = share_interval(sums[1, 2], squares[1, 2], n[1, 2], level)
        assert one == (share.estimate[1, 2], share.low[1, 2], share.high[1, 2])
    assert (share_interval(sums, squares, n, 0.99).low <= share_interval(sums, squares, n, 0.9).low).all()


@pytest.mark.parametrize(("level", "least"), [(0.9, 0.878), (0.95, 0.941), (0.99, 0.989)])
def test_exact_coverage_of_wins_and_losses(level: float, least: float) -> None:
    """The least coverage is next to an end of one of the n + 1 intervals; n = 56 has the least of all at 95 %."""
    for n in (1, 2, 3, 5, 10, 20, 34, 56, 100, 300):
        wins = np.arange(n + 1)
        _, low, high = share_interval(wins, wins, n, level)
        chance = np.concatenate((low, high))
        chance = np.concatenate((chance - 1e-9, chance + 1e-9))
        chance = chance[(chance > 0) & (chance < 1)][:, None]
        covered = (low <= chance) & (chance <= high)
        coverage = (stats.binom.pmf(wins, n, chance) * covered).sum(axis=1)
        assert coverage.min(initial=1.0) > least


def paired(split: float, win: float) -> Sampler:
    """Deals of two mirrored matches: one win each with chance ``split`` (the deal decides), else both won or lost."""

    def sample(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
        return np.where(rng.random(shape) < split, 0.5, (rng.random(shape) < win).astype(np.float64))

    return sample


# Name, mean, how to draw deals' scores, and the least and the greatest coverage (in %) to expect for n = 2, 20 and 500.
CASES: list[tuple[str, float, Sampler, list[tuple[float, float]]]] = [
    ("all won", 1.0, lambda rng, shape: np.ones(shape), [(100, 100), (100, 100), (100, 100)]),
    ("nearly all won", 0.98, paired(0.0, 0.98), [(99, 100), (95, 100), (95, 97)]),
    ("fair coin", 0.5, paired(0.0, 0.5), [(99, 100), (95, 97), (94, 96)]),
    ("mostly split", 0.5, paired(0.9, 0.5), [(100, 100), (99, 100), (94, 97)]),
    ("half split", 0.55, paired(0.5, 0.6), [(99, 100), (96, 99), (94, 96)]),
    ("split, rarely lost", 0.45, paired(0.9, 0.0), [(100, 100), (99, 100), (94, 97)]),
    ("table of five", 0.2, lambda rng, shape: rng.binomial(5, 0.2, shape) / 5.0, [(99, 100), (96, 99), (94, 96)]),
    ("near the ends", 0.5, lambda rng, shape: rng.beta(0.1, 0.1, shape), [(99, 100), (95, 98), (94, 96)]),
    ("skewed", 0.1 / 3.1, lambda rng, shape: rng.beta(0.1, 3.0, shape), [(99, 100), (98, 100), (94, 96)]),
]


@pytest.mark.parametrize(("name", "mean", "sample", "expected"), CASES, ids=[case[0] for case in CASES])
def test_coverage_in_simulation(name: str, mean: float, sample: Sampler, expected: list[tuple[float, float]]) -> None:
    rng = np.random.default_rng(2)
    for n, (least, greatest) in zip((2, 20, 500), expected, strict=True):
        scores = sample(rng, (4_000, n))
        share = share_interval(scores.sum(axis=1), (scores**2).sum(axis=1), n)
        coverage = 100.0 * np.mean((share.low <= mean) & (mean <= share.high))
        assert least <= coverage <= greatest


def test_a_mirrored_set_has_a_narrower_interval_than_its_single_matches() -> None:
    deals = np.array([0.5] * 80 + [1.0] * 12 + [0.0] * 8)
    by_deal = share_interval(*totals(deals))
    by_match = share_interval(104, 104, 200)
    assert by_deal.estimate == by_match.estimate
    assert by_deal.high - by_deal.low < 0.7 * (by_match.high - by_match.low)


# Means and differences


def test_mean_interval_is_student_s() -> None:
    values = np.random.default_rng(3).normal(3.0, 10.0, 12)
    for level in (0.8, 0.95):
        interval = mean_interval(*totals(values), level)
        low, high = stats.ttest_1samp(values, 0.0).confidence_interval(level)
        assert interval == pytest.approx((values.mean(), low, high))


def test_mean_interval_of_few_or_equal_values() -> None:
    interval = mean_interval([0.0, 4.0, 12.0], [0.0, 16.0, 48.0], [0, 1, 3])
    np.testing.assert_array_equal(interval.estimate, [np.nan, 4.0, 4.0])
    np.testing.assert_array_equal(interval.low, [-np.inf, -np.inf, 4.0])
    np.testing.assert_array_equal(interval.high, [np.inf, np.inf, 4.0])


def test_bounds_stretch_the_share_interval() -> None:
    values = np.array([0.2, 0.9, 0.5, 0.4, 1.0, 0.0])
    share = share_interval(*totals(values))
    stretched = mean_interval(*totals(30.0 * values - 10.0), bounds=(-10.0, 20.0))
    assert stretched == pytest.approx(tuple(30.0 * x - 10.0 for x in share))
    equal = mean_interval(0, 0, 50, bounds=(-1.0, 1.0))
    assert equal.high == -equal.low > 0.03


def test_coverage_of_paired_differences() -> None:
    """Two bots on the same deals: what the deal gives to both cancels."""
    rng = np.random.default_rng(4)
    luck = rng.random((4_000, 30))
    first, second = (rng.random((4_000, 30)) < 0.3 + 0.5 * luck), (rng.random((4_000, 30)) < 0.2 + 0.5 * luck)
    differences = first.astype(np.float64) - second
    interval = mean_interval(differences.sum(axis=1), (differences**2).sum(axis=1), 30, bounds=(-1.0, 1.0))
    assert 0.95 <= np.mean((interval.low <= 0.1) & (interval.high >= 0.1)) <= 0.975


def test_difference_of_independent_shares() -> None:
    first, second = Interval(*np.array([0.7, 0.6, 0.78])), Interval(*np.array([0.5, 0.38, 0.61]))
    difference = difference_interval(first, second)
    assert difference == pytest.approx((0.2, 0.2 - math.hypot(0.1, 0.11), 0.2 + math.hypot(0.08, 0.12)))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_student_quantile(level: float) -> None:
    for freedom in (*range(1, 25), 100, 199, 200, 201, 300, 1_000, 10**6, 10**12):
        expected = stats.t.ppf((1 + level) / 2, freedom)
        assert student_quantile(level, freedom) == pytest.approx(expected, rel=1e-9)


# Elo


def test_elo() -> None:
    assert elo(0.5) == 0.0
    assert elo(10 / 11) == pytest.approx(400.0)
    assert elo([0.0, 0.25, 1.0]).tolist() == [-math.inf, pytest.approx(-190.848502), math.inf]
    assert elo([0.0, 0.5, 1.0], limit=800.0).tolist() == [-800.0, 0.0, 800.0]
    assert math.isnan(elo(math.nan))


def test_elo_interval() -> None:
    won = elo_interval(share_interval(20, 20, 20))
    assert (won.estimate, won.high) == (math.inf, math.inf)
    assert 200.0 < won.low < 300.0
    assert elo_interval(share_interval(20, 20, 20), limit=1000.0).high == 1000.0
    even = elo_interval(share_interval(50, 50, 100))
    assert even.low == pytest.approx(-even.high)
    assert 60.0 < even.high < 75.0
    unknown = elo_interval(share_interval(0, 0, 0))
    assert unknown[1:] == (-math.inf, math.inf)


# Holm and draws


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5, 1.0]).tolist() == [1.0, 1.0, 1.0]
    assert holm([0.2]).tolist() == [0.2]
    assert holm([]).tolist() == []


def test_holm_keeps_order_and_never_lowers() -> None:
    p_values = np.random.default_rng(5).random(30) ** 3
    adjusted = holm(p_values)
    assert (adjusted >= p_values).all()
    assert (np.diff(adjusted[np.argsort(p_values)]) >= 0).all()
    assert adjusted.min() == pytest.approx(30 * p_values.min())


def test_draw_probability() -> None:
    assert draw_probability(0, 0) == 0.0
    assert draw_probability(0, 100) == 0.0
    assert draw_probability(10, 99) == 0.1
    assert draw_probability(1_000_000, 1_000_000) < 1.0


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: share_interval(3, 5, 2), "do not fit"),
        (lambda: share_interval(-1, 1, 2), "do not fit"),
        (lambda: share_interval(1, 1.5, 2), "do not fit"),
        (lambda: share_interval(2, 1, 2), "too small"),
        (lambda: share_interval(0, 1, 0), "too small"),
        (lambda: share_interval(math.nan, 1, 2), "finite"),
        (lambda: share_interval(1, 1, -1), "whole numbers"),
        (lambda: share_interval(1, 1, 2.5), "whole numbers"),
        (lambda: share_interval(1, 1, 2, level=1.0), "level must be"),
        (lambda: mean_interval(1, 1, 2, bounds=(1.0, 1.0)), "bounds must be"),
        (lambda: mean_interval(1, 1, 2, bounds=(0.0, math.inf)), "bounds must be"),
        (lambda: student_quantile(0.0, 3), "level must be"),
        (lambda: student_quantile(0.9, 0), "at least 1"),
        (lambda: elo(1.01), "between 0 and 1"),
        (lambda: elo([0.5, -0.01]), "between 0 and 1"),
        (lambda: holm([0.5, 1.5]), "from 0 to 1"),
        (lambda: holm([math.nan]), "from 0 to 1"),
        (lambda: holm([[0.5]]), "one-dimensional"),
        (lambda: draw_probability(3, 2), "Draws must be"),
        (lambda: draw_probability(-1, 2), "Draws must be"),
    ],
)
def test_impossible_values_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=rf"{message}.*\.$"):
        call()
