"""How commands print: tables in four formats, plain ASCII wherever the terminal or the pipe wants it."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Row = dict[str, Any]

PADDING = 3  # spaces that a table has between two columns


class Format(StrEnum):
    """What ``--format`` takes."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


@dataclass(frozen=True)
class Column:
    """A column as people see it: the key of its value in a row, its heading, and how the value is written.

    ``upto`` is the key of an interval's upper end, where ``key`` is its lower one.
    """

    key: str
    heading: str = ""
    show: Callable[[Any], str] = lambda value: "" if value is None else str(value)
    right: bool = False
    upto: str = ""

    @property
    def title(self) -> str:
        """The heading, by default the key."""
        return self.heading or self.key.replace("_", " ")

    def text(self, row: Row) -> str:
        """What people read in this column of a row."""
        shown = self.show(row.get(self.key))
        if not self.upto:
            return shown
        last = self.show(row.get(self.upto))
        return f"{shown} to {last}" if shown and last else ""


@dataclass(frozen=True)
class Table:
    """Rows to print. For people: ``title``, ``columns`` and ``notes``, sentences below. For programs: ``key``, under
    which JSON has the rows, with the values of ``fields`` (by default those of the columns), unrounded.

    A ``record`` has one row: people see it as a list of facts, JSON has it as an object.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=list)
    key: str = ""
    fields: Sequence[str] = ()
    record: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of a row in JSON and CSV."""
        return tuple(self.fields) or tuple(dict.fromkeys(column.key for column in self.columns))

    @property
    def values(self) -> list[Row]:
        """The rows as JSON and CSV have them: every key in every row."""
        return [{key: _plain(row.get(key)) for key in self.keys} for row in self.rows]

    @property
    def upright(self) -> Table:
        """As people see it: a record on its side."""
        if not self.record:
            return self
        rows = [{"what": column.title, "value": column.text(row)} for row in self.rows for column in self.columns]
        return Table(self.title, [Column("what", " "), Column("value", " ")], rows, self.notes)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value  # JSON has no such number


def number(places: int = 0) -> Callable[[Any], str]:
    """Numbers with thousands separators."""
    return lambda value: "" if value is None else f"{value:,.{places}f}"


def percent(places: int = 1) -> Callable[[Any], str]:
    """Shares as per cent."""
    return lambda value: "" if value is None else f"{100 * value:.{places}f}"


def print_tables(tables: Sequence[Table], form: Format, facts: Row | None = None) -> None:
    """Print tables one after the other.

    JSON is an object of ``facts`` and of each table's rows under its key; without facts, the list of the only table's
    rows. CSV is one table with one header: of several tables it has the columns of all, and first one called ``table``
    that names the row's. Tables of one key are one table in both.
    """
    if form in (Format.json, Format.csv):
        (_print_json if form is Format.json else _print_csv)(_merged(tables), facts)
        return
    for place, table in enumerate(tables):
        if place:
            print()
        (_print_markdown if form is Format.markdown else _print_rich)(table.upright)


def _print_json(tables: dict[str, list[Table]], facts: Row | None) -> None:
    print(json.dumps(_document(tables, facts), indent=1, allow_nan=False))


def document(tables: Sequence[Table], facts: Row | None = None) -> Any:
    """The JSON of tables, see :func:`print_tables`."""
    return _document(_merged(tables), facts)


def _merged(tables: Sequence[Table]) -> dict[str, list[Table]]:
    merged: dict[str, list[Table]] = {}
    for table in tables:
        merged.setdefault(table.key, []).append(table)
    return merged


def _document(tables: dict[str, list[Table]], facts: Row | None) -> Any:
    content = {key: [row for table in some for row in table.values] for key, some in tables.items()}
    if facts is None:
        return next(iter(content.values()))
    return facts | {key: rows[0] if tables[key][0].record else rows for key, rows in content.items()}


def _print_csv(tables: dict[str, list[Table]], _: Row | None) -> None:
    keys = list(dict.fromkeys(key for some in tables.values() for table in some for key in table.keys))
    named = ["table"] if len(tables) > 1 else []
    text = io.StringIO()
    writer = csv.DictWriter(text, named + keys, lineterminator="\n")
    writer.writeheader()
    for name, some in tables.items():
        for row in (row for table in some for row in table.values):
            cells = {key: _cell(value) for key, value in row.items()}
            writer.writerow({"table": name} | cells if named else cells)
    print(text.getvalue(), end="")


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (bool, list, tuple, dict)) else value


def _print_markdown(table: Table) -> None:
    print(f"**{table.title}**\n")
    print("| " + " | ".join(column.title for column in table.columns) + " |")
    print("|" + "|".join("--:" if column.right else ":--" for column in table.columns) + "|")
    for row in table.rows:
        print("| " + " | ".join(column.text(row).replace("|", "\\|") for column in table.columns) + " |")
    for note in table.notes:
        print(f"\n{note}")


def _print_rich(table: Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    on_terminal = sys.stdout.isatty()
    # A pipe gets whole lines: nothing is cut or wrapped to a width that nobody asked for.
    console = Console(
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=on_terminal,  # no colours in a pipe, whatever FORCE_COLOR and the like say
        width=None if on_terminal else 10_000,
        soft_wrap=not on_terminal,
    )
    columns, widths = _fitting(table, console.width)
    drawn = RichTable(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        drawn.add_column(column.title, justify="right" if column.right else "left", no_wrap=column.right, width=width)
    for row in table.rows:
        drawn.add_row(*(column.text(row) for column in columns))
    if on_terminal:
        console.print(drawn)
    else:
        with console.capture() as capture:
            console.print(drawn)
        print("\n".join(line.rstrip() for line in capture.get().splitlines()))
    left_out = ", ".join(column.title for column in table.columns[len(columns) :])
    if left_out:
        print(f"No room for the columns {left_out}; a wider terminal or --format csv shows them.")
    for note in table.notes:
        print(note)


def _fitting(table: Table, room: int) -> tuple[Sequence[Column], list[int]]:
    """The first columns, as many as can be shown without cutting a word or a number, and how wide to draw them."""
    columns: list[Column] = []
    widths: list[int] = []
    least: list[int] = []
    for column in table.columns:
        texts = [column.title, *(column.text(row) for row in table.rows)]
        needed = max(len(part) for text in texts for part in ([text] if column.right else text.split() or [""]))
        if columns and sum(least) + needed + PADDING * (len(columns) + 1) > room:
            break
        columns.append(column)
        widths.append(max(map(len, texts)))
        least.append(needed)
    while sum(widths) + PADDING * len(widths) > room:
        widest = max(range(len(widths)), key=lambda place: (widths[place] > least[place], widths[place]))
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    return columns, widths


def say(text: str) -> None:
    """A line of progress or advice: to standard error, so that pipes hold results only."""
    print(text, file=sys.stderr, flush=True)
