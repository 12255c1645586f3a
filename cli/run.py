"""``hilltop run``: play a tournament into the database."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.arguments import (
    AddressOption,
    DatabaseOption,
    DryRunOption,
    FormatOption,
    PatienceOption,
    PlayersOption,
    RuleOption,
    SeedOption,
    VariantOption,
    WorkersOption,
    database,
    readable,
    whole,
)
from cli.ending import asking
from cli.output import Format, print_tables, say

if TYPE_CHECKING:
    from hilltop.api import Run
    from storage.store import Store, StoredRun
    from tournament.execution import Executor
    from tournament.plan import Plan

NOTHING = "hilltop: nothing was stored"
LEAST_BUDGET, MOST_BUDGET, BOT_BUDGET = 1000, 10**15, 200_000_000
MOST_FAULTS, MAX_FAULTS = 10_000, 10

# What --resume takes from the run: an option that says otherwise is refused.
SETTINGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "bots": lambda settings: ",".join(settings["bots"]),
    "variant": lambda settings: settings["variants"][0]["name"],
    "rule": lambda settings: json.dumps(settings["variants"][0]["rules"], sort_keys=True),
    "players": lambda settings: settings["players"],
    "matches": lambda settings: settings["matches"],
    "seed": lambda settings: settings["seed"],
    "trust": lambda settings: settings.get("guard", {}).get("trust", False),
    "bot_budget": lambda settings: settings.get("guard", {}).get("budget", BOT_BUDGET),
    "max_faults": lambda settings: settings.get("guard", {}).get("faults", MAX_FAULTS),
}


class Keep(StrEnum):
    """What ``--keep`` takes."""

    matches = "matches"
    tallies = "tallies"


def command(
    context: typer.Context,
    game: Annotated[str | None, typer.Argument(help="What to play; not needed with --resume.")] = None,
    bots: Annotated[str, typer.Option("--bots", help="The field: a,b(parameter=value),own.py or all.")] = "all",
    variant: VariantOption = "standard",
    rule: RuleOption = None,
    players: PlayersOption = None,
    matches: Annotated[str, typer.Option("--matches", help="Matches in all: 1000, 1_000_000, 1e6.")] = "10_000",
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="QUESTION", help="Play until that is decided: ranks, best, best=N, or two bots A,B."
        ),
    ] = None,
    most: Annotated[str, typer.Option("--max", help="With --until: matches at most.")] = "1_000_000",
    within: Annotated[
        float, typer.Option("--within", metavar="MU", help="With --until: differences that count as none.")
    ] = 0.0,
    seed: SeedOption = "0",
    workers: WorkersOption = None,
    address: AddressOption = None,
    patience: PatienceOption = 60.0,
    db: DatabaseOption = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Play the rest of this run.")] = None,
    extend: Annotated[
        str | None,
        typer.Option("--extend", metavar="RUN", help="A new run with more matches, bots or variants than this one."),
    ] = None,
    keep: Annotated[
        Keep, typer.Option("--keep", help="Store every match, or tallies alone: enough for all reports, and small.")
    ] = Keep.matches,
    trust: Annotated[
        bool, typer.Option("--trust", help="Play own bots unguarded and in the program: faster, for whom one knows.")
    ] = False,
    bot_budget: Annotated[
        str, typer.Option("--bot-budget", help="Steps that a decision of an own bot may take.")
    ] = f"{BOT_BUDGET:_}",
    max_faults: Annotated[
        str, typer.Option("--max-faults", help="Faults after which a bot is withdrawn from the run.")
    ] = str(MAX_FAULTS),
    check: Annotated[
        bool, typer.Option("--check", help="Guard all bots in all matches, and play the first matches again.")
    ] = False,
    dry_run: DryRunOption = False,
    form: FormatOption = Format.table,
) -> None:
    """Play a round robin: every deal from all seatings of every set of bots."""
    from cli.tables import boards, plan_table
    from engine.errors import UsageError
    from engine.rng import MAX_SEED
    from hilltop.api import leaderboard
    from storage.store import reading, writing
    from tournament import execution
    from tournament import run as runner
    from tournament.extend import Extending
    from tournament.plan import MAX_MATCHES, checking, guarding, plan_run
    from tournament.until import plan_until

    budget = whole(bot_budget, "bot budget", LEAST_BUDGET, MOST_BUDGET)
    guard = guarding(trust, budget, whole(max_faults, "max faults", 1, MOST_FAULTS))
    executor = execution.executor(workers, address, patience)
    path = database(db)
    count, number = whole(matches, "matches", 1, MAX_MATCHES), whole(seed, "seed", 0, MAX_SEED)
    if until is not None:
        if _given(context, "matches", None) is not None:
            raise UsageError("--until plays as many matches as it needs; give --max in place of --matches")
        if keep is Keep.tallies:
            raise UsageError("--until needs the matches of its run; leave --keep out")
        count = whole(most, "max", 1, MAX_MATCHES)
    elif resume is None and (_given(context, "most", None) or _given(context, "within", None)) is not None:
        raise UsageError("--max and --within say when --until stops; give --until too, or --matches alone")
    if extend is not None:
        if resume is not None:
            raise UsageError("--extend begins a new run and --resume goes on with one; give one of them")
        with reading(readable(db)) as store:
            stored = store.run(extend)
            before = runner.resume(store, stored)
        plan = _extension(context, before, stored, count)
        plan = plan if until is None else plan_until(plan, until, within)
    elif resume is None:
        if game is None:
            raise UsageError("name a game to play, or a run to --resume; 'hilltop games' lists the games")
        plan = plan_run(game, bots, variant, rule or (), players, count, number, guard=guard)
        plan = plan if until is None else plan_until(plan, until, within)
    else:
        with reading(readable(db)) as store:
            stored = store.run(resume)
            plan = runner.resume(store, stored)
        has = plan.settings
        if game not in (None, stored.game):
            raise UsageError(f"run {stored.id} is of {stored.game}, not of {game}")
        variant = _given(context, "variant", has["variants"][0]["name"])
        seats = has["players"] if players is None else players
        asked = plan_run(stored.game, bots, variant, rule or (), seats, count, number, guard=guard).settings
        _same_question(stored, plan, until, most, within, context)
        for option, part in SETTINGS.items():
            if part(asked) != part(has) and _given(context, option, None) is not None:
                raise UsageError(
                    f"run {stored.id} was begun with {option} {part(has)}, not {part(asked)}; "
                    f"leave {option} out, or start a new run"
                )
    plan = checking(plan) if check else plan
    if dry_run:
        print_tables([plan_table(plan)], form, {"solo_plan": None})
        return
    with writing(path) as store:
        begun = None if resume is None else store.run(stored.id)
        if extend is not None:
            executor = Extending(store, stored, before, executor)
        found = play_with_bar(store, plan, executor, begun, keep is Keep.matches)
    tables, facts = boards(leaderboard([found]))
    print_tables(tables, form, facts)


def _extension(context: typer.Context, before: Plan, stored: StoredRun, count: int) -> Plan:
    """The plan of a run that is to hold all of another one, and more."""
    from engine.errors import UsageError
    from engine.text import plural
    from tournament.plan import plan_variants

    has, run = before.settings, stored.id
    deals = -(-stored.matches // stored.lineups)  # a run that was to be played --until may have stopped early
    for option in ("game", "players", "seed"):
        if _given(context, option, has[option]) not in (has[option], str(has[option])):
            raise UsageError(f"run {run} has {option} {has[option]}; leave {option} out, or start a new run")
    variants = [(one["name"], one["rules"]) for one in has["variants"]]
    own = before.game.read_rules(_given(context, "rule", None) or ())
    added = (_given(context, "variant", variants[0][0]), own)
    if (own or added[0] != variants[0][0]) and added not in variants:
        variants.append(added)
    bots = _given(context, "bots", ",".join(has["bots"]))
    guard = has.get("guard")
    plan = plan_variants(before.game.id, bots, variants, has["players"], count, has["seed"], guard=guard)
    if (_given(context, "matches", None) or _given(context, "until", None)) is None:  # as many deals
        matches = deals * len(plan.lineups)
        plan = plan_variants(before.game.id, bots, variants, has["players"], matches, has["seed"], guard=guard)
    missing = [spec for spec in has["bots"] if spec not in plan.settings["bots"]]
    if missing:
        raise UsageError(f"run {run} has the bots {', '.join(has['bots'])}; --bots must name them and more")
    if plan.deals < deals:
        more = "--matches" if _given(context, "until", None) is None else "--max"
        raise UsageError(f"run {run} has {plural(deals, 'deal')}, and these are {plan.deals}; give more {more}")
    return plan


def _same_question(
    stored: StoredRun, plan: Plan, until: str | None, most: str, within: float, context: typer.Context
) -> None:
    """Refuse to go on with a run by another question than its own."""
    from engine.errors import UsageError
    from tournament.plan import MAX_MATCHES
    from tournament.until import plan_until

    has = stored.settings.get("until")
    given = {key: _given(context, key, None) for key in ("until", "most", "within")}
    if all(value is None for value in given.values()):
        return
    if has is None:
        raise UsageError(f"run {stored.id} was begun without --until; --extend begins one that asks")
    asked = plan_until(plan, until or has["question"], within if given["within"] is not None else has["within"])
    limit = stored.settings["matches"] if given["most"] is None else whole(most, "max", 1, MAX_MATCHES)
    if asked.settings["until"] != has or -(-limit // len(plan.lineups)) != plan.deals:
        raise UsageError(
            f"run {stored.id} was begun with --until {has['question']} --within {has['within']:g} --max "
            f"{stored.settings['matches']}; leave them out, or begin another one by --extend"
        )


def play_with_bar(store: Store, plan: Plan, executor: Executor, run: StoredRun | None, keep: bool = True) -> Run:
    """Play a plan, or the rest of its ``run``, with a progress bar; the run as it is in the end.

    A first Ctrl-C or SIGTERM asks to finish what is under way, a second one ends at once.
    """
    from cli.progress import Bar, Compiling
    from engine.text import plural
    from hilltop.api import run_of
    from tournament import run as runner
    from tournament.until import Until, settle, unsettle

    deciding = None
    if "until" in plan.settings and not (run and run.complete):
        if run:
            unsettle(store, plan, run)
        deciding = executor = Until(plan, executor, store, run)
    store.release()
    with Bar(plan.matches) as bar:
        bar.say(f"preparing {plan.game.title}, {plural(len(plan.entrants), 'bot')}")
        with Compiling(plan.game.title) as tell:
            runner.prepare(plan, tell)

        def begun(stored: StoredRun) -> None:
            nonlocal run
            run = stored
            parts = f"{plural(plan.deals, 'deal')} x {plural(len(plan.lineups), 'line-up')}"
            most = "at most " if deciding else ""
            bar.say(f"run {run.id}: {most}{plural(plan.matches, 'match')}, {parts}")
            bar.start(run.done)

        try:
            with asking(bar.say, lambda: _how_to_go_on(store, run) if run else NOTHING) as asked:
                played = runner.play(
                    plan, store, run, executor, bar.update, stopping=asked, say=bar.say, begun=begun, keep=keep
                )
            if played is not None and deciding:
                played = settle(store, plan, played, deciding.decided)
            if played is None or not played.complete:
                raise KeyboardInterrupt
        except BaseException:
            bar.stop()
            say(_how_to_go_on(store, run, store.run) if run else NOTHING)
            raise
    assert played
    return run_of(store, played)


def _given(context: typer.Context, option: str, otherwise: Any) -> Any:
    """The value of an option that is on the command line."""
    source = context.get_parameter_source(option)
    return context.params[option] if source is not None and source.name == "COMMANDLINE" else otherwise


def _how_to_go_on(store: Store, run: StoredRun, look: Callable[[str], StoredRun] | None = None) -> str:
    """What to say of a run that has not come to its end; ``look`` into the database to say how far it came."""
    from engine.errors import HilltopError
    from engine.text import plural

    kept = f"keeps what was stored of its {plural(run.matches, 'match')}"
    if look:
        with contextlib.suppress(HilltopError):  # the database may be what failed
            kept = f"holds {look(run.id).done:,} of {plural(run.matches, 'match')}"
    where = "" if store.path == database(None) else f" --db {shlex.quote(str(store.path))}"
    return f"hilltop: run {run.id} {kept}; 'hilltop run --resume {run.id}{where}' plays the rest"
