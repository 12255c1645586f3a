"""``hilltop run``: play a tournament into the database."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, RuleOption, SeedOption, VariantOption, database, whole
from cli.output import Format, print_tables, say


def command(
    game: Annotated[str | None, typer.Argument(help="What to play; not needed with --resume.")] = None,
    bots: Annotated[str, typer.Option("--bots", help="The field: a,b(parameter=value),own.py or all.")] = "all",
    variant: VariantOption = "standard",
    rule: RuleOption = None,
    players: Annotated[int | None, typer.Option("--players", help="Seats, where a game allows several.")] = None,
    matches: Annotated[str, typer.Option("--matches", help="Matches in all: 1000, 1_000_000, 1e6.")] = "10_000",
    seed: SeedOption = "0",
    workers: Annotated[
        int | None,
        typer.Option("--workers", help="Ray workers on this machine; 0 plays in this process.  [default: one a core]"),
    ] = None,
    address: Annotated[str | None, typer.Option("--address", help="Play on the Ray cluster at this address.")] = None,
    db: DatabaseOption = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Play the rest of this run.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be played, play nothing.")] = False,
    form: FormatOption = Format.table,
) -> None:
    """Play a round robin: every deal from all seatings of every set of bots."""
    from cli.progress import Bar
    from cli.tables import boards, plan_table
    from engine.errors import UsageError
    from storage.store import writing
    from tournament import execution
    from tournament import run as runner
    from tournament.plan import plan_run

    if workers is not None and workers < 0:
        raise UsageError(f"workers cannot be {workers}; 0 plays in this process, 1 or more on Ray")
    if workers is not None and address:
        raise UsageError("--workers is for this machine and --address for a cluster; give one of them")
    if resume is None:
        if game is None:
            raise UsageError("name a game to play, or a run to --resume; 'hilltop games' lists the games")
        plan = plan_run(game, bots, variant, rule or (), players, whole(matches, "matches", 1), whole(seed, "seed", 0))
        if dry_run:
            print_tables([plan_table(plan)], form)
            return
    path = database(db)
    with writing(path) as store:
        if resume is not None:
            stored = store.run(resume)
            if game is not None and game != stored.game:
                raise UsageError(f"run {stored.id} is of {stored.game}, not of {game}")
            plan = runner.resume(stored)
        if dry_run:
            print_tables([plan_table(plan)], form)
            return
        executor = execution.executor(workers, address)
        with Bar(plan.matches) as bar:
            bar.say(f"preparing {plan.game.title}, {len(plan.entrants)} bots")
            runner.prepare(plan)
            if resume is None:
                stored = runner.start(plan, store)
            bar.say(f"run {stored.id}: {plan.matches:,} matches, {plan.deals:,} deals x {len(plan.lineups)} line-ups")
            bar.start(stored.done)
            try:
                runner.play(plan, store, stored, executor, bar.update)
            except BaseException:
                kept = store.run(stored.id).done
                bar.stop()
                where = f" --db {db}" if db else ""
                say(
                    f"hilltop: run {stored.id} holds {kept:,} of {plan.matches:,} matches; "
                    f"'hilltop run --resume {stored.id}{where}' plays the rest"
                )
                raise
        stored = store.run(stored.id)
        tables = boards(store, [stored])
    print_tables(tables, form)
