"""Games, their rules and bots."""

from __future__ import annotations

import json

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from cli.bots import strategies_of
from cli.games import options_of
from cli.output import Column, Table
from service.api import Name, known_game
from service.frame import main, notes, page, table
from tournament.page.layout import facts, tag

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/games")
def games() -> str:
    """What can be played."""
    from engine import registry

    parts = []
    for name in registry.GAMES:
        game = registry.game(name)
        links = [tag("a", "rules and bots", href=f"/games/{name}"), " ", tag("a", "play", href=f"/play/{name}")]
        parts.append(
            tag(
                "article",
                tag("h2", game.title),
                tag("p", game.idea),
                tag("p", *links),
                tag("p", game.credit, class_="soft"),
            )
        )
    return page("Games", main(tag("h1", "Games"), *parts), "/games")


@router.get("/games/{name}")
def game(name: Name) -> str:
    """One game's variants, rule options and bots."""
    found = known_game(name)
    variants = [
        (one, ", ".join(f"{key}={json.dumps(value)}" for key, value in rules.items()) or "all defaults")
        for one, rules in found.variants.items()
    ]
    columns = [Column("option"), Column("default", show=json.dumps), Column("allowed"), Column("meaning")]
    bots = [(one["bot"], one["idea"]) for one in strategies_of(name)]
    default = found.settle({}, found.default_seats)
    notice = found.notice(default) if found.notice else None
    body = main(
        tag("h1", found.title),
        tag("p", found.idea),
        tag(
            "p",
            tag("a", "Play it", href=f"/play/{name}"),
            " ",
            tag("a", "New run", href=f"/new?game={name}"),
            " ",
            tag("a", "Leaderboard", href=f"/leaderboards/{name}"),
        ),
        tag("h2", "Variants"),
        facts(variants),
        table(Table("Rule options", columns, options_of(found))),
        tag("h2", "Bots"),
        facts(bots),
        notes([found.credit, *([notice] if notice else [])]),
    )
    return page(found.title, body)
