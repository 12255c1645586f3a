"""The command line: commands are one file each; here they meet, and trouble becomes one sentence and an exit code.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted (Ctrl-C), 141 the reader of the output left
(as in ``| head``), 143 told to end (SIGTERM). Stack traces only with ``--debug``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import sys
from typing import Annotated, Any

import typer
from typer import exceptions

from cli import (
    audit,
    balance,
    bench,
    bots,
    check_bot,
    duel,
    ending,
    exclude,
    explain,
    export,
    games,
    include,
    matrix,
    new_bot,
    play,
    rate,
    replay,
    report,
    review,
    run,
    runs,
    scenario,
    selftest,
    serve,
    show,
    trace,
    tune,
    verify,
    watch,
)
from engine.errors import HilltopError, UsageError

CLOSED = 128 + signal.SIGPIPE  # what a shell says of a program that ends of a closed pipe without a word

app = typer.Typer(
    name="hilltop",
    help="Tournaments, ratings and balance of card and dice games, from a million seeded matches.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    _debug: Annotated[bool, typer.Option("--debug", help="Show stack traces.")] = False,
    _version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Tournaments, ratings and balance of card and dice games, from a million seeded matches."""


for module in (
    games,
    bots,
    new_bot,
    check_bot,
    run,
    duel,
    tune,
    runs,
    watch,
    show,
    rate,
    matrix,
    balance,
    report,
    explain,
    trace,
    replay,
    review,
    scenario,
    export,
    verify,
    audit,
    exclude,
    include,
    bench,
    selftest,
    play,
    serve,
):
    app.command(module.__name__.rpartition(".")[2].replace("_", "-"))(module.command)


def run_command(arguments: list[str]) -> int:
    """Run the program with ``arguments``; returns the exit code."""
    debug = "--debug" in arguments
    arguments = [word for word in arguments if word != "--debug"]
    for word in arguments:
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            return _fail(f"'{word}' is not valid UTF-8", 2)
    try:
        if arguments[:1] == ["--version"]:
            from tournament.version import version

            print(f"hilltop {version()}")
            outcome: Any = 0
        else:
            outcome = app(arguments or ["--help"], standalone_mode=False, prog_name="hilltop")
            if not arguments:
                outcome = 2  # nothing was asked for
        sys.stdout.flush()
        if outcome == ending.INTERRUPTED:
            return _interrupted()
        return outcome if isinstance(outcome, int) else 0
    except BrokenPipeError:
        return _closed()
    except SystemExit as stop:
        # Typer's own answer to a closed pipe is to exit without a word.
        if isinstance(stop.__context__, BrokenPipeError):
            return _closed()
        raise
    except (KeyboardInterrupt, exceptions.Abort):
        if debug:
            raise
        return _interrupted()
    except exceptions.Exit as stop:
        return int(stop.exit_code)
    except exceptions.TyperException as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        return _fail(_plain(message, arguments), 2)
    except Exception as error:
        if debug:
            raise
        return _interrupted() if ending.must_end() else _told(error)


def _told(error: Exception) -> int:
    """Tell of what went wrong in a sentence; the exit code."""
    if isinstance(error, HilltopError):
        return _fail(str(error), 2 if isinstance(error, UsageError) else 1)
    if isinstance(error, (OSError, MemoryError)):
        _drop_output()
        return _fail(_system_trouble(error), 1)
    return _fail(f"unexpected trouble ({type(error).__name__}); --debug shows where, please report it", 1)


def _plain(message: str, arguments: list[str]) -> str:
    """What Typer says of a value of the wrong kind, with the value and without its library's words."""
    found = re.match(r"Invalid value for '(?P<option>--[\w-]+)'[^:]*: (?P<why>.*)", message, re.DOTALL)
    if not found:
        return message
    option, why = found["option"], found["why"]
    given = [word.partition("=")[2] for word in arguments if word.startswith(f"{option}=")]
    given += [value for word, value in itertools.pairwise(arguments) if word == option]
    for kind, allowed in (("integer", "a whole number"), ("number", "a number")):
        if f"valid {kind}" in why and given:
            return f"{option} cannot be '{given[-1]}'; write {allowed}"
    choice = re.search(r"'(?P<value>.*)' is not one of (?P<allowed>.*?)\.?$", why, re.DOTALL)
    if choice:
        return f"{option} cannot be '{choice['value']}'; allowed: {choice['allowed'].replace(chr(39), '')}"
    return message


def _interrupted() -> int:
    return _fail(ending.word(), ending.code())


def _closed() -> int:
    """Whoever read the output has seen enough: nothing to complain about."""
    _drop_output()
    return CLOSED


def _drop_output() -> None:
    """What is left in the buffer may have nowhere to go; a second failure at exit would be printed as a trace."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_trouble(error: OSError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    where = f": {error.filename}" if error.filename else ""
    return f"{(error.strerror or str(error)).lower()}{where}"


def _fail(message: str, code: int) -> int:
    with contextlib.suppress(OSError):
        print("hilltop:", *message.split(), file=sys.stderr, flush=True)  # one line, whatever a library said
    return code


def run_program() -> None:
    """The entry point of the installed program."""
    closed = sys.stdout is None
    _open_streams()
    ending.listen()
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end a command.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = _fail("standard output is closed", 1) if closed else run_command(sys.argv[1:])
    ending.deafen()
    sys.exit(code)


def _open_streams() -> None:
    """Give standard streams that the caller closed to the null device: no file opened later may get their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    # Python has None for a stream that was closed when it started.
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
