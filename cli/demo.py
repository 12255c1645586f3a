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
# Matches a game: at least a million in all, most of the time spent in the bars.
MATCHES = {
    "cuttle": "1_000_000",
    "jericho": "100_000",
    "jack_and_jill": "100_000",
    "jackal_and_high": "100_000",
    "queen_of_the_hill": "200_000",
}


def main() -> int:
    """Play, and end with the leaderboards; the exit code of the first command that fails."""
    from engine.registry import GAMES

    with _compiling_ahead(GAMES[1:]):
        for game in GAMES:
            print(f"$ hilltop run {game} --matches {MATCHES[game]} --seed 1 --db {DATABASE}", flush=True)
            code = run_command(["run", game, "--matches", MATCHES[game], "--seed", "1", "--db", DATABASE])
            if code:
                return code
            print(flush=True)
    print(f"$ hilltop runs --db {DATABASE}")
    return run_command(["runs", "--db", DATABASE])


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
