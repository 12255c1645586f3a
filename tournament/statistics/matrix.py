"""Each bot against each other: cycles with p-values, and what they leave of one number a bot."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tournament.statistics.estimate import Estimate, Jackknifed, holm

MOST_CYCLES = 20


@dataclass(frozen=True)
class Cycle:
    """Each bot (by number) has more than half against the next, and the last against the first.

    ``narrowest``: the smallest of the three shares. ``p``: of there being no such cycle, corrected for all cycles that
    could be; certain below 0.05.
    """

    bots: tuple[int, int, int]
    narrowest: Estimate
    p: float


def cycles(shares: Jackknifed) -> list[Cycle]:
    """Cycles of three among bots with ``shares`` (B, B) of the row against the column, the most certain first.

    A cycle needs all three shares above one half, so its p-value is the largest of theirs (one-sided; the
    intersection-union test, Berger, Technometrics 24, 1982). They are corrected for all cycles that three bots can make
    (Holm); only those that show in the table are returned, at most :data:`MOST_CYCLES`.
    """
    bots = shares.value.shape[0]
    value = np.nan_to_num(shares.value, nan=0.5)
    one_sided = np.where(value > 0.5, shares.p_values(0.5) / 2.0, 1.0)
    rings = [ring for i, j, k in itertools.combinations(range(bots), 3) for ring in ((i, j, k), (i, k, j))]
    if not rings:
        return []
    p = holm([max(one_sided[a, b], one_sided[b, c], one_sided[c, a]) for a, b, c in rings])
    found = []
    for (a, b, c), chance in zip(rings, p.tolist(), strict=True):
        links = [(a, b), (b, c), (c, a)]
        if all(value[link] > 0.5 for link in links):
            narrowest = min(links, key=lambda link: value[link])
            found.append(Cycle((a, b, c), shares.estimate(*narrowest), chance))
    found.sort(key=lambda one: (one.p, -(one.narrowest.value or 0.0), one.bots))
    return found[:MOST_CYCLES]
