"""What ``import hilltop`` offers, and what commands are built on: runs that are played or loaded, and their numbers.

Frames have the keys of ``docs/formats.md``, to the last digit what commands print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import HilltopError, UsageError
from engine.text import plural
from hilltop import rows
from storage.store import StoredRun, outdated, reading, writing
from tournament.statistics.counted import Counted, Pool, read, solo_of
from tournament.statistics.rating import ONLINE, TRUESKILL, Rated
from tournament.statistics.rating import rate as rate_outcomes

if TYPE_CHECKING:
    import polars as pl

    from storage.store import Store
    from tournament.balance.summary import Balance

DATABASE = "hilltop.duckdb"


@dataclass(frozen=True, repr=False)
class Run:
    """A stored run: ``id``, ``game``, ``settings``, and its numbers as frames. Made by :func:`play` or :func:`load`.

    left_out  why and since when it is left out of ratings; None if it is not
    """

    stored: StoredRun
    path: Path
    counted: Counted
    left_out: tuple[str, datetime] | None = None

    def __repr__(self) -> str:
        return f"<run {self.id} of {self.game}, {self.stored.done:,} of {plural(self.stored.matches, 'match')}>"

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

    def balance(self, margin: float = 0.01, table: str = "findings") -> pl.DataFrame:
        """See :func:`balance`."""
        return balance(self, margin, table)

    def matches(self) -> pl.DataFrame:
        """A row a match: ``match``, ``ranks`` (a decimal digit a seat), ``reason`` (its name), ``plies``, ``score0``...

        Raises HilltopError for a run that keeps tallies alone; ``hilltop export`` plays such a run again.
        """
        import polars as pl

        if self.stored.keep != "matches":
            raise HilltopError(f"run {self.id} keeps tallies alone; 'hilltop export {self.id}' plays its matches again")
        names = ["match", "ranks", "reason", "plies", *(f"score{seat}" for seat in range(self.counted.facts.players))]
        with reading(self.path) as store:
            frames = [frame for _, frame in store.slices(self.stored, names)]
        found = pl.concat(frames) if frames else pl.DataFrame(schema=names)
        known = {-1: "illegal_choice", **dict(enumerate(self.counted.facts.reasons))}
        return found.with_columns(pl.col("reason").cast(pl.Int64).replace_strict(known, return_dtype=pl.String))

    def export(self, to: str | Path) -> int:
        """Write a row a match to a file, Parquet or CSV by its ending; returns how many. A run that keeps tallies alone
        is played again."""
        from storage import export

        facts = self.counted.facts
        with reading(self.path) as store:
            if self.stored.keep == "matches":
                return export.export(store, self.stored, Path(to), facts.reasons)
            from tournament import again
            from tournament.run import resume

            return again.export(resume(store, self.stored), store, self.stored, Path(to), facts.reasons)


class Leaderboard(NamedTuple):
    """The bots of one or more runs of a game, counted together and rated."""

    pool: Pool
    rated: Rated


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
    path = current(db)
    with writing(path) as store:
        stored = runner.play(plan, store, None, executor, progress, keep)
        assert stored is not None
        return run_of(store, stored)


def load(run: str = "latest", db: str | Path = DATABASE) -> Run:
    """A stored run by its id, an unambiguous beginning of it, or ``latest``; raises HilltopError if there is none."""
    return load_all([run], db)[0]


def load_all(names: Iterable[str], db: str | Path = DATABASE) -> list[Run]:
    """Several stored runs, each once."""
    with reading(current(db)) as store:
        chosen = {run.number: run for run in map(store.run, names)}
        return [run_of(store, run) for run in chosen.values()]


def load_judged(names: Iterable[str], db: str | Path = DATABASE) -> list[Run]:
    """Several stored runs to report on, each once."""
    with reading(current(db)) as store:
        chosen = {run.number: run for run in (judged_by(store, name) for name in names)}
        return [run_of(store, run) for run in chosen.values()]


def judged_by(store: Store, name: str) -> StoredRun:
    """The run that a report of this name is on. ``hilltop balance`` plays a cooperative pair and then one player alone
    on the same deals: their latest run is the pair's."""
    run = store.run(name)
    if name == "latest" and run.settings["players"] == 1:
        before = [one for one in store.runs() if one.number == run.number - 1 and one.settings["players"] == 2]
        if before and solo_of(store, before[0]) == run:
            return before[0]
    return run


def run_of(store: Store, stored: StoredRun) -> Run:
    """A run of an open database."""
    return Run(stored, store.path, read(store, stored), store.excluded().get(stored.number))


def current(db: str | Path) -> Path:
    """The file, brought up to date if an older version has made it."""
    path = Path(db)
    if outdated(path):
        from tournament.upgrade import upgrade

        upgrade(path)
    return path


def runs(db: str | Path = DATABASE) -> pl.DataFrame:
    """What is stored, a row a run, oldest first: ``run``, ``game``, ``matches``, ``stored``, ``created`` and so on."""
    with reading(current(db)) as store:
        return _frame(rows.runs(store), rows.RUNS)


def standings(*of: Run) -> pl.DataFrame:
    """What each bot achieved over one or more runs of a game: ``bot``, ``matches``, ``wins``, ``draws``, ``losses``,
    ``none``, ``faults``, ``withdrawn``, ``share`` (of the other seats beaten, ties counting half) with ``share_low``
    and ``share_high``, ``share_first`` (from seat 0). Equal matches of several runs count once."""
    return _frame(rows.bots(Pool([run.counted for run in of])), rows.STANDINGS)


def ratings(
    *of: Run,
    method: str = TRUESKILL,
    draw_probability: float | None = None,
    seats: bool = True,
    tau: float = 0.0,
) -> pl.DataFrame:
    """Ratings over all matches of one or more runs of a game, best first: ``rank`` and ``rank_worst`` (those that the
    data leave open), ``bot``, ``mu``, ``mu_low``, ``mu_high``, ``sigma`` (standard error of mu over deals), ``better``
    (the probability to be better than the next bot), and what :func:`standings` has.

    ``method``: trueskill, elo, or online (match by match, skills drifting by ``tau``); ``seats``: fit their effects?
    """
    board = leaderboard(of, method, draw_probability, seats, tau)
    return _frame(rows.ratings(board.pool, board.rated), rows.RATINGS)


def leaderboard(
    of: Sequence[Run],
    method: str = TRUESKILL,
    draw_probability: float | None = None,
    seats: bool = True,
    tau: float = 0.0,
) -> Leaderboard:
    """See :func:`ratings`; raises UsageError for parameters that are none, HilltopError for an online rating of runs
    that keep no matches."""
    check_model(draw_probability, tau)
    if tau and method != ONLINE:
        raise UsageError(f"method {method} knows no drift; leave tau out, or rate online")
    pool = Pool([run.counted for run in of])
    if method != ONLINE:
        return Leaderboard(pool, rate_outcomes(pool, draw_probability, method, seats))
    from tournament import online

    if len({run.path for run in of}) > 1:
        raise HilltopError("an online rating takes matches of one database; rate the runs of each on their own")
    with reading(of[0].path) as store:
        return Leaderboard(pool, online.rate(store, pool, draw_probability, tau))


def teams(*of: Run) -> pl.DataFrame:
    """What each team of a cooperative game achieved, by run: ``team``, ``variant``, ``matches``, ``wins``,
    ``win_rate`` and mean ``score`` with their intervals, medals and reasons."""
    return _frame(rows.teams(Pool([run.counted for run in of])), rows.TEAMS)


def pairs(run: Run) -> pl.DataFrame:
    """Each bot against each other, by variant: ``share`` (1 ahead, 0.5 tied) and ``elo`` with their intervals."""
    return _frame(rows.pairs(run.counted), rows.PAIRS)


def balance(run: Run, margin: float = 0.01, table: str = "findings") -> pl.DataFrame:
    """A table of the report on the balance of a run: ``findings`` (``hilltop explain METRIC`` says what a metric is),
    ``summary``, ``scores``, ``distributions``, ``pieces`` or ``differences``."""
    tables: dict[str, tuple[Callable[[Balance], list[rows.Row]], rows.Keys]] = {
        "findings": (rows.all_findings, rows.FINDINGS),
        "summary": (rows.summary, rows.SUMMARY),
        "scores": (rows.scores, rows.SCORES),
        "distributions": (rows.distributions, rows.DISTRIBUTIONS),
        "pieces": (rows.pieces, rows.PIECES),
        "differences": (rows.differences, rows.DIFFERENCES),
    }
    if table not in tables:
        raise UsageError(f"table cannot be '{table}'; allowed: {', '.join(tables)}")
    make, keys = tables[table]
    return _frame(make(judged(run, margin)), keys)


def judged(run: Run, margin: float = 0.01, without: Run | None = None) -> Balance:
    """The report on the balance of a run; of a cooperative pair, beside the latest run of one player on the same deals.
    ``without``: a run of strong bots with and without pieces."""
    from tournament.balance.summary import gather

    check_margin(margin)
    solo = None
    if run.counted.facts.cooperative:
        with reading(run.path) as store:
            found = solo_of(store, run.stored)
            solo = read(store, found) if found else None
    return gather(run.counted, margin, solo, without.counted if without else None)


def check_model(draw_probability: float | None, tau: float) -> None:
    """Raises UsageError for what cannot be parameters of ratings."""
    if draw_probability is not None and not 0.0 <= draw_probability < 1.0:
        raise UsageError(f"draw probability cannot be {draw_probability:g}; allowed: 0 up to, but not including, 1")
    if not 0.0 <= tau <= 1000.0:
        raise UsageError(f"tau cannot be {tau:g}; allowed: 0 to 1000")


def check_margin(margin: float) -> None:
    """Raises UsageError for what cannot be a margin."""
    if not 0.0 < margin < 0.5:
        raise UsageError(f"margin cannot be {margin:g}; allowed: above 0 and below 0.5")


def _frame(found: Sequence[rows.Row], keys: rows.Keys) -> pl.DataFrame:
    """Rows as a frame: the given keys with their types, then those that only these rows have, which are counts."""
    import polars as pl

    more = {key: int for row in found for key in row if key not in keys}
    frame = pl.DataFrame(found, schema={**keys, **more}, orient="row")
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
