"""What a run's results say of each bot and each pair of bots: counts, score shares with intervals, ratings.

A seat's *score share* of a match is the part of the other seats that it beat, ties counting half: 1 for a win, 0.5 for
a draw and 0 for a loss of two. When nobody wins (``Game.none_wins``), every seat's share is 0. Shares are added up as
whole numbers, so sums do not depend on order; the unit of observation is the deal, over all line-ups that played it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.errors import HilltopError
from engine.kernel import kernel
from storage.store import Store, StoredRun
from tournament import intervals, trueskill
from tournament.plan import Plan, lineup_array, restore

Array = np.ndarray[Any, Any]

MATCHES, WINS, DRAWS, LOSSES, NONE = range(5)  # columns of Tally.counts


@dataclass
class Tally:
    """Counts of one run, by variant (V), bot (B), seat (S), reason (R); all int64.

    counts      (V, B, 5)    matches, wins, draws, losses, matches that nobody won
    units       (V, B)       sum of score shares, in units of 1 / (2 (seats - 1))
    seats       (V, B, S, 3) in each seat: matches, wins, units
    scores      (V, B, 2)    sum of scores and of their squares (of the bot's seats)
    pairs       (V, B, B, 3) deals, sum of the deal's units, sum of their squares: the row's bot against the column's
    deals       (V, B, 3)    the same of a bot against all others
    reasons     (L, R)       how the matches of each line-up ended
    plies       (V, 2)       sum of plies, matches
    faults      (B,)         matches spoiled by an illegal choice of the bot
    """

    plan: Plan
    counts: Array = field(init=False)
    units: Array = field(init=False)
    seats: Array = field(init=False)
    scores: Array = field(init=False)
    pairs: Array = field(init=False)
    deals: Array = field(init=False)
    reasons: Array = field(init=False)
    plies: Array = field(init=False)
    faults: Array = field(init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        variants, bots = len(plan.variants), len(plan.entrants)
        reasons = len(plan.game.state.REASONS)
        self.counts = np.zeros((variants, bots, 5), np.int64)
        self.units = np.zeros((variants, bots), np.int64)
        self.seats = np.zeros((variants, bots, plan.players, 3), np.int64)
        self.scores = np.zeros((variants, bots, 2), np.int64)
        self.pairs = np.zeros((variants, bots, bots, 3), np.int64)
        self.deals = np.zeros((variants, bots, 3), np.int64)
        self.reasons = np.zeros((len(plan.lineups), reasons), np.int64)
        self.plies = np.zeros((variants, 2), np.int64)
        self.faults = np.zeros(bots, np.int64)
        self._lineups = lineup_array(plan)
        self._variant = np.array([lineup.variant for lineup in plan.lineups], np.int64)
        self._none = np.array([name in plan.game.none_wins for name in plan.game.state.REASONS])
        self._whole_pairs, self._whole = _matches_a_deal(self._lineups, self._variant, variants, bots)

    def add(self, first: int, ranks: Array, reasons: Array, plies: Array, scores: Array) -> None:
        """Count matches ``first``, ``first + 1``, ... (``first`` begins a deal); ``scores`` (seats, matches)."""
        _count(
            first,
            np.ascontiguousarray(ranks, np.int64),
            np.ascontiguousarray(reasons, np.int64),
            np.ascontiguousarray(plies, np.int64),
            np.ascontiguousarray(scores, np.int64),
            self._lineups,
            self._variant,
            self._none,
            self.counts,
            self.units,
            self.seats,
            self.scores,
            self.pairs,
            self.deals,
            self.reasons,
            self.plies,
            self.faults,
            self._whole_pairs,
            self._whole,
        )

    @property
    def unit(self) -> int:
        """Units in a full score share."""
        return max(2 * (self.plan.players - 1), 1)

    def deal_shares(self, variant: int, bot: int) -> Array:
        """Sum and sum of squares of the bot's score share of a deal, and the number of deals: float64 (3,)."""
        deals, total, squares = (int(x) for x in self.deals[variant, bot])
        scale = self.unit * max(int(self._whole[variant, bot]), 1)
        return np.array([total / scale, squares / scale**2, deals])

    def pair_share(self, variant: int, bot: int, other: int) -> intervals.Interval:
        """The bot's mean share against ``other`` (1 ahead of it, 0.5 tied) with its interval over deals."""
        deals, total, squares = (int(x) for x in self.pairs[variant, bot, other])
        scale = 2 * max(int(self._whole_pairs[variant, bot, other]), 1)
        return intervals.share_interval(total / scale, squares / scale**2, deals)


def _matches_a_deal(lineups: Array, variant: Array, variants: int, bots: int) -> tuple[Array, Array]:
    """How often each pair of bots meets, and each bot sits, in one whole deal of a variant."""
    pairs = np.zeros((variants, bots, bots), np.int64)
    single = np.zeros((variants, bots), np.int64)
    for places, v in zip(lineups, variant, strict=True):
        for i, one in enumerate(places):
            single[v, one] += 1
            for j, other in enumerate(places):
                if i != j:
                    pairs[v, one, other] += 1
    return pairs, single


@kernel
def _count(
    first, ranks, reasons, plies, scores, lineups, variant_of, none, counts, units, seats_of, score_sums, pairs, deals,
    reason_counts, ply_sums, faults, whole_pairs, whole,
):  # fmt: skip
    """See :class:`Tally`. Deals of which a match is missing or spoiled are left out of the sums over deals."""
    variants, bots = units.shape
    lineup_count, seats = lineups.shape
    pair_units = np.zeros((variants, bots, bots), np.int64)
    pair_seen = np.zeros((variants, bots, bots), np.int64)
    deal_units = np.zeros((variants, bots), np.int64)
    deal_seen = np.zeros((variants, bots), np.int64)
    rank = np.zeros(seats, np.int64)
    for row in range(len(ranks)):
        lineup = (first + row) % lineup_count
        variant = variant_of[lineup]
        reason = reasons[row]
        if reason < 0:
            faults[lineups[lineup, ranks[row]]] += 1
        else:
            packed = ranks[row]
            best = 0
            for seat in range(seats):
                rank[seat] = packed % 10
                packed //= 10
                if rank[seat] == 0:
                    best += 1
            reason_counts[lineup, reason] += 1
            ply_sums[variant, 0] += plies[row]
            ply_sums[variant, 1] += 1
            for seat in range(seats):
                bot = lineups[lineup, seat]
                score_sums[variant, bot, 0] += scores[seat, row]
                score_sums[variant, bot, 1] += scores[seat, row] * scores[seat, row]
                won = 0
                got = 0
                if none[reason]:
                    kind = NONE
                elif rank[seat] > 0:
                    kind = LOSSES
                elif best > 1:
                    kind = DRAWS
                else:
                    kind = WINS
                    won = 1
                for other in range(seats):
                    if other != seat:
                        ahead = 0
                        if not none[reason]:
                            ahead = 2 if rank[other] > rank[seat] else 1 if rank[other] == rank[seat] else 0
                        got += ahead
                        pair_units[variant, bot, lineups[lineup, other]] += ahead
                        pair_seen[variant, bot, lineups[lineup, other]] += 1
                counts[variant, bot, MATCHES] += 1
                counts[variant, bot, kind] += 1
                units[variant, bot] += got
                seats_of[variant, bot, seat, 0] += 1
                seats_of[variant, bot, seat, 1] += won
                seats_of[variant, bot, seat, 2] += got
                deal_units[variant, bot] += got
                deal_seen[variant, bot] += 1
        if lineup == lineup_count - 1 or row == len(ranks) - 1:
            for v in range(variants):
                for bot in range(bots):
                    if deal_seen[v, bot] and deal_seen[v, bot] == whole[v, bot]:
                        deals[v, bot, 0] += 1
                        deals[v, bot, 1] += deal_units[v, bot]
                        deals[v, bot, 2] += deal_units[v, bot] * deal_units[v, bot]
                    deal_seen[v, bot] = 0
                    deal_units[v, bot] = 0
                    for other in range(bots):
                        if pair_seen[v, bot, other] and pair_seen[v, bot, other] == whole_pairs[v, bot, other]:
                            got = pair_units[v, bot, other]
                            pairs[v, bot, other, 0] += 1
                            pairs[v, bot, other, 1] += got
                            pairs[v, bot, other, 2] += got * got
                        pair_seen[v, bot, other] = 0
                        pair_units[v, bot, other] = 0


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


def tally(store: Store, run: StoredRun) -> Tally:
    """Count a stored run in one pass of constant memory."""
    plan = restore(run.settings)
    counted = Tally(plan)
    scores = [f"score{seat}" for seat in range(plan.players)]
    for first, frame in store.slices(run, ["ranks", "reason", "plies", *scores]):
        columns = [frame[name].to_numpy() for name in scores]
        ranks, reasons, plies = (frame[name].to_numpy() for name in ("ranks", "reason", "plies"))
        counted.add(first, ranks, reasons, plies, np.array(columns))
    return counted


@dataclass(frozen=True)
class Standing:
    """A bot's rating and record over one or more runs; shares are score shares (see the module's text).

    ``order`` is by how much mu, from the mean of all bots, differs if the same matches are taken in reverse;
    ``share_first`` is the share from seat 0.
    """

    bot: str
    mu: float
    sigma: float
    order: float
    matches: int
    wins: int
    draws: int
    losses: int
    none: int
    share: float | None
    interval: tuple[float, float] | None
    share_first: float | None
    faults: int

    @property
    def conservative(self) -> float:
        """mu - 3 sigma."""
        return self.mu - 3.0 * self.sigma

    @property
    def mu_low(self) -> float:
        """Lower end of the 95 % interval of mu."""
        return self.mu - 1.96 * self.sigma

    @property
    def mu_high(self) -> float:
        """Upper end of the 95 % interval of mu."""
        return self.mu + 1.96 * self.sigma


@dataclass(frozen=True)
class Leaderboard:
    """Bots of one or more runs of a game, best conservative rating first, with the model that rates them."""

    runs: tuple[StoredRun, ...]
    model: trueskill.Model
    standings: tuple[Standing, ...]


def leaderboard(
    store: Store,
    runs: Sequence[StoredRun],
    tallies: Sequence[Tally],
    draw_probability: float | None = None,
    tau: float = 0.0,
) -> Leaderboard:
    """TrueSkill and records over all stored matches of ``runs`` (of one game), in match order.

    The draw probability is the share of drawn matches (of neighbouring ranks that are tied, with more seats) unless
    given. Bots of runs with different code are different bots.
    """
    one_game(runs)
    names = bot_names(runs)
    bots = list(dict.fromkeys(name for run_names in names for name in run_names))
    sources = [
        (run, tally.plan, np.array([bots.index(name) for name in run_names], np.int64))
        for run, tally, run_names in zip(runs, tallies, names, strict=True)
    ]
    if draw_probability is None:
        draw_probability = _drawn(store, sources)
    model = trueskill.Model(draw_probability=draw_probability, tau=tau)
    forward = _rate_pass(store, sources, model, len(bots), reverse=False)
    backward = _rate_pass(store, sources, model, len(bots), reverse=True)
    moved = forward.mu - backward.mu
    standings = []
    for number, bot in enumerate(bots):
        parts = [
            (tally, run_names.index(bot)) for tally, run_names in zip(tallies, names, strict=True) if bot in run_names
        ]
        standings.append(
            Standing(
                bot,
                float(forward.mu[number]),
                float(forward.sigma[number]),
                abs(float(moved[number] - moved.mean())),
                **_record(parts),
            )
        )
    ordered = sorted(standings, key=lambda standing: (-standing.conservative, standing.bot))
    return Leaderboard(tuple(runs), model, tuple(ordered))


def _record(parts: Sequence[tuple[Tally, int]]) -> dict[str, Any]:
    """Counts and shares of a bot, over all variants of one or more tallies."""
    counts: Any = sum(tally.counts[:, bot].sum(axis=0) for tally, bot in parts)
    first = [(tally.seats[:, bot, 0, :].sum(axis=0), tally.unit) for tally, bot in parts]
    first_matches = sum(int(seat[0]) for seat, _ in first)
    first_share = sum(int(seat[2]) / unit for seat, unit in first)
    shares: Any = sum(
        tally.deal_shares(variant, bot) for tally, bot in parts for variant in range(len(tally.plan.variants))
    )
    share = intervals.share_interval(shares[0], shares[1], int(shares[2]))
    return {
        "matches": int(counts[MATCHES]),
        "wins": int(counts[WINS]),
        "draws": int(counts[DRAWS]),
        "losses": int(counts[LOSSES]),
        "none": int(counts[NONE]),
        "share": float(share.estimate) if shares[2] else None,
        "interval": (float(share.low), float(share.high)) if shares[2] else None,
        "share_first": first_share / first_matches if first_matches else None,
        "faults": sum(int(tally.faults[bot]) for tally, bot in parts),
    }


def one_game(runs: Sequence[StoredRun]) -> None:
    """Raises HilltopError if the runs are of different games."""
    games = {run.game for run in runs}
    if len(games) > 1:
        raise HilltopError(f"the runs are of different games ({', '.join(sorted(games))}); rate each game on its own")


def bot_names(runs: Sequence[StoredRun]) -> list[list[str]]:
    """What each run's bots are called: their spec, with the code's fingerprint if it is not the same in all runs."""
    mixed = len({run.fingerprint for run in runs}) > 1
    return [[f"{spec}@{run.fingerprint[:6]}" if mixed else spec for spec in run.settings["bots"]] for run in runs]


Source = tuple[StoredRun, Plan, Array]


def _rate_pass(
    store: Store, sources: Sequence[Source], model: trueskill.Model, bots: int, reverse: bool
) -> trueskill.Ratings:
    ratings = trueskill.new_ratings(bots, model)
    for run, plan, numbers in reversed(sources) if reverse else sources:
        for entrants, ranks in _rated_matches(store, run, plan, numbers, reverse):
            ratings = trueskill.update(ratings.mu, ratings.sigma, entrants, ranks, model)
    return ratings


def _rated_matches(store: Store, run: StoredRun, plan: Plan, numbers: Array, reverse: bool) -> Any:
    """Slices of (entrants, ranks) of a run, from its first match to its last or the other way round."""
    lineups = numbers[lineup_array(plan)]
    none = np.array([name in plan.game.none_wins for name in plan.game.state.REASONS])
    for first, frame in store.slices(run, ["ranks", "reason"], backwards=reverse):
        size = len(frame)
        entrants, ranks = np.empty((2, size, plan.players), np.int64)
        packed, reasons = (np.ascontiguousarray(frame[name].to_numpy(), np.int64) for name in ("ranks", "reason"))
        kept = _decode(first, packed, reasons, lineups, none, entrants, ranks)
        step = -1 if reverse else 1
        yield np.ascontiguousarray(entrants[:kept][::step]), np.ascontiguousarray(ranks[:kept][::step])


def _drawn(store: Store, sources: Sequence[Source]) -> float:
    """The share of ties among neighbouring ranks."""
    ties = neighbours = 0
    for run, plan, numbers in sources:
        for _, ranks in _rated_matches(store, run, plan, numbers, False):
            ordered = np.sort(ranks, axis=1)
            ties += int((ordered[:, 1:] == ordered[:, :-1]).sum())
            neighbours += ordered.shape[0] * (ordered.shape[1] - 1)
    return intervals.draw_probability(ties, neighbours)
