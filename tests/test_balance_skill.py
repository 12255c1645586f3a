"""Skill and luck of toys: planted components and ratings are recovered, and sums agree with slow direct ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from tests import toys
from tests.test_balance_fairness import inside
from tournament.balance.skill import (
    COMPONENTS,
    components,
    ratings,
    seat_effect_interval,
    skill,
    variance_components,
)
from tournament.statistics.sample import Design, Sample
from tournament.statistics.strengths import BETA

Array = np.ndarray[Any, Any]


def _values(sample: Sample, variant: str = "v0") -> dict[str, Any]:
    return {f"{f.metric} {f.subject}".strip(): f.estimate for f in skill(sample) if f.variant == variant}


def _anova_of_a_seat(table: Array) -> tuple[float, float, float]:
    """Variance by line-ups, deals and rest of a table (deals, line-ups), cell by cell."""
    deals, lineups = table.shape
    mean = table.mean()
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    rest = sum((table[d, k] - rows[d] - columns[k] + mean) ** 2 for d in range(deals) for k in range(lineups)) / (
        (deals - 1) * (lineups - 1)
    )
    by_deal = (lineups * sum((row - mean) ** 2 for row in rows) / (deals - 1) - rest) / lineups
    by_lineup = sum((column - mean) ** 2 for column in columns) / lineups - rest * (lineups - 1) / lineups / deals
    return by_lineup, by_deal, rest


@pytest.mark.parametrize(("bots", "seats"), [(3, 2), (4, 3)])
def test_components_agree_with_a_slow_analysis(bots: int, seats: int) -> None:
    toy = toys.design(bots, seats)
    rng = np.random.default_rng(1)
    ranks = toys.table(rng, toy, 23, np.arange(bots) / 2.0, np.linspace(0.3, 0.0, seats))
    sample = toys.fill(toy, ranks)
    sums = (sample.of(name).sum(axis=0) for name in ("board_units", "unit_squares", "board_squares", "boards"))
    found = variance_components(*sums)[0] / toy.unit**2
    shares = (seats - 1 - ranks[:, 0]) / (seats - 1)
    slow = np.array([_anova_of_a_seat(shares[:, :, seat]) for seat in range(seats)])
    assert found[1:].tolist() == pytest.approx(slow.mean(axis=0).tolist())
    means = shares.mean(axis=(0, 1))
    noise = np.mean([shares[:, :, seat].mean(axis=1).var(ddof=1) / 23 for seat in range(seats)])
    assert found[0] == pytest.approx(means.var() - noise)


def test_the_deal_s_part_is_the_covariance_of_line_ups() -> None:
    toy = toys.design(3)
    ranks = toys.duel(np.random.default_rng(2), toy, 40, by_deal=0.5)
    sample = toys.fill(toy, ranks)
    sums = (sample.of(name).sum(axis=0) for name in ("board_units", "unit_squares", "board_squares", "boards"))
    found = variance_components(*sums)[0] / toy.unit**2
    covariance = np.cov((1 - ranks[:, 0, :, 0]).T)
    apart = ~np.eye(len(covariance), dtype=bool)
    assert found[2] == pytest.approx(covariance[apart].mean())


def test_planted_luck_and_skill_are_recovered() -> None:
    """The deal decides a share p of matches, bots a share q, a biased coin the rest: the deal's part is p^2, the bots'
    q^2, the seat's 4 ((1 - p - q) bias)^2 of a variance of 1/4."""
    toy = toys.design(4)
    bias, p, q = 0.1, 0.5, 0.3
    sample = toys.fill(toy, toys.duel(np.random.default_rng(3), toy, 20_000, bias, p, q))
    found = _values(sample)
    seat = 4.0 * ((1.0 - p - q) * bias) ** 2
    for metric, truth in zip(COMPONENTS, (seat, q * q, p * p, 1.0 - seat - q * q - p * p), strict=True):
        assert inside(found[metric], truth), metric
    assert sum(found[metric].value for metric in COMPONENTS) == pytest.approx(1.0)


def test_coverage_of_components() -> None:
    """300 repetitions (as variants) of 200 deals each."""
    toy = toys.design(3, variants=300)
    p, q = 0.4, 0.3
    ranks = toys.duel(np.random.default_rng(4), toy, 200, 0.0, p, q, same_deals=False)
    parts = components(toys.fill(toy, ranks))
    assert parts is not None
    truth = np.array([0.0, q * q, p * p, 1.0 - q * q - p * p])
    low, high = parts.interval()
    covered = ((low <= truth) & (truth <= high)).mean(axis=0)
    assert (covered[1:] >= 0.92).all()
    assert (covered[1:] <= 0.98).all()
    assert parts.value.mean(axis=0).tolist() == pytest.approx(truth.tolist(), abs=0.005)  # no bias


@pytest.mark.parametrize(("seats", "bias"), [(2, 0.0), (2, 0.03), (3, 0.0), (3, 0.1)])
def test_coverage_of_the_seat_s_part(seats: int, bias: float) -> None:
    toy = toys.design(3, seats, variants=300)
    exact = toys.design(3, seats, variants=20)
    advantage = np.array([bias, *[0.0] * (seats - 1)])
    rng = np.random.default_rng(13)
    many = toys.fill(exact, toys.table(rng, exact, 6000, np.zeros(3), advantage))
    truth = components(many)
    assert truth is not None
    low, high = seat_effect_interval(toys.fill(toy, toys.table(rng, toy, 200, np.zeros(3), advantage)))
    true = max(float(truth.value[:, 0].mean()), 0.0) if bias else 0.0
    assert float(((low <= true) & (true <= high)).mean()) >= 0.93
    assert (high > 0.0).all()


def test_pure_luck_and_pure_skill() -> None:
    toy = toys.design(3)
    luck = _values(toys.fill(toy, toys.duel(np.random.default_rng(5), toy, 500)))
    assert luck["rest_share"].value > 0.98
    assert luck["deal_share"].low == 0.0
    everything = _values(toys.fill(toy, toys.duel(np.random.default_rng(6), toy, 500, by_bots=1.0)))
    assert everything["bot_share"].value == pytest.approx(1.0)
    assert everything["bot_share"].low is None  # no two deals differ: there is no telling


def test_one_line_up_or_one_deal_explains_nothing() -> None:
    lone = Design(("bot",), ("v0",), np.array([[0, 0]]))
    assert skill(toys.fill(lone, toys.duel(np.random.default_rng(7), lone, 50))) == []
    toy = toys.design(3)
    found = _values(toys.fill(toy, toys.duel(np.random.default_rng(8), toy, 1)))
    assert found["deal_share"].value is None
    assert all(estimate.low is None for estimate in found.values())
    for estimate in _values(toys.nothing(toy)).values():
        assert (estimate.value, estimate.low, estimate.high) == (None, None, None)


# ---------------------------------------------------------------- ratings


@pytest.mark.parametrize("seats", [2, 3])
def test_coverage_of_the_rating_span(seats: int) -> None:
    """200 repetitions (as variants) of a game that is the model: at a table of three, too, any two are compared so."""
    toy = toys.design(4, seats, variants=200)
    skills = np.array([0.0, 0.4, 0.7, 1.5])
    sample = toys.fill(toy, toys.table(np.random.default_rng(10), toy, 150, skills, np.zeros(seats)))
    rated = ratings(sample)
    span = rated[:, 3] - rated[:, 0]
    low, high = (end / BETA for end in span.interval())
    assert 0.91 <= float(((low <= 1.5) & (high >= 1.5)).mean()) <= 0.98
    assert float(span.value.mean()) / BETA == pytest.approx(1.5, abs=0.02)


def test_span_and_levels_of_a_planted_ladder() -> None:
    toy = toys.design(4)
    skills = np.array([0.0, 0.5, 1.0, 2.0])
    sample = toys.fill(toy, toys.table(np.random.default_rng(11), toy, 5000, skills, np.array([0.1, 0.0])))
    found = _values(sample)
    assert found["rating_span random to bot3"].value == pytest.approx(2.0, abs=0.04)
    assert inside(
        found["level_share bot3 over bot2"], (stats.norm.cdf(1.1 / 2**0.5) + stats.norm.cdf(0.9 / 2**0.5)) / 2
    )
    assert [name for name in found if name.startswith("level")] == [
        "level_share bot3 over bot2", "level_share bot2 over bot1", "level_share bot1 over random",
    ]  # fmt: skip


def test_without_a_random_bot_the_span_says_where_it_starts() -> None:
    toy = toys.design(3)
    field = Design(("a", "b", "c"), toy.variants, toy.lineups, toy.nobody)
    sample = toys.fill(field, toys.duel(np.random.default_rng(12), field, 200, by_bots=0.5))
    (span,) = [finding for finding in skill(sample) if finding.metric == "rating_span"]
    assert span.subject == "a to c"
    assert span.note == "the field has no bot called random: from the weakest to the best"
