"""The balance report as tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cli.output import Column, Row, Table, number
from tournament.balance.finding import METRICS, Finding
from tournament.balance.inside import HELPS, HURTS
from tournament.balance.summary import Balance
from tournament.balance.words import number as shown
from tournament.statistics.estimate import Estimate

BAR = 12  # characters of a full bar
PAGE_ROWS = 14  # of each table on a page
MANY_PIECES = 16  # effects of each variant that a terminal shows
_ZERO_IS_NOTHING = ("equilibrium_weight", "equilibrium_support", "medal_share", "loss_reason_share")
MOST_BINS = 16  # classes of a distribution that are shown


def tables(found: Balance, brief: bool) -> list[Table]:
    """The summary in sentences, every section, pieces, and comparisons.

    ``brief``, for people: of long tables only the rows that tell most, with a word on what is left out.
    """
    several = len(found.labels) > 1
    said = [(section.title, sentence) for section in found.sections for sentence in section.sentences]
    said += [("Compared", choice.statement) for choice in found.choices]
    rows = [{"section": title, "summary": sentence} for title, sentence in said]
    title = f"Balance of {found.facts.title}"
    made = [Table(title, [Column("section"), Column("summary")], rows, key="summary")]
    made += [
        _findings(section.title, section.findings, several, brief) for section in found.sections if section.findings
    ]
    if found.scores:
        made.append(_scores(found, several, brief))
    if found.distributions:
        made.append(_distributions(found, several))
    if found.pieces:
        made.append(_pieces(found, several, brief))
    if several:
        made.append(_differences(found))
    notes = list(found.notices)
    if found.section("pace") is None:
        notes.append("Pace, drama and pieces were not counted (--lean).")
    notes.append(
        f"Run {found.run.id}; every interval is a 95 % one, clustered on deals; "
        "'hilltop explain METRIC' tells what a metric means."
    )
    if brief:
        made = [made[0], *(_page(one) for one in made[1:])]
    last = made[-1]
    made[-1] = replace(last, notes=[*last.notes, *notes])
    return made


def _page(table: Table) -> Table:
    """The first rows of a long table, with a word on the rest."""
    rest = len(table.rows) - PAGE_ROWS
    if rest <= 2:
        return table
    said = f"{rest:,} more rows: --all shows them, --format csv has them."
    return replace(table, rows=table.rows[:PAGE_ROWS], notes=[*table.notes, said])


def facts(found: Balance) -> Row:
    """What JSON says beside the tables."""
    return {
        "run": found.run.id,
        "game": found.run.game,
        "margin": found.margin,
        "variants": list(found.labels),
        "notices": list(found.notices),
        **{key: [] for key in ("findings", "scores", "distributions", "pieces", "differences")},  # if there is none
    }


def _findings(title: str, findings: Sequence[Finding], several: bool, brief: bool) -> Table:
    shown_ones = [one for one in findings if not (brief and one.metric in _ZERO_IS_NOTHING and not one.estimate.value)]
    rows = [
        {
            "section": title,
            "metric": one.metric,
            "variant": one.variant,
            "group": one.group,
            "subject": one.subject,
            **_estimate(one.estimate, METRICS[one.metric].unit),
            "verdict": one.verdict,
            "note": one.note,
        }
        for one in shown_ones
    ]
    columns = [
        Column("metric"),
        *([Column("variant")] if several else []),
        *([Column("group")] if any(row["group"] for row in rows) else []),
        Column("subject", "of"),
        *_ESTIMATE,
        *([Column("verdict")] if any(row["verdict"] for row in rows) else []),
        Column("matches", show=number(), right=True),
        *([Column("note")] if any(row["note"] for row in rows) else []),
    ]
    fields = ("section", "metric", "variant", "group", "subject", *_VALUES, "verdict", "note")
    return Table(title, columns, rows, _left_out(len(findings) - len(rows), "that are 0"), "findings", fields)


def _left_out(rows: int, which: str) -> list[str]:
    return [f"{rows:,} rows {which} are not shown; --format csv has them."] if rows else []


def _estimate(estimate: Estimate, unit: str) -> dict[str, Any]:
    """An estimate as cells; what follows the unit is for people, ``of_1`` what a bar shows."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "matches": estimate.n,
        "unit": unit,
        "shown": shown(estimate.value, unit),
        "interval": ""
        if estimate.low is None or estimate.high is None
        else f"{shown(estimate.low, unit).removesuffix(' %')} to {shown(estimate.high, unit).removesuffix(' %')}",
        "of_1": estimate.value if unit.startswith("share") else None,
    }


_VALUES = ("value", "low", "high", "unit", "matches")


def _bar(value: Any) -> str:
    if value is None or not 0.0 <= value <= 1.0:
        return ""
    full = "#"
    try:
        "█".encode(sys.stdout.encoding or "ascii")
        full = "█"
    except (UnicodeEncodeError, LookupError):
        pass
    filled: int = round(BAR * value)
    return full * filled


_ESTIMATE = [
    Column("shown", "value", right=True),
    Column("interval", "95 %", right=True),
    Column("of_1", " ", _bar),
]


def _scores(found: Balance, several: bool, brief: bool) -> Table:
    rows = [
        {"variant": row.variant, "team": row.team, "score": row.score, **_estimate(row.estimate, "share")}
        for row in found.scores
        if row.estimate.value or not brief
    ]
    columns = [*([Column("variant")] if several else []), Column("team"), Column("score", right=True), *_ESTIMATE]
    notes = ["What is missing to 100 % was lost.", *_left_out(len(found.scores) - len(rows), "that are 0")]
    return Table("Scores", columns, rows, notes, "scores", ("variant", "team", "score", *_VALUES))


def _distributions(found: Balance, several: bool) -> Table:
    rows = []
    for one in found.distributions:
        seen = [place for place in range(len(one.values)) if one.counts[:, place].any()]
        group = max(1, -(-(seen[-1] + 1 - seen[0]) // MOST_BINS)) if seen else 1
        for v, label in enumerate(found.labels):
            total = max(int(one.counts[v].sum()), 1)
            for first in range(seen[0], seen[-1] + 1, group) if seen else ():
                count = int(one.counts[v, first : first + group].sum())
                step = one.values[1] - one.values[0]
                last = one.values[min(first + group, len(one.values)) - 1]
                ends = one.values[first], last if step == 1.0 else last + step  # whole numbers, or parts of 1
                rows.append(
                    {"metric": one.metric, "variant": label, "from": ends[0], "to": ends[1], "matches": count}
                    | {"share": count / total}
                )
    columns = [
        Column("metric"),
        *([Column("variant")] if several else []),
        Column("from", show=lambda value: f"{value:g}", right=True),
        Column("to", show=lambda value: f"{value:g}", right=True),
        Column("share", show=lambda value: shown(value, "share"), right=True),
        Column("share", " ", _bar),
        Column("matches", show=number(), right=True),
    ]
    notes = ["The last class of each also holds all beyond."]
    fields = ("metric", "variant", "from", "to", "matches", "share")
    return Table("How differently do matches go?", columns, rows, notes, "distributions", fields)


def _pieces(found: Balance, several: bool, brief: bool) -> Table:
    rows = []
    for label in found.labels:
        effects = [one for one in found.pieces if one.variant == label]
        effects.sort(key=lambda one: -abs(one.effect.value or 0.0))
        if brief:
            effects = [one for one in effects if one.verdict in (HELPS, HURTS)][:MANY_PIECES]
        for one in effects:
            rows.append(
                {"variant": label, "piece": one.piece, "way": one.way, "cause": "chance" if one.chance else "success"}
                | {"piece_rate": one.rate, "piece_uses": one.uses}
                | _estimate(one.effect, "share")
                | {"p": one.p, "verdict": one.verdict}
            )
    columns = [
        *([Column("variant")] if several else []),
        Column("piece", show=lambda piece: piece or "-"),
        Column("way"),
        Column("cause", "goes with"),
        Column("piece_rate", "rate", lambda value: shown(value, "share"), right=True),
        Column("piece_uses", "uses", number(2), right=True),
        Column("shown", "effect on score share", right=True),
        Column("interval", "95 %", right=True),
        Column("verdict"),
        Column("matches", show=number(), right=True),
    ]
    notes = [
        "Largest effects first. Who is dealt a piece is chance, so that effect is what the piece is worth; what came "
        "later or was used goes with success, whatever the cause; --pieces tells what strong bots lose without it. "
        "Verdicts are corrected for the number of pieces and ways (Holm).",
        *_left_out(len(found.pieces) - len(rows), "with smaller or uncertain effects"),
    ]
    fields = ("variant", "piece", "way", "cause", "piece_rate", "piece_uses", *_VALUES, "p", "verdict")
    return Table("What are the pieces worth?", columns, rows, notes, "pieces", fields)


def _differences(found: Balance) -> Table:
    rows = [
        {
            "metric": one.metric,
            "variant": one.variant,
            "base": one.base,
            "group": one.group,
            "subject": one.subject,
            **_estimate(one.estimate, METRICS[one.metric].unit),
            "p": one.p,
            "verdict": one.verdict,
        }
        for one in found.differences
    ]
    columns = [
        Column("metric"),
        Column("variant"),
        Column("group"),
        Column("subject", "of"),
        *_ESTIMATE[:2],
        Column("p", "p (Holm)", lambda p: f"{p:.4f}", right=True),
        Column("verdict"),
    ]
    notes = [f"Differences to {found.labels[0]}, paired on deals."]
    fields = ("metric", "variant", "base", "group", "subject", *_VALUES, "p", "verdict")
    return Table("Compared", columns, rows, notes, "differences", fields)
