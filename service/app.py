"""The service: an ASGI application that answers, and what runs it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from engine.errors import HilltopError, UsageError
from service import api, pages
from service.ask import Refused
from service.desk import Desk
from service.frame import FILES, file
from service.metrics import Metrics
from service.player import Player
from service.problems import problem
from service.safety import Safety, Sessions
from service.settings import Settings
from tournament.version import version


def application(settings: Settings) -> FastAPI:
    """The application; its file is opened now, its player starts with it."""
    desk = Desk(settings.db)
    player = Player(desk, settings)
    metrics = Metrics(desk)
    sessions = Sessions()

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        player.start()
        try:
            yield
        finally:
            app.state.ending.set()
            await asyncio.to_thread(player.end)

    app = FastAPI(
        title="hilltop",
        version=version(),
        summary="Tournaments, ratings and balance of card and dice games.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.service = api.Service(desk, settings, player)
    app.state.sessions = sessions
    app.state.ending = asyncio.Event()
    app.add_middleware(Safety, settings=settings, sessions=sessions)
    app.add_middleware(metrics.middleware)
    app.include_router(api.router)
    app.include_router(pages.router)
    app.get("/healthz", include_in_schema=False)(lambda: {"status": "ok", "version": version()})
    app.get("/metrics", include_in_schema=False)(metrics.page)
    app.get("/static/{name}", include_in_schema=False)(_static)
    for kind in (HilltopError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _trouble)
    return app


def _static(name: str) -> Response:
    """One of the files that pages load."""
    if name not in FILES:
        raise HTTPException(404, "there is no such file")
    return Response(file(name), media_type=FILES[name][1], headers={"Cache-Control": "max-age=31536000, immutable"})


async def _trouble(request: Request, error: Exception) -> Response:
    """Whatever went wrong as a problem document, in the words of the command line."""
    status, text = _told(error)
    accept = "" if request.url.path.startswith("/api/") else request.headers.get("accept", "")
    headers = dict(getattr(error, "headers", None) or {})
    return problem(status, text, accept, headers)


def _told(error: Exception) -> tuple[int, str]:
    if isinstance(error, Refused):
        return error.status, str(error)
    if isinstance(error, UsageError):
        return 400, str(error)
    if isinstance(error, HilltopError):
        return 409, str(error)
    if isinstance(error, RequestValidationError):
        first: dict[str, Any] = dict(error.errors()[0])
        where = ".".join(str(part) for part in first.get("loc", ())[1:]) or "the request"
        return 422, f"{where}: {first.get('msg', 'not of the form that is asked for')}"
    if isinstance(error, HTTPException):
        return error.status_code, str(error.detail or HTTPStatus(error.status_code).phrase)
    return 500, f"unexpected trouble ({type(error).__name__}); please report it"


def serve(settings: Settings, say: Any) -> None:
    """Answer until a signal says to end."""
    import uvicorn

    from service.server import Patient

    begun = time.monotonic()
    taken = _listen(settings)
    app = application(settings)
    config = uvicorn.Config(
        app,
        settings.host,
        settings.port,
        http=Patient,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=16 * 1024,
    )
    server = uvicorn.Server(config)
    say(f"hilltop serves {settings.db} at {settings.url} (ready in {time.monotonic() - begun:.1f} s; Ctrl-C ends it)")
    server.run([taken])


def _listen(settings: Settings) -> socket.socket:
    """The place where clients come; raises HilltopError if it cannot be had."""
    taken = None
    try:
        kind, _, _, _, place = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(kind, socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(place)
    except OSError as error:
        if taken:
            taken.close()
        why = (error.strerror or str(error)).lower()
        where = f"port {settings.port} of '{settings.host}'"
        raise HilltopError(f"cannot listen at {where}: {why}; name others with --host and --port") from error
    return taken
