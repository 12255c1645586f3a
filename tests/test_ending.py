"""Beginnings and ends at the worst moments: one sentence, the documented exit code, soon."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.program import BOTS, command, environment, hilltop

RUN = ["run", "cuttle", "--bots", BOTS, "--matches", "40_000_000", "--workers", "0"]

ENDLESS = """
    from bots.bot import Bot
    from engine.kernel import kernel


    @kernel
    def decide(view, rules, moves, count, params, luck):
        n = 0
        while luck[0] >= 0:
            n += 1
            luck[0] = n % 2
        return n


    BOT = Bot("endless", "Thinks for ever.", decide)
"""


def start(*arguments: str, cwd: Path, setup: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments, setup=setup),
        cwd=cwd,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


THINKS = """
    import sys
    from tournament.apart import Apart
    play = Apart.play

    def begin(*arguments):
        print("thinking", file=sys.stderr, flush=True)
        return play(*arguments)

    Apart.play = begin
"""


@pytest.mark.parametrize(("number", "wanted"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_bot_that_never_returns_makes_nobody_deaf(tmp_path: Path, number: int, wanted: int) -> None:
    (tmp_path / "endless.py").write_text(textwrap.dedent(ENDLESS))
    play = ["run", "cuttle", "--bots", "endless.py,random", "--matches", "10", "--workers", "0"]
    process = start(*play, "--bot-budget", str(10**15), cwd=tmp_path, setup=THINKS)
    assert process.stderr
    with process, process.stderr:
        for wait in ("thinking", "finishing what is under way"):
            assert any(wait in line for line in process.stderr)
            process.send_signal(number)
        assert process.stderr.read().splitlines() == [
            "hilltop: nothing was stored",
            f"hilltop: {'interrupted' if number == signal.SIGINT else 'terminated'}",
        ]
        assert process.wait() == wanted


def test_where_no_run_is_asked_one_signal_is_enough(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(textwrap.dedent(ENDLESS))
    duel = ["duel", "cuttle", "endless.py", "random", "--workers", "0"]
    process = start(*duel, cwd=tmp_path, setup=THINKS)
    assert process.stderr
    with process, process.stderr:
        assert any("thinking" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().splitlines()[-1] == "hilltop: interrupted"
        assert process.wait() == 130


# Standard error that sends a signal from within a write, as the system does when a reader is quick.
LOUD = """
    import io, os, signal, sys

    class Loud(io.RawIOBase):
        told = False
        def writable(self):
            return True
        def write(self, data):
            if b"run " in bytes(data) and not Loud.told:
                Loud.told = True
                os.kill(os.getpid(), signal.SIGINT)
            return os.write(2, data)

    sys.stderr = io.TextIOWrapper(io.BufferedWriter(Loud()), line_buffering=True)
"""
# The second signal comes in the middle of storing.
STORING = """
    import os, signal, time
    from engine.errors import HilltopError
    from storage.store import Store
    append = Store.append

    def again(self, *arguments):
        append(self, *arguments)
        os.kill(os.getpid(), signal.SIGINT)
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            BODY

    Store.append = again
"""
MOMENTS = {
    "printing": LOUD,
    "an error instead": STORING.replace("BODY", 'raise HilltopError("the database reported: what?")'),
    "swallowed": STORING.replace("BODY", "pass"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_at_a_bad_moment_is_answered_as_at_any_other(tmp_path: Path, moment: str) -> None:
    done = hilltop(*RUN, cwd=tmp_path, setup=textwrap.dedent(MOMENTS[moment]))
    assert done.returncode == 130, done.stderr
    *_, advice, last = done.stderr.splitlines()
    assert last == "hilltop: interrupted"
    assert re.fullmatch(r"hilltop: run \w+ holds [\d,]+ of 40,000,000 matches; 'hilltop run --resume \w+' .+", advice)
    assert "finishing what is under way" in done.stderr


# ---------------------------------------------------------------- what cannot even begin


BEGIN = "from cli.start import run_program; run_program()"


@pytest.mark.parametrize(
    ("limit", "setup", "sentence"),
    [
        ("1000000", "", r"memory is limited to 976 MB \(ulimit -v\); allowed: 2,048 MB and more"),
        (
            "unlimited",
            "import sys; sys.modules['typer'] = None",
            r"it cannot be loaded \(import of typer .+\); is it .+\?",
        ),
    ],
)
def test_a_program_that_cannot_be_loaded_says_so(tmp_path: Path, limit: str, setup: str, sentence: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", sys.executable, "-c", f"{setup}\n{BEGIN}", "runs"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(rf"hilltop: {sentence}\n", done.stderr), done.stderr
