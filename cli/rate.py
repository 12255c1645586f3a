"""``hilltop rate``: the leaderboard of one or more runs."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, readable
from cli.output import Format, print_tables


def command(
    run: Annotated[list[str] | None, typer.Argument(help="Runs to rate together; by default the latest.")] = None,
    draw_probability: Annotated[
        float | None, typer.Option("--draw-probability", help="Of evenly matched bots; by default from the data.")
    ] = None,
    tau: Annotated[float, typer.Option("--tau", help="Drift of a skill before each match, in units of mu.")] = 0.0,
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Rate bots with TrueSkill over all stored matches."""
    from cli.tables import boards
    from engine.errors import UsageError
    from storage.store import reading

    if draw_probability is not None and not 0.0 <= draw_probability < 1.0:
        raise UsageError(f"draw probability cannot be {draw_probability:g}; allowed: 0 up to, but not including, 1")
    if not 0.0 <= tau <= 1000.0:
        raise UsageError(f"tau cannot be {tau:g}; allowed: 0 to 1000")
    with reading(readable(db)) as store:
        stored = list({found.number: found for found in (store.run(name) for name in run or ["latest"])}.values())
        tables, facts, _ = boards(store, stored, draw_probability, tau)
    print_tables(tables, form, facts)
