"""``hilltop runs``: what is stored."""

from __future__ import annotations

from cli.arguments import DatabaseOption, FormatOption, readable
from cli.output import Column, Format, Table, number, print_tables


def command(db: DatabaseOption = None, form: FormatOption = Format.table) -> None:
    """List the stored runs, oldest first."""
    from hilltop.rows import runs
    from storage.store import reading

    path = readable(db)
    with reading(path) as store:
        rows = runs(store)
    columns = [
        Column("run"),
        Column("game"),
        Column("variant"),
        Column("seats", right=True),
        Column("bots", right=True),
        Column("seed", right=True),
        Column("stored", show=number(), right=True),
        Column("matches", show=number(), right=True),
        Column("state"),
        Column("rate", "matches/s", number(), right=True),
        Column("left_out"),
        Column("created", "created (UTC)", lambda moment: moment.rstrip("Z").replace("T", " ")),
        Column("version"),
    ]
    print_tables([Table(f"Runs in {path}", columns, rows)], form)
