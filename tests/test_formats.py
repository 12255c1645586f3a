"""JSON and CSV of every command are what docs/formats.md says, key by key and type by type, and tell the same."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tournament.bench
import tournament.selftest
from tests.conftest import Program
from tests.program import BOTS, ROOT
from tests.test_cli import COMMANDS, ROW, strict
from tournament.selftest import Check

PAGE = (ROOT / "docs" / "formats.md").read_text()
KINDS: dict[str, Any] = {
    "text": str,
    "integer": int,
    "number": (int, float),
    "list": list,
    "object": dict,
    "any": object,
}
IN_CSV = {"integer": pl.Int64, "number": pl.Float64}  # all others are read as text

Keys = dict[str, tuple[str, str]]  # of a table: each key's type and meaning


def described(text: str) -> Keys:
    """The first table of a part of the page."""
    table = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert table, text
    rows = [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in table[0].splitlines()[2:]]
    return {cells[0].strip("| `"): (cells[1], cells[2] if len(cells) > 2 else "") for cells in rows}


def read_page() -> dict[str, dict[str, Keys]]:
    """By heading of a command: its document's keys under "", and those of its tables by name."""
    found: dict[str, dict[str, Keys]] = {}
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        heads = re.split(r"^### ", part, flags=re.MULTILINE)
        tables = {"": described(heads[0])} | {head.split("\n")[0]: described(head) for head in heads[1:]}
        for name in part.split("\n")[0].split(", "):
            found[name] = tables
    found["show"] = {name: found["rate"][name] | found["show"].get(name, {}) for name in found["rate"]} | {
        name: keys for name, keys in found["show"].items() if name
    }
    return found


FORMATS = read_page()


def match(key: str, keys: Keys) -> str | None:
    """The documented key that a key is, or one of."""
    if key in keys:
        return key
    return next((one for one in keys if one.endswith("*") and re.fullmatch(one[:-1] + r"\w+", key)), None)


def check_row(row: dict[str, Any], keys: Keys, where: str) -> None:
    for key, value in row.items():
        known = match(key, keys)
        assert known, f"{where}: {key} is not documented"
        kind, _, null = keys[known][0].partition(" or ")
        if value is None:
            assert null == "null", f"{where}: {key} is null"
        else:
            assert isinstance(value, KINDS[kind]), f"{where}: {key} is {value!r}, not {kind}"
            assert kind == "any" or not isinstance(value, bool), f"{where}: {key} is {value!r}"
            assert not (null and value == "" and kind != "text"), f"{where}: {key} is empty"
    missing = [one for one in keys if not one.endswith("*") and one not in row]
    assert not missing, f"{where}: {missing} are documented, but not there"


def read_csv(text: str, keys: Keys) -> pl.DataFrame:
    header = text.split("\n", 1)[0].split(",")
    kinds = {}
    for key in header:
        known = match(key, keys)
        assert known or key == "table", f"{key} is not documented"
        kinds[key] = IN_CSV.get(keys[known][0].partition(" or ")[0], pl.String) if known else pl.String
    # Polars is strict: a cell that is not of its column's type is an error.
    return pl.read_csv(io.StringIO(text), schema_overrides=kinds, infer_schema=False)


def check(document: Any, text: str, name: str) -> None:
    """A command's JSON and CSV against the page and each other."""
    parts = FORMATS[name]
    if set(parts) == {""}:
        tables = {"": document if isinstance(document, list) else [document]}
        columns = parts[""]
    else:
        check_row(document, parts[""], name)
        tables = {
            key: [value] if isinstance(value, dict) else value or []
            for key, value in document.items()
            if key in parts or key == "solo_plan"
        }
        parts = parts | {"solo_plan": parts.get("plan", {})}
        columns = {}
        for key in tables:
            for column, kind in parts[key].items():
                assert columns.setdefault(column, kind)[0].partition(" or ")[0] == kind[0].partition(" or ")[0], column
        in_json = {key for key, kind in parts[""].items() if "JSON only" in kind[1]}
        assert set(document) == set(tables) | in_json
    frame = read_csv(text, columns)
    assert ("table" in frame.columns) == (sum(map(bool, tables.values())) > 1)
    for key, rows in tables.items():
        for row in rows:
            check_row(row, parts[key], f"{name} {key}")
        if not rows:
            continue
        mine = frame.filter(pl.col("table") == key) if "table" in frame.columns else frame
        for row, cells in zip(rows, mine.to_dicts(), strict=True):
            for column, cell in cells.items():
                value = row.get(column, key if column == "table" else None)
                if isinstance(value, (list, dict, bool)):
                    assert json.loads(cell) == value
                elif value in (None, ""):
                    assert cell is None
                else:
                    assert cell == (value if not isinstance(cell, str) else str(value))


BALANCE = ["balance", "cuttle", "--bots", "random,greedy", "--matches", "1200", "--workers", "0", "--db", "b.duckdb"]
LEVELS = ["--playouts", "5", "--deals", "40,40,4"]
TEAM = ["jack_and_jill", "--bots", "stepper,random", "--matches", "400", "--workers", "0", "--db", "t.duckdb"]
CASES: dict[str, tuple[str, list[list[str]]]] = {
    "games": ("games", [["games"]]),
    "games cuttle": ("games GAME", [["games", "cuttle"]]),
    "games queen": ("games GAME", [["games", "queen_of_the_hill"]]),
    "run": ("run", [["run", "cuttle", "--bots", BOTS, "--matches", "60", "--workers", "0", "--db", "new.duckdb"]]),
    "dry run": ("run --dry-run", [["run", "cuttle", "--bots", BOTS, "--variant", "short", "--dry-run"]]),
    "duel": ("duel", [["duel", "cuttle", "greedy", "random", "--max", "60"]]),
    "tune": ("tune", [["tune", "cuttle", "greedy", "--field", "random", "--budget", "320", "--deals", "20"]]),
    "dry balance": ("balance --dry-run", [[*BALANCE, "--dry-run"]]),
    "dry team": ("balance --dry-run", [["balance", *TEAM, "--players", "2", "--dry-run"]]),
    "runs": ("runs", [["runs"]]),
    "rate": ("rate", [["rate"]]),
    "watch": ("watch", [["watch", "latest"]]),
    "show": ("show", [["show", "latest"]]),
    "matrix": ("matrix", [["matrix", "latest"]]),
    "balance": ("balance", [[*BALANCE, "--sweep", "goal=14..21:7"]]),
    "balance lean": ("balance", [[*BALANCE, "--lean"]]),
    "balance strength": ("balance --strength", [[*BALANCE[:2], *BALANCE[6:], "--strength", *LEVELS]]),
    "balance team": ("balance", [["balance", *TEAM]]),
    "team": ("show", [["run", *TEAM, "--players", "2"], ["show", "latest", "--db", "t.duckdb"]]),
    "solo": ("rate", [["run", *TEAM], ["run", *TEAM, "--seed", "2"], ["rate", "1", "2", "--db", "t.duckdb"]]),
    "review": ("review", [["review", "latest", "3", "--playouts", "20"]]),
    "review bot": ("review", [["review", "latest", "--bot", "random", "--matches", "2", "--playouts", "40"]]),
    "explain": ("explain", [["explain"]]),
    "bench": ("bench", [["bench", "cuttle"]]),
    "selftest": ("selftest", [["selftest"]]),
}


@pytest.mark.parametrize("case", CASES)
def test_formats(program: Program, played: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.setenv("HILLTOP_DB", str(played))
    monkeypatch.setattr(tournament.selftest, "checks", lambda _: iter([Check("true", "at most", 0.5, 1, 4)]))
    monkeypatch.setattr(tournament.bench, "measure", lambda *_: [ROW, {**ROW, "bots": "scripted"}])
    name, (*before, asked) = CASES[case]
    for arguments in before:
        assert program(*arguments).code == 0
    if case == "solo":
        runs = strict(program("runs", "--db", "t.duckdb", "--format", "json").out)
        asked = ["rate", *(run["run"] for run in runs), "--db", "t.duckdb"]
    printed = {}
    for form in ("json", "csv"):
        answer = program(*asked, "--format", form)
        assert answer.code == 0, answer.err
        printed[form] = answer.out
    check(strict(printed["json"]), printed["csv"], name)


def test_bots(program: Program) -> None:
    rows = strict(program("bots", "--format", "json").out)
    for row in rows:
        check_row(row, FORMATS["bots"][""], "bots")
    parameter = {
        "parameter": ("text or null", ""),
        "default": ("number or null", ""),
        "low": ("number or null", ""),
        "high": ("number or null", ""),
        "meaning": ("text or null", ""),
    }
    assert all(f"`{key}`" in PAGE for key in parameter)
    frame = read_csv(program("bots", "--format", "csv").out, FORMATS["bots"][""] | parameter)
    assert frame.columns == ["game", "bot", "idea", *parameter, "policy"]
    wanted = [
        (row["game"], row["bot"], one.get("name"), one.get("default"), one.get("low"), one.get("high"), row["policy"])
        for row in rows
        for one in row["parameters"] or [{}]
    ]
    assert frame.select("game", "bot", "parameter", "default", "low", "high", "policy").rows() == wanted


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_export(program: Program, played: Path, ending: str) -> None:
    assert program("export", "latest", "--to", f"x.{ending}", "--db", str(played)).code == 0
    keys = FORMATS["export"][""]
    frame = pl.read_parquet("x.parquet") if ending == "parquet" else read_csv(Path("x.csv").read_text(), keys)
    assert len(frame) == 1200
    for row in frame.head(20).to_dicts():
        check_row(row, keys, "export")


def test_every_command_is_on_the_page() -> None:
    named = {name.split()[0] for name in FORMATS}
    words = {
        "trace",
        "replay",
        "scenario",
        "report",
        "audit",
        "verify",
        "exclude",
        "include",
        "new-bot",
        "check-bot",
        "play",
        "serve",
    }
    assert named | words == set(COMMANDS)
    assert all(re.search(rf"`{word}\b|\b{word} files", PAGE) for word in words)


def test_commands_that_check_and_decide_print_nothing_if_all_is_well(program: Program, played: Path) -> None:
    for *words, run in (
        ["audit", "latest"],
        ["verify", "--sample", "5", "latest"],
        ["exclude", "--reason", "a trial", "latest"],
        ["include", "--reason", "it was none", "latest"],
    ):
        answer = program(*words, run, "--db", str(played))
        assert (answer.code, answer.out) == (0, ""), words
        assert answer.err


def test_shares_are_fractions_and_intervals_hold_their_estimates(program: Program, played: Path) -> None:
    shown = strict(program("show", "latest", "--db", str(played), "--format", "json").out)
    assert shown["run"]["settings"]["bots"] == shown["run"]["bots"] == BOTS.split(",")
    for rows, names in ((shown["ratings"], ("share", "mu")), (shown["pairs"], ("share", "elo"))):
        for row in rows:
            for name in names:
                assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]
            assert 0 <= row["share_low"] <= row["share_high"] <= 1
