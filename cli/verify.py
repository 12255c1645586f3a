"""``hilltop verify``: matches of a stored run, played again."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated

import typer

from cli.arguments import DatabaseOption, WorkersOption, database, readable
from cli.output import say

INTERPRETED_SAMPLE = 20


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    sample: Annotated[
        int | None, typer.Option("--sample", help="So many matches, chosen at random.  [default: 1000; interpreted 20]")
    ] = None,
    all_of_them: Annotated[bool, typer.Option("--all", help="Every match.")] = False,
    interpreted: Annotated[
        bool, typer.Option("--interpreted", help="Play them as plain Python: does the compiler make no difference?")
    ] = False,
    workers: WorkersOption = 0,
    db: DatabaseOption = None,
) -> int:
    """Play matches of a stored run again and compare them with what is stored.

    A line for each match that ends otherwise; the exit code is 1 if there is any.
    """
    from cli.progress import Compiling
    from engine.compiler import INTERPRETED
    from engine.errors import UsageError
    from engine.text import plural
    from storage.store import reading
    from tournament.evidence import SAMPLE, verify
    from tournament.execution import executor
    from tournament.run import prepare, resume

    if sample is not None and all_of_them:
        raise UsageError("--sample and --all exclude each other; give one of them")
    if sample is not None and sample < 1:
        raise UsageError(f"sample cannot be {sample}; allowed: 1 and more")
    if interpreted and not INTERPRETED:
        words = ["verify", run, "--interpreted", "--db", str(database(db)), *(["--all"] if all_of_them else [])]
        words += [] if sample is None else ["--sample", str(sample)]
        program = "from cli.main import run_program; run_program()"
        return subprocess.call(
            [sys.executable, "-c", program, *words],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    count = sample or (INTERPRETED_SAMPLE if interpreted else SAMPLE)
    played_by = executor(workers, None) if all_of_them else None
    with reading(readable(db)) as store:
        stored = store.run(run)
        plan = resume(store, stored)
        store.release()
        with Compiling(plan.game.title) as tell:
            prepare(plan, tell)
        found = verify(store, stored, plan, played_by, count)
    for finding in found:
        print(f"run {stored.id}: {finding}")
    which = stored.done if all_of_them else min(count, stored.done)
    ended = f"{len(found) or 'none'} end otherwise"
    say(f"run {stored.id}: {which:,} of {plural(stored.done, 'match')} played again, {ended}")
    return 1 if found else 0
