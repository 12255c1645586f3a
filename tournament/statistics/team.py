"""A run of a cooperative game, ready for statistics: what teams win and score on the same deals.

A *team* is a line-up: one bot alone, or partners. Each team plays each deal once under each variant; every match that
no bot spoiled counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.errors import HilltopError
from tournament.statistics.estimate import Array, Estimate, Floats, Jackknifed, jackknife
from tournament.statistics.facts import Facts
from tournament.statistics.tally import SCORES, Tally


class TeamSample:
    """A tally by block (K), variant (V) and team (T)."""

    def __init__(self, facts: Facts, tally: Tally) -> None:
        if not facts.cooperative:
            raise HilltopError(f"{facts.title} is no cooperative game")
        self.facts = facts
        self.tally = tally
        self.variants = facts.labels
        self.teams = facts.teams
        self.won = facts.reasons.index(facts.won)

    @cached_property
    def played(self) -> Array:
        """Matches, int64 (K, V, T)."""
        return self.tally.of("matches")

    @cached_property
    def ends(self) -> Array:
        """How often the team's match ended for each reason, int64 (K, V, T, R)."""
        return self.tally.of("reasons")

    @cached_property
    def scores(self) -> Array:
        """How often it won with each score 0, 1, ..., int64 (K, V, T, SCORES); the last one counts all above."""
        return self.tally.of("scores")

    @cached_property
    def deals(self) -> Array:
        """Deals behind each block, int64 (K, V)."""
        deals: Array = self.played.max(axis=2)
        return deals

    @property
    def matches(self) -> Array:
        """Matches counted, int64 (V,)."""
        total: Array = self.played.sum(axis=(0, 2))
        return total

    def rate(self, counts: Array) -> Jackknifed:
        """Mean over deals of counts (K, V, T) of matches: (V, T)."""
        return self._mean(counts, (0.0, 1.0))

    @property
    def win_rate(self) -> Jackknifed:
        """Share of deals won, (V, T)."""
        return self.rate(self.ends[..., self.won])

    @property
    def score(self) -> Jackknifed:
        """Mean score, a loss counting 0: (V, T)."""
        return self._mean(self.tally.of("score"), None)

    def _mean(self, total: Array, bounds: tuple[float, float] | None) -> Jackknifed:
        found = jackknife(_ratio, [total, self.played], self.deals, bounds=bounds)
        return replace(found, matches=self.played.sum(axis=0))


def _ratio(total: Array, matches: Array) -> Floats:
    result: Floats = total / matches.astype(np.float64)
    return result


def pair_and_solo(pair: TeamSample, solo: TeamSample) -> tuple[TeamSample, TeamSample]:
    """Two runs of the same deals under the same variants, by two players and by one, over the blocks of deals of which
    both hold the same deals; raises HilltopError if these are not the same deals or variants."""
    one, two = pair.facts, solo.facts
    if (one.seed, [variant.options for variant in one.variants]) != (
        two.seed,
        [variant.options for variant in two.variants],
    ):
        raise HilltopError("the runs differ in seed or variants, so their deals differ")
    if (one.players, two.players) != (2, 1):
        raise HilltopError("a run of two players is compared with one of a solo player")
    shift = max(one.layout.shift, two.layout.shift)
    tallies = [sample.tally.coarser(shift) for sample in (pair, solo)]
    count = min(tally.blocks for tally in tallies)
    deals = [tally.of("matches")[:count].max(axis=2) for tally in tallies]
    same = np.flatnonzero((deals[0] == deals[1]).all(axis=1))
    chosen = [tally.chosen(same) for tally in tallies]
    return TeamSample(one, chosen[0]), TeamSample(two, chosen[1])


def medals(sample: TeamSample) -> dict[str, Array]:
    """How often each team earned each medal, (K, V, T)."""
    found: dict[str, Array] = {}
    for v, variant in enumerate(sample.facts.variants):
        for score in range(SCORES):
            name = variant.medal(score)
            if name and sample.scores[:, v, :, score].any():
                counts = found.setdefault(name, np.zeros(sample.scores.shape[:3], np.int64))
                counts[:, v] += sample.scores[:, v, :, score]
    return found


@dataclass(frozen=True)
class TeamStanding:
    """What a team achieved under one variant; ``medals`` and ``reasons`` count its matches."""

    team: str
    variant: str
    matches: int
    wins: int
    win_rate: Estimate
    score: Estimate
    medals: dict[str, int]
    reasons: dict[str, int]


def standings(sample: TeamSample) -> list[TeamStanding]:
    """Every team of a run, most wins and then highest mean score first within a variant."""
    rates, scores = sample.win_rate.estimates(), sample.score.estimates()
    ends = sample.ends.sum(axis=0)
    earned = {name: counts.sum(axis=0) for name, counts in medals(sample).items()}
    found = []
    for v, variant in enumerate(sample.variants):
        rows = [
            TeamStanding(
                team,
                variant,
                int(ends[v, t].sum()),
                int(ends[v, t, sample.won]),
                rates[v * len(sample.teams) + t],
                scores[v * len(sample.teams) + t],
                {name: int(counts[v, t]) for name, counts in earned.items() if counts[v, t]},
                {name: int(n) for name, n in zip(sample.facts.reasons, ends[v, t], strict=True) if n},
            )
            for t, team in enumerate(sample.teams)
        ]
        found += sorted(rows, key=lambda row: (-(row.win_rate.value or 0.0), -(row.score.value or 0.0), row.team))
    return found
