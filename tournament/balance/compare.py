"""Variants against each other: differences to the first one, and the best of a sweep with what it cannot be told from.

All variants of a run met the same deals in the same batches, so differences are paired: what a deal does under all of
them cancels. Verdicts are corrected for their number by Holm's method, within each metric: over all variants, subjects
and groups of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tournament.balance import fairness, skill
from tournament.balance.finding import METRICS, Series
from tournament.balance.words import interval
from tournament.statistics.decision import comparisons
from tournament.statistics.estimate import LEVEL, Estimate, Floats, Jackknifed, separated
from tournament.statistics.sample import Sample


@dataclass(frozen=True)
class Difference:
    """A metric under ``variant`` less the same under ``base``: verdict *higher*, *lower* or *not separated* by ``p``,
    which is corrected for the number of comparisons (the interval is not)."""

    metric: str
    variant: str
    base: str
    subject: str
    group: str
    estimate: Estimate
    p: float
    verdict: str


@dataclass(frozen=True)
class Choice:
    """The best variant by a metric, the others that it cannot be told from, and that in a sentence or two."""

    metric: str
    group: str
    variant: str
    estimate: Estimate
    rivals: tuple[str, ...]
    statement: str


def all_series(sample: Sample) -> list[Series]:
    """Every metric that variants are compared by. Equilibria are not: they have no difference that means much."""
    found = fairness.series(sample) + skill.series(sample)
    if sample.design.seats == 2 and not sample.design.nobody:  # what one seat loses the other wins
        found = [_first(one) if one.metric == "seat_share" else one for one in found]
    return found


def _first(one: Series) -> Series:
    return replace(one, subjects=one.subjects[:1], values=one.values[:, :1])


def differences(series: Sequence[Series], variants: Sequence[str]) -> list[Difference]:
    """Every metric of every variant but the first less that of the first, metric by metric."""
    found: list[Difference] = []
    for metric in dict.fromkeys(one.metric for one in series):
        rows: list[Difference] = []
        parts: list[Jackknifed] = []
        for one in series:
            if one.metric != metric:
                continue
            gap = one.values[1:] - one.values[:1]
            estimates = iter(gap.estimates())
            rows += [
                Difference(metric, variant, variants[0], subject, one.group, next(estimates), 1.0, "")
                for variant in variants[1:]
                for subject in one.subjects
            ]
            parts.append(gap)
        found += _judged(rows, parts)
    return found


def _judged(rows: list[Difference], parts: list[Jackknifed]) -> list[Difference]:
    p_values = np.concatenate([part.p_values().ravel() for part in parts])
    values = np.concatenate([part.value.ravel() for part in parts])
    verdicts, adjusted = separated(values, p_values)
    return [replace(row, p=float(p), verdict=verdict) for row, p, verdict in zip(rows, adjusted, verdicts, strict=True)]


def best(
    one: Series, variants: Sequence[str], highest: bool, word: str, estimates: Sequence[Estimate] | None = None
) -> Choice | None:
    """The variant with the highest (or lowest) value of a metric with one subject; None if there is nothing to choose.
    ``word`` says what the best one is; ``estimates``, which hold together, are shown in place of the metric's own: the
    interval of what was chosen among many is right only if those of all are.

    A variant is told from the best one if their paired difference is significant, one-sided at 5 % over the number of
    other variants. So with 95 % confidence the truly best one is among the one named and its rivals, although the one
    named was chosen for looking best (a subset selection in the sense of Gupta, "On some multiple decision rules",
    1965).
    """
    values: Floats = one.values.value[:, 0]
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < 2:
        return None
    first = int(known[(values[known] if highest else -values[known]).argmax()])
    others = [int(v) for v in known if v != first]
    gaps = one.values[others] - one.values[[first]]
    told = gaps.p_values()[:, 0] / 2.0 * len(others) < 1.0 - LEVEL
    rivals = tuple(variants[v] for v, apart in zip(others, told, strict=True) if not apart)
    estimate = estimates[first] if estimates else _together(one.values[known])[int((known == first).argmax())]
    statement = _statement(one, variants[first], estimate, rivals, len(others), word)
    return Choice(one.metric, one.group, variants[first], estimate, rivals, statement)


def _together(values: Jackknifed) -> list[Estimate]:
    """Estimates of several variants (V, 1) whose intervals hold together."""
    moves = values.moves
    low, high = values.interval(comparisons(moves.reshape(len(moves), -1)))
    found = []
    for v, value in enumerate(values.value[:, 0]):
        ends = [float(end) if np.isfinite(end) else None for end in (low[v, 0], high[v, 0])]
        found.append(Estimate(float(value), ends[0], ends[1], int(values.matches[v, 0])))
    return found


def fairest(sample: Sample, group: str = fairness.ALL) -> Choice | None:
    """The variant whose seats are most alike, by the largest deviation of a seat from even."""
    mask = fairness.groups(sample).get(group)
    if mask is None or sample.design.seats < 2:
        return None
    deviation = fairness.deviations(fairness.seat_shares(sample, mask))
    one = Series("seat_spread", ("",), fairness.spreads(deviation), group)
    estimates = fairness.spread_estimates(deviation, fairness.together(deviation))
    return best(one, sample.design.variants, False, "fairest", estimates)


def most_skilful(sample: Sample, metric: str = "bot_share") -> Choice | None:
    """The variant whose outcome the bots explain most of (or with the longest ``rating_span``)."""
    found = [one for one in skill.series(sample) if one.metric == metric]
    return best(found[0], sample.design.variants, True, "most skilful") if found else None


def _statement(one: Series, name: str, estimate: Estimate, rivals: Sequence[str], others: int, word: str) -> str:
    title = METRICS[one.metric].title
    value = f"{title[0].lower()}{title[1:]} {interval(estimate, METRICS[one.metric].unit)}"
    if not rivals:
        rest = "the other" if others == 1 else f"all {others} others"
        return f"{name} is the {word}: {value}. The data separate it from {rest}."
    shown = ", ".join(rivals[:8]) + (f" and {len(rivals) - 8} more" if len(rivals) > 8 else "")
    if len(rivals) == others > 1:
        return f"{name} looks the {word} ({value}), but the data do not separate it from any other: {shown}."
    return f"{name} looks the {word} ({value}), but the data do not separate it from {shown}."
