"""Decisions that stay right after choosing and looking: simultaneous intervals, verdicts against a margin, and how many
more deals would decide.

**Many at once.** The largest of many correlated estimates, each in units of its error, exceeds a bound c with a
probability that is found by simulation: each batch of deals moves all estimates together, so normal multipliers of
these moves (Chernozhukov, Chetverikov and Kato, "Gaussian approximations and multiplier bootstrap for maxima of sums of
high-dimensional random vectors", Annals of Statistics 41, 2013) have the covariance of the estimates' errors. The c
that is exceeded with 5 % makes all intervals hold together, so also that of whichever is chosen. It is used as a number
of comparisons: so many independent ones would have the same bound.

**A margin.** A value is *fair* if its interval lies within +-margin, *unfair* if it lies beyond. The interval is that
of a confidence sequence (``sequential.looking``), so the chance that a wrong verdict is ever given, over all variants
and however often one looks while matches are added, is at most 5 %.
"""

from __future__ import annotations

import math

import numpy as np

from tournament.statistics.pairs import Floats
from tournament.statistics.sequential import looking

FAIR, UNFAIR, UNDECIDED = "fair", "unfair", "undecided"
CHANCE = 0.86  # with which the projected deals decide, over what the value may be; somewhat above what is promised
MOST_TIMES, MOST_DEALS = 300.0, 1e6  # what needs more than so many times the deals, and so many, cannot be decided
_DRAWS = 4000
_AT_ONCE = 1 << 22
_MOST_SIMULATED = 1 << 14  # more estimates at once are taken as independent
_SEED = 20261130


def comparisons(moves: Floats, level: float = 0.95) -> float:
    """How many independent comparisons the estimates are worth, 1 to their number.

    moves  float64 (K, n): how far each of K batches moves each of n estimates from their mean
    """
    error = np.sqrt((moves**2).sum(axis=0))
    known = error > 0.0
    count = int(known.sum())
    if count < 2:
        return 1.0
    if count > _MOST_SIMULATED:
        return float(count)
    from scipy import special  # type: ignore[import-untyped]

    scaled = moves[:, known] / error[known]
    rng = np.random.default_rng(_SEED)
    size = max(1, _AT_ONCE // count)
    largest = [
        np.abs(rng.standard_normal((min(size, _DRAWS - first), len(scaled))) @ scaled).max(axis=1)
        for first in range(0, _DRAWS, size)
    ]
    bound = float(np.quantile(np.concatenate(largest), level))
    found = (1.0 - level) / (2.0 * float(special.ndtr(-bound)))
    return min(max(found, 1.0), float(count))


def reach(deals: Floats | float, freedom: Floats | float, many: float = 1.0, level: float = 0.95) -> Floats:
    """How many standard errors an interval reaches that holds for ``many`` comparisons at every number of deals.

    ``freedom`` of the errors: Student's quantile in place of the normal one, for the same probability.
    """
    from scipy import special

    bound = looking(deals, 1.0 - (1.0 - level) / many)
    tail = special.ndtr(-bound)
    found: Floats = np.maximum(-special.stdtrit(np.maximum(freedom, 1.0), tail), bound)
    return found


def verdict(value: float, half: float, margin: float) -> str:
    """Of a value known to +-``half``."""
    if not math.isfinite(half):
        return UNDECIDED
    if abs(value) + half < margin:
        return FAIR
    return UNFAIR if abs(value) - half > margin else UNDECIDED


def more_deals(value: float, error: float, deals: int, margin: float, many: float = 1.0) -> int | None:
    """How many deals on top of ``deals`` would decide, with a chance of 80 % at least on average; None if that is more
    than :data:`MOST_TIMES` as many and than :data:`MOST_DEALS`: then it cannot be decided at this margin.

    What the value will be with N deals in all is not known: as far as the data tell, it is normal around today's, with
    variance error^2 (1 - deals / N). It decides if it then is further from the margin than its interval reaches.
    """
    if not (math.isfinite(value) and error > 0.0 and deals > 0):
        return None
    from scipy import special

    total = np.geomspace(1.001 * deals, max((MOST_TIMES + 1.0) * deals, MOST_DEALS), 500)
    half = reach(total, 1e9, many) * error * np.sqrt(deals / total)
    spread = error * np.sqrt(1.0 - deals / total)
    room = margin - half
    inside = np.where(room > 0.0, special.ndtr((room - value) / spread) - special.ndtr((-room - value) / spread), 0.0)
    beyond = special.ndtr((value - margin - half) / spread) + special.ndtr((-value - margin - half) / spread)
    enough = np.flatnonzero(inside + beyond >= CHANCE)
    return math.ceil(total[enough[0]] - deals) if len(enough) else None
