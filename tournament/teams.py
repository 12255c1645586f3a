"""Cooperative games: nobody is beaten, so teams of bots are compared by what they score on the same deals.

A *team* is a line-up: one bot alone, or two as partners. On every deal the teams are ranked by their score (a loss
counts less than any win) and TrueSkill rates the bots on these ranks, in matches of two teams that have no bot in
common; a pair is a team of two. One match of all teams at once would be wrong here: most of them tie by losing, and
TrueSkill's chain of neighbours treats tied teams unequally by the order in which they are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from storage.store import Store, StoredRun
from tournament import intervals, trueskill
from tournament.plan import Plan, lineup_array, restore

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class TeamStanding:
    """What a team achieved under one variant; intervals over deals (a team plays each deal once)."""

    team: str
    variant: str
    matches: int
    wins: int
    win_rate: float | None
    win_interval: tuple[float, float] | None
    score: float | None
    score_interval: tuple[float, float] | None
    medals: dict[str, int]
    reasons: dict[str, int]


@dataclass(frozen=True)
class BotRating:
    """A bot's rating and record over all teams that it played in; ``order`` as in ``standings.Standing``.

    Matches are those of its teams, each counted once. ``share`` is the mean over deals of the part of them that was
    won, with its interval over deals; None without a deal that all its teams have played.
    """

    bot: str
    mu: float
    sigma: float
    order: float
    matches: int
    wins: int
    share: float | None
    interval: tuple[float, float] | None
    faults: int

    draws: ClassVar[int] = 0
    none: ClassVar[int] = 0
    share_first: ClassVar[float | None] = None

    @property
    def losses(self) -> int:
        """Matches that were not won."""
        return self.matches - self.wins

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


def standings(store: Store, run: StoredRun) -> list[TeamStanding]:
    """Every team of a run, most wins and then highest mean score first within a variant; one pass, constant memory."""
    plan = restore(run.settings)
    reasons = plan.game.state.REASONS
    won = reasons.index(plan.game.won)
    ends = np.zeros((len(plan.lineups), len(reasons)), np.int64)
    scores = np.zeros((len(plan.lineups), 1), np.int64)  # how often a team won with each score
    for first, frame in store.slices(run, ["reason", "score0"]):
        reason, score = (frame[name].to_numpy().astype(np.int64) for name in ("reason", "score0"))
        lineup = np.arange(first, first + len(frame)) % len(plan.lineups)
        np.add.at(ends, (lineup[reason >= 0], reason[reason >= 0]), 1)
        wins = reason == won
        if wins.any() and score[wins].max() >= scores.shape[1]:
            scores = np.pad(scores, ((0, 0), (0, int(score[wins].max()) + 1 - scores.shape[1])))
        np.add.at(scores, (lineup[wins], score[wins]), 1)
    found = [_standing(plan, number, ends[number], scores[number], won) for number in range(len(plan.lineups))]
    return sorted(found, key=lambda team: (team.variant, -(team.win_rate or 0.0), -(team.score or 0.0), team.team))


def _standing(plan: Plan, number: int, ends: Array, scores: Array, won: int) -> TeamStanding:
    lineup = plan.lineups[number]
    variant = plan.variants[lineup.variant]
    matches, wins = int(ends.sum()), int(ends[won])
    values = np.arange(len(scores))
    rate = intervals.share_interval(wins, wins, matches)
    mean = intervals.mean_interval(int((scores * values).sum()), int((scores * values**2).sum()), matches)
    medals: dict[str, int] = {}
    for score, count in enumerate(scores):
        medal = plan.game.medal(variant.options, score) if plan.game.medal and count else None
        if medal:
            medals[medal] = medals.get(medal, 0) + int(count)
    return TeamStanding(
        team=" + ".join(plan.entrants[entrant].spec for entrant in lineup.entrants),
        variant=variant.label,
        matches=matches,
        wins=wins,
        win_rate=float(rate.estimate) if matches else None,
        win_interval=(float(rate.low), float(rate.high)) if matches else None,
        score=float(mean.estimate) if matches else None,
        score_interval=(float(mean.low), float(mean.high)) if matches > 1 else None,
        medals=medals,
        reasons={name: int(count) for name, count in zip(plan.game.state.REASONS, ends, strict=True) if count},
    )


def rate(
    store: Store, runs: Sequence[StoredRun], names: Sequence[Sequence[str]], draw_probability: float | None, tau: float
) -> tuple[trueskill.Model, list[BotRating]]:
    """TrueSkill of the bots of ``runs`` (whose bots are called ``names``), best conservative rating first."""
    bots = list(dict.fromkeys(name for run_names in names for name in run_names))
    sources = [
        (run, restore(run.settings), np.array([bots.index(name) for name in run_names], np.int64))
        for run, run_names in zip(runs, names, strict=True)
    ]
    if draw_probability is None:
        ties = matches = 0
        for run, plan, numbers in sources:
            for _, ranks, _ in _matches(store, run, plan, numbers, False):
                ties += int((ranks[:, 0] == ranks[:, -1]).sum())
                matches += len(ranks)
        draw_probability = intervals.draw_probability(ties, matches)
    model = trueskill.Model(draw_probability=draw_probability, tau=tau)
    forward, backward = (_rate(store, sources, model, len(bots), reverse) for reverse in (False, True))
    moved = forward.mu - backward.mu
    records = _records(store, sources, len(bots))
    rated = [
        BotRating(bot, float(forward.mu[i]), float(forward.sigma[i]), abs(float(moved[i] - moved.mean())), **records[i])
        for i, bot in enumerate(bots)
    ]
    return model, sorted(rated, key=lambda bot: (-bot.conservative, bot.bot))


def _records(store: Store, sources: Sequence[tuple[StoredRun, Plan, Array]], bots: int) -> list[dict[str, Any]]:
    """What the teams of each bot won, and which matches it spoiled."""
    counts = np.zeros((3, bots), np.int64)  # matches, wins, faults
    shares = np.zeros((3, bots))  # sum over deals, of squares, number of deals
    for run, plan, numbers in sources:
        won = plan.game.state.REASONS.index(plan.game.won)
        seated = numbers[lineup_array(plan)]
        teams = (seated[:, :, None] == np.arange(bots)).any(axis=1)  # (L, B): is the bot in the team?
        for first, frame in store.slices(run, ["ranks", "reason"]):
            ranks, reason = (frame[name].to_numpy().astype(np.int64) for name in ("ranks", "reason"))
            lineup = np.arange(first, first + len(frame)) % len(seated)
            np.add.at(counts[2], seated[lineup[reason < 0], ranks[reason < 0]], 1)
            counts[0] += np.bincount(lineup[reason >= 0], minlength=len(seated)) @ teams
            counts[1] += np.bincount(lineup[reason == won], minlength=len(seated)) @ teams
            deals = reason[: len(reason) // len(seated) * len(seated)].reshape(-1, len(seated))
            played, wins = ((deals >= 0) @ teams.astype(np.int64), (deals == won) @ teams.astype(np.int64))
            whole = (played == teams.sum(axis=0)) & (played > 0)
            share = np.where(whole, wins / np.maximum(played, 1), 0.0)
            shares += [share.sum(axis=0), (share**2).sum(axis=0), whole.sum(axis=0)]
    mean = intervals.share_interval(shares[0], shares[1], shares[2].astype(np.int64))
    some = shares[2] > 0
    return [
        {
            "matches": int(counts[0, bot]),
            "wins": int(counts[1, bot]),
            "faults": int(counts[2, bot]),
            "share": float(mean.estimate[bot]) if some[bot] else None,
            "interval": (float(mean.low[bot]), float(mean.high[bot])) if some[bot] else None,
        }
        for bot in range(bots)
    ]


def _rate(
    store: Store, sources: Sequence[tuple[StoredRun, Plan, Array]], model: trueskill.Model, bots: int, reverse: bool
) -> trueskill.Ratings:
    ratings = trueskill.new_ratings(bots, model)
    for run, plan, numbers in reversed(sources) if reverse else sources:
        for entrants, ranks, teams in _matches(store, run, plan, numbers, reverse):
            ratings = trueskill.update(ratings.mu, ratings.sigma, entrants, ranks, model, teams)
    return ratings


def _matches(
    store: Store, run: StoredRun, plan: Plan, numbers: Array, reverse: bool
) -> Iterator[tuple[Array, Array, Array]]:
    """Matches between teams, deal by deal: entrants and ranks (matches, seats), and the team of each seat."""
    won = plan.game.state.REASONS.index(plan.game.won)
    count = len(plan.lineups)
    for first, frame in store.slices(run, ["reason", "score0"], backwards=reverse):
        deals = len(frame) // count
        reason, score = (frame[name].to_numpy()[: deals * count].astype(np.int64) for name in ("reason", "score0"))
        worth = np.where(reason == won, score + 1, 0).reshape(deals, count)
        for variant in range(len(plan.variants)):
            teams = [number for number, lineup in enumerate(plan.lineups) if lineup.variant == variant]
            if len(teams) < 2:
                continue
            members = numbers[lineup_array(plan)[teams]]
            entrants, ranks, seats = _disjoint_pairs(members, worth[:, teams], first // count)
            step = -1 if reverse else 1
            yield np.ascontiguousarray(entrants[::step]), np.ascontiguousarray(ranks[::step]), seats


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
