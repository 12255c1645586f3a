"""Trouble as clients read it, one sentence: problem documents (RFC 9457) for programs, a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import HTMLResponse, JSONResponse, Response

from service.frame import page
from tournament.page.layout import tag

PROBLEM = "application/problem+json"


def problem(status: int, text: str, accept: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """The answer to a request that is refused or fails, as a page if that is what ``accept`` prefers."""
    title = HTTPStatus(status).phrase
    if accept.partition(",")[0].partition(";")[0].strip() == "text/html":
        body = tag("main", tag("h1", title), tag("p", text), tag("p", tag("a", "To the leaderboards", href="/")))
        return HTMLResponse(page(title, body), status, dict(headers or {}))
    document = {"type": "about:blank", "title": title, "status": status, "detail": text}
    return JSONResponse(document, status, dict(headers or {}), PROBLEM)
