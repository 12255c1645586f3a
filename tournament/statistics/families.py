"""How the difference of two strengths becomes ahead, tied or behind: Thurstone's model with a margin, and Davidson's.

A family turns differences into the logarithm of each outcome's probability and its derivatives, by the difference and
by the logarithm of what governs ties (the draw margin, or Davidson's nu). All arrays are (C, 3): ahead, tied, behind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tournament.statistics.pairs import AHEAD, BEHIND, TIED, Floats

_ROOT_2 = math.sqrt(2.0)
_NARROW = 1e-7  # a draw margin below this, in standard deviations, is none


class Logs(NamedTuple):
    """Log probabilities of outcomes with first and second derivatives by difference (d) and tie parameter (t)."""

    value: Floats
    d: Floats
    dd: Floats
    t: Floats
    tt: Floats
    dt: Floats


class Family(Protocol):
    """What a rating method must know. ``bayesian``: does uncertainty of the difference enter?"""

    @property
    def bayesian(self) -> bool: ...
    @property
    def prior(self) -> float:
        """Standard deviation of strengths a priori."""

    def logs(self, mean: Floats, variance: Floats, noise: Floats, tie: float) -> Logs:
        """Of differences ``mean`` (C,) known up to ``variance``; ``noise``: seats' performances in each."""

    def tie_prior(self, tie: float) -> tuple[float, float, float]:
        """One imaginary match of equals that did not end in a tie: log probability and two derivatives."""

    def tie_of(self, probability: float) -> float:
        """The tie parameter with which equals tie with that probability; -inf for 0."""

    def probability_of(self, tie: float) -> float:
        """The probability with which equals tie."""


def mills(x: Floats) -> Floats:
    """Mills' ratio Phi(-x) / phi(x)."""
    from scipy import special  # type: ignore[import-untyped]

    with np.errstate(over="ignore"):
        ratio: Floats = math.sqrt(math.pi / 2.0) * special.erfcx(x / _ROOT_2)
    return ratio


@dataclass(frozen=True)
class Thurstone:
    """TrueSkill's model in units of beta: performances N(skill, 1); ahead by more than the margin e^t times the root of
    the number of performances over 2, tied within it (Herbrich, Minka and Graepel 2006)."""

    prior: float = 2.0
    bayesian: bool = True

    def logs(self, mean: Floats, variance: Floats, noise: Floats, tie: float) -> Logs:
        """See :class:`Family`."""
        from scipy import special

        parts = [np.zeros((len(mean), 3)) for _ in range(6)]
        value, d, dd, t, tt, dt = parts
        c = np.sqrt(variance + noise)
        margin = math.exp(tie) * np.sqrt(noise / 2.0) / c
        gap = mean / c
        for outcome, sign in ((AHEAD, 1.0), (BEHIND, -1.0)):
            x = sign * gap - margin
            v = 1.0 / mills(-x)
            w = np.clip(v * (v + x), 0.0, 1.0)
            value[:, outcome] = special.log_ndtr(x)
            d[:, outcome], dd[:, outcome] = sign * v / c, -w / c**2
            t[:, outcome] = -v * margin
            tt[:, outcome] = -w * margin**2 - v * margin
            dt[:, outcome] = sign * w * margin / c
        # With a = margin - |gap| and b = -margin - |gap|: phi(a) / Z and phi(b) / Z, whose ratio is q.
        away = np.abs(gap)
        if math.exp(tie) < _NARROW:
            value[:, TIED] = (
                -0.5 * gap**2 + math.log(2.0 / math.sqrt(2.0 * math.pi)) + np.log(np.maximum(margin, 1e-300))
            )
            d[:, TIED], dd[:, TIED], t[:, TIED] = -gap / c, -1.0 / c**2, 1.0
            return Logs(*parts)
        a, b, q = margin - away, -margin - away, np.exp(-2.0 * margin * away)
        upper = 1.0 / (mills(-a) - q * mills(-b))
        lower = q * upper
        sign_of = np.sign(gap)
        v = lower - upper  # of the distance from 0
        slope = upper + lower
        value[:, TIED] = -0.5 * a * a - 0.5 * math.log(2.0 * math.pi) - np.log(np.maximum(upper, 1e-300))
        value[:, TIED] = np.where(upper > 1e-200, value[:, TIED], 0.0)
        w = np.clip(v * v + a * upper - b * lower, 0.0, 1.0)
        d[:, TIED], dd[:, TIED] = sign_of * v / c, -w / c**2
        t[:, TIED] = slope * margin
        tt[:, TIED] = (b * lower - a * upper - slope * slope) * margin**2 + slope * margin
        dt[:, TIED] = sign_of * (a * upper + b * lower - v * slope) * margin / c
        return Logs(*parts)

    def tie_prior(self, tie: float) -> tuple[float, float, float]:
        """See :class:`Family`."""
        from scipy import special

        u = math.exp(tie) / _ROOT_2
        hazard = float(1.0 / mills(np.array(u)))
        bend = hazard * (hazard - u)
        return math.log(2.0) + float(special.log_ndtr(-u)), -hazard * u, -bend * u * u - hazard * u

    def tie_of(self, probability: float) -> float:
        """See :class:`Family`."""
        from scipy import special

        return math.log(-_ROOT_2 * float(special.ndtri((1.0 - probability) / 2.0))) if probability > 0.0 else -math.inf

    def probability_of(self, tie: float) -> float:
        """See :class:`Family`."""
        return math.erf(math.exp(tie) / 2.0)


@dataclass(frozen=True)
class Davidson:
    """Bradley and Terry's model with ties (Davidson, JASA 65, 1970): ahead, tied, behind as e^(x/2) : nu : e^(-x/2).

    Differences are in units of 400 Elo points for a factor of ten: x = d ln 10 / 400. The strengths a priori have a
    standard deviation of 400 points, about as weak as TrueSkill's prior.
    """

    prior: float = 400.0
    bayesian: bool = False

    def logs(self, mean: Floats, variance: Floats, noise: Floats, tie: float) -> Logs:
        """See :class:`Family`. Differences count as known."""
        scale = math.log(10.0) / 400.0
        x = np.abs(mean) * scale
        nu = math.exp(tie)
        small = np.exp(-x)  # everything is divided by e^(|x| / 2)
        whole = 1.0 + small + nu * np.exp(-x / 2.0)
        tied = nu * np.exp(-x / 2.0) / whole
        turn = 0.5 * (1.0 - small) / whole * np.sign(mean)
        bend = (small + 0.25 * nu * np.exp(-x / 2.0) * (1.0 + small)) / whole**2
        outcome = np.array([0.5, 0.0, -0.5])
        is_tie = np.array([0.0, 1.0, 0.0])
        one = np.ones(3)
        log_whole = np.log(whole)
        value = (
            np.stack([np.where(mean > 0, 0.0, -x), tie - x / 2.0, np.where(mean > 0, -x, 0.0)], 1) - log_whole[:, None]
        )
        return Logs(
            value,
            scale * (outcome - turn[:, None]),
            -(scale**2) * bend[:, None] * one,
            is_tie - tied[:, None],
            (-tied * (1.0 - tied))[:, None] * one,
            (scale * tied * turn)[:, None] * one,
        )

    def tie_prior(self, tie: float) -> tuple[float, float, float]:
        """See :class:`Family`."""
        tied = self.probability_of(tie)
        return math.log1p(-tied), -tied, -tied * (1.0 - tied)

    def tie_of(self, probability: float) -> float:
        """See :class:`Family`."""
        return math.log(2.0 * probability / (1.0 - probability)) if probability > 0.0 else -math.inf

    def probability_of(self, tie: float) -> float:
        """See :class:`Family`."""
        return 1.0 / (1.0 + 2.0 * math.exp(-tie)) if tie > -math.inf else 0.0
