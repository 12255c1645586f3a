"""``hilltop tune``: better values for a bot's parameters, searched against a field and tried on fresh deals."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import FormatOption, PlayersOption, RuleOption, SeedOption, VariantOption, whole
from cli.output import Column, Format, Row, Table, number, percent, print_tables, say

if TYPE_CHECKING:
    from tournament.tune import Tuned, Tuner


def command(
    game: Annotated[str, typer.Argument(help="What to play.")],
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A name, or a file; values that it is given are the start.")
    ],
    field: Annotated[
        str,
        typer.Option(
            "--field", help="Whom it meets: a,b,own.py.  [default: itself as it is, and all others]", show_default=False
        ),
    ] = "",
    only: Annotated[str, typer.Option("--only", help="Parameters to search: a,b.  [default: all]")] = "",
    budget: Annotated[str, typer.Option("--budget", help="Matches of all trials together.")] = "2_000_000",
    deals: Annotated[str, typer.Option("--deals", help="Deals of a trial, the same for all.")] = "1000",
    variant: VariantOption = "standard",
    rule: RuleOption = None,
    players: PlayersOption = None,
    seed: SeedOption = "0",
    form: FormatOption = Format.table,
) -> None:
    """Search the parameters of a bot against a field; the best found and the bot as it is then meet on fresh deals.

    A trial plays each deal once from every seat, the others taken by one bot of the field.
    """
    from cli.progress import Compiling
    from engine.rng import MAX_SEED
    from tournament.plan import MAX_MATCHES
    from tournament.tune import MOST_DEALS, Tuner, tune

    most, each = whole(budget, "budget", 1, MAX_MATCHES), whole(deals, "deals", 2, MOST_DEALS)
    names = [name.strip() for name in only.split(",") if name.strip()]
    tuner = Tuner(game, bot, field, names, variant, rule or (), players, whole(seed, "seed", 0, MAX_SEED))
    tuner.trials(most, each)
    say(f"preparing {tuner.game.title}")
    with Compiling(tuner.game.title) as tell:
        tuner.prepare(tell)
    found = tune(tuner, most, each, lambda done, trials, best: say(f"{done} of {trials} trials, best {best:.4f}"))
    facts: Row = {
        "game": tuner.game.id,
        "before": found.before.spec,
        "after": found.after.spec,
        "verdict": found.verdict,
        "trials": found.trials,
        "matches": found.matches,
        "deals": found.deals,
        "seed": tuner.seed,
    }
    print_tables([_values(tuner, found), _field(found)], form, facts)


def _values(tuner: Tuner, found: Tuned) -> Table:
    pairs = zip(found.before.bot.parameters, found.before.values, found.after.values, strict=True)
    rows = [
        {"parameter": one.name, "before": before, "after": after, "low": one.low, "high": one.high}
        for one, before, after in pairs
        if one in tuner.parameters
    ]
    plain = lambda value: f"{value:g}"  # noqa: E731
    columns = [Column("parameter"), *(Column(key, show=plain, right=True) for key in ("before", "after"))]
    columns.append(Column("low", "allowed", plain, right=True, upto="high"))
    notes = [f"Write {found.after.spec}."]
    return Table(f"Best of {found.trials} trials", columns, rows, notes, "parameters", (*rows[0],))


def _field(found: Tuned) -> Table:
    rows = [asdict(one) for one in (*found.field, found.mean)]
    columns = [
        Column("opponent", "against", lambda name: name or "mean"),
        Column("before", "before %", percent(2), right=True),
        Column("after", "after %", percent(2), right=True),
        Column("gain", "gain %", percent(2), right=True),
        Column("low", "95 %", percent(2), right=True, upto="high"),
    ]
    said = {
        "better": "The new values are better on deals that no trial has seen.",
        "worse": "The new values are worse on deals that no trial has seen: what they gained was luck.",
        "undecided": "Whether the new values are better is undecided; a larger --budget or more --deals tell more.",
    }
    notes = [said[found.verdict]]
    return Table(f"On {number()(found.deals)} fresh deals", columns, rows, notes, "field", (*rows[0],))
