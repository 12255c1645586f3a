"""``make demo``: a real tournament of every game, played, stored, rated and printed."""

from __future__ import annotations

import sys

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

    for game in GAMES:
        print(f"$ hilltop run {game} --matches {MATCHES[game]} --seed 1 --db {DATABASE}", flush=True)
        code = run_command(["run", game, "--matches", MATCHES[game], "--seed", "1", "--db", DATABASE])
        if code:
            return code
        print(flush=True)
    print(f"$ hilltop runs --db {DATABASE}")
    return run_command(["runs", "--db", DATABASE])


if __name__ == "__main__":
    sys.exit(main())
