"""``hilltop exclude``: leave a run out of ratings, for a reason that stays on record."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption, readable
from cli.output import say

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is kept and shown.")]


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    reason: ReasonOption,
    db: DatabaseOption = None,
) -> None:
    """Leave a run out of ratings. Nothing is deleted; 'hilltop include' takes it back."""
    decide(run, True, reason, db)


def decide(name: str, excluded: bool, reason: str, db: DatabaseOption) -> None:
    """Record a choice."""
    from engine.errors import UsageError
    from storage.store import reading, writing

    reason = " ".join(reason.split())
    if not reason:
        raise UsageError("--reason cannot be empty; say why")
    path = readable(db)
    with reading(path) as store:
        run = store.run(name)
    with writing(path) as store:
        store.exclude(run, excluded, reason)
    say(f"run {run.id} is {'left out of' if excluded else 'part of'} ratings from now on")
