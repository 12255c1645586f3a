"""From strengths to places: who is certainly ahead of whom, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tournament.statistics.estimate import holm
from tournament.statistics.pairs import Floats
from tournament.statistics.strengths import LEVEL, Strengths


@dataclass(frozen=True)
class Place:
    """A bot's line of the leaderboard.

    number        of the bot
    mu, low, high strength and its interval, ``low`` being the conservative rating; None where there is none
    rank, worst   best and worst rank that the data leave open: 1 + how many bots are certainly better, and the number
                  of bots less those that are certainly worse
    ahead         probability to be better than the next one; None for the last and where it cannot be told
    """

    number: int
    mu: float
    low: float | None
    high: float | None
    rank: int
    worst: int
    ahead: float | None


def separated(strengths: Strengths, level: float = LEVEL) -> Floats:
    """Is the row's bot certainly better than the column's? bool (B, B).

    All pairs are compared; p-values of their differences are corrected by Holm's method, so with 95 % confidence every
    one of the statements is right, and so is every rank made of them (Mogstad, Romano, Shaikh and Wilhelm, "Inference
    for ranks with applications to mobility across neighbourhoods and academic achievement across countries", Review of
    Economic Studies 91, 2024).
    """
    bots = len(strengths.mu)
    found = np.zeros((bots, bots), bool)
    if strengths.freedom <= 0 or bots < 2:
        return found
    better = strengths.better()
    one, two = np.triu_indices(bots, 1)
    told = holm(2.0 * np.minimum(better[one, two], better[two, one])) < 1.0 - level
    gap = strengths.mu[one] - strengths.mu[two]
    found[one, two] = told & (gap > 0)
    found[two, one] = told & (gap < 0)
    return found


def places(strengths: Strengths, names: Sequence[str] | None = None, level: float = LEVEL) -> list[Place]:
    """All bots, highest mu first (of equal mu by name: ``names``, if they are others than the compared teams')."""
    bots = len(strengths.mu)
    called = strengths.bots if names is None else names
    order = sorted(range(bots), key=lambda bot: (-float(np.round(strengths.mu[bot], 9)), called[bot]))
    low, high = strengths.interval(level)
    told = separated(strengths, level)
    better = strengths.better()
    known = strengths.freedom > 0
    found = []
    for place, bot in enumerate(order):
        ahead = float(better[bot, order[place + 1]]) if known and place + 1 < bots else None
        found.append(
            Place(
                bot,
                float(strengths.mu[bot]),
                float(low[bot]) if known else None,
                float(high[bot]) if known else None,
                1 + int(told[:, bot].sum()),
                bots - int(told[bot].sum()),
                ahead,
            )
        )
    return found
