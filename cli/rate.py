"""``hilltop rate``: the leaderboard of one or more runs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, readable
from cli.output import Format, print_tables, say

if TYPE_CHECKING:
    from storage.store import Store, StoredRun


class Method(StrEnum):
    """What ``--method`` takes."""

    trueskill = "trueskill"
    elo = "elo"
    online = "online"


def command(
    run: Annotated[list[str] | None, typer.Argument(help="Runs to rate together; by default the latest.")] = None,
    method: Annotated[
        Method, typer.Option("--method", help="TrueSkill or Elo of all outcomes at once, or match by match (online).")
    ] = Method.trueskill,
    no_seats: Annotated[bool, typer.Option("--no-seats", help="Fit no effects of seats beside skills.")] = False,
    draw_probability: Annotated[
        float | None, typer.Option("--draw-probability", help="Of evenly matched bots; by default from the data.")
    ] = None,
    tau: Annotated[
        float, typer.Option("--tau", help="Drift of a skill before each match, in units of mu; makes it online.")
    ] = 0.0,
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Rate bots over all stored matches, with how sure that is and how well it fits."""
    from cli.tables import Rating, boards
    from engine.errors import UsageError
    from storage.store import reading

    if draw_probability is not None and not 0.0 <= draw_probability < 1.0:
        raise UsageError(f"draw probability cannot be {draw_probability:g}; allowed: 0 up to, but not including, 1")
    if not 0.0 <= tau <= 1000.0:
        raise UsageError(f"tau cannot be {tau:g}; allowed: 0 to 1000")
    if tau and method is Method.elo:
        raise UsageError("--method elo knows no drift; leave --tau out")
    if tau:
        method = Method.online
    if no_seats and method is Method.online:
        raise UsageError("--method online knows no effects of seats; leave --no-seats out")
    how = Rating(method.value, not no_seats, draw_probability, tau)
    with reading(readable(db)) as store:
        stored = list({found.number: found for found in (store.run(name) for name in run or ["latest"])}.values())
        stored = _counting(store, stored)
        tables, facts, _ = boards(store, stored, how)
    print_tables(tables, form, facts)


def _counting(store: Store, runs: list[StoredRun]) -> list[StoredRun]:
    """The runs that are not left out of ratings; says which are, and refuses if all are."""
    from engine.errors import HilltopError

    excluded = store.excluded()
    for run in runs:
        if run.number in excluded:
            reason, since = excluded[run.number]
            told = f"run {run.id} is left out of ratings since {since:%Y-%m-%d}: {reason}"
            if len(runs) == 1:
                raise HilltopError(f"{told}; 'hilltop include {run.id} --reason ...' takes it back")
            say(told)
    left = [run for run in runs if run.number not in excluded]
    if not left:
        raise HilltopError("all of these runs are left out of ratings; 'hilltop runs' shows why")
    return left
