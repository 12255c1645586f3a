"""Estimates with intervals: one method for everything that is computed from a run's deals.

Deals come in K blocks (``tally``), 65 to 128 of a run unless it is small or short of memory. A statistic is a function
of sums over deals, so it can be computed again without each block in turn. How much that moves it gives its standard
error, the delete-one-block jackknife (Quenouille 1956, Tukey 1958; for blocks of dependent observations Kuensch, "The
jackknife and the bootstrap for general stationary observations", Annals of Statistics 17, 1989):

    error^2 = (K - 1) / K  sum_k (left_k - mean of left)^2

and the interval is value +- t error, t Student's quantile at K - 1 degrees of freedom. Blocks are unions of deals, so
intervals are clustered on deals: the seatings that share a deal count as one observation. Two variants that met the
same deals in the same blocks are compared by the jackknife of their difference, which is paired on deals.

A mean of numbers between two bounds, such as a share, is treated as a proportion p of as many coin flips as would have
the same error, n* = p (1 - p) / error^2 (Kish's effective sample size), and gets Wilson's score interval ("Probable
inference", JASA 22, 1927) with t in place of z: near the bounds the plain one misses too often. If all blocks agree,
the error is 0, yet other deals may only be rare: what was not seen in D deals has a probability below
r = 1 - 0.05^(1/D), some 3/D, at 95 % (the rule of three, Hanley and Lippman-Hand 1983), and could move the mean by r
times its distance to a bound. So a share that was 0 in all deals gets the one-sided bound r, and 1 likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Array: TypeAlias = npt.NDArray[Any]
Bounds: TypeAlias = tuple[float, float]

LEVEL = 0.95
MOST_ELO = 9999.0  # of a bot that won everything, whose Elo is beyond all numbers
HIGHER, LOWER, SAME = "higher", "lower", "not separated"
_ROUNDING = 1e-12  # an error below this, relative to the value, is one of arithmetic


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval (None where there is none: nothing seen, or too few deals to tell) and the
    number of matches behind it."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Fitted:
    """What a fit knows of its own error: ``moves`` float64 (R, *shape*), whose products are the covariance, the first
    ones those of the blocks; ``freedom`` *shape*, degrees of freedom of its quantiles; 0 if there is no telling."""

    moves: Floats
    freedom: Floats

    def __getitem__(self, index: Any) -> Fitted:
        return Fitted(self.moves[(slice(None), *index)], np.asarray(self.freedom[index]))

    def __sub__(self, other: Fitted) -> Fitted:
        moves = self.moves - other.moves
        return Fitted(moves, np.broadcast_to(np.minimum(self.freedom, other.freedom), moves.shape[1:]))


@dataclass(frozen=True)
class Jackknifed:
    """A statistic (of shape *shape*) of a run and what it is without each block.

    value    float64 *shape*; nan where it is not defined
    left     float64 (K, *shape*): without block k
    present  bool (K, *shape*): does block k hold anything it is made of?
    deals    int64 *shape*, deals it is made of
    matches  int64 *shape*, matches it is made of
    bounds   least and greatest value, if it is a mean over deals of numbers between bounds
    fitted   of the parameters of a model, which knows more of their error than how blocks move them
    """

    value: Floats
    left: Floats
    present: Array
    deals: Array
    matches: Array
    bounds: Bounds | None = None
    fitted: Fitted | None = None

    def __getitem__(self, index: Any) -> Jackknifed:
        """The entries at ``index`` of *shape*."""
        index = index if isinstance(index, tuple) else (index,)
        blocks = (slice(None), *index)
        return Jackknifed(
            np.asarray(self.value[index]),
            self.left[blocks],
            self.present[blocks],
            np.asarray(self.deals[index]),
            np.asarray(self.matches[index]),
            self.bounds,
            self.fitted[index] if self.fitted else None,
        )

    def __sub__(self, other: Jackknifed) -> Jackknifed:
        """The difference, paired: both are without the same block at a time. Shapes broadcast."""
        bounds = None
        if self.bounds and other.bounds:
            bounds = (self.bounds[0] - other.bounds[1], self.bounds[1] - other.bounds[0])
        left = self.left - other.left
        return Jackknifed(
            np.asarray(self.value - other.value),
            left,
            np.broadcast_to(self.present | other.present, left.shape),
            np.broadcast_to(np.minimum(self.deals, other.deals), left.shape[1:]),
            np.broadcast_to(self.matches + other.matches, left.shape[1:]),
            bounds,
            self.fitted - other.fitted if self.fitted and other.fitted else None,
        )

    @property
    def freedom(self) -> Array:
        """Degrees of freedom, K - 1 for the K blocks that hold something; 0 if there is no telling the error."""
        if self.fitted:
            return self.fitted.freedom
        freedom: Array = np.maximum(self.present.sum(axis=0) - 1, 0)
        return freedom

    @property
    def error(self) -> Floats:
        """Standard error, *shape*; nan from less than two blocks."""
        if self.fitted:
            return np.where(self.freedom > 0, np.sqrt((self.fitted.moves**2).sum(axis=0)), np.nan)
        k = self.freedom + 1.0
        centre = np.where(self.present, self.left, 0.0).sum(axis=0) / k
        squares = (np.where(self.present, self.left - centre, 0.0) ** 2).sum(axis=0)
        error = np.sqrt((k - 1.0) / k * squares)
        error = np.where(error <= _ROUNDING * (1.0 + np.abs(self.value)), 0.0, error)
        return np.where(self.freedom > 0, error, np.nan)

    @property
    def moves(self) -> Floats:
        """How far each block moves the statistic from its mean; the squares add up to the error's: (K, *shape*)."""
        if self.fitted:
            return self.fitted.moves
        k = self.freedom + 1.0
        centre = np.where(self.present, self.left, 0.0).sum(axis=0) / k
        found: Floats = np.where(self.present, self.left - centre, 0.0) * np.sqrt((k - 1.0) / k)
        return np.where(np.isfinite(found), found, 0.0)

    def interval(self, comparisons: float = 1, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Low and high ends, *shape*; nan where there is no interval: less than two blocks, or a statistic without
        bounds that no block moves. With ``comparisons`` all of so many intervals hold together (Bonferroni)."""
        from scipy import special  # type: ignore[import-untyped]

        miss = (1.0 - level) / comparisons
        error = self.error
        quantile = special.stdtrit(np.maximum(self.freedom, 1), 1.0 - miss / 2.0)
        if self.bounds is None:
            half = np.where(error == 0.0, np.nan, quantile * error)
            return self.value - half, self.value + half
        least, greatest = self.bounds
        width = greatest - least
        share = np.clip((self.value - least) / width, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = quantile**2 * (error / width) ** 2 / (share * (1.0 - share))  # t^2 / n*
            centre = (share + weight / 2.0) / (1.0 + weight)
            half = np.sqrt(weight * share * (1.0 - share) + weight * weight / 4.0) / (1.0 + weight)
        rare = 1.0 - miss ** (1.0 / np.maximum(self.deals, 1))
        same = error == 0.0
        low = np.where(same, share * (1.0 - rare), centre - half)
        high = np.where(same, share + rare * (1.0 - share), centre + half)
        unknown = np.isnan(error)
        return np.where(unknown, np.nan, least + width * low), np.where(unknown, np.nan, least + width * high)

    def p_values(self, null: float = 0.0) -> Floats:
        """Two-sided p-values of the hypothesis that the statistic is ``null``, *shape*; 1 where there is no telling.

        They are those of the test that :meth:`interval` inverts.
        """
        from scipy import special

        distance = np.abs(self.value - null)
        error = self.error
        freedom = np.maximum(self.freedom, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.bounds is None:
                p = np.where(error == 0.0, 1.0, 2.0 * special.stdtr(freedom, -distance / error))
            else:
                least, greatest = self.bounds
                # The error there would be if the mean were the null: as a share's, it goes with p (1 - p).
                spread = (null - least) * (greatest - null) / ((self.value - least) * (greatest - self.value))
                p = 2.0 * special.stdtr(freedom, -distance / (error * np.sqrt(spread)))
                room = np.where(self.value > null, self.value - least, greatest - self.value)
                unseen = np.clip(1.0 - distance / np.where(room > 0.0, room, 1.0), 0.0, 1.0)
                p = np.where(error == 0.0, np.minimum(2.0 * unseen ** np.maximum(self.deals, 1), 1.0), p)
        return np.where(np.isnan(p), 1.0, p)

    def estimate(self, *index: int) -> Estimate:
        """The entry at ``index`` with its interval."""
        one = self[index]
        low, high = one.interval()
        return Estimate(_known(one.value), _known(low), _known(high), int(one.matches))

    def estimates(self) -> list[Estimate]:
        """All entries, the last axis fastest; the same as :meth:`estimate` of each, in one go."""
        low, high = self.interval()
        parts = (np.ravel(part).tolist() for part in (self.value, low, high, self.matches))
        return [Estimate(_known(v), _known(a), _known(b), int(n)) for v, a, b, n in zip(*parts, strict=True)]


def _known(number: Any) -> float | None:
    return float(number) if math.isfinite(number) else None


def jackknife(
    statistic: Callable[..., Floats],
    blocks: Sequence[Array],
    deals: Array,
    matches: int | Array = 1,
    bounds: Bounds | None = None,
) -> Jackknifed:
    """A statistic of sums over deals, of all batches and without each of them.

    statistic  takes as many arrays as ``blocks`` holds, each with any leading axis in place of the block axis, and
               returns (leading axis, *shape*); it may give nan where nothing is known
    blocks     arrays of sums, block axis first
    deals      int64 (K, ...): deals behind each, over the first axes of *shape*
    matches    matches a deal that the statistic is made of, a number or an array over *shape*
    """
    totals = [part.sum(axis=0, keepdims=True) for part in blocks]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.asarray(statistic(*totals), np.float64)[0]
        left = np.asarray(statistic(*(total - part for total, part in zip(totals, blocks, strict=True))), np.float64)
    deals = deals.reshape(deals.shape + (1,) * (left.ndim - deals.ndim))
    count = np.broadcast_to(deals.sum(axis=0), value.shape)
    return Jackknifed(value, left, np.broadcast_to(deals > 0, left.shape), count, count * matches, bounds)


def separated(values: Floats, p_values: Floats) -> tuple[list[str], Floats]:
    """Verdicts (higher, lower, not separated) on differences ``values`` (n,) by their p-values, and these after Holm's
    correction for there being several."""
    adjusted = holm(p_values)
    verdicts = [
        SAME if p >= 1.0 - LEVEL else HIGHER if value > 0.0 else LOWER
        for p, value in zip(adjusted.tolist(), values.tolist(), strict=True)
    ]
    return verdicts, adjusted


def elo(share: npt.ArrayLike, limit: float = math.inf) -> Any:
    """Elo difference that explains a score ``share``: 400 log10(share / (1 - share)), cut to +-``limit``.

    A share of 0 or 1 is explained only by an infinite difference: it gives -inf or inf unless there is a limit. (Elo,
    "The Rating of Chessplayers, Past and Present", 1978, with the logistic curve.) nan stays nan. Raises ValueError for
    a share outside 0..1.
    """
    shares = np.asarray(share, dtype=np.float64)
    if ((shares < 0.0) | (shares > 1.0)).any():
        raise ValueError("A share must be between 0 and 1.")
    with np.errstate(divide="ignore"):
        difference = 400.0 * (np.log10(shares) - np.log10(1.0 - shares))
    return np.clip(difference, -limit, limit)


def holm(p_values: npt.ArrayLike) -> Floats:
    """P-values adjusted for there being several, in the given order; below alpha means significant at alpha.

    Step-down: the i-th smallest of m (from 0) is multiplied by m - i, made no smaller than the one before, and cut to
    1. The chance of even one false finding then is at most alpha, whatever the dependence (Holm, "A simple sequentially
    rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979). Raises ValueError for what is no
    one-dimensional list of numbers from 0 to 1.
    """
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError("P-values must be a one-dimensional list of numbers from 0 to 1.")
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    return np.minimum(adjusted, 1.0)


def elo_of(share: Estimate) -> Estimate:
    """The Elo difference that explains a share: that of each number, as it keeps their order; cut to +-MOST_ELO."""
    value, low, high = (
        None if part is None else float(elo(part, MOST_ELO)) for part in (share.value, share.low, share.high)
    )
    return Estimate(value, low, high, share.n)
