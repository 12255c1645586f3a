"""What a service is started with."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from engine.errors import UsageError

SHORTEST_TOKEN = 16  # letters: fewer could be guessed
MOST_MATCHES = 10**9
MOST_WAITING = 100


@dataclass(frozen=True)
class Settings:
    """How a service runs.

    db           the database file
    host, port   where it listens
    workers      Ray workers of a job; 0 plays in one process beside the service, None takes one a core
    address      the Ray cluster that plays instead
    token        what a client must know to write; None where every client is on this machine
    read_token   what it must know to read; None lets everyone who reaches the service read
    max_matches  the most that one job may play
    max_waiting  jobs that may wait at once
    allow_code   may clients name bot files of this machine?
    names        what else this machine is called by browsers
    """

    db: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int | None = 0
    address: str | None = None
    token: str | None = None
    read_token: str | None = None
    max_matches: int = MOST_MATCHES
    max_waiting: int = MOST_WAITING
    allow_code: bool = False
    names: frozenset[str] = frozenset()

    def allows(self, host: str) -> bool:
        """May a request be addressed to that name, given without a port? Any other one was bent to this machine by
        somebody else: a stranger's page can have a name of its own lead here, but no address."""
        local = host in ("localhost", "127.0.0.1", "[::1]")
        if local or host in self.names or is_loopback(self.host):
            return local or host in self.names
        return host == socket.gethostname().lower() or _is_address(host.strip("[]"))

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Can only programs of this machine reach that address?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def token_for(host: str, given: str | None, name: str = "token") -> str | None:
    """The token to use: a given one if it is long enough, else a new one if others than this machine can come."""
    if given is not None:
        if len(given) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
            raise UsageError(f"the {name} must have at least {SHORTEST_TOKEN} letters and digits, and no spaces")
        return given
    return None if is_loopback(host) else secrets.token_urlsafe(32)
