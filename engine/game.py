"""What a game is to the rest of the program: its facts, its rule options, and its modules, loaded when needed.

A game is a folder of ``engine/games``:

``options.py``   ``GAME``, a :class:`Game`: title, credit, seats, rule options, variants (imports no compiler)
``state.py``     the records ``STATE`` and ``VIEW``, the move coding, named constants
``rules.py``     the rules as kernels, the same names in every game (``engine/contract.py``)
``telemetry.py`` who leads and which pieces are used, for what is counted inside matches
``notation.py``  positions, views, moves and events to and from JSON
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError, listed

if TYPE_CHECKING:
    import numpy as np

Value = Any  # int, bool, text, list of ints; a game may allow more (a deck)
Options = dict[str, Value]

MAX_SEATS = 6
BLIND = "drawn_blind"  # the way of the first card that a seat draws unseen: chance alone decides which one it is
MOST_WAYS = 16  # ways to use a piece (see Game.ways)
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")


@dataclass(frozen=True)
class Option:
    """A rule option: ``kind`` is int, bool, text, list or data; int and list entries lie in ``low..high``."""

    name: str
    default: Value
    meaning: str
    kind: str = "int"
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    parse: Callable[[Any], Value] | None = None  # for kind "data": checks a value, or reads it from text

    @property
    def range(self) -> str:
        """The allowed values, for people."""
        if self.kind == "int":
            return f"{self.low} to {self.high}"
        if self.kind == "list":
            return f"{len(self.default)} numbers, each {self.low} to {self.high}"
        return "true or false" if self.kind == "bool" else listed(self.choices)

    def check(self, value: Value) -> Value:
        """The value, if it has the right type and lies in range."""
        if self.parse:
            return self.parse(value)
        if self.kind == "bool":
            good = isinstance(value, bool)
        elif self.kind == "text":
            good = isinstance(value, str) and value in self.choices
        elif self.kind == "list":
            good = isinstance(value, (list, tuple)) and len(value) == len(self.default)
            good = good and all(_is_int(entry) and self.low <= entry <= self.high for entry in value)
        else:
            good = _is_int(value) and self.low <= value <= self.high
        if not good:
            raise UsageError(f"rule option {self.name} cannot be {_shown(value)}; allowed: {self.range}")
        return list(value) if self.kind == "list" else value

    def from_text(self, text: str) -> Value:
        """The value written as on a command line: ``14``, ``true``, ``mover``, ``14,10,7,5``."""
        if self.kind in ("text", "data"):
            return self.check(text)
        plain = text.strip().lower()
        if self.kind == "list" and not plain.startswith("["):
            plain = f"[{plain}]"
        try:
            value = json.loads(plain)
        except (ValueError, RecursionError):
            raise UsageError(f"rule option {self.name} cannot be '{text}'; allowed: {self.range}") from None
        return self.check(value)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


@dataclass(frozen=True)
class Game:
    """The facts of a game. ``seats`` are the player counts it allows, ``variants`` named sets of rule options."""

    id: str
    title: str
    idea: str
    credit: str
    seats: tuple[int, ...]
    options: tuple[Option, ...]
    variants: Mapping[str, Options]
    cooperative: bool = False
    won: str = ""  # cooperative games: the reason that means that the team has won
    medal: Callable[[Options, int], str | None] | None = None  # what a won score earns
    demo: int = 100_000  # matches of it in ``make demo``
    block: int = 1 << 16  # matches in a chunk of a large run: a quarter to a whole second of work
    default_seats: int = 2
    check: Callable[[Options, int], None] | None = None  # what ties several options, or options and seats, together
    notice: Callable[[Options], str | None] | None = None  # what must be said wherever results are shown
    pieces: tuple[str, ...] = ()  # what telemetry tells apart: cards, ranks or kinds of cards
    name_piece: Callable[[Options, int], str] | None = None  # what a piece is called where rule options decide it
    ways: tuple[str, ...] = ()  # how a piece comes to a seat (dealt, later), and is used; rule elements without a piece
    none_wins: frozenset[str] = frozenset()  # reasons that end a match without a winner among the seats, not as a draw

    @cached_property
    def rules(self) -> Any:
        """The module of rule kernels (imports the compiler)."""
        return self._module("rules")

    @cached_property
    def state(self) -> Any:
        """The module of records and named numbers (imports the compiler)."""
        return self._module("state")

    @cached_property
    def telemetry(self) -> Any:
        """The module of what is counted in the match loop (imports the compiler)."""
        return self._module("telemetry")

    @property
    def elements(self) -> tuple[str, ...]:
        """The ways that are uses: those of which a bot can be told to do without."""
        return tuple(way for way in self.ways[2:] if way != BLIND)

    @property
    def cells(self) -> int:
        """How many cells ``(piece + 1) * ways + way`` there are; those of piece -1 are rule elements without one."""
        return (len(self.pieces) + 1) * len(self.ways)

    def piece_name(self, options: Options, piece: int) -> str:
        """What a piece is called under these rule options; '' if they know no such piece."""
        return self.name_piece(options, piece) if self.name_piece else self.pieces[piece]

    def forbidden(self, names: Sequence[str]) -> int:
        """The set of ways and pieces that a bot must never use, as the match loop takes it (``engine.loop.NEVER``).

        Raises UsageError for a name that is neither. A bot to which nothing else is left uses them all the same.
        """
        options = {option.name: option.default for option in self.options}
        pieces = [self.piece_name(options, piece) for piece in range(len(self.pieces))]
        never = 0
        for name in names:
            if name in self.elements:
                never |= 1 << self.ways.index(name)
            elif name and name in pieces:
                never |= 1 << (MOST_WAYS + pieces.index(name))
            else:
                allowed = listed([*self.elements, *filter(None, pieces)])
                raise UsageError(
                    f"'{name}' is nothing that a bot of {self.id} can be told never to use; allowed: {allowed}"
                )
        return never

    @cached_property
    def notation(self) -> Any:
        """The module of JSON notation."""
        return self._module("notation")

    def _module(self, name: str) -> ModuleType:
        return importlib.import_module(f"engine.games.{self.id}.{name}")

    def option(self, name: str) -> Option:
        """The option of that name."""
        for option in self.options:
            if option.name == name:
                return option
        raise UsageError(f"{self.id} has no rule option '{name}'; allowed: {listed(o.name for o in self.options)}")

    def variant(self, name: str) -> Options:
        """The rule options that a variant sets."""
        if name not in self.variants:
            raise UsageError(f"{self.id} has no variant '{name}'; allowed: {listed(self.variants)}")
        return dict(self.variants[name])

    def settle(self, given: Mapping[str, Value], players: int) -> Options:
        """All options in force: ``given`` (checked) over the defaults. Raises UsageError on anything not allowed."""
        if players not in self.seats:
            raise UsageError(f"{self.id} is not for {players} seats; allowed: {listed(self.seats)}")
        checked = {name: self.option(name).check(value) for name, value in given.items()}
        options = {option.name: option.default for option in self.options} | checked
        if self.check:
            self.check(options, players)
        return options

    def read_rule(self, text: str) -> tuple[str, Value]:
        """Name and value of a rule option written ``name=value``."""
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"'{text}' is not a rule option of the form name=value")
        return name.strip(), self.option(name.strip()).from_text(value)

    def read_rules(self, texts: Iterable[str]) -> Options:
        """The rule options that such texts set, each once."""
        given: Options = {}
        for name, value in map(self.read_rule, texts):
            if name in given:
                raise UsageError(f"rule option {name} is given twice; give it once")
            given[name] = value
        return given

    def settle_text(self, variant: str, rules: Iterable[str], players: int) -> Options:
        """All options in force for a variant and ``name=value`` texts over it."""
        return self.settle(self.variant(variant) | self.read_rules(rules), players)


def rules_dtype(game: Game) -> np.dtype[Any]:
    """The record of rule options that kernels read: a field an option, texts as their place in ``choices``.

    A game whose options include data lays out its own record: ``RULES`` in its ``state.py``, filled by ``fill_rules``
    in its ``notation.py``.
    """
    import numpy as np

    own = getattr(game.state, "RULES", None)
    if own is not None:
        return own  # type: ignore[no-any-return]
    fields: list[Any] = [("players", np.int64)]
    for option in game.options:
        shape = (len(option.default),) if option.kind == "list" else ()
        fields.append((option.name, np.int64, shape))
    return np.dtype(fields)


def rules_record(game: Game, options: Options, players: int) -> Any:
    """``options`` (as :meth:`Game.settle` gives them) as one record for the kernels."""
    import numpy as np

    record = np.zeros(1, rules_dtype(game)).view(np.recarray)[0]
    record.players = players
    fill = getattr(game.notation, "fill_rules", None)
    for option in game.options:
        value = options[option.name]
        if option.kind == "text":
            record[option.name] = option.choices.index(value)
        elif option.kind != "data":
            record[option.name] = value
    if fill:
        fill(record, options, players)
    return record
