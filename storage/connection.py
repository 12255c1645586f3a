"""Opening the database file, which one program has at a time, and what its trouble is called."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

from engine.errors import HilltopError

# Seconds that a program waits for another one to be done with the file. Runs hold it for parts of a second, reports as
# long as they read; a run's results can wait in memory.
READER_WAITS, WRITER_WAITS = 10.0, 60.0
SHORTEST_PAUSE, LONGEST_PAUSE = 0.005, 0.1  # between two tries
CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",  # for parts of the file kept in memory, which would grow with it; larger sorts use the disk
    "preserve_insertion_order": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def connect(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open the file; while another program has it, for so long as it may need to read or write, try again."""
    end = time.monotonic() + (READER_WAITS if read_only else WRITER_WAITS)
    pause = SHORTEST_PAUSE
    while True:
        try:
            # An absolute path is a file to DuckDB, whatever its name; nothing is ever downloaded to open one.
            return duckdb.connect(str(path.absolute()), read_only=read_only, config=CONFIGURATION)
        except duckdb.Error as error:
            if not _busy(str(error).lower()) or time.monotonic() > end:
                raise HilltopError(sentence(path, str(error))) from error
        time.sleep(pause * random.uniform(0.5, 1.0))  # two that wait should not meet again and again
        pause = min(2 * pause, LONGEST_PAUSE)


def _busy(lower: str) -> bool:
    """Does DuckDB say that another program has the file?"""
    return "lock" in lower and ("conflicting" in lower or "could not set" in lower)


@contextlib.contextmanager
def told(worded: Callable[[str], str]) -> Iterator[None]:
    """Trouble of the database in one sentence, made from what DuckDB says."""
    try:
        yield
    except duckdb.Error as error:
        raise HilltopError(worded(str(error))) from error
    except RuntimeError as error:  # how DuckDB tells of Ctrl-C during a query
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def sentence(path: Path, text: str) -> str:
    """What trouble with a database file is, and what to do, from what DuckDB says."""
    lower = text.replace(str(path.absolute()), "").lower()  # a name may hold any word
    if _busy(lower):
        return f"{path} is in use by another program; wait for it to end, or name another file with --db"
    if "could not read enough bytes" in lower:
        return f"{path} is damaged or cut short; take a copy of it if there is one, or name another file with --db"
    if "could not fsync" in lower:
        return f"{path} is not a file that can hold a database; name another one with --db"
    if any(word in lower for word in ("not a valid duckdb", "corrupt", "serializ", "extension", "checksum")):
        return f"{path} is not a database that this version of DuckDB can read; name another file with --db"
    if full(lower):
        return f"the disk that holds {path} is full; what was stored before is kept"
    if "permission denied" in lower or "read-only" in lower:
        return f"{path} cannot be opened to write; check its permissions, or name another file with --db"
    if "is a directory" in lower:
        return f"{path} is a folder; name a file with --db"
    if "no such file" in lower or "cannot open file" in lower:
        return f"{path} cannot be opened; does its folder exist?"
    return f"the database {path} reported: {first_line(text)}"


def full(lower: str) -> bool:
    """Does trouble of the database come from a lack of room?"""
    words = ("no space", "out of space", "disk is full", "file too large", "quota", '"errno":"28"', '"errno":"27"')
    return any(word in lower for word in words)


def first_line(text: str) -> str:
    """What DuckDB says, without its advice."""
    return text.strip().splitlines()[0] if text.strip() else "unknown trouble"
