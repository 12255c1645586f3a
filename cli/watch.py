"""``hilltop watch``: the leaderboard of a run while it is played."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, readable
from cli.output import Format, print_tables, say

CLEAR = "\x1b[H\x1b[2J"


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")] = "latest",
    every: Annotated[float, typer.Option("--every", help="Seconds from one look to the next.")] = 3.0,
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Follow the leaderboard of a run and its intervals until the run is complete, or nobody plays it any more."""
    from cli.tables import boards
    from engine.errors import UsageError
    from engine.text import plural
    from hilltop.api import leaderboard, run_of
    from storage.store import reading

    if not 0.1 <= every <= 3600:
        raise UsageError(f"every cannot be {every:g} seconds; allowed: 0.1 to 3600")
    path, seen = readable(db), -1
    while True:
        begun = time.monotonic()
        with reading(path) as store:
            stored = store.run(run)
            run = stored.id  # latest stays the one that it was
            paces = store.paces()
            found = run_of(store, stored) if stored.done != seen else None
        if found:
            shown = boards(leaderboard([found]))
            seen = stored.done
            if sys.stdout.isatty():
                print(CLEAR, end="")
            print_tables(shown.tables, form, shown.facts)
            sys.stdout.flush()
        rate = paces.get(stored.number)
        part = f"run {run}: {stored.done:,} of {plural(stored.matches, 'match')}"
        if stored.complete or stored.number not in paces:
            say(part + (", complete" if stored.complete else ", not being played"))
            return
        say(part + (f", {rate:,.0f} matches/s" if rate else ""))
        time.sleep(max(0.0, every - (time.monotonic() - begun)))
