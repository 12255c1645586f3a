"""``hilltop games``: what can be played, and by which rules."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Table, print_tables


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
            row = {"game": name, "title": facts.title, "seats": listed(facts.seats), "played": kind, "idea": facts.idea}
            rows.append(row | {"variants": list(facts.variants)})
        columns = [Column("game"), Column("title"), Column("seats"), Column("played"), Column("idea")]
        print_tables([Table("Games", columns, rows, ["'hilltop games GAME' shows variants and rule options."])], form)
        return
    facts = registry.game(game)
    variants = [{"variant": name, "rules": changes} for name, changes in facts.variants.items()]
    options = [
        {
            "option": option.name,
            "type": option.kind,
            "default": option.default,
            "allowed": option.range,
            "meaning": option.meaning,
        }
        for option in facts.options
    ]
    show_rules = Column(
        "rules", show=lambda rules: ", ".join(f"{key}={_text(value)}" for key, value in rules.items()) or "all defaults"
    )
    default = facts.settle({}, facts.default_seats)
    pieces = filter(None, (facts.piece_name(default, piece) for piece in range(len(facts.pieces))))
    notes = [
        f"Seats: {listed(facts.seats)}. {facts.credit}",
        "Any bot can do without rule elements and pieces, as in random(never=A+B); "
        f"elements: {listed(facts.ways[1:])}; pieces: {listed(pieces)}.",
    ]
    notice = facts.notice(default) if facts.notice else None
    print_tables(
        [
            Table(f"{facts.title}: variants", [Column("variant"), show_rules], variants),
            Table(
                f"{facts.title}: rule options",
                [
                    Column("option"),
                    Column("type"),
                    Column("default", show=_text),
                    Column("allowed"),
                    Column("meaning"),
                ],
                options,
                notes + ([notice] if notice else []),
            ),
        ],
        form,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
