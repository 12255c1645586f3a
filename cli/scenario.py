"""``hilltop scenario``: rules as data, checked."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer


def command(files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenario files.")]) -> int:
    """Run scenario files: a line per failure with what differed; exit 1 if there is one."""
    from engine import registry
    from engine.match import Match
    from engine.scenario import Failure, read_scenarios, run_scenario

    passed = failed = 0
    for path in files:
        game_id, scenarios = read_scenarios(path)
        game = registry.game(game_id)
        for scenario in scenarios:
            try:
                failure = run_scenario(scenario, partial(Match, game))
            except Exception as error:  # the scenario is not what docs/notation.md says
                failure = Failure(str(scenario["id"]), 0, f"cannot be run: {type(error).__name__}: {error}")
            if failure is None:
                passed += 1
            else:
                failed += 1
                print(f"{path.name}: {failure}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
