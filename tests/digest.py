"""``python -m tests.digest GAME MATCHES [BOT;BOT...]``: a hash of the results of a small round robin, of all bots of a
game unless some are given.

Run in processes with other flags (interpreted, with bounds checks), where it must print the same.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence

from bots import registry as bots
from engine import registry
from tournament.worker import Worker


def digest(game_id: str, matches: int, field: Sequence[str] = ()) -> str:
    """SHA-256 of the result rows of the first ``matches`` matches, over every number of seats."""
    game = registry.game(game_id)
    hashed = hashlib.sha256()
    for players in game.seats:
        variant = next(name for name, options in game.variants.items() if not _refused(game_id, options, players))
        settings = {
            "game": game_id,
            "players": players,
            "variants": [{"name": variant, "rules": {}}],
            "bots": list(field or bots.names(game_id)),
            "matches": matches,
            "seed": 6,
        }
        worker = Worker(settings)
        # Line-ups come in order of the bots: take them from all over the list, a deal each.
        step = max(1, len(worker.plan.lineups) // matches)
        for number in range(0, len(worker.plan.lineups), step):
            hashed.update(worker.play_lineup(number, deal=number, deals=1).tobytes())
    return hashed.hexdigest()


def _refused(game_id: str, options: dict[str, object], players: int) -> bool:
    try:
        registry.game(game_id).settle(options, players)
    except ValueError:
        return True
    return False


if __name__ == "__main__":
    print(digest(sys.argv[1], int(sys.argv[2]), sys.argv[3].split(";") if sys.argv[3:] else ()))
