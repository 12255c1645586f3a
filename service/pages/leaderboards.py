"""Leaderboards: of all games, and of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from service import results
from service.api import Name, Service, groups, known_game, rated_runs, service_of
from service.drawing import intervals
from service.frame import main, page, table
from service.pages.runs import runs_table
from tournament.page.layout import Html, join, tag

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
LATEST = 10  # runs on the first page


@router.get("/")
def home(request: Request) -> str:
    """The leaderboard of each game, and the latest runs."""
    from engine import registry

    service = service_of(request)
    boards = [_summary(service, name) for name in registry.GAMES]
    seen = service.desk.snapshot()
    shown = [
        tag("section", *boards)
        if any(boards)
        else tag("p", "Nothing has been played yet: ", tag("a", "start a run", href="/new"), "."),
        tag("section", runs_table(service, seen.runs[-LATEST:][::-1], "Latest runs")) if seen.runs else "",
    ]
    return page("Leaderboards", main(tag("h1", "Leaderboards"), *shown), "/")


def _summary(service: Service, name: str) -> Html:
    game = known_game(name)
    found = groups(service, name)
    if not found:
        return Html("")
    (variant, seats), runs = next(iter(found.items()))
    answer = results.leaderboard(service.desk, runs, "trueskill")
    more = f"{len(found)} leaderboards" if len(found) > 1 else "More"
    return tag(
        "article",
        tag("h2", tag("a", game.title, href=f"/leaderboards/{name}")),
        tag("p", f"{variant}, {seats} seats, {sum(run.done for run in runs):,} matches", class_="sub"),
        intervals(answer.document["ratings"], f"Ratings in {game.title}"),
        tag("p", tag("a", more, href=f"/leaderboards/{name}"), class_="soft"),
    )


@router.get("/leaderboards/{name}")
def leaderboard(
    request: Request,
    name: Name,
    variant: Annotated[str | None, Query(max_length=200)] = None,
    seats: Annotated[int | None, Query(ge=1, le=6)] = None,
    method: Annotated[str, Query(pattern="^(trueskill|elo)$")] = "trueskill",
) -> str:
    """Ratings of a game's bots over all runs under one variant."""
    service, game = service_of(request), known_game(name)
    found = groups(service, name)
    runs = rated_runs(service, game, variant, seats)
    title = f"{game.title}: leaderboard"
    if not runs:
        said = tag(
            "p",
            "Nothing has been played yet that could be rated so: ",
            tag("a", "start a run", href=f"/new?game={name}"),
            ".",
        )
        return page(title, main(tag("h1", title), said))
    here = next(key for key, some in found.items() if some is runs or some == runs)
    answer = results.leaderboard(service.desk, runs, method)
    choices = _choices(name, list(found), here, method)
    links = [join([" " if place else "", tag("a", run.id, href=f"/runs/{run.id}")]) for place, run in enumerate(runs)]
    body = main(
        tag("h1", title),
        choices,
        intervals(answer.document["ratings"], title),
        *(table(one) for one in answer.tables),
        tag("p", "Runs: ", *links, class_="soft"),
    )
    return page(title, body)


def _choices(name: str, keys: Sequence[tuple[str, int]], here: tuple[str, int], method: str) -> Html:
    """Links to the other leaderboards of a game."""

    def link(key: tuple[str, int], how: str) -> str:
        return f"/leaderboards/{name}?{urlencode({'variant': key[0], 'seats': key[1], 'method': how})}"

    variants = [
        tag(
            "li",
            tag("a", f"{key[0]}, {key[1]} seats", href=link(key, method), aria_current="true" if key == here else None),
        )
        for key in keys
    ]
    methods = [
        tag("li", tag("a", text, href=link(here, how), aria_current="true" if how == method else None))
        for how, text in (("trueskill", "TrueSkill"), ("elo", "Elo"))
    ]
    return tag("nav", tag("ul", *variants), tag("ul", *methods), class_="choices", aria_label="Which leaderboard")
