"""``/api/v1``: what programs ask for. The keys of answers are those of ``docs/formats.md``."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from cli.bots import strategies_of
from cli.games import options_of, variants_of
from engine.errors import HilltopError, UsageError
from hilltop.rows import created
from service import ask, results
from service.ask import NewRun, Refused
from service.desk import Desk, Snapshot
from service.player import Player
from service.settings import Settings
from storage.store import StoredRun

EVENT_SECONDS = 1.0  # between two looks for something new to tell
HEARTBEAT = 15.0  # seconds of silence after which a stream says that it is there
PART = 1 << 16  # bytes of a streamed file
MOST_ROWS = 1000  # of a page of matches

router = APIRouter(prefix="/api/v1")
Name = Annotated[str, Field(min_length=1, max_length=100)]
Document = dict[str, Any]


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


WRONG: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": why}
    for status, why in (
        (400, "It cannot be so."),
        (404, "There is none."),
        (409, "Not now."),
        (422, "Not of this form."),
    )
}


class Run(BaseModel):
    """A run: what it is, how far it is, and its digest when it is complete."""

    id: str
    game: str
    state: Literal["waiting", "playing", "complete", "stopped", "failed"]
    stored: int
    matches: int
    rate: float | None = Field(description="Matches a second, while it is played and that is known.")
    seconds_left: float | None
    told: str | None = Field(description="Why it failed.")
    created: str
    version: str
    fingerprint: str
    left_out: str | None = Field(description="Why it is left out of ratings.")
    settings: Document


class Service:
    """What the answers are made from; ``app.state.service``."""

    def __init__(self, desk: Desk, settings: Settings, player: Player) -> None:
        self.desk, self.settings, self.player = desk, settings, player

    def describe(self, run: StoredRun, snapshot: Snapshot | None = None) -> Document:
        """A run as :class:`Run` has it."""
        seen = snapshot or self.desk.snapshot()
        job, rate = seen.jobs.get(run.number), seen.paces.get(run.number)
        rate = None if run.complete else rate
        return {
            "id": run.id,
            "game": run.game,
            "state": seen.state(run),
            "stored": run.done,
            "matches": run.matches,
            "rate": rate,
            "seconds_left": (run.matches - run.done) / rate if rate else None,
            "told": job.told if job else None,
            "created": created(run),
            "version": run.version,
            "fingerprint": run.fingerprint,
            "left_out": seen.excluded[run.number][0] if run.number in seen.excluded else None,
            "settings": run.settings,
        }


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    found: Service = request.app.state.service
    return found


def client_of(request: Request) -> str:
    """Whose turn it is: clients are told apart by their address."""
    return request.client.host if request.client else ""


def run_of(request: Request, name: str) -> StoredRun:
    """The run that an address names; raises Refused (404)."""
    if name != "latest" and not name.isalnum():
        raise Refused(f"there is no run '{name[:100]}'", 404)
    try:
        return service_of(request).desk.run(name)
    except UsageError:
        raise
    except HilltopError as error:
        raise Refused(str(error), 404) from error


# ---------------------------------------------------------------- games and bots


@router.get("/games", summary="What can be played")
def games() -> list[Document]:
    """Every game with its seats, variants and rule options."""
    from engine import registry

    return [_game(registry.game(name)) for name in registry.GAMES]


@router.get("/games/{game}", summary="One game", responses=WRONG)
def game(game: Name) -> Document:
    """A game's seats, variants and rule options."""
    return _game(known_game(game))


def known_game(name: str) -> Any:
    """The game of that id; raises Refused (404)."""
    from engine import registry

    try:
        return registry.game(name)
    except UsageError as error:
        raise Refused(str(error), 404) from error


def _game(facts: Any) -> Document:
    return {
        "game": facts.id,
        "title": facts.title,
        "idea": facts.idea,
        "credit": facts.credit,
        "seats": list(facts.seats),
        "default_seats": facts.default_seats,
        "cooperative": facts.cooperative,
        "variants": variants_of(facts),
        "options": options_of(facts),
    }


@router.get("/games/{game}/bots", summary="A game's bots", responses=WRONG)
def bots(game: Name) -> list[Document]:
    """A game's bots with their parameters, and the searches that play on them."""
    return strategies_of(known_game(game).id)


# ---------------------------------------------------------------- runs


@router.get("/runs", summary="All runs, oldest first")
def runs(request: Request) -> list[Run]:
    """All runs of the file, whoever played them."""
    service = service_of(request)
    seen = service.desk.snapshot()
    return [Run(**service.describe(run, seen)) for run in seen.runs]


@router.post("/runs", status_code=201, summary="Ask for a run", responses=WRONG | {200: {"model": Run}})
def create(request: Request, asked: NewRun) -> JSONResponse:
    """Put a run into the queue. The same ``key`` again answers with the run that it made (200 instead of 201)."""
    service = service_of(request)
    run, new = ask.create(asked, client_of(request), service.desk, service.settings)
    service.player.wake()
    place = f"{router.prefix}/runs/{run.id}"
    return JSONResponse(service.describe(run), 201 if new else 200, {"Location": place})


@router.get("/runs/{run}", summary="One run", responses=WRONG)
def one_run(request: Request, run: Name) -> Run:
    """What a run is and how far it has come."""
    return Run(**service_of(request).describe(run_of(request, run)))


@router.post("/runs/{run}/stop", summary="Stop a run", responses=WRONG)
def stop(request: Request, run: Name) -> Run:
    """Play a run of the queue no further; what is stored is kept."""
    return _changed(request, run, lambda service, name: ask.stop(name, service.desk))


@router.post("/runs/{run}/resume", summary="Resume a run", responses=WRONG)
def resume(request: Request, run: Name) -> Run:
    """Put a run that is not complete into the queue again."""
    return _changed(request, run, lambda service, name: ask.resume(name, client_of(request), service.desk))


def _changed(request: Request, run: str, change: Callable[[Service, str], StoredRun]) -> Run:
    service = service_of(request)
    found = change(service, run_of(request, run).id)
    service.player.wake()
    return Run(**service.describe(found))


@router.get("/runs/{run}/standings", summary="Leaderboard and pairs of a run", responses=WRONG)
def standings(request: Request, run: Name) -> Document:
    """What ``hilltop show RUN --format json`` prints."""
    return _counted(request, run, results.standings)


@router.get("/runs/{run}/matrix", summary="Each bot against each other", responses=WRONG)
def matrix(request: Request, run: Name) -> Document:
    """What ``hilltop matrix RUN --format json`` prints."""
    return _counted(request, run, results.matrix)


@router.get("/runs/{run}/balance", summary="Balance of a run", responses=WRONG)
def balance(request: Request, run: Name) -> Document:
    """What ``hilltop balance`` prints of the run with ``--format json``."""
    return _counted(request, run, results.balance)


def _counted(request: Request, name: str, answer: Callable[[Desk, StoredRun], results.Answer]) -> Document:
    run = run_of(request, name)
    if not run.done:
        raise Refused(f"run {run.id} holds no matches yet")
    return dict(answer(service_of(request).desk, run).document)


@router.get("/runs/{run}/matches", summary="Matches of a run", responses=WRONG)
def matches(
    request: Request,
    run: Name,
    first: Annotated[int, Query(ge=0, le=10**12)] = 0,
    count: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 100,
) -> list[Document]:
    """A page of a run's stored matches: match, ranks, reason, plies and scores."""
    found = run_of(request, run)
    if found.keep != "matches":
        raise Refused(f"run {found.id} keeps tallies alone; each match can still be asked for by its number")
    with service_of(request).desk.reading() as store:
        facts = store.facts(found) or {}
        rows = store.rows(found, first, min(first + count, found.done)).T.tolist()
    reasons = facts.get("reasons", [])
    return [
        {
            "match": first + place,
            "ranks": [ranks // 10**seat % 10 for seat in range(len(scores))] if reason >= 0 else None,
            "reason": reasons[reason] if reason >= 0 else "illegal_choice",
            "plies": plies,
            "scores": scores,
        }
        for place, (ranks, reason, plies, *scores) in enumerate(rows)
    ]


@router.get("/runs/{run}/matches/{match}", summary="One match, move by move", responses=WRONG)
def one_match(request: Request, run: Name, match: Annotated[int, Field(ge=0, le=10**12)]) -> Document:
    """The trace of a stored match (``docs/notation.md``), played again, with the position after each step."""
    return results.trace(service_of(request).desk, run_of(request, run), match)


@router.get(
    "/runs/{run}/export", summary="All matches as a file", responses=WRONG | {200: {"content": {"text/csv": {}}}}
)
def export(request: Request, run: Name, kind: Literal["csv", "parquet"] = "csv") -> StreamingResponse:
    """What ``hilltop export`` writes, streamed."""
    found = run_of(request, run)
    if not found.done:
        raise Refused(f"run {found.id} holds no matches yet")
    folder = tempfile.TemporaryDirectory(prefix="hilltop-export-")
    target = Path(folder.name) / f"{found.id}.{kind}"
    try:
        service_of(request).desk.export(found, target)
    except BaseException:
        folder.cleanup()
        raise

    def parts() -> Iterator[bytes]:
        with folder, target.open("rb") as file:
            while part := file.read(PART):
                yield part

    media = "text/csv" if kind == "csv" else "application/vnd.apache.parquet"
    headers = {
        "Content-Disposition": f'attachment; filename="{target.name}"',
        "Content-Length": str(target.stat().st_size),
    }
    return StreamingResponse(parts(), media_type=media, headers=headers)


@router.get(
    "/runs/{run}/events",
    summary="Follow a run",
    responses=WRONG | {200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def events(request: Request, run: Name) -> StreamingResponse:
    """Server-sent events ``run`` (as ``/runs/RUN``) whenever it changes, until it is played no more."""
    found = await asyncio.to_thread(run_of, request, run)
    return StreamingResponse(
        _follow(request, found.id), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _follow(request: Request, run: str) -> AsyncIterator[str]:
    service = service_of(request)
    told, silent = "", 0.0
    while not await request.is_disconnected():
        document = await asyncio.to_thread(lambda: service.describe(service.desk.run(run)))
        text = json.dumps(document)
        if text != told:
            told, silent = text, 0.0
            yield f"event: run\ndata: {text}\n\n"
        elif silent >= HEARTBEAT:
            silent = 0.0
            yield ": still there\n\n"
        if document["state"] not in ("waiting", "playing") or request.app.state.ending.is_set():
            return
        silent += EVENT_SECONDS
        await asyncio.sleep(EVENT_SECONDS)


# ---------------------------------------------------------------- leaderboards


@router.get("/leaderboards/{game}", summary="Leaderboard of a game", responses=WRONG)
def leaderboard(
    request: Request,
    game: Name,
    method: Literal["trueskill", "elo"] = "trueskill",
    variant: Annotated[str | None, Query(max_length=200)] = None,
    seats: Annotated[int | None, Query(ge=1, le=6)] = None,
) -> Document:
    """Ratings over all runs of a game under one variant at one number of seats, as ``hilltop rate`` makes them."""
    facts = known_game(game)
    found = rated_runs(service_of(request), facts, variant, seats)
    if not found:
        raise Refused(f"nothing of {game} has been played yet that could be rated so", 404)
    return dict(results.leaderboard(service_of(request).desk, found, method).document)


def groups(service: Service, game: str) -> dict[tuple[str, int], list[StoredRun]]:
    """The runs of a game that can be rated together, by their variants' label and seats; the most played first."""
    from tournament.statistics.facts import labels

    seen = service.desk.snapshot()
    found: dict[tuple[str, int], list[StoredRun]] = {}
    for run in seen.runs:
        if run.game == game and run.done and run.number not in seen.excluded:
            called = " / ".join(labels([(one["name"], one["rules"]) for one in run.settings["variants"]]))
            found.setdefault((called, run.settings["players"]), []).append(run)
    return dict(sorted(found.items(), key=lambda one: -sum(run.done for run in one[1])))


def rated_runs(service: Service, game: Any, variant: str | None, seats: int | None) -> list[StoredRun]:
    """The runs behind a leaderboard."""
    for (called, players), some in groups(service, game.id).items():
        if variant in (None, called) and seats in (None, players):
            return some
    return []
