"""``hilltop balance``: is this variant fair, is it skill, what decides it; one field over one or many variants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.arguments import (
    AddressOption,
    DatabaseOption,
    DryRunOption,
    FormatOption,
    MarginOption,
    PatienceOption,
    PlayersOption,
    SeedOption,
    WorkersOption,
    database,
    readable,
    whole,
)
from cli.output import Format, print_tables, say

if TYPE_CHECKING:
    from pathlib import Path

    from hilltop.api import Run
    from storage.store import Store
    from tournament.balance.summary import Balance
    from tournament.execution import Executor
    from tournament.plan import Plan

RUN = re.compile("latest|[0-9a-f]{1,10}")  # no game is called so
ABOUT_REPORTS = ("game", "margin", "db", "everything", "form")  # options of a run that is stored


def command(
    context: typer.Context,
    game: Annotated[
        str, typer.Argument(metavar="GAME|RUN", help="What to play, or a run to report on as it is stored.")
    ],
    bots: Annotated[str, typer.Option("--bots", help="The field: a,b(never=counter),own.py or all.")] = "all",
    variants: Annotated[str, typer.Option("--variants", help="Variants to compare: a,b,c.")] = "standard",
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="NAME=VALUE", help="Over every variant; an option given twice is compared."),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep", metavar="NAME=LOW..HIGH:STEP", help="Values to compare; or NAME=A|B|C; several make a grid."
        ),
    ] = None,
    players: PlayersOption = None,
    matches: Annotated[str, typer.Option("--matches", help="Matches in all: 1000, 1_000_000, 1e6.")] = "200_000",
    seed: SeedOption = "0",
    margin: MarginOption = 0.01,
    lean: Annotated[bool, typer.Option("--lean", help="Count nothing inside matches: no pace, drama, pieces.")] = False,
    workers: WorkersOption = None,
    address: AddressOption = None,
    patience: PatienceOption = 60.0,
    db: DatabaseOption = None,
    pieces: Annotated[
        bool, typer.Option("--pieces", help="Also play strong bots without the pieces that tell most.")
    ] = False,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="Play the fairest variant again on fresh deals, and judge it by these alone."),
    ] = False,
    strength: Annotated[
        bool,
        typer.Option("--strength", help="Only: does the verdict on fairness hold from random to searching play?"),
    ] = False,
    time: Annotated[str, typer.Option("--time", help="With --strength: how long to play, 90s, 10m or 1.5h.")] = "10m",
    playouts: Annotated[str, typer.Option("--playouts", help="With --strength: of a decision in search.")] = "300",
    deals: Annotated[
        str,
        typer.Option(
            "--deals",
            help="With --strength: A,B,C deals in place of those that the time allows.",
            show_default=False,
        ),
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Print every row of every table; by default a page.")
    ] = False,
    dry_run: DryRunOption = False,
    form: FormatOption = Format.table,
) -> None:
    """Play (or reuse) a run over variants and report fairness, pace, drama, skill, diversity and pieces."""
    if RUN.fullmatch(game):
        _stored(context, game, margin, database(db), everything, form)
        return
    from cli import balance_strength
    from cli.tables import plan_table
    from engine import registry
    from engine.errors import UsageError
    from engine.rng import MAX_SEED
    from hilltop.api import check_margin, judged
    from storage.store import writing
    from tournament import execution
    from tournament.balance.summary import confirmed
    from tournament.plan import MAX_MATCHES, compared, plan_variants, with_default

    check_margin(margin)
    if pieces and (lean or registry.game(game).cooperative):
        raise UsageError("--pieces needs what --lean leaves out, and a game in which bots play against each other")
    executor = execution.executor(workers, address, patience)
    count, number = whole(matches, "matches", 1, MAX_MATCHES), whole(seed, "seed", 0, MAX_SEED)
    names = [name.strip() for name in variants.split(",")]
    if not all(names):
        raise UsageError(f"variants cannot be '{variants}'; write one, or several as a,b,c")
    chosen = with_default(game, compared(game, names, rule or (), sweep or ()), players)
    if strength:
        if pieces or confirm or bots != "all":
            raise UsageError("--strength plays bots of its own; leave out --bots, --pieces and --confirm")
        asked = (time, playouts, deals)
        balance_strength.play(game, chosen, players, count, number, margin, asked, executor, db, dry_run, form)
        return
    plan = plan_variants(game, bots, chosen, players, count, number, not lean)
    plans = [plan]
    if registry.game(game).cooperative and plan.players > 1:  # the same cards for one who sees them all
        solo = plan_variants(game, bots, chosen, 1, 1, number, not lean)
        plans.append(plan_variants(game, bots, chosen, 1, plan.deals * len(solo.lineups), number, not lean))
    if dry_run:
        shown = [plan_table(one, key) for one, key in zip(plans, ("plan", "solo_plan"), strict=False)]
        print_tables(shown, form, {"solo_plan": None})
        return
    path, without = readable(db), None
    with writing(path) as store:
        run, *_ = [played(store, one, executor) for one in plans]
        store.release()
        if pieces:
            again = _without(run, chosen, count, number)
            without = played(store, again, executor) if again else None
    found = judged(run, margin, without)
    if confirm and found.choices:
        fairest = found.labels.index(found.choices[0].variant)
        fresh = number + 1 if number < MAX_SEED else number - 1
        again = plan_variants(game, bots, [chosen[fairest]], players, count, fresh, False)
        with writing(path) as store:
            once_more = played(store, again, executor)
        found = confirmed(found, judged(once_more, margin))
    _print(found, everything, form)


def _stored(context: typer.Context, name: str, margin: float, path: Path, everything: bool, form: Format) -> None:
    """Report on a run as it is stored: neither rules nor bots are asked, so they may be others by now."""
    from engine.errors import UsageError
    from hilltop.api import judged, load_judged

    for option, source in ((option, context.get_parameter_source(option)) for option in context.params):
        if option not in ABOUT_REPORTS and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"run {name} is stored and not played: leave --{option.replace('_', '-')} out")
    (run,) = load_judged([name], path)
    _print(judged(run, margin), everything, form)


def _print(found: Balance, everything: bool, form: Format) -> None:
    from cli.balance_tables import facts, tables

    print_tables(tables(found, form is Format.table and not everything), form, facts(found))


def _without(run: Run, chosen: list[tuple[str, Any]], matches: int, seed: int) -> Plan | None:
    """The plan of what strong bots do without the most telling pieces, on the same deals; None if none is telling."""
    from tournament.balance.inside import inside_of, piece_effects, telling_pieces
    from tournament.balance.restricted import field_without
    from tournament.balance.summary import TOLD_PIECES
    from tournament.plan import plan_variants

    counted = run.counted
    within = inside_of(counted.facts, counted.tally)
    told = telling_pieces(piece_effects(within), TOLD_PIECES) if within else []
    if not told:
        say("no piece has an effect that is certain, so none is left out")
        return None
    field = field_without(counted.sample, counted.facts, [one.piece for one in told])
    say(f"without pieces: {field}")
    return plan_variants(counted.facts.game, field, chosen, counted.facts.players, matches, seed)


def played(store: Store, plan: Plan, executor: Executor) -> Run:
    """The stored run of a plan: one that is there already, or played (on) now."""
    from cli.run import play_with_bar
    from engine.text import plural
    from hilltop.api import run_of

    same = [run for run in store.runs() if run.settings == plan.settings and run.fingerprint == plan.fingerprint]
    run = same[-1] if same else None
    if run and run.complete:
        say(f"run {run.id} is stored already: {plural(run.done, 'match')}")
        return run_of(store, run)
    return play_with_bar(store, plan, executor, run)
