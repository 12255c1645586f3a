"""Standings against the same sums done the slow way, and ratings that do not depend on how a run was played."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import trueskill as package

from engine.errors import HilltopError
from engine.loop import ROW_PLIES, ROW_RANKS, ROW_REASON, ROW_SCORES
from storage.store import Chunk, Store, StoredRun, writing
from tournament import run as runner
from tournament import standings, teams
from tournament.execution import InProcess
from tournament.intervals import share_interval
from tournament.plan import Plan, plan_run
from tournament.standings import DRAWS, LOSSES, MATCHES, NONE, WINS, Tally
from tournament.worker import Worker


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with writing(tmp_path_factory.mktemp("standings") / "test.duckdb") as opened:
        yield opened


def _played(store: Store, plan: Plan) -> StoredRun:
    run = runner.start(plan, store)
    runner.play(plan, store, run, InProcess())
    return store.run(run.id)


@pytest.fixture(scope="module")
def duel(store: Store) -> StoredRun:
    return _played(store, plan_run("cuttle", "random,greedy,points_rush", matches=1800, seed=3))


@pytest.fixture(scope="module")
def crowd(store: Store) -> StoredRun:
    return _played(
        store, plan_run("queen_of_the_hill", "random,threshold,counter,follower", "dark_one", players=3, matches=600)
    )


def _rows(store: Store, run: StoredRun) -> list[dict[str, Any]]:
    plan = runner.resume(run)
    rows = []
    for first, frame in store.slices(run, ["ranks", "reason", "plies"]):
        for place, (packed, reason, plies) in enumerate(frame.iter_rows()):
            deal, lineup = plan.locate(first + place)
            ranks = [packed // 10**seat % 10 for seat in range(plan.players)]
            name = plan.game.state.REASONS[reason]
            rows.append({"deal": deal, "bots": lineup.entrants, "ranks": ranks, "reason": name, "plies": plies})
    return rows


def _share(row: dict[str, Any], seat: int, none: bool) -> float:
    if none:
        return 0.0
    others = [rank for other, rank in enumerate(row["ranks"]) if other != seat]
    mine = row["ranks"][seat]
    return sum(1.0 if rank > mine else 0.5 if rank == mine else 0.0 for rank in others) / len(others)


@pytest.mark.parametrize("name", ["duel", "crowd"])
def test_counts_and_shares_are_those_of_the_rows(name: str, store: Store, request: pytest.FixtureRequest) -> None:
    run: StoredRun = request.getfixturevalue(name)
    rows = _rows(store, run)
    assert len(rows) == run.matches
    counted = standings.tally(store, run)
    none_wins = counted.plan.game.none_wins
    if name == "crowd":
        assert any(row["reason"] in none_wins for row in rows)
    for bot in range(len(counted.plan.entrants)):
        seen = [(row, seat) for row in rows for seat in range(counted.plan.players) if row["bots"][seat] == bot]
        kinds = dict.fromkeys((WINS, DRAWS, LOSSES, NONE), 0)
        for row, seat in seen:
            if row["reason"] in none_wins:
                kinds[NONE] += 1
            elif row["ranks"][seat] > 0:
                kinds[LOSSES] += 1
            else:
                kinds[WINS if row["ranks"].count(0) == 1 else DRAWS] += 1
        assert int(counted.counts[0, bot, MATCHES]) == len(seen)
        assert {kind: int(counted.counts[0, bot, kind]) for kind in kinds} == kinds
        by_deal: dict[int, list[float]] = {}
        for row, seat in seen:
            by_deal.setdefault(row["deal"], []).append(_share(row, seat, row["reason"] in none_wins))
        full = max(len(shares) for shares in by_deal.values())
        means = [sum(shares) / len(shares) for shares in by_deal.values() if len(shares) == full]
        total, squares, deals = counted.deal_shares(0, bot)
        assert deals == len(means)
        assert total == pytest.approx(sum(means))
        assert squares == pytest.approx(sum(mean * mean for mean in means))


def test_a_pair_is_seen_alike_from_both_sides(store: Store, duel: StoredRun) -> None:
    counted = standings.tally(store, duel)
    for one, two in ((0, 1), (0, 2), (1, 2)):
        ours, theirs = counted.pair_share(0, one, two), counted.pair_share(0, two, one)
        assert float(ours.estimate) == pytest.approx(1.0 - float(theirs.estimate))
        assert float(ours.low) == pytest.approx(1.0 - float(theirs.high))
        assert float(ours.low) <= float(ours.estimate) <= float(ours.high)


def test_a_deal_with_a_missing_or_spoiled_match_is_no_observation() -> None:
    plan = plan_run("cuttle", "random,greedy", matches=8)
    rows = np.zeros((plan.rows, 8), np.int64)
    rows[ROW_RANKS] = [10, 1, 10, 1, 0, 1, 10, 10]
    rows[ROW_REASON, 4] = -1  # seat 0 of deal 2, "random", chose an illegal move
    counted = Tally(plan)
    counted.add(0, rows[ROW_RANKS, :7], rows[ROW_REASON, :7], rows[ROW_PLIES, :7], rows[ROW_SCORES:, :7])
    # Deals 0 and 1 are whole: random won both seats. Deal 2 is spoiled, deal 3 half played.
    assert counted.pairs[0, 0, 1].tolist() == [2, 8, 32]
    assert counted.faults.tolist() == [1, 0]
    assert counted.counts[0, 0, MATCHES] == 6
    expected = share_interval(2.0, 2.0, 2)
    assert counted.pair_share(0, 0, 1) == expected


def test_tallies_of_slices_add_up_to_the_whole(store: Store, duel: StoredRun) -> None:
    plan = runner.resume(duel)
    worker = Worker(plan.settings)
    whole, parts = Tally(plan), Tally(plan)
    rows = np.concatenate([worker.play(chunk).rows for chunk in range(plan.chunks)], axis=1)
    whole.add(0, rows[ROW_RANKS], rows[ROW_REASON], rows[ROW_PLIES], rows[ROW_SCORES:])
    cuts = [0, 6, 60, 600, 1794, 1800]
    for first, last in pairwise(cuts):
        part = rows[:, first:last]
        parts.add(first, part[ROW_RANKS], part[ROW_REASON], part[ROW_PLIES], part[ROW_SCORES:])
    for name in ("counts", "units", "seats", "scores", "pairs", "deals", "reasons", "plies", "faults"):
        assert (getattr(whole, name) == getattr(parts, name)).all(), name
    assert (standings.tally(store, duel).pairs == whole.pairs).all()


def test_ratings_are_those_of_the_package_in_match_order(store: Store, duel: StoredRun) -> None:
    board = standings.leaderboard(store, [duel], [standings.tally(store, duel)], draw_probability=0.05, tau=0.02)
    model = board.model
    environment = package.TrueSkill(model.mu, model.sigma, model.beta, model.tau, model.draw_probability)
    ratings = [environment.create_rating() for _ in range(3)]
    for row in _rows(store, duel):
        one, two = row["bots"]
        (new_one,), (new_two,) = environment.rate([(ratings[one],), (ratings[two],)], ranks=row["ranks"])
        ratings[one], ratings[two] = new_one, new_two
    for standing in board.standings:
        bot = duel.settings["bots"].index(standing.bot)
        assert standing.mu == pytest.approx(ratings[bot].mu, abs=1e-6)
        assert standing.sigma == pytest.approx(ratings[bot].sigma, abs=1e-6)
    assert [standing.bot for standing in board.standings][-1] == "random"


def test_ratings_do_not_depend_on_the_order_in_which_rows_lie_in_the_file(store: Store, duel: StoredRun) -> None:
    """The same matches stored backwards, row by row, give the same ratings to the last bit."""
    plan = runner.resume(duel)
    worker = Worker(plan.settings)
    expected = standings.leaderboard(store, [duel], [standings.tally(store, duel)])
    again = runner.start(plan, store)
    chunks = [Chunk(number, plan.chunk_bounds(number)[0], worker.play(number).rows) for number in range(plan.chunks)]
    store.append(again, chunks[::-1])
    stored = store.run(again.id)
    board = standings.leaderboard(store, [stored], [standings.tally(store, stored)])
    assert board.standings == expected.standings


def test_runs_are_rated_together_and_only_within_a_game(store: Store, duel: StoredRun, crowd: StoredRun) -> None:
    tally = standings.tally(store, duel)
    twice = standings.leaderboard(store, [duel, duel], [tally, tally])
    once = standings.leaderboard(store, [duel], [tally])
    assert [s.matches for s in twice.standings] == [2 * s.matches for s in once.standings]
    assert all(two.sigma < one.sigma for two, one in zip(twice.standings, once.standings, strict=True))
    with pytest.raises(HilltopError, match="different games"):
        standings.one_game([duel, crowd])


def test_bots_of_other_code_are_other_bots(duel: StoredRun) -> None:
    changed = StoredRun(**{**duel.__dict__, "fingerprint": "0123456789abcdef"})
    names = standings.bot_names([duel, changed])
    assert names[0] != names[1]
    assert names[1][0] == "random@012345"
    assert standings.bot_names([duel, duel])[0] == ["random", "greedy", "points_rush"]


def test_matches_that_nobody_won_move_no_rating(store: Store, crowd: StoredRun) -> None:
    counted = standings.tally(store, crowd)
    board = standings.leaderboard(store, [crowd], [counted])
    assert sum(standing.none for standing in board.standings) == int(counted.counts[..., NONE].sum()) > 0
    decided = sum(row["reason"] not in counted.plan.game.none_wins for row in _rows(store, crowd))
    sources = [(crowd, counted.plan, np.arange(len(counted.plan.entrants)))]
    rated = sum(len(ranks) for _, ranks in standings._rated_matches(store, *sources[0], False))
    assert rated == decided


# ---------------------------------------------------------------- cooperative games


@pytest.mark.parametrize("players", [1, 2])
def test_teams_are_counted_by_their_rows(players: int, store: Store) -> None:
    bots = runner_bots()[:3]
    run = _played(store, plan_run("jack_and_jill", ",".join(bots), players=players, matches=270, seed=5))
    plan = runner.resume(run)
    rows = _rows(store, run)
    scores = [score for _, frame in store.slices(run, ["score0"]) for score in frame["score0"]]
    found = {standing.team: standing for standing in teams.standings(store, run)}
    assert len(found) == len(plan.lineups) == 3**players
    for lineup in plan.lineups:
        team = " + ".join(plan.entrants[entrant].spec for entrant in lineup.entrants)
        mine = [(row, score) for row, score in zip(rows, scores, strict=True) if row["bots"] == lineup.entrants]
        standing = found[team]
        assert standing.matches == len(mine)
        assert standing.wins == sum(row["reason"] == "won" for row, _ in mine)
        assert standing.score == pytest.approx(sum(score for _, score in mine) / len(mine))
        assert sum(standing.reasons.values()) == len(mine)
        assert sum(standing.medals.values()) <= standing.wins


def test_partners_are_rated_only_against_teams_without_them() -> None:
    members = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 3]])
    worth = np.array([[3, 0, 5, 1, 1], [0, 0, 0, 0, 9]])
    entrants, ranks, seats = teams._disjoint_pairs(members, worth, 0)
    assert seats.tolist() == [0, 0, 1, 1]
    assert len(entrants) > 0
    for row, places in zip(entrants, ranks, strict=True):
        assert not set(row[:2]) & set(row[2:])
        one, two = [members.tolist().index(list(part)) for part in (row[:2], row[2:])]
        deal = [d for d in range(2) if np.sign(worth[d, two] - worth[d, one]) == np.sign(places[0] - places[2])]
        assert deal
        assert places[0] == places[1]
        assert places[2] == places[3]
    # Alone, every team meets every other one equally often.
    entrants, ranks, seats = teams._disjoint_pairs(np.array([[4], [5], [6]]), np.array([[0, 7, 7]] * 4), 0)
    assert seats.tolist() == [0, 1]
    met = [tuple(sorted(pair)) for pair in entrants.tolist()]
    assert {pair: met.count(pair) for pair in met} == {(4, 5): 4, (4, 6): 4, (5, 6): 4}
    for pair, places in zip(entrants.tolist(), ranks.tolist(), strict=True):
        assert places == ([0, 0] if 4 not in pair else [1, 0] if pair[0] == 4 else [0, 1])


def test_the_better_solo_bot_is_rated_higher(store: Store) -> None:
    """Planted: one team wins every deal with 20, the others lose, and where they stand in the list is nothing."""
    plan = plan_run("jack_and_jill", ",".join(runner_bots()[:3]), players=1, matches=300)
    reasons = plan.game.state.REASONS
    rows = np.zeros((plan.rows, 300), np.int32)
    rows[ROW_REASON] = np.where(np.arange(300) % 3 == 1, reasons.index("won"), reasons.index("c1"))
    rows[ROW_SCORES] = np.where(np.arange(300) % 3 == 1, 20, 0)
    run = runner.start(plan, store)
    store.append(run, [Chunk(0, 0, rows)])
    stored = store.run(run.id)
    _, rated = teams.rate(store, [stored], standings.bot_names([stored]), None, 0.0)
    assert rated[0].bot == runner_bots()[1]
    assert rated[0].conservative > rated[1].mu
    assert rated[1].mu == pytest.approx(rated[2].mu, abs=0.5)
    best = teams.standings(store, stored)[0]
    assert (best.team, best.wins, best.score, best.medals) == (runner_bots()[1], 100, 20.0, {"gold": 100})


def runner_bots() -> list[str]:
    """The first bots of the cooperative game."""
    from bots.registry import names

    return list(names("jack_and_jill"))
