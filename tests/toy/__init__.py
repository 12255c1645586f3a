"""A toy game with planted truths, played by the real match loop: what the balance report says of it can be checked.

Each of two seats is dealt card X or not, with even chances, and then shows a level, 0 to 3. With probability ``luck``
the match is decided by chance: seat 0 wins with probability 1/2 + ``bias`` + ``card`` (its X - the other's X), all in
thousandths. Else the higher level wins, and equal levels draw. With ``shop`` nothing is dealt: who shows level 2 or 3
takes an X if there is one on offer, with even chances.
"""

from __future__ import annotations

import importlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from bots import registry as bot_registry
from engine import registry
from engine.game import Game
from tests.program import ROOT

PACKAGES = ("engine", "bots", "storage", "tournament", "hilltop", "cli")


@dataclass(frozen=True)
class ToyGame(Game):
    """A game whose modules are here."""

    def _module(self, name: str) -> ModuleType:
        return importlib.import_module(f"tests.toy.{name}")


def install(patch: pytest.MonkeyPatch) -> None:
    """Make the toy a game like the others."""
    real = registry.game
    from tests.toy.options import GAME

    patch.setattr(registry, "game", lambda name: GAME if name == "toy" else real(name))
    names = bot_registry.names
    patch.setattr(bot_registry, "names", lambda game: ["random"] if game == "toy" else names(game))


def copy_with_toy(copy: Path) -> Path:
    """A copy of the sources in which the toy is a game like the others, by the steps that CONTRIBUTING.md names."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    here, game, bots = ROOT / "tests" / "toy", copy / "engine" / "games" / "toy", copy / "bots" / "toy"
    # Step 4: the files of a game.
    game.mkdir()
    (game / "__init__.py").write_text("")
    for name in ("options", "state", "rules", "notation", "telemetry"):
        source = (here / f"{name}.py").read_text()
        source = source.replace("from tests.toy import ToyGame\n", "").replace("ToyGame(", "Game(")
        source = source.replace("from engine.game import Option\n", "from engine.game import Game, Option\n")
        (game / f"{name}.py").write_text(source)
    # Step 5: its id, and a folder for its bots.
    registry = copy / "engine" / "registry.py"
    registry.write_text(re.sub(r"GAMES = \(", 'GAMES = ("toy", ', registry.read_text()))
    bots.mkdir()
    (bots / "__init__.py").write_text('"""Bots of the toy."""\n\nNAMES = ("level",)\n\nPOLICY = "level"\n')
    # And a bot, steps 1 to 4 there.
    shutil.copy(here / "level.py", bots / "level.py")
    return copy
