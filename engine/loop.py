"""The match loop: many matches of one line-up in one call, compiled once a game.

``play`` is written over the names of ``engine/contract.py``; :func:`loop_of` binds it to a game's own functions.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numba import typeof, types

from engine import rng as rng_module
from engine.calls import addresses, call_bot
from engine.cards import has, one
from engine.compiler import INTERPRETED
from engine.contract import CHANCE, NOBODY, RESULT
from engine.faults import FAULT, ILLEGAL, NAMES
from engine.game import MAX_SEATS, MOST_WAYS, Game
from engine.kernel import bind, kernel, sources_of
from engine.rng import DEAL, seed_stream
from engine.telemetry import IGNORE, hooks, new_watch

PARAMETERS = 8  # numbers that a bot may take
# What a row of numbers for a bot holds besides its parameters, and how long it is.
NEVER = PARAMETERS  # what the bot is forbidden: bit ``way``, bit ``MOST_WAYS + piece``
BLIND = PARAMETERS + 1  # 1 if it never looks at its view, which then is not written for it
WORKSPACE = PARAMETERS + 2  # the address of what a search works with (``engine/playouts.py``), or 0
GUARD = PARAMETERS + 3  # the address of what its guard works with (``engine/guard.py``), or 0
NUMBERS = PARAMETERS + 4

# Rows of what ``play`` writes for a match, then a row a seat for its score.
ROW_RANKS, ROW_REASON, ROW_PLIES, ROW_SCORES = range(4)
NO_WATCH = np.zeros(1, np.int64)  # stands for WATCH in a loop without telemetry
ILLEGAL_CHOICE = -1  # reason of a match whose bot chose no legal move
MOST_KINDS = len(NAMES)


def play(rules, bots, params, seats, seed, first, deals, tools, watch, out, at, stride):
    """Play ``deals`` deals, from number ``first`` on, with one line-up, and write a column of ``out`` a match.

    ``bots``: what ``engine.calls.addresses`` makes of them, one a seat; ``params`` (seats, NUMBERS); ``out``
    (ROW_SCORES + seats, matches) int32: the first match goes to column ``at``, the next ``stride`` further.
    Ranks are packed as a decimal digit a seat, seat 0 last. A seat with one legal move is not asked. The ``watch_``
    hooks add to ``watch`` (``engine/telemetry.py``), or do nothing. A match that a bot has spoiled ends with a reason
    below zero, -1 for the first kind of fault (``engine/faults.py``) and so on; ranks then holds the bot's seat.
    """
    state, view, moves, event, luck, cards, result = tools
    looks = held_back = 0  # sets of seats
    for seat in range(seats):
        if params[seat, BLIND] == 0.0:
            looks |= one(seat)
        if params[seat, NEVER] != 0.0:
            held_back |= one(seat)
    for number in range(deals):
        seed_stream(cards, seed, first + number, DEAL)
        for seat in range(seats):
            seed_stream(luck[seat], seed, first + number, 1 + seat)
        deal(rules, state, cards)
        watch_deal(rules, state, seats, watch)
        plies = 0
        faulty = NOBODY
        choice = 0
        seat = to_act(state)
        while seat != NOBODY:
            if seat == CHANCE:
                draw_event(rules, state, cards, event)
                apply_event(rules, state, event)
            else:
                count = legal(rules, state, moves)
                if has(held_back, seat):
                    count = spare(rules, state, moves, count, params[seat, NEVER])
                choice = 0
                if count > 1:
                    if has(looks, seat):
                        observe(rules, state, seat, view)
                    choice = call_bot(bots, seat, view, rules, moves, count, params, luck)
                    if choice < 0 or choice >= count:
                        faulty = seat
                        break
                watch_move(rules, state, seat, moves[choice], count, watch)
                apply(rules, state, moves[choice])
                plies += 1
            watch_position(rules, state, seats, plies, watch)
            seat = to_act(state)
        column = at + number * stride
        out[ROW_PLIES, column] = plies
        if faulty != NOBODY:
            out[ROW_RANKS, column] = faulty
            out[ROW_REASON, column] = ILLEGAL_CHOICE - fault_of(choice)
            for seat in range(seats):
                out[ROW_SCORES + seat, column] = 0
        else:
            outcome(rules, state, result)
            watch_end(rules, state, result, seats, plies, watch)
            ranks = 0
            for seat in range(seats - 1, -1, -1):
                ranks = ranks * 10 + result.ranks[seat]
                out[ROW_SCORES + seat, column] = result.scores[seat]
            out[ROW_RANKS, column] = ranks
            out[ROW_REASON, column] = result.reason


@kernel
def fault_of(choice):
    """What a bot did wrong that chose this: a kind of ``engine/faults.py``."""
    return FAULT - choice if choice > FAULT - MOST_KINDS and choice <= FAULT else ILLEGAL


def spare(rules, state, moves, count, never):
    """Keep the legal moves that use nothing of the set ``never``, or all if there is no other; return how many."""
    ways = WAYS
    forbidden = np.int64(never)
    kept = 0
    for i in range(count):
        cell = used(rules, state, moves[i])
        uses = 0
        if cell >= 0:
            uses |= one(cell % ways)
        if cell >= ways:
            uses |= one(MOST_WAYS + cell // ways - 1)
        if not uses & forbidden:
            moves[kept] = moves[i]
            kept += 1
    return kept if kept > 0 else count


@kernel
def no_draw(_rules, _state, _rng, _event):
    """The event of a game without chance: it has none."""
    return 0


@kernel
def no_event(_rules, _state, _event):
    """What happens in a game without chance: nothing."""


class Tools:
    """The records and arrays that matches of a game are played with; reused for every match.

    ``as_tuple`` is what ``play`` takes: state, view, moves, event, luck (seats, 4), cards (4), result.
    """

    def __init__(self, game: Game) -> None:
        shape = game.state
        self.state = _record(shape.STATE)
        self.view = blank_view(game)
        self.moves = np.zeros(shape.MOST_MOVES, np.int64)
        self.event = np.zeros(getattr(shape, "MOST_EVENT", 1), np.int64)
        self.luck = np.zeros((MAX_SEATS, rng_module.WORDS), np.int64)
        self.cards = np.zeros(rng_module.WORDS, np.int64)
        self.result = _record(RESULT)

    @property
    def as_tuple(self) -> tuple[Any, ...]:
        return self.state, self.view, self.moves, self.event, self.luck, self.cards, self.result


def _record(dtype: np.dtype[Any]) -> Any:
    return np.zeros(1, dtype).view(np.recarray)[0]


def blank_view(game: Game) -> Any:
    """A view that ``observe`` may be given: games keep parts of it from call to call."""
    return blank_views(game)[0]


def blank_views(game: Game) -> Any:
    """The same as an array of one record."""
    views = np.zeros(1, game.state.VIEW).view(np.recarray)
    clear = getattr(game.rules, "blank", None)
    if clear:
        clear(views[0])
    return views


def bot_arguments(game: Game, rules: Any) -> tuple[Any, ...]:
    """The types that the game's bots take: ``decide(view, rules, moves, count, params, luck)``."""
    view, moves, numbers = typeof(_record(game.state.VIEW)), types.int64[::1], types.float64[::1]
    return view, typeof(rules), moves, types.int64, numbers, moves


def loop_arguments(game: Game, rules: Any, telemetry: bool) -> tuple[Any, ...]:
    """The types that the game's match loop takes (see :func:`play`)."""
    number = types.int64
    bots, params, out = types.int64[::1], types.float64[:, ::1], types.int32[:, ::1]
    known = _loop_types(game.id, telemetry)
    return typeof(rules), bots, params, number, number, number, number, *known, out, number, number


@functools.cache
def _loop_types(game_id: str, telemetry: bool) -> tuple[Any, Any]:
    from engine.registry import game as find

    game = find(game_id)
    return typeof(Tools(game).as_tuple), typeof(new_watch(game) if telemetry else NO_WATCH)


@functools.cache
def spare_of(game_id: str) -> Any:
    """:func:`spare` for a game."""
    from engine.registry import game as find

    telemetry = find(game_id).telemetry
    return bind(spare, {"used": telemetry.used, "WAYS": telemetry.WAYS}, sources_of(Path(telemetry.__file__)))


@functools.cache
def loop_of(game_id: str, telemetry: bool) -> Any:
    """The match loop of a game (compiled when first called, through the disk cache)."""
    from engine.registry import game as find

    game = find(game_id)
    rules = game.rules
    functions: dict[str, Any] = {"draw_event": no_draw, "apply_event": no_event, "spare": spare_of(game_id)}
    functions |= hooks(game) if telemetry else IGNORE
    for name in ("deal", "to_act", "legal", "apply", "draw_event", "apply_event", "observe", "outcome"):
        if hasattr(rules, name):
            functions[name] = getattr(rules, name)
    return bind(play, functions, sources_of(Path(rules.__file__)))


class MatchLoop:
    """Plays blocks of matches of one game under one set of rules: ``play`` with its arguments prepared.

    Compiles, or loads from the cache, on construction.
    """

    def __init__(self, game: Game, rules: Any, telemetry: bool = False) -> None:
        self.game = game
        self.rules = rules
        self.tools = Tools(game)
        self.watch = new_watch(game) if telemetry else NO_WATCH
        self._loop = loop_of(game.id, telemetry)
        self._arguments = () if INTERPRETED else bot_arguments(game, rules)
        self._known: dict[tuple[Any, ...], Any] = {}  # line-ups of bots, ready to be called
        if not INTERPRETED:
            self._loop.compile(loop_arguments(game, rules, telemetry))

    def play(
        self,
        bots: Sequence[Any],
        params: np.ndarray[Any, Any],
        seed: int,
        first: int,
        deals: int,
        out: np.ndarray[Any, Any],
        at: int = 0,
        stride: int = 1,
    ) -> None:
        """See :func:`play`; ``bots`` are the decide functions in seat order."""
        line_up = tuple(bots)
        if line_up not in self._known:
            self._known[line_up] = addresses(line_up, self._arguments)
        called = self._known[line_up]
        tools, watch = self.tools.as_tuple, self.watch
        self._loop(self.rules, called, params, len(bots), seed, first, deals, tools, watch, out, at, stride)
        for bot in line_up:
            failed = getattr(bot, "failed", None)  # of a bot in plain Python
            if isinstance(failed, KeyboardInterrupt):
                bot.failed = None
                raise failed
