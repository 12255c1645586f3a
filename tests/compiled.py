"""``python -m tests.compiled [GAME...]``: what the tests play of all games, or of some, compiled into the cache.

A process a game, on all cores. Within a process every kernel is lowered once, for the match loop, the bots and for the
rules that tests call one at a time; left to the tests, each process would lower for itself what it is first to need.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numba import typeof, types

from bots import registry as bots
from bots.bot import entrant
from bots.search import SEARCHES
from engine import contract, registry
from engine.compiler import INTERPRETED
from engine.game import rules_record
from engine.loop import Tools, loop_arguments, loop_of
from tests.program import ROOT, environment
from tournament.worker import compile_bot

LONGEST_FIRST = ("jericho", "jack_and_jill", "queen_of_the_hill", "jackal_and_high", "cuttle")


def compile_game(name: str) -> None:
    """Match loop with and without telemetry, bots, searches, and each function of ``engine/contract.py``."""
    game = registry.game(name)
    rules = rules_record(game, game.settle({}, game.default_seats), game.default_seats)
    for telemetry in (False, True):
        loop_of(name, telemetry).compile(loop_arguments(game, rules, telemetry))
    for bot in (*bots.names(name), *SEARCHES):
        compile_bot(game, rules, entrant(bots.bot(name, bot), {}))
    tools = Tools(game)
    known = {"rules": rules, "state": tools.state, "view": tools.view, "result": tools.result}
    kinds = {name: typeof(value) for name, value in known.items()} | {"seat": types.int64, "move": types.int64}
    kinds |= dict.fromkeys(("rng", "moves", "event"), types.int64[::1])
    for function in ("blank", *contract.__doc__.split("``")[1::2]):
        kernel: Any = getattr(game.rules, function, None)
        if hasattr(kernel, "compile"):
            kernel.compile(tuple(kinds[name.strip("_")] for name in inspect.signature(kernel.py_func).parameters))


def main(games: list[str]) -> None:
    """See the top of this file."""
    if len(games) == 1:
        compile_game(games[0])
        return
    commands = [[sys.executable, "-m", __spec__.name, game] for game in games]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for _ in pool.map(lambda command: subprocess.run(command, cwd=ROOT, env=environment(), check=True), commands):
            pass


if __name__ == "__main__" and not INTERPRETED:
    main(sys.argv[1:] or list(LONGEST_FIRST))
