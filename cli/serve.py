"""``hilltop serve``: leaderboards, runs, matches and play in the browser, and an API."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from cli.arguments import AddressOption, DatabaseOption, database
from cli.output import say


def command(
    db: DatabaseOption = None,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; other than this machine needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="1 to 65535.")] = 8000,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Ray workers that play; 0 plays in one process.  [default: 0]")
    ] = 0,
    address: AddressOption = None,
    read_token: Annotated[
        str | None, typer.Option("--read-token", envvar="HILLTOP_READ_TOKEN", help="What clients must know to read.")
    ] = None,
    max_matches: Annotated[int, typer.Option("--max-matches", help="The most that one run may have.")] = 10**9,
    max_waiting: Annotated[int, typer.Option("--max-waiting", help="Runs that may wait at once.")] = 100,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="What browsers call this machine; repeatable."),
    ] = None,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Let clients name bot files of this machine.")
    ] = False,
) -> None:
    """Serve leaderboards, runs, forms and matches as pages, and the same as an API, from one database file.

    Clients of other machines need the token of HILLTOP_TOKEN to write; without one a new token is made and printed.
    """
    from engine.errors import UsageError
    from service.app import serve
    from service.settings import Settings, token_for

    if not 1 <= port <= 65535:
        raise UsageError(f"port cannot be {port}; allowed: 1 to 65535")
    given = os.environ.get("HILLTOP_TOKEN")
    token = token_for(host, given)
    if token and not given:
        say(f"token for writing: {token}")
    settings = Settings(
        database(db),
        host,
        port,
        workers,
        address,
        token,
        token_for("localhost", read_token),
        max_matches,
        max_waiting,
        allow_code,
        frozenset(one.lower() for one in name or ()),
    )
    serve(settings, say)
