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

from bots.bot import Bot, Entrant
from engine import userfiles
from engine.compiler import INTERPRETED, place
from engine.errors import HilltopError, listed
from engine.faults import CRASHED, KINDS, NAMES, OVER_BUDGET, WITHDRAWN
from engine.game import Game, rules_dtype, rules_record
from engine.guard import Guard, code_of
from engine.loop import ROW_RANKS, ROW_REASON, MatchLoop, bot_arguments
from engine.plain import Plain, missing
from engine.telemetry import take
from tournament.counting import Array, counter_of
from tournament.plan import Plan, lineup_array, restore
from tournament.statistics.tally import Tally, strata_of

WATCHED = 8  # deals of each run in which all bots are guarded
UNPLAYED = -1  # plies of a match that has not been played yet


class Fault(NamedTuple):
    """What a bot did wrong: in a match, in which seat, the kind (``engine/faults.py``), and what can be said of it."""

    match: int
    entrant: int
    seat: int
    kind: int
    said: str = ""


class Results(NamedTuple):
    """What the matches of a chunk, ``first`` and those that follow it, have come to.

    tally       sums over them, and over the boards that lie wholly inside
    head, tail  rows of the boards that the chunk's edges cut (:meth:`Counter.edges`): counted when all of them is there
    hash        of all rows
    rows        int32 (3 + seats, matches) in match order, see ``engine.loop.play``; None if only tallies are kept
    faults      the first faults of each bot, in match order
    """

    first: int
    matches: int
    tally: Tally
    head: Array
    tail: Array
    hash: bytes
    rows: Any = None
    faults: tuple[Fault, ...] = ()

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
            compile_bot(plan.game, self._loops[0].rules, entrant, plan.trusts)
        self._guards: dict[int, Guard] = {}
        self._decide, self._params = [], []
        for number, entrant in enumerate(plan.entrants):
            guarded = entrant.own and not plan.trusts
            self._decide.append(self.guard(number).decide if guarded else entrant.bot.decide)
            self._params.append(self.guard(number).params if guarded else entrant.params)
        known = plan.settings.get("known", {})
        self._watched = plan.deals if known.get("check") else WATCHED
        self._withdrawn: dict[int, int] = dict(known.get("withdrawn", ()))  # entrant: its last match
        self._crashed: dict[int, int] = dict(known.get("crashed", ()))  # match: the seat that ends its process
        self._strata = strata_of(plan.layout, lineup_array(plan)[: plan.board])

    def close(self) -> None:
        """No more is wanted of it."""

    def fingerprint(self) -> str:
        """The hash of the code that this worker plays with."""
        return self.plan.fingerprint

    def play(self, first: int, end: int) -> Results:
        """The results of the matches ``first`` to ``end - 1``."""
        plan = self.plan
        count, size = len(plan.lineups), end - first
        rows = self._room(size)
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
        kept = rows if self._keep or first < plan_watched(self.plan) else None
        return Results(first, size, tally, *cut, digest, kept, tuple(self._faults(first, rows)))

    def _room(self, size: int) -> Array:
        """Where the rows of so many matches are written."""
        return np.zeros((self.plan.rows, size), np.int32)

    def guard(self, number: int) -> Guard:
        """The guard of an entrant."""
        if number not in self._guards:
            plan = self.plan
            self._guards[number] = plan.entrants[number].guard(
                plan.game, plan.trusts, plan.budget, self._guard_memory(number)
            )
        return self._guards[number]

    def _guard_memory(self, number: int) -> Any:
        return None

    def _faults(self, first: int, rows: Array) -> Iterator[Fault]:
        """The faults in these rows: as many of each bot as it may have in all."""
        seen = [0] * len(self.plan.entrants)
        for at in np.flatnonzero(rows[ROW_REASON] < 0).tolist():
            kind, seat = -1 - int(rows[ROW_REASON, at]), int(rows[ROW_RANKS, at])
            entrant = self.plan.locate(first + at)[1].entrants[seat]
            if kind != WITHDRAWN and seen[entrant] < self.plan.max_faults:
                fault = Fault(first + at, entrant, seat, kind)
                yield fault._replace(said=self._said(fault))
                seen[entrant] += 1

    def _said(self, fault: Fault) -> str:
        """What can be said of a fault, from playing the match again."""
        from tournament.trace import spoiled

        if fault.kind == CRASHED:
            return KINDS[NAMES[CRASHED]]
        if fault.kind == OVER_BUDGET:
            return f"took more than the {self.plan.budget:,} steps that a decision may"
        deal, lineup = self.plan.locate(fault.match)
        guards = [self.guard(entrant) for entrant in lineup.entrants]
        try:
            return spoiled(self.plan, lineup, deal, guards)
        except Exception as error:  # it does something else this time
            return f"{type(error).__name__} when played again"

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
        """Play a line-up's matches, but for those of which it is known that they are not, or that they end here."""
        lineup, count, end = self.plan.lineups[number], len(self.plan.lineups), deal + deals
        last = end
        for seat, entrant in enumerate(lineup.entrants):
            if entrant in self._withdrawn:
                # Matches after that one: on that deal, of line-ups after its own.
                left = -(-(self._withdrawn[entrant] + 1 - number) // count)
                if left < last:
                    last, who = max(left, deal), seat
        if last < end:
            rest = slice(at + (last - deal) * stride, at + deals * stride, stride)
            out[:, rest] = 0
            out[ROW_RANKS, rest], out[ROW_REASON, rest] = who, -1 - WITHDRAWN
        for match in sorted(self._crashed):
            where, same = divmod(match, count)
            if same == number and deal <= where < last:
                self._play_deals(number, deal, where - deal, out, at, stride)
                at += (where - deal) * stride
                out[:, at] = 0
                out[ROW_RANKS, at], out[ROW_REASON, at] = self._crashed[match], -1 - CRASHED
                deal, at = where + 1, at + stride
        self._play_deals(number, deal, last - deal, out, at, stride)

    def _play_deals(self, number: int, deal: int, deals: int, out: Array, at: int, stride: int) -> None:
        some = min(max(self._watched - deal, 0), deals)
        if some:
            self._play_on(number, deal, some, out, at, stride, watched=True)
        if deals > some:
            self._play_on(number, deal + some, deals - some, out, at + some * stride, stride)

    def _play_on(
        self, number: int, deal: int, deals: int, out: Array, at: int, stride: int, watched: bool = False
    ) -> None:
        lineup = self.plan.lineups[number]
        seats = list(lineup.entrants)
        bots = [self.guard(entrant).decide if watched else self._decide[entrant] for entrant in seats]
        params = np.array([self.guard(entrant).params if watched else self._params[entrant] for entrant in seats])
        loop = self._loops[lineup.variant]
        try:
            loop.play(bots, params, self.plan.seed, deal, deals, out, at, stride)
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


def plan_watched(plan: Plan) -> int:
    """The first matches of a plan, of which rows are always there: they are played again when it has been played."""
    return WATCHED * len(plan.lineups)


def compile_bot(game: Game, rules: Any, entrant: Entrant, trusted: bool = False) -> None:
    """Compile a bot, or load it; raises HilltopError with its name and the compiler's reason if that cannot be done.

    Left to the match loop, the compiler would say only that the bot does not fit.
    """
    if INTERPRETED:
        return
    for bot in entrant.parts:
        compile_part(game, rules, bot, trusted)


def compile_part(game: Game, rules: Any, bot: Bot, trusted: bool = False) -> None:
    """The same for a bot without its policy. ``trusted``: is a user's?"""
    arguments: Any = bot_arguments(game, rules)
    decide: Any = bot.decide
    if isinstance(decide, Plain):
        return
    try:
        code_of(decide, arguments, trusted or not bot.own)
    except HilltopError as error:
        raise HilltopError(f"bot {bot.name} {error}") from error
    except Exception as error:
        raise HilltopError(f"bot {bot.name} cannot be compiled: {_reason(error, decide, game)}") from error


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
