"""Who may ask for what: hosts, origins, tokens, sizes and rates, checked before anything else sees a request.

An ASGI middleware. What it lets through gets headers that let a page load nothing from elsewhere and run no script but
the service's own files.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections import OrderedDict
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.problems import problem
from service.settings import Settings

MOST_BYTES = 64 * 1024  # of a request's body
BODY_SECONDS = 10.0  # for each part of it
SEND_SECONDS = 30.0  # that a client may take to accept a part of an answer
READS, WRITES = (400.0, 4000.0), (5.0, 60.0)  # requests a second of one client in the long run, and at once
CLIENTS = 4096  # whose rates are remembered
SESSIONS = 1024
COOKIE = "hilltop_session"
OPEN = ("/healthz", "/static/", "/sign-in")  # what needs no token
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class Rates:
    """Token buckets, one a client."""

    def __init__(self, a_second: float, at_once: float) -> None:
        self._rate, self._most = a_second, at_once
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Seconds to wait before the client may ask again; 0 if it may now."""
        now = time.monotonic()
        left, last = self._left.get(client, (self._most, now))
        left = min(self._most, left + (now - last) * self._rate)
        allowed = left >= 1.0
        self._left[client] = (left - 1.0 if allowed else left, now)
        self._left.move_to_end(client)
        if len(self._left) > CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate


class Sessions:
    """Browsers that have signed in: a random name each, and whether it may write."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, bool] = OrderedDict()

    def begin(self, writes: bool) -> str:
        """A new session's name."""
        name = secrets.token_urlsafe(32)
        self._known[name] = writes
        while len(self._known) > SESSIONS:
            self._known.popitem(last=False)
        return name

    def writes(self, name: str) -> bool | None:
        """May the session write? None if there is none of that name."""
        return next((writes for known, writes in self._known.items() if same(known, name)), None)


def same(one: str, two: str) -> bool:
    """Are two secrets the same? Takes as long whatever they are."""
    return hmac.compare_digest(one.encode(), two.encode())


class Safety:
    """The middleware."""

    def __init__(self, app: ASGIApp, settings: Settings, sessions: Sessions) -> None:
        self._app, self._settings, self._sessions = app, settings, sessions
        self._reads, self._writes = Rates(*READS), Rates(*WRITES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refusal(scope, headers)
        if refused:
            status, text, extra = refused
            await problem(status, text, headers.get("accept", ""), extra)(scope, receive, _with_headers(send))
            return
        await self._app(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, dict[str, str]] | None:
        """Status, sentence and headers for a request that is not answered."""
        host = headers.get("host", "")
        if not self._settings.allows(_name(host)):
            return 421, f"this service is not called '{host[:100]}'", {}
        write = scope["method"] not in SAFE
        if write and not _same_site(headers, host):
            return 403, "this request comes from another site", {}
        client = scope["client"][0] if scope.get("client") else ""
        wait = (self._writes if write else self._reads).take(client)
        if wait:
            return 429, "too many requests; wait a moment", {"Retry-After": str(int(wait) + 1)}
        if (headers.get("content-length") or "0").isdigit() and int(headers.get("content-length") or 0) > MOST_BYTES:
            return 413, f"a request can have at most {MOST_BYTES} bytes", {}
        if scope["path"].startswith(OPEN):
            return None
        may_read, may_write = self.rights(headers)
        if not may_read or (write and not may_write):
            return (
                401,
                "a token is needed for this; sign in, or send 'Authorization: Bearer TOKEN'",
                {"WWW-Authenticate": "Bearer"},
            )
        return None

    def rights(self, headers: Headers) -> tuple[bool, bool]:
        """May whoever sent these headers read, and write?"""
        settings = self._settings
        kind, _, given = headers.get("authorization", "").partition(" ")
        token = given.strip() if kind.lower() == "bearer" else ""
        session = _session(headers, self._sessions)
        writes = settings.token is None or session is True or (bool(token) and same(token, settings.token))
        reads = writes or settings.read_token is None or session is not None
        reads = reads or (bool(token) and same(token, settings.read_token or ""))
        return reads, writes and (settings.token is not None or reads)


def _session(headers: Headers, sessions: Sessions) -> bool | None:
    """Of the session that a cookie names: may it write? None if there is no session."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except Exception:  # of http.cookies, for what is no cookie
        return None
    return sessions.writes(cookies[COOKIE].value) if COOKIE in cookies else None


def _name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _same_site(headers: Headers, host: str) -> bool:
    """Was a request sent by a page of this service, or by no page at all?"""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == host.lower()


def _bounded(receive: Receive) -> Receive:
    """A body that comes too slowly, or does not end, ends here."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive() if seen < 0 else await _patient(receive)
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > MOST_BYTES:
                return {"type": "http.disconnect"}
            if not message.get("more_body"):
                seen = -1  # what comes next is the client's leaving, for which one may wait
        return message

    return bounded


async def _patient(receive: Receive) -> Message:
    try:
        return await asyncio.wait_for(receive(), BODY_SECONDS)
    except TimeoutError:
        return {"type": "http.disconnect"}


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await asyncio.wait_for(send(message), SEND_SECONDS)

    return with_headers


def cookie(name: str, secure: bool) -> dict[str, Any]:
    """A session's cookie, as Starlette sets it."""
    return {"key": COOKIE, "value": name, "httponly": True, "samesite": "strict", "secure": secure, "path": "/"}
