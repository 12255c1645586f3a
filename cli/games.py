"""``hilltop games``: what can be played, and by which rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Row, Table, print_tables

if TYPE_CHECKING:
    from engine.game import Game


def command(
    game: Annotated[str | None, typer.Argument(help="Show this game's variants and rule options.")] = None,
    form: FormatOption = Format.table,
) -> None:
    """List the games, or one game's variants and rule options."""
    from engine import registry
    from engine.errors import listed

    if game is None:
        rows = []
        for name in registry.GAMES:
            facts = registry.game(name)
            kind = "together" if facts.cooperative else "against each other"
            row = {"game": name, "title": facts.title, "seats": list(facts.seats), "played": kind, "idea": facts.idea}
            rows.append(row | {"variants": list(facts.variants)})
        columns = [Column("game"), Column("title"), Column("seats", show=listed), Column("played"), Column("idea")]
        notes = ["'hilltop games GAME' shows variants and rule options."]
        print_tables([Table("Games", columns, rows, notes, fields=tuple(rows[0]))], form)
        return
    facts = registry.game(game)
    show_rules = Column(
        "rules", show=lambda rules: ", ".join(f"{key}={_text(value)}" for key, value in rules.items()) or "all defaults"
    )
    default = facts.settle({}, facts.default_seats)
    pieces = [name for piece in range(len(facts.pieces)) if (name := facts.piece_name(default, piece))]
    notes = [
        f"Seats: {listed(facts.seats)}. {facts.credit}",
        "Any bot can do without rule elements and pieces, as in random(never=A+B); "
        f"elements: {listed(facts.elements)}; pieces: {listed(pieces)}.",
    ]
    notice = facts.notice(default) if facts.notice else None
    print_tables(
        [
            Table(f"{facts.title}: variants", [Column("variant"), show_rules], variants_of(facts), key="variants"),
            Table(
                f"{facts.title}: rule options",
                [
                    Column("option"),
                    Column("type"),
                    Column("default", show=_text),
                    Column("allowed"),
                    Column("meaning"),
                ],
                options_of(facts),
                notes + ([notice] if notice else []),
                "options",
            ),
        ],
        form,
        {
            "game": facts.id,
            "title": facts.title,
            "idea": facts.idea,
            "credit": facts.credit,
            "seats": list(facts.seats),
            "elements": list(facts.elements),
            "pieces": pieces,
            "notices": [notice] if notice else [],
        },
    )


def variants_of(game: Game) -> list[Row]:
    """A game's variants, and what each changes."""
    return [{"variant": name, "rules": dict(changes)} for name, changes in game.variants.items()]


def options_of(game: Game) -> list[Row]:
    """A game's rule options."""
    return [
        {
            "option": option.name,
            "type": option.kind,
            "default": option.default,
            "allowed": option.range,
            "low": option.low,
            "high": option.high,
            "choices": list(option.choices),
            "meaning": option.meaning,
        }
        for option in game.options
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
