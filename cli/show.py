"""``hilltop show``: one run, its settings, standing and pairwise table."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, database
from cli.output import Format, print_tables


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Show a run: settings, standing, and each bot against each other."""
    from cli.tables import boards, faults_table, pair_tables, run_table
    from hilltop.api import leaderboard, load

    found = load(run, database(db))
    tables, facts = boards(leaderboard([found]))
    if not found.counted.facts.cooperative:
        tables += pair_tables(found)
    if found.counted.faults:
        tables.append(faults_table(found))
    print_tables([run_table(found), *tables], form, facts | {"pairs": [], "faults": []})
