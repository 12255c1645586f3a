"""Runs of older files get what newer versions store: facts, and the tally of their matches.

The code that played such a run is not known file by file, so what its numbers mean is asked of today's code, and said
to be: facts made here are trusted only if the code's fingerprint is still the same.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bots.registry import field
from engine.errors import HilltopError
from storage.store import Store, StoredRun, outdated, writing
from tournament.counting import Joiner, counter_of
from tournament.describe import describe
from tournament.plan import Plan, restore
from tournament.statistics.facts import BotFacts
from tournament.statistics.tally import Tally


def upgrade(path: Path) -> None:
    """Bring a database up to date, if it is older; nothing that it holds is lost."""
    if not outdated(path):
        return
    with writing(path) as store:
        for run in store.runs():
            if store.facts(run) is None:
                _describe(store, run)


def _describe(store: Store, run: StoredRun) -> None:
    """Give a run its facts and sums; one that today's code cannot make sense of stays as it is, and says so if asked
    for."""
    # What was counted inside matches then cannot be added up as it is now: such a run is read as one without.
    settings = {key: value for key, value in run.settings.items() if key != "telemetry"}
    specs = settings["bots"]
    with contextlib.suppress(HilltopError):
        plan = restore({**settings, "bots": [spec if _is_there(run.game, spec) else "random" for spec in specs]})
        if len(plan.lineups) == run.lineups:
            facts = describe(plan)
            if plan.fingerprint != run.fingerprint:
                bots = tuple(_as_it_was(bot, spec, run) for bot, spec in zip(facts.bots, specs, strict=True))
                facts = replace(facts, bots=bots, trusted=False)
            store.describe(run, facts.to_json(), _sums(store, run, plan))


def _is_there(game: str, spec: str) -> bool:
    """Can the bot be had today?"""
    try:
        return len(field(game, spec)) == 1
    except HilltopError:
        return False


def _as_it_was(bot: BotFacts, spec: str, run: StoredRun) -> BotFacts:
    """A bot of other code: nothing but its name is known of it, and it is none of today's."""
    same = bot.spec == spec
    kept = bot if same else BotFacts(spec, spec, "", {}, (), "", None, spec)
    return replace(kept, code=f"{run.fingerprint}-{run.number}", source=None)


def _sums(store: Store, run: StoredRun, plan: Plan) -> dict[int, bytes]:
    counter = counter_of(plan)
    joiner = Joiner(counter, 0)
    total = Tally(plan.layout)
    names = ["ranks", "reason", "plies", *(f"score{seat}" for seat in range(plan.players))]
    for first, frame in store.slices(run, names):
        rows: Any = np.array([frame[name].to_numpy().astype(np.int32) for name in names])
        size = rows.shape[1]
        if rows[1].max(initial=0) >= plan.layout.reasons:
            raise HilltopError(f"matches of run {run.id} ended for reasons that this version does not know")
        head, tail = counter.edges(first, size)
        total = total + counter.count(first, rows)
        joiner.join(total, first, size, rows[:, :head], rows[:, size - tail :])
    return {block: total.pack(block) for block in range(total.first, total.end)}
