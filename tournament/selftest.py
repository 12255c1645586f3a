"""Are the numbers true? Simulations in which the truth is planted, each promise against what came of it.

Every check counts how often something happened in a number of independent runs, and compares it with what is promised:
a share that may be at most so large, or at least, or must lie around one. A check fails if that often or more often
would have happened with a probability below one in a thousand had the promise been kept. Seeds are fixed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from engine.game import Options
from engine.loop import ROW_RANKS, ROW_REASON
from storage.store import StoredRun
from tournament.counting import counter_of
from tournament.describe import describe
from tournament.plan import Plan, plan_variants
from tournament.statistics import decision
from tournament.statistics.counted import Counted, Pool
from tournament.statistics.facts import Facts, lineup_numbers
from tournament.statistics.pairs import Floats
from tournament.statistics.ranking import separated
from tournament.statistics.sequential import BETTER, NOT_BETTER, RatioTest
from tournament.statistics.simulation import World, duel_world
from tournament.statistics.strengths import BETA, Strengths, elo, trueskill

AT_MOST, AT_LEAST, AROUND = "at most", "at least", "around"
SLACK = 0.03  # of a coverage that is promised to be around 95 %: 92 to 98 %
RARE = 0.001

TABLES = {
    "2 seats": World((0.0, 0.3, 0.6, 1.2), (0.2, -0.2), 0.15, 0.5, 0.3),
    "4 seats": World((0.0, 0.1, 0.2, 0.3, 0.5, 1.0), (0.2, 0.0, -0.1, -0.1), 0.3, 1.0, 0.7),
    "2 bots at 4 seats": World((0.0, 0.5), (0.2, 0.0, -0.1, -0.1), 0.1, 0.5, 0.3),
}


@dataclass(frozen=True)
class Check:
    """One promise: ``happened`` in so many of ``runs``, where ``kind`` ``promised`` was said."""

    name: str
    kind: str
    promised: float
    happened: int
    runs: int

    @property
    def share(self) -> float:
        """Of the runs."""
        return self.happened / self.runs

    @property
    def kept(self) -> bool:
        """Could this have happened if the promise was kept?"""
        from scipy import stats  # type: ignore[import-untyped]

        low = self.promised - (SLACK if self.kind == AROUND else 0.0)
        high = self.promised + (SLACK if self.kind == AROUND else 0.0)
        many = bool(stats.binom.sf(self.happened - 1, self.runs, high) > RARE)
        few = bool(stats.binom.cdf(self.happened, self.runs, low) > RARE)
        return {AT_MOST: many, AT_LEAST: few, AROUND: many and few}[self.kind]


def checks(effort: int = 1) -> Iterator[Check]:
    """All checks, ``effort`` times the usual number of runs."""
    for name, world in TABLES.items():
        for method in (trueskill, elo):
            yield from _coverage(name, world, method, 60 * effort)
    yield from _pools(50 * effort)
    yield _equals(100 * effort)
    for draws in (0.0, 0.3, 0.9):
        yield from _duels(draws, 150 * effort)
    yield _duel_pieces(20 * effort)
    yield _looks(150 * effort)
    yield from _choices(100 * effort)
    yield _promise(400 * effort)
    yield _orders(5 * effort)
    yield from _matches(effort)


def _count(happens: Iterable[Any]) -> tuple[int, int]:
    found = [bool(one) for one in happens]
    return sum(found), len(found)


def _coverage(name: str, world: World, method: Callable[..., Strengths], runs: int) -> Iterator[Check]:
    """Intervals of ratings and of neighbours' differences. A run's intervals go together, so one is drawn of each."""
    truth = world.mu * BETA if method is trueskill else elo(world.play(60_000, seed=10**6)).mu - 1500.0
    order = np.argsort(truth)
    word = "TrueSkill" if method is trueskill else "Elo"
    single, gaps = [], []
    for seed in range(runs):
        found = method(world.play(150, seed))
        quantile, bot = found.quantile(), seed % len(truth)
        single.append(abs(found.mu[bot] - found.mu.mean() - truth[bot]) <= quantile * found.error[bot])
        one, two = order[seed % (len(order) - 1)], order[seed % (len(order) - 1) + 1]
        gap = (found.mu[two] - found.mu[one]) - (truth[two] - truth[one])
        gaps.append(abs(gap) <= quantile * found.difference_error[one, two])
    yield Check(f"95 % interval of {word} holds the planted value, {name}", AROUND, 0.95, *_count(single))
    yield Check(f"95 % interval of neighbours' difference, {word}, {name}", AROUND, 0.95, *_count(gaps))


# Runs that are counted together: of each the numbers of its rules, its deals, and its seed.
POOLS: dict[str, list[tuple[tuple[int, ...], int, int]]] = {
    "three variants on the same deals": [((0, 1, 2), 260, 0)],
    "five runs of the same matches": [*[((0,), 260, 0)] * 4, ((0,), 170, 0)],
    "runs of three seeds": [((0,), 130, 0), ((0,), 260, 1), ((0,), 70, 2)],
    "variants, seeds and repeated matches": [((0, 1), 130, 0), ((1, 2), 260, 0), ((2,), 130, 1), ((0, 2), 130, 1)],
}
DEALT = {
    "2 seats": ("cuttle", "random,greedy,points_rush", World((0.0, 0.3, 0.8), (0.2, -0.2), 0.3, 1.0, 0.8)),
    "4 seats": (
        "queen_of_the_hill",
        "random,threshold,hoarder,sniper",
        World((0.0, 0.2, 0.4, 1.0), (0.2, 0.0, -0.1, -0.1), 0.0, 1.0, 0.8),
    ),
}


def _pools(runs: int) -> Iterator[Check]:
    """Runs over variants and several runs as one, counted as stored ones are: shares and ratings, one bot of each."""
    for seats, (game, bots, world) in DEALT.items():
        for name, parts in POOLS.items():
            shares, ratings = [], []
            for seed in range(runs):
                pool = Pool([_dealt(game, bots, world, rules, deals, 10 * seed + own) for rules, deals, own in parts])
                lineups = lineup_numbers(pool.facts)
                bot = seed % len(pool.bots)
                share = pool.records[bot].share
                shares.append(share.low <= world.shares(lineups)[bot] <= share.high)
                found = trueskill(pool.pairs)
                miss = abs(found.mu[bot] - found.mu.mean() - world.mu[bot] * BETA)
                ratings.append(miss <= found.quantile() * found.error[bot])
            yield Check(f"95 % interval of a share, {name}, {seats}", AROUND, 0.95, *_count(shares))
            yield Check(f"95 % interval of TrueSkill, {name}, {seats}", AROUND, 0.95, *_count(ratings))


def _dealt(game: str, bots: str, world: World, rules: tuple[int, ...], deals: int, seed: int) -> Counted:
    """A run under some of three sets of rules, as if it had been played in the world and stored."""
    plan, facts = _planned(game, bots, rules, deals)
    lineups = lineup_numbers(facts)
    ranks = np.stack([world.ranks(lineups, deals, seed, one) for one in rules], axis=1).reshape(plan.matches, -1)
    rows = np.zeros((plan.rows, plan.matches), np.int32)
    rows[ROW_RANKS] = ranks @ 10 ** np.arange(ranks.shape[1])
    rows[ROW_REASON] = next(n for n, reason in enumerate(facts.reasons) if reason not in facts.nobody)
    stored = StoredRun(
        0, "", game, plan.settings, plan.matches, len(plan.lineups), "", plan.fingerprint, datetime.min, "tallies",
        plan.matches, 1,
    )  # fmt: skip
    return Counted(stored, replace(facts, seed=seed), counter_of(plan).count(0, rows))


@functools.cache
def _planned(game: str, bots: str, rules: tuple[int, ...], deals: int) -> tuple[Plan, Facts]:
    """What such a run would be, whatever its seed; rules 0 are the standard ones."""
    option = "goal" if game == "cuttle" else "round_cap"
    variants: list[tuple[str, Options]] = [("standard", {option: 21 + number} if number else {}) for number in rules]
    one = plan_variants(game, bots, variants, matches=1)
    plan = plan_variants(game, bots, variants, matches=deals * len(one.lineups))
    return plan, describe(plan)


def _equals(runs: int) -> Check:
    world = World((0.0,) * 5, deal_luck=0.8, bot_luck=0.5)
    told = (separated(trueskill(world.play(60, seed))).any() for seed in range(runs))
    return Check("five equal bots get different ranks", AT_MOST, 0.05, *_count(told))


def _duels(draws: float, runs: int) -> Iterator[Check]:
    """Both risks, and what is saved if the deal's luck is strong."""
    used = {}
    for luck in (0.0, 3.0):
        for lead, wrong, risk in ((0.0, BETTER, "an equal is called better"), (30.0, NOT_BETTER, "30 Elo are missed")):
            world = duel_world(lead, draws, luck)
            tests = [RatioTest(0.5, _share(30.0), 4) for _ in range(runs)]
            for seed, test in enumerate(tests):
                test.feed(world.duel(6000, seed))
            where = f"draws {100 * draws:.0f} %, {'strong' if luck else 'no'} luck of the deal"
            yield Check(f"duel: {risk}, {where}", AT_MOST, 0.05, *_count(test.verdict == wrong for test in tests))
            used[luck, lead] = np.mean([test.n for test in tests])
    saved = used[3.0, 30.0] < 0.5 * used[0.0, 30.0]
    if not draws:
        yield Check("duel: luck of the deal, cancelled, saves half of the matches", AT_LEAST, 1.0, int(saved), 1)


def _share(lead: float) -> float:
    return float(1.0 / (1.0 + 10.0 ** (-lead / 400.0)))


def _duel_pieces(runs: int) -> Check:
    same = []
    for seed in range(runs):
        units = duel_world(15.0, 0.3, 1.0).duel(3000, seed)
        whole, parts = (RatioTest(0.5, _share(30.0), 4) for _ in range(2))
        whole.feed(units)
        for first in range(0, len(units), 1 + 37 * seed):
            parts.feed(units[first : first + 1 + 37 * seed])
        same.append((whole.verdict, whole.n, whole.interval()) == (parts.verdict, parts.n, parts.interval()))
    return Check("duel: the verdict is the same in pieces of any size", AT_LEAST, 1.0, *_count(same))


def _looks(runs: int) -> Check:
    """An even game, looked at every time it has a tenth more deals: ever called unfair?"""
    rng = np.random.default_rng(1)
    looks = np.unique(np.geomspace(20, 20_000, 75).astype(int))
    ever = []
    for _ in range(runs):
        values = np.cumsum(rng.standard_normal(looks[-1]))[looks - 1] / looks
        ever.append((np.abs(values) * np.sqrt(looks) > decision.reach(looks.astype(np.float64), 1e9)).any())
    return Check("an even game is ever called uneven in 75 looks", AT_MOST, 0.05, *_count(ever))


def _choices(runs: int) -> Iterator[Check]:
    """The fairest of many variants on the same deals: is it within its interval, is it rightly called fair?"""
    rng = np.random.default_rng(2)
    for variants in (11, 50):
        hit, wrong = [], []
        for _ in range(runs):
            truth = rng.uniform(-0.03, 0.03, variants)
            values, moves = _batches(rng, truth)
            many = decision.comparisons(moves)
            error = np.sqrt((moves**2).sum(axis=0))
            best = int(np.abs(values).argmin())
            half = float(_simultaneous(many, len(moves) - 1)) * error[best]
            hit.append(abs(values[best] - truth[best]) <= half)
            strict = decision.reach(1000.0, len(moves) - 1, many) * error
            calls = [decision.verdict(float(v), float(h), 0.02) for v, h in zip(values, strict, strict=True)]
            wrong.append(any(call == decision.FAIR and abs(t) > 0.02 for call, t in zip(calls, truth, strict=True)))
        yield Check(f"95 % interval of the fairest of {variants} variants", AT_LEAST, 0.95, *_count(hit))
        yield Check(f"any of {variants} variants is wrongly called fair", AT_MOST, 0.05, *_count(wrong))


def _simultaneous(many: float, freedom: float) -> Floats:
    from scipy import special

    return np.asarray(special.stdtrit(freedom, 1.0 - 0.025 / many), np.float64)


def _batches(rng: np.random.Generator, truth: Floats, batches: int = 100) -> tuple[Floats, Floats]:
    """Estimates from 100 batches of 10 deals that variants share, and what moves them."""
    shared = rng.standard_normal((batches, 1))
    parts = truth + 0.35 / np.sqrt(10.0) * (0.6 * shared + 0.8 * rng.standard_normal((batches, len(truth))))
    values = parts.mean(axis=0)
    return values, (parts - values) / np.sqrt(batches * (batches - 1.0))


def _promise(runs: int) -> Check:
    """'N more matches would decide', followed: does it?"""
    rng = np.random.default_rng(3)
    decided: list[bool] = []
    while len(decided) < runs:
        truth, deals = rng.uniform(-0.06, 0.06), int(rng.choice([1000, 4000, 16_000]))
        value, error = truth + 0.35 / np.sqrt(deals) * rng.standard_normal(), 0.35 / np.sqrt(deals)
        if decision.verdict(value, float(decision.reach(deals, 1e9)) * error, 0.02) != decision.UNDECIDED:
            continue
        more = decision.more_deals(value, error, deals, 0.02)
        if more is None:
            continue
        whole = deals + more
        later = (value * deals + truth * more + 0.35 * np.sqrt(more) * rng.standard_normal()) / whole
        half = float(decision.reach(whole, 1e9)) * 0.35 / np.sqrt(whole)
        decided.append(decision.verdict(later, half, 0.02) != decision.UNDECIDED)
    return Check("'more matches would decide', followed, decides", AT_LEAST, 0.8, *_count(decided))


def _orders(runs: int) -> Check:
    """Rows, clusters, bots and seats renumbered: ratings equal to 1e-9."""
    same = []
    for seed in range(runs):
        pairs = TABLES["4 seats"].play(60, seed)
        rng = np.random.default_rng(seed)
        rows, blocks = rng.permutation(len(pairs.cells)), rng.permutation(len(pairs.counts))
        bots, seats = rng.permutation(len(pairs.bots)), rng.permutation(pairs.seats)
        numbers = enumerate((bots, seats, bots, seats))
        cells = np.stack([number[pairs.cells[rows, at]] for at, number in numbers], axis=1)
        again = trueskill(type(pairs)(pairs.bots, pairs.seats, cells, pairs.counts[blocks][:, rows]))
        same.append(np.abs(again.mu[bots] - trueskill(pairs).mu).max() < 1e-9)
    return Check("ratings are the same in any order and numbering", AT_LEAST, 1.0, *_count(same))


def _matches(effort: int) -> Iterator[Check]:
    """Real matches of a bot against itself: neither seats nor blocks of deals differ by more than chance."""
    from scipy import stats

    from tournament.duel import deal_units, plan_duel
    from tournament.worker import Worker

    p_seats, p_blocks, same = [], [], []
    deals, blocks = 400, 8
    for seed in range(20 * effort):
        plan = plan_duel("cuttle", "random", "random", most=2 * deals, seed=seed)
        worker = Worker(plan.settings)
        rows = np.stack([worker.play_lineup(lineup, 0, deals) for lineup in (0, 1)], axis=2).reshape(plan.rows, -1)
        cut = int(np.random.default_rng(seed).integers(1, deals))
        parts = [worker.play_lineup(0, first, size) for first, size in ((cut, deals - cut), (0, cut))]
        same.append(bool((np.concatenate(parts[::-1], axis=1) == rows[:, ::2]).all()))
        shares = deal_units(plan, rows) / 4.0 - 0.5  # the first copy's, of both seats: 0 on average
        error = max(float(shares.std(ddof=1)), 1e-9)
        p_seats.append(2.0 * stats.norm.sf(abs(shares.mean()) / error * np.sqrt(deals)))
        means = shares.reshape(blocks, -1).mean(axis=1) / error * np.sqrt(deals / blocks)
        p_blocks.append(stats.chi2.sf(((means - means.mean()) ** 2).sum(), blocks - 1))
    yield Check("cuttle: a bot differs from its copy at 5 %", AT_MOST, 0.05, *_count(p < 0.05 for p in p_seats))
    yield Check("cuttle: blocks of deals differ at 5 %", AT_MOST, 0.05, *_count(p < 0.05 for p in p_blocks))
    yield Check("cuttle: matches are the same in any chunks", AT_LEAST, 1.0, *_count(same))
