"""What is shown of a report on many variants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournament.balance import fairness
from tournament.balance.finding import Finding
from tournament.balance.summary import Balance

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
