"""The leaderboard against a plain recount of the stored matches, in JSON and as people read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine import registry
from tests.conftest import Program
from tests.test_cli import strict

RUN = ["--workers", "0", "--db", "x.duckdb", "--seed", "4"]
# Nobody wins some matches of the last one.
RUNS = {
    "cuttle": ["cuttle", "--bots", "random,greedy,points_rush", "--rule", "goal=14", "--matches", "1200"],
    "jackal_and_high": ["jackal_and_high", "--players", "3", "--bots", "random,spreader", "--matches", "300"],
    "queen_of_the_hill": [
        *["queen_of_the_hill", "--players", "3", "--bots", "random,threshold,counter"],
        *["--rule", "dark_one_player=true", "--matches", "600"],
    ],
}


def recount(path: Path, nobody_wins: set[int]) -> dict[str, dict[str, Any]]:
    """Counts and shares of each bot, from the view of seats."""
    connection = duckdb.connect(str(path), read_only=True)
    try:
        rows = connection.execute("SELECT match, seat, bot, rank, reason FROM seats ORDER BY match, seat").fetchall()
    finally:
        connection.close()
    matches: dict[int, list[tuple[int, str, int, int]]] = {}
    for match, seat, bot, rank, reason in rows:
        matches.setdefault(match, []).append((seat, bot, rank, reason))
    counts = ("matches", "wins", "draws", "losses", "none")
    found: dict[str, dict[str, Any]] = {}
    for seats in matches.values():
        ranks = [rank for _, _, rank, _ in seats]
        nobody = seats[0][3] in nobody_wins
        for seat, bot, rank, _ in seats:
            entry = found.setdefault(bot, {"shares": [], "first": [], **dict.fromkeys(counts, 0)})
            others = ranks[:seat] + ranks[seat + 1 :]
            share = sum((other > rank) + 0.5 * (other == rank) for other in others) / len(others)
            share = 0.0 if nobody else share
            kind = "none" if nobody else "losses" if rank else "draws" if ranks.count(0) > 1 else "wins"
            entry["matches"] += 1
            entry[kind] += 1
            entry["shares"].append(share)
            if seat == 0:
                entry["first"].append(share)
    return found


@pytest.mark.parametrize("game", RUNS)
def test_the_leaderboard_is_what_the_matches_say(program: Program, game: str) -> None:
    facts = registry.game(game)
    assert program("run", *RUNS[game], *RUN).code == 0
    wanted = recount(Path("x.duckdb"), {facts.state.REASONS.index(name) for name in facts.none_wins})
    rows = strict(program("rate", "--db", "x.duckdb", "--format", "json").out)["ratings"]
    assert {row["bot"] for row in rows} == set(wanted)
    for row in rows:
        mine = wanted[row["bot"]]
        assert {key: row[key] for key in ("matches", "wins", "draws", "losses", "none")} == {
            key: mine[key] for key in ("matches", "wins", "draws", "losses", "none")
        }
        assert row["share"] == pytest.approx(sum(mine["shares"]) / len(mine["shares"]), abs=1e-12)
        assert row["share_first"] == pytest.approx(sum(mine["first"]) / len(mine["first"]), abs=1e-12)
        assert row["share_low"] < row["share"] < row["share_high"]
        assert row["mu_low"] < row["mu"] < row["mu_high"]
    assert any(row["share_first"] != row["share"] for row in rows)
    assert any(row["none"] for row in rows) == bool(facts.none_wins)


def test_what_people_read_is_the_same(program: Program) -> None:
    """Headings over the right numbers, the lower end of an interval first."""
    assert program("run", *RUNS["cuttle"], *RUN).code == 0
    shown = strict(program("show", "latest", "--db", "x.duckdb", "--format", "json").out)
    text = program("show", "latest", "--db", "x.duckdb", "--format", "markdown").out
    tables = [table_of(block) for block in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)]
    ratings = next(rows for rows in tables if "from seat 0 %" in rows[0])
    pairs = next(rows for rows in tables if "against" in rows[0])
    for rows, given in ((ratings, shown["ratings"]), (pairs, shown["pairs"])):
        assert len(rows) == len(given)
        for row, values in zip(rows, given, strict=True):
            assert row["bot"] == values["bot"]
            assert row["share %"] == f"{100 * values['share']:.2f}"
            low, high = (f"{100 * values[f'share_{end}']:.2f}" for end in ("low", "high"))
            assert f"{low} to {high}" in row["95 %"]
            for ends in row["95 %"]:
                first, last = (float(end.replace(",", "")) for end in ends.split(" to "))
                assert first < last
    for row, values in zip(ratings, shown["ratings"], strict=True):
        assert row["from seat 0 %"] == f"{100 * values['share_first']:.2f}"
        assert row["wins"] == f"{values['wins']:,}"
        assert row["losses"] == f"{values['losses']:,}"
        assert row["draws"] == f"{values['draws']:,}"


def table_of(block: str) -> list[dict[str, Any]]:
    """Rows of a Markdown table by heading; of a heading that is there several times, a list."""
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()]
    return [
        {"95 %": [cell for name, cell in zip(lines[0], line, strict=True) if name == "95 %"]}
        | {name: cell for name, cell in zip(lines[0], line, strict=True) if name != "95 %"}
        for line in lines[2:]
    ]
