"""``hilltop export``: a run's matches for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.arguments import DatabaseOption, readable


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    to: Annotated[Path, typer.Option("--to", help="Target file, ending in .parquet or .csv.")],
    db: DatabaseOption = None,
) -> None:
    """Write a row a match, with bots, ranks and scores by seat, to a Parquet or CSV file."""
    from cli.output import say
    from storage.store import reading
    from tournament.statistics.counted import read

    with reading(readable(db)) as store:
        stored = store.run(run)
        facts = read(store, stored).facts
        if stored.keep == "matches":
            count = store.export(stored, to, facts.reasons)
        else:
            from tournament import again
            from tournament.run import resume

            count = again.export(resume(store, stored), store, stored, to, facts.reasons)
    say(f"{count:,} matches of run {stored.id} written to {to}")
