"""What is said while something is compiled."""

from __future__ import annotations

import pytest

from cli.progress import Compiling


def test_a_line_now_and_then_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with Compiling("Cuttle") as tell:
        tell(0, 3, ["match loop"])
        tell(0, 3, ["match loop", "greedy"])  # too soon to be told again
        tell(3, 3, [])
    assert capsys.readouterr().err == (
        "compiling Cuttle, 0 of 3 parts ready: match loop (kept for the next time)\n"
        "compiling Cuttle, 3 of 3 parts ready (kept for the next time)\n"
    )
    with Compiling("Cuttle"):
        pass
    assert capsys.readouterr().err == ""


def test_one_line_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes in place, fits the width, and has ended before anything else is said."""
    monkeypatch.setattr("cli.progress._is_live", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    with Compiling("Jack and Jill Reclaim the Hill") as tell:
        tell(0, 2, ["match loop"])
        tell(1, 2, ["a"])
    said = capsys.readouterr().err
    assert said.startswith("\rcompiling Jack and Jill Reclaim the Hil")
    assert said.endswith("\n")
    assert said.count("\r") == 2
    assert all(len(line) < 40 for line in said.rstrip("\n").split("\r"))
    assert said.isascii()
