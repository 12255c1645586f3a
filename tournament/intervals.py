"""Small statistics with honest uncertainty: intervals of means and shares, Elo, Holm's correction, the draw rate.

The unit is always the *deal*, never the match: a deal is played from every seating of its line-up, those matches share
its luck, and only whole deals are independent. Callers reduce each deal to one number (say the mean score of a bot over
the deal's seatings) and keep three totals: the sum of these numbers, the sum of their squares, and how many there are.

All functions take numbers or arrays (which broadcast) and return the like. Only NumPy is used.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = Any  # np.float64 or an array of float64, as the arguments are

_EXACT_FREEDOM = 200  # up to here Student's t is inverted exactly, above by a series
_ROUNDING = 1e-9  # relative slack for sums that were added up in floating point


class Interval(NamedTuple):
    """An estimate and its confidence interval: low <= estimate <= high."""

    estimate: Numbers
    low: Numbers
    high: Numbers


def share_interval(
    sums: npt.ArrayLike, sums_of_squares: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95
) -> Interval:
    """Mean score share of ``n`` deals, each scored from 0 to 1, with an interval that never shrinks to a point.

    sums, sums_of_squares  totals of the deals' scores and of their squares; n  number of deals, 0 or more

    Agresti and Coull ("Approximate is better than 'exact'", The American Statistician 52, 1998) carried over from coin
    flips to deals: add z^2 imaginary deals (z the normal quantile, 3.84 deals at 95 %), half of them scored 0 and half
    1, and take the usual interval of the mean. With N = n + z^2, mean c = (sums + z^2 / 2) / N and variance
    V = (sums_of_squares + z^2 / 2) / N - c^2 it is c +- t sqrt(V / (N - 1)), cut to 0..1, where t is Student's quantile
    at N - 1 degrees of freedom, rounded down. For scores of 0 and 1 that is their interval, but for t and N - 1 in
    place of z and N.

    The imaginary deals matter where the plain interval fails: a hundred deals won, or a hundred split evenly, have no
    variance, yet tell only that other results are rarer than some 3 %. Student's t matters for few deals: for wins and
    losses the exact coverage at 95 % is nowhere below 94.1 % at any n, while z falls to 82 %. Scores with a narrow
    spread around 0.5 are covered too often until there are some hundred deals. The estimate is the plain mean sums / n,
    always inside the interval; with no deals it is nan, and the interval is 0 to 1.

    Raises ValueError for totals that no scores from 0 to 1 can have.
    """
    return mean_interval(sums, sums_of_squares, n, level, bounds=(0.0, 1.0))


def mean_interval(
    sums: npt.ArrayLike,
    sums_of_squares: npt.ArrayLike,
    n: npt.ArrayLike,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Interval:
    """Mean of ``n`` values, one for each deal, from the totals of the values and of their squares.

    With ``bounds``, the least and the greatest possible value, the interval is that of :func:`share_interval`,
    stretched to these bounds. Use bounds (-1, 1) for the difference of two bots' shares on the *same* deals.

    Without bounds it is Student's: mean +- t sqrt(V / n), V = (sums_of_squares - sums^2 / n) / (n - 1), t at n - 1
    degrees of freedom (Student, "The probable error of a mean", Biometrika 6, 1908). It has no width if all values are
    equal, and is infinite for one value or none; of none, the mean is nan. Digits are lost if values are far from 0
    compared with their spread.

    Raises ValueError for totals that no values (within the bounds) can have, and for a level not between 0 and 1.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}.")
    count = np.asarray(n)
    if count.dtype.kind not in "iu" or (count < 0).any():
        raise ValueError("n must be whole numbers, 0 or more.")
    total, squares, count = np.broadcast_arrays(
        np.asarray(sums, dtype=np.float64), np.asarray(sums_of_squares, dtype=np.float64), count.astype(np.float64)
    )
    if not (np.isfinite(total) & np.isfinite(squares)).all():
        raise ValueError("Sums must be finite numbers.")
    some = np.maximum(count, 1.0)
    slack = _ROUNDING * (squares + some)
    if (total * total / some > squares + slack).any() or (squares[count == 0] != 0).any():
        raise ValueError("Sums of squares are too small for the sums and numbers of values.")
    mean = np.where(count > 0, total / some, np.nan)
    if bounds is None:
        variance = np.maximum(squares - total * total / some, 0.0) / np.maximum(count - 1.0, 1.0)
        half = np.where(count > 1, _quantiles(level, count - 1.0) * np.sqrt(variance / some), np.inf)
        middle = np.where(count > 0, mean, 0.0)
        return Interval(mean[()], (middle - half)[()], (middle + half)[()])
    least, greatest = bounds
    width = greatest - least
    if not (width > 0.0 and math.isfinite(width)):
        raise ValueError(f"bounds must be a lower and a higher number, not {least} and {greatest}.")
    share = (total - least * count) / width
    shares_squared = (squares - 2.0 * least * total + least * least * count) / (width * width)
    slack = _ROUNDING * some
    if (share < -slack).any() or (share > count + slack).any() or (shares_squared > share + slack).any():
        raise ValueError(f"Sums do not fit values from {least:g} to {greatest:g}.")
    imaginary = NormalDist().inv_cdf((1.0 + level) / 2.0) ** 2
    all_deals = count + imaginary
    centre = (share + imaginary / 2.0) / all_deals
    variance = np.maximum((shares_squared + imaginary / 2.0) / all_deals - centre * centre, 0.0)
    freedom = np.maximum(all_deals - 1.0, 1.0)
    half = np.where(all_deals > 1.0, _quantiles(level, np.floor(freedom)) * np.sqrt(variance / freedom), 1.0)
    mean = np.clip(mean, least, greatest)
    low = least + width * np.clip(centre - half, 0.0, 1.0)
    high = least + width * np.clip(centre + half, 0.0, 1.0)
    return Interval(mean[()], np.fmin(low, mean)[()], np.fmax(high, mean)[()])


def difference_interval(first: Interval, second: Interval) -> Interval:
    """First share less second, from the intervals of two *independent* shares (different deals) at the same level.

    Newcombe's hybrid ("Interval estimation for the difference between independent proportions", Statistics in Medicine
    17, 1998, method 10): with estimates a, b the ends are a - b - sqrt((a - low_a)^2 + (high_b - b)^2) and
    a - b + sqrt((high_a - a)^2 + (b - low_b)^2). On the same deals, use :func:`mean_interval` of the differences.
    """
    difference = first.estimate - second.estimate
    below = np.hypot(first.estimate - first.low, second.high - second.estimate)
    above = np.hypot(first.high - first.estimate, second.estimate - second.low)
    return Interval(difference, difference - below, difference + above)


def elo(share: npt.ArrayLike, limit: float = math.inf) -> Numbers:
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


def elo_interval(share: Interval, limit: float = math.inf) -> Interval:
    """Elo difference and its interval from those of a share: :func:`elo` of each number, as it keeps their order.

    A bot that won every deal has an infinite Elo, and an interval from a finite lower end to infinity.
    """
    return Interval(elo(share.estimate, limit), elo(share.low, limit), elo(share.high, limit))


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


def draw_probability(draws: int, matches: int) -> float:
    """Draw probability for ratings, estimated as draws / (matches + 1): below 1 even if every match was a draw.

    One imaginary decisive match keeps the draw margin finite; without draws the estimate is exactly 0. With more than
    two teams count neighbours in rank order: a match of k teams has k - 1 chances to draw. Raises ValueError unless
    0 <= draws <= matches.
    """
    if not 0 <= draws <= matches:
        raise ValueError(f"Draws must be between 0 and the {matches} matches, not {draws}.")
    return draws / (matches + 1)


def student_quantile(level: float, freedom: int) -> float:
    """The t that a Student variable with ``freedom`` degrees of freedom stays within (+-t) with probability ``level``.

    Up to 200 degrees the finite series for the probability (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4) is solved by
    bisection, above the expansion around the normal quantile (26.7.5) is used; both are right to 1e-9 for levels up to
    99.9 %. Raises ValueError for a level not between 0 and 1 or less than one degree.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}.")
    if freedom < 1:
        raise ValueError(f"Student's t needs at least 1 degree of freedom, not {freedom}.")
    if freedom <= _EXACT_FREEDOM:
        return _inverted_series(level, freedom)
    x = NormalDist().inv_cdf((1.0 + level) / 2.0)
    return (
        x
        + (x**3 + x) / (4 * freedom)
        + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * freedom**2)
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / (384 * freedom**3)
        + (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / (92160 * freedom**4)
    )


@functools.lru_cache(maxsize=4096)
def _inverted_series(level: float, freedom: int) -> float:
    low, high = 0.0, math.pi / 2.0
    while True:
        angle = (low + high) / 2.0
        if angle in (low, high):
            return math.sqrt(freedom) * math.tan(angle)
        if _probability_within(angle, freedom) < level:
            low = angle
        else:
            high = angle


def _probability_within(angle: float, freedom: int) -> float:
    """Probability of |t| < sqrt(freedom) tan(angle)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total


def _quantiles(level: float, freedom: Floats) -> Floats:
    """:func:`student_quantile` for each entry; entries below 1 count as 1."""
    distinct, where = np.unique(np.maximum(freedom, 1.0), return_inverse=True)
    quantiles = np.array([student_quantile(level, int(degrees)) for degrees in distinct], dtype=np.float64)
    return quantiles[where].reshape(freedom.shape)
