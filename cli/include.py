"""``hilltop include``: take a run that was left out back into ratings."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption
from cli.exclude import ReasonOption, decide


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    reason: ReasonOption,
    db: DatabaseOption = None,
) -> None:
    """Take a run that was left out back into ratings."""
    decide(run, False, reason, db)
