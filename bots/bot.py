"""What a bot is: a strategy with a name, an idea and, where numbers matter, parameters.

A bot is one file of ``bots/<game>``, named like the bot, with a kernel ``decide`` and ``BOT = Bot(...)``; a user's own
file may have a plain function instead (``engine/plain.py``)::

    decide(view, rules, moves, count, params, luck) -> index of the chosen move

``view``: what the seat may know (the game's VIEW record); ``rules``: the rule options; ``moves[:count]``: the legal
moves, at least two of them; ``params``: the values of the bot's parameters, in their order; ``luck``: the seat's own
random stream (``engine.rng``). It must not keep anything from call to call and must not change ``view`` or ``moves``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import UsageError, listed
from engine.game import Game
from engine.guard import Guard
from engine.limits import BUDGET
from engine.loop import BLIND, NEVER, NUMBERS, WORKSPACE
from engine.playouts import Workspace
from engine.registry import game
from engine.search import PLAYOUTS


@dataclass(frozen=True)
class Parameter:
    """A number that a bot takes: its default and the range it may lie in."""

    name: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False  # whole numbers only
    told: bool = False  # written even if it has its default


@dataclass(frozen=True)
class Bot:
    """A strategy of one game, whose id is told of a user's file and of a search; that has a policy, another bot."""

    name: str
    idea: str
    decide: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    blind: bool = False  # it never looks at ``view``, which then may hold anything: the match loop need not write it
    title: str = ""  # of a bot in a user's file, which is called by its path: what the file calls it
    policy: Bot | None = None
    game: str = ""

    @property
    def own(self) -> bool:
        """Is it a user's, not one that comes with the program?"""
        return bool(self.title)


@dataclass(frozen=True)
class Entrant:
    """A bot with values for its parameters; ``spec`` is how a command line writes it.

    ``never`` names rule elements and pieces that it does without (``Game.forbidden``, whose set is ``forbidden``); the
    match loop does not even offer them to it.
    """

    bot: Bot
    values: tuple[float, ...]
    never: tuple[str, ...] = ()
    forbidden: int = 0
    policy: Bot | None = None

    @property
    def spec(self) -> str:
        """``name``, or ``name(parameter=value,...)`` with the values that differ from the defaults, and a policy."""
        changed = [
            f"{parameter.name}={_exact(value)}"
            for parameter, value in zip(self.bot.parameters, self.values, strict=True)
            if value != parameter.default or parameter.told
        ]
        if self.policy:
            changed.append(f"policy={self.policy.name}")
        if self.never:
            changed.append(f"never={'+'.join(self.never)}")
        return f"{self.bot.name}({','.join(changed)})" if changed else self.bot.name

    @property
    def label(self) -> str:
        """``spec`` with the name that a user's file gives its bot in place of the path."""
        return self.bot.title + self.spec.removeprefix(self.bot.name) if self.bot.title else self.spec

    @property
    def identity(self) -> str:
        """The bot's name, or where its file is, however the path is written."""
        return str(Path(self.bot.name).resolve()) if self.bot.title else self.bot.name

    @property
    def params(self) -> np.ndarray[Any, Any]:
        """The values as the match loop takes them, float64 (NUMBERS,): parameters, 0s, NEVER, BLIND, WORKSPACE: of a
        search the address of its memory, which lasts as long as the entrant; and 0 for GUARD."""
        padded = self._numbers
        if self.policy:
            padded[WORKSPACE] = self.workspace.address
        return padded

    @property
    def _numbers(self) -> np.ndarray[Any, Any]:
        padded = np.zeros(NUMBERS)
        padded[: len(self.values)] = self.values
        padded[NEVER] = self.forbidden
        # Who says that it does not look, and does, would see what was shown to another seat.
        padded[BLIND] = self.bot.blind and not self.bot.own
        return padded

    @cached_property
    def workspace(self) -> Workspace:
        """The memory of a search."""
        assert self.policy
        return Workspace(game(self.bot.game), self.policy.decide, entrant(self.policy, {}).params)

    @property
    def own(self) -> bool:
        """Does any code of a user's decide?"""
        return any(part.own for part in self.parts)

    def guard(self, table: Game, trusted: bool = False, budget: int = BUDGET, memory: Any = None) -> Guard:
        """A guard of it, and of an own policy; see ``engine/guard.py``. ``trusted``: is a user's code?"""
        params, inner, workspace = self._numbers, None, None
        if self.policy and self.policy.own:
            inner = Guard(table, self.policy.decide, entrant(self.policy, {}).params, trusted, budget)
            workspace = Workspace(table, inner.decide, inner.params)
            params[WORKSPACE] = workspace.address
        elif self.policy:
            params = self.params
        made = Guard(table, self.bot.decide, params, trusted or not self.bot.own, budget, inner, memory)
        made.holds = workspace
        return made

    @property
    def playouts(self) -> int:
        """How many matches it plays on from a decision: 0 but for a search."""
        return int(self.values[PLAYOUTS]) if self.policy else 0

    @property
    def parts(self) -> tuple[Bot, ...]:
        """The bots whose code decides: itself, and its policy."""
        return (self.bot, self.policy) if self.policy else (self.bot,)


def _exact(value: float) -> str:
    """The value as short as can be without changing it."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def entrant(bot: Bot, given: dict[str, str]) -> Entrant:
    """``bot`` with the parameters named in ``given`` (texts); raises UsageError for what it does not take."""
    values = {parameter.name: parameter.default for parameter in bot.parameters}
    for name, text in given.items():
        parameter = next((p for p in bot.parameters if p.name == name), None)
        if parameter is None:
            allowed = listed(values) or "none"
            raise UsageError(f"bot {bot.name} has no parameter '{name}'; allowed: {allowed}")
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not parameter.low <= value <= parameter.high or (parameter.whole and not value.is_integer()):
            allowed = f"{parameter.low:.15g} to {parameter.high:.15g}{', whole numbers' if parameter.whole else ''}"
            raise UsageError(f"parameter {name} of bot {bot.name} cannot be '{text}'; allowed: {allowed}")
        values[name] = value
    return Entrant(bot, tuple(values.values()), policy=bot.policy)
