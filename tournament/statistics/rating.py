"""The rating of the bots of one or more runs, by all outcomes at once and whatever their order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.errors import UsageError
from tournament.statistics.counted import Pool
from tournament.statistics.estimate import Floats
from tournament.statistics.fit import Fit, fit
from tournament.statistics.pairs import PairCounts
from tournament.statistics.ranking import Place, places
from tournament.statistics.strengths import BETA, ELO, MU, SIGMA, Strengths, elo, trueskill

TRUESKILL, ELO_SCALE, ONLINE = "trueskill", "elo", "online"
METHODS = (TRUESKILL, ELO_SCALE, ONLINE)

_APART = "No match that counts links some bots, not even through others: their ratings do not compare."


@dataclass(frozen=True)
class SeatEffect:
    """What a seat adds to the rating of whoever sits there; the ends are None where there is no interval."""

    seat: int
    mu: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Rated:
    """Ratings of the bots of a pool.

    method  trueskill, elo or online
    places  the leaderboard, best first
    sigma   float64 (B,): standard error of mu from deals; online, the model's own
    order   float64 (B,): how far mu, from the mean of all bots, was from that of the match order in 20 random orders at
            most; 0 where no order enters
    model   the parameters that were used
    fit     how well one number a bot tells the outcomes; None online
    notes   what must be said with them
    """

    method: str
    places: tuple[Place, ...]
    sigma: Floats
    order: Floats
    model: dict[str, float]
    seats: tuple[SeatEffect, ...] = ()
    fit: Fit | None = None
    notes: tuple[str, ...] = field(default=())


def strengths(pool: Pool) -> Strengths:
    """The fit behind :func:`rate` by TrueSkill's model, alone."""
    if pool.facts.cooperative:
        pairs, members = pool.teams
        return trueskill(pairs, False, members=members)
    return trueskill(pool.pairs)


def rate(pool: Pool, draw_probability: float | None = None, method: str = TRUESKILL, seats: bool = True) -> Rated:
    """Rate the bots by TrueSkill's or Elo's model; bots of a cooperative game by which of two teams does better on the
    same deal. ``seats``: fit effects of seats beside skills? Raises UsageError for another method."""
    if method not in (TRUESKILL, ELO_SCALE):
        raise UsageError(f"method cannot be '{method}'; allowed: {', '.join(METHODS)}")
    pairs, members = pool.teams if pool.facts.cooperative else (pool.pairs, None)
    with_seats = seats and not pool.facts.cooperative

    def again(some: PairCounts) -> Strengths:
        rated = trueskill if method == TRUESKILL else elo
        return rated(some, with_seats, draw_probability, members)

    found = again(pairs)
    names = pool.bots
    return Rated(
        method,
        tuple(places(found, names)),
        found.error,
        np.zeros(len(names)),
        model_of(method, found.draw_probability),
        _seats(found) if with_seats else (),
        fit(found, pairs, again, members),
        () if found.connected else (_APART,),
    )


def model_of(method: str, draw_probability: float, tau: float = 0.0) -> dict[str, float]:
    """The parameters of a method; of Elo's model ``mu`` and ``sigma`` are those of the prior, on the Elo scale."""
    if method == ELO_SCALE:
        return {"mu": ELO, "sigma": 400.0, "draw_probability": float(draw_probability)}
    return {"mu": MU, "sigma": SIGMA, "beta": BETA, "tau": tau, "draw_probability": float(draw_probability)}


def _seats(found: Strengths) -> tuple[SeatEffect, ...]:
    if len(found.seat) < 2:
        return ()
    half = found.quantile() * found.seat_error
    known = found.freedom > 0
    return tuple(
        SeatEffect(
            seat,
            float(effect),
            float(effect - half[seat]) if known else None,
            float(effect + half[seat]) if known else None,
        )
        for seat, effect in enumerate(found.seat)
    )
