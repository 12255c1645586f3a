"""``make demo``: a real tournament of every game, played, stored, rated and printed.

While one game is compiled and played, what the later ones need is compiled by another process that steps back for it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

from cli.main import run_command

DATABASE = "demo.duckdb"


def main() -> int:
    """Play, and end with the leaderboards; the exit code of the first command that fails."""
    from engine.registry import GAMES
    from engine.registry import game as facts

    with _compiling_ahead(GAMES[1:]):
        for game in GAMES:
            asked = ["run", game, "--matches", f"{facts(game).demo:_}", "--seed", "1", "--db", DATABASE]
            print("$ hilltop", *asked, flush=True)
            code = run_command(asked)
            if code:
                return code
            print(flush=True)
    print(f"$ hilltop runs --db {DATABASE}")
    code = run_command(["runs", "--db", DATABASE])
    print(f"\nTo see it in a browser: hilltop serve --db {DATABASE}")
    return code


@contextlib.contextmanager
def _compiling_ahead(games: tuple[str, ...]) -> Iterator[None]:
    """Meanwhile, compile these games: a command that needs what is not ready takes it over, or waits for a part."""
    code = "import sys; from tournament.compiling import ahead; ahead(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *games],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
