"""``hilltop replay``: one stored match, played again."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cli.arguments import DatabaseOption, readable, whole


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    match: Annotated[str, typer.Argument(help="Number of the match, from 0.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as JSON.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Play a stored match again, check that it ends as stored, and print it."""
    from storage.store import reading
    from tournament import again
    from tournament.plan import MAX_MATCHES
    from tournament.run import resume
    from tournament.trace import as_text, replay

    number = whole(match, "match", 0, MAX_MATCHES - 1)
    with reading(readable(db)) as store:
        stored = store.run(run)
        plan = resume(store, stored)
        row = again.row(plan, store, stored, number)
    document = replay(plan, stored, row, number, positions=not as_json)
    if as_json:
        print(json.dumps(document))
    else:
        print("\n".join(as_text(document, getattr(plan.game.notation, "status", None))))
