"""``hilltop export``: a run's matches for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.arguments import DatabaseOption, database


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    to: Annotated[Path, typer.Option("--to", help="Target file, ending in .parquet or .csv.")],
    db: DatabaseOption = None,
) -> None:
    """Write a row a match, with bots, ranks and scores by seat, to a Parquet or CSV file."""
    from cli.output import say
    from storage.store import reading
    from tournament.statistics.counted import read

    with reading(database(db)) as store:
        stored = store.run(run)
        count = store.export(stored, to, read(store, stored).facts.reasons)
    say(f"{count:,} matches of run {stored.id} written to {to}")
