"""Is the game the same from every seat? Score share by seat and by strength of play, and a verdict against a margin.

All seatings of a set of bots are played on every deal, so the seats' mean shares do not depend on who is better. They
may depend on how well all play; so they are given for three groups of line-ups:

*all*     every line-up
*best*    line-ups of the strongest bots only: the best three, or as many as sit at the table
*equals*  the quarter of all sets of bots (at least one) whose bots differ least in strength, in all their seatings

A bot's strength is its mean score share over all variants, seats and opponents, so a group holds the same line-ups
under each variant. It is chosen once; intervals do not include that with other deals other bots might be in it.

Verdicts (``statistics.decision``) hold for all variants and seats together, and however often one looks while matches
are added; so they are given later than the printed interval of one variant alone would give them.

A game that nobody may win leaves every seat a share of 0 at times, and even is then less than 0.5. Seats are therefore
judged by their shares of the matches that somebody won, where even is 0.5: fair means that seats are alike.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tournament.balance.finding import Finding, Series
from tournament.statistics.decision import FAIR, UNDECIDED, UNFAIR, comparisons, more_deals, reach
from tournament.statistics.decision import verdict as verdict_of
from tournament.statistics.estimate import Array, Estimate, Floats, Jackknifed, jackknife
from tournament.statistics.sample import Sample

ALL, BEST, EQUALS = "all", "best", "equals"
MARGIN = 0.01
_BEST = 3
_CLOSEST = 4  # one of so many sets of bots is among equals


def groups(sample: Sample) -> dict[str, Array]:
    """The line-ups of each group, bool (M,); groups that would be empty or hold all line-ups are left out."""
    design = sample.design
    everyone: Array = np.ones(len(design.lineups), bool)
    best = np.asarray(np.isin(design.lineups, sample.order[: max(_BEST, design.seats)]).all(axis=1))
    strength = sample.strength[design.lineups]
    spread = strength.max(axis=1) - strength.min(axis=1)
    first = np.unique(design.sets, return_index=True)[1]  # a set's seatings share its spread
    closest = np.argsort(spread[first], kind="stable")[: max(1, len(first) // _CLOSEST)]
    chosen = {BEST: best, EQUALS: np.isin(design.sets, closest)}
    return {ALL: everyone} | {name: mask for name, mask in chosen.items() if mask.any() and not mask.all()}


def strong(sample: Sample) -> tuple[str, ...]:
    """The bots of the group *best*; () if that is no group of its own."""
    if BEST not in groups(sample):
        return ()
    return tuple(sample.design.bots[bot] for bot in sample.order[: max(_BEST, sample.design.seats)])


def members(sample: Sample, mask: Array) -> tuple[str, ...]:
    """The sets of bots of a group, each like ``greedy / random``, for people."""
    rows = dict.fromkeys(tuple(sorted(row)) for row in sample.design.lineups[mask].tolist())
    return tuple(" / ".join(sample.design.bots[bot] for bot in row) for row in rows)


def seat_shares(sample: Sample, mask: Array) -> Jackknifed:
    """Mean score share of each seat over the line-ups of ``mask``, each of which counts alike: (V, S)."""
    unit = float(sample.design.unit)
    chosen = [sample.of(name)[:, :, mask] for name in ("units", "matches")]

    def shares(units: Array, matches: Array) -> Floats:
        played = matches > 0
        each = units / np.where(played, matches * unit, 1.0)[..., None]
        mean: Floats = each.sum(axis=-2) / played.sum(axis=-1)[..., None]
        return mean

    found = jackknife(shares, chosen, sample.deals, bounds=(0.0, 1.0))
    matches = np.broadcast_to(chosen[1].sum(axis=(0, 2))[:, None], found.value.shape)
    return replace(found, matches=matches)


def deviations(shares: Jackknifed) -> Jackknifed:
    """How far seats' shares of the matches that somebody won are from even: (V, S), -0.5 to 0.5. The mean share of all
    seats is half of the share of matches that somebody won."""

    def apart(part: Floats) -> Floats:
        even = part.mean(axis=-1, keepdims=True)
        relative: Floats = part / np.where(even > 0.0, 2.0 * even, np.nan) - 0.5
        return relative

    bounds = (-0.5, 0.5)
    return Jackknifed(apart(shares.value), apart(shares.left), shares.present, shares.deals, shares.matches, bounds)


def spreads(deviation: Jackknifed) -> Jackknifed:
    """The largest deviation of any seat, to compare variants by: (V, 1). Alone, see :func:`spread_estimates`."""
    value, left = (np.abs(part).max(axis=-1, keepdims=True) for part in (deviation.value, deviation.left))
    one = (..., slice(0, 1))
    present, deals, matches = deviation.present[one], deviation.deals[one], deviation.matches[one]
    return Jackknifed(value, left, present, deals, matches)


def spread_estimates(deviation: Jackknifed, comparisons: float | None = None) -> list[Estimate]:
    """The largest deviation of any seat with an interval that allows for the choice of the seat, a variant each.

    All seats' intervals hold together at 95 % (Bonferroni; two seats deviate as one), so the largest deviation lies
    between the largest of their nearest and the largest of their furthest ends from 0. With ``comparisons``
    (:func:`together`) those of all variants hold together, so also that of a variant chosen by its deviation.
    """
    seats = deviation.value.shape[-1]
    low, high = deviation.interval(comparisons=comparisons or (seats if seats > 2 else 1))
    nearest = np.where((low < 0.0) & (high > 0.0), 0.0, np.minimum(np.abs(low), np.abs(high))).max(axis=-1)
    furthest = np.maximum(np.abs(low), np.abs(high)).max(axis=-1)
    value = np.abs(deviation.value).max(axis=-1)
    known = np.asarray((np.isfinite(low) & np.isfinite(high)).all(axis=-1))
    return [
        Estimate(
            float(value[v]) if math.isfinite(value[v]) else None,
            float(nearest[v]) if known[v] else None,
            float(furthest[v]) if known[v] else None,
            int(deviation.matches[v, 0]),
        )
        for v in range(len(value))
    ]


def together(deviation: Jackknifed) -> float:
    """Comparisons that make the intervals of all seats of all variants hold together (``decision.comparisons``)."""
    return comparisons(deviation.moves.reshape(len(deviation.left), -1))


def series(sample: Sample) -> list[Series]:
    """All metrics of this file that variants are compared by."""
    found = []
    seats = tuple(f"seat {seat}" for seat in range(sample.design.seats))
    for name, mask in groups(sample).items():
        shares = seat_shares(sample, mask)
        found.append(Series("seat_share", seats, shares, name))
        if len(seats) > 1:
            found.append(Series("seat_spread", ("",), spreads(deviations(shares)), name))
    return found + outcomes(sample)


def outcomes(sample: Sample) -> list[Series]:
    """How matches ended and how long they took: draws, matches that nobody won (if there is such a thing), plies."""
    matches = sample.of("matches").sum(axis=2)

    def mean(total: Array, matches: Array) -> Floats:
        return total[..., None] / matches[..., None].astype(np.float64)

    def one(metric: str, name: str, bounds: tuple[float, float] | None) -> Series:
        values = jackknife(mean, [sample.of(name).sum(axis=2), matches], sample.deals, bounds=bounds)
        return Series(metric, ("",), replace(values, matches=sample.matches[:, None]))

    found = [one("draw_share", "draws", (0.0, 1.0)), one("match_plies", "plies", None)]
    if sample.design.nobody:
        found.insert(1, one("nobody_share", "none", (0.0, 1.0)))
    return found


def fairness(sample: Sample, margin: float = MARGIN) -> list[Finding]:
    """Seats' shares, the largest deviation with its verdict, and the matches that would decide, by variant and group;
    then draws, matches that nobody won, and plies."""
    if not 0.0 < margin < 0.5:
        raise ValueError(f"margin must be between 0 and 0.5, not {margin}.")
    variants = sample.design.variants
    by_variant: list[list[Finding]] = [[] for _ in variants]
    for one in series(sample):
        if one.metric != "seat_spread":
            found = one.findings(variants)
            for v in range(len(variants)):
                by_variant[v] += found[v * len(one.subjects) : (v + 1) * len(one.subjects)]
        if one.metric == "seat_share" and len(one.subjects) > 1:
            _judge(sample, by_variant, one, margin)
    return [finding for part in by_variant for finding in part]


def _halves(deviation: Jackknifed, many: float) -> Floats:
    """How far the intervals reach by which verdicts are given, (V, S): they hold for all seats of all variants and at
    every number of deals together."""
    low, high = deviation.interval(comparisons=many)
    ends = np.maximum(high - deviation.value, deviation.value - low)
    wide = reach(np.maximum(deviation.deals, 1), deviation.freedom, many) * deviation.error
    found: Floats = np.maximum(ends, wide)
    return found


def _judge(sample: Sample, by_variant: list[list[Finding]], shares: Series, margin: float) -> None:
    deviation = deviations(shares.values)
    many = together(deviation)
    halves = _halves(deviation, many)
    for v, estimate in enumerate(spread_estimates(deviation)):
        variant = sample.design.variants[v]
        verdicts = [verdict_of(*pair, margin) for pair in zip(deviation.value[v], halves[v], strict=True)]
        verdict = next((word for word in (UNFAIR, UNDECIDED) if word in verdicts), FAIR)
        note = ""
        if estimate.value is not None:
            furthest = int(np.abs(deviation.value[v]).round(12).argmax())  # two seats deviate alike
            side = "more" if deviation.value[v, furthest] > 0 else "less"
            note = f"seat {furthest} gets {side} than an even share"
        by_variant[v].append(Finding("seat_spread", variant, "", estimate, verdict, shares.group, note))
        if verdict == UNDECIDED:
            furthest = int(np.nan_to_num(np.abs(deviation.value[v])).argmax())
            deals = int(deviation.deals[v, furthest])
            error = float(deviation.error[v, furthest])
            more = more_deals(float(deviation.value[v, furthest]), error, deals, margin, many)
            board = float(sample.matches[v]) / max(deals, 1)
            known = Estimate(None if more is None else math.ceil(more * board), None, None, estimate.n)
            note = "" if more is not None else "cannot be decided at this margin" if error > 0.0 else "cannot be said"
            by_variant[v].append(Finding("matches_to_decide", variant, "", known, group=shares.group, note=note))
