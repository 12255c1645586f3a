"""A run's matches as a file for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from engine.errors import HilltopError
from storage.connection import first_line, full, told
from storage.store import Store, StoredRun

MEMORY = "200MB"  # rows go from one file into another
KINDS = {".parquet": "FORMAT parquet, COMPRESSION zstd", ".csv": "FORMAT csv, HEADER"}


def export(store: Store, run: StoredRun, target: Path, reasons: Sequence[str]) -> int:
    """Write a row a match (Parquet or CSV by the file's ending); returns how many. ``reasons``: their names."""
    kind = KINDS.get((target.suffix or target.name).lower())
    if kind is None:
        raise HilltopError(f"cannot export to '{target}'; the file's name must end in .parquet or .csv")
    if not target.parent.is_dir():
        raise HilltopError(f"cannot export to '{target}'; its folder does not exist")
    if target.is_dir():
        raise HilltopError(f"cannot export to '{target}'; it is a folder")
    query = _rows(store, run, reasons)
    with told(partial(_sentence, target)):
        store.execute(f"SET memory_limit = '{MEMORY}'")
        store.execute(f"COPY ({query}) TO {_quoted(str(target.absolute()))} ({kind})")
    return run.done


def _rows(store: Store, run: StoredRun, reasons: Sequence[str]) -> str:
    """The query for the rows, in the order in which they were stored, which is that of their numbers: nothing is joined
    or sorted, so they pass through."""
    bots, lineups = store.seatings(run)
    place = f"[match % {run.lineups} + 1]"
    places = ", ".join(
        f"{_texts(bots)}[{_numbers([seats[seat] + 1 for _, seats in lineups])}{place}] AS bot{seat}, "
        f"CASE WHEN reason >= 0 THEN ((ranks // {10**seat}) % 10)::TINYINT END AS rank{seat}, score{seat}"
        for seat in range(len(lineups[0][1]))
    )
    return f"""
        SELECT match, match // {run.lineups} AS deal, (match % {run.lineups})::INTEGER AS lineup,
               {_numbers([variant for variant, _ in lineups])}{place} AS variant,
               CASE WHEN reason < 0 THEN 'illegal_choice' ELSE {_texts(reasons)}[reason + 1] END AS reason, plies,
               {places}
        FROM {run.table} WHERE run = {run.number}"""


def _texts(names: Sequence[str]) -> str:
    """A list of texts as SQL writes it."""
    return f"([{', '.join(map(_quoted, names))}])"


def _numbers(values: Sequence[int]) -> str:
    """A list of numbers as SQL writes it."""
    return f"([{', '.join(map(str, values))}]::INTEGER[])"


def _quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _sentence(target: Path, text: str) -> str:
    if full(text.lower()):
        return f"cannot export to '{target}'; its disk is full"
    return f"cannot export to '{target}': {first_line(text)}"
