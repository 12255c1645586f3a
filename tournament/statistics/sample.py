"""A run in which seats play against each other, ready for statistics: its tally, with names for bots and variants.

The unit is the deal: blocks of deals are independent, what was played on one deal is not. All variants have the same
line-ups, on the same deals, in the same blocks. Every match that no bot spoiled counts.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from tournament.statistics.estimate import Array, Floats, Jackknifed, jackknife
from tournament.statistics.facts import Facts, lineup_numbers
from tournament.statistics.pairs import PairCounts
from tournament.statistics.tally import Tally


@dataclass(frozen=True)
class Design:
    """Who played whom, without the matches.

    lineups   int64 (M, S): bots in seats; under each variant these same line-ups play every deal
    nobody    may a match end without a winner among the seats?
    """

    bots: tuple[str, ...]
    variants: tuple[str, ...]
    lineups: Array
    nobody: bool = False

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
    def together(self) -> Array:
        """int64 (M, B, B): do seats of the row's bot face seats of the column's, in each line-up? A bot does not meet
        itself."""
        bots = len(self.bots)
        sits = np.zeros((len(self.lineups), bots), np.int64)
        sits[np.arange(len(self.lineups))[:, None], self.lineups] = 1
        found = sits[:, :, None] * sits[:, None, :]
        found[:, np.arange(bots), np.arange(bots)] = 0
        return found


def design_of(facts: Facts) -> Design:
    """The design of a run in which seats play against each other."""
    return Design(facts.names, facts.labels, lineup_numbers(facts), bool(facts.nobody))


class Sample:
    """A tally by block (K), variant (V), line-up (M), seat (S) and bot (B)."""

    def __init__(self, design: Design, tally: Tally) -> None:
        self.design = design
        self.tally = tally

    def of(self, name: str) -> Array:
        """Sums by their name, see ``tally.Layout``: (K, V, M, ...) by line-up or (K, V, ...)."""
        return self.tally.of(name)

    @functools.cached_property
    def deals(self) -> Array:
        """Deals behind each block, int64 (K, V): those that any line-up has played."""
        deals: Array = self.of("matches").max(axis=2)
        return deals

    @functools.cached_property
    def matches(self) -> Array:
        """Matches counted, int64 (V,)."""
        total: Array = self.of("matches").sum(axis=(0, 2))
        return total

    @functools.cached_property
    def faults(self) -> Array:
        """Matches spoiled by each bot, int64 (V, B)."""
        faults = self.of("faults").sum(axis=(0, -1))
        found = np.zeros((faults.shape[0], len(self.design.bots)), np.int64)
        np.add.at(found, (np.arange(len(found))[:, None, None], self.design.lineups), faults)
        return found

    @functools.cached_property
    def pairs(self) -> Array:
        """Matches that somebody won by pair of bots, int64 (K, V, B, B, 3): the row's bot ahead of the column's, tied,
        behind. What a bot does against itself is left out."""
        bots = len(self.design.bots)
        seats = np.array(self.tally.layout.pairs, np.int64).reshape(-1, 2)
        one, two = (self.design.lineups[:, seats[:, side]].ravel() for side in (0, 1))
        counts = self.of("pairs")
        k, variants = counts.shape[:2]
        found = np.zeros((k, variants, bots * bots, 3), np.int64)
        if len(one):
            keys, sums = grouped(counts.reshape(k, variants, -1, 3), one * bots + two)
            found[:, :, keys] = sums
        found = found.reshape(k, variants, bots, bots, 3)
        found = found + found.transpose(0, 1, 3, 2, 4)[..., ::-1]
        found[:, :, np.arange(bots), np.arange(bots)] = 0
        return found

    @functools.cached_property
    def pair_units(self) -> Array:
        """int64 (K, V, B, B): units by which the row's bot was ahead of the column's (2 ahead, 1 tied)."""
        units: Array = 2 * self.pairs[..., 0] + self.pairs[..., 1]
        return units

    @functools.cached_property
    def pair_matches(self) -> Array:
        """int64 (K, V, B, B): how often the row's bot met the column's in matches that somebody won."""
        met: Array = self.pairs.sum(axis=-1)
        return met

    @functools.cached_property
    def decided(self) -> Array:
        """Matches that somebody won, int64 (V, M)."""
        won: Array = (self.of("matches") - self.of("none")).sum(axis=0)
        return won

    @functools.cached_property
    def bot_matches(self) -> Array:
        """Matches of each bot against others that somebody won, int64 (V, B)."""
        return np.asarray(self.decided @ self.design.together.any(axis=2).astype(np.int64))

    @functools.cached_property
    def pair_shares(self) -> Jackknifed:
        """Share of the row's bot against the column's (V, B, B): 1 ahead, 0.5 tied; 0.5 of a bot against itself, nan
        of two that never met."""
        same = np.eye(len(self.design.bots), dtype=bool)

        def share(units: Array, met: Array) -> Floats:
            return np.where(same, 0.5, units / (2.0 * met))

        found = jackknife(share, [self.pair_units, self.pair_matches], self.deals, bounds=(0.0, 1.0))
        return replace(found, matches=np.einsum("vm,mij->vij", self.decided, self.design.together))

    @functools.cached_property
    def strength(self) -> Floats:
        """float64 (B,): mean score share over all variants, seats and opponents. The order of bots by it is the same
        for all variants, so that variants are compared by the same matches."""
        units, matches = self.of("units").sum(axis=(0, 1)), self.of("matches").sum(axis=(0, 1))
        total, played = np.zeros((2, len(self.design.bots)))
        np.add.at(total, self.design.lineups, units)
        np.add.at(played, self.design.lineups, matches[:, None])
        shares: Floats = total / (np.maximum(played, 1) * self.design.unit)
        return shares

    @functools.cached_property
    def order(self) -> Array:
        """int64 (B,): bots, strongest first."""
        return np.argsort(-self.strength, kind="stable")

    def pair_counts(self, variant: int) -> PairCounts:
        """The outcomes that ratings under a variant are made of, by block."""
        counts = self.of("pairs")[:, variant]
        cells = [
            (row[one], one, row[two], two)
            for row in self.design.lineups.tolist()
            for one, two in self.tally.layout.pairs
        ]
        shape = (len(counts), len(cells), 3)
        return PairCounts(
            self.design.bots,
            self.design.seats,
            np.array(cells, np.int64).reshape(-1, 4),
            counts.reshape(shape).astype(np.float64),
        )


def grouped(counts: Array, keys: Array) -> tuple[Array, Array]:
    """Sums (..., keys, n) of ``counts`` (..., N, n) with equal ``keys`` (N,), and the keys in ascending order."""
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    return distinct, np.add.reduceat(counts[..., order, :], starts, axis=-2)
