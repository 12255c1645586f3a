"""Runs: all of them, and one while it is played and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from cli.output import Column, Table, number
from service import api, results
from service.api import Name, Service, run_of, service_of
from service.ask import Refused
from service.drawing import intervals
from service.frame import duration, main, page, table
from storage.store import StoredRun
from tournament.page.layout import Html, join, tag

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
# A report is one file with its own style sheet and drawings.
REPORT = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@router.get("/runs")
def runs(request: Request) -> str:
    """All runs, newest first."""
    service = service_of(request)
    seen = service.desk.snapshot()
    if not seen.runs:
        return page("Runs", main(tag("h1", "Runs"), tag("p", tag("a", "Start the first run", href="/new"))), "/runs")
    return page("Runs", main(tag("h1", "Runs"), runs_table(service, seen.runs[::-1], "All runs")), "/runs")


def runs_table(service: Service, some: Sequence[StoredRun], title: str) -> Html:
    seen = service.desk.snapshot()
    rows = [
        service.describe(run, seen)
        | {
            "variant": " ".join(one["name"] for one in run.settings["variants"][:4]),
            "bots": len(run.settings["bots"]),
            "seats": run.settings["players"],
        }
        for run in some
    ]
    columns = [
        Column("id", "run"),
        Column("game"),
        Column("variant"),
        Column("seats", right=True),
        Column("bots", right=True),
        Column("stored", show=number(), right=True),
        Column("matches", show=number(), right=True),
        Column("state"),
        Column("created", "created (UTC)", lambda moment: moment.rstrip("Z").replace("T", " ")),
    ]
    return table(Table(title, columns, rows), {"id": lambda row: f"/runs/{row['id']}"})


@router.get("/runs/{name}")
def run(request: Request, name: Name) -> str:
    """A run: how far it is, its leaderboard as it is played, and what else can be seen of it."""
    found = run_of(request, name)
    service = service_of(request)
    state = service.desk.snapshot().state(found)
    title = f"Run {found.id}"
    live = state in ("waiting", "playing")
    part = tag(
        "div",
        _state_part(service, found),
        id="live",
        data_events=f"/api/v1/runs/{found.id}/events" if live else None,
        data_part=f"/runs/{found.id}/part",
    )
    return page(title, main(tag("h1", title), part), live=live)


@router.get("/runs/{name}/part")
def run_part(request: Request, name: Name) -> str:
    """What changes on a run's page."""
    return _state_part(service_of(request), run_of(request, name))


def _state_part(service: Service, found: StoredRun) -> Html:
    told = service.describe(found)
    parts: list[Any] = [_progress(told)]
    if told["state"] in ("waiting", "playing"):
        parts.append(_button(f"/runs/{found.id}/stop", "Stop"))
    elif told["state"] in ("stopped", "failed"):
        parts.append(_button(f"/runs/{found.id}/resume", "Resume"))
    if found.done:
        answer = results.standings(service.desk, found)
        parts.append(_links(found))
        parts.append(intervals(answer.document["ratings"], "Ratings"))
        parts += [table(one) for one in answer.tables[1:]] + [table(answer.tables[0])]
    return join(parts)


def _links(found: StoredRun) -> Html:
    """What else can be seen of a run that holds matches."""
    places = [("report", "Balance report"), ("matrix", "Each against each"), ("matches/0", "Matches")]
    if len(found.settings["bots"]) < 2:
        del places[1]
    links = [(f"/runs/{found.id}/{place}", text) for place, text in places]
    links.append((f"/api/v1/runs/{found.id}/standings", "JSON"))
    return tag("nav", tag("ul", *(tag("li", tag("a", text, href=to)) for to, text in links)), aria_label="Of this run")


def _progress(told: dict[str, Any]) -> Html:
    stored, matches = told["stored"], told["matches"]
    said = f"{told['state']}: {stored:,} of {matches:,} matches"
    if told["rate"]:
        said += f", {told['rate']:,.0f} a second, about {duration(told['seconds_left'])} left"
    if told["told"]:
        said += f" ({told['told']})"
    return tag(
        "p",
        said,
        " ",
        tag("progress", max=str(matches), value=str(stored), aria_label="Matches played"),
        class_="state",
        role="status",
    )


def _button(action: str, text: str) -> Html:
    return tag("form", tag("button", text, type="submit"), method="post", action=action)


@router.post("/runs/{name}/stop")
def stop(request: Request, name: Name) -> Response:
    """Stop a run, from its page."""
    return RedirectResponse(f"/runs/{api.stop(request, name).id}", 303)


@router.post("/runs/{name}/resume")
def resume(request: Request, name: Name) -> Response:
    """Resume a run, from its page."""
    return RedirectResponse(f"/runs/{api.resume(request, name).id}", 303)


@router.get("/runs/{name}/report")
def report(request: Request, name: Name) -> HTMLResponse:
    """The page that ``hilltop report`` writes."""
    found = run_of(request, name)
    if not found.done:
        raise Refused(f"run {found.id} holds no matches yet")
    text = results.report(service_of(request).desk, found)
    return HTMLResponse(text, headers={"Content-Security-Policy": REPORT})


@router.get("/runs/{name}/matrix")
def matrix(request: Request, name: Name) -> str:
    """Each bot against each other."""
    found = run_of(request, name)
    answer = results.matrix(service_of(request).desk, found)
    title = f"Run {found.id}: each against each"
    return page(title, main(tag("h1", title), *(table(one) for one in answer.tables)))
