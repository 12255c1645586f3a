"""Bots in plain Python: what they are shown, and how the compiled match loop calls them.

A bot whose ``decide`` is no kernel is called back by the loop, at a few microseconds a decision. It gets values of its
own, which read as a kernel's arguments do: the fields of ``view`` and ``rules`` by name, ``moves[i]`` with the parts of
a move by name, ``params`` and ``luck`` as sequences of numbers. Nothing that it writes into them reaches anyone, but
what it draws from ``luck``.

Kernels that it calls run as Python too (:func:`twin`), so any bot may be written without ``@kernel`` and plays the
same.
"""

from __future__ import annotations

import ctypes
import difflib
import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from engine import userfiles
from engine.cache import ROOT
from engine.compiler import INTERPRETED, Kernel, python_code
from engine.faults import FAULT, OVER_BUDGET, RAISED
from engine.game import Game, rules_dtype
from engine.limits import BUDGET, LINE, OutOfLines, in_time
from engine.loop import NUMBERS
from engine.rng import WORDS

WORD = 8  # bytes of every number in a record
NO_CHOICE = -1

# ---------------------------------------------------------------- what a bot is shown


class Grid:
    """Numbers in several dimensions: ``grid[a, b]`` and ``grid[a][b]`` as of an array."""

    __slots__ = ("_shape", "_words")

    def __init__(self, words: memoryview, shape: tuple[int, ...]) -> None:
        self._words, self._shape = words, shape

    def __len__(self) -> int:
        return self._shape[0]

    def __getitem__(self, place: Any) -> Any:
        places = place if isinstance(place, tuple) else (place,)
        words, shape = self._words, self._shape
        for one in places:
            row = len(words) // shape[0]
            at = range(shape[0])[one] * row
            words, shape = words[at : at + row], shape[1:]
        if not shape:
            return words[0]
        return words if len(shape) == 1 else Grid(words, shape)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))


class Record:
    """A record of whole numbers that cannot be written: the fields of a record type by name."""

    __slots__ = ("_words",)
    dtype: np.dtype[Any]

    def __init__(self, words: memoryview) -> None:
        self._words = words

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(missing(f"field '{name}'", name, fields_of(type(self))))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """What NumPy makes of it, as when it is copied into a record that a bot plans on."""
        return np.frombuffer(self._words, self.dtype).reshape(())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={_shown(self[name])}' for name in fields_of(type(self)))})"


def _shown(value: Any) -> Any:
    return [_shown(one) for one in value] if isinstance(value, (memoryview, Grid)) else value


def fields_of(kind: type) -> list[str]:
    """The names of a record's fields, or of a move's parts."""
    return [name for name, value in vars(kind).items() if isinstance(value, property)]


def missing(what: str, name: str, known: Iterable[str]) -> str:
    """What to tell whoever misspells a name."""
    near = difflib.get_close_matches(name, sorted(known), 1)
    return f"there is no {what}" + (f"; did you mean '{near[0]}'?" if near else "")


def record_class(name: str, dtype: np.dtype[Any]) -> type[Record]:
    """The class of records of a type whose fields are int64, arrays of them or such records."""
    fields: dict[str, Any] = {"__slots__": (), "dtype": dtype}
    for field, (kind, start, *_) in (dtype.fields or {}).items():
        fields[field] = property(_reader(field, kind, start // WORD))
    return type(name, (Record,), fields)


def _reader(name: str, kind: np.dtype[Any], start: int) -> Callable[[Any], Any]:
    end = start + kind.itemsize // WORD
    if kind.fields:
        inner = record_class(name.capitalize(), kind)
        return lambda record: inner(record._words[start:end])
    assert kind.base == np.int64
    if kind.ndim == 0:
        return lambda record: record._words[start]
    if kind.ndim == 1:
        return lambda record: record._words[start:end]
    return lambda record: Grid(record._words[start:end], kind.shape)


class Move(int):
    """A move: its code, with its parts by name. A game has a class of its own (:func:`move_class`)."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(missing(f"part '{name}' of a move", name, fields_of(type(self))))

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in fields_of(type(self)))

    def __repr__(self) -> str:
        return f"Move({', '.join(f'{name}={getattr(self, name)}' for name in fields_of(type(self)))})"


def move_class(game: Game) -> type[Move]:
    """The moves of a game, with the parts that its ``Move`` names, each read by the function of that name."""
    shape = game.state
    parts = {name: property(twin(getattr(shape, f"{name}_of"))) for name in shape.Move._fields}
    return type("Move", (Move,), {"__slots__": (), **parts})


# ---------------------------------------------------------------- kernels as Python

_OURS = ("engine", "bots")
_twins: dict[int, dict[str, Any]] = {}  # globals of modules, in which kernels are functions; by the module's own
_kept: list[dict[str, Any]] = []  # these, so that none is another one's number


def twin(function: Any) -> Any:
    """A kernel or function as Python code that calls Python code alone."""
    source = function.py_func if isinstance(function, Kernel) else function
    if INTERPRETED or not isinstance(source, FunctionType):
        return function
    made = FunctionType(
        source.__code__, _globals(source.__globals__), source.__name__, source.__defaults__, source.__closure__
    )
    made.__kwdefaults__ = source.__kwdefaults__
    if source.__name__ == "move_of":  # what a bot is shown has its parts
        return lambda move: move if isinstance(move, Move) else made(move)
    return made


def _globals(names: dict[str, Any]) -> dict[str, Any]:
    if id(names) not in _twins:
        _kept.append(names)
        twins = _twins[id(names)] = dict(names)
        for name, value in names.items():
            if isinstance(value, Kernel) or (isinstance(value, FunctionType) and _is_ours(value.__code__.co_filename)):
                twins[name] = twin(value)
            elif isinstance(value, ModuleType) and _is_ours(getattr(value, "__file__", None) or ""):
                twins[name] = _Module(value)
    return _twins[id(names)]


@functools.cache
def _is_ours(file: str) -> bool:
    path = Path(file)
    return userfiles.is_own(path) or any(path.is_relative_to(ROOT / name) for name in _OURS)


class _Module:
    """A module whose kernels are Python functions."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return _Module(found) if _is_ours(found.__file__ or "") else found
        known = _globals(vars(self._module)).get(name, found)
        setattr(self, name, known)
        return known


# ---------------------------------------------------------------- how it is called


class Plain:
    """The ``decide`` of a bot in plain Python. Called with a kernel's arguments it raises whatever the bot raises."""

    def __init__(self, game: Game, decide: Callable[..., Any]) -> None:
        self.failed: BaseException | None = None  # what it raised when a match loop last called it
        self.lines = BUDGET // LINE  # that a decision may take
        self._view = record_class("View", game.state.VIEW)
        self._rules = record_class("Rules", rules_dtype(game))
        self._sizes = game.state.VIEW.itemsize, rules_dtype(game).itemsize
        self._move = move_class(game)
        self._decide = twin(decide)
        self.__name__ = decide.__name__
        self._known: tuple[bytes, Any] = b"", None  # the rules of the last call
        self._code: Any = None

    def __call__(self, view: Any, rules: Any, moves: Any, count: int, params: Any, luck: Any) -> int:
        words = luck.tolist()
        choice = self._ask(bytes(view), bytes(rules), moves[:count].tobytes(), params.tolist(), words)
        luck[:] = words
        return choice

    def address(self, arguments: tuple[Any, ...]) -> int:
        """Where the match loop calls it, as a kernel of these types. What it raises, or that it takes too many lines,
        is then a choice that is none (``engine/faults.py``)."""
        if self._code is None:
            self._code = python_code(self._called, arguments)
        return int(self._code.address)

    def _called(self, view: int, rules: int, moves: int, count: int, params: int, luck: int) -> int:
        stream = _numbers(luck)
        words: list[int] = []

        def ask() -> int:
            take = ctypes.string_at
            words[:] = stream
            return self._ask(
                take(view, self._sizes[0]),
                take(rules, self._sizes[1]),
                take(moves, WORD * count),
                memoryview(take(params, WORD * NUMBERS)).cast("d"),
                words,
            )

        self.failed = None
        try:
            choice = in_time(ask, self.lines)
            stream[:] = words
        except OutOfLines:
            return FAULT - OVER_BUDGET
        except BaseException as error:
            self.failed = error
            return FAULT - RAISED
        return choice

    def _ask(self, view: bytes, rules: bytes, moves: bytes, params: Any, luck: list[int]) -> int:
        if rules != self._known[0]:
            self._known = rules, self._rules(memoryview(rules).cast("q"))
        shown = tuple(map(self._move, memoryview(moves).cast("q")))
        seen = self._view(memoryview(view).cast("q"))
        try:
            answer = self._decide(seen, self._known[1], shown, len(shown), params, luck)
        except (SystemExit, GeneratorExit) as stop:  # which would end the program
            raise RuntimeError(f"decide raised {type(stop).__name__}").with_traceback(stop.__traceback__) from stop
        if isinstance(answer, Move):
            raise TypeError(f"decide returned the move {answer!r}, not its place in moves")
        try:
            choice = operator.index(answer)
        except TypeError:
            raise TypeError(f"decide returned {answer!r}, not the place of a move in moves") from None
        return choice if 0 <= choice < len(shown) else NO_CHOICE


@functools.lru_cache(maxsize=64)
def _numbers(address: int) -> Any:
    return (ctypes.c_int64 * WORDS).from_address(address)
