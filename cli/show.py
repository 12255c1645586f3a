"""``hilltop show``: one run, its settings, standing and pairwise table."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, readable
from cli.output import Format, print_tables


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Show a run: settings, standing, and each bot against each other."""
    from cli.tables import boards, settings_table
    from storage.store import reading
    from tournament.statistics.tally import digest

    with reading(readable(db)) as store:
        stored = store.run(run)
        tables, facts, (counted,) = boards(store, [stored], pairs=True)
    made = settings_table(stored, counted.facts.names, digest(counted.tally, stored.done))
    print_tables([made, *tables], form, facts | {"pairs": []})
