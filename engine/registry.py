"""The games, by id. A test makes sure that every folder of ``engine/games`` is listed."""

from __future__ import annotations

import importlib

from engine.errors import UsageError, listed
from engine.game import Game

GAMES = ("cuttle", "jack_and_jill", "jackal_and_high", "jericho", "queen_of_the_hill")


def game(name: str) -> Game:
    """The game of that id; raises UsageError for any other name."""
    if name not in GAMES:
        raise UsageError(f"there is no game '{name}'; allowed: {listed(GAMES)}")
    found: Game = importlib.import_module(f"engine.games.{name}.options").GAME
    return found
