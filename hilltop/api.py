"""What ``import hilltop`` offers; the command line prints the same numbers, to the last digit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from storage.store import StoredRun, outdated, reading, writing
from tournament.statistics.counted import Counted, Pool, read
from tournament.statistics.estimate import Estimate, elo_of

DATABASE = "hilltop.duckdb"


@dataclass(frozen=True)
class Run:
    """A stored run: ``id``, ``game``, ``settings``, and its numbers as frames. Made by :func:`play` or :func:`load`."""

    stored: StoredRun
    path: Path
    counted: Counted

    @property
    def id(self) -> str:
        """The run's id."""
        return self.stored.id

    @property
    def game(self) -> str:
        """What was played."""
        return self.stored.game

    @property
    def settings(self) -> dict[str, Any]:
        """All that is needed to play it again."""
        return self.stored.settings

    def standings(self) -> pl.DataFrame:
        """See :func:`standings`."""
        return standings(self)

    def ratings(self) -> pl.DataFrame:
        """See :func:`ratings`."""
        return ratings(self)

    def pairs(self) -> pl.DataFrame:
        """See :func:`pairs`."""
        return pairs(self)

    def balance(self, margin: float = 0.01) -> pl.DataFrame:
        """See :func:`balance`."""
        return balance(self, margin)

    def matches(self) -> pl.DataFrame:
        """A row a match: ``match``, ``ranks`` (a decimal digit a seat), ``reason`` (its name), ``plies``, ``score0``...

        Raises HilltopError for a run that keeps tallies alone; ``hilltop export`` plays such a run again.
        """
        from engine.errors import HilltopError

        if self.stored.keep != "matches":
            raise HilltopError(f"run {self.id} keeps tallies alone; 'hilltop export {self.id}' plays its matches again")
        names = ["match", "ranks", "reason", "plies", *(f"score{seat}" for seat in range(self.counted.facts.players))]
        with reading(self.path) as store:
            frames = [frame for _, frame in store.slices(self.stored, names)]
        found = pl.concat(frames) if frames else pl.DataFrame(schema=names)
        known = {-1: "illegal_choice", **dict(enumerate(self.counted.facts.reasons))}
        return found.with_columns(pl.col("reason").cast(pl.Int64).replace_strict(known, return_dtype=pl.String))


def play(
    game: str,
    bots: str | Sequence[str] = "all",
    variant: str = "standard",
    rules: Mapping[str, Any] | None = None,
    players: int | None = None,
    matches: int = 10_000,
    seed: int = 0,
    telemetry: bool = False,
    workers: int | None = 0,
    db: str | Path = DATABASE,
    keep: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> Run:
    """Play a round robin into a database, and return it.

    bots       names, with parameters and own files as the command line writes them, or ``all``
    rules      rule options over the variant
    players    seats, where a game allows several
    matches    in all; rounded up so that the last set of bots plays its deal from all its seats
    telemetry  count what happens inside matches too
    workers    Ray workers on this machine; 0 plays in this process, None takes one a core
    keep       store every match, or tallies alone
    progress   told the number of matches stored so far

    Raises UsageError (a HilltopError) with the first thing that is wrong.
    """
    from tournament import execution
    from tournament import run as runner
    from tournament.plan import plan_variants

    field = bots if isinstance(bots, str) else ",".join(bots)
    plan = plan_variants(game, field, [(variant, dict(rules or {}))], players, matches, seed, telemetry)
    executor = execution.executor(workers, None)
    runner.prepare(plan)
    path = Path(db)
    with writing(path) as store:
        stored = runner.play(plan, store, None, executor, progress, keep)
        assert stored is not None
        return Run(stored, path, read(store, stored))


def load(run: str = "latest", db: str | Path = DATABASE) -> Run:
    """A stored run by its id, an unambiguous beginning of it, or ``latest``; raises HilltopError if there is none."""
    path = _current(db)
    with reading(path) as store:
        stored = store.run(run)
        return Run(stored, path, read(store, stored))


def runs(db: str | Path = DATABASE) -> pl.DataFrame:
    """What is stored, a row a run, oldest first: ``run``, ``game``, ``matches``, ``stored``, ``keep``, ``created``."""
    with reading(_current(db)) as store:
        found = store.runs()
    return pl.DataFrame(
        {
            "run": [run.id for run in found],
            "game": [run.game for run in found],
            "matches": [run.matches for run in found],
            "stored": [run.done for run in found],
            "keep": [run.keep for run in found],
            "created": [run.created for run in found],
        }
    )


def standings(*of: Run) -> pl.DataFrame:
    """What each bot achieved over one or more runs of a game: ``bot``, ``matches``, ``wins``, ``draws``, ``losses``,
    ``none``, ``faults``, ``share`` (of the other seats beaten, ties counting half) with ``share_low`` and
    ``share_high``, ``share_first`` (from seat 0). Equal matches of several runs count once."""
    pool = Pool([run.counted for run in of])
    rows = [
        {name: getattr(one, name) for name in ("bot", "matches", "wins", "draws", "losses", "none", "faults")}
        | _ends("share", one.share)
        | {"share_first": one.first}
        for one in pool.records
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def ratings(
    *of: Run, method: str = "trueskill", draw_probability: float | None = None, seats: bool = True
) -> pl.DataFrame:
    """Ratings over all outcomes of one or more runs of a game, best first: ``rank`` and ``rank_worst`` (those that the
    data leave open), ``bot``, ``mu``, ``mu_low``, ``mu_high``, ``sigma`` (standard error of mu over deals), ``better``
    (the probability to be better than the next bot). ``method``: trueskill or elo; ``seats``: fit their effects too?"""
    from tournament.statistics.rating import rate

    pool = Pool([run.counted for run in of])
    rated = rate(pool, draw_probability, method, seats)
    rows = [
        {
            "rank": place.rank,
            "rank_worst": place.worst,
            "bot": pool.bots[place.number],
            "mu": place.mu,
            "mu_low": place.low,
            "mu_high": place.high,
            "sigma": float(rated.sigma[place.number]),
            "better": place.ahead,
        }
        for place in rated.places
    ]
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col("sigma").fill_nan(None))


def pairs(run: Run) -> pl.DataFrame:
    """Each bot against each other, by variant: ``share`` (1 ahead, 0.5 tied) and ``elo`` with their intervals."""
    sample, facts = run.counted.sample, run.counted.facts
    rows = []
    for v, variant in enumerate(facts.labels):
        shares = sample.pair_shares[v]
        for one, bot in enumerate(facts.names):
            for two, other in enumerate(facts.names):
                share = shares.estimate(one, two)
                if one != two and share.value is not None:
                    names: dict[str, Any] = {"variant": variant, "bot": bot, "against": other}
                    rows.append(names | _ends("share", share) | _ends("elo", elo_of(share)))
    return pl.DataFrame(rows, infer_schema_length=None)


def balance(run: Run, margin: float = 0.01) -> pl.DataFrame:
    """All findings on the balance of a run (``hilltop explain METRIC`` says what a metric is): ``section``, ``metric``,
    ``variant``, ``group``, ``subject``, ``value``, ``low``, ``high``, ``matches``, ``verdict``, ``note``."""
    from tournament.balance.summary import gather

    rows = [
        {
            "section": section.id,
            "metric": one.metric,
            "variant": one.variant,
            "group": one.group,
            "subject": one.subject,
            "value": one.estimate.value,
            "low": one.estimate.low,
            "high": one.estimate.high,
            "matches": one.estimate.n,
            "verdict": one.verdict,
            "note": one.note,
        }
        for section in gather(run.counted, margin).sections
        for one in section.findings
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _ends(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _current(db: str | Path) -> Path:
    """The file, brought up to date if an older version has made it."""
    path = Path(db)
    if outdated(path):
        from tournament.upgrade import upgrade

        upgrade(path)
    return path
