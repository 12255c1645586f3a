"""Playing a chunk of a run, which is any range of its matches: a pure function of the plan and the range.

Nothing here writes anywhere; the same matches give the same bytes in any process, however often they are played.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import types

from bots.bot import Bot, Entrant
from engine import userfiles
from engine.compiler import INTERPRETED, place
from engine.errors import HilltopError, listed
from engine.game import Game, rules_dtype, rules_record
from engine.loop import MatchLoop, bot_arguments
from engine.plain import Plain, missing
from engine.telemetry import take
from tournament.counting import Array, counter_of
from tournament.plan import Plan, lineup_array, restore
from tournament.statistics.tally import Tally, strata_of


class Results(NamedTuple):
    """What the matches of a chunk, ``first`` and those that follow it, have come to.

    tally       sums over them, and over the boards that lie wholly inside
    head, tail  rows of the boards that the chunk's edges cut (:meth:`Counter.edges`): counted when all of them is there
    hash        of all rows
    rows        int32 (3 + seats, matches) in match order, see ``engine.loop.play``; None if only tallies are kept
    """

    first: int
    matches: int
    tally: Tally
    head: Array
    tail: Array
    hash: bytes
    rows: Any = None

    @property
    def end(self) -> int:
        """The match after the last."""
        return self.first + self.matches


class Worker:
    """Plays chunks of one run. Made from its settings alone, so that it can be made again anywhere.

    ``keep``: return the rows of matches as well as their tally?
    """

    def __init__(self, settings: dict[str, Any], keep: bool = True) -> None:
        self.plan: Plan = restore(settings)
        self._keep = keep
        plan = self.plan
        self._counter = counter_of(plan)
        self._loops = [
            MatchLoop(plan.game, rules_record(plan.game, variant.options, plan.players), plan.telemetry)
            for variant in plan.variants
        ]
        for entrant in plan.entrants:
            compile_bot(plan.game, self._loops[0].rules, entrant)
        self._decide = [entrant.bot.decide for entrant in plan.entrants]
        self._params = np.array([entrant.params for entrant in plan.entrants])
        self._strata = strata_of(plan.layout, lineup_array(plan)[: plan.board])

    def fingerprint(self) -> str:
        """The hash of the code that this worker plays with."""
        return self.plan.fingerprint

    def play(self, first: int, end: int) -> Results:
        """The results of the matches ``first`` to ``end - 1``."""
        plan = self.plan
        count, size = len(plan.lineups), end - first
        rows = np.zeros((plan.rows, size), np.int32)
        inside = self._counter.tally(first, size)
        for at in range(min(count, size)):
            deal, number = divmod(first + at, count)
            deals = -(-(size - at) // count)
            if not plan.telemetry:
                self._play(number, deal, deals, rows, at, count)
                continue
            for some, block in _by_block(deal, deals, plan.layout.shift):
                self._play(number, deal, some, rows, at, count)
                self._take(inside, block, number)
                deal, at = deal + some, at + some * count
        return self.results(first, rows, inside)

    def results(self, first: int, rows: Array, inside: Tally | None = None) -> Results:
        """The results that these rows of the matches from ``first`` on are, with what was counted inside of them."""
        size = rows.shape[1]
        tally = self._counter.count(first, rows)
        if inside is not None:
            tally.add(inside)
        head, tail = self._counter.edges(first, size)
        cut = rows[:, :head].copy(), rows[:, size - tail :].copy()
        digest = hashlib.sha256(rows.tobytes()).digest()
        return Results(first, size, tally, *cut, digest, rows if self._keep else None)

    def _take(self, tally: Tally, block: int, number: int) -> None:
        """Add the telemetry of the matches of a line-up that were played last, all in one block."""
        variant, lineup = divmod(number, self.plan.board)
        sums, pieces = take(self._loops[variant].watch, self.plan.players)
        used, uses, gained = pieces[..., 0], pieces[..., 1], pieces[..., 2]
        inside = tally.inside[block - tally.first, variant]
        inside[: len(sums)] += sums
        strata = inside[len(sums) : len(sums) + tally.layout.strata * tally.layout.cells]
        strata.reshape(tally.layout.strata, -1)[self._strata[lineup]] += used
        rest = inside[len(sums) + len(strata) :].reshape(2, -1)
        rest += np.stack([uses.sum(axis=0), gained.sum(axis=0)])

    def play_lineup(self, lineup: int, deal: int, deals: int) -> np.ndarray[Any, Any]:
        """The results of one line-up alone, on ``deals`` deals from ``deal`` on: int32 (3 + seats, deals)."""
        out = np.zeros((self.plan.rows, deals), np.int32)
        self._play(lineup, deal, deals, out, 0, 1)
        return out

    def _play(self, number: int, deal: int, deals: int, out: np.ndarray[Any, Any], at: int, stride: int) -> None:
        lineup = self.plan.lineups[number]
        seats = list(lineup.entrants)
        bots = [self._decide[entrant] for entrant in seats]
        loop = self._loops[lineup.variant]
        try:
            loop.play(bots, self._params[seats], self.plan.seed, deal, deals, out, at, stride)
        except Exception as error:
            names = listed(self.plan.entrants[entrant].spec for entrant in dict.fromkeys(seats))
            raise HilltopError(f"a match of {names} failed: {told(error)}") from error


def _by_block(deal: int, deals: int, shift: int) -> Iterator[tuple[int, int]]:
    """Consecutive deals by block: how many in each, and its number."""
    end = deal + deals
    while deal < end:
        block = deal >> shift
        some = min((block + 1) << shift, end) - deal
        yield some, block
        deal += some


def compile_bot(game: Game, rules: Any, entrant: Entrant) -> None:
    """Compile a bot, or load it; raises HilltopError with its name and the compiler's reason if that cannot be done.

    Left to the match loop, the compiler would say only that the bot does not fit.
    """
    if INTERPRETED:
        return
    for bot in entrant.parts:
        compile_part(game, rules, bot)


def compile_part(game: Game, rules: Any, bot: Bot) -> None:
    """The same for a bot without its policy."""
    arguments: Any = bot_arguments(game, rules)
    decide: Any = bot.decide
    if isinstance(decide, Plain):
        return
    try:
        decide.compile(arguments)
    except Exception as error:
        raise HilltopError(f"bot {bot.name} cannot be compiled: {_reason(error, decide, game)}") from error
    answer = decide.overloads[arguments].signature.return_type
    if not isinstance(answer, types.Integer):
        raise HilltopError(f"bot {bot.name} returns {answer}; decide must return the number of a move")


def _reason(error: Exception, decide: Any, game: Game) -> str:
    """Why a bot cannot be compiled, and in which line."""
    what = one_line(error)
    if isinstance(error, KeyError):  # what Numba makes of a name that a record does not have
        name = str(error.args[0])
        what = missing(f"field '{name}'", name, {*_fields(game.state.VIEW), *_fields(rules_dtype(game))})
    found = place(error, decide)
    if found is None:
        return what
    file, line = found
    return f'{what.partition(" (File ")[0]} (File "{near(file)}", line {line})'


def _fields(dtype: np.dtype[Any]) -> Iterator[str]:
    """The names in a record type, and in those inside of it."""
    for name in dtype.names or ():
        yield name
        yield from _fields(dtype[name].base)


def told(error: BaseException) -> str:
    """What a bot raised, and in which line of its file."""
    where = userfiles.place(error)
    file, comma, line = where.rpartition(", line ")
    return one_line(error) + (f' (File "{near(file)}"{comma}{line})' if where else "")


def near(file: str) -> str:
    """The path of a file as short as can be."""
    near = os.path.relpath(file)
    return file if near.startswith("..") else near


def one_line(error: BaseException) -> str:
    """What went wrong, out of what may be a page of a compiler's explanations."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")]
    place = next((line.rstrip(":") for line in lines if line.startswith("File ")), "")
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}" + (f" ({place})" if place else "")
