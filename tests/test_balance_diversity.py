"""Equilibria of known games, supports against linear programs, dominated bots and cycles of toys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import toys
from tournament.balance.diversity import _by_linear_program, diversity, effective, equilibria
from tournament.balance.finding import Finding
from tournament.statistics.sample import Design, Sample

Array = np.ndarray[Any, Any]


def _skew(upper: Array) -> Array:
    return np.asarray(np.triu(upper, 1) - np.triu(upper, 1).T)


ROCK_PAPER_SCISSORS = _skew(np.array([[0.0, -0.5, 0.5], [0.0, 0.0, -0.5], [0.0, 0.0, 0.0]]))


def _sample(chances: Array, deals: int, seed: int, toy: Design | None = None) -> Sample:
    """A toy of two in which the row's bot beats the column's with the chance given."""
    toy = toy or toys.design(len(chances))
    rng = np.random.default_rng(seed)
    chance = chances[toy.lineups[:, 0], toy.lineups[:, 1]]
    lost = rng.random((deals, len(toy.variants), len(toy.lineups))) >= chance
    return toys.fill(toy, np.stack([lost, ~lost], axis=-1).astype(np.int64))


def _of(found: list[Finding], metric: str) -> dict[str, Finding]:
    return {finding.subject: finding for finding in found if finding.metric == metric}


def test_rock_paper_scissors() -> None:
    assert equilibria(ROCK_PAPER_SCISSORS[None])[0].tolist() == pytest.approx([1 / 3] * 3)
    # Winning with rock counts twice: the known answer is 1/4, 1/2, 1/4 (paper most, as it beats rock).
    weighted = _skew(np.array([[0.0, -1.0, 2.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]]))
    assert equilibria(weighted[None])[0].tolist() == pytest.approx([0.25, 0.5, 0.25])


def test_a_best_bot_takes_all_and_equals_share() -> None:
    ladder = _skew(np.full((5, 5), -0.1))
    assert equilibria(ladder[None])[0].tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert equilibria(np.zeros((1, 4, 4)))[0].tolist() == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 6, 7, 9])
def test_supports_agree_with_linear_programs(bots: int) -> None:
    games = np.array([_skew(game) for game in np.random.default_rng(bots).normal(0.0, 0.1, (40, bots, bots))])
    found = equilibria(games)
    for game, weights in zip(games, found, strict=True):
        assert weights.sum() == pytest.approx(1.0)
        assert (weights @ game).min() > -1e-7  # no opponent gains
        assert weights.tolist() == pytest.approx(_by_linear_program(game).tolist(), abs=1e-5)


def test_effective_number() -> None:
    weights = np.array([[0.25] * 4, [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    assert effective(weights).tolist() == pytest.approx([4.0, 1.0, 2.0])


def test_a_planted_cycle_is_found() -> None:
    chances = 0.5 + 0.3 * ROCK_PAPER_SCISSORS
    found = diversity(_sample(chances, 2000, 1))
    weights = _of(found, "equilibrium_weight")
    for finding in weights.values():
        low, high = finding.estimate.low, finding.estimate.high
        assert low is not None
        assert high is not None
        assert low <= 1 / 3 <= high
        assert 0.0 < high - low < 0.2
    assert all(f.estimate.value == 1.0 for f in _of(found, "equilibrium_support").values())
    (cycle,) = _of(found, "cycle").values()
    assert cycle.subject == "random > bot2 > bot1"
    assert cycle.verdict == "cycle"
    assert _of(found, "cycle_count")[""].estimate.value == 1.0
    assert _of(found, "effective_strategies")[""].estimate.value == pytest.approx(3.0, abs=0.1)
    assert not _of(found, "dominated")


def test_coverage_of_equilibrium_weights() -> None:
    """100 repetitions (as variants) of the same cycle; the truth is a third each."""
    toy = toys.design(3, variants=100)
    found = diversity(_sample(0.5 + 0.3 * ROCK_PAPER_SCISSORS, 300, 7, toy), resamplings=200)
    ends = [(f.estimate.low, f.estimate.high) for f in found if f.metric == "equilibrium_weight"]
    covered = [low is not None and high is not None and low <= 1 / 3 <= high for low, high in ends]
    assert 0.92 <= np.mean(covered) <= 0.98


def test_a_planted_dominated_bot_is_found() -> None:
    """bot 3 wins 0.1 less against everyone than bot 0 of rock, paper, scissors, whom nobody else dominates."""
    payoffs = np.zeros((4, 4))
    payoffs[:3, :3] = 0.3 * ROCK_PAPER_SCISSORS
    payoffs[3, :3] = payoffs[0, :3] - 0.1
    payoffs[:3, 3] = -payoffs[3, :3]
    found = diversity(_sample(0.5 + payoffs, 3000, 2))
    (dominated,) = _of(found, "dominated").values()
    assert dominated.subject == "bot3 by random"
    assert dominated.estimate.value == pytest.approx(0.1, abs=0.03)
    assert _of(found, "equilibrium_weight")["bot3"].estimate.value == 0.0
    assert _of(found, "equilibrium_support")["bot3"].estimate.value == 0.0


def test_luck_alone_makes_no_cycles_and_dominates_nobody() -> None:
    """60 repetitions: one false finding in 20 is what corrected tests at 5 % allow."""
    toy = toys.design(5, variants=60)
    found = diversity(_sample(np.full((5, 5), 0.5), 200, 3, toy), resamplings=5)
    assert len({finding.variant for finding in found if finding.metric in ("dominated", "cycle")}) <= 5


def test_few_batches_and_strangers_have_no_interval() -> None:
    few = diversity(_sample(0.5 + 0.3 * ROCK_PAPER_SCISSORS, 6, 4))
    assert all(f.estimate.low is None for f in few if f.metric == "equilibrium_weight")
    assert all(f.estimate.value is None for f in few if f.metric == "equilibrium_support")
    toy = toys.design(3)
    apart = Design(toy.bots, toy.variants, toy.lineups[:4], toy.nobody)
    (strangers,) = diversity(toys.fill(apart, toys.duel(np.random.default_rng(5), apart, 50)))
    assert strangers.note == "no match between some bots counts"
    assert strangers.estimate.value is None
    (nothing,) = diversity(toys.nothing(toy))
    assert nothing.estimate.value is None


def test_tables_of_more_than_two_say_what_is_counted() -> None:
    toy = toys.design(4, 3)
    found = diversity(toys.fill(toy, toys.table(np.random.default_rng(6), toy, 300, np.arange(4.0), np.zeros(3))))
    assert _of(found, "equilibrium_weight")["bot3"].estimate.value == 1.0
    assert "at a table" in _of(found, "effective_strategies")[""].note
