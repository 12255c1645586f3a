"""How many ways to play are worth considering: equilibrium, dominated strategies, cycles.

The bots of a field and their shares against each other make a symmetric zero-sum game: both players name a bot, and the
payoff is the share of the one against the other, less 0.5. With two seats that is exact; with more, the share counts
who of two bots at a table was ahead, which says less of who wins it.

**Equilibrium.** A mixture that no opponent gains on (von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928). The
value of a symmetric game is 0, so it is any w >= 0 with sum w = 1 and w A >= 0. If there are several, the one whose
largest weight is smallest is taken, found by linear programming. Most tables are simpler: an equilibrium on a support
of 1, 3 or 5 bots that all others lose to strictly is the only one, and its weights are the Pfaffian minors of the
skew-symmetric table of its support (Kaplansky, "A contribution to von Neumann's theory of games", 1945).

Weights jump as the table changes, which defeats the jackknife. Their intervals are percentiles of a bootstrap over
batches of deals (Efron 1979), with the same resamplings for all variants.
"""

from __future__ import annotations

import itertools

import numpy as np

from tournament.balance.finding import Finding
from tournament.statistics.estimate import LEVEL, Array, Estimate, Floats, Jackknifed, holm
from tournament.statistics.sample import Sample

_RESAMPLINGS, _FEWEST_RESAMPLINGS, _ALL_RESAMPLINGS = 200, 50, 10_000  # for a variant, at least, for all of them
_FEWEST_BATCHES = 10  # fewer say too little of how the whole varies
_SUPPORTS = (1, 3, 5)
_MOST_SUPPORTS = 1000  # more candidates than this cost more than linear programs
_SEED = 20260101
_WEIGHT = 1e-6  # a smaller weight is one of arithmetic
_MOST_CYCLES = 10


def equilibria(payoffs: Floats) -> Floats:
    """Equilibrium weights (R, B) of symmetric zero-sum games with skew-symmetric ``payoffs`` (R, B, B)."""
    count, bots = payoffs.shape[:2]
    weights = np.zeros((count, bots))
    open_ = np.ones(count, bool)
    for size in _SUPPORTS:
        supports = list(itertools.combinations(range(bots), size)) if size <= bots else []
        for support in supports[: _MOST_SUPPORTS if len(supports) <= _MOST_SUPPORTS else 0]:
            rows = np.flatnonzero(open_)
            if not len(rows):
                return weights
            found, good = _on_support(payoffs[rows], np.array(support))
            weights[rows[good]] = found[good]
            open_[rows[good]] = False
    for row in np.flatnonzero(open_):
        weights[row] = _by_linear_program(payoffs[row])
    return weights


def _on_support(payoffs: Floats, support: Array) -> tuple[Floats, Array]:
    """Weights (R, B) that make all bots of the ``support`` equal, and whether they are the only equilibrium."""
    part = payoffs[:, support[:, None], support]
    size = len(support)
    if size == 1:
        minors = np.ones((len(payoffs), 1))
    elif size == 3:
        minors = np.stack([part[:, 1, 2], part[:, 2, 0], part[:, 0, 1]], axis=1)
    else:
        without = [[j for j in range(size) if j != i] for i in range(size)]
        minors = np.stack([(-1.0) ** i * _pfaffian(part, *rest) for i, rest in enumerate(without)], axis=1)
    total = minors.sum(axis=1, keepdims=True)
    weights = np.zeros(payoffs.shape[:2])
    weights[:, support] = minors / np.where(total == 0.0, 1.0, total)
    gains = np.einsum("ri,rij->rj", weights, payoffs)
    gains[:, support] = np.inf
    good = (total[:, 0] != 0.0) & (weights[:, support] > _WEIGHT).all(axis=1) & (gains > 0.0).all(axis=1)
    return weights, good


def _pfaffian(a: Floats, i: int, j: int, k: int, m: int) -> Floats:
    return a[:, i, j] * a[:, k, m] - a[:, i, k] * a[:, j, m] + a[:, i, m] * a[:, j, k]


def _by_linear_program(payoffs: Floats) -> Floats:
    """The equilibrium whose largest weight t is smallest: least t with w <= t, w A >= 0, sum w = 1."""
    from scipy.optimize import linprog  # type: ignore[import-untyped]

    bots = len(payoffs)
    column = np.ones((bots, 1))
    solved = linprog(
        np.append(np.zeros(bots), 1.0),
        A_ub=np.block([[-payoffs.T, 0.0 * column], [np.eye(bots), -column]]),
        b_ub=np.zeros(2 * bots),
        A_eq=np.append(np.ones(bots), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    weights = np.where(solved.x[:bots] > _WEIGHT, solved.x[:bots], 0.0)
    scaled: Floats = weights / weights.sum()
    return scaled


def effective(weights: Floats) -> Floats:
    """exp of the entropy of weights: over the last axis."""
    logs = np.log(np.where(weights > 0.0, weights, 1.0))
    number: Floats = np.exp(-(weights * logs).sum(axis=-1))
    return number


def diversity(sample: Sample, resamplings: int | None = None) -> list[Finding]:
    """Equilibrium weights, effective number of strategies, dominated bots and cycles, by variant.

    ``resamplings`` of each variant: 200 unless given, and down to 50 for many variants.
    """
    bots = len(sample.design.bots)
    if bots < 2:
        return []
    batches = len(sample.deals)
    if resamplings is None:
        each = _ALL_RESAMPLINGS // len(sample.design.variants)
        resamplings = min(max(each, _FEWEST_RESAMPLINGS), _RESAMPLINGS)
    rng = np.random.default_rng(_SEED)
    times = rng.multinomial(batches, np.full(batches, 1.0 / batches), resamplings).astype(np.float64)
    found: list[Finding] = []
    for v, variant in enumerate(sample.design.variants):
        shares = sample.pair_shares[v]
        if not np.isfinite(shares.value).all():
            n = int(sample.matches[v])
            note = "no match between some bots counts"
            found.append(Finding("effective_strategies", variant, "", Estimate(None, None, None, n), note=note))
            continue
        found += _equilibrium(sample, v, variant, times)
        found += _dominated(sample, variant, shares)
        found += _cycles(sample, variant, shares, int(sample.matches[v]))
    return found


def _equilibrium(sample: Sample, v: int, variant: str, times: Floats) -> list[Finding]:
    bots = sample.design.bots
    size = len(bots)
    units = sample.pair_units[:, v].astype(np.float64)
    met = sample.pair_matches[:, v].astype(np.float64)
    weights = equilibria(_payoffs(units.sum(axis=0)[None], met.sum(axis=0)[None]))[0]
    enough = int((sample.deals[:, v] > 0).sum()) >= _FEWEST_BATCHES
    again = np.zeros((0, size))
    if enough:
        flat = (len(units), size * size)
        drawn = [(times @ part.reshape(flat)).reshape(-1, size, size) for part in (units, met)]
        again = equilibria(_payoffs(*drawn))
    n = sample.bot_matches[v]
    found = []
    for bot, name in enumerate(bots):
        estimate = _percentiles(float(weights[bot]), again[:, bot], int(n[bot]))
        found.append(Finding("equilibrium_weight", variant, name, estimate))
        chance = float((again[:, bot] > _WEIGHT).mean()) if enough else None
        found.append(Finding("equilibrium_support", variant, name, Estimate(chance, None, None, int(n[bot]))))
    number = _percentiles(float(effective(weights)), effective(again), int(sample.matches[v]))
    note = "" if sample.design.seats == 2 else "by who of two bots at a table was ahead"
    return [*found, Finding("effective_strategies", variant, "", number, note=note)]


def _payoffs(units: Floats, met: Floats) -> Floats:
    """Shares less 0.5, (R, B, B); 0 where two did not meet. Skew-symmetric to the last bit."""
    gain = np.where(met > 0.0, (units - met) / np.where(met > 0.0, 2.0 * met, 1.0), 0.0)
    result: Floats = (gain - gain.transpose(0, 2, 1)) / 2.0
    return result


def _percentiles(value: float, again: Floats, n: int) -> Estimate:
    if not len(again):
        return Estimate(value, None, None, n)
    low, high = np.quantile(again, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return Estimate(value, min(float(low), value), max(float(high), value), n)


def _dominated(sample: Sample, variant: str, shares: Jackknifed) -> list[Finding]:
    """Bots that another one does better than against every opponent: for bot i and the other j, all of B differences
    must be above 0, so the largest of their p-values counts (Berger's intersection-union test, 1982)."""
    bots = sample.design.bots
    gains = shares[:, None, :] - shares[None, :, :]  # [j, i, k]: j against k less i against k
    one_sided = np.where(gains.value > 0.0, gains.p_values() / 2.0, 1.0).max(axis=2)
    pairs = [(j, i) for j in range(len(bots)) for i in range(len(bots)) if i != j]
    adjusted = holm([one_sided[j, i] for j, i in pairs])
    least = gains.value.min(axis=2)
    better: dict[int, int] = {}
    for (j, i), p in zip(pairs, adjusted.tolist(), strict=True):
        if p < 1.0 - LEVEL and (i not in better or least[j, i] > least[better[i], i]):
            better[i] = j
    return [
        Finding(
            "dominated",
            variant,
            f"{bots[i]} by {bots[j]}",
            gains.estimate(j, i, int(gains.value[j, i].argmin())),
            "dominated",
        )
        for i, j in sorted(better.items())
    ]


def _cycles(sample: Sample, variant: str, shares: Jackknifed, matches: int) -> list[Finding]:
    bots = sample.design.bots
    one, two = np.triu_indices(len(bots), 1)
    significant = holm(shares[one, two].p_values(0.5)) < 1.0 - LEVEL
    beats = np.zeros((len(bots), len(bots)), bool)
    beats[one, two] = significant & (shares.value[one, two] > 0.5)
    beats[two, one] = significant & (shares.value[one, two] < 0.5)
    rings = []
    for i, j, k in itertools.combinations(range(len(bots)), 3):
        for a, b, c in ((i, j, k), (i, k, j)):
            if beats[a, b] and beats[b, c] and beats[c, a]:
                links = [(a, b), (b, c), (c, a)]
                narrowest = min(links, key=lambda link: shares.value[link])
                rings.append((float(shares.value[narrowest]), f"{bots[a]} > {bots[b]} > {bots[c]}", narrowest))
    rings.sort(key=lambda ring: (-ring[0], ring[1]))
    found = [Finding("cycle", variant, name, shares.estimate(*link), "cycle") for _, name, link in rings[:_MOST_CYCLES]]
    note = f"the {_MOST_CYCLES} clearest are listed" if len(rings) > _MOST_CYCLES else ""
    count = Estimate(float(len(rings)), None, None, matches)
    return [*found, Finding("cycle_count", variant, "", count, note=note)]
