"""``hilltop duel``: is one bot better than another, with as few matches as possible."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import (
    AddressOption,
    FormatOption,
    PlayersOption,
    RuleOption,
    SeedOption,
    VariantOption,
    WorkersOption,
    whole,
)
from cli.output import Column, Format, Table, number, percent, print_tables, say
from engine.text import plural

if TYPE_CHECKING:
    from tournament.duel import Duel

EVERY = 10.0  # seconds between lines in a pipe
KEYS = ("verdict", "matches", "deals", "elo", "elo_low", "elo_high", "share", "spoiled")


def command(
    game: Annotated[str, typer.Argument(help="What to play.")],
    first: Annotated[str, typer.Argument(metavar="A", help="The bot that may be better: a name, or a file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The bot it is compared with.")],
    elo0: Annotated[float, typer.Option("--elo0", help="Elo lead of A that is not better yet.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", help="Elo lead of A that should be found out.")] = 10.0,
    alpha: Annotated[float, typer.Option("--alpha", help="Risk of 'better' at a lead of elo0 or less.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="Risk of 'not better' at a lead of elo1 or more.")] = 0.05,
    most: Annotated[str, typer.Option("--max", help="Matches at most.")] = "1_000_000",
    variant: VariantOption = "standard",
    rule: RuleOption = None,
    players: PlayersOption = None,
    seed: SeedOption = "0",
    workers: WorkersOption = 0,
    address: AddressOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Play A against B until it is clear whether A is better; nothing is stored.

    A deal is played from all seats and counts once. You may look at any time: both risks are kept.
    """
    from cli.progress import Compiling
    from engine.rng import MAX_SEED
    from tournament import duel, execution
    from tournament import run as runner
    from tournament.plan import MAX_MATCHES

    count, number_of_seed = whole(most, "max", 1, MAX_MATCHES), whole(seed, "seed", 0, MAX_SEED)
    plan = duel.plan_duel(game, first, second, variant, rule or (), players, count, number_of_seed)
    test = duel.ratio_test(plan, elo0, elo1, alpha, beta)
    executor = execution.executor(None if address else workers, address)
    names = list(plan.names)
    say(f"preparing {plan.game.title}, {names[0]} against {names[1]}")
    with Compiling(plan.game.title) as tell:
        runner.prepare(plan, tell)
    line = Line()
    try:
        result = duel.play(plan, executor, test, line.show)
    finally:
        line.end()
    row = {key: asdict(result)[key] for key in KEYS}
    if form is Format.json:
        print(json.dumps(row, indent=1, allow_nan=False))
        return
    columns = [
        Column("verdict"),
        Column("matches", show=number(), right=True),
        Column("deals", show=number(), right=True),
        Column("elo", "Elo", number(1), right=True),
        Column("elo_low", "95 %", number(1), right=True, upto="elo_high"),
        Column("share", "share %", percent(2), right=True),
    ]
    notes = [sentence(result, names, elo0, elo1)]
    notes.append("The interval is right whenever one stops; deals are taken in order, each from all seats.")
    if result.spoiled:
        told = plural(result.spoiled, "deal was", "deals were")
        notes.append(f"{told} left out: a match of each was spoiled by a bot's fault.")
    title = f"{names[0]} against {names[1]} in {game}, seed {plan.seed}"
    print_tables([Table(title, columns, [row], [*notes, *plan.notices], fields=KEYS)], form)


def sentence(result: Duel, names: list[str], elo0: float, elo1: float) -> str:
    """The verdict in words."""
    if result.verdict == "better":
        return f"{names[0]} is better than {names[1]}: its lead is above {elo0:g} Elo."
    if result.verdict == "not better":
        return f"{names[0]} is not better than {names[1]}: its lead is below {elo1:g} Elo."
    played = plural(result.matches, "match")
    return f"Undecided after {played}; --max allows more, or set --elo0 and --elo1 further apart."


class Line:
    """How it stands, in one line on a terminal, now and then a line in a pipe."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._told = time.monotonic()
        self._shown = False

    def show(self, result: Duel) -> None:
        """Tell, if it is time."""
        if not self._live and time.monotonic() - self._told < EVERY:
            return
        self._told = time.monotonic()
        lead = "" if result.elo is None else f", {result.elo:+,.1f} Elo"
        played = plural(result.matches, "match")
        text = f"{played}{lead} ({result.elo_low:+,.1f} to {result.elo_high:+,.1f}), {result.verdict}"
        print(f"\r\033[K{text}" if self._live else text, end="" if self._live else "\n", file=sys.stderr, flush=True)
        self._shown = True

    def end(self) -> None:
        """Leave the line behind."""
        if self._live and self._shown:
            print(file=sys.stderr, flush=True)
