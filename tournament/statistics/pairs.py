"""Who finished ahead of whom: the outcomes that ratings are made of, counted by pair of seats and cluster of deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

AHEAD, TIED, BEHIND = range(3)  # outcomes of a pair, seen from its first seat


@dataclass(frozen=True)
class PairCounts:
    """Outcomes of pairs of seats in matches that somebody won.

    bots    names of the B entrants; of teams, where these are compared by what they score on the same deals
    seats   S, how many sit at a table (1 where teams are compared)
    cells   int64 (C, 4): bot i, its seat, bot j, its seat
    counts  float64 (K, C, 3), whole numbers: i ahead, tied, j ahead; by cluster of deals. Deals of different clusters
            are independent, those of one need not be.
    """

    bots: tuple[str, ...]
    seats: int
    cells: Ints
    counts: Floats

    @property
    def clusters(self) -> int:
        """K, the clusters of deals that hold anything."""
        return int((self.counts.sum(axis=(1, 2)) > 0).sum())

    @property
    def weight(self) -> float:
        """What one pair counts, so that a match of S seats does not count S (S - 1) / 2 times over: 3 / (S + 1).

        The ranking of S equals gives seat i the score sum_j sign_ij over its S - 1 pairs. These scores have covariance
        (S + 1) / 3 times what so many independent pairs would have, so dividing by it makes the pairs as informative as
        the ranking (the magnitude adjustment of Pauli, Racugno and Ventura, "Bayesian composite marginal likelihoods",
        Statistica Sinica 21, 2011). 1 for two seats.
        """
        together = self.seats if self.seats > 1 else len(self.bots)
        return 3.0 / (max(together, 2) + 1.0)

    def canonical(self) -> PairCounts:
        """The same with every pair once, the lower (bot, seat) first, in ascending order, without what never occurred.

        Counts are whole numbers, so sums are exact and neither the order of rows nor of clusters plays a part.
        """
        cells = np.asarray(self.cells, np.int64).reshape(-1, 4)
        counts = np.asarray(self.counts, np.float64)
        one, two = cells[:, 0] * self.seats + cells[:, 1], cells[:, 2] * self.seats + cells[:, 3]
        turned = one > two
        cells = np.where(turned[:, None], cells[:, [2, 3, 0, 1]], cells)
        counts = np.where(turned[None, :, None], counts[:, :, ::-1], counts)
        cells, where = np.unique(cells, axis=0, return_inverse=True)
        merged = np.zeros((len(cells), len(counts), 3))
        np.add.at(merged, where.ravel(), counts.transpose(1, 0, 2))
        merged = merged.transpose(1, 0, 2)
        some = merged.sum(axis=(0, 2)) > 0
        kept = merged.sum(axis=(1, 2)) > 0
        return PairCounts(self.bots, self.seats, cells[some], merged[kept][:, some])

    def chosen(self, clusters: Any) -> PairCounts:
        """Those clusters alone."""
        return PairCounts(self.bots, self.seats, self.cells, self.counts[clusters])

    def table(self) -> Floats:
        """Outcomes of each pair of bots over all seats and clusters: float64 (B, B, 3), the row's bot first."""
        bots = len(self.bots)
        found = np.zeros((bots, bots, 3))
        total = self.counts.sum(axis=0)
        np.add.at(found, (self.cells[:, 0], self.cells[:, 2]), total)
        np.add.at(found, (self.cells[:, 2], self.cells[:, 0]), total[:, ::-1])
        found[np.arange(bots), np.arange(bots)] = 0.0
        return found
