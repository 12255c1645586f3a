"""One pass over a stored run: sums by batch of deals, of which all balance statistics are functions.

The unit is the *deal under a variant*: all of a variant's line-ups played on it. One of which a match is missing (the
end of an unfinished run) or spoiled (a bot made an illegal choice) is left out as a whole, so that every bot sits in
every seat equally often. All variants have the same line-ups, on the same deals, in the same batches.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

import numpy as np

from engine.errors import HilltopError
from engine.kernel import kernel
from storage.store import Store, StoredRun
from tournament.balance.estimate import Array, Floats, Jackknifed, batch_size, jackknife
from tournament.plan import Plan, lineup_array, restore

_ROOM = 256 << 20  # bytes for sums by batch and line-up; many line-ups make fewer batches
_FEWEST_BATCHES = 20


@dataclass(frozen=True)
class Design:
    """Who played whom, without the matches.

    lineups   int64 (M, S): bots in seats; under each variant these same line-ups play every deal
    nobody    bool (R,): does a match that ended for this reason have no winner among the seats?
    """

    bots: tuple[str, ...]
    variants: tuple[str, ...]
    lineups: Array
    nobody: Array

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return int(self.lineups.shape[1])

    @property
    def unit(self) -> int:
        """Units in a full score share: two for each other seat, one of them for a tie."""
        return max(2 * (self.seats - 1), 1)

    @functools.cached_property
    def sets(self) -> Array:
        """int64 (M,): a number that line-ups of the same bots share."""
        numbers: dict[tuple[int, ...], int] = {}
        return np.array([numbers.setdefault(tuple(sorted(row)), len(numbers)) for row in self.lineups.tolist()])

    @functools.cached_property
    def meetings(self) -> Array:
        """int64 (M, B, B): how many seats of the row's bot face a seat of the column's, in each line-up."""
        bots = len(self.bots)
        seats = np.zeros((len(self.lineups), bots), np.int64)
        np.add.at(seats, (np.arange(len(self.lineups))[:, None], self.lineups), 1)
        found = seats[:, :, None] * seats[:, None, :]
        found[:, np.arange(bots), np.arange(bots)] = 0  # a bot does not meet itself
        return found


def design_of(plan: Plan) -> Design:
    """The design of a run; raises HilltopError for cooperative games, which have no winner among the seats."""
    if plan.game.cooperative:
        raise HilltopError(f"the seats of {plan.game.id} win or lose together; its balance is that of teams")
    lineups = lineup_array(plan)
    variants = len(plan.variants)
    each = len(lineups) // variants
    if (lineups.reshape(variants, each, plan.players) != lineups[:each]).any():
        raise HilltopError("the variants of this run were not played by the same line-ups")
    return Design(
        tuple(entrant.spec for entrant in plan.entrants),
        tuple(variant.label for variant in plan.variants),
        lineups[:each],
        np.array([name in plan.game.none_wins for name in plan.game.state.REASONS]),
    )


@dataclass
class Sample:
    """Sums over whole deals by batch (K), variant (V), line-up (M), seat (S) and bot (B); all int64.

    deals         (K, V)          whole deals counted
    left_out      (V,)            deals left out because a match was spoiled
    units         (K, V, M, S)    score share of the seat, in units of 1 / design.unit
    wins          (K, V, M, S)    matches that the seat won alone
    draws         (K, V, M)       matches with several winners
    none          (K, V, M)       matches that nobody won
    plies         (K, V, M)       plies
    ply_squares   (K, V)          plies squared
    unit_squares  (K, V, S)       a match's units of the seat, squared
    deal_squares  (K, V, S)       a deal's units of the seat, over all line-ups, squared
    pairs         (K, V, B, B)    units by which the row's bot was ahead of the column's (2 ahead, 1 tied), of matches
                                  that somebody won; more than two seats only: see :meth:`pair_units`
    """

    design: Design
    planned_deals: int
    batch: int = field(init=False)
    deals: Array = field(init=False)
    left_out: Array = field(init=False)
    units: Array = field(init=False)
    wins: Array = field(init=False)
    draws: Array = field(init=False)
    none: Array = field(init=False)
    plies: Array = field(init=False)
    ply_squares: Array = field(init=False)
    unit_squares: Array = field(init=False)
    deal_squares: Array = field(init=False)
    pairs: Array = field(init=False)

    def __post_init__(self) -> None:
        variants, bots = len(self.design.variants), len(self.design.bots)
        lineups, seats = self.design.lineups.shape
        crowd = bots if seats > 2 else 0
        one_batch = 8 * variants * (lineups * (2 * seats + 3) + crowd * crowd)
        self.batch = batch_size(self.planned_deals, max(_ROOM // one_batch, _FEWEST_BATCHES))
        k = max(1, -(-self.planned_deals // self.batch))
        self.deals = np.zeros((k, variants), np.int64)
        self.left_out = np.zeros(variants, np.int64)
        self.units = np.zeros((k, variants, lineups, seats), np.int64)
        self.wins = np.zeros((k, variants, lineups, seats), np.int64)
        self.draws = np.zeros((k, variants, lineups), np.int64)
        self.none = np.zeros((k, variants, lineups), np.int64)
        self.plies = np.zeros((k, variants, lineups), np.int64)
        self.ply_squares = np.zeros((k, variants), np.int64)
        self.unit_squares = np.zeros((k, variants, seats), np.int64)
        self.deal_squares = np.zeros((k, variants, seats), np.int64)
        self.pairs = np.zeros((k, variants, crowd, crowd), np.int64)

    def add(self, first: int, ranks: Array, reasons: Array, plies: Array) -> None:
        """Count matches ``first``, ``first + 1``, ... (``first`` begins a deal), as they are stored."""
        each = len(self.design.variants) * len(self.design.lineups)
        if first + len(ranks) > self.planned_deals * each:
            raise ValueError(f"Matches up to {first + len(ranks)} are beyond the {self.planned_deals} deals planned.")
        _count(
            first // each,
            np.ascontiguousarray(ranks, np.int64),
            np.ascontiguousarray(reasons, np.int64),
            np.ascontiguousarray(plies, np.int64),
            self.design.lineups,
            self.design.nobody,
            self.batch,
            self.deals,
            self.left_out,
            self.units,
            self.wins,
            self.draws,
            self.none,
            self.plies,
            self.ply_squares,
            self.unit_squares,
            self.deal_squares,
            self.pairs,
        )

    @property
    def matches(self) -> Array:
        """Matches counted, int64 (V,)."""
        total: Array = self.deals.sum(axis=0) * len(self.design.lineups)
        return total

    @functools.cached_property
    def pair_units(self) -> Array:
        """int64 (K, V, B, B): units by which the row's bot was ahead of the column's (2 ahead, 1 tied)."""
        if self.design.seats != 2:
            return self.pairs
        k, variants = self.deals.shape
        bots = len(self.design.bots)
        found = np.zeros((k, variants, bots, bots), np.int64)
        for lineup, (one, two) in enumerate(self.design.lineups.tolist()):
            if one != two:
                found[:, :, one, two] += self.units[:, :, lineup, 0]
                found[:, :, two, one] += self.units[:, :, lineup, 1]
        return found

    @functools.cached_property
    def pair_matches(self) -> Array:
        """int64 (K, V, B, B): how often the row's bot met the column's in matches that somebody won."""
        won = self.deals[:, :, None] - self.none
        k, variants, lineups = won.shape
        bots = len(self.design.bots)
        # Whole numbers below 2^53, so that the fast product of floats is exact.
        met = won.reshape(-1, lineups).astype(np.float64) @ self.design.meetings.reshape(lineups, -1).astype(np.float64)
        return met.astype(np.int64).reshape(k, variants, bots, bots)

    @functools.cached_property
    def decided(self) -> Array:
        """Matches that somebody won, int64 (V, M)."""
        won: Array = (self.deals[:, :, None] - self.none).sum(axis=0)
        return won

    @functools.cached_property
    def bot_matches(self) -> Array:
        """Matches of each bot against others that somebody won, int64 (V, B)."""
        sat = self.design.meetings.any(axis=2).astype(np.int64)
        return np.asarray(self.decided @ sat)

    @functools.cached_property
    def pair_shares(self) -> Jackknifed:
        """Share of the row's bot against the column's (V, B, B): 1 ahead, 0.5 tied; 0.5 of a bot against itself, nan
        of two that never met."""
        same = np.eye(len(self.design.bots), dtype=bool)

        def share(units: Array, met: Array) -> Floats:
            return np.where(same, 0.5, units / (2.0 * met))

        met = self.pair_matches
        found = jackknife(share, [self.pair_units, met], self.deals, bounds=(0.0, 1.0))
        together = (self.design.meetings > 0).astype(np.int64)
        return replace(found, matches=np.einsum("vm,mij->vij", self.decided, together))

    @functools.cached_property
    def strength(self) -> Floats:
        """float64 (B,): mean score share over all variants, seats and opponents. The order of bots by it is the same
        for all variants, so that variants are compared by the same matches."""
        units = self.units.sum(axis=(0, 1))
        bots = len(self.design.bots)
        total, seats = np.zeros(bots), np.zeros(bots)
        np.add.at(total, self.design.lineups, units)
        np.add.at(seats, self.design.lineups, 1)
        deals = max(int(self.deals.sum()), 1)
        shares: Floats = total / (np.maximum(seats, 1) * deals * self.design.unit)
        return shares

    @functools.cached_property
    def order(self) -> Array:
        """int64 (B,): bots, strongest first."""
        return np.argsort(-self.strength, kind="stable")


def read(store: Store, run: StoredRun) -> Sample:
    """Count a stored run in one pass of constant memory."""
    plan = restore(run.settings)
    sample = Sample(design_of(plan), run.done // run.lineups + bool(run.done % run.lineups))
    for first, frame in store.slices(run, ["ranks", "reason", "plies"]):
        sample.add(first, *(frame[name].to_numpy() for name in ("ranks", "reason", "plies")))
    return sample


@kernel
def _count(
    deal, ranks, reasons, plies, lineups, nobody, batch_deals, deals, left_out, units, wins, draws, none, ply_sums,
    ply_squares, unit_squares, deal_squares, pairs,
):  # fmt: skip
    """See :class:`Sample`; ``deal`` is the number of the first."""
    variants = deals.shape[1]
    each, seats = lineups.shape
    rank = np.zeros(seats, np.int64)
    total = np.zeros(seats, np.int64)
    row = 0
    variant = 0
    while row + each <= len(ranks):
        spoiled = False
        for i in range(row, row + each):
            spoiled = spoiled or reasons[i] < 0
        if spoiled:
            left_out[variant] += 1
        else:
            batch = deal // batch_deals
            deals[batch, variant] += 1
            total[:] = 0
            for lineup in range(each):
                i = row + lineup
                packed = ranks[i]
                best = 0
                for seat in range(seats):
                    rank[seat] = packed % 10
                    packed //= 10
                    if rank[seat] == 0:
                        best += 1
                ply_sums[batch, variant, lineup] += plies[i]
                ply_squares[batch, variant] += plies[i] * plies[i]
                if nobody[reasons[i]]:
                    none[batch, variant, lineup] += 1
                else:
                    if best > 1:
                        draws[batch, variant, lineup] += 1
                    for seat in range(seats):
                        got = 0
                        for other in range(seats):
                            if other != seat and rank[other] >= rank[seat]:
                                ahead = 2 if rank[other] > rank[seat] else 1
                                got += ahead
                                if seats > 2 and lineups[lineup, seat] != lineups[lineup, other]:
                                    pairs[batch, variant, lineups[lineup, seat], lineups[lineup, other]] += ahead
                        if rank[seat] == 0 and best == 1:
                            wins[batch, variant, lineup, seat] += 1
                        units[batch, variant, lineup, seat] += got
                        unit_squares[batch, variant, seat] += got * got
                        total[seat] += got
            for seat in range(seats):
                deal_squares[batch, variant, seat] += total[seat] * total[seat]
        row += each
        variant += 1
        if variant == variants:
            variant = 0
            deal += 1
