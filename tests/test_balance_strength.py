"""Fairness as play gets better: planned deals, the verdict in words, every kind of game."""

from __future__ import annotations

import json

import pytest

from engine.errors import UsageError
from tests.conftest import Program
from tests.test_cli import assert_one_sentence
from tournament.balance.strength import LEAST_DEALS, Level, bots, plan_deals, seconds_of, sentence
from tournament.plan import plan_run
from tournament.statistics.estimate import Estimate

PLAY = ["balance", "cuttle", "--strength", "--workers", "0", "--playouts", "10", "--db", "x.duckdb", "--format", "json"]


def level(strength: str, verdict: str, note: str = "seat 0 gets more than an even share") -> Level:
    return Level("standard", strength, "a", "1", 100, Estimate(0.1, 0.05, 0.15, 100), verdict, note)


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (("fair", "fair", "fair"), "fair at every strength; the verdict holds as play gets better"),
        (("unfair", "unfair", "unfair"), "unfair at every strength; the verdict holds as play gets better"),
        (("fair", "unfair", "undecided"), "undecided for searching play; the verdict changes as play gets better"),
        (("unfair", "unfair", "undecided"), "whether the verdict holds takes more deals"),
    ],
)
def test_what_verdicts_say_together(verdicts: tuple[str, str, str], said: str) -> None:
    found = [level(name, verdict) for name, verdict in zip(("random", "scripted", "searching"), verdicts, strict=True)]
    assert said in sentence("standard", found)


def test_unfair_the_other_way_round_is_a_change() -> None:
    found = [level("random", "unfair"), level("scripted", "unfair", "seat 1 gets more than an even share")]
    assert "not for the same seat; the verdict changes" in sentence("standard", found)


def test_slow_play_gets_what_time_allows_and_results_do_not_depend_on_it(program: Program) -> None:
    given = program(*PLAY, "--deals", "300,200,6")
    found = json.loads(given.out)
    assert found["deals"] == [300, 200, 6]
    assert [(row["strength"], row["deals"]) for row in found["levels"]] == [
        ("random", 300), ("scripted", 200), ("searching", 6)
    ]  # fmt: skip
    assert [row["bot"] for row in found["levels"]] == ["random", "all_rounder", "rollouts(playouts=10)"]
    assert len(found["summary"]) == 1
    again = program(*PLAY, "--deals", "300,200,6")
    assert again.out == given.out  # and nothing is played again
    assert again.err.count("is stored already") == 3


def test_deals_are_planned_from_what_a_match_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = iter([0.001, 0.01, 10.0])
    monkeypatch.setattr("tournament.balance.strength._cost", lambda _: next(costs))
    plans = [plan_run("cuttle", bot, matches=50_000) for bot in bots("cuttle", 10)]
    assert plan_deals(plans, 123.4, 2) == [50_000, 8200, LEAST_DEALS]


def test_a_team_is_told_what_it_wins(program: Program) -> None:
    arguments = ["balance", "jack_and_jill", "--strength", "--workers", "0", "--playouts", "2", "--db", "x.duckdb"]
    answer = program(*arguments, "--deals", "60,40,2", "--format", "json")
    found = json.loads(answer.out)
    assert [row["verdict"] for row in found["levels"]] == ["", "", ""]
    assert found["levels"][0]["value"] < found["levels"][1]["value"]


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400)])
def test_times(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


def test_what_is_refused(program: Program) -> None:
    for text in ("", "m", "0", "-3m", "ten"):
        with pytest.raises(UsageError, match="write 90s, 10m or"):
            seconds_of(text)
    for more, said in (
        (["--deals", "1,2"], "deals cannot be '1,2'; write one number for each of random, scripted, searching"),
        (["--bots", "greedy"], "--strength plays bots of its own"),
        (["--time", "x"], "time cannot be 'x'"),
    ):
        assert said in assert_one_sentence(program(*PLAY, *more), 2)
