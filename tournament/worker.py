"""Playing a chunk of a run: a pure function of the plan and the chunk's number.

Nothing here writes anywhere; the same chunk gives the same bytes in any process, however often it is played.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numba import types

from bots.bot import Entrant
from engine.errors import HilltopError, listed
from engine.game import Game, rules_record
from engine.kernel import INTERPRETED
from engine.loop import Player, bot_arguments
from engine.telemetry import COUNTS, take
from tournament.plan import Plan, restore


class Results(NamedTuple):
    """What a chunk has come to."""

    rows: np.ndarray[Any, Any]  # int32 (3 + seats, matches) in match order, see ``engine.loop.play``
    telemetry: np.ndarray[Any, Any] | None = None  # int64 (variants, COUNTS + 4 cells), see ``engine.telemetry.take``


class Worker:
    """Plays chunks of one run. Made from its settings alone, so that it can be made again anywhere."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.plan: Plan = restore(settings)
        plan = self.plan
        self._players = [
            Player(plan.game, rules_record(plan.game, variant.options, plan.players), plan.telemetry)
            for variant in plan.variants
        ]
        for entrant in plan.entrants:
            compile_bot(plan.game, self._players[0].rules, entrant)
        self._decide = [entrant.bot.decide for entrant in plan.entrants]
        self._params = np.array([entrant.params for entrant in plan.entrants])
        self._warm_up()

    def _warm_up(self) -> None:
        """Have every bot compiled, or loaded, by playing no match with it."""
        nothing = np.zeros((self.plan.rows, 1), np.int32)
        for number, decide in enumerate(self._decide):
            seats = [decide] * self.plan.players
            self._players[0].play(seats, self._params[[number] * self.plan.players], 0, 0, 0, nothing)

    def fingerprint(self) -> str:
        """The hash of the code that this worker plays with."""
        return self.plan.fingerprint

    def play(self, chunk: int) -> Results:
        """The results of a chunk."""
        plan = self.plan
        first, end = plan.chunk_bounds(chunk)
        count = len(plan.lineups)
        deal = first // count
        out = np.zeros((plan.rows, end - first), np.int32)
        size = COUNTS + 4 * plan.game.cells
        telemetry = np.zeros((len(plan.variants), size), np.int64) if plan.telemetry else None
        for number in range(count):
            deals = -(-(end - first - number) // count)
            if deals <= 0:
                break
            self._play(number, deal, deals, out, number, count)
            if telemetry is not None:
                variant = plan.lineups[number].variant
                counts, pieces = take(self._players[variant].watch, plan.players)
                telemetry[variant] += np.concatenate([counts, pieces.ravel()])
        return Results(out, telemetry)

    def play_lineup(self, lineup: int, deal: int, deals: int) -> np.ndarray[Any, Any]:
        """The results of one line-up alone, on ``deals`` deals from ``deal`` on: int32 (3 + seats, deals)."""
        out = np.zeros((self.plan.rows, deals), np.int32)
        self._play(lineup, deal, deals, out, 0, 1)
        return out

    def _play(self, number: int, deal: int, deals: int, out: np.ndarray[Any, Any], at: int, stride: int) -> None:
        lineup = self.plan.lineups[number]
        seats = list(lineup.entrants)
        bots = [self._decide[entrant] for entrant in seats]
        player = self._players[lineup.variant]
        try:
            player.play(bots, self._params[seats], self.plan.seed, deal, deals, out, at, stride)
        except Exception as error:
            names = listed(self.plan.entrants[entrant].spec for entrant in dict.fromkeys(seats))
            raise HilltopError(f"a match of {names} failed: {one_line(error)}") from error


def compile_bot(game: Game, rules: Any, entrant: Entrant) -> None:
    """Compile a bot, or load it; raises HilltopError with its name and the compiler's reason if that cannot be done.

    Left to the match loop, the compiler would say only that the bot does not fit.
    """
    if INTERPRETED:
        return
    arguments: Any = bot_arguments(game, rules)
    decide: Any = entrant.bot.decide
    if not hasattr(decide, "compile"):
        raise HilltopError(f"bot {entrant.bot.name} is not compiled; write @kernel above its decide")
    try:
        decide.compile(arguments)
    except Exception as error:
        raise HilltopError(f"bot {entrant.bot.name} cannot be compiled: {one_line(error)}") from error
    answer = decide.overloads[arguments].signature.return_type
    if not isinstance(answer, types.Integer):
        raise HilltopError(f"bot {entrant.bot.name} returns {answer}; decide must return the number of a move")


def one_line(error: BaseException) -> str:
    """What went wrong, out of what may be a page of a compiler's explanations."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")]
    place = next((line.rstrip(":") for line in lines if line.startswith("File ")), "")
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}" + (f" ({place})" if place else "")
