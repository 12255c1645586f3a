"""``hilltop new-bot``: the file that an author begins with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.output import say


def command(
    game: Annotated[str, typer.Argument(help="What it is to play.")],
    file: Annotated[Path, typer.Argument(help="The file to write, say my_idea.py; the bot is called like it.")],
    python: Annotated[bool, typer.Option("--python", help="In plain Python instead of compiled.")] = False,
) -> None:
    """Write a small bot that plays, to be changed into one's own; never over a file that is there."""
    from bots.starters import starter
    from engine.errors import HilltopError, UsageError

    if file.suffix != ".py":
        raise UsageError(f"a bot's file cannot be called '{file.name}'; its name must end in .py")
    text = starter(game, file.stem, python)
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise HilltopError(f"'{file}' is there already, and new-bot writes over nothing; name another file") from None
    print(file)
    say(f"a bot that plays; 'hilltop check-bot {file}' says whether it still does when you have changed it")
