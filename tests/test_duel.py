"""The duel: both risks hold whatever the draws, the luck and the chunks; it is quick; rows are read rightly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import UsageError
from tests.conftest import Program
from tournament.duel import deal_units, plan_duel, play, ratio_test, share_of
from tournament.execution import InProcess
from tournament.plan import Plan
from tournament.statistics.sequential import BETTER, NOT_BETTER, UNDECIDED, RatioTest, looking
from tournament.statistics.simulation import duel_world

RUNS = 300
MOST_WRONG = 24  # of 300 at a risk of 5 %: 15 are expected at most; more has a chance of 1 %


def verdicts(elo: float, draws: float, luck: float, elo1: float = 30.0) -> tuple[list[RatioTest], int]:
    """Tests of 300 duels that plant a lead; and how many intervals do not hold it."""
    world = duel_world(elo, draws, luck)
    done, missed = [], 0
    for seed in range(RUNS):
        test = RatioTest(share_of(0.0), share_of(elo1), 4)
        test.feed(world.duel(6000, seed))
        done.append(test)
        low, high = test.interval()
        missed += not low <= share_of(elo) <= high
    return done, missed


@pytest.mark.parametrize("luck", [0.0, 3.0])
@pytest.mark.parametrize("draws", [0.0, 0.3, 0.9])
def test_both_risks_hold_and_the_interval_too(draws: float, luck: float) -> None:
    equal, missed = verdicts(0.0, draws, luck)
    assert sum(test.verdict == BETTER for test in equal) <= MOST_WRONG
    assert missed <= MOST_WRONG
    lead, missed = verdicts(30.0, draws, luck)
    assert sum(test.verdict == NOT_BETTER for test in lead) <= MOST_WRONG
    assert missed <= MOST_WRONG
    assert sum(test.verdict == UNDECIDED for test in equal + lead) <= 1
    # Of Wald's test that knows the variance: n = 2 log(19) 0.9 v / d^2 (and some deals to learn it).
    for tests in (equal, lead):
        spread = np.mean([test.squares / (16.0 * test.n) - (test.mean or 0.0) ** 2 for test in tests])
        ideal = 2.0 * np.log(19.0) * 0.9 * spread / (share_of(30.0) - 0.5) ** 2
        assert np.mean([test.n for test in tests]) <= 1.25 * ideal + 60.0


def test_with_strong_luck_of_the_deal_half_the_matches_do() -> None:
    deals = np.mean([test.n for test in verdicts(30.0, 0.0, 3.0)[0]])
    single = np.mean([test.n for test in verdicts(30.0, 0.0, 0.0)[0]])  # as if every match had a deal of its own
    assert 2.0 * deals < single  # single: deals of two independent matches, so 2 single matches


def test_the_verdict_does_not_depend_on_the_pieces() -> None:
    units = duel_world(15.0, 0.3, 1.0).duel(6000, seed=1)
    whole = RatioTest(share_of(0.0), share_of(30.0), 4)
    whole.feed(units)
    assert whole.verdict != UNDECIDED
    for size in (1, 7, 1000):
        parts = RatioTest(share_of(0.0), share_of(30.0), 4)
        for first in range(0, len(units), size):
            parts.feed(units[first : first + size])
        assert (parts.verdict, parts.n, parts.total, parts.interval()) == (
            whole.verdict, whole.n, whole.total, whole.interval(),
        )  # fmt: skip
        assert (parts.against_low, parts.against_high) == (whole.against_low, whole.against_high)
        assert parts.feed(units) == 0  # what comes later changes nothing


def test_deals_that_all_come_out_alike() -> None:
    for value, verdict in ((2, NOT_BETTER), (4, BETTER), (0, NOT_BETTER)):
        test = RatioTest(share_of(0.0), share_of(30.0), 4)
        test.feed(np.full(3000, value))
        assert test.verdict == verdict
        low, high = test.interval()
        assert low <= value / 4 <= high
        assert high - low > 0.01


def test_intervals_for_looking_are_right_at_every_look() -> None:
    rng = np.random.default_rng(3)
    looks = np.unique(np.geomspace(20, 20_000, 60).astype(int))
    missed = 0
    for _ in range(400):
        sums = np.cumsum(rng.standard_normal(looks[-1]))[looks - 1]
        missed += bool((np.abs(sums) / np.sqrt(looks) > looking(looks.astype(np.float64))).any())
    assert missed <= 29  # of 20 expected at most; 29 has a chance of 2 %
    assert float(looking(1000.0)) < 3.1


def test_units_are_the_part_of_the_table_that_is_beaten() -> None:
    plan = plan_duel("queen_of_the_hill", "counter", "threshold", players=4)
    assert [lineup.entrants for lineup in plan.lineups] == [(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]
    nobody = plan.game.state.REASONS.index(next(iter(plan.game.none_wins)))
    somebody = next(at for at, name in enumerate(plan.game.state.REASONS) if name not in plan.game.none_wins)
    rows = np.zeros((plan.rows, 8), np.int32)
    rows[1] = somebody
    rows[0] = [3210, 3210, 3210, 3210, 1110, 1101, 0, 0]  # seat 0 is the last digit
    rows[1, 7] = nobody
    assert deal_units(plan, rows).tolist() == [6 + 4 + 2 + 0, 6 + 6 + 3 + 3]
    rows[1, 2] = -1
    assert deal_units(plan, rows).tolist() == [-1, 18]


def test_of_teams_the_better_score_is_ahead() -> None:
    plan = plan_duel("jack_and_jill", "forecaster", "budgeter", players=2)
    assert [lineup.entrants for lineup in plan.lineups] == [(0, 0), (1, 1)]
    won = plan.game.state.REASONS.index(plan.game.won)
    rows = np.zeros((plan.rows, 6), np.int32)
    rows[1] = [won, won, won, 1 - won, 1 - won, 1 - won]
    rows[3] = [5, 7, 0, 9, 3, 4]
    assert deal_units(plan, rows).tolist() == [0, 2, 1]


def duel(program: Program, *arguments: str) -> dict[str, Any]:
    answer = program("duel", *arguments, "--format", "json")
    assert answer.code == 0, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    return found


def test_the_command(program: Program) -> None:
    better = duel(program, "cuttle", "greedy", "random", "--elo1", "50")
    assert better["verdict"] == "better"
    assert better["elo_low"] < better["elo"] < better["elo_high"]
    assert better["matches"] == 2 * better["deals"]
    assert duel(program, "cuttle", "random", "greedy", "--elo1", "50")["verdict"] == "not better"
    assert duel(program, "cuttle", "greedy", "random", "--max", "2")["verdict"] == "undecided"
    assert duel(program, "cuttle", "greedy", "greedy", "--elo1", "50")["share"] == 0.5
    shown = program("duel", "cuttle", "greedy", "random", "--elo1", "50")
    assert "greedy is better than random: its lead is above 0 Elo." in shown.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["greedy", "random", "--elo0", "5", "--elo1", "5"], "elo1 cannot be 5; it must be above elo0, which is 5"),
        (["greedy", "random", "--alpha", "0"], "alpha cannot be 0; allowed: 0.000001 to 0.5, without 0.5"),
        (["greedy,random", "random"], "'greedy,random' is not one bot; a duel is between two"),
        (["all", "random"], "'all' is not one bot; a duel is between two"),
        (["greedy", "random", "--elo1", "nan"], "elo1 cannot be nan; allowed: -1000 to 1000"),
        (["greedy", "random", "--max", "0"], "max cannot be 0; allowed: 1 to"),
    ],
)
def test_what_is_refused(program: Program, arguments: list[str], sentence: str) -> None:
    answer = program("duel", "cuttle", *arguments)
    assert answer.code == 2
    assert sentence in answer.err


def test_more_is_played_only_until_the_verdict() -> None:
    plan = plan_duel("cuttle", "greedy", "random", most=1_000_000)
    test = ratio_test(plan, 0.0, 50.0, 0.05, 0.05)
    played: list[int] = []

    class Counting(InProcess):
        def results(self, plan: Plan, first: int, end: int, *others: Any, **named: Any) -> Iterator[Any]:
            for results in super().results(plan, first, end, *others, **named):
                played.append(results.rows.shape[1])
                yield results

    told: list[str] = []
    result = play(plan, Counting(), test, lambda one: told.append(one.verdict))
    assert result.verdict == BETTER
    assert 1 <= len(told) <= len(played)
    assert sum(played) < 10_000
    with pytest.raises(UsageError):
        ratio_test(plan, 10.0, 0.0, 0.05, 0.05)


def test_a_bot_that_spoils_its_matches_ends_the_duel(program: Program, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(
        "from bots.bot import Bot\n\n\ndef decide(view, rules, moves, count, params, luck):\n    return count\n\n\n"
        'BOT = Bot("wrong", "Chooses what is not there.", decide)\n'
    )
    answer = program("duel", "cuttle", str(tmp_path / "wrong.py"), "greedy", "--workers", "0")
    assert answer.code == 1
    assert "bot wrong has spoiled 10 matches, the last one in that it chose no legal move" in answer.err
