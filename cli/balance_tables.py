"""The balance report as tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cli.output import Column, Row, Table, number
from engine.text import plural
from hilltop import rows
from tournament.balance.finding import Finding
from tournament.balance.inside import HELPS, HURTS
from tournament.balance.summary import Balance
from tournament.balance.words import number as shown

BAR = 12  # characters of a full bar
PAGE_ROWS = 14  # of each table on a page
MANY_PIECES = 16  # effects of each variant that a terminal shows
_ZERO_IS_NOTHING = ("equilibrium_weight", "equilibrium_support", "medal_share", "loss_reason_share")


def tables(found: Balance, brief: bool) -> list[Table]:
    """The summary in sentences, every section, pieces, and comparisons.

    ``brief``, for people: of long tables only the rows that tell most, with a word on what is left out.
    """
    several = len(found.labels) > 1
    title = f"Balance of {found.facts.title}"
    made = [Table(title, [Column("section"), Column("summary")], rows.summary(found), key="summary")]
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
    said = f"{plural(rest, 'more row')}: --all shows them, --format csv has them."
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
    cells = [_shown(row) for row in rows.findings(title, shown_ones)]
    columns = [
        Column("metric"),
        *([Column("variant")] if several else []),
        *([Column("group")] if any(row["group"] for row in cells) else []),
        Column("subject", "of"),
        *_ESTIMATE,
        *([Column("verdict")] if any(row["verdict"] for row in cells) else []),
        Column("matches", show=number(), right=True),
        *([Column("note")] if any(row["note"] for row in cells) else []),
    ]
    notes = _left_out(len(findings) - len(cells), "that are 0")
    return Table(title, columns, cells, notes, "findings", tuple(rows.FINDINGS))


def _left_out(count: int, which: str) -> list[str]:
    return (
        [f"{plural(count, 'row')} {which} {'is' if count == 1 else 'are'} not shown; --format csv has them."]
        if count
        else []
    )


def _shown(row: Row) -> Row:
    """A row with an estimate as people see it; ``of_1`` is what a bar shows."""
    value, low, high, unit = (row[key] for key in ("value", "low", "high", "unit"))
    known = low is not None and high is not None
    return row | {
        "shown": shown(value, unit),
        "interval": f"{shown(low, unit).removesuffix(' %')} to {shown(high, unit).removesuffix(' %')}" if known else "",
        "of_1": value if unit.startswith("share") else None,
    }


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
    cells = [_shown(row) for row in rows.scores(found) if row["value"] or not brief]
    columns = [*([Column("variant")] if several else []), Column("team"), Column("score", right=True), *_ESTIMATE]
    notes = ["What is missing to 100 % was lost.", *_left_out(len(found.scores) - len(cells), "that are 0")]
    return Table("Scores", columns, cells, notes, "scores", tuple(rows.SCORES))


def _distributions(found: Balance, several: bool) -> Table:
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
    title, fields = "How differently do matches go?", tuple(rows.DISTRIBUTIONS)
    return Table(title, columns, rows.distributions(found), notes, "distributions", fields)


def _pieces(found: Balance, several: bool, brief: bool) -> Table:
    cells = [_shown(row) for row in rows.pieces(found)]
    if brief:
        certain = [row for row in cells if row["verdict"] in (HELPS, HURTS)]
        cells = [
            row for label in found.labels for row in [one for one in certain if one["variant"] == label][:MANY_PIECES]
        ]
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
        *_left_out(len(found.pieces) - len(cells), "with smaller or uncertain effects"),
    ]
    return Table("What are the pieces worth?", columns, cells, notes, "pieces", tuple(rows.PIECES))


def _differences(found: Balance) -> Table:
    columns = [
        Column("metric"),
        Column("variant"),
        Column("group"),
        Column("subject", "of"),
        *_ESTIMATE[:2],
        Column("p", "p (Holm)", lambda p: f"{p:.4f}", right=True),
        Column("verdict"),
    ]
    cells = [_shown(row) for row in rows.differences(found)]
    notes = [f"Differences to {found.labels[0]}, paired on deals."]
    return Table("Compared", columns, cells, notes, "differences", tuple(rows.DIFFERENCES))
