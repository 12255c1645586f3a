"""Tuning finds planted values, promises nothing where there is nothing, and counts as duels do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from tests.conftest import Program
from tests.test_cli import assert_one_sentence
from tournament.duel import deal_units, plan_duel, units_of
from tournament.tune import Tuner, tune
from tournament.worker import Worker

OWN = '''
from bots.bot import Bot, Parameter
from bots.cuttle import points_rush
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(view, rules, moves, count, params, luck):
    """The further from 0.3, the more often any move will do."""
    if random_below(luck, 1000) < 1500 * abs(params[1] - 0.3):
        return random_below(luck, count)
    return points_rush.decide(view, rules, moves, count, params, luck)


BOT = Bot("planted", "An idea.", decide, (
    Parameter("idle", 2, 0, 9, "nothing", whole=True), Parameter("aim", 0.8, 0.0, 1.0, "what matters"),
))
'''


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("own") / "planted.py"
    path.write_text(OWN)
    return path


def test_a_planted_value_is_found_and_repeatably(planted: Path) -> None:
    found = [tune(Tuner("cuttle", str(planted), "points_rush", ["aim"], seed=3), 24_000, 200) for _ in range(2)]
    assert found[0] == found[1]
    assert abs(found[0].after.values[1] - 0.3) < 0.15
    assert found[0].after.values[0] == 2.0  # which was not searched
    assert found[0].verdict == "better"
    assert found[0].mean.low > 0.05
    assert found[0].matches <= 24_000


def test_what_does_not_matter_is_not_called_better(planted: Path) -> None:
    """Of many values that are alike the best looks better; fresh deals tell that it is not."""
    tuner = Tuner("cuttle", f"{planted}(aim=0.3)", "points_rush", ["idle"], seed=4)
    found = tune(tuner, 12_000, 200)
    assert found.verdict == "undecided"
    assert all(float(value).is_integer() for value in found.after.values[:1])


def test_shares_are_those_of_a_duel() -> None:
    tuner = Tuner("jackal_and_high", "fox", "spreader,sniper", players=3, seed=6)
    shares = tuner.shares(tuner.bot, 0, 4)
    for share, other in zip(shares, ("spreader", "sniper"), strict=True):
        plan = plan_duel("jackal_and_high", "fox", other, players=3, most=12, seed=6)
        rows = Worker(plan.settings).play(0, plan.matches).rows
        assert share == pytest.approx(deal_units(plan, rows) / units_of(plan))


def test_by_default_it_meets_itself_and_all_others() -> None:
    tuner = Tuner("cuttle", "greedy(aggression=0.7)", "")
    specs = [entrant.spec for entrant in tuner.field]
    assert specs[0] == "greedy(aggression=0.7)"
    assert "random" not in specs
    assert "greedy" not in specs
    assert len(specs) == 7


def test_a_team_is_tuned_by_what_it_wins() -> None:
    tuner = Tuner("jack_and_jill", "forecaster", "", ["cards"], players=1)
    (won,) = tuner.shares(tuner.bot, 0, 12)
    assert set(won.round(0)) <= {0.0, 1.0}
    found = tune(tuner, 96, 12)
    assert found.field == []
    assert found.mean.before == pytest.approx(tuner.shares(tuner.bot, 1 << 40, found.deals).mean())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cuttle", "points_rush,thief"], "'points_rush,thief' is not one bot"),
        (["cuttle", "random"], "bot random has no parameters; there is nothing to tune"),
        (["cuttle", "greedy", "--only", "speed"], "bot greedy has no parameter 'speed'; allowed: aggression"),
        (["cuttle", "greedy", "--budget", "100"], "budget cannot be 100; with 1000 deals a trial at least"),
        (["jack_and_jill", "forecaster", "--field", "stepper"], "tune takes no field there"),
        (["cuttle", "greedy", "--deals", "1"], "deals cannot be 1; allowed: 2 to 10000000"),
    ],
)
def test_what_cannot_be_tuned(program: Program, arguments: list[str], said: str) -> None:
    answer = program("tune", *arguments)
    assert said in answer.err
    assert_one_sentence(answer, 2)


def test_json_says_how_to_write_the_winner(program: Program) -> None:
    asked = ["tune", "cuttle", "greedy", "--field", "random", "--budget", "640", "--deals", "20", "--format", "json"]
    found = json.loads(program(*asked).out)
    assert found["before"] == "greedy"
    assert found["after"].startswith("greedy")
    assert found["field"][-1]["opponent"] == ""
    with pytest.raises(UsageError):
        Tuner("cuttle", "greedy(", "")
