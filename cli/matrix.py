"""``hilltop matrix``: each bot against each other, cycles, dominated bots, equilibrium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, database
from cli.output import Column, Format, Row, Table, percent, print_tables

if TYPE_CHECKING:
    from hilltop.api import Run
    from tournament.statistics.counted import Counted


def command(
    run: Annotated[str, typer.Argument(help="A run: its id, the beginning of it, or latest.")] = "latest",
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Show who beats whom, with intervals, cycles with p-values, dominated bots and equilibrium weights."""
    from hilltop.api import load

    tables, facts = tables_of(load(run, database(db)), form in (Format.table, Format.markdown))
    print_tables(tables, form, facts)


def tables_of(run: Run, squares: bool) -> tuple[list[Table], Row]:
    """The tables of a run and what JSON says beside them; each against each other in ``squares``, else a row a pair."""
    from cli.tables import pair_tables
    from engine.errors import HilltopError
    from tournament.statistics.counted import notices

    counted = run.counted
    if counted.facts.cooperative or len(counted.facts.bots) < 2:
        raise HilltopError(f"run {run.id} has no bots that play against each other")
    tables = _squares(counted) if squares else pair_tables(run)
    tables += [*_cycles(counted), *_answers(counted)]
    said = notices(counted)
    tables[-1] = Table(**{**vars(tables[-1]), "notes": [*tables[-1].notes, *said]})
    facts: Row = {"run": run.id, "game": run.game, "notices": list(said)}
    return tables, {**facts, "pairs": [], "cycles": [], "dominated": [], "equilibrium": []}


def _squares(counted: Counted) -> list[Table]:
    """The row's share against the column's, in per cent, with how far the interval reaches; a table a variant."""
    sample, names = counted.sample, counted.facts.names
    order = sample.order.tolist()
    tables = []
    for v, label in enumerate(counted.facts.labels):
        low, high = sample.pair_shares[v].interval()
        value = sample.pair_shares[v].value
        half = (high - low) / 2.0
        rows = [
            {"bot": names[one]} | {names[two]: _cell(value[one, two], half[one, two]) for two in order if two != one}
            for one in order
        ]
        columns = [Column("bot"), *(Column(names[bot], names[bot], right=True) for bot in order)]
        notes = ["Share of the row against the column in per cent, and how far its 95 % interval reaches either way."]
        tables.append(Table("Each against each" + _of(counted, label), columns, rows, notes))
    return tables


def _cell(value: float, half: float) -> str:
    if value != value:
        return ""
    return f"{100 * value:.1f}" + (f" +-{100 * half:.1f}" if half == half else "")


def _of(counted: Counted, label: str) -> str:
    return f", {label}" if len(counted.facts.labels) > 1 else ""


def _cycles(counted: Counted) -> list[Table]:
    from hilltop import rows

    every = rows.cycles(counted)
    columns = [
        Column("cycle"),
        Column("share", "narrowest share %", percent(2), right=True),
        Column("share_low", "95 %", percent(2), right=True, upto="share_high"),
        Column("p", show=lambda p: "< 0.0001" if p < 0.0001 else f"{p:.4f}", right=True),
    ]
    tables = []
    for label in counted.facts.labels:
        found = [row for row in every if row["variant"] == label]
        notes = ["A > B > C > A; p: of there being no such cycle, corrected for all that could be (Holm)."]
        if not found:
            notes = ["No three bots beat each other in a ring."]
        tables.append(Table("Cycles" + _of(counted, label), columns, found, notes, "cycles", tuple(rows.CYCLES)))
    return tables


def _answers(counted: Counted) -> list[Table]:
    """Dominated bots and equilibrium weights, as the balance report has them."""
    from hilltop import rows

    better = "The other bot does better against every opponent; value: by how much at least."
    played = "How often each bot is played in a mixture that no opponent gains on."
    tables = []
    for metric, key, note, otherwise in (
        ("dominated", "dominated", better, "None."),
        ("equilibrium_weight", "equilibrium", played, "No match between some bots counts."),
    ):
        found = rows.answers(counted, metric)
        columns = [
            *([Column("variant")] if len(counted.facts.labels) > 1 else []),
            Column("bot"),
            Column("value", "%", percent(1), right=True),
            Column("low", "95 %", percent(1), right=True, upto="high"),
        ]
        notes = [note if found else otherwise]
        tables.append(Table(key.capitalize(), columns, found, notes, key, tuple(rows.ANSWERS)))
    return tables
