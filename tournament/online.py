"""Ratings by TrueSkill's own update, match by match in the order in which they were played (``--method online``).

Everything else that is said of a run is computed from its tally; this needs its matches one by one.

Bots of a cooperative game are rated by their *teams*: on every deal these are ranked by their score (a loss counts less
than any win) and TrueSkill rates the bots on these ranks, in matches of two teams that have no bot in common. One match
of all teams at once would be wrong: most of them tie by losing, and TrueSkill's chain of neighbours treats tied teams
unequally by the order in which they are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.errors import HilltopError
from engine.kernel import kernel
from storage.store import Store
from tournament import trueskill
from tournament.statistics.counted import Counted, Pool
from tournament.statistics.facts import lineup_numbers
from tournament.statistics.rating import Rated

Array = np.ndarray[Any, Any]
_QUANTILE = 1.959963984540054  # of the normal distribution, for 95 %

Matches = Iterator[tuple[Array, Array, Array | None]]


def rate(store: Store, pool: Pool, draw_probability: float | None = None, tau: float = 0.0) -> Rated:
    """TrueSkill over all stored matches of the pool's runs, one run after the other. ``order`` is by how much mu, from
    the mean of all bots, differs if the same matches are taken in reverse; intervals are those of the model.

    The draw probability is the share of drawn matches (of neighbouring ranks that are tied, with more seats) unless
    given. Raises HilltopError if a run keeps no matches.
    """
    for one in pool.runs:
        if one.run.keep != "matches":
            raise HilltopError(f"run {one.run.id} keeps no matches, which an online rating takes one by one")
    if draw_probability is None:
        ties = neighbours = 0
        for _, ranks, _ in _all(store, pool, False):
            ordered = np.sort(ranks, axis=1) if not pool.facts.cooperative else ranks[:, [0, -1]]
            ties += int((ordered[:, 1:] == ordered[:, :-1]).sum())
            neighbours += ordered.shape[0] * (ordered.shape[1] - 1)
        # One imaginary decisive match keeps the draw margin finite.
        draw_probability = ties / (neighbours + 1)
    model = trueskill.Model(draw_probability=draw_probability, tau=tau)
    forward, backward = (_pass(store, pool, model, reverse) for reverse in (False, True))
    moved = forward.mu - backward.mu
    half = _QUANTILE * forward.sigma
    order = np.abs(moved - moved.mean())
    return Rated(
        forward.mu, forward.mu - half, forward.mu + half, forward.sigma, order, model.draw_probability, model.tau
    )


def _pass(store: Store, pool: Pool, model: trueskill.Model, reverse: bool) -> trueskill.Ratings:
    ratings = trueskill.new_ratings(len(pool.bots), model)
    for entrants, ranks, teams in _all(store, pool, reverse):
        rest = () if teams is None else (teams,)
        ratings = trueskill.update(ratings.mu, ratings.sigma, entrants, ranks, model, *rest)
    return ratings


def _all(store: Store, pool: Pool, reverse: bool) -> Matches:
    """Matches of all runs: entrants and ranks (matches, seats), and the team of each seat if there are teams."""
    for one in reversed(pool.runs) if reverse else pool.runs:
        yield from (_teams if one.facts.cooperative else _rivals)(store, one, pool.numbers(one), reverse)


def _rivals(store: Store, one: Counted, numbers: Array, reverse: bool) -> Matches:
    lineups = np.tile(numbers[lineup_numbers(one.facts)], (len(one.facts.variants), 1))
    none = np.array([name in one.facts.nobody for name in one.facts.reasons])
    for first, frame in store.slices(one.run, ["ranks", "reason"], backwards=reverse):
        size = len(frame)
        entrants, ranks = np.empty((2, size, one.facts.players), np.int64)
        packed, reasons = (np.ascontiguousarray(frame[name].to_numpy(), np.int64) for name in ("ranks", "reason"))
        kept = _decode(first, packed, reasons, lineups, none, entrants, ranks)
        step = -1 if reverse else 1
        yield np.ascontiguousarray(entrants[:kept][::step]), np.ascontiguousarray(ranks[:kept][::step]), None


def _teams(store: Store, one: Counted, numbers: Array, reverse: bool) -> Matches:
    facts = one.facts
    won = facts.reasons.index(facts.won)
    count, each = one.run.lineups, len(facts.lineups)
    members = numbers[lineup_numbers(facts)]
    for first, frame in store.slices(one.run, ["reason", "score0"], backwards=reverse):
        deals = len(frame) // count
        reason, score = (frame[name].to_numpy()[: deals * count].astype(np.int64) for name in ("reason", "score0"))
        worth = np.where(reason == won, score + 1, 0).reshape(deals, len(facts.variants), each)
        for variant in range(len(facts.variants)) if each > 1 else ():
            entrants, ranks, seats = _disjoint_pairs(members, worth[:, variant], first // count)
            step = -1 if reverse else 1
            yield np.ascontiguousarray(entrants[::step]), np.ascontiguousarray(ranks[::step]), seats


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
