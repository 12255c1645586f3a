"""Runs and their results in one DuckDB file. The only module that talks to the database; it knows no bots.

One program writes at a time. Results of a chunk and the record that the chunk is done go in one transaction, in the
order of the match numbers: what a run holds is always its first matches. A chunk is any range of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import numpy as np

from engine.errors import HilltopError
from storage.connection import CONFIGURATION, connect, sentence, told
from storage.migrations import MIGRATIONS
from storage.program import runs_here, this_program

if TYPE_CHECKING:
    import polars as pl

SLICE = 1 << 20  # matches read at a time
LATELY = 60.0  # seconds of which a run's speed is told
ALIVE = 15.0  # seconds since it stored last in which a run is held to be played, if that is on another machine


@dataclass(frozen=True)
class StoredRun:
    """What the store knows of a run without its results; ``done`` is the number of matches it holds."""

    number: int
    id: str
    game: str
    settings: dict[str, Any]
    matches: int
    lineups: int
    version: str
    fingerprint: str
    created: datetime
    keep: str  # "matches", or "tallies" alone: then its matches must be played again to be seen
    done: int
    chunks: int

    @property
    def table(self) -> str:
        """Where its results are."""
        return f"results{self.settings['players']}"

    @property
    def complete(self) -> bool:
        """Are all its matches stored?"""
        return self.done >= self.matches

    def missing(self, match: int) -> HilltopError:
        """What is to be said of a match that it does not hold."""
        held = f"the matches 0 to {self.done - 1}" if self.done else "none yet"
        return HilltopError(f"run {self.id} has no match {match}; it holds {held}")


@dataclass(frozen=True)
class Chunk:
    """Consecutive matches: ``rows`` int32 (3 + seats, n) as the match loop writes them, if they are to be kept.

    hash  of the rows, so that matches that were played again can be compared with those that were counted
    held  rows of the board that the chunk leaves unfinished, if rows are not kept: they are counted later
    """

    first: int
    matches: int
    rows: np.ndarray[Any, Any] | None = None
    hash: bytes = b""
    held: bytes = b""

    @property
    def end(self) -> int:
        """The match after its last."""
        return self.first + self.matches


UNREPEATABLE = "unrepeatable"  # the kind of a bot whose matches do not end as they did; it counts as no fault


class StoredFault(NamedTuple):
    """What a bot (by its number in the run) did wrong in a match: the kind, and what can be said of it."""

    match: int
    entrant: int
    seat: int
    kind: str
    said: str


class Store:
    """A database. Use :func:`writing` or :func:`reading`.

    The file is open, and kept from other programs, from the first use to :meth:`release`, and again from the next use.
    """

    def __init__(self, path: Path, read_only: bool) -> None:
        self.path = path
        self._read_only = read_only
        self._opened: duckdb.DuckDBPyConnection | None = None

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        if self._opened is None:
            self._opened = connect(self.path, self._read_only)
        return self._opened

    def release(self) -> None:
        """Let other programs have the file until it is used again; what was written goes into it."""
        connection, self._opened = self._opened, None
        if connection is not None:
            with told(partial(sentence, self.path)):
                connection.close()

    # ------------------------------------------------------------ runs

    def runs(self) -> list[StoredRun]:
        """All runs, oldest first."""
        rows = self._rows(
            """SELECT run, id, game, settings, runs.matches, lineups, version, fingerprint, created, keep,
                      coalesce(sum(chunks.matches), 0)::BIGINT, count(chunks.chunk)
               FROM runs LEFT JOIN chunks USING (run) GROUP BY ALL ORDER BY run"""
        )
        fields = [(*row[:3], json.loads(row[3]), *row[4:]) for row in rows]
        return [StoredRun(*values) for values in fields]

    def paces(self) -> dict[int, float | None]:
        """Runs, by their numbers, that are being played: matches a second lately, None while that is not known."""
        now = datetime.now(UTC).replace(tzinfo=None)
        rows = self._rows(
            """SELECT run, count(*), epoch(max(stored) - min(stored)), sum(n) - arg_min(n, stored), max(stored)
               FROM (SELECT run, stored, sum(matches) AS n FROM chunks WHERE stored > ? GROUP BY run, stored)
               GROUP BY run ORDER BY run""",
            [now - timedelta(seconds=LATELY)],
        )
        rates = {run: float(matches) / seconds if commits > 1 else None for run, commits, seconds, matches, _ in rows}
        latest = {run: stored for run, *_, stored in rows}
        query = """SELECT run, program, max(told), last(playing ORDER BY rowid) FROM sittings
                   GROUP BY run, program ORDER BY run"""
        found = {}
        for run, program, spoken, playing in self._rows(query):
            lives = runs_here(program) if playing else False
            if lives is None:
                lives = max(spoken, latest.get(run, spoken)) > now - timedelta(seconds=ALIVE)
            if lives:
                found[run] = rates.get(run)
        return found

    def sit(self, run: StoredRun, playing: bool) -> None:
        """This program begins to play a run, or has ended."""
        now = datetime.now(UTC).replace(tzinfo=None)
        self._rows("INSERT INTO sittings VALUES (?, ?, ?, ?)", [run.number, this_program(), playing, now])

    def exclude(self, run: StoredRun, excluded: bool, reason: str) -> None:
        """Leave a run out of ratings, or take it back: a choice on record, with its reason."""
        now = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
        self._rows("INSERT INTO exclusions VALUES (?, ?, ?, ?)", [run.number, excluded, reason, now])

    def excluded(self) -> dict[int, tuple[str, datetime]]:
        """Runs, by their numbers, that are left out of ratings: why and since when."""
        rows = self._rows("SELECT run, excluded, reason, decided FROM exclusions ORDER BY rowid")
        latest = {run: (excluded, reason, decided) for run, excluded, reason, decided in rows}
        return {run: (reason, decided) for run, (excluded, reason, decided) in latest.items() if excluded}

    def run(self, name: str) -> StoredRun:
        """The run that an id, an unambiguous beginning of one, or ``latest`` names."""
        runs = self.runs()
        if not runs:
            raise HilltopError(f"there are no runs in {self.path}")
        if name == "latest":
            return runs[-1]
        exact = [run for run in runs if run.id == name]
        found = exact or [run for run in runs if name and run.id.startswith(name)]
        if not found:
            raise HilltopError(f"there is no run '{name}' in {self.path}; 'hilltop runs' lists them")
        if len(found) > 1:
            raise HilltopError(
                f"'{name}' may be any of the runs {', '.join(run.id for run in found)}; write more of it"
            )
        return found[0]

    def add_run(
        self,
        settings: dict[str, Any],
        matches: int,
        entrants: Sequence[str],
        lineups: Sequence[tuple[int, int, Sequence[int]]],
        version: str,
        fingerprint: str,
        facts: dict[str, Any] | None = None,
        keep: str = "matches",
    ) -> StoredRun:
        """Store a new run (``lineups``: set of bots, variant and entrants of each) and give it an id.

        ``facts``: all that reports must know of it besides its numbers.

        The id is a hash of the settings, the code and how often the same has been run in this file before, so a
        database made again by the same commands has the same ids.
        """
        text = json.dumps(settings, sort_keys=True)
        with self._transaction():
            (number, repeats) = self._rows(
                "SELECT coalesce(max(run), 0) + 1, count(*) FILTER (settings = ? AND fingerprint = ?) FROM runs",
                [text, fingerprint],
            )[0]
            name = _name(text, fingerprint, repeats)
            self._rows(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    number,
                    name,
                    settings["game"],
                    text,
                    matches,
                    len(lineups),
                    version,
                    fingerprint,
                    datetime.now(UTC).replace(tzinfo=None, microsecond=0),
                    None if facts is None else json.dumps(facts),
                    keep,
                ],
            )
            self._insert(
                "entrants",
                {"run": [number] * len(entrants), "entrant": range(len(entrants)), "bot": entrants},
            )
            self._insert(
                "lineups",
                {
                    "run": [number] * len(lineups),
                    "lineup": range(len(lineups)),
                    "bot_set": [bot_set for bot_set, _, _ in lineups],
                    "variant": [variant for _, variant, _ in lineups],
                    "entrants": [list(places) for _, _, places in lineups],
                },
            )
        return self.run(name)

    # ------------------------------------------------------------ facts

    def facts(self, run: StoredRun) -> dict[str, Any] | None:
        """What was stored of a run besides its numbers; None in files of versions that did not."""
        text = self._rows("SELECT facts FROM runs WHERE run = ?", [run.number])[0][0]
        return None if text is None else dict(json.loads(text))

    def describe(self, run: StoredRun, facts: dict[str, Any], sums: Mapping[int, bytes]) -> None:
        """Give a run of an older file its facts, and the sums over its matches by block."""
        with self._transaction():
            self._rows("UPDATE runs SET facts = ? WHERE run = ?", [json.dumps(facts), run.number])
            self._insert("tallies", _sums_columns(run.number, 0, sums))

    # ------------------------------------------------------------ results

    def recount(self, run: StoredRun, matches: int, facts: dict[str, Any], sums: Mapping[int, bytes]) -> None:
        """Put other sums over the matches of a run in place of those that are there, with the facts that say how they
        are cut; ``matches``: how many it is to hold in the end."""
        with self._transaction():
            self._rows("DELETE FROM tallies WHERE run = ?", [run.number])
            self._rows("UPDATE runs SET facts = ?, matches = ? WHERE run = ?", [json.dumps(facts), matches, run.number])
            self._insert("tallies", _sums_columns(run.number, 0, sums))

    def append(
        self, run: StoredRun, chunks: Sequence[Chunk], sums: Mapping[int, bytes] | None = None,
        faults: Sequence[StoredFault] = (),
    ) -> None:  # fmt: skip
        """Store chunks of results, their records, and the ``sums`` over them by block, all or nothing.

        The chunks may be of any sizes, each from where the one before it ends, the first one from where what is stored
        ends. Raises HilltopError if that is elsewhere by now.
        """
        with self._transaction():
            query = "SELECT coalesce(max(chunk) + 1, 0), coalesce(max(first + matches), 0) FROM chunks WHERE run = ?"
            number, end = self._rows(query, [run.number])[0]
            for chunk in chunks:
                if chunk.first != end:
                    raise HilltopError(
                        f"run {run.id} holds {end} matches, so match {chunk.first} cannot be stored next; "
                        "does another program play it?"
                    )
                end = chunk.end
            parts = [_columns(run.number, chunk) for chunk in chunks if chunk.rows is not None]
            if parts:
                # One insert of many rows costs half of many inserts: DuckDB writes whole row groups without a second
                # copy.
                whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
                self._insert(run.table, whole)
            if sums:
                self._insert("tallies", _sums_columns(run.number, number, sums))
            self._insert("chunks", _chunks_columns(run.number, number, chunks))
            if faults:
                self._add_faults(run, faults)

    def add_faults(self, run: StoredRun, faults: Sequence[StoredFault]) -> None:
        """Store what has been found of bots after their matches were stored."""
        with self._transaction():
            self._add_faults(run, faults)

    def _add_faults(self, run: StoredRun, faults: Sequence[StoredFault]) -> None:
        columns = {name: [getattr(fault, name) for fault in faults] for name in StoredFault._fields}
        self._insert("faults", {"run": [run.number] * len(faults), **columns})

    def faults(self, run: StoredRun) -> list[StoredFault]:
        """What bots of a run did wrong, as far as it is stored, in match order."""
        query = f"SELECT {', '.join(StoredFault._fields)} FROM faults WHERE run = ? ORDER BY match, rowid"
        return [StoredFault(*row) for row in self._rows(query, [run.number])]

    def sums(self, run: StoredRun) -> list[tuple[int, bytes]]:
        """The sums over a run's matches: number of the block and packed sums; a block may come several times."""
        return self._rows("SELECT block, sums FROM tallies WHERE run = ? ORDER BY block, part", [run.number])

    def held(self, run: StoredRun) -> bytes:
        """Rows of the board that the last chunk has left unfinished, of runs that keep no others."""
        query = "SELECT held FROM chunks WHERE run = ? ORDER BY chunk DESC LIMIT 1"
        found = self._rows(query, [run.number])
        return bytes(found[0][0]) if found and found[0][0] is not None else b""

    def chunks(self, run: StoredRun) -> list[tuple[int, int, bytes]]:
        """First match, matches, and hash of the rows of each chunk, in their order."""
        query = "SELECT first, matches, coalesce(hash, ''::BLOB) FROM chunks WHERE run = ? ORDER BY chunk"
        return [(first, matches, bytes(digest)) for first, matches, digest in self._rows(query, [run.number])]

    def matches(self, run: StoredRun) -> tuple[int, int, int, int]:
        """Of the stored results of a run: how many, of how many matches, the first and the last one's number."""
        query = f"""SELECT count(*), count(DISTINCT match), coalesce(min(match), 0), coalesce(max(match), -1)
            FROM {run.table} WHERE run = ?"""
        count, different, first, last = self._rows(query, [run.number])[0]
        return count, different, first, last

    def names(self) -> dict[int, tuple[str, str]]:
        """The id of each run by its number, as stored and as its settings, its code and the earlier runs make it."""
        rows = self._rows("SELECT run, id, settings, fingerprint FROM runs ORDER BY run")
        seen: dict[tuple[str, str], int] = {}
        found = {}
        for number, stored, text, fingerprint in rows:
            repeats = seen.get((text, fingerprint), 0)
            found[number] = stored, _name(text, fingerprint, repeats)
            seen[text, fingerprint] = repeats + 1
        return found

    def seatings(self, run: StoredRun) -> tuple[list[str], list[tuple[int, list[int]]]]:
        """The bots of a run, and variant and bots (by number) of each of its line-ups."""
        bots = self._rows("SELECT bot FROM entrants WHERE run = ? ORDER BY entrant", [run.number])
        query = "SELECT variant, entrants FROM lineups WHERE run = ? ORDER BY lineup"
        return [bot for (bot,) in bots], [(variant, list(seats)) for variant, seats in self._rows(query, [run.number])]

    def slices(
        self, run: StoredRun, columns: Sequence[str], size: int = SLICE, backwards: bool = False
    ) -> Iterator[tuple[int, pl.DataFrame]]:
        """The stored results in match order, ``size`` at a time (rounded to whole deals): first match and frame.

        ``backwards`` yields the last slice first; within a slice the order is the same.
        """
        size = max(size // run.lineups, 1) * run.lineups
        wanted = ", ".join(columns)
        starts = range(0, run.done, size)
        for first in reversed(starts) if backwards else starts:
            query = f"SELECT {wanted} FROM {run.table} WHERE run = ? AND match >= ? AND match < ? ORDER BY match"
            yield first, self._polars(query, [run.number, first, first + size])

    def rows(self, run: StoredRun, first: int, end: int) -> np.ndarray[Any, Any]:
        """The stored rows of the matches ``first`` to ``end - 1`` as the match loop wrote them: int32 (3 + S, n)."""
        names = ["ranks", "reason", "plies", *(f"score{seat}" for seat in range(run.settings["players"]))]
        query = f"SELECT {', '.join(names)} FROM {run.table} WHERE run = ? AND match >= ? AND match < ? ORDER BY match"
        frame = self._polars(query, [run.number, first, end])
        return np.array([frame[name].to_numpy().astype(np.int32) for name in names])

    def result(self, run: StoredRun, match: int) -> dict[str, Any]:
        """The stored row of one match."""
        query = f"SELECT * EXCLUDE (run) FROM {run.table} WHERE run = ? AND match = ?"
        frame = self._polars(query, [run.number, match])
        if frame.is_empty():
            raise run.missing(match)
        return dict(frame.row(0, named=True))

    # ------------------------------------------------------------ plumbing

    def execute(self, statement: str) -> None:
        """Run a statement of another file of this package, which tells of its trouble."""
        self._connection.execute(statement).fetchall()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with told(partial(sentence, self.path)):
            return self._connection.execute(query, list(values)).fetchall()

    def _polars(self, query: str, values: Sequence[Any]) -> pl.DataFrame:
        with told(partial(sentence, self.path)):
            frame: pl.DataFrame = self._connection.sql(query, params=list(values)).pl()
        return frame

    def _insert(self, table: str, columns: Mapping[str, Any]) -> None:
        """Append rows: columns as NumPy arrays, which DuckDB reads where they lie, or as sequences of values."""
        names = ", ".join(columns)
        values = [column if isinstance(column, np.ndarray) else list(column) for column in columns.values()]
        with told(partial(sentence, self.path)):
            if all(isinstance(column, np.ndarray) for column in values):
                self._connection.register("incoming", dict(columns))
                self._connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM incoming").fetchall()
                self._connection.unregister("incoming")
            elif len(values[0]):
                lists = ", ".join("unnest(?)" for _ in values)
                self._connection.execute(f"INSERT INTO {table} ({names}) SELECT {lists}", values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._rows("BEGIN")
        try:
            yield
            self._rows("COMMIT")
        except BaseException:
            with contextlib.suppress(duckdb.Error):  # a commit that failed has undone itself
                self._connection.rollback()
            raise


def _name(settings: str, fingerprint: str, repeats: int) -> str:
    """The id of a run."""
    return hashlib.sha256(f"{settings}\0{fingerprint}\0{repeats}".encode()).hexdigest()[:10]


def _columns(run: int, chunk: Chunk) -> dict[str, Any]:
    """A chunk's rows as the columns of the table of results."""
    assert chunk.rows is not None
    ranks, reason, plies, *scores = chunk.rows
    size = chunk.matches
    columns = {
        "run": np.full(size, run, np.int32),
        "match": np.arange(chunk.first, chunk.first + size, dtype=np.int64),
        "ranks": ranks,
        "reason": reason.astype(np.int8),
        "plies": plies,
    }
    return columns | {f"score{seat}": score for seat, score in enumerate(scores)}


def _chunks_columns(run: int, number: int, chunks: Sequence[Chunk]) -> dict[str, Any]:
    """The records of chunks, the first of which gets this number."""
    return {
        "run": [run] * len(chunks),
        "chunk": range(number, number + len(chunks)),
        "first": [chunk.first for chunk in chunks],
        "matches": [chunk.matches for chunk in chunks],
        "hash": [chunk.hash or None for chunk in chunks],
        "held": [chunk.held or None for chunk in chunks],
        "stored": [datetime.now(UTC).replace(tzinfo=None)] * len(chunks),
    }


def _sums_columns(run: int, part: int, sums: Mapping[int, bytes]) -> dict[str, Any]:
    """Sums by block."""
    return {"run": [run] * len(sums), "part": [part] * len(sums), "block": list(sums), "sums": list(sums.values())}


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Store]:
    """The database to write to; made, or brought to today's schema, if need be."""
    if not path.exists() or _left_empty(path):
        _create(path)
    store = Store(path, read_only=False)
    try:
        _migrate(store)
        yield store
    finally:
        with contextlib.suppress(HilltopError):
            store.release()


def _left_empty(path: Path) -> bool:
    """Is there a file without a byte, left by another program? It is removed."""
    with contextlib.suppress(OSError):
        if path.is_file() and path.stat().st_size == 0:
            path.unlink()
            return True
    return False


def _create(path: Path) -> None:
    """Make an empty database under another name and give it its own when it is complete: no other program, which may
    be about to do the same, ever meets half of one."""
    made = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    try:
        store = Store(made, read_only=False)
        with told(partial(sentence, path)):
            store._opened = duckdb.connect(str(made.absolute()), config=CONFIGURATION)
        _migrate(store)
        store.release()
        with contextlib.suppress(FileExistsError):  # another program was faster
            os.link(made, path)
    except OSError:
        os.replace(made, path)  # where files cannot have two names
    finally:
        for left in (made, made.with_name(f"{made.name}.wal")):
            with contextlib.suppress(OSError):
                left.unlink()


def outdated(path: Path) -> bool:
    """Does this file hold runs of an older version, which ``tournament.upgrade`` brings over?"""
    if not path.is_file() or not path.stat().st_size:
        return False
    store = Store(path, read_only=True)
    try:
        version = _version(store)
        if version < len(MIGRATIONS):
            return version > 0
        return bool(store._rows("SELECT count(*) FROM runs WHERE facts IS NULL")[0][0])
    finally:
        store.release()


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Store]:
    """The database to read from."""
    if not path.exists():
        raise HilltopError(f"there is no database {path}; 'hilltop run' makes one, --db names another")
    if path.is_file() and path.stat().st_size == 0:
        raise HilltopError(f"{path} is empty; run a tournament first")
    store = Store(path, read_only=True)
    try:
        version = _version(store)
        if version < len(MIGRATIONS):
            raise HilltopError(
                f"{path} holds no results of hilltop yet, or of an older version; run a tournament first"
            )
        yield store
    finally:
        store.release()


def _version(store: Store) -> int:
    """The schema version of the file, 0 for an empty one; raises on files of others and of newer versions."""
    columns = store._rows("SELECT table_name, column_name FROM information_schema.columns")
    if ("hilltop_schema", "version") not in columns:
        if columns:
            raise HilltopError(f"{store.path} is a database of another program; name another file with --db")
        return 0
    version = int(store._rows("SELECT coalesce(max(version), 0) FROM hilltop_schema")[0][0])
    if version > len(MIGRATIONS):
        raise HilltopError(
            f"{store.path} has schema version {version}, but this hilltop knows only {len(MIGRATIONS)}; use a newer one"
        )
    results = "results" if version < 3 else "results2"
    if version < 1 or (results, "match") not in columns:
        raise HilltopError(f"{store.path} is damaged: its tables are not complete; name another file with --db")
    return version


def _migrate(store: Store) -> None:
    """Take the steps that the file has not seen, each in a transaction of its own."""
    for number in range(_version(store), len(MIGRATIONS)):
        with store._transaction():
            if number == 0:
                store._rows("CREATE TABLE hilltop_schema (version INTEGER PRIMARY KEY)")
            for statement in MIGRATIONS[number]:
                store._rows(statement)
            store._rows("INSERT INTO hilltop_schema VALUES (?)", [number + 1])
