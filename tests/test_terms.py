"""``hilltop explain`` knows every heading of every table and page, and every metric."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import tournament.bench
from cli import output
from engine.registry import game
from tests.conftest import Program
from tests.program import BOTS
from tests.test_cli import ROW
from tests.test_formats import FORMATS
from tournament import terms
from tournament.balance.finding import METRICS

BALANCE = ["--workers", "0", "--matches", "600", "--db", "x.duckdb"]
COMMANDS = [
    ["games"],
    ["games", "cuttle"],
    ["bots", "cuttle"],
    ["run", "cuttle", "--bots", BOTS, "--dry-run"],
    ["runs", "--db", "played"],
    ["show", "latest", "--db", "played"],
    ["explain"],
    ["bench", "cuttle"],
    ["balance", "cuttle", "--bots", "random,random(never=counter),greedy", "--sweep", "goal=14,21", *BALANCE],
    ["run", "jack_and_jill", "--bots", "random,budgeter", *BALANCE],
    ["balance", "jack_and_jill", "--bots", "budgeter", "--players", "2", *BALANCE],
]


def known(program: Program, word: str) -> bool:
    answer = program("explain", word)
    assert answer.code in (0, 2)
    return answer.code == 0 and "definition: " in answer.out


def test_every_heading_is_known(program: Program, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("played").write_bytes(played.read_bytes())
    monkeypatch.setattr(tournament.bench, "measure", lambda *_: [ROW])
    seen: set[str] = set()
    draw = output._print_markdown

    def noted(table: output.Table) -> None:
        seen.update(column.title for column in table.columns)
        if table.columns[0].key == "what":
            seen.update(str(row["what"]) for row in table.rows)
        draw(table)

    monkeypatch.setattr(output, "_print_markdown", noted)
    for arguments in COMMANDS:
        answer = program(*arguments, "--format", "markdown")
        assert answer.code == 0, answer.err
    for name in ("latest", "1"):
        run = (
            "latest" if name == "latest" else program("runs", "--db", "x.duckdb", "--format", "csv").out.split("\n")[1]
        )
        answer = program("report", run.partition(",")[0], "--to", "x.html", "--db", "x.duckdb")
        assert answer.code == 0, answer.err
        page = Path("x.html").read_text()
        cells = re.findall(
            r"<t[hd][^>]*>(?:<[^>]*>)*([^<]+)", "".join(re.findall(r"<thead>.*?</thead>", page, re.DOTALL))
        )
        cells += re.findall(r'<th scope="col"[^>]*>(?:<[^>]*>)*([^<]+)', page)
        assert cells
        seen.update(html.unescape(cell) for cell in cells)
    seen -= {option.name for option in game("cuttle").options}  # a sweep's own column
    unknown = sorted(word for word in seen if word.strip() and not known(program, word))
    assert not unknown, "\n".join(unknown)


def test_every_key_of_a_number_is_known(program: Program) -> None:
    """Those of JSON and CSV too, where they are no intervals' ends."""
    keys = {
        key
        for name in ("show", "balance")
        for table, columns in FORMATS[name].items()
        if table
        for key, (kind, _) in columns.items()
        if kind.startswith(("number", "integer")) and not re.search(r"(^|_)(low|high)$|\*$", key)
    }
    assert {"mu", "elo", "share"} <= keys
    assert not sorted(key for key in keys if not known(program, key))


def test_words_of_the_project_are_terms(program: Program) -> None:
    for word in ("seat", "bot", "match", "deal", "line-up", "run", "move", "ply", "variant", "Elo", "Mean score"):
        assert known(program, word), word


def test_no_word_has_two_meanings() -> None:
    keys = [terms.key_of(word) for term in terms.TERMS.values() for word in (term.id, *term.also)]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & set(METRICS)
