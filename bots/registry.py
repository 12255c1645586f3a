"""The bots of each game, and how a command line names them.

Every game has ``random``; its own bots are the files of ``bots/<game>``, listed in ``NAMES`` of that folder's
``__init__.py`` in the order in which they are shown. A test makes sure that no file is missing from the list.
"""

from __future__ import annotations

import importlib
import math
import re
from dataclasses import replace
from pathlib import Path

from bots.bot import Bot, Entrant, Parameter, entrant
from bots.search import SEARCHES, search_bot
from engine import registry as game_registry
from engine import userfiles
from engine.errors import UsageError, listed
from engine.kernel import is_kernel
from engine.loop import PARAMETERS
from engine.plain import Plain
from engine.probe import probe

_NAME = re.compile(r"^[^(),+]{1,60}$")
_SPEC = re.compile(r"^(?P<name>[^()]+?)\s*(?:\((?P<given>[^()]*)\))?$")


def names(game: str) -> tuple[str, ...]:
    """The names of a game's bots, its searches apart; importing this compiles nothing."""
    own: tuple[str, ...] = importlib.import_module(f"bots.{game}").NAMES
    return ("random", *own)


def bot(game: str, name: str) -> Bot:
    """The bot of that name, or the one in a user's file written ``path/to/file.py``."""
    if name.endswith(".py"):
        return _from_file(game, Path(name))
    if name in SEARCHES:
        return search_bot(game, name, bot(game, importlib.import_module(f"bots.{game}").POLICY))
    if name not in names(game):
        allowed = listed((*names(game), *SEARCHES))
        raise UsageError(f"{game} has no bot '{name}'; allowed: {allowed}, or the path of a .py file")
    module = "bots.uniform" if name == "random" else f"bots.{game}.{name}"
    found: Bot = importlib.import_module(module).BOT
    return found


def field(game: str, text: str) -> list[Entrant]:
    """The entrants that ``a,b(parameter=value),path/to/own.py`` or ``all`` names, in that order."""
    if text.strip() == "all":
        return [entrant(bot(game, name), {}) for name in names(game)]
    return [_parse(game, spec) for spec in _split(text)]


def _split(text: str) -> list[str]:
    """At commas outside parentheses."""
    specs, depth, start = [], 0, 0
    for place, letter in enumerate(text + ","):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            specs.append(text[start:place].strip())
            start = place + 1
    if depth:
        raise UsageError(f"'{text}' has a parenthesis without its other half; write name or name(parameter=value,...)")
    return specs


def _parse(game: str, spec: str) -> Entrant:
    match = _SPEC.match(spec)
    if not match:
        raise UsageError(f"'{spec}' does not name a bot; write name or name(parameter=value,...)")
    given: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in (match["given"] or "").split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"'{part}' in '{spec}' is not of the form parameter=value")
        if name.strip() in given:
            raise UsageError(f"'{spec}' gives {name.strip()} twice")
        given[name.strip()] = value.strip()
    # Every bot takes this one: the match loop sees to it.
    never = tuple(sorted({name.strip() for name in given.pop("never", "").split("+")} - {""}))
    forbidden = game_registry.game(game).forbidden(never)
    found = bot(game, match["name"])
    if found.policy and "policy" in given:
        found = replace(found, policy=_policy(game, given.pop("policy")))
    return replace(entrant(found, given), never=never, forbidden=forbidden)


def _policy(game: str, name: str) -> Bot:
    if name in SEARCHES:
        raise UsageError(f"a search cannot have the policy '{name}'; allowed: {listed(names(game))}")
    return bot(game, name)


def game_of(path: Path) -> str:
    """The id of the game for which a user's file says that its bot is; '' if it does not say."""
    return _loaded(path).game


def _from_file(game: str, path: Path) -> Bot:
    """A user's own bot: a file like those of ``bots/<game>``, or in plain Python."""
    found = _loaded(path)
    if found.game not in ("", game):
        raise UsageError(f"the bot file '{path}' is for {found.game}, not for {game}")
    decide = found.decide if is_kernel(found.decide) else Plain(game_registry.game(game), found.decide)
    # A run's settings name the file, so that the run can be played on.
    return replace(found, name=str(path), title=found.name, decide=decide)


def _loaded(path: Path) -> Bot:
    """The bot that a user's file defines."""
    if path.is_dir():
        raise UsageError(f"the bot file '{path}' is a folder")
    if not path.is_file():
        raise UsageError(f"there is no bot file '{path}'")
    trouble = probe(path)
    if trouble:
        raise UsageError(f"the bot file '{path}' cannot be loaded: {trouble}")
    try:
        module = userfiles.load(path)
    except (Exception, SystemExit) as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        where = userfiles.place(error)
        raise UsageError(
            f"the bot file '{path}' cannot be loaded: {what}" + (f" ({where})" if where else "")
        ) from error
    found = getattr(module, "BOT", None)
    if not isinstance(found, Bot):
        raise UsageError(f"the bot file '{path}' defines no BOT = Bot(...)")
    _check(found, path)
    return found


def _check(found: Bot, path: Path) -> None:
    """Raises UsageError for what a user's bot says of itself that cannot be."""

    def refuse(what: str) -> None:
        raise UsageError(f"the bot file '{path}' {what}")

    if not isinstance(found.name, str) or not _NAME.match(found.name) or not found.name.isprintable():
        refuse(f"calls its bot {found.name!r}; allowed: 1 to 60 letters, digits and signs, but no ( ) , or +")
    if not callable(found.decide):
        refuse(f"has no function as decide, but {found.decide!r}")
    if not isinstance(found.parameters, tuple) or not all(isinstance(one, Parameter) for one in found.parameters):
        refuse("has something else than Parameters in its parameters; write (Parameter(...), Parameter(...))")
    if len(found.parameters) > PARAMETERS:
        refuse(f"has {len(found.parameters)} parameters; allowed: up to {PARAMETERS}")
    names = [parameter.name for parameter in found.parameters]
    for parameter in found.parameters:
        if not isinstance(parameter.name, str) or not parameter.name.isidentifier() or parameter.name == "never":
            refuse(f"calls a parameter {parameter.name!r}; allowed: a name as of a variable, other than never")
        if names.count(parameter.name) > 1:
            refuse(f"has two parameters called {parameter.name}")
        numbers = (parameter.default, parameter.low, parameter.high)
        if not all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers):
            refuse(f"gives parameter {parameter.name} something else than numbers as default, low and high")
        if not parameter.low <= parameter.default <= parameter.high:
            refuse(f"gives parameter {parameter.name} the default {parameter.default:g} outside of its range")
