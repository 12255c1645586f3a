"""``hilltop explain``: what a metric of the balance report means."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Table, print_tables


def command(
    metric: Annotated[str | None, typer.Argument(help="A metric's id; without one all are listed.")] = None,
    form: FormatOption = Format.table,
) -> None:
    """Print a metric's definition, formula and how to read it."""
    from engine.errors import UsageError, listed
    from tournament.balance.finding import METRICS

    if metric is not None and metric not in METRICS:
        raise UsageError(f"there is no metric '{metric}'; allowed: {listed(METRICS)}")
    keys = ("id", "title", "unit", "definition", "formula", "reading")
    rows = [{key: getattr(one, key) for key in keys} for one in METRICS.values() if metric in (None, one.id)]
    if form is not Format.table:
        print_tables([Table("Metrics", [Column(key) for key in keys], rows)], form)
    elif metric is None:
        print_tables(
            [Table("Metrics", [Column("id"), Column("title"), Column("unit"), Column("definition")], rows)], form
        )
    else:
        row = rows[0]
        print(f"{row['id']}: {row['title']} ({row['unit']})")
        for key in ("definition", "formula", "reading"):
            print(textwrap.fill(f"{key}: {row[key]}", 100, initial_indent="  ", subsequent_indent="    "))
