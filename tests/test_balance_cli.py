"""``hilltop balance`` and ``hilltop explain``: what they print, in which formats, and what they store."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import HilltopError
from storage.store import reading, writing
from tests.conftest import Program
from tournament import run as runner
from tournament.balance.finding import METRICS
from tournament.balance.summary import gather
from tournament.execution import InProcess
from tournament.plan import plan_variants
from tournament.statistics.counted import read
from tournament.terms import TERMS

PLAY = ["balance", "cuttle", "--bots", "random,greedy", "--workers", "0", "--matches", "1200", "--db", "x.duckdb"]


def test_a_report_has_every_section_and_is_not_played_twice(program: Program) -> None:
    first = program(*PLAY, "--variants", "standard,short")
    assert first.code == 0
    for title in (
        "Is it fair?", "How long, and how much to decide?", "Is it exciting?", "Skill or luck?",
        "Is there more than one good way to play?", "How differently do matches go?", "What are the pieces worth?",
        "Compared",
    ):  # fmt: skip
        assert f"\n{title}\n" in f"\n{first.out}"
    assert "at a margin of 1.00 %" in first.out
    again = program(*PLAY, "--variants", "standard,short")
    assert again.out == first.out
    assert again.err.endswith("is stored already: 1,200 matches\n")
    with reading(Path("x.duckdb")) as store:
        (run,) = store.runs()
    assert run.settings["telemetry"] is True
    assert [variant["name"] for variant in run.settings["variants"]] == ["standard", "short"]


def test_json_names_metrics_that_can_be_explained(program: Program) -> None:
    answer = program(*PLAY, "--sweep", "goal=14..21:7", "--format", "json")
    tables: dict[str, Any] = json.loads(answer.out)
    rows = tables["findings"] + tables["distributions"] + tables["differences"]
    metrics = {row["metric"] for row in rows}
    assert {"seat_share", "bot_share", "lead_changes", "margin_share", "equilibrium_weight"} <= metrics <= set(METRICS)
    (share,) = [
        row
        for row in tables["findings"]
        if (row["metric"], row["variant"], row["subject"]) == ("seat_share", "standard (goal=14)", "seat 0")
        and row["group"] == "all"
    ]
    assert share["low"] < share["value"] < share["high"]
    assert share["matches"] == 600
    for row in tables["pieces"]:
        assert row["piece_rate"] > 0
        assert row["verdict"] in ("helps", "hurts", "not separated")
    for metric in metrics:
        told = program("explain", metric)
        assert told.code == 0
        assert told.out.startswith(f"{metric}: ")
        assert all(f"  {part}: " in told.out for part in ("definition", "formula", "reading"))


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_other_formats(program: Program, form: str) -> None:
    answer = program(*PLAY, "--format", form)
    assert answer.code == 0
    if form == "csv":
        rows = list(csv.reader(io.StringIO(answer.out)))
        assert rows[0][:3] == ["table", "section", "summary"]
        assert len({len(row) for row in rows}) == 1
    else:
        assert answer.out.startswith("**Balance of Cuttle**")


def test_a_lean_run_counts_nothing_inside(program: Program) -> None:
    answer = program(*PLAY, "--lean", "--margin", "0.4")
    assert "Pace, drama and pieces were not counted (--lean)." in answer.out
    assert "Is it exciting?" not in answer.out
    assert "standard is fair at a margin of 40.0 %" in answer.out
    with reading(Path("x.duckdb")) as store:
        assert not read(store, store.run("latest")).facts.telemetry


def test_an_interrupted_report_is_played_on(program: Program) -> None:
    plan = plan_variants("cuttle", "random,greedy", [("standard", {})], matches=2_400, telemetry=True)
    with writing(Path("x.duckdb")) as store:
        begun = runner.start(plan, store)
        with pytest.raises(HilltopError, match="holds no matches yet"):
            gather(read(store, begun))

        class Half(InProcess):
            def results(self, plan: Any, first: int, end: int, *others: Any, **named: Any) -> Any:
                return super().results(plan, first, 1_111, *others, **named)

        runner.play(plan, store, begun, Half())
        assert 0 < store.run(begun.id).done < 2_400
    answer = program(*[word if word != "1200" else "2400" for word in PLAY])
    assert f"run {begun.id}: 2,400 matches" in answer.err
    with reading(Path("x.duckdb")) as store:
        (run,) = store.runs()
        assert run.complete


def test_partners_are_compared_with_one_who_sees_all(program: Program) -> None:
    arguments = [
        "balance",
        "jack_and_jill",
        "--players",
        "2",
        "--bots",
        "stepper",
        "--workers",
        "0",
        "--matches",
        "200",
    ]
    answer = program(*arguments, "--db", "x.duckdb", "--format", "json")
    tables = json.loads(answer.out)
    metrics = {row["metric"] for row in tables["findings"]}
    assert {"team_win_rate", "team_score", "loss_reason_share", "solo_gap_wins"} <= metrics
    with reading(Path("x.duckdb")) as store:
        assert [run.settings["players"] for run in store.runs()] == [2, 1]


def test_explain_lists_all_metrics(program: Program) -> None:
    listed = program("explain", "--format", "json")
    assert [row["id"] for row in json.loads(listed.out)] == [*METRICS, *TERMS]
    assert program("explain").code == 0


def test_pieces_left_out_fresh_deals_and_every_row(program: Program) -> None:
    answer = program(*PLAY, "--variants", "standard,short", "--confirm", "--pieces", "--matches", "2400")
    assert answer.code == 0, answer.err
    assert "On fresh deals (seed 1) " in answer.out
    assert "more rows: --all shows them" in answer.out
    whole = program(*PLAY, "--variants", "standard,short", "--all", "--matches", "2400")
    assert "more rows" not in whole.out
    assert len(whole.out) > len(answer.out)
    refused = program(*PLAY, "--pieces", "--lean")
    assert refused.code == 2
    assert "--pieces needs what --lean leaves out" in refused.err
