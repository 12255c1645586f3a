"""Balance of the cooperative game: how hard it is, how it is lost, and what it costs not to see a partner's cards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.balance.finding import Finding, Series, by_variant
from tournament.statistics.estimate import Estimate, Jackknifed
from tournament.statistics.team import TeamSample, medals


def series(sample: TeamSample) -> list[Series]:
    """All metrics of teams, which variants are compared by as well; reasons and medals that never occur are left out
    (a medal that only some variant gives stays)."""
    found = [
        Series("team_win_rate", sample.teams, sample.win_rate),
        Series("team_score", sample.teams, sample.score),
    ]
    for medal, counts in medals(sample).items():
        found.append(Series("medal_share", _of(sample, medal), sample.rate(counts)))
    for number, reason in enumerate(sample.facts.reasons):
        counts = sample.ends[..., number]
        if number != sample.won and counts.any():
            found.append(Series("loss_reason_share", _of(sample, reason), sample.rate(counts)))
    return found


def _of(sample: TeamSample, what: str) -> tuple[str, ...]:
    return tuple(f"{what}, {team}" for team in sample.teams)


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
    :func:`tournament.statistics.team.pair_and_solo`) how far pairs fall short of it."""
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
