"""The file that an author begins with: for each game a small bot that plays, commented, compiled or in plain Python."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import UsageError
from engine.registry import game

_MARK = "@kernel\n"
_IMPORT = "from engine.kernel import kernel\n"
_PLAIN = """\
This is plain Python, as there is no @kernel above its functions. With that, and `from engine.kernel import kernel`, it
is compiled: many times as fast, with the same moves."""
_COMPILED = """\
It is compiled. Without @kernel above its functions it is plain Python: that may use all that Python has, can be printed
from and debugged, and makes the same moves."""


def starter(game_id: str, name: str, plain: bool) -> str:
    """The text of a first bot of a game that is called ``name``; ``plain``: not compiled."""
    facts = game(game_id)
    if not re.fullmatch(r"[^(),+\"\\]{1,60}", name) or not name.isprintable():
        raise UsageError(f"a bot cannot be called '{name}'; name the file otherwise, without ( ) , + and quotes")
    text = (Path(__file__).parent / f"{facts.id}.py").read_text("utf-8").replace("starter", name)
    if plain:
        text = text.replace(_MARK, "").replace(_IMPORT, "")
    return text.replace("KIND", _PLAIN if plain else _COMPILED)
