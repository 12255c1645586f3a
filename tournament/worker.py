"""Playing a chunk of a run: a pure function of the plan and the chunk's number.

Nothing here writes anywhere; the same chunk gives the same bytes in any process, however often it is played.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.game import rules_record
from engine.loop import Player
from tournament.plan import Plan, restore


class Worker:
    """Plays chunks of one run. Made from its settings alone, so that it can be made again anywhere."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.plan: Plan = restore(settings)
        plan = self.plan
        self._players = [Player(plan.game, rules_record(plan.game, v.options, plan.players)) for v in plan.variants]
        self._decide = [entrant.bot.decide for entrant in plan.entrants]
        self._params = np.array([entrant.params for entrant in plan.entrants])
        self._warm_up()

    def _warm_up(self) -> None:
        """Have every bot compiled, or loaded, by playing no match with it."""
        nothing = np.zeros((self.plan.rows, 1), np.int32)
        for number, decide in enumerate(self._decide):
            seats = (decide,) * self.plan.players
            self._players[0].play(seats, self._params[[number] * self.plan.players], 0, 0, 0, nothing)

    def fingerprint(self) -> str:
        """The hash of the code that this worker plays with."""
        return self.plan.fingerprint

    def play(self, chunk: int) -> np.ndarray[Any, Any]:
        """The results of a chunk in match order: int32 (3 + seats, matches), see ``engine.loop.play``."""
        plan = self.plan
        first, end = plan.chunk_bounds(chunk)
        count = len(plan.lineups)
        deal = first // count
        out = np.zeros((plan.rows, end - first), np.int32)
        for number in range(count):
            deals = -(-(end - first - number) // count)
            if deals <= 0:
                break
            self._play(number, deal, deals, out, number, count)
        return out

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
        player.play(bots, self._params[seats], self.plan.seed, deal, deals, out, at, stride)
