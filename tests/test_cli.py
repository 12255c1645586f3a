"""The command line: every command, every format, every mistake in one sentence, pipes and terminals."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import random
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import bots.cuttle
import tournament.bench
from bots import registry as bot_registry
from bots.search import SEARCHES
from cli.arguments import whole
from cli.main import app
from cli.output import Column, Table, _fitting
from engine import registry as game_registry
from engine.errors import IllegalStep, UsageError
from engine.match import Match
from engine.rng import MAX_SEED
from storage.store import reading, writing
from tests.conftest import Answer, Program
from tests.program import BOTS, ROOT, command, content, environment, hilltop
from tournament import run as runner
from tournament.plan import MAX_MATCHES, plan_run

COMMANDS = [
    "games",
    "bots",
    "new-bot",
    "check-bot",
    "run",
    "duel",
    "tune",
    "runs",
    "watch",
    "show",
    "rate",
    "matrix",
    "balance",
]
COMMANDS += [
    "report",
    "explain",
    "trace",
    "replay",
    "review",
    "scenario",
    "export",
    "verify",
    "audit",
    "exclude",
    "include",
    "bench",
    "selftest",
    "play",
    "serve",
]
FORMATS = ["table", "json", "csv", "markdown"]
SCENARIOS = ROOT / "tests" / "scenarios" / "cuttle.json"


def strict(text: str) -> Any:
    """JSON without NaN and infinities."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def assert_one_sentence(answer: Answer, code: int) -> str:
    """Exit code, nothing on standard output, one line on standard error; the line without the program's name."""
    assert answer.code == code, answer
    assert answer.out == ""
    assert "Traceback" not in answer.err
    found = re.fullmatch(r"hilltop: ([^\n]+)\n", answer.err)
    assert found, answer.err
    return found[1]


# ---------------------------------------------------------------- what it prints

TABLES = {
    "games": ["games"],
    "a game": ["games", "cuttle"],
    "bots": ["bots"],
    "bots of a game": ["bots", "cuttle"],
    "dry run": ["run", "cuttle", "--bots", BOTS, "--dry-run"],
    "run": ["run", "cuttle", "--bots", BOTS, "--matches", "60", "--workers", "0", "--db", "new.duckdb"],
    "runs": ["runs"],
    "show": ["show", "latest"],
    "rate": ["rate"],
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", TABLES)
def test_tables_in_every_format(
    program: Program, played: Path, monkeypatch: pytest.MonkeyPatch, name: str, form: str
) -> None:
    monkeypatch.setenv("HILLTOP_DB", str(played))
    answer = program(*TABLES[name], "--format", form)
    assert answer.code == 0, answer.err
    assert "\x1b" not in answer.out
    if form == "json":
        tables = [strict(answer.out)]
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(answer.out)))
        assert len({len(row) for row in rows}) == 1
        tables = [rows[1:]]
    elif form == "markdown":
        assert answer.out.startswith("**")
        tables = [block.splitlines()[2:] for block in re.findall(r"(?:^\|.*\|\n)+", answer.out, flags=re.MULTILINE)]
    else:
        assert "…" not in answer.out
        tables = [answer.out.splitlines()]
    assert tables
    assert all(tables)
    assert answer.err == "" or name == "run"


def test_rows_are_the_same_in_every_format(program: Program, played: Path) -> None:
    rows = strict(program("rate", "--db", str(played), "--format", "json").out)["ratings"]
    assert sorted(row["bot"] for row in rows) == sorted(BOTS.split(","))
    assert [row["rank"] for row in rows] == [1, 2, 3]
    text = program("rate", "--db", str(played), "--format", "csv").out
    for row, other in zip(rows, csv.DictReader(io.StringIO(text)), strict=True):
        assert row["bot"] == other["bot"]
        assert row["mu"] == float(other["mu"])
        assert row["share_low"] == float(other["share_low"])
    assert sum(row["matches"] for row in rows) == 2 * 1200
    assert sum(row["wins"] + row["draws"] + row["losses"] for row in rows) == 2 * 1200


def test_games_tells_the_rules(program: Program) -> None:
    shown = strict(program("games", "cuttle", "--format", "json").out)
    variants, options = shown["variants"], shown["options"]
    game = game_registry.game("cuttle")
    assert [row["variant"] for row in variants] == list(game.variants)
    assert [(row["option"], row["default"]) for row in options] == [(o.name, o.default) for o in game.options]
    assert [row["game"] for row in strict(program("games", "--format", "json").out)] == list(game_registry.GAMES)


def test_bots_tells_ideas_and_parameters(program: Program) -> None:
    rows = strict(program("bots", "cuttle", "--format", "json").out)
    assert [row["bot"] for row in rows] == [*bot_registry.names("cuttle"), *SEARCHES]
    assert all(row["idea"] for row in rows)
    (least,) = next(row["parameters"] for row in rows if row["bot"] == "points_rush")
    assert (least["name"], least["default"], least["low"], least["high"]) == ("least", 5, 1, 10)


def test_runs_and_show(program: Program, played: Path) -> None:
    (run,) = strict(program("runs", "--db", str(played), "--format", "json").out)
    assert (run["game"], run["stored"], run["matches"], run["state"], run["seed"]) == (
        *("cuttle", 1200, 1200, "complete", 5),
    )
    for name in ("latest", run["run"], run["run"][:4]):
        shown = strict(program("show", name, "--db", str(played), "--format", "json").out)
        assert shown["run"]["id"] == run["run"]
        assert shown["run"]["bots"] == BOTS.split(",")
        assert len(shown["ratings"]) == 3
        assert len(shown["pairs"]) == 6
        assert all(pair["deals"] == 200 for pair in shown["pairs"])


def test_rate_takes_several_runs_and_its_model(program: Program) -> None:
    for seed in ("1", "2"):
        answer = program(
            *["run", "cuttle", "--bots", BOTS, "--matches", "60", "--seed", seed, "--workers", "0", "--db", "x.duckdb"]
        )
        assert answer.code == 0, answer.err
    ids = [run["run"] for run in strict(program("runs", "--db", "x.duckdb", "--format", "json").out)]
    for names in (ids, [*ids, ids[0], "latest"]):
        rows = strict(program("rate", *names, "--db", "x.duckdb", "--format", "json").out)["ratings"]
        assert sum(row["matches"] for row in rows) == 2 * 120
    answer = program("rate", *ids, "--db", "x.duckdb", "--tau", "0.5", "--draw-probability", "0.25")
    assert "tau 0.5, draw probability 0.2500" in answer.out


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_export(program: Program, played: Path, ending: str) -> None:
    answer = program("export", "latest", "--to", f"out.{ending}", "--db", str(played))
    assert (answer.code, answer.out) == (0, "")
    assert re.fullmatch(rf"1,200 matches of run \w+ written to out\.{ending}\n", answer.err)
    frame = pl.read_parquet("out.parquet") if ending == "parquet" else pl.read_csv("out.csv")
    assert len(frame) == 1200


ROW = {
    "game": "cuttle",
    "seats": 2,
    "bots": "random",
    "workers": 1,
    "kernel_matches_per_s": 2.5,
    "kernel_decisions_per_s": 2.5,
    "limit_matches_per_s": 2.5,
    "limit_ratio": 1.5,
    "playouts_per_s": 3.5,
    "pipeline_matches_per_s": 2.5,
    "pipeline_share": 0.5,
    "interpreted_matches_per_s": 2.5,
    "rating_updates_per_s": 2.5,
    "package_updates_per_s": 2.5,
}


@pytest.mark.parametrize("form", FORMATS)
def test_bench_in_every_format(program: Program, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(tournament.bench, "measure", lambda *_: [ROW, {**ROW, "bots": "scripted"}])
    answer = program("bench", "cuttle", "--format", form)
    assert answer.code == 0
    assert answer.out.count("cuttle") == 2
    if form == "json":
        assert strict(answer.out) == [ROW, {**ROW, "bots": "scripted"}]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_bench(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_registry, "names", lambda _: ("random", "greedy", "points_rush"))
    monkeypatch.setattr(bots.cuttle, "POLICY", "greedy")
    answer = program("bench", "cuttle", "--seconds", "0.05", "--workers", "1", "--format", "json")
    assert answer.code == 0, answer.err
    rows = strict(answer.out)
    assert [(row["game"], row["bots"], row["workers"]) for row in rows] == [
        ("cuttle", "random", 1),
        ("cuttle", "scripted", 1),
    ]
    for row in rows:
        assert set(ROW) <= set(row)
        assert all(row[key] > 0 for key in row if key.endswith("_per_s") and row[key] is not None)


# ---------------------------------------------------------------- run


def test_run_stores_what_it_shows(program: Program) -> None:
    asked = ["run", "cuttle", "--bots", "random,greedy(aggression=0.25)", "--variant", "short", "--rule", "goal=15"]
    answer = program(*asked, "--matches", "1_000", "--seed", "9", "--workers", "0", "--db", "x.duckdb")
    assert answer.code == 0
    assert answer.out.startswith("Ratings in cuttle, run ")
    assert re.fullmatch(
        r"preparing Cuttle, 2 bots\nrun \w{10}: 1,000 matches, 500 deals x 2 line-ups\n"
        r"1,000 of 1,000 matches \(100 %\), [\d,]+ matches/s, 0 s left\n",
        answer.err,
    )
    with reading(Path("x.duckdb")) as store:
        (run,) = store.runs()
    assert run.complete
    assert run.settings == {
        "game": "cuttle",
        "players": 2,
        "variants": [{"name": "short", "rules": {"goal": 15}}],
        "bots": ["random", "greedy(aggression=0.25)"],
        "matches": 1000,
        "seed": 9,
    }


def test_the_same_command_gives_the_same_database(program: Program) -> None:
    for name in ("one.duckdb", "other.duckdb"):
        assert program("run", "cuttle", "--bots", BOTS, "--matches", "300", "--workers", "0", "--db", name).code == 0
    assert content(Path("one.duckdb")) == content(Path("other.duckdb"))


@pytest.mark.parametrize(("text", "matches"), [("1_000_000", 1_000_000), ("1e6", 1_000_000), ("1.5e3", 1500), ("4", 4)])
def test_dry_run_plays_nothing(program: Program, text: str, matches: int) -> None:
    answer = program("run", "cuttle", "--bots", "random,greedy", "--matches", text, "--dry-run", "--format", "json")
    facts = strict(answer.out)["plan"]
    assert facts["matches"] == matches
    assert facts["deals"] == matches // 2
    assert answer.err == ""
    assert list(Path().iterdir()) == []


def test_the_database_is_the_one_named_first(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    play = ["run", "cuttle", "--bots", "random", "--matches", "10", "--workers", "0"]
    assert program(*play).code == 0
    assert sorted(path.name for path in Path().iterdir()) == ["hilltop.duckdb"]
    monkeypatch.setenv("HILLTOP_DB", "named.duckdb")
    assert program(*play).code == 0
    assert Path("named.duckdb").exists()
    assert program(*play, "--db", "given ünï ☃.duckdb").code == 0
    assert Path("given ünï ☃.duckdb").exists()
    for given, title in (([], "named.duckdb"), (["--db", "given ünï ☃.duckdb"], "given ünï ☃.duckdb")):
        answer = program("runs", *given, "--format", "markdown")
        assert answer.out.startswith(f"**Runs in {title}**")
    monkeypatch.setenv("HILLTOP_DB", "")
    assert program("runs").out.startswith("Runs in hilltop.duckdb")


def test_a_run_with_nothing_stored_can_be_looked_at(program: Program) -> None:
    plan = plan_run("cuttle", BOTS, matches=100)
    with writing(Path("x.duckdb")) as store:
        runner.start(plan, store)
    for arguments in (["runs"], ["show", "latest"], ["rate"], ["export", "latest", "--to", "x.csv"]):
        forms = FORMATS if arguments[0] != "export" else [None]
        for form in forms:
            answer = program(*arguments, "--db", "x.duckdb", *(["--format", form] if form else []))
            assert answer.code == 0, answer.err
            if form == "json":
                strict(answer.out)
    assert Path("x.csv").read_text().splitlines()[0].startswith("match,deal,lineup")
    assert len(Path("x.csv").read_text().splitlines()) == 1


# ---------------------------------------------------------------- trace, replay, scenario


def test_traces_are_repeatable_and_consecutive(program: Program) -> None:
    asked = ["trace", "cuttle", "--bots", "random,greedy", "--seed", "5", "--legal", "--positions"]
    lines = program(*asked, "--match", "3", "--count", "4").out.splitlines()
    assert [strict(line)["match"] for line in lines] == [3, 4, 5, 6]
    for number, line in enumerate(lines, start=3):
        assert program(*asked, "--match", str(number)).out == line + "\n"
    bare = strict(program(*asked[:-2], "--match", "3").out)
    full = strict(lines[0])
    for step in full["steps"]:
        assert {key: value for key, value in step.items() if key in ("by", "move", "chance")}
        assert step["after"]
        moves = step.get("legal", [])
        taken = {key: value for key, value in step.items() if key not in ("by", "legal", "after")}
        assert "chance" in step or taken in moves
        step.pop("legal", None)
        step.pop("after")
    assert full == bare
    assert full["steps"][-1] is not None
    assert (full["schema"], full["seed"], full["bots"]) == ("hilltop-trace/1", "5", ["random", "greedy"])


def test_a_replay_is_the_trace_of_the_match(program: Program, played: Path) -> None:
    plan = plan_run("cuttle", BOTS, matches=1200, seed=5)
    for number in (0, 1, 2, 3, 4, 5, 6, 611, 1199):
        replayed = strict(program("replay", "latest", str(number), "--json", "--db", str(played)).out)
        deal, lineup = plan.locate(number)
        bots = ",".join(plan.entrants[entrant].spec for entrant in lineup.entrants)
        traced = strict(program("trace", "cuttle", "--bots", bots, "--seed", "5", "--match", str(deal)).out)
        assert replayed == traced | {"match": number}
        with reading(played) as store:
            row = store.result(store.run("latest"), number)
        assert [row["score0"], row["score1"]] == traced["result"]["scores"]
        assert row["plies"] == len([step for step in traced["steps"] if "by" in step])


def test_a_replay_can_be_read(program: Program, played: Path) -> None:
    answer = program("replay", "latest", "7", "--db", str(played))
    lines = answer.out.splitlines()
    assert lines[0] == "cuttle, standard, match 7 of seed 5"
    assert lines[1:3] == ["seat 0: greedy", "seat 1: random"]
    assert lines[-1].startswith("result: ranks [")
    assert lines[-3].lstrip().split(".")[0].isdigit()


def test_a_replay_that_ends_differently_is_told(program: Program, played: Path) -> None:
    path = Path("forged.duckdb")
    path.write_bytes(played.read_bytes())
    with writing(path) as store:
        store._rows("UPDATE results2 SET score0 = score0 + 1 WHERE match = 12")
    sentence = assert_one_sentence(program("replay", "latest", "12", "--db", str(path)), 1)
    assert re.fullmatch(r"match 12 of run \w+ ends differently when played again: it was stored as .*", sentence)
    assert program("replay", "latest", "13", "--db", str(path)).code == 0


def test_scenarios_pass(program: Program) -> None:
    answer = program("scenario", str(SCENARIOS))
    total = len(json.loads(SCENARIOS.read_text())["scenarios"])
    assert (answer.code, answer.out, answer.err) == (0, f"{total} passed, 0 failed\n", "")
    answer = program("scenario", str(SCENARIOS), str(SCENARIOS))
    assert answer.out.splitlines()[-1] == f"{2 * total} passed, 0 failed"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_scenarios_in_any_encoding(program: Program, encoding: str, end: str) -> None:
    document = json.loads(SCENARIOS.read_text())
    document["scenarios"] = document["scenarios"][:1]
    document["scenarios"][0]["title"] = "ünï ☃"
    text = json.dumps(document, indent=1, ensure_ascii=False).replace("\n", end)
    mark = "\ufeff" if encoding == "utf-16-le" else ""  # which Python leaves out
    Path("x.json").write_bytes((mark + text).encode(encoding))
    assert program("scenario", "x.json") == (0, "1 passed, 0 failed\n", "")


@pytest.mark.parametrize("game", game_registry.GAMES)
def test_a_word_that_is_no_card_is_named(game: str) -> None:
    """Where a card must stand in a move, 10C is none; a card that is elsewhere is only not legal."""
    facts = game_registry.game(game)
    match = Match(facts, {}, max(facts.seats))
    wrong: dict[str, Any] = {}
    for number in range(30):
        match.deal(3, number)
        dice = random.Random(number)
        while not match.is_over() and set(wrong) != facts.notation.CARD_FIELDS:
            if match.chance_pending():
                match.draw()
                continue
            moves = match.legal()
            for move in dice.sample(moves, min(len(moves), 4)):
                for field in facts.notation.CARD_FIELDS & set(move):
                    word = ["10C"] if isinstance(move[field], list) else "10C"
                    wrong[field] = match.position(), {"by": match.to_act(), **move, field: word}
            match.step({"by": match.to_act(), **dice.choice(moves)})
    assert set(wrong) == facts.notation.CARD_FIELDS
    for position, step in wrong.values():
        match.load(position)
        with pytest.raises(IllegalStep, match=r"^'10C' is not a card$"):
            match.step(step)
        assert match.position() == position


def test_scenarios_fail(program: Program) -> None:
    document = json.loads(SCENARIOS.read_text())
    document["scenarios"] = document["scenarios"][:3]
    document["scenarios"][1]["expect"] = {"to_act": 7}
    odd: list[Any] = [
        {"id": "players", "players": "x", "start": {}, "steps": []},
        {"id": "rules", "players": 2, "rules": [], "start": {}, "steps": []},
        {"id": "start", "players": 2, "start": [], "steps": []},
        {"id": "steps", "players": 2, "start": document["scenarios"][0]["start"], "steps": [7]},
        document["scenarios"][0] | {"id": "expect", "expect": 5},
        document["scenarios"][0] | {"id": "legal", "expect": {"legal": 5}},
        document["scenarios"][0] | {"id": "view", "expect": {"view7": {}}},
        document["scenarios"][0] | {"id": "check", "steps": [{"check": 5}]},
        document["scenarios"][0] | {"id": "top", "expect": {"deck_top": 5}},
    ]
    document["scenarios"] += odd
    Path("bad.json").write_text(json.dumps(document))
    answer = program("scenario", "bad.json")
    assert answer.code == 1
    assert answer.err == ""
    *failures, last = answer.out.splitlines()
    assert last == "2 passed, 10 failed"
    names = [
        document["scenarios"][1]["id"],
        "players",
        "rules",
        "start",
        "steps",
        "expect",
        "legal",
        "view",
        "check",
        "top",
    ]
    assert [line.split(": ")[1] for line in failures] == names
    assert "to_act" in failures[0]
    assert not any("Error" in line for line in failures[2:])


# ---------------------------------------------------------------- mistakes

NO_GAME = f"there is no game 'chess'; allowed: {', '.join(game_registry.GAMES)}"
ALL_BOTS = ", ".join((*bot_registry.names("cuttle"), *SEARCHES))
NO_BOT = f"cuttle has no bot 'x'; allowed: {ALL_BOTS}, or the path of a .py file"
NUMBER = "write a whole number such as 1000, 1_000_000 or 1e6"
PLAY = ["run", "cuttle", "--workers", "0"]
TWICE = ["--rule", "goal=15", "--rule", "goal=16"]

MISTAKES: list[tuple[list[str], int, str]] = [
    (["chess"], 2, "No such command 'chess'."),
    (["games", "chess"], 2, NO_GAME),
    (["games", "cuttle", "more"], 2, "Got unexpected extra argument(s) (more)"),
    (["games", "--colour"], 2, "No such option: --colour"),
    (["games", "--format", "xml"], 2, "--format cannot be 'xml'; allowed: table, json, csv, markdown"),
    (["bots", "chess"], 2, NO_GAME),
    (["run"], 2, "name a game to play, or a run to --resume; 'hilltop games' lists the games"),
    (["run", "chess"], 2, NO_GAME),
    ([*PLAY, "--bots", "x"], 2, NO_BOT),
    ([*PLAY, "--bots", ""], 2, "'' does not name a bot; write name or name(parameter=value,...)"),
    ([*PLAY, "--bots", "greedy(("], 2, "'greedy((' has a parenthesis without its other half; "),
    ([*PLAY, "--bots", "greedy(aggression=nan)"], 2, "parameter aggression of bot greedy cannot be 'nan'; allowed: "),
    ([*PLAY, "--bots", "nowhere.py"], 2, "there is no bot file 'nowhere.py'"),
    ([*PLAY, "--bots", "folder.py"], 2, "the bot file 'folder.py' is a folder"),
    ([*PLAY, "--bots", "greedy(aggression=1,aggression=0)"], 2, "'greedy(aggression=1,aggression=0)' gives aggression"),
    ([*PLAY, "--bots", "greedy(never=luck)"], 2, "'luck' is nothing that a bot of cuttle can be told never to use; "),
    ([*PLAY, "--variant", "x"], 2, "cuttle has no variant 'x'; allowed: standard, "),
    ([*PLAY, "--rule", "goal"], 2, "'goal' is not a rule option of the form name=value"),
    ([*PLAY, "--rule", "x=1"], 2, "cuttle has no rule option 'x'; allowed: goal, "),
    ([*PLAY, "--rule", "goal=1000"], 2, "rule option goal cannot be 1000; allowed: 1 to 99"),
    ([*PLAY, "--rule", "goal=ten"], 2, "rule option goal cannot be 'ten'; allowed: 1 to 99"),
    ([*PLAY, "--players", "3"], 2, "cuttle is not for 3 seats; allowed: 2"),
    ([*PLAY, "--players", "two"], 2, "--players cannot be 'two'; write a whole number"),
    (["rate", "--tau=much"], 2, "--tau cannot be 'much'; write a number"),
    ([*PLAY, "--matches", "0"], 2, f"matches cannot be 0; allowed: 1 to {MAX_MATCHES}"),
    ([*PLAY, "--matches", "1e13"], 2, f"matches cannot be 1e13; allowed: 1 to {MAX_MATCHES}"),
    ([*PLAY, "--matches", "-3"], 2, f"matches cannot be -3; allowed: 1 to {MAX_MATCHES}"),
    ([*PLAY, "--matches", "1.5"], 2, f"matches cannot be '1.5'; {NUMBER}"),
    ([*PLAY, "--matches", "many"], 2, f"matches cannot be 'many'; {NUMBER}"),
    ([*PLAY, "--seed", "-1"], 2, f"seed cannot be -1; allowed: 0 to {MAX_SEED}"),
    ([*PLAY, "--seed", str(MAX_SEED + 1)], 2, f"seed cannot be {MAX_SEED + 1}; allowed: 0 to {MAX_SEED}"),
    (["run", "cuttle", "--workers", "-1"], 2, "workers cannot be -1; allowed: 0 (plays in this process) to "),
    ([*PLAY, "--address", "a:1"], 2, "--workers is for this machine and --address for a cluster; give one of them"),
    (["run", "cuttle", "--address", "x"], 2, "'x' is not the address of a Ray cluster; write host:port, or auto"),
    (["run", "cuttle", "--address", "127.0.0.1:1"], 1, "there is no Ray cluster at 127.0.0.1:1: connection refused; "),
    ([*PLAY, "--db", "folder.py"], 1, "folder.py is a folder; name a file with --db"),
    ([*PLAY, "--db", "no/x.duckdb"], 1, "no/x.duckdb cannot be opened; does its folder exist?"),
    ([*PLAY, "--db", "text"], 1, "text is not a database that this version of DuckDB can read; name another file "),
    ([*PLAY, "--resume", "latest"], 1, "there is no database hilltop.duckdb; 'hilltop run' makes one, --db names"),
    (["runs"], 1, "there is no database hilltop.duckdb; 'hilltop run' makes one, --db names another"),
    (["runs", "--db", "text"], 1, "text is not a database that this version of DuckDB can read; name another file "),
    (["show"], 2, "Missing argument 'run'."),
    (["show", "zzz", "--db", "played"], 1, "there is no run 'zzz' in played; 'hilltop runs' lists them"),
    (["rate", "zzz", "--db", "played"], 1, "there is no run 'zzz' in played; 'hilltop runs' lists them"),
    (["rate", "--draw-probability", "1"], 2, "draw probability cannot be 1; allowed: 0 up to, but not including, 1"),
    (["rate", "--draw-probability", "nan"], 2, "draw probability cannot be nan; allowed: 0 up to, but not including"),
    (["rate", "--tau", "-1"], 2, "tau cannot be -1; allowed: 0 to 1000"),
    (["rate", "--tau", "inf"], 2, "tau cannot be inf; allowed: 0 to 1000"),
    (["trace", "cuttle"], 2, "Missing option '--bots'."),
    (["trace", "chess", "--bots", "random"], 2, NO_GAME),
    (["trace", "cuttle", "--bots", "random"], 2, "cuttle is not for 1 seats; allowed: 2"),
    (["trace", "cuttle", "--bots", "random,x"], 2, NO_BOT),
    (["trace", "cuttle", "--bots", "random,random", "--match", "-1"], 2, "match cannot be -1; allowed: 0 to "),
    (["trace", "cuttle", "--bots", "random,random", "--match", "1e30"], 2, "match cannot be 1e30; allowed: 0 to "),
    (["trace", "cuttle", "--bots", "random,random", "--count", "0"], 2, "count cannot be 0; allowed: 1 to "),
    (["trace", "cuttle", "--bots", "random,random", "--seed", "1e19"], 2, "seed cannot be 1e19; allowed: 0 to "),
    (["replay", "latest", "1200", "--db", "played"], 1, "run {run} has no match 1200; it holds the matches 0 to 1199"),
    (["replay", "latest", "x", "--db", "played"], 2, f"match cannot be 'x'; {NUMBER}"),
    (["replay", "latest", "--db", "played"], 2, "Missing argument 'match'."),
    (["scenario"], 2, "Missing argument 'FILE...'."),
    (["scenario", "nowhere.json"], 1, "cannot read nowhere.json: no such file or directory"),
    (["scenario", "folder.py"], 1, "cannot read folder.py: is a directory"),
    (["scenario", "text"], 1, "text is not JSON: "),
    (["scenario", "deep"], 1, "deep is nested too deeply to be a scenario file"),
    (["scenario", "digits"], 1, "digits is not JSON: "),
    (["scenario", "list"], 1, "list is not a scenario file; its schema must be hilltop-scenarios/1"),
    (["scenario", "chess"], 2, NO_GAME),
    (["scenario", "empty"], 1, "empty holds no scenarios; write one or more, or leave the file out"),
    (["scenario", "unnamed"], 1, "scenario 0 of unnamed has the id {}; write a text"),
    (["export", "latest", "--db", "played"], 2, "Missing option '--to'."),
    (["export", "latest", "--to", "x.txt", "--db", "played"], 1, "cannot export to 'x.txt'; the file's name must end "),
    (["export", "latest", "--to", "no/x.csv", "--db", "played"], 1, "cannot export to 'no/x.csv'; its folder does not"),
    (["bench", "chess"], 2, NO_GAME),
    (["bench", "--seconds", "nan"], 2, "seconds cannot be nan; allowed: 0.05 to 600"),
    (["bench", "cuttle", "--players", "3"], 2, "cuttle is not for 3 seats; allowed: 2"),
    (["bench", "--workers", "0"], 2, "workers cannot be 0; allowed: 1 to "),
    (["balance", "chess"], 2, NO_GAME),
    (["balance", "cuttle", "--margin", "0.5"], 2, "margin cannot be 0.5; allowed: above 0 and below 0.5"),
    (["balance", "cuttle", "--variants", "standard,x"], 2, "cuttle has no variant 'x'; allowed: standard, "),
    (["balance", "cuttle", "--variants", ","], 2, "variants cannot be ','; write one, or several as a,b,c"),
    (["balance", "cuttle", "--variants", "short,"], 2, "variants cannot be 'short,'; write one, or several as a,b,c"),
    (["balance", "latest", "--lean", "--db", "played"], 2, "run latest is stored and not played: leave --lean out"),
    (["balance", "latest", "--margin", "0.5", "--db", "played"], 2, "margin cannot be 0.5; allowed: above 0 and below"),
    (["balance", "f" * 10, "--db", "played"], 1, "there is no run 'ffffffffff' in played; 'hilltop runs' lists them"),
    ([*PLAY, *TWICE], 2, "rule option goal is given twice; give it once"),
    (["duel", "cuttle", "random", "greedy", "--rule", "goal=15", "--rule", "goal=15"], 2, "rule option goal is given"),
    (["trace", "cuttle", "--bots", "random,random", *TWICE], 2, "rule option goal is given twice; give it once"),
    (["run", "--extend", "latest", "--db", "played", *TWICE], 2, "rule option goal is given twice; give it once"),
    (["balance", "cuttle", "--variants", "short,short"], 2, "variant short with no changes is given twice"),
    (["balance", "cuttle", "--sweep", "goal"], 2, "'goal' is not a sweep; write name=low..high, "),
    (["balance", "cuttle", "--sweep", "goal=21..15"], 2, "sweep 'goal=21..15' holds no value; "),
    (["balance", "cuttle", "--sweep", "goal=a..b"], 2, "sweep 'goal=a..b' needs whole numbers: "),
    (["balance", "cuttle", "--sweep", "goal=90..120:15"], 2, "rule option goal cannot be 105; allowed: 1 to 99"),
    (["balance", "cuttle", "--sweep", "both_win=mover|x"], 2, 'rule option both_win cannot be "x"; allowed: mover'),
    (["balance", "cuttle", "--rule", "goal=20", "--sweep", "goal=1..2"], 2, "rule option goal is given twice; "),
    (["balance", "cuttle", "--sweep", "turn_cap=1..10000", "--sweep", "goal=1..99"], 2, "that makes 990000 variants; "),
    (["balance", "cuttle", "--sweep", "goal=18,x"], 2, "rule option goal cannot be 'x'; allowed: 1 to 99"),
    (["balance", "cuttle", "--sweep", "goal=18,18"], 2, "variant standard with {'goal': 18} is given twice"),
    (["explain", "luck"], 2, "there is no metric or term 'luck'; allowed: seat_share, "),
    ([*PLAY, "--bots", "greedy,greedy"], 2, "bot greedy is named twice; name each bot once"),
    ([*PLAY, "--bots", "greedy,random,greedy()"], 2, "bot greedy is named twice; name each bot once"),
    ([*PLAY, "--bots", "points_rush(least=5),points_rush"], 2, "bot points_rush is named twice; name each bot once"),
    (
        [*PLAY, "--bots", "greedy(aggression=0.70),greedy(aggression=.7)"],
        2,
        "bot greedy(aggression=0.7) is named twice",
    ),
    ([*PLAY, "--bots", "random(never=A+2),random(never=2+A)"], 2, "bot random(never=2+A) is named twice; "),
    (["balance", "cuttle", "--bots", "greedy,greedy"], 2, "bot greedy is named twice; name each bot once"),
]


@pytest.mark.parametrize(("arguments", "code", "sentence"), MISTAKES, ids=[" ".join(m[0])[:60] for m in MISTAKES])
def test_mistakes_are_one_sentence(
    program: Program, played: Path, arguments: list[str], code: int, sentence: str
) -> None:
    Path("folder.py").mkdir()
    Path("text").write_text("a shopping list\n")
    Path("deep").write_text("[" * 100_000)
    Path("digits").write_text("9" * 6_000)
    Path("list").write_text("[]")
    scenario = '{"schema": "hilltop-scenarios/1", "game": "%s", "scenarios": [%s]}'
    one = '{"id": %s, "players": 2, "start": {}, "steps": []}'
    Path("chess").write_text(scenario % ("chess", one % '"a"'))
    Path("empty").write_text(scenario % ("cuttle", ""))
    Path("unnamed").write_text(scenario % ("cuttle", one % "{}"))
    Path("played").write_bytes(played.read_bytes())
    before = sorted(Path().iterdir())
    said = assert_one_sentence(program(*arguments), code)
    with reading(Path("played")) as store:
        assert said.startswith(sentence.replace("{run}", store.run("latest").id))
    assert sorted(Path().iterdir()) == before


def test_no_command_is_told_what_there_is(program: Program) -> None:
    answer = program()
    assert answer.code == 2
    assert "Traceback" not in answer.err
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", answer.out + answer.err, flags=re.MULTILINE)


BOT = """
import numpy as np
from bots.bot import Bot
from engine.kernel import kernel

{mark}
def decide({arguments}):
    {body}

BOT = Bot("named otherwise", "A bot with a fault.", decide)
"""
SIX = "view, rules, moves, count, params, luck"


@pytest.mark.parametrize(
    ("mark", "arguments", "body", "sentence"),
    [
        ("@kernel", SIX, "return nowhere(count)", "bot own.py cannot be compiled: .*nowhere.*"),
        ("@kernel", SIX, "return view.nothing", "bot own.py cannot be compiled: .*nothing.*"),
        ("@kernel", "view, moves", "return 0", "bot own.py cannot be compiled: .*takes 2 arguments"),
        ("@kernel", SIX, "return 0.5", "bot own.py returns float64; decide must return the number of a move, an int64"),
        ("@kernel", SIX, "return None", "bot own.py returns none; decide must return the number of a move, an int64"),
        (
            "@kernel",
            SIX,
            "return np.int32(0)",
            "bot own.py returns int32; decide must return the number of a move, an int64",
        ),
    ],
)
def test_a_bot_that_does_not_compile_is_named(
    program: Program, mark: str, arguments: str, body: str, sentence: str
) -> None:
    Path("own.py").write_text(BOT.format(mark=mark, arguments=arguments, body=body))
    answer = program(*PLAY, "--bots", "random,own.py", "--matches", "10")
    assert (answer.code, answer.out) == (1, "")
    preparing, said = answer.err.splitlines()
    assert preparing == "preparing Cuttle, 2 bots"
    assert re.fullmatch(f"hilltop: {sentence}", said)
    with reading(Path("hilltop.duckdb")) as store:
        assert store.runs() == []  # a failure to start is no result


def own_bot(path: str, name: str = "rusher", parameters: str = "", body: str = "return 0") -> str:
    """A user's bot in a file; its path."""
    text = BOT.format(mark="@kernel", arguments=SIX, body=body)
    text = text.replace('"named otherwise"', repr(name)).replace("decide)", f"decide, {parameters})")
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text.replace("import Bot", "import Bot, Parameter"))
    return path


def listed_bots(program: Program, *arguments: str) -> list[str]:
    answer = program(*arguments, "--format", "json")
    assert answer.code == 0, answer.err
    return sorted(row["bot"] for row in strict(answer.out)["ratings"])


def test_own_bots_are_listed_by_their_names(program: Program) -> None:
    one, other = own_bot("one.py"), own_bot("folder/other.py", "greedy", body="return count - 1")
    third = own_bot("third.py", "rusher", body="return count // 2")
    asked = [*PLAY, "--matches", "12", "--bots"]
    number = 'Parameter("depth", 1, 0, 9, "Nothing."),'
    able = own_bot("able.py", "thinker", f"({number})")
    assert listed_bots(program, *asked, f"random,{one}") == ["random", "rusher"]
    # A name that another bot has tells nothing: these are told apart by their files.
    assert listed_bots(program, *asked, f"random,{other}") == [other, "random"]
    assert listed_bots(program, *asked, f"{one},{third}") == sorted([one, third])
    assert listed_bots(program, *asked, f"{able},{able}(depth=3)") == ["thinker", "thinker(depth=3)"]
    shown = strict(program("show", "latest", "--format", "json").out)
    assert shown["run"]["bots"] == ["thinker", "thinker(depth=3)"]
    assert shown["run"]["settings"]["bots"] == [able, f"{able}(depth=3)"]
    assert {row["against"] for row in shown["pairs"]} == {"thinker", "thinker(depth=3)"}
    assert f"seat 0: {able}" in program("replay", "latest", "0").out  # the file is found again
    assert program("run", "--resume", "latest", "--workers", "0").code == 0
    found = strict(program("balance", "cuttle", *asked[2:], f"random,{one}", "--format", "json").out)["findings"]
    assert "rusher" in {row["subject"] for row in found}


@pytest.mark.parametrize(
    ("bots", "sentence"),
    [
        ("one.py,./one.py", "'one.py' and 'folder/../one.py' are the same bot; name each bot once"),
        ("{twenty}", "the bot file 'bad.py' has 20 parameters; allowed: up to 8"),
    ],
)
def test_the_same_file_twice(program: Program, bots: str, sentence: str) -> None:
    own_bot("one.py")
    Path("folder").mkdir()
    many = "".join(f'Parameter("p{n}", 0, 0, 1, "x"),' for n in range(20))
    bots = bots.format(twenty=own_bot("bad.py", parameters=f"({many})")).replace("./", "folder/../")
    assert assert_one_sentence(program(*PLAY, "--bots", bots), 2) == sentence


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("a,b", "", "calls its bot 'a,b'; allowed: 1 to 60 letters, digits and signs, but no ( ) , or +"),
        ("", "", "calls its bot ''; allowed: "),
        ("tab\there", "", "calls its bot 'tab\\there'; allowed: "),
        ("x", '(Parameter("never", 0, 0, 1, "x"),)', "calls a parameter 'never'; allowed: a name as of a variable, "),
        ("x", '(Parameter("a", 0, 0, 1, "x"), Parameter("a", 0, 0, 1, "y"))', "has two parameters called a"),
        ("x", '(Parameter("a", "b", 0, 1, "x"),)', "gives parameter a something else than numbers as default, "),
        ("x", '(Parameter("a", 2, 0, 1, "x"),)', "gives parameter a the default 2 outside of its range"),
        ("x", "5", "has something else than Parameters in its parameters; write (Parameter(...), Parameter(...))"),
    ],
)
def test_what_a_bot_cannot_say_of_itself(program: Program, name: str, parameters: str, sentence: str) -> None:
    path = own_bot("bad.py", name, parameters)
    said = assert_one_sentence(program(*PLAY, "--bots", f"random,{path}"), 2)
    assert said.startswith(f"the bot file 'bad.py' {sentence}")


def test_a_bot_that_raises_does_not_end_the_run(program: Program) -> None:
    body = "if count > 2:\n        raise ValueError('oops')\n    return 0"
    Path("own.py").write_text(BOT.format(mark="@kernel", arguments=SIX, body=body))
    answer = program(*PLAY, "--bots", "random,own.py", "--matches", "10")
    assert answer.code == 0, answer.err
    assert "Matches spoiled by a bot's fault, counted nowhere: named otherwise 10 (raised an error)" in answer.out
    said = assert_one_sentence(program("trace", "cuttle", "--bots", "random,own.py"), 1)
    assert re.fullmatch(r'bot own.py in seat 1 raised an error: ValueError: oops \(File "own.py", line 9\)', said)


def test_illegal_choices_are_counted_apart(program: Program) -> None:
    Path("own.py").write_text(BOT.format(mark="@kernel", arguments=SIX, body="return -7"))
    answer = program(*PLAY, "--bots", "random,own.py", "--matches", "100", "--format", "json")
    assert answer.code == 0, answer.err
    assert {row["bot"]: (row["matches"], row["faults"]) for row in strict(answer.out)["ratings"]} == {
        "named otherwise": (0, 10),
        "random": (0, 0),
    }
    answer = program("rate")
    assert "Matches spoiled by a bot's fault, counted nowhere: named otherwise 10 (chose no legal move)" in answer.out
    assert "named otherwise was withdrawn from run" in answer.out
    assert "No match that counts links some bots, not even through others" in answer.out
    assert "No match between some bots counts." in program("matrix").out
    said = assert_one_sentence(program("replay", "latest", "0"), 1)
    assert re.fullmatch(r"bot own.py in seat 1 chose no legal move: -7 of \d+", said)


def test_a_bot_without_the_compiler_can_be_traced(program: Program) -> None:
    Path("own.py").write_text(BOT.format(mark="", arguments=SIX, body="return count - 1"))
    answer = program("trace", "cuttle", "--bots", "own.py,random", "--legal")
    assert answer.code == 0, answer.err
    for step in strict(answer.out)["steps"]:
        if step["by"] == 0:
            assert {key: value for key, value in step.items() if key not in ("by", "legal")} == step["legal"][-1]


def test_unexpected_trouble_is_one_sentence_unless_asked(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(game_registry, "game", fails)
    said = assert_one_sentence(program("games", "cuttle"), 1)
    assert said == "unexpected trouble (RuntimeError); --debug shows where, please report it"
    with pytest.raises(RuntimeError):
        program("--debug", "games", "cuttle")


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (MemoryError(), "there is not enough memory"),
        (PermissionError(13, "Permission denied", "/x"), "permission denied: /x"),
        (OSError(28, "No space left on device"), "no space left on device"),
    ],
)
def test_trouble_of_the_system(
    program: Program, monkeypatch: pytest.MonkeyPatch, trouble: Exception, sentence: str
) -> None:
    def fails(_: str) -> None:
        raise trouble

    monkeypatch.setattr(game_registry, "game", fails)
    assert assert_one_sentence(program("games", "cuttle"), 1) == sentence


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("1000", 1000), ("1_000", 1000), ("1e3", 1000), (" 7 ", 7), ("2.5e3", 2500), ("1E+2", 100)],
)
def test_whole_numbers(text: str, value: int) -> None:
    assert whole(text, "n", 0, 10_000) == value


@pytest.mark.parametrize("text", ["", " ", "x", "1.5", "1e-3", "nan", "sNaN", "inf", "-inf", "0x10", "1,000"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(UsageError, match=f"^n cannot be '{text}'; write a whole number such as"):
        whole(text, "n", 0, 10_000)


@pytest.mark.parametrize("text", ["1e999999999", "1" + 40 * "0", "-1e40", "10001"])
def test_whole_numbers_out_of_range(text: str) -> None:
    with pytest.raises(UsageError, match=f"^n cannot be {text}; allowed: 0 to 10000$"):
        whole(text, "n", 0, 10_000)


# ---------------------------------------------------------------- help


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command(program: Program, name: str) -> None:
    answer = program(name, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: hilltop {name} ")
    assert program(name, "-h").out == answer.out


def test_help_is_complete() -> None:
    commands = {info.name: info.callback for info in app.registered_commands}
    assert list(commands) == COMMANDS
    for name, callback in commands.items():
        assert callback is not None
        assert callback.__doc__, name
        for parameter, hint in callback.__annotations__.items():
            if parameter not in ("context", "return"):
                assert "help=" in hint or "Option" in hint, f"{name}: {parameter}"


def test_help_needs_neither_ray_nor_the_compiler() -> None:
    program = f"""if True:
    import sys
    from cli.main import run_command
    for arguments in [["--help"], *([name, "--help"] for name in {COMMANDS})]:
        assert run_command(arguments) == 0
    heavy = {{"ray", "numba", "llvmlite", "numpy", "polars", "duckdb", "scipy", "trueskill"}}
    print(sorted(heavy & set(sys.modules)), [name for name in sys.modules if name.startswith("engine.games.")])
    """
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[] []"


def test_version(program: Program) -> None:
    assert re.fullmatch(r"hilltop \S+\n", program("--version").out)
    assert program("--debug", "--version") == program("--version")


# ---------------------------------------------------------------- pipes and terminals


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["run", "--help"],
        ["games", "cuttle"],
        ["runs", "--format", "json"],
        ["trace", "cuttle", "--bots", "random,random", "--count", "200"],
        ["scenario", str(SCENARIOS)],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_closed_pipe(played: Path, arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        done = subprocess.run(
            command(*arguments),
            env=environment(HILLTOP_DB=str(played)),
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, "")


def test_a_reader_that_leaves_early() -> None:
    with subprocess.Popen(
        command("trace", "cuttle", "--bots", "random,random", "--count", "1e6"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert strict(process.stdout.readline())["match"] == 0
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 141


@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        (">&-", 1, "hilltop: standard output is closed\n"),
        (">/dev/full", 1, "hilltop: no space left on device\n"),
        (">&- 2>&-", 1, ""),
        ("2>&-", 0, ""),
        ("2>/dev/full", 0, ""),
        ("<&-", 0, ""),
    ],
)
def test_streams_that_are_closed_or_full(played: Path, redirection: str, code: int, said: str) -> None:
    done = redirected(redirection, "runs", "--db", str(played))
    assert (done.returncode, done.stderr) == (code, said)
    assert (done.stdout != "") == (code == 0)


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    play = ["run", "cuttle", "--bots", "random", "--matches", "10", "--workers", "0", "--db", str(path)]
    assert redirected("<&- 2>&-", *play).returncode == 0
    with reading(path) as store:
        assert store.run("latest").complete


def redirected(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command(*arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_arguments_that_are_no_text() -> None:
    done = hilltop("trace", "cuttle", "--bots", "\udcff.py")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "hilltop: '\\udcff.py' is not valid UTF-8\n")


PIPE: list[dict[str, str]] = [
    {},
    {"FORCE_COLOR": "1"},
    {"GITHUB_ACTIONS": "true"},
    {"NO_COLOR": "1"},
    {"TERM": "dumb"},
    {"COLUMNS": "20"},
]


@pytest.mark.parametrize("env", PIPE, ids=str)
def test_pipes_get_plain_text(played: Path, env: dict[str, str]) -> None:
    done = hilltop("runs", "--db", str(played), env=env)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    title, heading, _, row = filter(None, done.stdout.splitlines())
    assert title == f"Runs in {played}"
    assert heading.split()[:2] == ["run", "game"]
    assert row.split()[1:3] == ["cuttle", "standard"]
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


def test_ascii_is_enough(tmp_path: Path, played: Path) -> None:
    path = tmp_path / "ünï ☃.duckdb"
    path.write_bytes(played.read_bytes())
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    for form in FORMATS:
        done = hilltop("runs", "--format", form, "--db", path.name, cwd=tmp_path, env=ascii_only)
        assert done.returncode == 0, done.stderr
        assert done.stdout.isascii()
        assert "cuttle" in done.stdout
    done = hilltop("show", "zzz", "--db", path.name, cwd=tmp_path, env=ascii_only)
    assert done.returncode == 1
    assert done.stderr == "hilltop: there is no run 'zzz' in \\xfcn\\xef \\u2603.duckdb; 'hilltop runs' lists them\n"


def on_terminal(*arguments: str, width: int = 80, **env: str) -> str:
    """What the program shows on a terminal."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    plain = {key: value for key, value in environment(**env).items() if key not in ("COLUMNS", "LINES", "CI")}
    with subprocess.Popen(command(*arguments), env=plain, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # how a terminal ends
                break
            if not part:
                break
            shown += part
        assert process.wait() == 0, shown
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def test_terminals_get_what_they_can_show(played: Path) -> None:
    asked = ["runs", "--db", str(played)]
    assert "\x1b[1m" in on_terminal(*asked, TERM="xterm")
    assert "\x1b" not in on_terminal(*asked, TERM="dumb")
    assert not re.search(r"\x1b\[[34]\d", on_terminal(*asked, TERM="xterm", NO_COLOR="1"))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_narrow_terminal_cuts_no_number_and_no_name(played: Path, width: int) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("rate", "--db", str(played), width=width, TERM="xterm"))
    assert "…" not in shown
    with reading(played) as store:
        assert store.run("latest").id in shown
    for line in shown.splitlines():
        assert len(line) <= width or line.endswith(".")  # sentences are the terminal's to wrap
    assert ("No room for the columns" in shown) == (width < 200)
    assert "points_rush" in shown


def test_columns_are_left_out_from_the_right() -> None:
    rows = [{"name": "a long name", "count": "1234567", "note": "some words of text"}]
    columns = [Column("name"), Column("count", right=True), Column("note")]
    table = Table("t", columns, rows)
    for room in range(3, 80):
        shown, widths = _fitting(table, room)
        assert list(shown) == columns[: len(shown)]
        assert len(widths) == len(shown) >= 1
        assert sum(widths) + 3 * len(widths) <= room or len(shown) == 1
        if len(shown) > 1:
            assert widths[1] == 7
    assert _fitting(table, 80) == (columns, [11, 7, 18])


def test_the_bar_on_a_terminal(tmp_path: Path) -> None:
    asked = ["run", "cuttle", "--bots", "random,greedy", "--matches", "20000", "--workers", "0"]
    shown = on_terminal(*asked, "--db", str(tmp_path / "x.duckdb"), TERM="xterm", width=120)
    assert "20000/20000" in shown
    assert re.search(r"[\d,]+ matches/s left", shown)
    assert " 0 matches/s" not in shown
    shown = on_terminal(*asked, "--db", str(tmp_path / "x.duckdb"), TERM="dumb", width=120)
    assert "\x1b" not in shown
    assert re.search(r"20,000 of 20,000 matches \(100 %\), [\d,]+ matches/s, 0 s left", shown)


def test_progress_goes_to_standard_error(tmp_path: Path) -> None:
    asked = [
        "run",
        "cuttle",
        "--bots",
        BOTS,
        "--matches",
        "600",
        "--db",
        str(tmp_path / "x.duckdb"),
        "--format",
        "json",
    ]
    setup = "from cli import progress; progress.EVERY = 0.0"
    done = hilltop(*asked, "--workers", "0", setup=setup)
    assert len(strict(done.stdout)["ratings"]) == 3
    lines = done.stderr.splitlines()
    assert lines[0] == "preparing Cuttle, 3 bots"
    assert all(
        re.fullmatch(r"[\d,]+ of 600 matches \(\d+ %\), [\d,]+ matches/s, [\d,]+ s left", line) for line in lines[2:]
    )


def test_markup_and_emoji_in_names_are_just_text(program: Program, played: Path) -> None:
    path = Path("[bold]x[red] :smile:.duckdb")
    path.write_bytes(played.read_bytes())
    assert program("runs", "--db", str(path)).out.splitlines()[0] == f"Runs in {path}"


def test_a_run_is_looked_at_while_it_is_played(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    asked = ["run", "cuttle", "--bots", "random,greedy", "--matches", "1e9", "--workers", "0", "--db", str(path)]
    with subprocess.Popen(
        command(*asked), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr
            while not (line := process.stderr.readline()).startswith("run "):
                assert line
            run = line.split()[1].rstrip(":")
            # Another one into the same file, and whatever reads.
            other = program(
                "run", "cuttle", "--bots", "random", "--matches", "600", "--workers", "0", "--db", str(path)
            )
            assert other.code == 0, other.err
            for arguments in (["runs"], ["show", run], ["rate", run], ["audit", run]):
                done = program(
                    *arguments, "--db", str(path), *(["--format", "json"] if arguments[0] != "audit" else [])
                )
                assert done.code == 0, done.err
                if arguments[0] == "runs":
                    (first, _) = json.loads(done.out)
                    assert (first["run"], first["state"]) == (run, "playing")
                    assert 0 < first["stored"] < first["matches"]
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "thinks"),
    [
        (["show", "latest"], "hilltop.api.rate_outcomes"),
        (["rate"], "hilltop.api.rate_outcomes"),
        (["report", "latest", "--to", "x.html"], "tournament.balance.summary.gather"),
        (["balance", "latest"], "tournament.balance.summary.gather"),
        (["matrix", "latest"], "cli.matrix.tables_of"),
        (["verify", "latest", "--sample", "2"], "tournament.evidence.worker_of"),
    ],
)
def test_nobody_thinks_with_the_file_in_hand(
    program: Program, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], thinks: str
) -> None:
    path = tmp_path / "x.duckdb"
    path.write_bytes(played.read_bytes())
    module, _, name = thinks.rpartition(".")
    think = getattr(import_module(module), name)
    asked = []

    def free(*arguments: Any, **named: Any) -> Any:
        with duckdb.connect(str(path)) as connection:  # which fails as long as the file is open to be read
            asked.append(connection)
        return think(*arguments, **named)

    monkeypatch.setattr(thinks, free)
    answer = program(*words, "--db", str(path))
    assert answer.code == 0, answer.err
    assert asked


def test_watch_follows_a_run_to_its_end(program: Program, tmp_path: Path, played: Path) -> None:
    path = tmp_path / "x.duckdb"
    asked = ["run", "cuttle", "--bots", BOTS, "--matches", "1_000_000", "--workers", "0", "--db", str(path)]
    with subprocess.Popen(
        command(*asked), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        while not process.stderr.readline().startswith(b"run "):
            assert process.poll() is None
        done = hilltop("watch", "latest", "--every", "0.5", "--format", "csv", "--db", str(path))
        process.stderr.read()
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) > 1
    assert lines[-1].endswith("1,000,000 of 1,000,000 matches, complete")
    assert done.stdout.count("rank,") > 1
    answer = program("watch", "--db", str(played))
    assert answer.code == 0
    assert answer.err.endswith("1,200 of 1,200 matches, complete\n")
    assert program("watch", "--every", "0", "--db", str(played)).code == 2


def test_a_module_for_each_command() -> None:
    modules = {path.stem for path in (ROOT / "cli").glob("*.py")}
    assert {name.replace("-", "_") for name in COMMANDS} <= modules
