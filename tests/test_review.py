"""Reviews name errors, and few decisions that are none; luck and skill add up to the result."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots import registry as bots
from engine import registry
from engine.match import Match
from tests.conftest import Program
from tests.test_cli import assert_one_sentence
from tournament.plan import Plan, plan_run
from tournament.review import AGAIN, LARGE, SURE, Reviewed, Reviewer, bases, matches_of, review, summary, worst


def plan_of(game: str, field: str, matches: int = 20, players: int | None = None) -> Plan:
    return plan_run(game, field, matches=matches, players=players, seed=11)


class Planted:
    """Plays well, by search; in some matches it takes once, on purpose, what is surely far worse than the best."""

    def __init__(self, every: int) -> None:
        (self.good,) = bots.field("cuttle", "rollouts(playouts=300,caution=0.5)")
        self.judge = Reviewer(registry.game("cuttle"), "", 400)
        self.dice = random.Random(5)
        self.every = every
        self.matches = 0
        self.due = False
        self.planted: list[tuple[int, int, int]] = []
        self.ply = 0

    def start(self) -> None:
        self.due = self.matches % self.every == 0
        self.matches += 1
        self.ply = 0

    def __call__(self, match: Match, seat: int) -> int:
        self.ply += 1
        codes = match.legal_codes()
        good = match.choose(self.good.bot.decide, self.good.params)
        if self.due and len(codes) > 2 and self.dice.random() < 0.3:
            bad = self.dice.choice([code for code in codes if code != good])
            view, moves = match.observe(seat), np.array(codes, np.int64)
            means, errors = self.judge._try(match, view, moves, [codes.index(good), codes.index(bad)], 99, 0, 400)
            if means[0] - means[1] - 3 * errors[1, 1] > 0.15:
                self.due = False
                self.planted.append((self.matches - 1, self.ply - 1, seat))
                return bad
        return good


@pytest.mark.parametrize(
    ("matches", "every", "playouts"), [(14, 1, 250), pytest.param(200, 10, 1000, marks=pytest.mark.soak)]
)
def test_planted_blunders_are_named_and_few_others(matches: int, every: int, playouts: int) -> None:
    plan = plan_of("cuttle", "random,greedy", 2 * matches)
    reviewer = Reviewer(plan.game, "", playouts)
    player = Planted(every)
    named = others = decisions = 0
    for number in range(matches):
        player.start()
        told = review_with(plan, 2 * number, reviewer, player)  # a deal once
        decisions += len(told.decisions)
        for one in told.decisions:
            if (number, one.ply, one.seat) in player.planted:
                named += one.verdict == "blunder"
            else:
                others += one.verdict == "blunder"
    assert len(player.planted) >= 0.7 * matches / every
    assert named >= 0.9 * len(player.planted)
    assert others <= 0.01 * decisions


def test_errors_that_are_but_noise_are_looked_at_again_and_not_called() -> None:
    """Policies that play at random, few playouts: first looks err by more than a blunder loses, verdicts do not."""
    game = registry.game("cuttle")
    again = []
    for deal in range(80):
        match = Match(game, {}, 2)
        match.deal(3, deal)
        draw = match.legal_codes()[0]
        _, once, last = Reviewer(game, "random", 30).judge(match, 0, draw, deal)
        if last is not once:
            again.append((once.means[1] - once.means[0], last.means[1] - last.means[0], last.errors[1, 1]))
    assert len(again) >= 10
    first, second, error = np.array(again).T
    assert (first > LARGE).sum() >= 5
    assert first.mean() > second.mean()
    assert (second - SURE * error > LARGE).sum() == 0


def review_with(plan: Plan, number: int, reviewer: Reviewer, player: Any) -> Reviewed:
    from tournament.review import review_match

    return review_match(plan, number, reviewer, [0.5, 0.5], player)


@pytest.mark.parametrize(
    ("game", "field", "players"),
    [("cuttle", "greedy,random", 2), ("jackal_and_high", "random,spreader", 3), ("jack_and_jill", "stepper", 2)],
)
def test_luck_and_skill_add_up(game: str, field: str, players: int) -> None:
    plan = plan_of(game, field, players=players)
    for told in review(plan, range(2), playouts=30):
        for seat in range(players):
            assert told.base[seat] + told.luck[seat] + told.skill[seat] == pytest.approx(told.result[seat])
            mine = [one for one in told.decisions if one.seat == seat]
            assert sum(one.skill for one in mine) == pytest.approx(told.skill[seat])
        for one in told.decisions:
            assert one.error == pytest.approx(one.before - one.after)
            assert one.error_se <= one.before_se + one.after_se + 1e-9
            assert (one.played == one.best) <= (one.error == 0.0)


def test_a_review_is_repeatable_and_the_policy_shows_no_skill() -> None:
    """The policy's own decisions are worth what its own are, so all is luck."""
    plan = plan_of("cuttle", "all_rounder")
    one, other = (list(review(plan, [4], playouts=40)) for _ in range(2))
    assert one == other
    assert one[0].skill == [0.0, 0.0]
    assert one[0].adjusted == one[0].base


def test_luck_is_zero_on_average_and_adjusted_results_vary_less() -> None:
    """If all play as the policy does, but for the errors of random, the adjusted result has the mean of the result."""
    plan = plan_of("cuttle", "points_rush,greedy", 60)
    told = list(review(plan, range(60), policy="greedy", playouts=60))
    (rush,) = (row for row in summary(told) if row["bot"] == "points_rush")
    assert rush["adjusted_se"] < rush["result_se"]
    assert abs(rush["adjusted"] - rush["result"]) < 3 * (rush["adjusted_se"] + rush["result_se"])


def test_the_best_is_judged_on_other_playouts_than_it_was_found_on() -> None:
    """Among moves that are alike the best of many is no better. Chosen and judged on the same it would seem so."""
    game = registry.game("cuttle")
    reviewer = Reviewer(game, "random", 120)
    errors = []
    for deal in range(60):
        match = Match(game, {}, 2)
        match.deal(3, deal)
        codes = match.legal_codes()
        _, once, _ = reviewer.judge(match, 0, codes[0], deal)
        errors.append(once.means[1] - once.means[0])
    assert reviewer.playouts < AGAIN
    assert min(errors) < 0.0  # which the best of what it was chosen on never is


def test_bases_are_what_the_policy_makes_of_each_seat() -> None:
    game = registry.game("cuttle")
    base = bases(game, "standard", {}, 2, bots.bot("cuttle", "greedy"), 400)
    assert sum(base) == pytest.approx(1.0)
    (alone,) = bases(registry.game("jack_and_jill"), "standard", {}, 1, bots.bot("jack_and_jill", "stepper"), 400)
    assert 0.03 < alone < 0.2


def test_the_worst_come_first_and_are_a_bots_own() -> None:
    plan = plan_of("cuttle", "random,greedy,points_rush")
    numbers = list(matches_of(plan, "random", 4))
    for number in numbers:
        assert "random" in [plan.entrants[entrant].spec for entrant in plan.locate(number)[1].entrants]
    found = worst(review(plan, numbers, playouts=60), "random", 5)
    assert [one.error for one in found] == sorted((one.error for one in found), reverse=True)
    assert {one.bot for one in found} == {"random"}
    assert len(found) == 5


def test_what_cannot_be_reviewed(program: Program, played: Path) -> None:
    for arguments, said in (
        ([], "a review is of a match or of a bot; write hilltop review RUN MATCH, or RUN --bot BOT"),
        (["--bot", "nobody"], "no bot of the run is called 'nobody'; allowed: random, greedy, points_rush"),
        (["3", "--policy", "nobody"], "cuttle has no bot 'nobody'"),
        (["3", "--playouts", "5"], "playouts cannot be 5; allowed: 10 to 1000000"),
    ):
        answer = program("review", "latest", *arguments, "--db", str(played))
        assert said in answer.err
        assert_one_sentence(answer, 2)


def test_what_a_review_plays_is_compiled_before_it(
    program: Program, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[list[str]] = []
    monkeypatch.setattr("tournament.review.compile_plan", lambda plan, _: told.append(plan.settings["bots"]))
    answer = program("review", "latest", "3", "--playouts", "10", "--policy", "greedy", "--db", str(played))
    assert answer.code == 0, answer.err
    assert told == [["random", "greedy", "points_rush", "rollouts(policy=greedy)"]]
