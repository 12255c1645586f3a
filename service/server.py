"""Connections that say nothing are not kept."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # that a client has for the head of its first request


class Patient(H11Protocol):
    """Uvicorn's protocol, which waits for a first request as long as a client likes, with an end to its patience."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        self.loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _lose_patience(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            cast(asyncio.Transport, self.transport).abort()
