"""Ratings by TrueSkill's own update, match by match in the order in which they were played (``--method online``).

Everything else that is said of a run is computed from its tally; this needs its matches one by one.

Bots of a cooperative game are rated by their *teams*: on every deal these are ranked by their score (a loss counts less
than any win) and TrueSkill rates the bots on these ranks, in matches of two teams that have no bot in common. One match
of all teams at once would be wrong: most of them tie by losing, and TrueSkill's chain of neighbours treats tied teams
unequally by the order in which they are listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.errors import HilltopError
from engine.kernel import kernel
from storage.store import Store
from tournament import trueskill
from tournament.statistics.counted import Counted, Pool
from tournament.statistics.facts import lineup_numbers
from tournament.statistics.ranking import Place
from tournament.statistics.rating import ONLINE, Rated, model_of
from tournament.statistics.rating import rate as whole_data

Array = np.ndarray[Any, Any]
ORDERS = 20
MOST_SHUFFLED = 2_000_000  # matches that are taken in random orders
_SEED = 20060101


class Matches(NamedTuple):
    """Entrants and ranks (matches, seats), and the team of each seat (seats,) if there are teams."""

    entrants: Array
    ranks: Array
    teams: Array | None


def rate(store: Store, pool: Pool, draw_probability: float | None = None, tau: float = 0.0) -> Rated:
    """TrueSkill over all stored matches of the pool's runs, one run after the other.

    Raises HilltopError if a run keeps no matches. The draw probability is the one that whole-data TrueSkill fits,
    unless given. The model's sigma takes matches for independent, which those of one deal are not; so intervals reach
    as far as those of whole-data TrueSkill. ``order``: see :class:`Rated`; of the first :data:`MOST_SHUFFLED` matches.
    """
    for one in pool.runs:
        if one.run.keep != "matches":
            raise HilltopError(f"run {one.run.id} keeps no matches, which an online rating takes one by one")
    whole = whole_data(pool, draw_probability)
    model = trueskill.Model(draw_probability=whole.model["draw_probability"], tau=tau)
    found = trueskill.new_ratings(len(pool.bots), model)
    some: list[Matches] = []
    held = 0
    for chunk in _all(store, pool):
        found = _update(found, chunk, model)
        if held < MOST_SHUFFLED:
            some.append(Matches(chunk.entrants.astype(np.int16), chunk.ranks.astype(np.int8), chunk.teams))
            held += len(chunk.entrants)
    reach = np.zeros(len(pool.bots))
    for place in whole.places:
        reach[place.number] = np.nan if place.high is None else place.high - place.mu
    names = sorted(range(len(pool.bots)), key=lambda bot: (-found.mu[bot], pool.bots[bot]))
    places = []
    for rank, bot in enumerate(names, start=1):
        mu, half = float(found.mu[bot]), float(reach[bot])
        known = math.isfinite(half)
        low, high = (mu - half, mu + half) if known else (None, None)
        places.append(Place(bot, mu, low, high, rank, rank, None))
    order = _shuffled(some, model, len(pool.bots))
    return Rated(
        ONLINE, tuple(places), found.sigma, order, model_of(ONLINE, model.draw_probability, tau), notes=_notes(held)
    )


def _notes(held: int) -> tuple[str, ...]:
    return (
        f"order: the most that {ORDERS} random orders of "
        + (f"the first {held:,} matches" if held >= MOST_SHUFFLED else "these matches")
        + " move mu from where their own order puts it.",
        "sigma is the model's own, as if matches were independent; intervals are as wide as those of whole-data "
        "TrueSkill, over deals.",
    )


def _update(ratings: trueskill.Ratings, matches: Matches, model: trueskill.Model) -> trueskill.Ratings:
    entrants, ranks, teams = matches
    rest = () if teams is None else (teams,)
    return trueskill.update(ratings.mu, ratings.sigma, entrants.astype(np.int64), ranks.astype(np.int64), model, *rest)


def _shuffled(chunks: Sequence[Matches], model: trueskill.Model, bots: int) -> Array:
    """How far random orders move each mu, from the mean of all, at most: chunks, and matches in them, are shuffled."""
    luck = np.random.default_rng(_SEED)
    base: Array | None = None
    furthest = np.zeros(bots)
    for turn in range(ORDERS + 1):
        ratings = trueskill.new_ratings(bots, model)
        for number in luck.permutation(len(chunks)) if turn else range(len(chunks)):
            entrants, ranks, teams = chunks[number]
            order = luck.permutation(len(entrants)) if turn else np.arange(len(entrants))
            ratings = _update(ratings, Matches(entrants[order], ranks[order], teams), model)
        apart = ratings.mu - ratings.mu.mean()
        base = apart if base is None else base
        furthest = np.maximum(furthest, np.abs(apart - base))
    return furthest


def _all(store: Store, pool: Pool) -> Iterator[Matches]:
    """The matches of all runs, in their order."""
    for one in pool.runs:
        yield from (_teams if one.facts.cooperative else _rivals)(store, one, pool.numbers(one))


def _rivals(store: Store, one: Counted, numbers: Array) -> Iterator[Matches]:
    lineups = np.tile(numbers[lineup_numbers(one.facts)], (len(one.facts.variants), 1))
    none = np.array([name in one.facts.nobody for name in one.facts.reasons])
    for first, frame in store.slices(one.run, ["ranks", "reason"]):
        size = len(frame)
        entrants, ranks = np.empty((2, size, one.facts.players), np.int64)
        packed, reasons = (np.ascontiguousarray(frame[name].to_numpy(), np.int64) for name in ("ranks", "reason"))
        kept = _decode(first, packed, reasons, lineups, none, entrants, ranks)
        yield Matches(entrants[:kept], ranks[:kept], None)


def _teams(store: Store, one: Counted, numbers: Array) -> Iterator[Matches]:
    facts = one.facts
    won = facts.reasons.index(facts.won)
    count, each = one.run.lineups, len(facts.lineups)
    members = numbers[lineup_numbers(facts)]
    for first, frame in store.slices(one.run, ["reason", "score0"]):
        deals = len(frame) // count
        reason, score = (frame[name].to_numpy()[: deals * count].astype(np.int64) for name in ("reason", "score0"))
        worth = np.where(reason == won, score + 1, 0).reshape(deals, len(facts.variants), each)
        for variant in range(len(facts.variants)) if each > 1 else ():
            entrants, ranks, seats = _disjoint_pairs(members, worth[:, variant], first // count)
            yield Matches(entrants, ranks, seats)


@kernel
def _decode(first, ranks, reasons, lineups, none, entrants_out, ranks_out):
    """Entrants and ranks of the matches that say something about skill; returns how many these are."""
    lineup_count, seats = lineups.shape
    n = 0
    for row in range(len(ranks)):
        if reasons[row] >= 0 and not none[reasons[row]]:
            lineup = (first + row) % lineup_count
            packed = ranks[row]
            for seat in range(seats):
                entrants_out[n, seat] = lineups[lineup, seat]
                ranks_out[n, seat] = packed % 10
                packed //= 10
            n += 1
    return n


def _disjoint_pairs(members: Array, worth: Array, deal: int) -> tuple[Array, Array, Array]:
    """Matches of two teams without a common bot: each deal another shift of the list of teams against itself.

    ``members`` (teams, seats), ``worth`` (deals, teams), ``deal``: number of the first; every team meets all others
    equally often, twice a deal at most.
    """
    deals, teams = worth.shape
    shifts = 1 + (deal + np.arange(deals)) % (teams - 1)
    one = np.tile(np.arange(teams), deals)
    two = (one + np.repeat(shifts, teams)) % teams
    row = np.repeat(np.arange(deals), teams)
    apart = ~(members[one][:, :, None] == members[two][:, None, :]).any(axis=(1, 2))
    one, two, row = one[apart], two[apart], row[apart]
    seats = members.shape[1]
    entrants = np.concatenate([members[one], members[two]], axis=1)
    better = np.sign(worth[row, two] - worth[row, one])
    ranks = np.repeat(np.stack([better > 0, better < 0], axis=1).astype(np.int64), seats, axis=1)
    return entrants, ranks, np.repeat([0, 1], seats)
