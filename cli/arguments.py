"""Arguments that several commands take, and texts turned into numbers."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from cli.output import Format
from engine.errors import UsageError

DatabaseOption = Annotated[
    Path | None,
    typer.Option("--db", help="Database file; else the one in HILLTOP_DB, else hilltop.duckdb.", show_default=False),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would be played, play nothing.")]
FormatOption = Annotated[Format, typer.Option("--format", help="How tables are printed.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="NAME=VALUE", help="A rule option over the variant; repeatable."),
]
VariantOption = Annotated[str, typer.Option("--variant", help="A named set of rule options; see 'hilltop games GAME'.")]
PlayersOption = Annotated[int | None, typer.Option("--players", help="Seats, where a game allows several.")]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", help="Ray workers on this machine; 0 plays in this process.  [default: one a core]"),
]
AddressOption = Annotated[str | None, typer.Option("--address", help="Play on the Ray cluster at this address.")]
PatienceOption = Annotated[
    float, typer.Option("--patience", help="Seconds to wait for workers when none is left.", show_default=True)
]
MarginOption = Annotated[float, typer.Option("--margin", help="How far from even a seat may be and still be fair.")]
SeedOption = Annotated[str, typer.Option("--seed", help="0 or more; the same seed gives the same matches.")]


DIGITS = 25  # more than any number that is allowed anywhere: what is longer is not even looked at


def database(given: Path | None) -> Path:
    """The database file that a command uses."""
    return given or Path(os.environ.get("HILLTOP_DB") or "hilltop.duckdb")


def readable(given: Path | None) -> Path:
    """The database file whose runs a command reads; brought up to date if an older version has made it."""
    from hilltop.api import current

    return current(database(given))


def whole(text: str, name: str, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high`` written as ``1000``, ``1_000`` or ``1e3``."""
    try:
        value = Decimal(text.replace("_", "").strip())
        if not value.is_finite():
            raise InvalidOperation
        if value.adjusted() > DIGITS:
            raise UsageError(f"{name} cannot be {_cut(text)}; allowed: {low} to {high}")
        if value != value.to_integral_value():
            raise InvalidOperation
    except InvalidOperation:
        raise UsageError(
            f"{name} cannot be '{_cut(text)}'; write a whole number such as 1000, 1_000_000 or 1e6"
        ) from None
    if not low <= value <= high:
        raise UsageError(f"{name} cannot be {text}; allowed: {low} to {high}")
    return int(value)


def _cut(text: str) -> str:
    return text if len(text) <= 2 * DIGITS else f"{text[: 2 * DIGITS]}..."
