"""The rating of the bots of one or more runs: whole-data TrueSkill over all outcomes, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass

from tournament.statistics.counted import Pool
from tournament.statistics.estimate import Floats
from tournament.statistics.strengths import BETA, MU, SIGMA, trueskill


@dataclass(frozen=True)
class Rated:
    """Ratings of the bots of a pool, float64 (B,) each; nan where there is none.

    mu, low, high     skill and its 95 % interval, from the mean of the field
    sigma             standard error of mu
    order             by how much mu depends on the order of matches
    draw_probability  with which equals draw, in the model that rates
    tau               drift of skills from match to match
    """

    mu: Floats
    low: Floats
    high: Floats
    sigma: Floats
    order: Floats
    draw_probability: float
    tau: float = 0.0

    @property
    def model(self) -> dict[str, float]:
        """The parameters of the model."""
        return {
            "mu": MU,
            "sigma": SIGMA,
            "beta": BETA,
            "tau": self.tau,
            "draw_probability": float(self.draw_probability),
        }


def rate(pool: Pool, draw_probability: float | None = None) -> Rated:
    """Rate the bots; bots of a cooperative game by which of two teams does better on the same deal."""
    if pool.facts.cooperative:
        pairs, members = pool.teams
        found = trueskill(pairs, False, draw_probability, members)
    else:
        found = trueskill(pool.pairs, True, draw_probability)
    low, high = found.interval()
    return Rated(found.mu, low, high, found.error, 0.0 * found.mu, found.draw_probability)
