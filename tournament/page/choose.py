"""What is shown of a report on many variants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tournament.balance import fairness
from tournament.balance.finding import Finding
from tournament.balance.summary import Balance
from tournament.statistics.facts import Facts, worded

CHARTED = 12  # variants in a chart that gives each a line
DETAILED = 4  # variants in a chart that needs more room for each


@dataclass(frozen=True)
class Shown:
    """The variants of a report that its charts show, in the report's order, and how many there are."""

    labels: tuple[str, ...]
    of: int

    @property
    def note(self) -> str:
        """What must be said with a chart that leaves variants out; '' if it does not."""
        if len(self.labels) == self.of:
            return ""
        return f"{len(self.labels)} of {self.of:,} variants: the first, the best and the extremes."


def telling(found: Balance, most: int) -> Shown:
    """The first variant, those named best, and the ones at the ends of the scales that matter, ``most`` in all."""
    labels = found.labels
    if len(labels) <= most:
        return Shown(labels, len(labels))
    chosen = dict.fromkeys([labels[0], *(choice.variant for choice in found.choices)])
    scales = [_sorted(found, metric) for metric in ("seat_spread", "bot_share", "team_win_rate", "match_plies")]
    for scale in scales:
        chosen |= dict.fromkeys(scale[:1] + scale[-1:])
    # What room is left is spread evenly over the first scale that there is.
    scale = next((one for one in scales if one), list(labels))
    for count in range(2, most + 1):
        if len(chosen) >= most:
            break
        chosen |= dict.fromkeys(scale[round(i * (len(scale) - 1) / (count - 1))] for i in range(count))
    kept = set(list(chosen)[:most])
    return Shown(tuple(label for label in labels if label in kept), len(labels))


def _sorted(found: Balance, metric: str) -> list[str]:
    values: dict[str, float] = {}
    for one in findings(found, metric):
        if one.estimate.value is not None:
            values[one.variant] = max(values.get(one.variant, one.estimate.value), one.estimate.value)
    return sorted(values, key=values.__getitem__)


def short_names(facts: Facts) -> dict[str, str]:
    """What each variant is called on the page, by label: without what all of them have in common."""
    labels = facts.labels
    options = facts.swept
    several = len({variant.name for variant in facts.variants}) > 1
    if len(labels) < 2 or not (options or several) or any(not variant.given for variant in facts.variants):
        return {label: label for label in labels}
    names = []
    for variant, words in zip(facts.variants, worded([variant.given for variant in facts.variants]), strict=True):
        kept = " and ".join(f"{name}={words[name]}" for name in options)
        names.append(f"{variant.name} ({kept})" if several and kept else kept or variant.name)
    return dict(zip(labels, names if len(set(names)) == len(names) else list(labels), strict=True))


def named(found: Balance) -> Balance:
    """The report with its variants called by their short names, in its sentences too."""
    names = short_names(found.facts)
    if all(label == name for label, name in names.items()):
        return found
    longest_first = re.compile("|".join(re.escape(label) for label in sorted(names, key=len, reverse=True)))

    def told(text: str) -> str:
        return longest_first.sub(lambda match: names[match.group()], text)

    def of(one: Any) -> Any:
        return replace(one, variant=names[one.variant])

    return replace(
        found,
        labels=tuple(names[label] for label in found.labels),
        sections=tuple(
            replace(one, sentences=tuple(map(told, one.sentences)), findings=tuple(map(of, one.findings)))
            for one in found.sections
        ),
        pieces=tuple(map(of, found.pieces)),
        differences=tuple(replace(of(one), base=names[one.base]) for one in found.differences),
        choices=tuple(
            replace(of(one), rivals=tuple(names[rival] for rival in one.rivals), statement=told(one.statement))
            for one in found.choices
        ),
        scores=tuple(map(of, found.scores)),
    )


def findings(found: Balance, metric: str, variants: Iterable[str] | None = None) -> list[Finding]:
    """The findings of a metric (all line-ups), of some variants only if given."""
    wanted = None if variants is None else set(variants)
    return [
        one
        for section in found.sections
        for one in section.findings
        if one.metric == metric and one.group in ("", fairness.ALL) and (wanted is None or one.variant in wanted)
    ]


def cut(rows: Sequence[Finding], shown: Shown, most: int) -> tuple[list[Finding], int]:
    """At most ``most`` findings, those of the shown variants if not all fit, and how many are left out."""
    if len(rows) <= most:
        return list(rows), 0
    labels = set(shown.labels)
    kept = [one for one in rows if one.variant in labels][:most]
    return kept, len(rows) - len(kept)
