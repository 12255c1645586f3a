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
from engine.loop import ROW_RANKS, ROW_REASON, ROW_SCORES
from storage.store import StoredRun
from tournament.balance.compare import fairest
from tournament.balance.fairness import ALL, fairness
from tournament.counting import Array, counter, counter_of
from tournament.describe import describe
from tournament.plan import Plan, plan_variants
from tournament.statistics import decision
from tournament.statistics.counted import Counted, Pool
from tournament.statistics.facts import Facts, lineup_numbers
from tournament.statistics.pairs import Floats
from tournament.statistics.question import BEST, PAIR, RANKS, Question
from tournament.statistics.ranking import separated
from tournament.statistics.sample import Design, Sample
from tournament.statistics.sequential import BETTER, NOT_BETTER, RatioTest
from tournament.statistics.simulation import World, duel_world
from tournament.statistics.strengths import BETA, Strengths, elo, trueskill
from tournament.statistics.tally import layout_for
from tournament.until import Watch

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
    yield from _until(2 * effort)
    yield _equals(100 * effort)
    for draws in (0.0, 0.3, 0.9):
        yield from _duels(draws, 150 * effort)
    yield _duel_pieces(20 * effort)
    yield _looks(4 * effort)
    yield from _sweeps(6 * effort)
    yield from _promise(20 * effort)
    yield _orders(5 * effort)
    yield from _matches(30 * effort)


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
    rows = _rows(plan, facts, world, rules, deals, seed)
    stored = StoredRun(
        0, "", game, plan.settings, plan.matches, len(plan.lineups), "", plan.fingerprint, datetime.min, "tallies",
        plan.matches, 1,
    )  # fmt: skip
    return Counted(stored, replace(facts, seed=seed), counter_of(plan).count(0, rows))


def _rows(plan: Plan, facts: Facts, world: World, rules: tuple[int, ...], deals: int, seed: int) -> Array:
    """The first deals of such a run as the match loop would have written them: int32 (3 + seats, matches)."""
    lineups = lineup_numbers(facts)
    ranks = np.stack([world.ranks(lineups, deals, seed, one) for one in rules], axis=1).reshape(-1, plan.players)
    rows = np.zeros((plan.rows, len(ranks)), np.int32)
    rows[ROW_RANKS] = ranks @ 10 ** np.arange(plan.players)
    rows[ROW_REASON] = next(n for n, reason in enumerate(facts.reasons) if reason not in facts.nobody)
    return rows


@functools.cache
def _planned(game: str, bots: str, rules: tuple[int, ...], deals: int) -> tuple[Plan, Facts]:
    """What such a run would be, whatever its seed; rules 0 are the standard ones."""
    option = "goal" if game == "cuttle" else "round_cap"
    variants: list[tuple[str, Options]] = [("standard", {option: 21 + number} if number else {}) for number in rules]
    one = plan_variants(game, bots, variants, matches=1)
    plan = plan_variants(game, bots, variants, matches=deals * len(one.lineups))
    return plan, describe(plan)


# What is asked of equals and of bots of planted skills, with the answers that are right.
ASKED: dict[str, tuple[Question, World, tuple[tuple[int, ...], ...]]] = {
    "which of two equals is better": (Question(PAIR, pair=(0, 1)), World((0.0, 0.0), (0.3, -0.3), 0.2, 1.0, 0.8), ()),
    "the best of four equals": (Question(BEST), World((0.0,) * 4, (0.3, -0.3), 0.0, 1.0, 0.8), ()),
    "the ranks of three, two of them equal": (
        Question(RANKS), World((0.0, 0.0, 0.5), (0.3, -0.3), 0.0, 1.0, 0.8), ()
    ),
    "the best two, the third close behind": (
        Question(BEST, 2), World((0.5, 0.4, 0.2, 0.0), (0.3, -0.3), 0.0, 1.0, 0.8), ((0, 1), (1, 0))
    ),
    "the ranks of four at a table": (
        Question(RANKS), World((0.6, 0.4, 0.2, 0.0), (0.2, 0.0, -0.1, -0.1), 0.1, 0.5, 0.5), ((0, 1, 2, 3),)
    ),
}  # fmt: skip


def _until(runs: int) -> Iterator[Check]:
    """``run --until`` on planted matches: is the answer wrong, at whichever look it comes?"""
    for name, (question, world, right) in ASKED.items():
        game = "cuttle" if len(world.seats) == 2 else "queen_of_the_hill"
        bots = ",".join(("random", "greedy", "points_rush", "scuttler")[: len(world.skills)])
        if game != "cuttle":
            bots = "random,threshold,hoarder,sniper"
        wrong = []
        for seed in range(runs):
            plan, facts = _planned(game, bots, (0,), 1000)
            watch = Watch(plan, facts, question)
            watch.take(_rows(plan, facts, world, (0,), 1000, seed))
            wrong.append(watch.answer is not None and watch.answer not in right)
        yield Check(f"until: {name}, answered wrongly", AT_MOST, 0.05, *_count(wrong))


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


FIELD = World((0.0, 0.2, 0.5), (0.0, 0.0), 0.1, 1.0, 0.5)  # what sweeps are played by
MARGIN = 0.05


def _sweep(effects: Floats, deals: int, seed: int) -> Sample:
    """Variants that favour seat 0 so much (in units of beta), played on the same deals and counted as runs are."""
    lineups = FIELD.lineups
    worlds = [replace(FIELD, seats=(effect, -effect)) for effect in effects.tolist()]
    ranks = np.stack([world.ranks(lineups, deals, seed, v) for v, world in enumerate(worlds)], axis=1)
    rows = np.zeros((ROW_SCORES + 2, ranks.size // 2), np.int32)
    rows[ROW_RANKS] = ranks.reshape(-1, 2) @ np.array([1, 10])
    layout = layout_for(deals, len(worlds), len(lineups), 2, 1, False, len(FIELD.skills))
    bots, variants = (tuple(f"{word}{n}" for n in range(count)) for word, count in (("b", 3), ("v", len(worlds))))
    return Sample(Design(bots, variants, lineups), counter(layout, ["ended"], (), "").count(0, rows))


def _deviations(effects: Floats) -> Floats:
    """How far from even seat 0 truly is under these variants."""
    from scipy import special

    skills = np.array(FIELD.skills)[FIELD.lineups]
    gap = skills[:, 0] - skills[:, 1] + 2.0 * effects[:, None]
    spread = np.sqrt(2.0) * FIELD.shrink
    beats = (special.ndtr((gap - FIELD.margin) / spread) + special.ndtr((gap + FIELD.margin) / spread)) / 2.0
    found: Floats = beats.mean(axis=1) - 0.5
    return found


def _effect(deviation: float) -> float:
    """What makes seat 0 deviate so far."""
    from scipy import optimize

    return float(optimize.brentq(lambda effect: float(_deviations(np.array([effect]))[0]) - deviation, -3.0, 3.0))


def _sweeps(runs: int) -> Iterator[Check]:
    """The fairest of many variants: is it within its interval, and is any variant wrongly called fair or unfair?"""
    edge = _effect(MARGIN)
    for variants, part in ((11, 1.0), (50, 0.4)):
        for kind in ("equal", "different"):
            missed, wrong = [], []
            for seed in range(round(part * runs)):
                rng = np.random.default_rng((seed, variants))
                # Equal ones lie on the margin, where either verdict is given most easily: too little to be unfair, or
                # too much to be fair.
                near = edge * (0.999 if seed % 2 else 1.001)
                effects = np.full(variants, near) if kind == "equal" else rng.uniform(-2.0, 2.0, variants) * edge
                sample, truth = _sweep(effects, 400, seed), np.abs(_deviations(effects))
                best = fairest(sample)
                assert best
                low, high = best.estimate.low, best.estimate.high
                real = truth[sample.design.variants.index(best.variant)]
                missed.append(low is None or high is None or not low <= real <= high)
                found = [one for one in fairness(sample, MARGIN) if (one.metric, one.group) == ("seat_spread", ALL)]
                wrong.append(any(_wrong(one.verdict, real) for one, real in zip(found, truth.tolist(), strict=True)))
            yield Check(
                f"the fairest of {variants} {kind} variants misses its interval", AT_MOST, 0.05, *_count(missed)
            )
            yield Check(f"any of {variants} {kind} variants is judged wrongly", AT_MOST, 0.05, *_count(wrong))


def _wrong(verdict: str, deviation: float) -> bool:
    return (verdict == decision.FAIR and deviation > MARGIN) or (verdict == decision.UNFAIR and deviation < MARGIN)


def _judged(effects: Floats, deals: int, seed: int) -> tuple[str, float | None]:
    """Verdict on a single variant, and how many more matches would decide."""
    found = {one.metric: one for one in fairness(_sweep(effects, deals, seed), MARGIN) if one.group == ALL}
    more = found.get("matches_to_decide")
    return found["seat_spread"].verdict, more.estimate.value if more else None


def _looks(runs: int) -> Check:
    """A game on the edge of what is fair, looked at whenever it has half as many deals more: ever called unfair?"""
    effects = np.array([0.9999 * _effect(MARGIN)])
    looks = np.unique(np.geomspace(30, 5000, 12).astype(int)).tolist()
    ever = (any(_judged(effects, deals, seed)[0] == decision.UNFAIR for deals in looks) for seed in range(runs))
    return Check(f"a game that is just fair is ever called unfair in {len(looks)} looks", AT_MOST, 0.05, *_count(ever))


MOST_FOLLOWED = 40_000  # deals to which "more matches would decide" is followed


def _promise(runs: int) -> Iterator[Check]:
    """'N more matches would decide', followed: does it, and is what is decided right, also if followed to the end?"""
    decided: list[bool] = []
    wrong: list[bool] = []
    edge, seed = _effect(MARGIN), 0
    while len(decided) < runs:
        rng = np.random.default_rng((seed, 7))
        effects, deals = rng.uniform(-2.5, 2.5, 1) * edge, int(rng.choice([60, 200, 600]))
        verdict, more = _judged(effects, deals, seed)
        first = True
        while verdict == decision.UNDECIDED and more is not None:
            deals += -(-int(more) // len(FIELD.lineups))
            if deals > MOST_FOLLOWED:
                break
            verdict, more = _judged(effects, deals, seed)
            decided += [verdict != decision.UNDECIDED] if first else []
            first = False
        wrong.append(_wrong(verdict, abs(float(_deviations(effects)[0]))))
        seed += 1
    yield Check("'more matches would decide', followed, decides", AT_LEAST, 0.8, *_count(decided))
    yield Check("followed until it is decided, the verdict is wrong", AT_MOST, 0.05, *_count(wrong))


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


def _matches(runs: int) -> Iterator[Check]:
    """Real matches of a bot against its copy: neither copies nor blocks of deals differ by more than chance, chunks not
    at all.

    From both seats of a deal the two come out even exactly, so each of them is looked at on deals of its own.
    """
    from scipy import stats

    from tournament.duel import plan_duel
    from tournament.worker import Worker

    p_copies, p_blocks, same = [], [], []
    deals, blocks = 400, 8
    for seed in range(runs):
        worker = Worker(plan_duel("cuttle", "random", "random", most=2 * deals, seed=seed).settings)
        rows = worker.play_lineup(0, 0, deals)
        cut = int(np.random.default_rng(seed).integers(1, deals))
        parts = [worker.play_lineup(0, first, size) for first, size in ((cut, deals - cut), (0, cut))]
        same.append(bool((np.concatenate(parts[::-1], axis=1) == rows).all()))
        copy = worker.play_lineup(1, deals, deals)
        # Ranks of both seats are digits: 10 and 1 for a win of either, 0 for a tie.
        one, two = ((part[ROW_RANKS] // 10 - part[ROW_RANKS] % 10) / 2.0 for part in (rows, copy))
        p_copies.append(stats.ttest_ind(one, two).pvalue)
        means = one.reshape(blocks, -1).mean(axis=1)
        spread = one.var(ddof=1) / (deals / blocks)
        p_blocks.append(stats.chi2.sf(((means - means.mean()) ** 2).sum() / spread, blocks - 1))
    yield Check("cuttle: a bot differs from its copy at 5 %", AROUND, 0.05, *_count(p < 0.05 for p in p_copies))
    yield Check("cuttle: blocks of deals differ at 5 %", AROUND, 0.05, *_count(p < 0.05 for p in p_blocks))
    yield Check("cuttle: matches are the same in any chunks", AT_LEAST, 1.0, *_count(same))
