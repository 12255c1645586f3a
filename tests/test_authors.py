"""What authors of bots are given: pages, a file to begin with, and a command that says what to mend."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bots.starters import starter
from engine import registry
from engine.compiler import INTERPRETED
from storage.store import reading
from tests import pages
from tests.conftest import Program
from tournament.conformance import (
    CLEAN,
    COMPILES,
    HONEST,
    LEGAL,
    LOADS,
    RAISES,
    REPEATS,
    SAME,
    Report,
    cases,
    check_bot,
)
from tournament.conformance import never_met as kinds_never_met

FILE = """
from bots.bot import Bot
from engine.kernel import kernel
{before}

{mark}
def decide(view, rules, moves, count, params, luck):
    {body}


BOT = Bot("mine", "Errs.", decide, game="jericho")
"""


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_pages_say_what_the_records_hold(game_id: str) -> None:
    """``python -m tests.pages`` writes them."""
    text = (pages.FOLDER / f"{game_id}.md").read_text("utf-8")
    assert text == pages.page(registry.game(game_id))
    shape = registry.game(game_id).state
    for name in (*(f"view.{name}" for name in shape.VIEW.names), *(f"move.{name}" for name in shape.Move._fields)):
        assert f"| `{name}` |" in text
    for record in filter(None, (shape.VIEW[name].names for name in shape.VIEW.names)):
        assert all(re.search(rf"\| `view\.\w+\.{name}` \| [^|]+ \| \S", text) for name in record)


def test_every_game_has_a_page_and_a_starter() -> None:
    folder = Path(pages.__file__).parent.parent
    assert {path.stem for path in pages.FOLDER.glob("*.md")} == set(registry.GAMES)
    assert {path.stem for path in (folder / "bots" / "starters").glob("*.py")} == {"__init__", *registry.GAMES}


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_a_starter_plays_in_both_kinds_and_is_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game_id: str
) -> None:
    monkeypatch.chdir(tmp_path)
    some = list(cases(registry.game(game_id)))[:4]
    monkeypatch.setattr("tournament.conformance.MOST", 1)
    monkeypatch.setattr("tournament.conformance.cases", lambda _: some)
    monkeypatch.setattr("tournament.conformance.SPEED_SECONDS", 0.02)
    for name, plain in (("compiled", False), ("plain", True)):
        text = starter(game_id, name, plain)
        assert ("@kernel\n" in text) != plain
        assert "KIND" not in text.replace("MOVE_KIND", "")
        Path(f"{name}.py").write_text(text)
        report = check_bot(Path(f"{name}.py"))
        assert report.good, report
        assert report.decisions > 20
        assert report.rate > 0
        assert "" not in report.met  # every kind of move has a name


def test_from_a_new_file_to_a_place_on_the_leaderboard(program: Program) -> None:
    for name, kind in (("idea", ()), ("other", ("--python",))):
        answer = program("new-bot", "cuttle", f"{name}.py", *kind)
        assert (answer.code, answer.out) == (0, f"{name}.py\n"), answer
    asked = ["run", "cuttle", "--bots", "idea.py,other.py,random", "--matches", "60", "--workers", "0"]
    answer = program(*asked)
    assert answer.code == 0, answer.err
    assert re.search(r"\bidea\b", answer.out)
    assert re.search(r"\bother\b", answer.out)
    with reading(Path("hilltop.duckdb")) as store:
        assert store.runs()[0].complete


def test_nothing_is_written_over_and_wrong_words_are_told(program: Program) -> None:
    Path("mine.py").write_text("mine")
    answer = program("new-bot", "cuttle", "mine.py")
    assert answer.code == 1
    assert answer.err.splitlines() == [
        "hilltop: 'mine.py' is there already, and new-bot writes over nothing; name another file"
    ]
    assert Path("mine.py").read_text() == "mine"
    for wrong in (("chess", "a.py"), ("cuttle", "a.txt"), ("cuttle", "a(b).py")):
        assert program("new-bot", *wrong).code == 2
    assert program("new-bot", "cuttle", "nowhere/a.py").code == 1
    assert sorted(path.name for path in Path().iterdir()) == ["mine.py"]


def test_a_bot_of_another_game_is_refused(program: Program) -> None:
    assert program("new-bot", "jericho", "mine.py").code == 0
    answer = program("run", "cuttle", "--bots", "mine.py,random", "--workers", "0", "--matches", "10")
    assert answer.code == 2
    assert answer.err.splitlines()[-1] == "hilltop: the bot file 'mine.py' is for jericho, not for cuttle"
    assert program("check-bot", "mine.py", "--game", "cuttle").code == 1
    assert program("check-bot", "nowhere.py").code == 2
    Path("mine.py").write_text(Path("mine.py").read_text().replace('game="jericho",', ""))
    answer = program("check-bot", "mine.py")
    assert answer.code == 2
    assert "does not say for which game" in answer.err


def wrong(report: Report) -> dict[str, str]:
    return {check: what for check, what in report.found.items() if what}


@pytest.mark.parametrize(
    ("mark", "before", "body", "check", "what"),
    [
        ("", "import nowhere", "return 0", LOADS, r"No module named 'nowhere' \(.*mine\.py, line 4\)"),
        ("", "", "return view.tabel", RAISES, r"'tabel'; did you mean 'table'\? \(File \"mine\.py\", line LINE\)"),
        ("", "", "return 0 if count < 4 else moves[count].card", RAISES, r"IndexError.*line LINE"),
        ("", "", "return view.seat // view.table.turn", RAISES, r"ZeroDivisionError.*line LINE"),
        ("", "", "view.seat = 1; return 0", RAISES, r"AttributeError: .*'seat' .*line LINE"),
        ("", "", "return count", LEGAL, r"no move of the \d+ \(mine\.py, line LINE\); seat 0 at step 1 of what 'hill"),
        ("", "asked = []", "asked.append(1); return len(asked) % 2", REPEATS, r"otherwise when asked again.*line LINE"),
        (
            "", "import sys\nfrom tests.test_authors import peek",
            "return peek(sys._getframe()) % count", HONEST, r"only hidden cards differ \(mine\.py, line LINE\)",
        ),
        ("@kernel", "", "return view.tabel", COMPILES, r"no field 'tabel'.*line LINE"),
        ("@kernel", "", "return 0.5", COMPILES, r"returns float64"),
        ("@kernel", "", "view.hand = 0; return 0", RAISES, r"AttributeError.*line LINE"),
        ("@kernel", "", "return 0 if view.hand_count[count + 5] == 3 else 1", RAISES, r"IndexError.*line LINE"),
        ("@kernel", "", "return (view.hand + 2**63 - 1 >= 0) * 1", SAME, r"compiled it answered 0, as plain Python 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str, before: str, body: str, check: str, what: str
) -> None:
    if INTERPRETED and mark:
        pytest.skip("it is compiled code that is watched")
    monkeypatch.chdir(tmp_path)
    text = FILE.format(mark=mark, before=before, body=body)
    Path("mine.py").write_text(text)
    line = text.splitlines().index(f"    {body}") + 1
    report = check_bot(Path("mine.py"))
    assert not report.good
    found = wrong(report)
    assert next(iter(found)) == check, found
    assert re.search(what.replace("LINE", str(line)), found[check]), found


def peek(frame: object) -> int:
    """What a bot sees that looks where it must not: the hand of the other seat."""
    while frame is not None:
        asked = frame.f_locals.get("self")  # type: ignore[attr-defined]
        match = getattr(asked, "_match", None)
        if match is not None:
            return int(match.state.hand[1 - asked._seat])
        frame = frame.f_back  # type: ignore[attr-defined]
    raise AssertionError


def test_the_command_says_so_and_its_exit_code_too(program: Program) -> None:
    Path("mine.py").write_text(FILE.format(mark="", before="", body="return -1"))
    answer = program("check-bot", "mine.py")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[:2] == ["mine.py: mine, a bot of Jericho in plain Python", f"ok    {LOADS}"]
    assert next(line for line in lines if line.startswith("MEND")).startswith(f"MEND  {LEGAL}: it chose no move")
    Path("mine.py").write_text(FILE.format(mark="", before="", body="return 0"))
    answer = program("check-bot", "mine.py")
    assert answer.code == 0, answer
    assert re.search(r"[\d,]+ decisions under \d+ sets of rules\n", answer.out)
    assert re.search(r"[\d,]+ matches a second", answer.out)
    assert CLEAN in answer.out
    report = Report("mine")
    assert kinds_never_met("jericho", report) == ["PASS", "STOP", "PLACE"]
