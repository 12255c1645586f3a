"""``hilltop show``: one run, its settings, standing and pairwise table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, database
from cli.output import Format, Row, Table, print_tables

if TYPE_CHECKING:
    from hilltop.api import Run


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Show a run: settings, standing, and each bot against each other."""
    from hilltop.api import load

    tables, facts = tables_of(load(run, database(db)))
    print_tables(tables, form, facts)


def tables_of(run: Run) -> tuple[list[Table], Row]:
    """The tables of a run and what JSON says beside them."""
    from cli.tables import boards, faults_table, pair_tables, run_table
    from hilltop.api import leaderboard

    tables, facts = boards(leaderboard([run]))
    if not run.counted.facts.cooperative:
        tables += pair_tables(run)
    if run.counted.faults:
        tables.append(faults_table(run))
    return [run_table(run), *tables], facts | {"pairs": [], "faults": []}
