"""Tests and intervals that may be looked at after every deal, and stay right.

**A test of two hypotheses** on the mean m of independent values between 0 and 1, m <= low against m >= high: a
sequential probability ratio test (Wald, Annals of Mathematical Statistics 16, 1945) of which nothing but the means is
known. The generalised ratio with estimated variance, usual in testing chess engines, errs too often while the estimate
rests on few values. Here each ratio is the capital of a gambler at fair odds (Waudby-Smith and Ramdas, "Estimating
means of bounded random variables by betting", JRSS B 86, 2024):

    against m <= low:   product of 1 + b_i (x_i - low),    b_i = (high - low) / (v_i + (high - low)^2)
    against m >= high:  product of 1 - b_i (x_i - high)

v_i being the variance of the values *before* the i-th, begun with one imaginary value of variance 1/4. Such a product
is a non-negative supermartingale under its hypothesis whatever the distribution, so it ever reaches 1 / alpha with a
probability of at most alpha (Ville's inequality): both error rates hold at any number of values, whatever the share of
ties, however often one looks. With the variance known, the logarithm of the first is that of the ratio of two normal
likelihoods to second order, so about as many values are needed as by the test that knows the distribution.

**An interval** for the mean at the moment when one stops: all m against which neither of two gamblers with bets that
shrink as 1 / sqrt(i log i) has reached 2 / alpha (the hedged capital of the same paper).

**For estimates with a standard error** (jackknife), the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha,
Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52,
2024: with n deals behind it, the interval is wider than the usual one by :func:`looking` / 1.96.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tournament.statistics.pairs import Floats, Ints

BETTER, NOT_BETTER, UNDECIDED = "better", "not better", "undecided"
_MOST = 0.9  # of the capital at stake at most
_EPOCH = 1.05  # the interval's bets are renewed when there are so many times as many values


@dataclass
class RatioTest:
    """The test of m <= low against m >= high while values come in, as whole units of 1 / ``unit``.

    The verdict is that after the first value at which a bound is reached, whatever was fed at a time; values after it
    are ignored. ``alpha``: probability of ``better`` if m <= low at most; ``beta``: of ``not better`` if m >= high.
    """

    low: float
    high: float
    unit: int
    alpha: float = 0.05
    beta: float = 0.05
    n: int = 0
    total: int = 0
    squares: int = 0
    against_low: float = 0.0  # logarithm of the capital
    against_high: float = 0.0
    verdict: str = UNDECIDED
    _bets: list[float] = field(default_factory=list)
    _epochs: list[Ints] = field(default_factory=list)  # how often each value came while that bet was made
    _next: int = 1

    def __post_init__(self) -> None:
        if not 0.0 < self.low < self.high < 1.0:
            raise ValueError(
                f"low and high must be above 0, below 1 and in this order, not {self.low} and {self.high}."
            )

    def feed(self, units: Ints) -> int:
        """Take values in their order until there is a verdict; returns how many were taken."""
        units = np.asarray(units, np.int64)
        if self.verdict != UNDECIDED or not len(units):
            return 0
        n = self.n + np.arange(len(units))  # values before each
        total = self.total + np.concatenate([[0], np.cumsum(units)])
        squares = self.squares + np.concatenate([[0], np.cumsum(units * units)])
        spread = _variance(n, total[:-1], squares[:-1], self.unit)
        gap = self.high - self.low
        bet = gap / (spread + gap * gap)
        values = units / self.unit
        up = np.log1p(np.minimum(bet, _MOST / self.low) * (values - self.low))
        down = np.log1p(-np.minimum(bet, _MOST / (1.0 - self.high)) * (values - self.high))
        # Running sums begin with what was carried over, so they are the same however values are cut into pieces.
        above = np.cumsum(np.concatenate([[self.against_low], up]))[1:]
        below = np.cumsum(np.concatenate([[self.against_high], down]))[1:]
        better, worse = above >= -math.log(self.alpha), below >= -math.log(self.beta)
        ends = np.flatnonzero(better | worse)
        taken = int(ends[0]) + 1 if len(ends) else len(units)
        if len(ends):
            self.verdict = BETTER if better[ends[0]] else NOT_BETTER
        self._remember(units[:taken])
        self.n += taken
        self.total, self.squares = int(total[taken]), int(squares[taken])
        self.against_low, self.against_high = float(above[taken - 1]), float(below[taken - 1])
        return taken

    def _remember(self, units: Ints) -> None:
        """Count values by epoch; each epoch's bet is settled by what came before it."""
        at = 0
        while at < len(units):
            if self.n + at + 1 >= self._next:
                seen = self.n + at
                past = units[:at]
                total, squares = self.total + int(past.sum()), self.squares + int((past * past).sum())
                spread = float(_variance(np.array(seen), np.array(total), np.array(squares), self.unit))
                self._bets.append(1.0 / math.sqrt(spread * (seen + 1) * math.log(seen + 2)))
                self._epochs.append(np.zeros(self.unit + 1, np.int64))
                self._next = max(seen + 2, math.ceil((seen + 1) * _EPOCH))
            end = min(len(units), self._next - 1 - self.n)
            self._epochs[-1] += np.bincount(units[at:end], minlength=self.unit + 1)
            at = end

    @property
    def mean(self) -> float | None:
        """Mean of the values taken."""
        return self.total / (self.unit * self.n) if self.n else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Of the mean, right whenever the test stopped."""
        if not self.n:
            return 0.0, 1.0
        limit = math.log(2.0 / (1.0 - level))
        bets = np.array(self._bets) * math.sqrt(2.0 * limit)
        counts = np.stack(self._epochs).astype(np.float64)
        values = np.arange(self.unit + 1) / self.unit
        mean = self.total / (self.unit * self.n)

        def doubted(m: float, sign: float) -> bool:
            """Has the gambler who bets that the mean is above m (sign 1), or below (-1), reached the limit?"""
            room = m if sign > 0 else 1.0 - m
            stake = np.minimum(bets, _MOST / max(room, 1e-12))
            return float((counts * np.log1p(sign * stake[:, None] * (values - m))).sum()) >= limit

        return _edge(lambda m: doubted(m, 1.0), mean, 0.0), _edge(lambda m: doubted(m, -1.0), mean, 1.0)


def _variance(n: Ints, total: Ints, squares: Ints, unit: int) -> Floats:
    """Of n values and an imaginary one of variance 1/4."""
    count = np.maximum(n, 1)
    around = (squares - total * (total / count)) / float(unit * unit)
    found: Floats = (0.25 + np.maximum(around, 0.0)) / (n + 1.0)
    return found


def _edge(doubted: Callable[[float], bool], inner: float, outer: float) -> float:
    """Where doubt begins between a value that is not doubted and the end of the range; on the doubted side."""
    for _ in range(60):
        middle = (inner + outer) / 2.0
        if doubted(middle):
            outer = middle
        else:
            inner = middle
    return outer


# ---------------------------------------------------------------- estimates with a standard error

PLANNED = 1000.0  # deals at which the bound is tightest


def looking(n: float | Floats, level: float = 0.95) -> Floats:
    """How many standard errors the interval reaches to each side, so that it holds at every n together.

    With r = rho^2 n: sqrt((r + 1) / r (log(r + 1) - 2 log(1 - level))), rho chosen so that it is tightest at
    :data:`PLANNED` deals. ``n``: deals behind the estimate, 1 or more.
    """
    miss = 1.0 - level
    # At a given n the bound is least where r = log(r + 1) - 2 log(miss), nearly this:
    best = -2.0 * math.log(miss) + math.log(1.0 - 2.0 * math.log(miss))
    r = best * np.maximum(np.asarray(n, np.float64), 1.0) / PLANNED
    found: Floats = np.sqrt((r + 1.0) / r * (np.log(r + 1.0) - 2.0 * math.log(miss)))
    return found
