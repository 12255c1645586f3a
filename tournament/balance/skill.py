"""Skill against luck: what explains the outcome, how far apart bots are, and what each level wins against the next.

**Variance components.** For each seat, the score shares of a variant form a table of deals by line-ups with one match a
cell (every line-up plays every deal). The usual two-way analysis of variance (Searle, Casella and McCulloch, "Variance
Components", 1992, chapter 4) splits their variance into line-ups (fixed: the bots of this field), deals (random), and
the rest; the seat adds the variance of the seats' means. All four are averaged over seats, freed from the noise that
the means of finitely many deals carry, and divided by their sum. A component that comes out below 0, as one that is
truly 0 often does, is shown as 0, and the shares that are shown add up to 1. The seat's part is a sum of squares of few
numbers that may all be near 0, where the jackknife's interval is too short; its interval is that of the seats' means.

What "deal" means is then exact: the mean covariance between two different line-ups on the same deal. What a deal does
to some line-ups only, and bots' own luck, is in the rest.

**Ratings** are those of ``hilltop rate``, to the last digit, of each variant alone: whole-data TrueSkill with effects
of seats (``statistics.strengths``). The span is a difference of two of them in units of beta.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from tournament.balance.fairness import seat_shares
from tournament.balance.finding import Finding, Series
from tournament.statistics.estimate import Array, Estimate, Fitted, Floats, Jackknifed, jackknife
from tournament.statistics.sample import Sample
from tournament.statistics.strengths import BETA, trueskill

COMPONENTS = ("seat_effect_share", "bot_share", "deal_share", "rest_share")


def components(sample: Sample) -> Jackknifed | None:
    """Shares of the variance by seat, bots, deal and rest: (V, 4), not cut to 0..1; None if there is one line-up, or
    one seat, and so nothing to tell them apart by."""
    lineups, seats = sample.design.lineups.shape
    if lineups < 2 or seats < 2:
        return None
    units = sample.of("board_units").astype(np.float64)

    def shares(units: Array, squares: Array, board_squares: Array, deals: Array) -> Floats:
        parts = variance_components(units, squares, board_squares, deals)
        portions: Floats = parts / parts.sum(axis=-1, keepdims=True)
        return portions

    boards = sample.of("boards")
    batches = [units, sample.of("unit_squares"), sample.of("board_squares"), boards]
    return jackknife(shares, batches, boards, lineups)


def variance_components(units: Array, squares: Array, board_squares: Array, deals: Array) -> Floats:
    """Estimated variance by seat, bots (line-ups), deal and rest, averaged over seats: (..., 4).

    units         (..., M, S)  sums over deals for each line-up
    squares       (..., S)     sums of squares over deals and line-ups
    board_squares (..., S)     sums over deals of the square of the deal's sum over line-ups
    deals         (...)        number of deals; from less than two all is nan

    All sums are over whole boards (``tally``).
    """
    each = units.shape[-2]
    d = np.where(deals > 1, deals, np.nan)[..., None]
    cells = d * each
    total = units.sum(axis=-2)
    centre = total * total / cells
    between_lineups = (units * units).sum(axis=-2) / d - centre
    between_deals = board_squares / each - centre
    inside = squares - centre - between_lineups - between_deals
    rest = inside / ((each - 1) * (d - 1.0))
    deal = (between_deals / (d - 1.0) - rest) / each
    bots = (between_lineups - (each - 1) * rest) / cells
    mean = total / cells
    # The variance of a seat's mean over deals is between_deals / (d - 1) / cells.
    apart = (mean - mean.mean(axis=-1, keepdims=True)) ** 2 - between_deals / (d - 1.0) / cells
    found: Floats = np.stack([part.mean(axis=-1) for part in (apart, bots, deal, rest)], axis=-1)
    return found


def seat_effect_interval(sample: Sample) -> tuple[Floats, Floats]:
    """Ends of the interval of the seat's share of the variance, (V,) each, from the deviations of the seats' means from
    their mean: all of these lie within their intervals together (Bonferroni), and so do their squares."""
    seats = sample.design.seats
    shares = seat_shares(sample, np.ones(len(sample.design.lineups), bool))
    value, left = (part - part.mean(axis=-1, keepdims=True) for part in (shares.value, shares.left))
    low, high = replace(shares, value=value, left=left, bounds=(-0.5, 0.5)).interval(seats if seats > 2 else 1)
    nearest = np.where((low < 0.0) & (high > 0.0), 0.0, np.minimum(low**2, high**2)).mean(axis=-1)
    furthest = np.maximum(low**2, high**2).mean(axis=-1)
    sums = (sample.of(name).sum(axis=0) for name in ("board_units", "unit_squares", "board_squares", "boards"))
    variance = variance_components(*(part.astype(np.float64) for part in sums)).sum(axis=-1) / sample.design.unit**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return nearest / variance, furthest / variance


def ratings(sample: Sample) -> Jackknifed:
    """Ratings as the leaderboard of a run of one variant has them, with the same error: mu (V, B)."""
    variants, bots = len(sample.design.variants), len(sample.design.bots)
    counts = [sample.pair_counts(variant) for variant in range(variants)]
    fits = [trueskill(one) for one in counts]
    blocks = len(sample.deals)
    moves = np.zeros((blocks + max(one.besides for one in fits), variants, bots))
    left = np.empty((blocks, variants, bots))
    for v, (one, found) in enumerate(zip(counts, fits, strict=True)):
        some = one.counts.sum(axis=(1, 2)) > 0  # blocks in which nobody ever won are no clusters
        own = found.moves[:, :bots]
        moves[np.flatnonzero(some), v] = own[: found.clusters]
        moves[blocks : blocks + found.besides, v] = own[found.clusters :]
        k = max(found.clusters, 2)
        left[:, v] = found.mu - moves[:blocks, v] * math.sqrt(k / (k - 1.0))
    deals = np.broadcast_to(sample.deals.sum(axis=0)[:, None], (variants, bots))
    freedom = np.broadcast_to(np.array([[found.freedom] for found in fits]), (variants, bots))
    value = np.where(deals > 0, np.stack([found.mu for found in fits]), np.nan)
    present = np.broadcast_to(sample.deals[..., None] > 0, left.shape)
    return Jackknifed(value, left, present, deals, sample.bot_matches, None, Fitted(moves, freedom))


def span_ends(sample: Sample, rated: Jackknifed) -> tuple[Array, Array, bool]:
    """The bots between which each variant's rating span is taken: (V,) best, (V,) lowest, and whether the lowest is a
    bot called random (else it is the weakest). Which is best is settled once; intervals do not include the choice."""
    value = np.nan_to_num(rated.value)
    best = value.argmax(axis=1)
    random = [bot for bot, spec in enumerate(sample.design.bots) if spec.partition("(")[0] == "random"]
    if random:
        return best, np.full(len(best), random[0]), True
    return best, value.argmin(axis=1), False


def _span(rated: Jackknifed, best: Array, low: Array, matches: Array) -> Jackknifed:
    v = np.arange(len(best))
    span = (rated[v, best] - rated[v, low])[:, None]
    assert span.fitted
    fitted = Fitted(span.fitted.moves / BETA, span.fitted.freedom)
    return replace(span, value=span.value / BETA, left=span.left / BETA, matches=matches[:, None], fitted=fitted)


def levels(sample: Sample) -> list[tuple[int, int]]:
    """Each bot and the next weaker one, strongest first."""
    order = sample.order.tolist()
    return list(itertools.pairwise(order))


def series(sample: Sample) -> list[Series]:
    """All metrics of this file that variants are compared by."""
    found = []
    parts = components(sample)
    if parts is not None:
        found += [Series(name, ("",), parts[:, i : i + 1]) for i, name in enumerate(COMPONENTS)]
    if len(sample.design.bots) > 1:
        rated = ratings(sample)
        best, low, _ = span_ends(sample, rated)
        found.append(Series("rating", sample.design.bots, rated))
        found.append(Series("rating_span", ("",), _span(rated, best, low, sample.decided.sum(axis=1))))
        one, two = (np.array(side) for side in zip(*levels(sample), strict=True))
        names = tuple(f"{sample.design.bots[i]} over {sample.design.bots[j]}" for i, j in levels(sample))
        found.append(Series("level_share", names, sample.pair_shares[:, one, two]))
    return found


def skill(sample: Sample) -> list[Finding]:
    """Variance components, ratings, their span, and the share of each level over the next, by variant."""
    variants = sample.design.variants
    found: list[Finding] = []
    parts = series(sample)
    rows = [[one.findings([variant]) for one in _split(parts, v)] for v, variant in enumerate(variants)]
    ends = None
    if len(sample.design.bots) > 1:
        rated = next(one.values for one in parts if one.metric == "rating")
        ends = span_ends(sample, rated)
    seat_ends = seat_effect_interval(sample) if parts and parts[0].metric == COMPONENTS[0] else None
    for v, row in enumerate(rows):
        if seat_ends is not None:
            shown = [finding for part in row for finding in part if finding.metric in COMPONENTS]
            found += _shown(shown, float(seat_ends[0][v]), float(seat_ends[1][v]))
        for finding in (finding for part in row for finding in part if finding.metric not in COMPONENTS):
            if finding.metric == "rating_span" and ends is not None:
                found.append(_named(sample, finding, int(ends[0][v]), int(ends[1][v]), ends[2]))
            else:
                found.append(finding)
    return found


def _split(parts: list[Series], v: int) -> list[Series]:
    return [Series(one.metric, one.subjects, one.values[v : v + 1], one.group) for one in parts]


def _named(sample: Sample, finding: Finding, best: int, low: int, random: bool) -> Finding:
    names = sample.design.bots
    note = "" if random else "the field has no bot called random: from the weakest to the best"
    if best == low and finding.estimate.value is not None:
        note = "no bot is better than random"
    return replace(finding, subject=f"{names[low]} to {names[best]}", note=note)


def _shown(findings: list[Finding], low: float, high: float) -> list[Finding]:
    """Components cut to 0..1 so that they add up to 1; ``low`` and ``high`` are the ends of the first, the seat's."""
    if math.isfinite(low) and math.isfinite(high):
        findings[0] = replace(findings[0], estimate=replace(findings[0].estimate, low=low, high=high))
    values = [finding.estimate.value for finding in findings]
    known = [max(value, 0.0) for value in values if value is not None]
    if len(known) < len(findings):
        return findings
    return [
        replace(finding, estimate=_cut(finding.estimate, value / sum(known)))
        for finding, value in zip(findings, known, strict=True)
    ]


def _cut(estimate: Estimate, value: float) -> Estimate:
    if estimate.low is None or estimate.high is None:
        return replace(estimate, value=value)
    low, high = (min(max(end, 0.0), 1.0) for end in (estimate.low, estimate.high))
    return Estimate(value, min(low, value), max(high, value), estimate.n)
