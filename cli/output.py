"""How commands print: tables in four formats, plain ASCII wherever the terminal or the pipe wants it."""

from __future__ import annotations

import csv
import io
import json
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
    """A column: the key of its value in a row, its heading, and how people read the value."""

    key: str
    heading: str = ""
    show: Callable[[Any], str] = lambda value: "" if value is None else str(value)
    right: bool = False

    @property
    def title(self) -> str:
        """The heading, by default the key."""
        return self.heading or self.key.replace("_", " ")


@dataclass(frozen=True)
class Table:
    """Rows to print. ``notes`` are sentences below it; in JSON and CSV the rows alone are printed, unrounded."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=list)


def number(places: int = 0) -> Callable[[Any], str]:
    """Numbers with thousands separators."""
    return lambda value: "" if value is None else f"{value:,.{places}f}"


def percent(places: int = 1) -> Callable[[Any], str]:
    """Shares as per cent."""
    return lambda value: "" if value is None else f"{100 * value:.{places}f}"


def interval(places: int = 1) -> Callable[[Any], str]:
    """(low, high) shares as per cent."""
    return lambda value: "" if value is None else f"{100 * value[0]:.{places}f} to {100 * value[1]:.{places}f}"


def print_tables(tables: Sequence[Table], form: Format) -> None:
    """Print tables one after the other; JSON of several tables is an object by title."""
    if form is Format.json:
        content: Any = {table.title: list(table.rows) for table in tables}
        print(json.dumps(content if len(tables) > 1 else list(tables[0].rows), indent=1))
        return
    for place, table in enumerate(tables):
        if place:
            print()
        if form is Format.csv:
            _print_csv(table)
        elif form is Format.markdown:
            _print_markdown(table)
        else:
            _print_rich(table)


def _print_csv(table: Table) -> None:
    keys = [column.key for column in table.columns]
    text = io.StringIO()
    writer = csv.DictWriter(text, keys, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in table.rows:
        writer.writerow({key: _flat(row.get(key)) for key in keys})
    print(text.getvalue(), end="")


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, tuple, dict)) else value


def _print_markdown(table: Table) -> None:
    print(f"**{table.title}**\n")
    print("| " + " | ".join(column.title for column in table.columns) + " |")
    print("|" + "|".join("--:" if column.right else ":--" for column in table.columns) + "|")
    for row in table.rows:
        print(
            "| " + " | ".join(column.show(row.get(column.key)).replace("|", "\\|") for column in table.columns) + " |"
        )
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
        drawn.add_row(*(column.show(row.get(column.key)) for column in columns))
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
        texts = [column.title, *(column.show(row.get(column.key)) for row in table.rows)]
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
