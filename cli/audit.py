"""``hilltop audit``: is what is stored whole, planned and unchanged."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.arguments import DatabaseOption, readable
from cli.output import say


def command(
    runs: Annotated[list[str] | None, typer.Argument(metavar="[RUN...]", help="By default all runs.")] = None,
    db: DatabaseOption = None,
) -> int:
    """Check stored runs: each planned match there once, results, sums, hashes and digests in agreement.

    Plays nothing. A line for each finding; the exit code is 1 if there is any.
    """
    from engine.text import plural
    from storage.store import reading
    from tournament.evidence import audit

    wrong = matches = 0
    with reading(readable(db)) as store:
        chosen = [store.run(name) for name in runs] if runs else store.runs()
        for run in chosen:
            found = audit(store, run)
            for finding in found:
                print(f"run {run.id}: {finding}")
            wrong += len(found)
            matches += run.done
    findings = plural(wrong, "finding") if wrong else "no findings"
    say(f"{plural(len(chosen), 'run')}, {plural(matches, 'match')}: {findings}")
    return 1 if wrong else 0
