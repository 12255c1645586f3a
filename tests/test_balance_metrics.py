"""The list of metrics: each that is printed has an entry, no entry is unused, and entries are complete."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bots.registry import names
from storage.store import writing
from tests import toys
from tests.test_balance_diversity import ROCK_PAPER_SCISSORS, _sample
from tests.test_balance_team import stored_teams, team_sample
from tournament import run as runner
from tournament.balance.diversity import diversity
from tournament.balance.fairness import fairness
from tournament.balance.finding import METRICS
from tournament.balance.skill import skill
from tournament.balance.summary import gather
from tournament.balance.team import teams
from tournament.execution import InProcess
from tournament.plan import plan_variants
from tournament.statistics.counted import read
from tournament.statistics.team import pair_and_solo


def test_each_finding_has_an_entry_and_each_entry_is_found(tmp_path: Path) -> None:
    toy = toys.design(3, nobody=True)
    ranks = toys.duel(np.random.default_rng(1), toy, 60)
    found = fairness(toys.fill(toy, ranks)) + skill(toys.fill(toy, ranks))
    payoffs = np.zeros((4, 4))
    payoffs[:3, :3] = 0.4 * ROCK_PAPER_SCISSORS
    payoffs[3, :3] = payoffs[0, :3] - 0.2
    payoffs[:3, 3] = -payoffs[3, :3]
    found += diversity(_sample(0.5 + payoffs, 800, 2))
    bots = ",".join(list(names("jack_and_jill"))[:2])
    with writing(tmp_path / "test.duckdb") as store:
        pair, solo = (stored_teams(store, bots, seats, 30, np.full((2, 2**seats), 0.5)) for seats in (2, 1))
        found += teams(*pair_and_solo(*(team_sample(store, run) for run in (pair, solo))))
    with writing(tmp_path / "inside.duckdb") as store:
        bots = "random,greedy,greedy(never=points)"
        plan = plan_variants("cuttle", bots, [("standard", {})], 2, 400, 1, telemetry=True)
        run = runner.start(plan, store)
        runner.play(plan, store, run, InProcess())
        report = gather(read(store, store.run(run.id)))
    for section in report.sections:
        found += section.findings
    metrics = {finding.metric for finding in found} | {one.metric for one in report.distributions}
    assert report.curve is not None
    assert report.pieces
    # Shown as a line, and as columns of the table of pieces.
    assert metrics | {"lead_curve", "piece_rate", "piece_uses", "piece_effect"} == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_entries_are_complete(name: str) -> None:
    metric = METRICS[name]
    assert metric.id == name
    assert name == name.lower().replace(" ", "_")
    for text in (metric.title, metric.unit, metric.definition, metric.formula, metric.reading):
        assert text
        assert text == " ".join(text.split())
    assert metric.definition.endswith(".")
    assert metric.definition.count(". ") == 0
    assert metric.reading.endswith(".")
