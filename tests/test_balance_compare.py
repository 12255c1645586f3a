"""Variants of toys against each other: paired differences, their corrected verdicts, and the best of a sweep."""

from __future__ import annotations

import numpy as np
import pytest

from tests import toys
from tests.test_balance_fairness import inside
from tournament.balance.compare import all_series, best, differences, fairest, most_skilful
from tournament.balance.finding import METRICS
from tournament.balance.skill import series
from tournament.statistics.estimate import HIGHER, LOWER, SAME
from tournament.statistics.sample import Sample


@pytest.fixture(scope="module")
def three() -> Sample:
    """v1 has a bias, v2 more luck of the deal and less skill than v0."""
    toy = toys.design(4, variants=3)
    bias, by_deal, by_bots = np.array([0.0, 0.06, 0.0]), np.array([0.2, 0.2, 0.5]), np.array([0.4, 0.4, 0.2])
    return toys.fill(toy, toys.duel(np.random.default_rng(1), toy, 3000, bias, by_deal, by_bots))


def test_planted_differences_are_found_and_no_others(three: Sample) -> None:
    found = {
        (d.metric, d.variant, d.subject, d.group): d for d in differences(all_series(three), three.design.variants)
    }
    bias = found["seat_share", "v1", "seat 0", "all"]
    assert inside(bias.estimate, 0.4 * 0.06)
    assert (bias.base, bias.verdict) == ("v0", HIGHER)
    assert found["bot_share", "v2", "", ""].verdict == LOWER
    assert inside(found["bot_share", "v2", "", ""].estimate, 0.2**2 - 0.4**2)
    assert found["deal_share", "v2", "", ""].verdict == HIGHER
    assert inside(found["deal_share", "v2", "", ""].estimate, 0.5**2 - 0.2**2)
    assert found["rating_span", "v2", "", ""].verdict == LOWER
    assert found["bot_share", "v1", "", ""].verdict == SAME
    assert found["draw_share", "v1", "", ""].verdict == SAME
    assert {d.metric for d in found.values()} <= set(METRICS)
    assert not [key for key in found if key[2] == "seat 1"]  # the mirror image of seat 0


def test_differences_are_paired_on_deals(three: Sample) -> None:
    """Common deals: the difference is known better than the two values, had they been of different deals."""
    (shares,) = (one.values for one in all_series(three) if one.metric == "seat_share" and one.group == "all")
    gap = shares[1] - shares[0]
    assert float(gap.error[0]) < 0.5 * float(np.hypot(shares[0].error[0], shares[1].error[0]))


def test_equal_variants_are_rarely_told_apart() -> None:
    """40 runs of 5 equal variants: within a metric one run in 20 may tell two apart."""
    told = {"bot_share": 0, "seat_share": 0}
    for seed in range(40):
        toy = toys.design(3, variants=5)
        rng = np.random.default_rng(100 + seed)
        sample = toys.fill(toy, toys.duel(rng, toy, 150, 0.0, 0.2, 0.3, same_deals=False))
        found = differences(all_series(sample), toy.variants)
        for metric in told:
            told[metric] += any(d.verdict != SAME for d in found if d.metric == metric)
    assert max(told.values()) <= 5


def test_a_sweep_names_its_best_and_what_it_cannot_be_told_from() -> None:
    toy = toys.design(4, variants=6)
    bias = np.array([-0.1, -0.05, 0.0, 0.004, 0.05, 0.1])
    by_bots = np.array([0.2, 0.2, 0.2, 0.5, 0.2, 0.2])
    sample = toys.fill(toy, toys.duel(np.random.default_rng(2), toy, 1500, bias, 0.1, by_bots))
    fair = fairest(sample)
    assert fair is not None
    assert {fair.variant, *fair.rivals} == {"v2", "v3"}
    assert "do not separate it from" in fair.statement
    skilful = most_skilful(sample)
    assert skilful is not None
    assert (skilful.variant, skilful.rivals) == ("v3", ())
    assert skilful.statement.startswith("v3 is the most skilful: outcome explained by the bots 2")
    assert skilful.statement.endswith("The data separate it from all 5 others.")
    longest = most_skilful(sample, "rating_span")
    assert longest is not None
    assert longest.variant == "v3"


def test_a_sweep_of_nothing_but_noise_says_so() -> None:
    toy = toys.design(3, variants=10)
    sample = toys.fill(toy, toys.duel(np.random.default_rng(3), toy, 40, same_deals=False))
    fair = fairest(sample)
    assert fair is not None
    assert len(fair.rivals) == 9
    assert "do not separate it from any other" in fair.statement
    assert fair.statement.endswith("and 1 more.")


def test_the_truly_best_is_kept_among_the_rivals() -> None:
    """100 sweeps of near values: the true best may be lost in one of 20."""
    toy = toys.design(3, variants=5)
    by_bots = np.array([0.3, 0.3, 0.3, 0.3, 0.32])
    lost = 0
    for seed in range(100):
        rng = np.random.default_rng(200 + seed)
        sample = toys.fill(toy, toys.duel(rng, toy, 150, 0.0, 0.0, by_bots, same_deals=False))
        choice = most_skilful(sample)
        assert choice is not None
        lost += "v4" not in (choice.variant, *choice.rivals)
    assert lost <= 7


def test_the_truly_fairest_is_kept_among_the_rivals() -> None:
    """The same with the largest deviation of a seat, which is 0 at its best."""
    toy = toys.design(3, variants=4)
    lost = 0
    for seed in range(100):
        rng = np.random.default_rng(400 + seed)
        bias = np.array([0.03, 0.0, -0.03, 0.04])
        sample = toys.fill(toy, toys.duel(rng, toy, 150, bias, same_deals=False))
        choice = fairest(sample)
        assert choice is not None
        lost += "v1" not in (choice.variant, *choice.rivals)
    assert lost <= 7


def test_nothing_to_choose_from() -> None:
    toy = toys.design(3)
    sample = toys.fill(toy, toys.duel(np.random.default_rng(4), toy, 40))
    assert fairest(sample) is None
    assert fairest(sample, "best") is None
    assert most_skilful(sample) is None
    assert differences(all_series(sample), toy.variants) == []
    empty = toys.nothing(toys.design(3, variants=2))
    assert fairest(empty) is None
    assert all(d.verdict == SAME and d.estimate.value is None for d in differences(series(empty), ("v0", "v1")))


def test_a_variant_that_was_not_reached_is_left_out_of_the_choice() -> None:
    """One deal of the first two of three variants, then nothing."""
    toy = toys.design(3, variants=3)
    ranks = toys.duel(np.random.default_rng(5), toy, 30)
    packed = (ranks * np.array([1, 10])).sum(axis=-1).ravel()
    rows = np.stack([packed, 0 * packed, 0 * packed + 5, 0 * packed, 0 * packed]).astype(np.int32)
    sample = toys.counted(toy, 30, rows[:, : 29 * 18 + 12])
    assert sample.deals.sum(axis=0).tolist() == [30, 30, 29]
    one = next(one for one in all_series(sample) if one.metric == "seat_share")
    gap = one.values[2] - one.values[0]
    assert int(gap.freedom[0]) == 29
    short = toys.counted(toy, 1, rows[:, :12])
    choice = best(next(one for one in all_series(short) if one.metric == "match_plies"), toy.variants, True, "longest")
    assert choice is not None
    assert choice.variant == "v0"
    assert choice.rivals == ("v1",)
