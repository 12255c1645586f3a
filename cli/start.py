"""Where the installed program starts: what goes wrong even while the rest is still being loaded is told in one line."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

# Bytes of addresses that libraries take, little of it memory. With less some do not load, and others try for ever.
LEAST = 2 << 30
SMALL = ("-h", "--help", "--version")  # what is answered without them


def run_program() -> None:
    """The entry point of the installed program."""
    limit = _limit()
    if limit is not None:
        if limit < LEAST and sys.argv[1:2] and sys.argv[1] not in SMALL:
            _end(f"memory is limited to {limit >> 20:,} MB (ulimit -v); allowed: {LEAST >> 20:,} MB and more", 1)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each takes tens of MB
    try:
        from cli.main import run_program as run
    except KeyboardInterrupt:
        _end("interrupted", 130)
    except (ImportError, OSError, MemoryError) as error:
        if "--debug" in sys.argv:
            raise
        _end(f"it cannot be loaded ({' '.join(str(error).split())}); is it installed whole, is there enough memory?", 1)
    run()


def _limit() -> int | None:
    """Bytes of addresses that the program may take; None if that is not limited."""
    try:
        import resource
    except ImportError:  # where there are no such limits
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _end(sentence: str, code: int) -> NoReturn:
    os.write(2, f"hilltop: {sentence}\n".encode())
    sys.exit(code)
