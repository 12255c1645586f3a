"""TrueSkill ratings: agreement with the ``trueskill`` package, and what the package does not promise."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import trueskill as package

from engine.compiler import INTERPRETED
from tournament.trueskill import (
    Floats,
    Model,
    Ratings,
    draw_margin,
    draw_moments,
    new_ratings,
    update,
    win_moments,
)

ROOT = Path(__file__).resolve().parent.parent
PACKAGE_TAU = 25.0 / 300.0

# The package's model on full-precision functions; its own approximation of erfc is good to 1e-7 only.
_NORMAL = NormalDist()
BACKEND = (
    lambda x: 0.5 * math.erfc(-x / math.sqrt(2.0)),
    lambda x: math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi),
    _NORMAL.inv_cdf,
)


def environment(model: Model) -> Any:
    return package.TrueSkill(model.mu, model.sigma, model.beta, model.tau, model.draw_probability, backend=BACKEND)


def by_package(
    mu: Sequence[float], sigma: Sequence[float], ranks: Sequence[int], model: Model, sizes: Sequence[int] | None = None
) -> Ratings:
    """One match of teams of the given sizes (each bot alone if None), bots in order."""
    bots = iter([package.Rating(*bot) for bot in zip(mu, sigma, strict=True)])
    groups = [tuple(itertools.islice(bots, size)) for size in sizes or [1] * len(mu)]
    rated = [bot for group in environment(model).rate(groups, list(ranks), min_delta=1e-9) for bot in group]
    return Ratings(np.array([bot.mu for bot in rated]), np.array([bot.sigma for bot in rated]))


def one_match(
    mu: npt.ArrayLike, sigma: npt.ArrayLike, ranks: Sequence[int], model: Model, sizes: Sequence[int] | None = None
) -> Ratings:
    mu, sigma = np.asarray(mu, dtype=np.float64), np.asarray(sigma, dtype=np.float64)
    sizes = sizes or [1] * len(mu)
    teams = np.repeat(np.arange(len(sizes)), sizes)
    return update(mu, sigma, np.arange(len(mu))[None], np.asarray(ranks)[teams][None], model, teams)


def assert_close(ours: Ratings, theirs: Ratings, tolerance: float) -> None:
    np.testing.assert_allclose(ours.mu, theirs.mu, rtol=0, atol=tolerance)
    np.testing.assert_allclose(ours.sigma, theirs.sigma, rtol=0, atol=tolerance)


# Agreement with the package


@pytest.mark.parametrize("teams", [2, 3, 4, 5, 6])
def test_agrees_with_the_package(teams: int) -> None:
    rng = np.random.default_rng(teams)
    for case in range(60):
        sizes = rng.integers(1, 4, teams).tolist() if case % 3 == 2 else [1] * teams
        bots = sum(sizes)
        mu, sigma = rng.normal(25.0, 6.0, bots), rng.uniform(1.0, 8.0, bots)
        ranks = rng.integers(0, teams, teams).tolist() if case % 2 else rng.permutation(teams).tolist()
        model = Model(
            beta=rng.choice([1.0, 25.0 / 6.0, 10.0]),
            tau=rng.choice([0.0, PACKAGE_TAU, 1.0]),
            draw_probability=rng.choice([0.001, 0.02, 0.1, 0.5, 0.9]),
        )
        theirs = by_package(mu.tolist(), sigma.tolist(), ranks, model, sizes)
        assert_close(one_match(mu, sigma, ranks, model, sizes), theirs, 1e-7)


def test_agrees_with_the_package_without_draws() -> None:
    model = Model()  # draw probability 0
    for teams in range(2, 7):
        mu = [20.0 + 2.0 * bot for bot in range(teams)]
        sigma = [1.0 + bot for bot in range(teams)]
        ranks = list(range(teams))
        assert_close(one_match(mu, sigma, ranks, model), by_package(mu, sigma, ranks, model), 1e-7)


def test_agrees_with_the_package_over_a_long_run() -> None:
    rng = np.random.default_rng(1)
    model = Model(tau=PACKAGE_TAU, draw_probability=0.1)
    entrants = np.array([rng.permutation(6)[:3] for _ in range(150)])
    ranks = rng.integers(0, 3, entrants.shape)
    ours = update(*new_ratings(6, model), entrants, ranks, model)
    env = environment(model)
    bots = [env.create_rating() for _ in range(6)]
    for line_up, result in zip(entrants.tolist(), ranks.tolist(), strict=True):
        rated = env.rate([(bots[bot],) for bot in line_up], result, min_delta=1e-9)
        for bot, (rating,) in zip(line_up, rated, strict=True):
            bots[bot] = rating
    assert_close(ours, Ratings(np.array([b.mu for b in bots]), np.array([b.sigma for b in bots])), 1e-7)


# Well-known results of TrueSkill with the default parameters of the package: (ranks, team sizes, mu, sigma).
PUBLISHED: list[tuple[list[int], list[int], list[float], list[float]]] = [
    ([0, 1], [1, 1], [29.396, 20.604], [7.171, 7.171]),
    ([0, 0], [1, 1], [25.000, 25.000], [6.458, 6.458]),
    ([0, 1], [2, 2], [28.108, 28.108, 21.892, 21.892], [7.774, 7.774, 7.774, 7.774]),
    ([0, 1], [1, 2], [33.731, 16.269, 16.269], [7.317, 7.317, 7.317]),
    ([0, 1, 2, 3], [1, 1, 1, 1], [33.207, 27.401, 22.599, 16.793], [6.348, 5.787, 5.787, 6.348]),
    (
        [0, 1, 2, 3, 4, 5, 6, 7],
        [1] * 8,
        [36.771, 32.242, 29.074, 26.322, 23.678, 20.926, 17.758, 13.229],
        [5.749, 5.133, 4.943, 4.874, 4.874, 4.943, 5.133, 5.749],
    ),
]


@pytest.mark.parametrize(("ranks", "sizes", "mu", "sigma"), PUBLISHED)
def test_published_results(ranks: list[int], sizes: list[int], mu: list[float], sigma: list[float]) -> None:
    model = Model(tau=PACKAGE_TAU, draw_probability=0.1)
    ours = one_match(*new_ratings(len(mu), model), ranks, model, sizes)
    np.testing.assert_allclose(ours.mu, mu, atol=0.0006)
    np.testing.assert_allclose(ours.sigma, sigma, atol=0.0006)


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("probability", [0.0, 0.001, 0.1, 0.6, 0.99])
def test_draw_margin_is_the_package_s(probability: float, size: int) -> None:
    env = environment(Model(beta=3.0))
    assert draw_margin(probability, 3.0, size) == pytest.approx(package.calc_draw_margin(probability, size, env))


# Numbers that never fail

# x, v, w, 1 - w: computed with 60 digits.
WIN = [
    (30.0, 1.4736461348785475e-196, 4.4209384046356426e-195, 1.0),
    (8.0, 5.0522710835368954e-15, 4.0418168668295189e-14, 0.99999999999995958),
    (2.0, 0.055247862678989959, 0.11354805168857645, 0.88645194831142355),
    (0.0, 0.79788456080286536, 0.63661977236758134, 0.36338022763241866),
    (-2.0, 2.3732155328228409, 0.88572089958591874, 0.11427910041408126),
    (-4.9, 5.0898286001298836, 0.96619503806369925, 0.033804961936300748),
    (-5.0, 5.1865039671258421, 0.96730356538288777, 0.032696434617112225),
    (-5.1, 5.283287616909157, 0.96836119674894058, 0.031638803251059418),
    (-8.0, 8.1213681122361127, 0.98567511655665909, 0.01432488344334091),
    (-30.0, 30.033259667433677, 0.99889622848810991, 0.001103771511890091),
    (-330.0, 330.00303024737991, 0.99999081776944172, 9.1822305582828155e-6),
    (-2000.0, 2000.00049999975, 0.999999750000375, 2.4999962500078125e-7),
]
# gap, margin, v, w, 1 - w: computed with 60 to 400 digits.
DRAW = [
    (0.0, 0.1, 0.0, 0.9966711089933002, 0.0033288910066998026),
    (0.0, 1.0, 0.0, 0.70887490522720679, 0.29112509477279321),
    (0.5, 0.74, -0.41588285459623272, 0.83439711412655782, 0.16560288587344218),
    (-2.0, 0.74, 1.6972995729978425, 0.87951153763880045, 0.12048846236119955),
    (6.0, 0.74, -5.4381956608677156, 0.97018293149846946, 0.029817068501530539),
    (3.0, 0.4, -2.8561542581705544, 0.95958007782629975, 0.04041992217370025),
    (6.0, 4.0, -2.3732155328228409, 0.88572089958591874, 0.11427910041408126),
    (12.0, 5.0, -7.1375456132265033, 0.98173808830337777, 0.018261911696622231),
    (38.0, 0.09, -37.93614990103955, 0.99934160211513776, 0.0006583978848622385),
    (333.0, 0.09, -332.91300376064103, 0.99999097758481785, 9.022415182145938e-6),
    (2000.0, 0.74, -1999.2605001848182, 0.99999974981527283, 2.5018472717094567e-7),
    (2000.0, 1e-09, -2000.0, 1.0, 3.3333333333306671e-19),
    (1.0, 1e-09, -1.0, 1.0, 3.3333333333333337e-19),
    (1.0, 1e-05, -0.99999999996666667, 0.99999999996666667, 3.3333333332222228e-11),
    (0.0, 9.0, 0.0, 1.8503592429004047e-17, 0.99999999999999998),
    (-3.0, 0.0, 3.0, 1.0, 0.0),
]


@pytest.mark.parametrize(("x", "v", "w", "remains"), WIN)
def test_win_moments(x: float, v: float, w: float, remains: float) -> None:
    assert win_moments(x, 0.0) == pytest.approx((v, w, remains), rel=1e-11, abs=0.0)
    assert win_moments(x + 0.5, 0.5) == pytest.approx((v, w, remains), rel=1e-11, abs=0.0)


@pytest.mark.parametrize(("gap", "margin", "v", "w", "remains"), DRAW)
def test_draw_moments(gap: float, margin: float, v: float, w: float, remains: float) -> None:
    got = draw_moments(gap, margin)
    assert got[0] == pytest.approx(v, rel=1e-12, abs=1e-15)
    assert got[1] == pytest.approx(w, rel=1e-12, abs=1e-15)
    assert got[2] == pytest.approx(remains, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("ranks", [[0, 1], [0, 0], [1, 0]], ids=["win", "draw", "upset"])
@pytest.mark.parametrize("probability", [1e-6, 0.1, 0.9])
def test_no_gap_is_too_wide(ranks: list[int], probability: float) -> None:
    model = Model(draw_probability=probability)
    gaps = np.concatenate((np.arange(0.0, 300.0, 7.0), np.arange(300.0, 2001.0, 50.0)))
    c2 = 2.0 + 2.0 * model.beta**2
    for gap in gaps:
        ours = one_match([gap, 0.0], [1.0, 1.0], ranks, model)
        assert np.isfinite(ours.mu).all()
        assert ((ours.sigma > 0.98) & (ours.sigma <= 1.0)).all()
        assert ours.mu.sum() == pytest.approx(gap)  # equal sigmas: what one gains the other loses
        if ranks == [0, 1]:
            assert gap <= ours.mu[0] - ours.mu[1] < gap + 1.0
        elif gap > 300:  # the difference in performance ends just inside its bound, which is near to 0
            assert ours.mu[0] - ours.mu[1] == pytest.approx(gap * (1.0 - 2.0 / c2), rel=0.01)
        if gap < 200:
            assert_close(ours, by_package([gap, 0.0], [1.0, 1.0], ranks, model), 1e-6)


def test_no_gap_is_too_wide_in_a_free_for_all() -> None:
    model = Model(draw_probability=0.1)
    for gap in (0.0, 100.0, 235.0, 1000.0, 2000.0):
        prior = np.arange(5) * gap
        for ranks in ([4, 3, 2, 1, 0], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0], [0, 1, 1, 1, 1], [2, 0, 1, 0, 2]):
            ours = one_match(prior, np.ones(5), ranks, model)
            assert np.isfinite(ours.mu).all()
            assert ((ours.sigma > 0.9) & (ours.sigma <= 1.0)).all()
            assert (np.abs(ours.mu - prior) < 0.1 * max(4.0 * gap, 10.0)).all()


def test_extreme_values_give_finite_ratings_and_sigma_never_grows() -> None:
    rng = np.random.default_rng(3)
    for case in range(300):
        teams = int(rng.integers(2, 6))
        centre, spread = rng.uniform(-30.0, 30.0), (30.0, 3.0)[case % 2]

        def magnitudes(n: int, centre: float = centre, spread: float = spread) -> Floats:
            powers: Floats = np.clip(10.0 ** (centre + rng.uniform(-spread, spread, n)), 1e-30, 1e30)
            return powers

        mu, sigma = magnitudes(teams) * rng.choice([-1.0, 1.0], teams), magnitudes(teams)
        tau = float(rng.choice([0.0, magnitudes(1)[0]]))
        probability = float(rng.choice([0.0, 1e-300, 1e-9, 0.1, 0.9, 1.0 - 1e-16]))
        model = Model(beta=float(magnitudes(1)[0]), tau=tau, draw_probability=probability)
        entrants = np.array([rng.permutation(teams) for _ in range(4)])
        ours = update(mu, sigma, entrants, rng.integers(0, teams, entrants.shape), model)
        assert np.isfinite(ours.mu).all()
        assert np.isfinite(ours.sigma).all()
        assert (ours.sigma > 0.0).all()
        if tau == 0.0:
            assert (ours.sigma <= sigma).all()


def test_a_draw_at_draw_probability_0_is_the_limit_of_rare_draws() -> None:
    mu, sigma = [20.0, 27.0, 31.0], [8.0, 2.0, 5.0]
    for ranks in ([0, 0], [0, 0, 0], [0, 1, 1]):
        bots = len(ranks)
        limit = one_match(mu[:bots], sigma[:bots], ranks, Model())
        rare = one_match(mu[:bots], sigma[:bots], ranks, Model(draw_probability=1e-9))
        assert_close(limit, rare, 1e-6)


# Ties and order


def test_ties_of_equal_bots() -> None:
    for probability in (0.1, 0.75):
        model = Model(draw_probability=probability)
        chain = one_match(*new_ratings(5, model), [0, 1, 1, 1, 1], model)
        assert_close(chain, by_package([25.0] * 5, [25.0 / 3.0] * 5, [0, 1, 1, 1, 1], model), 1e-7)
        assert np.ptp(chain.mu[1:]) > 0.01  # the package's asymmetry
        fair = Model(draw_probability=probability, symmetric_ties=True)
        symmetric = one_match(*new_ratings(5, fair), [0, 1, 1, 1, 1], fair)
        assert np.ptp(symmetric.mu[1:]) < 1e-9
        assert np.ptp(symmetric.sigma[1:]) < 1e-9
        assert symmetric.mu[0] > 25.0 > symmetric.mu[1]
    without_draws = one_match(*new_ratings(5), [0, 1, 1, 1, 1], Model())
    assert np.ptp(without_draws.mu[1:]) < 1e-9


@pytest.mark.parametrize(
    ("ranks", "sizes"),
    [([0, 1, 1], [1, 1, 1]), ([0, 0, 0, 1], [1] * 4), ([1, 0, 0, 1], [1] * 4), ([0, 1, 1], [2, 1, 2])],
)
def test_symmetric_ties_are_the_mean_over_all_orders(ranks: list[int], sizes: list[int]) -> None:
    rng = np.random.default_rng(5)
    bots = sum(sizes)
    mu, sigma = rng.normal(25.0, 5.0, bots), rng.uniform(1.0, 8.0, bots)
    model = Model(tau=PACKAGE_TAU, draw_probability=0.3)
    teams = np.repeat(np.arange(len(sizes)), sizes)
    all_mu, all_variance = [], []
    for order in itertools.permutations(range(len(sizes))):  # every order of the tied comes up equally often
        seats = np.concatenate([np.flatnonzero(teams == team) for team in order])
        theirs = by_package(
            mu[seats].tolist(),
            sigma[seats].tolist(),
            [ranks[team] for team in order],
            model,
            [sizes[team] for team in order],
        )
        back = np.argsort(seats)
        all_mu.append(theirs.mu[back])
        all_variance.append(theirs.sigma[back] ** 2)
    symmetric = Model(tau=PACKAGE_TAU, draw_probability=0.3, symmetric_ties=True)
    expected = Ratings(np.mean(all_mu, axis=0), np.sqrt(np.mean(all_variance, axis=0)))
    assert_close(one_match(mu, sigma, ranks, symmetric, sizes), expected, 1e-7)


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_better_rank_never_ends_lower_from_equal_priors(symmetric: bool) -> None:
    rng = np.random.default_rng(6)
    for _ in range(150):
        bots = int(rng.integers(2, 7))
        ranks = rng.integers(0, bots, bots)
        model = Model(draw_probability=float(rng.choice([0.0, 0.02, 0.1, 0.5, 0.9])), symmetric_ties=symmetric)
        mu = one_match(*new_ratings(bots, model), ranks.tolist(), model).mu
        for better, worse in itertools.permutations(range(bots), 2):
            if ranks[better] < ranks[worse]:
                assert mu[better] > mu[worse]


@pytest.mark.parametrize("tied", [False, True])
def test_seats_play_no_part(tied: bool) -> None:
    """Without ties in any case, with ties if they are symmetric."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        bots = int(rng.integers(2, 6))
        model = Model(draw_probability=0.2, symmetric_ties=tied)
        ranks = rng.integers(0, 3, bots) if tied else rng.permutation(bots)
        mu, sigma = rng.normal(25.0, 5.0, bots), rng.uniform(0.5, 8.0, bots)
        plain = update(mu, sigma, np.arange(bots)[None], ranks[None], model)
        for _ in range(5):
            seats = rng.permutation(bots)
            assert_close(update(mu, sigma, seats[None], ranks[seats][None], model), plain, 1e-9)


def test_two_tied_bots_may_swap_seats_and_a_tied_table_may_be_reversed() -> None:
    """What the package's chain leaves alone, so does ours."""
    mu, sigma = np.array([20.0, 30.0, 25.0, 27.0]), np.array([3.0, 1.0, 8.0, 5.0])
    model = Model(draw_probability=0.2)
    for bots in (2, 3, 4):
        line_up, ranks = np.arange(bots)[None], np.zeros((1, bots), dtype=np.int64)
        plain = update(mu, sigma, line_up, ranks, model)
        assert_close(update(mu, sigma, line_up[:, ::-1], ranks, model), plain, 1e-8)


# Teams


def test_teams_may_sit_anywhere() -> None:
    rng = np.random.default_rng(8)
    mu, sigma = rng.normal(25.0, 5.0, 4), rng.uniform(1.0, 8.0, 4)
    model = Model(draw_probability=0.1)
    side_by_side = update(mu, sigma, np.array([[0, 2, 1, 3]]), np.array([[0, 0, 1, 1]]), model, np.array([0, 0, 1, 1]))
    across = update(mu, sigma, np.array([[0, 1, 2, 3]]), np.array([[0, 1, 0, 1]]), model, np.array([7, 9, 7, 9]))
    assert_close(across, side_by_side, 1e-12)


def test_a_bot_in_both_seats_of_a_team_counts_twice() -> None:
    """Two copies perform N(2 skill, 2 beta^2): as one bot on a scale where skill is doubled."""
    model = Model(beta=3.0, draw_probability=0.1)
    wider = Model(beta=3.0 * math.sqrt(2.0), draw_probability=0.1)
    mu, sigma = np.array([20.0, 26.0]), np.array([8.0, 2.0])
    for result in ([0, 1], [0, 0], [1, 0]):
        copies = update(mu, sigma, np.array([[0, 1, 0, 1]]), np.array([result * 2]), model, np.array([0, 1, 0, 1]))
        single = update(2.0 * mu, 2.0 * sigma, np.array([[0, 1]]), np.array([result]), wider)
        assert_close(Ratings(2.0 * copies.mu, 2.0 * copies.sigma), single, 1e-9)


def test_a_match_of_a_bot_against_itself_changes_nothing() -> None:
    mu, sigma = np.array([20.0, 26.0, 23.0]), np.array([8.0, 2.0, 4.0])
    model = Model(tau=1.0, draw_probability=0.1)
    for entrants in ([[1, 1]], [[0, 1, 1]], [[0, 2, 0]]):
        ranks = np.arange(len(entrants[0]))[None]
        after = update(mu, sigma, np.array(entrants), ranks, model)
        assert_close(after, Ratings(mu, sigma), 0.0)
    teams = np.array([0, 0, 1, 1])
    after = update(mu, sigma, np.array([[0, 1, 1, 2]]), np.array([[0, 0, 1, 1]]), model, teams)
    assert_close(after, Ratings(mu, sigma), 0.0)


# Long runs


def test_sigma_falls_with_the_root_of_the_number_of_matches() -> None:
    rng = np.random.default_rng(9)
    last = 10_000 if INTERPRETED else 1_000_000
    winner = rng.integers(0, 2, last)
    ratings, done = new_ratings(2), 0
    for matches in (100, 1_000, 10_000, 100_000, 1_000_000):
        if matches > last:
            break
        ranks = np.stack((winner[done:matches], 1 - winner[done:matches]), axis=1)
        ratings = update(*ratings, np.tile(np.array([[0, 1]]), (matches - done, 1)), ranks)
        done = matches
        expected = Model().beta * math.sqrt(math.pi / matches)  # each match adds w(0) / (2 beta^2) of precision
        assert ratings.sigma == pytest.approx(expected, rel=0.1)


def test_with_tau_sigma_has_a_floor() -> None:
    rng = np.random.default_rng(10)
    matches = 4_000 if INTERPRETED else 100_000
    winner = rng.integers(0, 2, matches)
    model = Model(tau=0.3)
    ranks = np.stack((winner, 1 - winner), axis=1)
    ratings = update(*new_ratings(2, model), np.tile(np.array([[0, 1]]), (matches, 1)), ranks, model)
    assert ratings.sigma == pytest.approx(math.sqrt(1.77 * model.tau * model.beta), rel=0.1)


def random_matches(bots: int, seats: int, matches: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    rng = np.random.default_rng(11)
    entrants = np.argsort(rng.random((matches, bots)), axis=1)[:, :seats].astype(np.int64)
    return entrants, rng.integers(0, seats, entrants.shape)


@pytest.mark.parametrize("seats", [2, 3])
def test_chunks_and_order(seats: int) -> None:
    entrants, ranks = random_matches(5, seats, 400)
    model = Model(draw_probability=0.1)
    start = new_ratings(5, model)
    whole = update(*start, entrants, ranks, model)
    parts = start
    for first in range(0, 400, 57):
        parts = update(*parts, entrants[first : first + 57], ranks[first : first + 57], model)
    assert (parts.mu == whole.mu).all()
    assert (parts.sigma == whole.sigma).all()
    assert (start.mu == 25.0).all()  # arguments are left alone
    backwards = update(*start, entrants[::-1], ranks[::-1], model)
    assert np.abs(backwards.mu - whole.mu).max() > 1e-3  # row order is the order of play
    nothing = update(*whole, entrants[:0], ranks[:0], model)
    assert (nothing.mu == whole.mu).all()


def test_memory_does_not_grow_with_matches() -> None:
    entrants, ranks = random_matches(5, 3, 300 if INTERPRETED else 100_000)
    model = Model(draw_probability=0.1)
    ratings = update(*new_ratings(5, model), entrants[:10], ranks[:10], model)
    tracemalloc.start()
    update(*ratings, entrants, ranks, model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000  # the matches themselves are 4.8 million bytes


SCRIPT = """
import sys
import numpy as np
from tournament.trueskill import Model, new_ratings, update
rng = np.random.default_rng(12)
for seats, teams in ((2, None), (3, None), (5, None), (4, np.array([0, 1, 0, 1]))):
    for probability, symmetric in ((0.0, False), (0.2, False), (0.7, True)):
        model = Model(beta=2.0, tau=0.01, draw_probability=probability, symmetric_ties=symmetric)
        entrants = rng.integers(0, 12, (40, seats))
        ranks = rng.integers(0, 3, (40, seats))
        if teams is not None:
            ranks = ranks[:, teams]
        ratings = update(*new_ratings(12, model), entrants, ranks, model, teams)
        print(seats, *[float(x).hex() for x in (*ratings.mu, *ratings.sigma)])
"""


def test_compiled_and_interpreted_code_agree() -> None:
    def output(**flags: str) -> str:
        inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
        command = [sys.executable, "-W", "error", "-c", SCRIPT]
        environ = {**inherited, **flags, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, env=environ, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    assert output() == output(NUMBA_DISABLE_JIT="1")


# The plain front


def test_new_ratings() -> None:
    ratings = new_ratings(3, Model(mu=100.0, sigma=10.0))
    assert ratings.mu.tolist() == [100.0] * 3
    assert ratings.sigma.tolist() == [10.0] * 3
    assert new_ratings(0).mu.shape == (0,)


@pytest.mark.parametrize(
    "values",
    [
        {"mu": math.nan},
        {"mu": math.inf},
        {"sigma": 0.0},
        {"sigma": math.nan},
        {"sigma": 1e31},
        {"beta": 0.0},
        {"beta": -1.0},
        {"tau": -0.1},
        {"tau": math.nan},
        {"draw_probability": 1.0},
        {"draw_probability": -0.1},
        {"draw_probability": math.nan},
    ],
)
def test_models_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=rf"^{next(iter(values))} must be .*, not .*\.$"):
        Model(**values)  # type: ignore[arg-type]


PAIR = {"mu": [25.0, 25.0], "sigma": [8.0, 8.0], "entrants": [[0, 1]], "ranks": [[0, 1]]}
TEAMS = {**PAIR, "mu": [25.0] * 4, "sigma": [8.0] * 4, "entrants": [[0, 1, 2, 3]], "ranks": [[0, 0, 1, 1]]}
TABLE = {**PAIR, "mu": [25.0] * 7, "sigma": [8.0] * 7, "entrants": [[*range(7)]], "ranks": [[*range(7)]]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({**PAIR, "mu": [25.0]}, "equally long"),
        ({**PAIR, "mu": [25.0, math.nan]}, "Every mu"),
        ({**PAIR, "sigma": [8.0, 0.0]}, "Every sigma"),
        ({**PAIR, "sigma": [8.0, math.nan]}, "Every sigma"),
        ({**PAIR, "entrants": [0, 1]}, "2 dimensions"),
        ({**PAIR, "entrants": [[0.0, 1.0]]}, "whole numbers"),
        ({**PAIR, "ranks": [[0, 1, 2]]}, "same shape"),
        ({**PAIR, "entrants": [[0, 2]]}, "bot numbers from 0 to 1"),
        ({**PAIR, "entrants": [[-1, 1]]}, "bot numbers from 0 to 1"),
        ({**PAIR, "ranks": [[-1, 0]]}, "0 or more"),
        ({**PAIR, "entrants": [[0]], "ranks": [[0]]}, "at least two teams"),
        ({**PAIR, "teams": [0, 0]}, "at least two teams"),
        ({**PAIR, "teams": [0, 1, 2]}, "each of the 2 seats"),
        ({**TEAMS, "teams": [0, 1, 0, 1]}, "same rank"),
        ({**TABLE, "model": Model(symmetric_ties=True)}, "limited to 6 teams"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {name: np.array(value) for name, value in arguments.items() if name != "model"}
    values["model"] = arguments.get("model")
    with pytest.raises(ValueError, match=rf"{message}.*\.$"):
        update(**values)


def test_other_values_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="number of bots"):
        new_ratings(-1)
    for probability, beta, size in ((1.0, 1.0, 2), (0.1, 0.0, 2), (0.1, 1.0, 1)):
        with pytest.raises(ValueError, match=r"must be|at least"):
            draw_margin(probability, beta, size)
