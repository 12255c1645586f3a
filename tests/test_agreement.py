"""The same question has one answer, to the last digit, whichever command is asked and whatever a run keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from storage.store import writing
from tests.conftest import Program
from tournament import run as runner
from tournament.execution import InProcess
from tournament.page.figures import estimate_cells
from tournament.plan import plan_variants
from tournament.statistics.estimate import Estimate

CASES = {
    "two seats": ("cuttle", "random,greedy,points_rush", ["standard"], 2, 600),
    "two variants": ("cuttle", "random,greedy,points_rush", ["standard", "short"], 2, 1_000),
    "three seats": ("queen_of_the_hill", "random,threshold,counter,follower", ["standard"], 3, 720),
    "a team": ("jack_and_jill", "stepper,budgeter", ["standard", "big_hand"], 2, 240),
}


def play(case: str, path: Path, keep: bool = True) -> None:
    """The run of a case, with what happens inside matches, the last board unfinished."""
    game, bots, variants, players, matches = CASES[case]
    plan = plan_variants(game, bots, [(name, {}) for name in variants], players, matches, 5, True)
    with writing(path) as store:
        runner.play(plan, store, None, InProcess(), keep=keep)


def answer(program: Program, path: Path, *arguments: str) -> Any:
    """What a command prints as JSON."""
    done = program(*arguments, "--db", str(path), "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def balance(program: Program, case: str, path: Path) -> Any:
    """The balance report on the stored run."""
    game, bots, variants, players, matches = CASES[case]
    asked = ["--bots", bots, "--variants", ",".join(variants), "--players", str(players), "--matches", str(matches)]
    return answer(program, path, "balance", game, *asked, "--seed", "5", "--workers", "0")


def numbers(row: dict[str, Any], name: str) -> tuple[Any, Any, Any]:
    """A number and the ends of its interval."""
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


@pytest.mark.parametrize("case", CASES)
def test_commands_agree(program: Program, tmp_path: Path, case: str) -> None:
    path = tmp_path / "x.duckdb"
    play(case, path)
    shown, rated, found = answer(program, path, "show", "latest"), answer(program, path, "rate"), None
    assert rated["ratings"] == shown["ratings"]
    assert rated["model"] == shown["model"]
    found = balance(program, case, path)
    findings = found["findings"]
    runs = program("runs", "--db", str(path), "--format", "json")
    run = json.loads(runs.out)[0]["run"]
    assert answer(program, path, "balance", run) == found
    assert program("report", run, "--to", "page.html", "--db", str(path)).code == 0
    page = Path("page.html").read_text("utf-8")
    shared = 0
    if case == "a team":
        teams = {(row["variant"], row["team"]): row for row in shown["teams"]}
        for metric, name in (("team_win_rate", "win_rate"), ("team_score", "score")):
            for one in (one for one in findings if one["metric"] == metric):
                row = teams[one["variant"], one["subject"]]
                assert numbers(row, name) == (one["value"], one["low"], one["high"])
                assert row["matches"] == one["matches"]
                shared += 1
    else:
        pairs = {(row["variant"], f"{row['bot']} over {row['against']}"): row for row in shown["pairs"]}
        for one in (one for one in findings if one["metric"] == "level_share"):
            row = pairs[one["variant"], one["subject"]]
            assert numbers(row, "share") == (one["value"], one["low"], one["high"])
            cells = estimate_cells(Estimate(*numbers(row, "share"), one["matches"]), "share")
            assert all(f"<td>{cell}</td>" in page for cell in cells)
            shared += 1
        ratings = [one for one in findings if one["metric"] == "rating"]
        assert len(ratings) == len(rated["ratings"]) * len(CASES[case][2])
        mine = {one["subject"]: (one["value"], one["low"], one["high"]) for one in ratings}
        same = {row["bot"]: numbers(row, "mu") for row in rated["ratings"]} == mine
        assert same == (len(CASES[case][2]) == 1)  # over two variants rate has one rating of both
        seats = sum(row["matches"] for row in rated["ratings"])
        played = {one["variant"]: one["matches"] for one in findings if one["metric"] == "match_plies"}
        assert seats == CASES[case][3] * sum(played.values())
    assert shared


def without_names(value: Any) -> Any:
    """What is printed without ids of runs and times."""
    if isinstance(value, dict):
        return {key: without_names(part) for key, part in value.items() if key not in ("run", "runs", "notices")}
    return [without_names(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", ["two variants", "a team"])
def test_tallies_say_what_matches_say(program: Program, tmp_path: Path, case: str) -> None:
    said = []
    for keep in (True, False):
        path = tmp_path / f"{keep}.duckdb"
        play(case, path, keep)
        rated = answer(program, path, "rate")
        said.append((without_names(rated), without_names(balance(program, case, path))))
    assert said[0] == said[1]
