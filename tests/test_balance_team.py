"""The cooperative game: planted results of teams, and pairs against solo players on the same deals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.errors import HilltopError
from storage.store import Store, StoredRun, writing
from tests.stored import store_rows
from tests.test_balance_fairness import inside
from tournament import run as runner
from tournament.balance.compare import best, differences
from tournament.balance.finding import Finding
from tournament.balance.team import score_table, series, solo_gaps, teams
from tournament.plan import plan_run, restore
from tournament.statistics.counted import read
from tournament.statistics.estimate import HIGHER
from tournament.statistics.team import TeamSample, pair_and_solo, standings

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def bots() -> str:
    from bots.registry import names

    return ",".join(list(names("jack_and_jill"))[:2])


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with writing(tmp_path_factory.mktemp("teams") / "test.duckdb") as opened:
        yield opened


def stored_teams(store: Store, bots: str, players: int, deals: int, chance: Array, spoiled: int = -1) -> StoredRun:
    """A run of two variants in which a match is won with the chance (variants, teams) given, all of them on the same
    deals' luck, with a score of 10 to 21; else lost for one of two reasons."""
    settings = plan_run("jack_and_jill", bots, players=players, matches=1000).settings
    settings["variants"] = [{"name": "standard", "rules": {}}, {"name": "standard", "rules": {"medal_gold": 18}}]
    settings["matches"] = deals * chance.size
    plan = restore(settings)
    assert len(plan.lineups) == chance.size
    reasons = plan.game.state.REASONS
    luck = np.random.default_rng(1).random(deals)[:, None]
    won = (luck < chance.ravel()).ravel()
    rng = np.random.default_rng(2)
    rows = np.zeros((plan.rows, plan.matches), np.int32)
    rows[1] = np.where(won, reasons.index("won"), rng.choice([reasons.index("c1"), reasons.index("stuck")], len(won)))
    rows[3] = np.where(won, rng.integers(10, 22, len(won)), 0)
    if spoiled >= 0:
        rows[1, spoiled] = -1
    return store_rows(store, plan, rows)


def team_sample(store: Store, run: StoredRun) -> TeamSample:
    """The run as statistics take it."""
    counted = read(store, run)
    return TeamSample(counted.facts, counted.tally)


def _of(found: list[Finding], metric: str) -> dict[tuple[str, str], Finding]:
    return {(finding.variant, finding.subject): finding for finding in found if finding.metric == metric}


def test_planted_win_rates_scores_and_medals(store: Store, bots: str) -> None:
    chance = np.array([[0.3, 0.6], [0.4, 0.6]])
    run = stored_teams(store, bots, 1, 2000, chance)
    sample = team_sample(store, run)
    found = teams(sample)
    one, two = bots.split(",")
    easy, changed = sample.variants
    rates, scores = _of(found, "team_win_rate"), _of(found, "team_score")
    for v, variant in enumerate((easy, changed)):
        for t, team in enumerate((one, two)):
            assert inside(rates[variant, team].estimate, chance[v, t])
            assert inside(scores[variant, team].estimate, 15.5 * chance[v, t])
    medals = _of(found, "medal_share")
    assert inside(medals[easy, f"gold, {two}"].estimate, 0.6 * 2 / 12)
    assert inside(medals[changed, f"gold, {two}"].estimate, 0.6 * 4 / 12)
    lost = _of(found, "loss_reason_share")
    assert inside(lost[easy, f"stuck, {one}"].estimate, 0.7 / 2)
    assert {finding.variant for finding in found[: len(found) // 2]} == {easy}
    # Variants share their deals: one tenth of deals is won under the second only.
    gaps = {(d.metric, d.subject): d for d in differences(series(sample), sample.variants)}
    assert inside(gaps["team_win_rate", one].estimate, 0.1)
    assert gaps["team_win_rate", one].verdict == HIGHER
    choice = best(series(sample)[0], sample.variants, True, "easiest")
    assert choice is not None
    assert (choice.variant, choice.rivals) == (changed, ())


def test_counts_are_those_of_the_standings(store: Store, bots: str) -> None:
    run = stored_teams(store, bots, 2, 300, np.full((2, 4), 0.5))
    sample = team_sample(store, run)
    expected = {(row.variant, row.team): row for row in standings(sample)}
    found = teams(sample)
    for (variant, team), finding in _of(found, "team_win_rate").items():
        assert finding.estimate.value == expected[variant, team].win_rate.value
        assert finding.estimate.n == expected[variant, team].matches
    for (variant, team), finding in _of(found, "team_score").items():
        assert finding.estimate.value == expected[variant, team].score.value
    table = score_table(sample)
    for variant, team in expected:
        rows = [row for row in table if (row.variant, row.team) == (variant, team)]
        assert [row.score for row in rows] == list(range(10, 22))
        assert sum(row.estimate.value or 0.0 for row in rows) == pytest.approx(expected[variant, team].win_rate.value)


def test_a_spoiled_match_is_left_out(store: Store, bots: str) -> None:
    sample = team_sample(store, stored_teams(store, bots, 1, 50, np.full((2, 2), 0.5), spoiled=4 * 7 + 1))
    assert sample.played.sum(axis=0).tolist() == [[50, 49], [50, 50]]
    assert sample.tally.of("boards").sum(axis=0).tolist() == [49, 50]
    assert sample.tally.of("spoiled").sum(axis=0).tolist() == [1, 0]


def test_pairs_fall_short_of_their_bots_alone(store: Store, bots: str) -> None:
    pair = stored_teams(store, bots, 2, 800, np.array([[0.2, 0.3, 0.3, 0.4]] * 2))
    solo = stored_teams(store, bots, 1, 1000, np.array([[0.5, 0.6]] * 2))
    partners, alone = pair_and_solo(team_sample(store, pair), team_sample(store, solo))
    assert partners.deals.tolist() == alone.deals.tolist()
    assert int(alone.deals.sum()) == 2 * 800
    one, two = bots.split(",")
    found = teams(partners, alone)
    gaps = _of(found, "solo_gap_wins")
    variant = partners.variants[0]
    assert inside(gaps[variant, f"{one} + {one}"].estimate, 0.3)
    assert inside(gaps[variant, f"{one} + {two}"].estimate, 0.55 - 0.3)
    assert gaps[variant, f"{one} + {two}"].estimate.n == 3 * 800
    assert gaps[variant, f"{one} + {one}"].estimate.n == 2 * 800
    assert inside(_of(found, "solo_gap_score")[variant, f"{two} + {two}"].estimate, 15.5 * 0.2)
    # On the same deals: a pair wins a deal only if the bot alone does, so little is left to chance.
    (wins, _) = solo_gaps(partners, alone)
    assert float(wins.values.error[0, 0]) == pytest.approx((0.3 * 0.7 / 800) ** 0.5, rel=0.2)


def test_runs_that_do_not_belong_together_are_refused(store: Store, bots: str) -> None:
    solo = stored_teams(store, bots, 1, 20, np.full((2, 2), 0.5))
    with pytest.raises(HilltopError, match="two players"):
        pair_and_solo(team_sample(store, solo), team_sample(store, solo))
    other = runner.start(plan_run("jack_and_jill", bots, players=2, matches=8, seed=9), store)
    with pytest.raises(HilltopError, match="seed or variants"):
        pair_and_solo(team_sample(store, other), team_sample(store, solo))
    duel = runner.start(plan_run("cuttle", "random,greedy", matches=8), store)
    with pytest.raises(HilltopError, match="no cooperative game"):
        team_sample(store, duel)


def test_nothing_played_yet(store: Store, bots: str) -> None:
    run = runner.start(plan_run("jack_and_jill", bots, players=1, matches=8), store)
    sample = team_sample(store, run)
    assert all(finding.estimate.value is None for finding in teams(sample))
    assert score_table(sample) == []
