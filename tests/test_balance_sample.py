"""One pass over stored matches: against the same sums done the slow way, on toys and on real runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine.errors import HilltopError
from storage.store import Chunk, Store, writing
from tests import toys
from tournament import run as runner
from tournament import standings
from tournament.balance import sample as samples
from tournament.balance.sample import Design, Sample
from tournament.execution import InProcess
from tournament.plan import plan_run, restore

Array = np.ndarray[Any, Any]
FIELDS = (
    "deals", "left_out", "units", "wins", "draws", "none", "plies", "ply_squares", "unit_squares", "deal_squares",
    "pairs",
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with writing(tmp_path_factory.mktemp("balance") / "test.duckdb") as opened:
        yield opened


def _random_rows(toy: Design, matches: int, seed: int, spoiled: float = 0.0) -> tuple[Array, Array, Array]:
    """Packed ranks (with ties), reasons and plies."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, (matches, toy.seats))
    ranks = (points[:, None, :] > points[:, :, None]).sum(axis=2)
    packed = (ranks * 10 ** np.arange(toy.seats)).sum(axis=1)
    reasons = rng.choice([toys.ENDED, toys.NOBODY_WON], matches, p=[0.8, 0.2])
    return packed, np.where(rng.random(matches) < spoiled, -1, reasons), rng.integers(3, 40, matches)


def _slowly(toy: Design, batch: int, matches: int, rows: tuple[Array, Array, Array]) -> Sample:
    found = Sample(toy, 15)
    each = len(toy.lineups)
    packed, reasons, plies = (part.tolist() for part in rows)
    for start in range(0, matches - each + 1, each):
        deal, v = divmod(start // each, len(toy.variants))
        if min(reasons[start : start + each]) < 0:
            found.left_out[v] += 1
            continue
        k = deal // batch
        found.deals[k, v] += 1
        totals = [0] * toy.seats
        for m in range(each):
            match = start + m
            ranks = [packed[match] // 10**seat % 10 for seat in range(toy.seats)]
            none = bool(toy.nobody[reasons[match]])
            found.plies[k, v, m] += plies[match]
            found.ply_squares[k, v] += plies[match] ** 2
            found.none[k, v, m] += none
            found.draws[k, v, m] += not none and ranks.count(0) > 1
            for seat, rank in enumerate(ranks):
                got = 0
                for other, theirs in enumerate(ranks):
                    if other != seat and not none:
                        ahead = 2 if theirs > rank else 1 if theirs == rank else 0
                        got += ahead
                        one, two = toy.lineups[m, seat], toy.lineups[m, other]
                        if toy.seats > 2 and one != two:
                            found.pairs[k, v, one, two] += ahead
                found.wins[k, v, m, seat] += not none and rank == 0 and ranks.count(0) == 1
                found.units[k, v, m, seat] += got
                found.unit_squares[k, v, seat] += got * got
                totals[seat] += got
        for seat in range(toy.seats):
            found.deal_squares[k, v, seat] += totals[seat] ** 2
    return found


@pytest.mark.parametrize(
    ("bots", "seats", "variants"), [(3, 2, 1), (3, 2, 4), (4, 3, 2), (5, 4, 1), (6, 5, 1), (6, 6, 2)]
)
def test_sums_are_those_of_the_matches(bots: int, seats: int, variants: int) -> None:
    toy = toys.design(bots, seats, variants, nobody=True)
    deal = variants * len(toy.lineups)
    matches = 13 * deal + len(toy.lineups) + 1  # the last deal is unfinished
    rows = _random_rows(toy, matches, seats, spoiled=0.02)
    found = Sample(toy, 15)
    for first, last in pairwise([0, deal, 9 * deal, matches]):
        found.add(first, *(part[first:last] for part in rows))
    expected = _slowly(toy, found.batch, matches, rows)
    for name in FIELDS:
        assert (getattr(found, name) == getattr(expected, name)).all(), name
    assert found.left_out.sum() > 0


def test_batches_are_of_whole_deals_and_equal() -> None:
    toy = toys.design(3)
    sample = toys.fill(toy, toys.duel(np.random.default_rng(0), toy, 1003))
    assert sample.batch == 10
    assert sample.deals[:, 0].tolist() == [10] * 100 + [3]


def test_pairs_of_two_seats_come_from_line_ups() -> None:
    toy = toys.design(3, nobody=True)
    rows = _random_rows(toy, 60, 1)
    sample = Sample(toy, 10)
    sample.add(0, *rows)
    units, met = np.zeros((3, 3)), np.zeros((3, 3))
    for match, (packed, reason) in enumerate(zip(rows[0].tolist(), rows[1].tolist(), strict=True)):
        one, two = toy.lineups[match % 6]
        if reason == toys.ENDED:
            ahead = {10: 2, 0: 1, 1: 0}[packed]
            units[one, two] += ahead
            units[two, one] += 2 - ahead
            met[one, two] += 1
            met[two, one] += 1
    assert (sample.pair_units.sum(axis=(0, 1)) == units).all()
    assert (sample.pair_matches.sum(axis=(0, 1)) == met).all()
    shares = sample.pair_shares[0].value
    assert np.allclose(shares + shares.T, 1.0)
    assert np.diag(shares).tolist() == [0.5] * 3


@pytest.mark.parametrize(
    ("game", "bots", "variant", "players"),
    [("cuttle", "random,greedy,points_rush", "standard", 2),
     ("queen_of_the_hill", "random,threshold,counter,follower", "dark_one", 3)],
)  # fmt: skip
def test_stored_runs_agree_with_their_standings(store: Store, game: str, bots: str, variant: str, players: int) -> None:
    plan = plan_run(game, bots, variant, players=players, matches=720, seed=3)
    run = runner.start(plan, store)
    runner.play(plan, store, run, InProcess())
    run = store.run(run.id)
    sample, tally = samples.read(store, run), standings.tally(store, run)
    assert sample.units.sum() == tally.units.sum()
    assert sample.wins.sum() == tally.counts[..., standings.WINS].sum()
    assert (sample.plies.sum(axis=(0, 2)) == tally.plies[:, 0]).all()
    assert (sample.pair_units.sum(axis=0) == tally.pairs[..., 1]).all()
    assert int(sample.matches[0]) == run.matches
    decided = tally.counts[..., standings.MATCHES] - tally.counts[..., standings.NONE]
    assert (sample.bot_matches == decided).all()
    if players == 2:
        assert (sample.pair_shares.matches == 2 * tally.pairs[..., 0]).all()
    strength = [tally.units[0, bot] / tally.counts[0, bot, standings.MATCHES] for bot in range(len(sample.design.bots))]
    assert (sample.strength * sample.design.unit).tolist() == pytest.approx(strength)


def test_a_run_of_many_variants_is_read_slice_by_slice(store: Store) -> None:
    settings = plan_run("cuttle", "random,greedy", matches=400).settings
    settings["variants"] = [{"name": "standard", "rules": {"goal": goal}} for goal in (15, 18, 21)]
    plan = restore(settings)
    toy = samples.design_of(plan)
    assert len(toy.variants) == 3
    assert toy.lineups.tolist() == [[0, 1], [1, 0]]
    packed, reasons, plies = _random_rows(toy, 300, 4)
    rows = np.zeros((plan.rows, 300), np.int32)
    rows[0], rows[1], rows[2] = packed, 0 * reasons, plies
    run = runner.start(plan, store)
    store.append(run, [Chunk(0, 0, rows)])
    sample = samples.read(store, store.run(run.id))
    expected = Sample(toy, 50)
    expected.add(0, packed, 0 * reasons, plies)
    for name in FIELDS:
        assert (getattr(sample, name) == getattr(expected, name)).all(), name
    assert sample.matches.tolist() == [100, 100, 100]


def test_nothing_stored_is_an_empty_sample(store: Store) -> None:
    run = runner.start(plan_run("cuttle", "random,greedy", matches=10, seed=8), store)
    sample = samples.read(store, store.run(run.id))
    assert sample.matches.tolist() == [0]


def test_more_deals_than_planned_are_refused() -> None:
    toy = toys.design(3)
    with pytest.raises(ValueError, match="beyond the 2 deals"):
        Sample(toy, 2).add(6, *_random_rows(toy, 7, 1))


def test_cooperative_games_have_samples_of_their_own() -> None:
    with pytest.raises(HilltopError, match="teams"):
        samples.design_of(plan_run("jack_and_jill", "all", matches=10))


def test_many_line_ups_make_fewer_batches() -> None:
    small, large = toys.design(3), toys.design(6, 2, 3000)
    assert len(Sample(small, 10_000).deals) == 100
    assert 20 <= len(Sample(large, 10_000).deals) < 100
