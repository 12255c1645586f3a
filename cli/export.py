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
    from engine.text import plural
    from hilltop.api import load

    found = load(run, database(db))
    say(f"{plural(found.export(to), 'match')} of run {found.id} written to {to}")
