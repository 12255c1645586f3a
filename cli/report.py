"""``hilltop report``: the balance of runs as one page that opens anywhere."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cli.arguments import DatabaseOption, MarginOption, database
from engine.errors import HilltopError


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs: ids, their beginnings, or latest.")],
    to: Annotated[Path, typer.Option("--to", help="The page to write, FILE.html.")],
    margin: MarginOption = 0.01,
    db: DatabaseOption = None,
) -> None:
    """Write the balance of runs, with charts and tables, as one HTML page that needs no network."""
    from cli.output import say
    from hilltop.api import check_margin, judged, load_judged
    from tournament.page.report import Part, page

    check_margin(margin)
    _check(to)
    chosen = load_judged(runs, database(db))
    parts = [Part.of(judged(run, margin)) for run in chosen]
    size = _write(to, page(parts).encode("utf-8", "backslashreplace"))
    say(f"report on {', '.join(run.id for run in chosen)} written to {to} ({size / 1e6:.1f} MB)")


def _check(target: Path) -> None:
    """Refuse, before anything is computed, what cannot become a page."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise HilltopError(f"cannot write a report to '{target}'; the file's name must end in .html")
    if not target.parent.is_dir():
        raise HilltopError(f"cannot write a report to '{target}'; its folder does not exist")
    if target.exists() and not target.is_file():
        raise HilltopError(f"cannot write a report to '{target}'; it is no plain file")


def _write(target: Path, content: bytes) -> int:
    """Put the whole page there or nothing: a page that was there before stays until the new one is complete."""
    target = target.resolve()  # a link stays one
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(suffix=".tmp", prefix=f".{target.name[:100]}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), _mode(target))
        os.replace(temporary, target)
        temporary = ""
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise HilltopError(f"cannot write a report to '{target}': {reason}") from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
    return len(content)


def _mode(target: Path) -> int:
    """The permissions of the page that is replaced, else those of any new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
