"""The jackknife over batches of deals: against closed forms and scipy, its coverage, and where it must be silent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from tournament.statistics.estimate import (
    HIGHER,
    LOWER,
    SAME,
    Estimate,
    Jackknifed,
    elo,
    holm,
    jackknife,
    separated,
)

Array = np.ndarray[Any, Any]


def mean_of(values: Array, batches: int, bounds: tuple[float, float] | None = None) -> Jackknifed:
    """The jackknifed mean of values (deals, ...), cut into batches of equal size."""
    size = len(values) // batches
    sums = values.reshape(batches, size, *values.shape[1:]).sum(axis=1)
    deals = np.full((batches,) + (1,) * (values.ndim - 1), size)

    def mean(total: Array, count: Array) -> Array:
        return total / count

    return jackknife(mean, [sums, np.broadcast_to(deals, sums.shape)], np.broadcast_to(deals, sums.shape), 1, bounds)


def test_the_error_of_a_mean_is_that_of_the_batches_means() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    found = mean_of(values, 40)
    batches = values.reshape(40, 10).mean(axis=1)
    assert float(found.value) == pytest.approx(values.mean())
    assert float(found.error) == pytest.approx(batches.std(ddof=1) / math.sqrt(40))
    low, high = stats.ttest_1samp(batches, 0.0).confidence_interval(0.95)
    estimate = found.estimate()
    assert [estimate.value, estimate.low, estimate.high] == pytest.approx([values.mean(), low, high])
    assert estimate.n == 400
    assert float(found.p_values(2.9)) == pytest.approx(stats.ttest_1samp(batches, 2.9).pvalue)


def test_one_deal_a_batch_is_the_cluster_formula() -> None:
    """Matches of a deal that agree count once: the error is that of the deals' means, not of the matches."""
    rng = np.random.default_rng(2)
    deals = rng.random(90) < 0.5
    matches = np.repeat(deals[:, None], 6, axis=1).astype(np.float64)
    found = mean_of(matches.sum(axis=1) / 6.0, 90, (0.0, 1.0))
    assert float(found.error) == pytest.approx(deals.std(ddof=1) / math.sqrt(90))


def test_unequal_batches_and_ratios_have_the_error_of_the_ratio_estimate() -> None:
    """A ratio of sums: the jackknife agrees with linearisation."""
    rng = np.random.default_rng(3)
    below = rng.integers(5, 15, 3000).astype(np.float64)
    above = 0.3 * below + rng.normal(0.0, 1.0, 3000)
    edges = np.arange(0, 3000, 31)
    sums = [np.add.reduceat(part, edges) for part in (above, below)]
    found = jackknife(lambda a, b: a / b, sums, np.full(len(edges), 31))
    residual = above - above.sum() / below.sum() * below
    assert float(found.error) == pytest.approx(residual.std() * math.sqrt(3000) / below.sum(), rel=0.1)


@pytest.mark.parametrize(("deals", "batches"), [(2000, 100), (200, 100), (60, 60), (8, 8)])
@pytest.mark.parametrize("chance", [0.5, 0.1, 0.02, 0.005])
def test_coverage_of_a_share(deals: int, batches: int, chance: float) -> None:
    """And the test agrees with the interval in every single case."""
    values = (np.random.default_rng(4).random((deals, 1000)) < chance).astype(np.float64)
    found = mean_of(values, batches, (0.0, 1.0))
    low, high = found.interval()
    covered = (low <= chance) & (chance <= high)
    assert float(covered.mean()) >= (0.9 if deals * chance <= 1.0 else 0.93)
    assert float(covered.mean()) <= (0.97 if deals * chance >= 20.0 else 1.0)
    assert (covered == (found.p_values(chance) >= 0.05)).all()


def test_coverage_of_a_paired_difference() -> None:
    rng = np.random.default_rng(5)
    luck = rng.random((1000, 2000))
    one, two = (mean_of((luck < chance).astype(np.float64), 100, (0.0, 1.0)) for chance in (0.55, 0.5))
    gap = one - two
    low, high = gap.interval()
    assert 0.93 <= float(((low <= 0.05) & (high >= 0.05)).mean()) <= 0.97
    # The two share their deals, so the difference is known far better than either.
    assert float(np.median(gap.error)) < 0.5 * float(np.median(one.error))
    assert gap.bounds == (-1.0, 1.0)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_never_and_always_have_one_sided_bounds(share: float) -> None:
    found = mean_of(np.full(120, share), 60, (0.0, 1.0)).estimate()
    rare = 1.0 - 0.05 ** (1.0 / 120)
    assert rare == pytest.approx(3 / 120, rel=0.02)
    ends = (0.0, rare) if share == 0.0 else (1.0 - rare, 1.0)
    assert [found.value, found.low, found.high] == pytest.approx([share, *ends])


def test_always_even_is_not_certainly_even() -> None:
    """All deals split: others can only be rarer than 3 / n."""
    found = mean_of(np.full(100, 0.5), 100, (0.0, 1.0))
    assert found.estimate().high == pytest.approx(0.5 + 0.5 * (1.0 - 0.05**0.01))
    assert float(found.p_values(0.5)) == 1.0


def test_p_values_of_what_has_no_spread() -> None:
    """100 deals all won: if the mean were 0.5, each deal would be a full win with a chance of at most one half."""
    found = mean_of(np.ones(20), 20, (0.0, 1.0))
    assert float(found.p_values(0.5)) == pytest.approx(2.0 * 0.5**20)
    assert float(mean_of(np.full(20, 7.0), 20).p_values(3.0)) == 1.0


def test_where_nothing_can_be_said() -> None:
    one_batch = mean_of(np.array([0.0, 1.0, 1.0]), 1, (0.0, 1.0)).estimate()
    assert (one_batch.low, one_batch.high) == (None, None)
    constant = mean_of(np.full(30, 7.0), 30).estimate()
    assert constant == Estimate(7.0, None, None, 30)
    empty = jackknife(lambda a, b: a / b, [np.zeros(5), np.zeros(5)], np.zeros(5, np.int64))
    assert empty.estimate() == Estimate(None, None, None, 0)
    assert float(empty.p_values()) == 1.0


def test_batches_without_deals_do_not_count() -> None:
    values = np.random.default_rng(6).normal(0.0, 1.0, 20)
    deals = np.ones(20, np.int64)
    whole = jackknife(lambda a, b: a / b, [values, deals], deals)
    padded = [np.concatenate([part, np.zeros(7)]) for part in (values, deals)]
    more = jackknife(lambda a, b: a / b, padded, np.concatenate([deals, np.zeros(7, np.int64)]))
    assert whole.estimate().low == pytest.approx(more.estimate().low)
    assert int(more.freedom) == 19


def test_a_share_of_single_matches_has_wilson_s_interval() -> None:
    values = (np.arange(100) < 7).astype(np.float64)
    found = mean_of(values, 100, (0.0, 1.0))
    t, n = stats.t.ppf(0.975, 99), 99.0  # the error's n is one less
    centre = (0.07 + t * t / (2 * n)) / (1 + t * t / n)
    half = t / (1 + t * t / n) * math.sqrt(0.07 * 0.93 / n + t * t / (4 * n * n))
    assert found.estimate().low == pytest.approx(centre - half)
    assert found.estimate().high == pytest.approx(centre + half)


def test_intervals_that_hold_together_are_wider() -> None:
    found = mean_of(np.random.default_rng(7).normal(0.0, 1.0, 300), 100)
    low, high = found.interval(comparisons=4)
    quantile = stats.t.ppf(1.0 - 0.025 / 4, 99)
    assert float(high - low) == pytest.approx(2.0 * quantile * float(found.error))


def test_separated_is_holm() -> None:
    verdicts, adjusted = separated(np.array([1.0, -1.0, 1.0]), np.array([0.01, 0.02, 0.06]))
    assert adjusted.tolist() == pytest.approx([0.03, 0.04, 0.06])
    assert verdicts == [HIGHER, LOWER, SAME]


def test_elo() -> None:
    assert elo(0.5) == 0.0
    assert elo(10 / 11) == pytest.approx(400.0)
    assert elo([0.0, 0.25, 1.0]).tolist() == [-math.inf, pytest.approx(-190.848502), math.inf]
    assert elo([0.0, 0.5, 1.0], limit=800.0).tolist() == [-800.0, 0.0, 800.0]
    assert math.isnan(elo(math.nan))


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


@pytest.mark.parametrize("values", [[0.5, 1.5], [math.nan], [[0.5]]])
def test_what_are_no_p_values_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="one-dimensional list of numbers from 0 to 1"):
        holm(values)


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        elo([0.5, -0.01])
