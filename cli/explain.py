"""``hilltop explain``: what a metric of the balance report, or a word in any table, means."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Row, Table, print_tables


def command(
    metric: Annotated[
        str | None, typer.Argument(help="A metric or a table's heading; without one all are listed.")
    ] = None,
    form: FormatOption = Format.table,
) -> None:
    """Print the definition of a metric or term, its formula and how to read it."""
    from engine.errors import UsageError, listed
    from tournament import terms
    from tournament.balance.finding import METRICS

    found: list[Any] = [*METRICS.values(), *terms.TERMS.values()]
    if metric is not None:
        key = terms.key_of(metric)
        found = [one for one in METRICS.values() if key == one.id or _part(key, one.title)]
        found += [term for term in (terms.find(metric),) if term]
        if not found:
            allowed = listed(dict.fromkeys([*METRICS, *terms.TERMS]))
            raise UsageError(f"there is no metric or term '{metric}'; allowed: {allowed}")
    keys = ("id", "title", "unit", "definition", "formula", "reading")
    rows: list[Row] = [{key: getattr(one, key) or None for key in keys} for one in found]
    if form is not Format.table:
        print_tables([Table("Metrics", [Column(key) for key in keys], rows)], form)
    elif metric is None:
        print_tables(
            [Table("Metrics and terms", [Column("id"), Column("title"), Column("unit"), Column("definition")], rows)],
            form,
        )
    else:
        for row in rows:
            print(f"{row['id']}: {row['title']}" + (f" ({row['unit']})" if row["unit"] else ""))
            for key in ("definition", "formula", "reading"):
                if row[key]:
                    print(textwrap.fill(f"{key}: {row[key]}", 100, initial_indent="  ", subsequent_indent="    "))


def _part(key: str, title: str) -> bool:
    """Is it several words of the title, or all of it?"""
    from tournament.terms import key_of

    return f"_{key}_" in f"_{key_of(title)}_" and ("_" in key or key == key_of(title))
