"""``hilltop rate``: the leaderboard of one or more runs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, database
from cli.output import Format, print_tables, say

if TYPE_CHECKING:
    from hilltop.api import Run


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
    from cli.tables import boards
    from engine.errors import UsageError
    from hilltop.api import check_model, leaderboard, load_all

    check_model(draw_probability, tau)
    if tau and method is Method.elo:
        raise UsageError("--method elo knows no drift; leave --tau out")
    if tau:
        method = Method.online
    if no_seats and method is Method.online:
        raise UsageError("--method online knows no effects of seats; leave --no-seats out")
    found = _counting(load_all(run or ["latest"], database(db)))
    tables, facts = boards(leaderboard(found, method.value, draw_probability, not no_seats, tau))
    print_tables(tables, form, facts)


def _counting(runs: list[Run]) -> list[Run]:
    """The runs that are not left out of ratings; says which are, and refuses if all are."""
    from engine.errors import HilltopError

    for run in runs:
        if run.left_out:
            reason, since = run.left_out
            told = f"run {run.id} is left out of ratings since {since:%Y-%m-%d}: {reason}"
            if len(runs) == 1:
                raise HilltopError(f"{told}; 'hilltop include {run.id} --reason ...' takes it back")
            say(told)
    left = [run for run in runs if not run.left_out]
    if not left:
        raise HilltopError("all of these runs are left out of ratings; 'hilltop runs' shows why")
    return left
