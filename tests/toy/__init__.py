"""A toy game with planted truths, played by the real match loop: what the balance report says of it can be checked.

Each of two seats is dealt card X or not, with even chances, and then shows a level, 0 to 3. With probability ``luck``
the match is decided by chance: seat 0 wins with probability 1/2 + ``bias`` + ``card`` (its X - the other's X), all in
thousandths. Else the higher level wins, and equal levels draw. With ``shop`` nothing is dealt: who shows level 2 or 3
takes an X if there is one on offer, with even chances.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType

import pytest

from bots import registry as bot_registry
from engine import registry
from engine.game import Game


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
