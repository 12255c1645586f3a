"""``hilltop check-bot``: what must be mended before a bot plays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(help="The bot's file.")],
    game: Annotated[str, typer.Option("--game", help="What it plays, if the file does not say.")] = "",
) -> int:
    """Play a bot under all kinds of rules and say what is to be mended, and where; exit 1 if anything is."""
    from bots.registry import game_of
    from tournament.conformance import CHECKS, check_bot, never_met

    report = check_bot(file, game)
    print(f"{file}: {report.bot}, {report.kind}" if report.kind else str(file))
    for check in CHECKS:
        if check in report.found:
            print(f"MEND  {check}: {report.found[check]}" if report.found[check] else f"ok    {check}")
    if not report.good:
        return 1
    print(f"      {report.decisions:,} decisions under {report.rules} sets of rules")
    missed = never_met(game or game_of(file), report)
    if missed:
        print(f"      no decision had a move of the kinds {', '.join(missed)}")
    print(f"      {report.rate:,.0f} matches a second of processor time against random bots")
    return 0
