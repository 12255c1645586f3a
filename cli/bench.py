"""``hilltop bench``: how fast everything is, as ratios within one run."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Table, number, print_tables, say


def command(
    games: Annotated[list[str] | None, typer.Argument(metavar="[GAME...]", help="By default all games.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="About how long each measurement takes.")] = 3.0,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Workers of the pipeline.  [default: one a core]")
    ] = None,
    players: Annotated[
        int | None, typer.Option("--players", help="Seats, where a game allows several.  [default: the game's own]")
    ] = None,
    only_limit: Annotated[
        bool, typer.Option("--limit", help="Only the kernel beside a plain C program of the rules, where there is one.")
    ] = False,
    form: FormatOption = Format.table,
) -> None:
    """Measure matches/s: kernel on one core, whole pipeline, interpreted; ratings/s against the package."""
    from engine import registry
    from engine.errors import UsageError, listed
    from tournament import limit
    from tournament.bench import measure, measure_limit
    from tournament.execution import MOST_WORKERS

    if not 0.05 <= seconds <= 600:
        raise UsageError(f"seconds cannot be {seconds:g}; allowed: 0.05 to 600")
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise UsageError(f"workers cannot be {workers}; allowed: 1 to {MOST_WORKERS}")
    rows = []
    for name in games or (limit.GAMES if only_limit else registry.GAMES):
        game = registry.game(name)
        if not only_limit:
            rows += measure(game, seconds, workers, say, players)
        elif name in limit.GAMES:
            rows.append(measure_limit(game, seconds, say))
        else:
            raise UsageError(f"there is no C program of {name} to compare it with; allowed: {listed(limit.GAMES)}")
    columns = [
        Column("game"),
        Column("seats", right=True),
        Column("bots"),
        Column("kernel_matches_per_s", "kernel matches/s", number(), right=True),
        Column("kernel_decisions_per_s", "decisions/s", number(), right=True),
        Column("limit_matches_per_s", "C matches/s", number(), right=True),
        Column("limit_ratio", "kernel's time / C's", number(2), right=True),
        Column("playouts_per_s", "playouts/s", number(), right=True),
        Column("pipeline_matches_per_s", "pipeline matches/s", number(), right=True),
        Column("workers", right=True),
        Column("pipeline_share", "of workers x kernel", number(2), right=True),
        Column("interpreted_matches_per_s", "interpreted matches/s", number(1), right=True),
        Column("rating_updates_per_s", "ratings/s", number(), right=True),
        Column("package_updates_per_s", "package ratings/s", number(), right=True),
    ]
    if only_limit:
        columns = [column for column in columns if column.key in rows[0]]
    notes = [
        "kernel, playouts: a second of processor time of one core, nothing stored; playouts: of rollouts with the "
        "policy random or the game's own. pipeline: from the first stored chunk to the last, start-up left out.",
        "C: a plain C program of the rules with random bots, in turn with the kernel; the median of five such rounds.",
        "Machines differ and are noisy: compare figures of one run with each other.",
    ]
    print_tables([Table("Benchmark", columns, rows, notes)], form)
