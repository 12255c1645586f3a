"""Where the installed program starts: Ctrl-C is answered in one line even while the rest is still being loaded."""

from __future__ import annotations

import os
import sys


def run_program() -> None:
    """The entry point of the installed program."""
    try:
        from cli.main import run_program as run
    except KeyboardInterrupt:
        os.write(2, b"hilltop: interrupted\n")
        sys.exit(130)
    run()
