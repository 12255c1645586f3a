"""``hilltop bots``: the strategies and their parameters."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import FormatOption
from cli.output import Column, Format, Row, Table, print_tables


def command(
    game: Annotated[str | None, typer.Argument(help="Show this game's bots only.")] = None,
    form: FormatOption = Format.table,
) -> None:
    """List the bots with their ideas and parameters."""
    from engine import registry

    names = (registry.game(game).id,) if game else registry.GAMES
    rows: list[Row] = [{"game": one, **row} for one in names for row in strategies_of(one)]
    columns = [
        Column("game"),
        Column("bot"),
        Column("idea"),
        Column(
            "parameters",
            show=lambda given: "; ".join(
                f"{p['name']}={p['default']:g} ({p['low']:g} to {p['high']:g}): {p['meaning']}" for p in given
            ),
        ),
        Column("policy"),
    ]
    if form is Format.csv:  # a row a parameter, and one for a bot that has none
        keys = ("game", "bot", "idea", "parameter", "default", "low", "high", "meaning", "policy")
        rows = [
            row | parameter | {"parameter": parameter.get("name")}
            for row in rows
            for parameter in row["parameters"] or [{}]
        ]
        print_tables([Table("Bots", columns, rows, fields=keys)], form)
        return
    fields = [column.key for column in columns]
    print_tables([Table("Bots", columns if game is None else columns[1:], rows, fields=fields)], form)


def strategies_of(game: str) -> list[Row]:
    """A game's bots and searches with their parameters."""
    from bots import registry
    from bots.search import SEARCHES

    keys = ("name", "default", "low", "high", "meaning")
    rows = []
    for name in (*registry.names(game), *SEARCHES):
        bot = registry.bot(game, name)
        rows.append(
            {
                "bot": name,
                "idea": bot.idea,
                "parameters": [{key: getattr(one, key) for key in keys} for one in bot.parameters],
                "policy": bot.policy.name if bot.policy else None,
            }
        )
    return rows
