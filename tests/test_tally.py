"""Tallies: the same whatever the chunks were, what a plain recount says, and several runs as one."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.loop import ROW_PLIES, ROW_RANKS, ROW_REASON, ROW_SCORES
from storage.store import Store, StoredRun, reading, writing
from tests import toys
from tests.stored import results, store_rows
from tournament import run as runner
from tournament.counting import Counter, Joiner, counter_of
from tournament.execution import InProcess
from tournament.plan import Plan, plan_run, plan_variants
from tournament.statistics.counted import Pool, read
from tournament.statistics.tally import FAULTS, LENGTHS, LOWEST, Layout, Tally, layout_for, length_class, unpacked
from tournament.worker import Worker

Array = np.ndarray[Any, Any]


def random_rows(plan: Plan, matches: int, seed: int, spoiled: float = 0.02) -> Array:
    """Rows as a match loop might write them, some of them spoiled."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, (matches, plan.players))
    ranks = (points[:, None, :] > points[:, :, None]).sum(axis=2)
    rows = np.zeros((plan.rows, matches), np.int32)
    rows[ROW_RANKS] = (ranks * 10 ** np.arange(plan.players)).sum(axis=1)
    rows[ROW_REASON] = rng.integers(0, len(plan.game.state.REASONS), matches)
    rows[ROW_PLIES] = rng.integers(3, 400, matches)
    rows[ROW_SCORES:] = rng.integers(0, 70, (plan.players, matches))
    bad = rng.random(matches) < spoiled
    rows[ROW_REASON, bad] = -1
    rows[ROW_RANKS, bad] = rng.integers(0, plan.players, bad.sum())
    return rows


def small_plan(game: str, players: int, matches: int) -> Plan:
    """Two variants, three bots."""
    bots = {"cuttle": "random,greedy,points_rush", "jack_and_jill": "random,stepper,budgeter"}
    field = bots.get(game, "random,threshold,counter,follower")
    variants: list[tuple[str, Any]] = [("standard", {}), (VARIANTS[game], {})]
    return plan_variants(game, field, variants, players, matches, 3)


VARIANTS = {"cuttle": "short", "jack_and_jill": "big_hand", "queen_of_the_hill": "dark_one"}
SEATS = [("cuttle", 2), ("queen_of_the_hill", 3), ("queen_of_the_hill", 5), ("jack_and_jill", 1), ("jack_and_jill", 2)]


def recount(plan: Plan, rows: Array) -> dict[str, Any]:
    """The slow way: every sum by block, variant and line-up, from the meaning of the fields alone."""
    layout = plan.layout
    blocks = layout.block(rows.shape[1] - 1) + 1
    by_lineup = (blocks, layout.variants, layout.lineups)
    found = {name: np.zeros((*by_lineup, *shape), np.int64) for name, (_, shape) in layout.matches.items()}
    found |= {name: np.zeros((*by_lineup[:2], *shape), np.int64) for name, (_, shape) in layout.boards.items()}
    reasons = plan.game.state.REASONS
    boards: dict[tuple[int, int], list[Any]] = {}
    for match, (packed, reason, plies, *scores) in enumerate(rows.T.tolist()):
        deal, rest = divmod(match, layout.deal)
        variant, lineup = divmod(rest, layout.lineups)
        at = deal >> layout.shift, variant, lineup
        board = boards.setdefault((deal, variant), [])
        if reason < 0:
            found["faults"][*at, packed, -1 - reason] += 1
            board.append(None)
            continue
        found["matches"][at] += 1
        found["reasons"][*at, reason] += 1
        found["plies"][at] += plies
        found["ply_squares"][at] += plies**2
        found["lengths"][*at[:2], length_class(plies)] += 1
        if plan.game.cooperative:
            won = reasons[reason] == plan.game.won
            board.append(scores[0] + 1 if won else 0)
            if won:
                found["score"][at] += scores[0]
                found["score_squares"][at] += scores[0] ** 2
                found["scores"][*at, min(scores[0], 63)] += 1
            continue
        ranks = [packed // 10**seat % 10 for seat in range(plan.players)]
        nobody = reasons[reason] in plan.game.none_wins
        first = ranks.count(0)
        found["none"][at] += nobody
        found["draws"][at] += not nobody and first > 1
        units = [0] * plan.players
        for pair, (i, j) in enumerate(itertools.combinations(range(plan.players), 2)):
            if not nobody:
                outcome = 0 if ranks[i] < ranks[j] else 1 if ranks[i] == ranks[j] else 2
                found["pairs"][*at, pair, outcome] += 1
                units[i] += 2 - outcome
                units[j] += outcome
        for seat, rank in enumerate(ranks):
            found["scores"][*at, seat] += scores[seat]
            found["score_squares"][*at, seat] += scores[seat] ** 2
            found["wins"][*at, seat] += not nobody and rank == 0 and first == 1
            found["tied"][*at, seat] += not nobody and rank == 0 and first > 1
            found["units"][*at, seat] += units[seat]
        board.append(units)
    for (deal, variant), board in boards.items():
        where = deal >> layout.shift, variant
        if len(board) < layout.lineups:
            continue
        if None in board:
            found["spoiled"][where] += 1
            continue
        found["boards"][where] += 1
        if plan.game.cooperative:
            worth = np.array(board)
            found["ahead"][where] += worth[:, None] > worth
        else:
            table = np.array(board)
            found["board_units"][where] += table
            found["unit_squares"][where] += (table**2).sum(axis=0)
            found["board_squares"][where] += table.sum(axis=0) ** 2
    return found


@pytest.mark.parametrize(("game", "players"), SEATS)
def test_sums_are_those_of_the_matches(game: str, players: int) -> None:
    plan = small_plan(game, players, 4_000)
    rows = random_rows(plan, min(plan.matches, 1_007), players)
    tally = counter_of(plan).count(0, rows)
    for name, expected in recount(plan, rows).items():
        if name != "digest":
            assert (tally.of(name) == expected).all(), name


@pytest.mark.parametrize(("game", "players"), SEATS)
@pytest.mark.parametrize("sizes", [[1], [7], [1_000], [10_000], [3, 100, 1, 1, 58, 13]])
def test_chunks_change_nothing(game: str, players: int, sizes: list[int]) -> None:
    plan = small_plan(game, players, 4_000)
    rows = random_rows(plan, 511, 1)
    counter = counter_of(plan)
    whole = counter.count(0, rows)
    total = counter.tally(0, 511)
    joiner = Joiner(counter, 0)
    first = 0
    for size in itertools.cycle(sizes):
        part = results(plan, first, rows[:, first : first + size])
        total = total + part.tally
        joiner.join(total, first, part.matches, part.head, part.tail)
        first = part.end
        if first == 511:
            break
    for mine, theirs in zip(total.arrays, whole.arrays, strict=True):
        assert (mine == theirs).all()
    left = 511 % plan.board
    assert joiner.rows is not None or not left
    assert joiner.rows is None or (joiner.rows == rows[:, 511 - left :]).all()


def test_any_change_of_a_row_changes_the_digest() -> None:
    plan = small_plan("cuttle", 2, 100)
    rows = random_rows(plan, 60, 2)
    counter = counter_of(plan)
    before = counter.count(0, rows).of("digest").sum()
    for row, match in itertools.product(range(plan.rows), range(0, 60, 7)):
        changed = rows.copy()
        changed[row, match] ^= 1
        tally = counter.tally(0, 60)
        if row not in (ROW_RANKS, ROW_REASON):
            counter.matches(tally, 0, changed)
            assert tally.of("digest").sum() != before
    swapped = rows[:, [1, 0, *range(2, 60)]]
    assert counter.count(0, swapped).of("digest").sum() != before


def test_packed_blocks_are_the_same_again() -> None:
    plan = small_plan("cuttle", 2, 4_000)
    tally = counter_of(plan).count(0, random_rows(plan, 600, 3))
    bodies = [(block, tally.pack(block)) for block in range(tally.first, tally.end)]
    again = unpacked(Layout.from_json(json.loads(json.dumps(plan.layout.to_json()))), bodies)
    for mine, theirs in zip(again.arrays, tally.arrays, strict=True):
        assert (mine == theirs).all()
    twice = unpacked(plan.layout, [*bodies, *bodies])
    assert (twice.lineups == 2 * tally.lineups).all()
    with pytest.raises(ValueError, match="is not one of this layout"):
        unpacked(dataclasses.replace(plan.layout, seats=3), bodies)


def test_blocks_are_dyadic_and_neither_few_nor_many() -> None:
    for deals in (1, 2, 127, 128, 129, 255, 256, 257, 10_000, 12_345_678):
        layout = layout_for(deals, 1, 6, 2, 3, False, 3)
        blocks = layout.block((deals - 1) * layout.deal) + 1
        assert blocks <= 128
        assert blocks > 64 or layout.shift == 0
    large = layout_for(10_000, 3_000, 30, 2, 3, False, 6)
    assert 10 <= large.block(9_999 * large.deal) + 1 < 64


@pytest.mark.parametrize("plies", [0, 1, 63, 64, 65, 66, 127, 128, 131, 132, 1_000, 65_535, 10**7])
def test_classes_of_lengths(plies: int) -> None:
    number = length_class(plies)
    assert LOWEST[number] <= plies
    assert number == LENGTHS - 1 or plies < LOWEST[number + 1]
    assert len(LOWEST) == LENGTHS


def test_coarser_blocks_hold_the_same() -> None:
    plan = small_plan("cuttle", 2, 4_000)
    rows = random_rows(plan, 1_200, 4)
    tally = counter_of(plan).count(0, rows)
    layout = dataclasses.replace(plan.layout, shift=plan.layout.shift + 3)
    expected = Counter(layout, counter_of(plan)._meaning).count(0, rows)
    found = tally.coarser(layout.shift)
    for mine, theirs in zip(found.arrays, expected.arrays, strict=True):
        assert (mine == theirs).all()
    with pytest.raises(ValueError, match="cannot be cut"):
        found.coarser(layout.shift - 1)


def test_tallies_of_other_layouts_cannot_be_added() -> None:
    one, other = (Tally(small_plan("cuttle", 2, matches).layout, 0, 1) for matches in (10, 100_000))
    with pytest.raises(ValueError, match="same layout"):
        one + other


# ---------------------------------------------------------------- stored


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with writing(tmp_path / "x.duckdb") as opened:
        yield opened


class Cut(InProcess):
    """Plays chunks of the sizes given, over and over."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    def results(self, plan: Plan, first: int, end: int, keep: bool = True, *_: Any, **__: Any) -> Iterator[Any]:
        worker = Worker(plan.settings, keep)
        for size in itertools.cycle(self.sizes):
            if first >= end:
                return
            yield worker.play(first, min(first + size, end))
            first += size


@pytest.mark.parametrize("game", ["cuttle", "jack_and_jill"])
@pytest.mark.parametrize("telemetry", [False, True])
def test_a_run_says_the_same_whatever_its_chunks_and_whatever_it_keeps(
    store: Store, monkeypatch: pytest.MonkeyPatch, game: str, telemetry: bool
) -> None:
    monkeypatch.setattr(runner, "COMMIT_ROWS", 100)
    bots = "random,greedy,points_rush" if game == "cuttle" else "random,stepper,budgeter"
    plan = plan_run(game, bots, matches=700, seed=2, telemetry=telemetry)
    tallies = []
    for keep, sizes in itertools.product((True, False), ([1_000], [7], [1, 300, 2, 97])):
        run = runner.start(plan, store, keep)
        for most in (300, 10_000):  # interrupted once, in the middle of a board

            class Some(Cut):
                def results(
                    self, plan: Plan, first: int, end: int, keep: bool = True, *_: Any, **__: Any
                ) -> Iterator[Any]:
                    return super().results(plan, first, min(end, most), keep)  # noqa: B023

            runner.play(plan, store, store.run(run.id), Some(*sizes))
        stored = store.run(run.id)
        assert stored.complete
        assert stored.keep == ("matches" if keep else "tallies")
        rows = store._rows(f"SELECT count(*) FROM {stored.table} WHERE run = ?", [stored.number])[0][0]
        assert rows == (700 if keep else 0)
        tallies.append(read(store, stored).tally)
    for tally in tallies[1:]:
        for mine, theirs in zip(tally.arrays, tallies[0].arrays, strict=True):
            assert (mine == theirs).all()


# ---------------------------------------------------------------- several runs


def counted_runs(store: Store, *asked: tuple[str, int, int]) -> list[Any]:
    """Runs of Cuttle: bots, matches and seed of each."""
    found = []
    for bots, matches, seed in asked:
        plan = plan_run("cuttle", bots, matches=matches, seed=seed)
        run = runner.start(plan, store)
        runner.play(plan, store, run, InProcess())
        found.append(read(store, store.run(run.id)))
    return found


def test_the_same_matches_count_once(store: Store) -> None:
    one, again, longer, other = counted_runs(
        store,
        ("random,greedy", 400, 1),
        ("random,greedy", 400, 1),
        ("random,greedy,points_rush", 3_000, 1),
        ("random,greedy", 400, 2),
    )
    alone = Pool([one])
    assert alone.merged == 0
    twice = Pool([one, again])
    assert twice.merged == 400
    assert twice.records == alone.records
    assert "400 matches are in several of these runs" in twice.notices[-1]
    both = Pool([one, longer])
    assert both.merged == 400  # its 200 deals are among the 500 of the other run
    assert both.records == Pool([longer]).records
    assert Pool([longer, one]).records == both.records
    apart = Pool([one, other])
    assert apart.merged == 0
    assert apart.clusters == 2 * alone.clusters
    assert apart.records[0].matches == 800
    for pool in (twice, both):
        assert pool.pairs.counts.sum() == sum(record.matches - record.none for record in pool.records) / 2


def test_other_bots_on_the_same_deals_are_in_the_same_clusters(store: Store) -> None:
    one, other = counted_runs(store, ("random,greedy", 400, 1), ("random,points_rush", 400, 1))
    pool = Pool([one, other])
    assert pool.merged == 0
    assert pool.clusters == max(one.tally.blocks, other.tally.blocks)
    assert pool.records[0].matches == 800


def test_bots_of_other_code_are_other_bots(store: Store) -> None:
    (one,) = counted_runs(store, ("random,greedy", 40, 1))
    bots = tuple(dataclasses.replace(bot, code="f" * 16) for bot in one.facts.bots)
    pool = Pool([one, dataclasses.replace(one, facts=dataclasses.replace(one.facts, bots=bots))])
    assert pool.merged == 0
    assert [bot.partition("@")[0] for bot in pool.bots] == ["random", "greedy", "random", "greedy"]


def test_teams_count_once_too(store: Store) -> None:
    plan = plan_run("jack_and_jill", "random,stepper,budgeter", players=1, matches=300)
    rows = random_rows(plan, 300, 5, 0.0)
    runs = [read(store, store_rows(store, plan, rows)) for _ in range(2)]
    alone, twice = Pool(runs[:1]), Pool(runs)
    assert twice.merged == 300
    assert (alone.teams[0].counts == twice.teams[0].counts).all()
    assert alone.records == twice.records
    assert alone.teams[0].counts.sum() == 300  # three pairs of teams on each of 100 deals


def test_spoiled_matches_count_for_nobody(store: Store) -> None:
    plan = plan_run("cuttle", "random,greedy", matches=20)
    rows = random_rows(plan, 20, 6, 0.0)
    rows[ROW_REASON, 3], rows[ROW_RANKS, 3] = -1, 0  # line-up (1, 0): greedy is at fault
    pool = Pool([read(store, store_rows(store, plan, rows))])
    assert [record.matches for record in pool.records] == [19, 19]
    assert [record.faults for record in pool.records] == [0, 1]
    assert FAULTS >= 1


def test_a_toy_is_counted_like_a_game() -> None:
    toy = toys.design(3)
    sample = toys.fill(toy, toys.duel(np.random.default_rng(0), toy, 300))
    assert sample.deals.sum() == 300
    assert sample.pair_matches.sum() == 300 * 6 * 2
    shares = sample.pair_shares[0].value
    assert np.allclose(shares + shares.T, 1.0)


def test_a_run_without_matches_is_read(played: Path, tmp_path: Path) -> None:
    with writing(tmp_path / "x.duckdb") as store:
        run: StoredRun = runner.start(plan_run("cuttle", "random,greedy", matches=10, seed=8), store)
        assert Pool([read(store, run)]).records[0].share.value is None
    with reading(played) as store:
        assert read(store, store.run("latest")).sample.matches.tolist() == [1200]
