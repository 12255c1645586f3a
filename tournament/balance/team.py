"""Balance of the cooperative game: how hard it is, how it is lost, and what it costs not to see a partner's cards.

A *team* is a line-up: one bot alone, or partners. Each team plays each deal once under each variant. As in ``sample``,
results are summed by batch of deals, and a deal of which a team's match is missing or spoiled is left out under that
variant.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.errors import HilltopError
from engine.kernel import kernel
from storage.store import Store, StoredRun
from tournament.balance.estimate import Array, Estimate, Floats, Jackknifed, batch_size, jackknife
from tournament.balance.finding import Finding, Series, by_variant
from tournament.plan import Plan, lineup_array, restore

_ROOM = 256 << 20  # bytes for sums; many teams make fewer batches
_FEWEST_BATCHES = 20
_SCORES = 64  # scores that are counted from the start; more are made room for


@dataclass
class TeamSample:
    """Sums over the first ``planned_deals`` deals by batch (K), variant (V) and team (T); int64.

    deals   (K, V)        whole deals counted
    ends    (K, V, T, R)  how often the team's match ended for each reason
    scores  (K, V, T, C)  how often it won with each score 0, 1, ...
    """

    plan: Plan
    planned_deals: int
    batch: int | None = None  # deals in a batch
    deals: Array = field(init=False)
    ends: Array = field(init=False)
    scores: Array = field(init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        if not plan.game.cooperative:
            raise HilltopError(f"{plan.game.id} is no cooperative game")
        self.variants = tuple(variant.label for variant in plan.variants)
        lineups = lineup_array(plan)
        self.lineups = lineups[: len(lineups) // len(self.variants)]
        names = [entrant.spec for entrant in plan.entrants]
        self.teams = tuple(" + ".join(names[bot] for bot in row) for row in self.lineups.tolist())
        self.reasons = tuple(plan.game.state.REASONS)
        self.won = self.reasons.index(plan.game.won)
        self._size = self.batch or _batch_size(plan, self.planned_deals)
        shape = (max(1, -(-self.planned_deals // self._size)), len(self.variants), len(self.teams))
        self.deals = np.zeros(shape[:2], np.int64)
        self.ends = np.zeros((*shape, len(self.reasons)), np.int64)
        self.scores = np.zeros((*shape, _SCORES), np.int64)

    def add(self, first: int, reasons: Array, scores: Array) -> None:
        """Count matches ``first``, ``first + 1``, ... (``first`` begins a deal); deals not planned are ignored."""
        lineups = len(self.variants) * len(self.teams)
        left = max(self.planned_deals * lineups - first, 0)
        reasons = np.ascontiguousarray(reasons[:left], np.int64)
        scores = np.ascontiguousarray(scores[:left], np.int64)
        most = int(scores[reasons == self.won].max(initial=0))
        if most >= self.scores.shape[-1]:
            room = most + 1 - self.scores.shape[-1]
            self.scores = np.pad(self.scores, ((0, 0), (0, 0), (0, 0), (0, room)))
        _count(first // lineups, reasons, scores, self.won, self._size, self.deals, self.ends, self.scores)

    @property
    def matches(self) -> Array:
        """Matches counted, int64 (V,)."""
        total: Array = self.deals.sum(axis=0) * len(self.teams)
        return total

    def rate(self, counts: Array) -> Jackknifed:
        """Mean over deals of counts (K, V, T) of matches: (V, T)."""
        return jackknife(_mean, [counts, self.deals], self.deals, bounds=(0.0, 1.0))

    @property
    def win_rate(self) -> Jackknifed:
        """Share of deals won, (V, T)."""
        return self.rate(self.ends[..., self.won])

    @property
    def score(self) -> Jackknifed:
        """Mean score, a loss counting 0: (V, T)."""
        points = (self.scores * np.arange(self.scores.shape[-1])).sum(axis=-1)
        return jackknife(_mean, [points, self.deals], self.deals)


def _batch_size(plan: Plan, deals: int) -> int:
    one_batch = 8 * len(plan.lineups) * (len(plan.game.state.REASONS) + _SCORES)
    return batch_size(deals, max(_ROOM // one_batch, _FEWEST_BATCHES))


def _mean(total: Array, deals: Array) -> Floats:
    result: Floats = total / deals[..., None].astype(np.float64)
    return result


def read_teams(store: Store, run: StoredRun, deals: int | None = None, batch: int | None = None) -> TeamSample:
    """Count a stored run of the cooperative game in one pass of constant memory; only so many ``deals``, in batches of
    so many, if given."""
    plan = restore(run.settings)
    held = run.done // run.lineups + bool(run.done % run.lineups)
    sample = TeamSample(plan, held if deals is None else min(held, deals), batch)
    for first, frame in store.slices(run, ["reason", "score0"]):
        if first >= sample.planned_deals * run.lineups:
            break
        sample.add(first, *(frame[name].to_numpy() for name in ("reason", "score0")))
    return sample


def read_pair_and_solo(store: Store, pair: StoredRun, solo: StoredRun) -> tuple[TeamSample, TeamSample]:
    """Two runs of the same deals under the same variants, by two players and by one, over the deals that both hold and
    in the same batches."""
    if (pair.settings["seed"], pair.settings["variants"]) != (solo.settings["seed"], solo.settings["variants"]):
        raise HilltopError(f"runs {pair.id} and {solo.id} differ in seed or variants, so their deals differ")
    if (pair.settings["players"], solo.settings["players"]) != (2, 1):
        raise HilltopError(f"run {pair.id} must be one of two players, and run {solo.id} one of a solo player")
    deals = min(run.done // run.lineups for run in (pair, solo))
    batch = max(_batch_size(restore(run.settings), deals) for run in (pair, solo))
    return read_teams(store, pair, deals, batch), read_teams(store, solo, deals, batch)


def series(sample: TeamSample) -> list[Series]:
    """All metrics of teams, which variants are compared by as well; reasons and medals that never occur are left out
    (a medal that only some variant gives stays)."""
    found = [
        Series("team_win_rate", sample.teams, sample.win_rate),
        Series("team_score", sample.teams, sample.score),
    ]
    for medal, counts in _medals(sample).items():
        found.append(Series("medal_share", _of(sample, medal), sample.rate(counts)))
    for number, reason in enumerate(sample.reasons):
        counts = sample.ends[..., number]
        if number != sample.won and counts.any():
            found.append(Series("loss_reason_share", _of(sample, reason), sample.rate(counts)))
    return found


def _of(sample: TeamSample, what: str) -> tuple[str, ...]:
    return tuple(f"{what}, {team}" for team in sample.teams)


def _medals(sample: TeamSample) -> dict[str, Array]:
    """How often each team earned each medal, (K, V, T)."""
    medal = sample.plan.game.medal
    found: dict[str, Array] = {}
    if medal is None:
        return found
    for v, variant in enumerate(sample.plan.variants):
        for score in range(sample.scores.shape[-1]):
            name = medal(variant.options, score)
            if name and sample.scores[:, v, :, score].any():
                counts = found.setdefault(name, np.zeros(sample.scores.shape[:3], np.int64))
                counts[:, v] += sample.scores[:, v, :, score]
    return found


def solo_gaps(pair: TeamSample, solo: TeamSample) -> list[Series]:
    """How far pairs fall short of their two bots alone, the mean of both, with the same deck in the same order
    (of which one player holds one hand and partners two); pairs whose bots did not play alone are left out."""
    alone = {name: number for number, name in enumerate(solo.teams)}
    names = [team.split(" + ") for team in pair.teams]
    chosen = [number for number, team in enumerate(names) if all(bot in alone for bot in team)]
    if not chosen:
        return []
    first, second = (np.array([alone[names[number][side]] for number in chosen]) for side in (0, 1))
    subjects = tuple(pair.teams[number] for number in chosen)
    found = []
    for metric, with_partner, without in (
        ("solo_gap_wins", pair.win_rate, solo.win_rate),
        ("solo_gap_score", pair.score, solo.score),
    ):
        one, two = without[:, first], without[:, second]
        matches = one.matches + np.where(first == second, 0, two.matches)
        mean = Jackknifed(
            (one.value + two.value) / 2.0, (one.left + two.left) / 2.0, one.present, one.deals, matches, one.bounds
        )
        found.append(Series(metric, subjects, mean - with_partner[:, np.array(chosen)]))
    return found


def teams(sample: TeamSample, solo: TeamSample | None = None) -> list[Finding]:
    """Win rate, score, medals and reasons of loss of each team, by variant; with a solo run on the same deals (see
    :func:`read_pair_and_solo`) how far pairs fall short of it."""
    parts = series(sample) + (solo_gaps(sample, solo) if solo is not None else [])
    return by_variant(parts, sample.variants)


@dataclass(frozen=True)
class ScoreRow:
    """The share of deals that a team won with a score."""

    variant: str
    team: str
    score: int
    estimate: Estimate


def score_table(sample: TeamSample) -> list[ScoreRow]:
    """The distribution of scores of each team, by variant: rows from the lowest score that anyone had to the highest.
    What is missing to 1 was lost."""
    seen = np.flatnonzero(sample.scores.any(axis=(0, 1, 2)))
    if not len(seen):
        return []
    found = []
    for score in range(int(seen[0]), int(seen[-1]) + 1):
        estimates = iter(sample.rate(sample.scores[..., score]).estimates())
        found += [
            ScoreRow(variant, team, score, next(estimates)) for variant in sample.variants for team in sample.teams
        ]
    places = {name: place for place, name in enumerate(sample.variants)}
    return sorted(found, key=lambda row: (places[row.variant], sample.teams.index(row.team), row.score))


@kernel
def _count(deal, reasons, scores, won, batch_deals, deals, ends, score_counts):
    """See :class:`TeamSample`; ``deal`` is the number of the first."""
    variants = deals.shape[1]
    each = ends.shape[2]
    row = 0
    variant = 0
    while row + each <= len(reasons):
        spoiled = False
        for i in range(row, row + each):
            spoiled = spoiled or reasons[i] < 0
        if not spoiled:
            batch = deal // batch_deals
            deals[batch, variant] += 1
            for team in range(each):
                i = row + team
                ends[batch, variant, team, reasons[i]] += 1
                if reasons[i] == won:
                    score_counts[batch, variant, team, scores[i]] += 1
        row += each
        variant += 1
        if variant == variants:
            variant = 0
            deal += 1
