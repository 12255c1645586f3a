"""``/metrics`` in Prometheus' format, and the access log."""

from __future__ import annotations

import sys
import time
from collections import Counter as Count
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.desk import Desk
from storage.jobs import STATES


class Metrics:
    """Counts requests, and says how runs stand."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._registry = CollectorRegistry()
        self._requests = Counter("hilltop_requests", "Requests", ["method", "status"], registry=self._registry)
        self._seconds = Histogram("hilltop_request_seconds", "Seconds to an answer's end", registry=self._registry)
        self._runs = Gauge("hilltop_runs", "Runs", ["state"], registry=self._registry)
        self._matches = Gauge("hilltop_stored_matches", "Matches stored in all runs", registry=self._registry)
        self._rate = Gauge("hilltop_matches_per_second", "Matches stored a second just now", registry=self._registry)

    def page(self) -> Response:
        """The metrics as they are now."""
        seen = self._desk.snapshot()
        states = Count(seen.state(run) for run in seen.runs)
        for state in STATES:
            self._runs.labels(state).set(states[state])
        self._matches.set(sum(run.done for run in seen.runs))
        self._rate.set(sum(rate or 0.0 for rate in seen.paces.values()))
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Counts and logs what passes through."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            begun, status = time.monotonic(), 0

            async def seen(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, seen)
            finally:
                seconds = time.monotonic() - begun
                self._requests.labels(scope["method"], str(status)).inc()
                self._seconds.observe(seconds)
                _log(scope, status, seconds)

        return counted


def _log(scope: Scope, status: int, seconds: float) -> None:
    """One line a request; what the client wrote cannot break it."""
    client: Any = scope.get("client") or ("-",)
    path = scope["path"].encode("unicode_escape").decode()[:500]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(f"{moment} {client[0]} {scope['method']} {path} {status} {1000 * seconds:.0f}ms", file=sys.stderr, flush=True)
