"""The database: schema, what it refuses, all or nothing, export; every trouble is one sentence and loses nothing."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from engine.errors import HilltopError
from engine.game import MAX_SEATS
from storage import connection as opening
from storage import migrations
from storage import store as storage
from storage.export import export
from storage.migrations import MIGRATIONS
from storage.program import this_program
from storage.store import Chunk, Store, reading, writing
from tests.program import FIELD, content, environment, hilltop
from tournament import run as runner
from tournament.execution import InProcess
from tournament.plan import plan_run
from tournament.statistics.counted import read

LINEUPS = [(0, 0, (0, 1)), (0, 0, (1, 0))]


def add_run(
    store: Store, seed: int = 1, fingerprint: str = "f" * 16, matches: int = 100, players: int = 2
) -> storage.StoredRun:
    """A run of two bots that the store knows nothing of but its settings."""
    settings = {"game": "cuttle", "players": players, "seed": seed}
    return store.add_run(settings, matches, ["a", "b"], LINEUPS, "1.2.3", fingerprint)


def chunk(number: int, size: int = 10, seats: int = 2) -> Chunk:
    """Rows with a different number in every cell."""
    rows = np.arange((3 + seats) * size, dtype=np.int32).reshape(3 + seats, size) + 1000 * number
    rows[0] = [1, 10] * (size // 2)
    rows[1] = np.arange(size) % 3
    return Chunk(number * size, size, rows)


@contextlib.contextmanager
def mounted(folder: Path, size: str) -> Iterator[None]:
    """A small file system of its own at ``folder``; skips where that is not allowed."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


# ---------------------------------------------------------------- schema


def test_a_new_file_gets_the_whole_schema(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    with writing(path) as store:
        assert store.runs() == []
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        assert connection.execute("SELECT version FROM hilltop_schema ORDER BY version").fetchall() == [
            (number + 1,) for number in range(len(MIGRATIONS))
        ]
        names = {row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()}
    assert names == {
        "hilltop_schema",
        "sittings",
        "jobs",
        "faults",
        "runs",
        "entrants",
        "lineups",
        "chunks",
        "exclusions",
        "results",
        "telemetry",
        "tallies",
        "seats",
    } | {f"results{seats}" for seats in range(1, 7)}


@pytest.mark.parametrize(
    "loss", ["DELETE FROM hilltop_schema", "UPDATE hilltop_schema SET version = 0", "DROP TABLE results2"]
)
def test_a_file_that_lacks_something_is_refused(tmp_path: Path, loss: str) -> None:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        add_run(store)
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        if "version = 0" in loss:
            connection.execute("DELETE FROM hilltop_schema WHERE version > 1")
        if "DROP" in loss:
            connection.execute("DROP VIEW seats; DROP VIEW results")
        connection.execute(loss)
    for opened in (reading, writing):
        with (
            pytest.raises(HilltopError, match=r"is damaged: its tables are not complete; name another file with --db$"),
            opened(path),
        ):
            pass


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        run = add_run(store)
        store.append(run, [chunk(0)])
        store._rows("CHECKPOINT")
    path.write_bytes(path.read_bytes()[:20_000])
    for opened in (reading, writing):
        with pytest.raises(HilltopError, match=r"x\.duckdb is (damaged or cut short|not a database)"), opened(path):
            pass


def test_an_older_file_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.duckdb"
    with writing(path) as store:
        run = add_run(store)
        store.append(run, [chunk(0)])
    newer = (*MIGRATIONS, ("CREATE TABLE notes (note VARCHAR)", "INSERT INTO notes VALUES ('moved')"))
    monkeypatch.setattr(storage, "MIGRATIONS", newer)
    with pytest.raises(HilltopError, match=r"of an older version; run a tournament first$"), reading(path):
        pass
    with writing(path) as store:
        assert store.run("latest").done == 10
        assert store._rows("SELECT note FROM notes") == [("moved",)]
    with reading(path) as store:
        assert storage._version(store) == len(newer)


def test_results_of_the_first_schema_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    rows: Any = chunk(0).rows
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE hilltop_schema (version INTEGER PRIMARY KEY)")
        for statement in MIGRATIONS[0]:
            connection.execute(statement)
        connection.execute("INSERT INTO hilltop_schema VALUES (1)")
        settings = '{"game": "cuttle", "players": 2, "seed": 1}'
        connection.execute(
            "INSERT INTO runs VALUES (1, 'aa', 'cuttle', ?, 100, 2, '0.0.1', 'f', '2026-01-01 00:00:00')", [settings]
        )
        connection.execute("INSERT INTO entrants VALUES (1, 0, 'a'), (1, 1, 'b')")
        connection.execute("INSERT INTO lineups VALUES (1, 0, 0, 0, [0, 1]), (1, 1, 0, 0, [1, 0])")
        connection.execute("INSERT INTO chunks VALUES (1, 0, 0, 10)")
        for match, values in enumerate(rows.T.tolist()):
            connection.execute(
                "INSERT INTO results VALUES (1, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)", [match, *values]
            )
    with writing(path) as store:
        run = store.run("latest")
        assert store.rows(run, 0, 10).tolist() == rows.tolist()
        assert store._rows("SELECT count(*) FROM seats") == [(20,)]
        store.append(run, [chunk(1)])
        assert store.run("latest").done == 20
        assert store.facts(run) is None
    with reading(path) as store:
        assert storage._version(store) == len(MIGRATIONS)


def test_a_step_of_the_schema_is_taken_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.duckdb"
    with writing(path):
        pass
    with monkeypatch.context() as patch:
        patch.setattr(storage, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE notes (note VARCHAR)", "nonsense")))
        with pytest.raises(HilltopError, match=r"^the database .* reported: Parser Error: [^\n]*$"), writing(path):
            pass
    with writing(path) as store:
        assert storage._version(store) == len(MIGRATIONS)
        assert store._rows("SELECT * FROM information_schema.tables WHERE table_name = 'notes'") == []


def test_every_game_fits_the_schema() -> None:
    assert len(migrations._SCORES) == MAX_SEATS


# ---------------------------------------------------------------- files that are refused


def make(kind: str, path: Path) -> None:
    """A file that is no database of ours."""
    if kind == "text":
        path.write_text("a shopping list\n" * 1000)
    elif kind == "bytes":
        path.write_bytes(bytes(range(256)) * 400)
    elif kind == "sqlite":
        import sqlite3

        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE runs (run)")
            connection.commit()
    elif kind == "folder":
        path.mkdir()
    elif kind == "no folder":
        pass
    else:
        with contextlib.closing(duckdb.connect(str(path))) as connection:
            connection.execute(kind)


UNREADABLE = "is not a database that this version of DuckDB can read; name another file with --db"
OTHER = "is a database of another program; name another file with --db"


@pytest.mark.parametrize("opened", [reading, writing])
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("text", UNREADABLE),
        ("bytes", UNREADABLE),
        ("sqlite", UNREADABLE),
        ("folder", "is a folder; name a file with --db"),
        ("CREATE TABLE runs (run INTEGER)", OTHER),
        ("CREATE TABLE hilltop_schema (v INTEGER)", OTHER),
        (
            "CREATE TABLE hilltop_schema (version INTEGER); INSERT INTO hilltop_schema VALUES (99)",
            f"has schema version 99, but this hilltop knows only {len(MIGRATIONS)}; use a newer one",
        ),
    ],
)
def test_what_is_no_database_of_ours_is_left_alone(
    tmp_path: Path, opened: Callable[[Path], contextlib.AbstractContextManager[Store]], kind: str, sentence: str
) -> None:
    path = tmp_path / "corrupt lock permission denied.duckdb"
    make(kind, path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(HilltopError) as refused, opened(path):
        pass
    assert str(refused.value) == f"{path} {sentence}"
    assert (path.read_bytes() if path.is_file() else None) == before


def test_files_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "x.duckdb"
    with pytest.raises(HilltopError, match="cannot be opened; does its folder exist"), writing(path):
        pass
    with pytest.raises(HilltopError, match=r"^there is no database .*; 'hilltop run' makes one"), reading(path):
        pass
    assert not path.parent.exists()


def test_empty_files(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.touch()
    with pytest.raises(HilltopError, match="is empty; run a tournament first"), reading(path):
        pass
    with writing(path) as store:  # as left by a program killed before it wrote a byte
        add_run(store)
    with contextlib.closing(duckdb.connect(str(tmp_path / "y.duckdb"))):
        pass
    with pytest.raises(HilltopError, match="holds no results of hilltop yet"), reading(tmp_path / "y.duckdb"):
        pass


@pytest.mark.parametrize("name", [":memory:", "md:x", "sqlite:x.db", "s3:x", "ünï ☃ 'x\".duckdb", "%s [bold]"])
def test_a_name_is_a_file_whatever_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with writing(Path(name)) as store:
        add_run(store)
    assert Path(name).stat().st_size > 0
    with reading(Path(name)) as store:
        assert len(store.runs()) == 1


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        run = add_run(store, matches=500_000)
        for number in range(4):
            noise = np.random.default_rng(number).integers(0, 1 << 20, (5, 100_000), dtype=np.int32)
            noise[:2] = 0
            store.append(run, [Chunk(number * 100_000, 100_000, noise)])
        store._rows("CHECKPOINT")
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    path.write_bytes(data)
    with pytest.raises(HilltopError) as refused, reading(path) as store:
        list(store.slices(store.run("latest"), ["match", "plies", "score0", "score1"]))
    assert str(refused.value) == f"{path} {UNREADABLE}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere; see the next test")
def test_a_file_without_permission(tmp_path: Path, played: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.write_bytes(played.read_bytes())
    path.chmod(0o444)
    with pytest.raises(HilltopError, match="cannot be opened to write; check its permissions"), writing(path):
        pass


def test_a_disk_that_can_only_be_read(tmp_path: Path, played: Path) -> None:
    folder = tmp_path / "mount"
    with mounted(folder, "16m"):
        path = folder / "x.duckdb"
        path.write_bytes(played.read_bytes())
        remount(folder, "ro")
        with reading(path) as store:
            assert store.run("latest").complete
        for one in (path, folder / "new.duckdb"):
            with pytest.raises(HilltopError) as refused, writing(one):
                pass
            assert str(refused.value) == (
                f"{one} cannot be opened to write; check its permissions, or name another file with --db"
            )


# ---------------------------------------------------------------- several programs

HOLD = """
import sys
from pathlib import Path
from storage.store import reading, writing
with (writing if sys.argv[1] == "writing" else reading)(Path(sys.argv[2])):
    print("open", flush=True)
    sys.stdin.readline()
"""


@contextlib.contextmanager
def held(how: str, path: Path) -> Iterator[None]:
    """Another process has the file open."""
    command = [sys.executable, "-c", HOLD, how, str(path)]
    with subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "open\n"
        yield
        process.stdin.write("\n")


def test_one_writes_or_several_read(tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "READER_WAITS", 0.3)
    monkeypatch.setattr(opening, "WRITER_WAITS", 0.3)
    path = tmp_path / "x.duckdb"
    path.write_bytes(played.read_bytes())
    busy = f"{path} is in use by another program; wait for it to end, or name another file with --db"
    with held("writing", path):
        for opened in (reading, writing):
            with pytest.raises(HilltopError) as refused, opened(path):
                pass
            assert str(refused.value) == busy
    with held("reading", path):
        with pytest.raises(HilltopError) as refused, writing(path):
            pass
        assert str(refused.value) == busy
        with reading(path) as store:
            assert len(store.runs()) == 1


@pytest.mark.parametrize(("how", "opened"), [("writing", reading), ("writing", writing), ("reading", writing)])
def test_who_comes_while_the_file_is_held_waits(tmp_path: Path, played: Path, how: str, opened: Any) -> None:
    path = tmp_path / "x.duckdb"
    path.write_bytes(played.read_bytes())
    with ThreadPoolExecutor() as pool:
        with held(how, path):
            waiting = pool.submit(count_runs, opened, path)
            time.sleep(0.5)
            assert not waiting.done()
        assert waiting.result() == 1


def count_runs(opened: Any, path: Path) -> int:
    with opened(path) as store:
        return len(store.runs())


def test_a_store_that_is_released_is_free_for_others(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        add_run(store)
        store.release()
        with held("writing", path):
            pass
        assert len(store.runs()) == 1


# ---------------------------------------------------------------- full disks


def play_into(path: Path, matches: int) -> None:
    plan = plan_run("cuttle", "random,greedy", matches=matches, seed=2)
    with writing(path) as store:
        runs = store.runs()
        runner.play(plan, store, runs[0] if runs else runner.start(plan, store), InProcess())


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = 300_000
    monkeypatch.setattr(runner, "COMMIT_ROWS", 40_000)
    whole, folder = tmp_path / "whole.duckdb", tmp_path / "mount"
    play_into(whole, matches)
    with mounted(folder, f"{whole.stat().st_size * 2 // 3}"):
        path = folder / "x.duckdb"
        with pytest.raises(HilltopError) as refused:
            play_into(path, matches)
        assert str(refused.value) == f"the disk that holds {path} is full; what was stored before is kept"
        remount(folder, "size=64m")
        with reading(path) as store:
            run = store.run("latest")
            assert 0 < run.done < matches
            assert store._rows("SELECT count(*), max(match) + 1 FROM results") == [(run.done, run.done)]
        play_into(path, matches)
        assert content(path) == content(whole)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    setup = f"""
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, ({1 << 21}, {resource.RLIM_INFINITY}))
    """
    asked = ["run", "cuttle", "--bots", "random,greedy", "--matches", "400000", "--workers", "0", "--db", str(path)]
    done = hilltop(*asked, setup=setup)
    assert done.returncode == 1
    *_, advice, last = done.stderr.splitlines()
    assert last == f"hilltop: the disk that holds {path} is full; what was stored before is kept"
    assert re.fullmatch(
        rf"hilltop: run \w+ .* of .* matches; 'hilltop run --resume \w+ --db {path}' plays the rest", advice
    )
    assert "Traceback" not in done.stderr
    with reading(path) as store:
        run = store.run("latest")
        assert store._rows("SELECT count(*) FROM results") == [(run.done,)]


# ---------------------------------------------------------------- runs


def test_names_of_runs(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        with pytest.raises(HilltopError, match=f"^there are no runs in {re.escape(str(path))}$"):
            store.run("latest")
        runs = [add_run(store, seed) for seed in range(40)]
        assert store.run("latest") == runs[-1] == store.runs()[-1]
        assert len({run.id for run in runs}) == 40
        for run in runs:
            assert store.run(run.id) == run
            assert store.run(run.id[:8]) == run
        shared = next(run.id[0] for run in runs if sum(other.id[0] == run.id[0] for other in runs) > 1)
        several = ", ".join(run.id for run in runs if run.id[0] == shared)
        with pytest.raises(HilltopError) as refused:
            store.run(shared)
        assert str(refused.value) == f"'{shared}' may be any of the runs {several}; write more of it"
        for missing in ("", "nothing", "LATEST", runs[0].id + "0", "%", "' OR 1=1 --"):
            with pytest.raises(HilltopError) as refused:
                store.run(missing)
            assert str(refused.value) == f"there is no run '{missing}' in {path}; 'hilltop runs' lists them"


def test_the_same_commands_give_the_same_ids(tmp_path: Path) -> None:
    def ids(name: str) -> list[str]:
        with writing(tmp_path / name) as store:
            codes = [(1, "f"), (1, "f"), (2, "f"), (1, "e"), (1, "f")]
            return [add_run(store, seed, fingerprint).id for seed, fingerprint in codes]

    first = ids("one.duckdb")
    assert first == ids("other.duckdb")
    assert len(set(first)) == 5


def test_a_run_keeps_its_settings(tmp_path: Path) -> None:
    plan = plan_run("cuttle", "greedy(aggression=0.25),random", "short", ["goal=15"], matches=123, seed=(1 << 63) - 1)
    with writing(tmp_path / "x.duckdb") as store:
        run = runner.start(plan, store)
    with reading(tmp_path / "x.duckdb") as store:
        (again,) = store.runs()
        resumed = runner.resume(store, again)
    assert again == run
    assert again.settings == plan.settings
    assert (again.matches, again.lineups, again.done, again.chunks) == (124, 2, 0, 0)
    assert again.fingerprint == plan.fingerprint
    assert resumed == plan


@pytest.mark.parametrize("stopped", [False, True])
def test_a_run_whose_playing_has_ended_is_not_played(tmp_path: Path, stopped: bool) -> None:
    plan = plan_run("cuttle", "greedy,random", matches=120)
    seen = []

    def progress(_: int) -> None:
        seen.append(store.paces())
        if stopped:
            raise KeyboardInterrupt

    with writing(tmp_path / "x.duckdb") as store:
        with pytest.raises(KeyboardInterrupt) if stopped else contextlib.nullcontext():
            runner.play(plan, store, None, InProcess(), progress)
        assert seen
        assert all(len(paces) == 1 for paces in seen)
        assert store.paces() == {}  # though the program that played it lives on


def test_a_run_is_played_as_long_as_a_program_plays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(tmp_path / "x.duckdb") as store:
        run = runner.start(plan_run("cuttle", "greedy,random", matches=120), store)

        def sat(told: str, ago: float = 0.0, playing: bool = True) -> None:
            when = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=ago)
            store._rows("INSERT INTO sittings VALUES (?, ?, ?, ?)", [run.number, told, playing, when])

        assert store.paces() == {}
        store.sit(run, True)
        assert store.paces() == {run.number: None}
        store.sit(run, False)
        assert store.paces() == {}
        machine, pid, birth = this_program().split(" ")
        with subprocess.Popen([sys.executable, "-c", ""]) as ended:
            pass
        sat(f"{machine} {ended.pid} {birth}")  # it was killed before it could tell
        sat(f"{machine} {pid} {int(birth or 0) + 1}")  # another one has its number by now
        assert store.paces() == {}
        sat(f"elsewhere {pid} {birth}", ago=2 * storage.ALIVE)  # on a machine that cannot be asked
        assert store.paces() == {}
        sat(f"elsewhere {pid} {birth}", ago=storage.ALIVE / 2)
        assert store.paces() == {run.number: None}
        sat(f"elsewhere {pid} {birth}", playing=False)
        assert store.paces() == {}


# ---------------------------------------------------------------- results


def test_chunks_are_stored_whole_and_together_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.duckdb"
    with writing(path) as store:
        run = add_run(store)
        store.append(run, [chunk(0)])
        before = content_of(store)
        # The second chunk does not follow the first one, which must not stay either.
        for chunks in ([chunk(1), chunk(0)], [chunk(1), chunk(3)], [chunk(0)], [chunk(2)]):
            with pytest.raises(HilltopError, match=r"holds \d+ matches, so match \d+ cannot be stored next"):
                store.append(run, chunks)
        assert content_of(store) == before
        # Trouble between the results and the records of their chunks.
        with monkeypatch.context() as patch:
            insert = Store._insert

            def fails(self: Store, table: str, columns: Mapping[str, Any]) -> None:
                insert(self, table, columns)
                assert (table, columns["match"][0], columns["match"][-1]) == ("results2", 10, 29)
                raise MemoryError

            patch.setattr(Store, "_insert", fails)
            with pytest.raises(MemoryError):
                store.append(run, [chunk(1), chunk(2)])
        assert content_of(store) == before
        store.append(run, [chunk(1), chunk(2)])
        assert store.run(run.id).done == 30
    with reading(path) as store:
        assert store.run(run.id).done == 30


def content_of(store: Store) -> list[list[tuple[object, ...]]]:
    return [store._rows(f"SELECT * FROM {table} ORDER BY ALL") for table in ("runs", "chunks", "results")]


def test_ctrl_c_in_a_query_is_ctrl_c(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), opening.told(str):
        raise RuntimeError("Query interrupted")  # as DuckDB says it
    with writing(tmp_path / "x.duckdb") as store:
        run = add_run(store)
        main = threading.main_thread().ident
        assert main is not None
        timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
        timer.start()

        def ask() -> None:
            while True:  # DuckDB may look for signals only when a query ends: many short ones
                store._rows("SELECT sum(a.range * b.range) FROM range(1000000) a, range(50) b")

        with pytest.raises(KeyboardInterrupt):
            ask()
        timer.join()
        store.append(run, [chunk(0)])
        assert store.run("latest").done == 10


@pytest.mark.parametrize("size", [1, 2, 7, 8, 1000])
def test_slices_are_whole_deals_in_order(tmp_path: Path, size: int) -> None:
    with writing(tmp_path / "x.duckdb") as store:
        other = add_run(store, seed=1)
        run = add_run(store, seed=2)
        store.append(other, [chunk(0, 4)])
        store.append(run, [chunk(number) for number in range(3)])
        run = store.run(run.id)
        forward = list(store.slices(run, ["match", "plies"], size))
        backward = list(store.slices(run, ["match", "plies"], size, backwards=True))
        assert [match for _, frame in forward for match in frame["match"].to_list()] == list(range(30))
        assert [first for first, _ in backward] == [first for first, _ in forward][::-1]
        for (first, frame), (_, same) in zip(forward, reversed(backward), strict=True):
            assert first % run.lineups == 0
            assert frame["match"][0] == first
            assert frame.equals(same)
        assert list(store.slices(add_run(store, seed=3), ["match"])) == []


def test_large_numbers_are_stored_as_they_are(tmp_path: Path) -> None:
    rows = np.array([[543210], [7], [2**31 - 1], *[[-(2**31) + seat] for seat in range(6)]], np.int32)
    with writing(tmp_path / "x.duckdb") as store:
        run = add_run(store, players=6)
        store._rows("INSERT INTO chunks VALUES (1, 0, 999999999999, 1, NULL, NULL, NULL)")
        store.append(run, [Chunk(10**12, 1, rows)])
        row = store.result(run, 10**12)
    assert row["match"] == 10**12
    assert [row[name] for name in ("ranks", "reason", "plies")] == [543210, 7, 2**31 - 1]
    assert [row[f"score{seat}"] for seat in range(6)] == [-(2**31) + seat for seat in range(6)]


def test_a_match_that_is_not_there(tmp_path: Path, played: Path) -> None:
    with reading(played) as store:
        run = store.run("latest")
        with pytest.raises(HilltopError) as refused:
            store.result(run, 1200)
    assert str(refused.value) == f"run {run.id} has no match 1200; it holds the matches 0 to 1199"
    with writing(tmp_path / "x.duckdb") as store:
        run = add_run(store)
        with pytest.raises(HilltopError, match=f"^run {run.id} has no match 0; it holds none yet$"):
            store.result(run, 0)


# ---------------------------------------------------------------- export and the view for people


def test_the_view_of_seats_agrees_with_the_results(played: Path) -> None:
    plan = plan_run("cuttle", ",".join(FIELD), matches=1200, seed=5)
    with reading(played) as store:
        run = store.run("latest")
        seats = store._rows(
            "SELECT run, game, match, deal, lineup, variant, seat, bot, rank, score, reason, plies "
            "FROM seats ORDER BY match, seat"
        )
        (frame,) = [frame for _, frame in store.slices(run, ["match", "ranks", "reason", "plies", "score0", "score1"])]
    expected = []
    for match, ranks, reason, plies, *scores in frame.iter_rows():
        deal, lineup = plan.locate(match)
        for seat, score in enumerate(scores):
            bot = FIELD[lineup.entrants[seat]]
            rank = ranks // 10**seat % 10
            expected.append((run.id, "cuttle", match, deal, match % 6, 0, seat, bot, rank, score, reason, plies))
    assert seats == expected


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "X.CSV", "it's [x*?].parquet"])
def test_export_holds_every_match(tmp_path: Path, played: Path, name: str) -> None:
    target = tmp_path / name
    target.write_text("old")
    with reading(played) as store:
        run = store.run("latest")
        reasons = read(store, run).facts.reasons
        assert export(store, run, target, reasons) == 1200
        (stored,) = [frame for _, frame in store.slices(run, ["match", "ranks", "reason", "plies", "score0", "score1"])]
    with open(target, "rb") as file:
        found = pl.read_csv(file) if name.lower().endswith(".csv") else pl.read_parquet(file)
    assert found.columns == [
        *["match", "deal", "lineup", "variant", "reason", "plies"],
        *["bot0", "rank0", "score0", "bot1", "rank1", "score1"],
    ]
    assert found["match"].to_list() == list(range(1200))
    assert found["deal"].to_list() == [match // 6 for match in range(1200)]
    assert found["reason"].to_list() == [reasons[number] for number in stored["reason"]]
    for column in ("plies", "score0", "score1"):
        assert found[column].to_list() == stored[column].to_list()
    for seat in (0, 1):
        assert found[f"rank{seat}"].to_list() == [ranks // 10**seat % 10 for ranks in stored["ranks"]]
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    assert found.select("bot0", "bot1").rows() == [
        (FIELD[pairs[match % 6][0]], FIELD[pairs[match % 6][1]]) for match in range(1200)
    ]


def test_a_match_spoiled_by_an_illegal_choice_has_no_ranks(tmp_path: Path) -> None:
    rows = np.array([[1], [-1], [4], [0], [0]], np.int32)
    with writing(tmp_path / "x.duckdb") as store:
        run = add_run(store)
        store.append(run, [Chunk(0, 1, rows)])
        assert store._rows("SELECT rank, reason FROM seats") == [(None, -1), (None, -1)]
        export(store, store.run("latest"), tmp_path / "x.parquet", ["points"])
    found = pl.read_parquet(tmp_path / "x.parquet")
    assert found.row(0) == (0, 0, 0, 0, "illegal_choice", 4, "a", None, 0, "b", None, 0)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x.txt", "; the file's name must end in .parquet or .csv"),
        ("x", "; the file's name must end in .parquet or .csv"),
        ("nowhere/x.csv", "; its folder does not exist"),
        ("folder.csv", "; it is a folder"),
    ],
)
def test_where_nothing_can_be_exported(tmp_path: Path, played: Path, name: str, reason: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    target = tmp_path / name
    with reading(played) as store, pytest.raises(HilltopError) as refused:
        export(store, store.run("latest"), target, ["points"])
    assert str(refused.value).startswith(f"cannot export to '{target}'{reason}")
    assert "\n" not in str(refused.value)


def test_export_to_a_full_disk(tmp_path: Path) -> None:
    folder = tmp_path / "mount"
    with writing(tmp_path / "x.duckdb") as store, mounted(folder, "64k"):
        run = add_run(store, matches=200_000)
        noise = np.random.default_rng(0).integers(0, 1 << 20, (5, 200_000), dtype=np.int32)
        noise[:2] = 0
        store.append(run, [Chunk(0, 200_000, noise)])
        run = store.run("latest")
        for name in ("x.csv", "x.parquet"):
            with pytest.raises(HilltopError, match=r"^cannot export to '.*'; its disk is full$"):
                export(store, run, folder / name, ["points"])
