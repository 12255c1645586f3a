"""The bots of each game, and how a command line names them.

Every game has ``random``; its own bots are the files of ``bots/<game>``, listed in ``NAMES`` of that folder's
``__init__.py`` in the order in which they are shown. A test makes sure that no file is missing from the list.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from bots.bot import Bot, Entrant, entrant
from engine import registry as game_registry
from engine.errors import UsageError, listed

_SPEC = re.compile(r"^(?P<name>[^()]+?)\s*(?:\((?P<given>[^()]*)\))?$")


def names(game: str) -> tuple[str, ...]:
    """The names of a game's bots; importing this compiles nothing."""
    own: tuple[str, ...] = importlib.import_module(f"bots.{game}").NAMES
    return ("random", *own)


def bot(game: str, name: str) -> Bot:
    """The bot of that name, or the one in a user's file written ``path/to/file.py``."""
    if name.endswith(".py"):
        return _from_file(Path(name))
    if name not in names(game):
        raise UsageError(f"{game} has no bot '{name}'; allowed: {listed(names(game))}, or the path of a .py file")
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
    return replace(entrant(bot(game, match["name"]), given), never=never, forbidden=forbidden)


def _from_file(path: Path) -> Bot:
    """A user's own bot: a file like those of ``bots/<game>``."""
    if path.is_dir():
        raise UsageError(f"the bot file '{path}' is a folder")
    if not path.is_file():
        raise UsageError(f"there is no bot file '{path}'")
    full = path.resolve()
    # Compiled code that comes back from the disk cache looks its module up, so this one is known by a lasting name.
    module = ModuleType(f"own_bot_{path.stem}_{hashlib.sha256(os.fsencode(full)).hexdigest()[:8]}")
    module.__file__ = str(full)
    sys.modules[module.__name__] = module
    try:
        # Python's importer would take old byte code for a file of the same size and time.
        exec(compile(full.read_bytes(), str(full), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"the bot file '{path}' cannot be loaded: {what}") from error
    found = getattr(module, "BOT", None)
    if not isinstance(found, Bot):
        raise UsageError(f"the bot file '{path}' defines no BOT = Bot(...)")
    return replace(found, name=str(path))  # a run's settings name the file, so that the run can be played on
