"""``hilltop selftest``: simulations with planted truths, promise by promise."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Table, number, percent, print_tables, say

EFFORT = 10  # times as many runs with --long


def command(
    long: Annotated[bool, typer.Option("--long", help="Ten times as many runs of each simulation.")] = False,
    form: FormatOption = Format.table,
) -> int:
    """Prove the statistics by simulation: planted skills, equals, coverage, error rates, choices, orders."""
    from tournament.selftest import checks

    rows: list[dict[str, Any]] = []
    for check in checks(EFFORT if long else 1):
        row = {"promise": check.name, "kind": check.kind, "promised": check.promised, "found": check.share}
        rows.append({**row, "runs": check.runs, "kept": "yes" if check.kept else "no"})
        say(f"{'kept  ' if check.kept else 'BROKEN'}  {check.name}")
    columns = [
        Column("promise"),
        Column("kind", " "),
        Column("promised", "promised %", percent(0), right=True),
        Column("found", "found %", percent(1), right=True),
        Column("runs", show=number(), right=True),
        Column("kept"),
    ]
    broken = sum(row["kept"] == "no" for row in rows)
    notes = [
        "Seeds are fixed. A promise is broken if what was found had a chance below 0.1 % had it been kept; around 95 % "
        "means 92 to 98 %.",
        f"{broken} of {len(rows)} promises are broken." if broken else f"All {len(rows)} promises are kept.",
    ]
    print_tables([Table("Promises, tried by simulation", columns, rows, notes)], form)
    return 1 if broken else 0
