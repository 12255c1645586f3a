"""Where the installed program starts."""

from __future__ import annotations


def run_program() -> None:
    """The entry point of the installed program."""
    from cli.start import run_program as run

    run()
