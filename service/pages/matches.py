"""A stored match, step by step, as all see it or as one seat does."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from engine import registry
from engine.match import Match
from service import results
from service.api import Name, run_of, service_of
from service.ask import Refused
from service.cards import drawn
from service.frame import main, page
from tournament.interactive import said
from tournament.page.layout import Html, join, tag
from tournament.scenes.scene import scene, words

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
Number = Annotated[int, Query(ge=0, le=10**12)]


@router.get("/runs/{name}/matches")
def chosen(name: Name, match: Number = 0) -> RedirectResponse:
    """A match by its number, from the form."""
    return RedirectResponse(f"/runs/{name}/matches/{match}", 303)


@router.get("/runs/{name}/matches/{number}")
def match(request: Request, name: Name, number: int, step: Number | None = None, seat: Number | None = None) -> str:
    """The table after ``step`` steps; ``seat``: as that seat sees it."""
    run = run_of(request, name)
    told = results.trace(service_of(request).desk, run, number)
    steps: list[Any] = told["steps"]
    at = min(len(steps), step if step is not None else 0)
    position = steps[at - 1]["after"] if at else told["start"]
    if seat is not None and seat >= told["players"]:
        raise Refused(f"there is no seat {seat}; allowed: 0 to {told['players'] - 1}", 404)
    shown = position if seat is None else _view(told, position, seat)
    names = [f"{bot}" for bot in told["bots"]]
    base = f"/runs/{run.id}/matches/{number}"

    def link(text: str, to: int, key: str = "") -> Html:
        there = f"{base}?{urlencode({'step': to} | ({} if seat is None else {'seat': seat}))}"
        if not 0 <= to <= len(steps) or to == at:
            return tag("span", text, class_="off")
        return tag("a", text, href=there, class_="press", rel=key or None, accesskey=key or None)

    moves = join(
        [link("First", 0), link("Back", at - 1, "prev"), link("Next", at + 1, "next"), link("Last", len(steps))]
    )
    last = f"{_by(steps[at - 1], names)}: {words(steps[at - 1])}" if at else "The deal"
    if at == len(steps):
        last += f". {said(told['result'], names)}"
    title = f"Match {number} of run {run.id}"
    views = [("All", None), *((f"Seat {one}", one) for one in range(told["players"]))]
    seats = [
        tag(
            "li",
            tag(
                "a",
                text,
                href=f"{base}?{urlencode({'step': at} | ({} if one is None else {'seat': one}))}",
                aria_current="true" if one == seat else None,
            ),
        )
        for text, one in views
    ]
    body = main(
        tag("h1", title),
        tag(
            "p",
            f"{told['game']}, {told['variant']}: ",
            ", ".join(f"seat {i} {bot}" for i, bot in enumerate(names)),
            class_="sub",
        ),
        tag("nav", tag("ul", *seats), aria_label="Whose view"),
        tag("p", f"Step {at} of {len(steps)}. {last}", class_="state", role="status"),
        tag("nav", moves, class_="steps", aria_label="Steps"),
        drawn(scene(told["game"], shown, names)),
        _jump(run.id, number),
        _story(steps, names, base, seat),
    )
    return page(title, body, "/runs", keys=True)


def _view(told: dict[str, Any], position: dict[str, Any], seat: int) -> dict[str, Any]:
    match = Match(registry.game(told["game"]), told["rules"], told["players"])
    match.load(position)
    return match.view(seat)


def _by(step: dict[str, Any], names: list[str]) -> str:
    return f"{names[step['by']]} (seat {step['by']})" if "by" in step else "Chance"


def _jump(run: str, number: int) -> Html:
    field = tag("input", name="match", value=str(number), inputmode="numeric", size="10")
    return tag(
        "form",
        tag("label", "Match number ", field),
        " ",
        tag("button", "Show", type="submit"),
        method="get",
        action=f"/runs/{run}/matches",
    )


def _story(steps: list[Any], names: list[str], base: str, seat: int | None) -> Html:
    more = "" if seat is None else f"&seat={seat}"
    rows = [
        tag("li", tag("a", f"{_by(one, names)}: {words(one)}", href=f"{base}?step={place}{more}"))
        for place, one in enumerate(steps, 1)
    ]
    return tag("details", tag("summary", f"All {len(steps)} steps"), tag("ol", *rows))
