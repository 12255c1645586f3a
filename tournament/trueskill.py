"""TrueSkill ratings of bots, compiled, for any number of matches.

The model is that of Herbrich, Minka and Graepel, "TrueSkill(TM): A Bayesian Skill Rating System" (NIPS 19, 2006),
with the parameters of the Python package ``trueskill`` (Heungsub Lee, 0.4.5), which the tests use as the oracle.
In the words of the paper: each bot has a *skill* N(mu, sigma^2); in a match it shows a *performance* N(skill, beta^2);
a team performs the sum of its members' performances; and teams that are neighbours in rank order differ in performance
by more than the *draw margin* epsilon (a win), or by at most that (a draw). Messages run along that chain of neighbours
until they settle (figure 1 and table 1 of the paper). Two teams need no iteration: the answer is a closed form.

What differs from the package:

* It never fails. The package stops with FloatingPointError once the gap between two performances is some 38 times their
  joint standard deviation; here v and w come from expressions that keep their digits at any gap.
* Messages run until nothing moves by more than 1e-9; the package stops at 1e-4 or after ten sweeps.
* A draw with a draw probability of 0 means *exactly equal performances*, the limit of ever smaller draw margins. (The
  package fails.)
* A bot may sit in several seats of one team: its skill then counts once for each.

Ties. A chain of neighbours treats three or more tied teams unequally: only those at its ends touch the next better and
the next worse, and which ones these are depends on the order of the seats. If five equal bots rank 0, 1, 1, 1, 1, the
mu of the tied ones runs from 23.585 to 23.602 at draw probability 0.1, and from 22.0 to 23.7 at 0.75, here as in the
package; only at 0 are they equal. ``Model(symmetric_ties=True)`` takes the mean (of mu and of sigma^2) over every
order in which the tied teams could have been listed: seats then play no part and equals stay equal. That costs one
chain for each order: 6 for three tied teams, 24 for four, 120 for five.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

SMALLEST, LARGEST = 1e-30, 1e30  # of mu, sigma, beta, tau: within these no intermediate result overflows or vanishes
SYMMETRIC_TEAMS = 6  # most teams with symmetric ties: 6 tied teams have 720 orders

_ROOT_2 = math.sqrt(2.0)
_ROOT_2_PI = math.sqrt(2.0 * math.pi)
_SETTLED = 1e-9  # a sweep that moves no v (relative to 1 + |v|) and no w by more is the last one
_MOST_SWEEPS = 200
_FRACTION_FROM = -5.0  # below this x, v and w come from a continued fraction (of so many terms)
_FRACTION_TERMS = 30
_POINTS, _WEIGHTS = (part / 2.0 for part in np.polynomial.legendre.leggauss(24))
_POINTS = _POINTS + 0.5  # Gauss-Legendre points and weights on 0..1
_NEGLIGIBLE = 40.0  # a density that has fallen by exp(-40) is at its end


@dataclass(frozen=True)
class Model:
    """What a rating means. Only the ratios of ``mu``, ``sigma``, ``beta`` and ``tau`` matter: scale them together.

    mu, sigma         skill of a new bot: mean and standard deviation
    beta              standard deviation of one performance; a lead of beta wins about 76 % of two-bot matches
    tau               standard deviation by which a skill drifts before each match. 0 by default, unlike in the
                      package, because a bot is a fixed program: a changed one is a new bot. With tau above 0 sigma
                      stops shrinking, however many matches follow: for evenly matched bots at sqrt(1.77 tau beta).
    draw_probability  chance that two evenly matched teams draw, from 0 up to but not including 1
    symmetric_ties    treat tied teams alike (see the module's text) instead of exactly as the package does

    Raises ValueError if a value is out of its range.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3.0
    beta: float = 25.0 / 6.0
    tau: float = 0.0
    draw_probability: float = 0.0
    symmetric_ties: bool = False

    def __post_init__(self) -> None:
        if not -LARGEST <= self.mu <= LARGEST:
            raise ValueError(f"mu must be a number between -1e30 and 1e30, not {self.mu}.")
        if not SMALLEST <= self.sigma <= LARGEST:
            raise ValueError(f"sigma must be a number above 0 (1e-30 to 1e30), not {self.sigma}.")
        if not SMALLEST <= self.beta <= LARGEST:
            raise ValueError(f"beta must be a number above 0 (1e-30 to 1e30), not {self.beta}.")
        if not 0.0 <= self.tau <= LARGEST:
            raise ValueError(f"tau must be 0 or a number above it (up to 1e30), not {self.tau}.")
        if not 0.0 <= self.draw_probability < 1.0:
            raise ValueError(f"draw_probability must be at least 0 and below 1, not {self.draw_probability}.")


class Ratings(NamedTuple):
    """Skills of the bots of a run: ``mu`` and ``sigma``, both float64 (bots,), at the bots' numbers."""

    mu: Floats
    sigma: Floats


def new_ratings(bots: int, model: Model | None = None) -> Ratings:
    """Ratings of ``bots`` bots that have not played yet."""
    if bots < 0:
        raise ValueError(f"The number of bots must be 0 or more, not {bots}.")
    model = model or Model()
    return Ratings(np.full(bots, model.mu, dtype=np.float64), np.full(bots, model.sigma, dtype=np.float64))


def draw_margin(draw_probability: float, beta: float, size: int = 2) -> float:
    """Difference in performance, in units of mu, below which two teams draw.

    ``size`` is the number of bots in both teams together. Evenly matched teams then draw with ``draw_probability``:
    margin = Phi^-1((draw_probability + 1) / 2) sqrt(size) beta, the paper's epsilon and ``calc_draw_margin`` of the
    package. Raises ValueError if a value is out of its range.
    """
    if not 0.0 <= draw_probability < 1.0:
        raise ValueError(f"draw_probability must be at least 0 and below 1, not {draw_probability}.")
    if not SMALLEST <= beta <= LARGEST:
        raise ValueError(f"beta must be a number above 0 (1e-30 to 1e30), not {beta}.")
    if size < 2:
        raise ValueError(f"Two teams have at least 2 members, not {size}.")
    # The upper tail keeps its digits for probabilities near 1, where (p + 1) / 2 rounds to 1.
    return abs(NormalDist().inv_cdf((1.0 - draw_probability) / 2.0)) * math.sqrt(size) * beta


def update(
    mu: Floats,
    sigma: Floats,
    entrants: Ints,
    ranks: Ints,
    model: Model | None = None,
    teams: Ints | None = None,
) -> Ratings:
    """Ratings after more matches, taken one after the other in row order. The arguments are left as they are.

    mu, sigma  float64 (bots,), as :func:`new_ratings` or an earlier call returned them
    entrants   int64 (matches, seats): number of the bot in each seat
    ranks      int64 (matches, seats): 0 is best, equal ranks tie, gaps mean nothing; members of a team share a rank
    model      the parameters; the default model if None
    teams      int64 (seats,): number of the team of each seat, the same in every match; each seat is its own team
               if None. Tied teams follow each other in the chain by ascending team number.

    A match in which a bot sits in two teams says nothing about skill that the model could use, and is skipped: it
    changes no rating, nor does tau apply. Memory does not grow with the number of matches: feed them in chunks, the
    result is the same to the last bit.

    Raises ValueError if shapes do not fit, a bot or rank is out of range, team members differ in rank, there
    are fewer than two teams, or ties are symmetric and there are more than 6 teams.
    """
    model = model or Model()
    mu, sigma = _checked_ratings(mu, sigma)
    entrants, ranks = _integers(entrants, "entrants", 2), _integers(ranks, "ranks", 2)
    if entrants.shape != ranks.shape:
        raise ValueError(f"entrants and ranks must have the same shape, not {entrants.shape} and {ranks.shape}.")
    seats = entrants.shape[1]
    members, starts = _team_members(np.arange(seats) if teams is None else _integers(teams, "teams", 1), seats)
    if model.symmetric_ties and len(starts) - 1 > SYMMETRIC_TEAMS:
        raise ValueError(f"Symmetric ties are limited to {SYMMETRIC_TEAMS} teams, not {len(starts) - 1}.")
    if entrants.size:
        if entrants.min() < 0 or entrants.max() >= len(mu):
            raise ValueError(f"entrants must be bot numbers from 0 to {len(mu) - 1}.")
        if ranks.min() < 0:
            raise ValueError("ranks must be 0 or more.")
        for start, end in itertools.pairwise(starts):
            for member in members[start + 1 : end]:
                if (ranks[:, member] != ranks[:, members[start]]).any():
                    raise ValueError("Members of one team must have the same rank.")
    unit = draw_margin(model.draw_probability, model.beta) / _ROOT_2
    if seats == 2:
        _rate_pairs(mu, sigma, entrants, ranks, float(model.beta), float(model.tau), unit)
    else:
        _rate_matches(
            mu, sigma, entrants, ranks, members, starts,
            float(model.beta), float(model.tau), unit, bool(model.symmetric_ties),
        )  # fmt: skip
    return Ratings(mu, sigma)


def _checked_ratings(mu: Floats, sigma: Floats) -> tuple[Floats, Floats]:
    """Copies of ``mu`` and ``sigma`` that the kernels may write to."""
    mu, sigma = np.array(mu, dtype=np.float64), np.array(sigma, dtype=np.float64)
    if mu.ndim != 1 or mu.shape != sigma.shape:
        raise ValueError(f"mu and sigma must be one-dimensional and equally long, not {mu.shape} and {sigma.shape}.")
    if not (np.abs(mu) <= LARGEST).all():
        raise ValueError("Every mu must be a number between -1e30 and 1e30.")
    if not ((sigma >= SMALLEST) & (sigma <= LARGEST)).all():
        raise ValueError("Every sigma must be a number above 0 (1e-30 to 1e30).")
    return mu, sigma


def _integers(values: npt.ArrayLike, name: str, dimensions: int) -> Ints:
    array = np.asarray(values)
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension{'s' * (dimensions > 1)}, not {array.ndim}.")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold whole numbers, not {array.dtype}.")
    return np.ascontiguousarray(array, dtype=np.int64)


def _team_members(teams: Ints, seats: int) -> tuple[Ints, Ints]:
    """Seats sorted by team, and where each team starts in them (and the last one ends)."""
    if len(teams) != seats:
        raise ValueError(f"teams must name a team for each of the {seats} seats, not {len(teams)}.")
    sizes = np.unique(teams, return_counts=True)[1]
    if len(sizes) < 2:
        raise ValueError("A match needs at least two teams.")
    return np.argsort(teams, kind="stable").astype(np.int64), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


# Truncated Gaussians: the functions V and W of the paper, for wins (> epsilon) and draws (within +-epsilon). Each
# returns v, w and 1 - w: both w and 1 - w can be tiny, and then neither survives being taken from 1.


@kernel
def win_moments(gap: float, margin: float) -> tuple[float, float, float]:
    """v, w and 1 - w of a difference with mean ``gap`` and standard deviation 1 that turned out above ``margin``.

    v is by how much the mean rises: v(x) = phi(x) / Phi(x), x = gap - margin; 1 - w is the variance that remains:
    w(x) = v(x) (v(x) + x).
    """
    x = gap - margin
    if x > _FRACTION_FROM:
        v = 2.0 * math.exp(-0.5 * x * x) / (_ROOT_2_PI * math.erfc(-x / _ROOT_2))
        w = v * (v + x)
        return v, w, 1.0 - w
    # An upset: v = y + 1 / (y + 2 / (y + 3 / ...)), y = -x (Laplace's continued fraction of Mills' ratio). With
    # its tails called inner = 2 / (y + ...) and outer = 1 / (y + inner): 1 - w = outer (inner - outer).
    y = -x
    inner = 0.0
    for term in range(_FRACTION_TERMS, 1, -1):
        inner = term / (y + inner)
    outer = 1.0 / (y + inner)
    v = y + outer
    return v, v * outer, outer * (inner - outer)


@kernel
def draw_moments(gap: float, margin: float) -> tuple[float, float, float]:
    """v, w and 1 - w of a difference with mean ``gap`` and standard deviation 1 that turned out within +-``margin``.

    v is by how much the mean moves and 1 - w the variance that remains. With t = |gap|, a = margin - t and
    b = -margin - t: v = (phi(b) - phi(a)) / (Phi(a) - Phi(b)), with the opposite sign for a negative gap, and
    w = v^2 + (a phi(a) - b phi(b)) / (Phi(a) - Phi(b)).
    """
    t = abs(gap)
    beyond = t - margin
    if margin >= 0.5 and beyond < 3.0:
        a, b = -beyond, -margin - t
        phi_a = math.exp(-0.5 * a * a) / _ROOT_2_PI
        phi_b = math.exp(-0.5 * b * b) / _ROOT_2_PI
        mass = 0.5 * (math.erfc(-a / _ROOT_2) - math.erfc(-b / _ROOT_2))
        v = (phi_b - phi_a) / mass
        w = v * v + (a * phi_a - b * phi_b) / mass
        remains = 1.0 - w
    else:
        # Those expressions cancel for a narrow margin or a wide gap. The difference lies at some depth r >= 0 inside
        # the nearer edge, with density proportional to exp(-beyond r - r^2 / 2): integrate that to where it ends.
        depth = min(2.0 * margin, 2.0 * _NEGLIGIBLE / (beyond + math.sqrt(beyond * beyond + 2.0 * _NEGLIGIBLE)))
        mass, first, second = 0.0, 0.0, 0.0
        for i in range(len(_POINTS)):
            r = _POINTS[i] * depth
            density = _WEIGHTS[i] * math.exp(-(beyond + 0.5 * r) * r)
            mass += density
            first += density * _POINTS[i]
            second += density * _POINTS[i] * _POINTS[i]
        first /= mass
        v = -beyond - depth * first
        remains = depth * depth * (second / mass - first * first)
        w = 1.0 - remains
    return (v if gap >= 0.0 else -v), w, remains


@kernel
def _moments(gap: float, margin: float, tied: bool) -> tuple[float, float, float]:
    if tied:
        return draw_moments(gap, margin)
    return win_moments(gap, margin)


@kernel
def _rate_pairs(mu: Floats, sigma: Floats, entrants: Ints, ranks: Ints, beta: float, tau: float, unit: float) -> None:
    """Matches of one bot against one other: the closed form.

    mu +- (sigma^2 / c) v and sigma^2 (1 - sigma^2 / c^2 w), c^2 the variance of the difference in performance.
    ``unit`` is the draw margin for each root of a bot in the two teams.
    """
    margin = unit * _ROOT_2
    for row in range(len(entrants)):
        if ranks[row, 0] <= ranks[row, 1]:
            better, worse = entrants[row, 0], entrants[row, 1]
        else:
            better, worse = entrants[row, 1], entrants[row, 0]
        if better == worse:
            continue
        variance_better = sigma[better] * sigma[better] + tau * tau
        variance_worse = sigma[worse] * sigma[worse] + tau * tau
        noise = 2.0 * beta * beta
        c2 = variance_better + variance_worse + noise
        c = math.sqrt(c2)
        v, _, remains = _moments((mu[better] - mu[worse]) / c, margin / c, ranks[row, 0] == ranks[row, 1])
        mu[better] += variance_better / c * v
        mu[worse] -= variance_worse / c * v
        # 1 - variance / c2 w, written without a difference
        sigma[better] = math.sqrt(variance_better) * _shrink((variance_better * remains + variance_worse + noise) / c2)
        sigma[worse] = math.sqrt(variance_worse) * _shrink((variance_worse * remains + variance_better + noise) / c2)


@kernel
def _shrink(share: float) -> float:
    """Factor on sigma when this ``share`` of the variance remains; rounding never makes it grow."""
    return math.sqrt(share) if share < 1.0 else 1.0


@kernel
def _rate_matches(
    mu: Floats,
    sigma: Floats,
    entrants: Ints,
    ranks: Ints,
    members: Ints,
    starts: Ints,
    beta: float,
    tau: float,
    unit: float,
    symmetric: bool,
) -> None:
    """Matches of any number of teams: down to the teams, along the chain of neighbours, back up to the bots."""
    teams = len(starts) - 1
    rank, order = np.zeros(teams, np.int64), np.zeros(teams, np.int64)
    mean, variance, size = np.zeros(teams), np.zeros(teams), np.zeros(teams)
    step, stay = np.zeros(teams), np.zeros(teams)
    messages, chain = np.zeros((4, teams)), np.zeros((4, teams))
    for row in range(len(entrants)):
        bots = entrants[row]
        if _meets_itself(bots, members, starts):
            continue
        for team in range(teams):
            first, end = starts[team], starts[team + 1]
            rank[team] = ranks[row, members[first]]
            size[team] = end - first
            mean[team], variance[team] = 0.0, 0.0
            for i in range(first, end):
                mean[team] += mu[bots[members[i]]]
                variance[team] += _performance_variance(sigma, bots, members, first, end, i, beta, tau)
            step[team], stay[team] = 0.0, 0.0
        _sort_by_rank(order, rank)
        orders = 0
        more = True
        while more:
            _pass_messages(order, rank, mean, variance, size, unit, messages, chain)
            for place in range(teams):
                # The chain says N(y, 1 / pi) about the team's performance less its prior mean, with tau = pi y.
                team = order[place]
                pi = messages[0, place] + messages[2, place]
                kept = 1.0 / (1.0 + pi * variance[team])
                stay[team] += kept
                step[team] += (messages[1, place] + messages[3, place]) * kept
            orders += 1
            more = symmetric and _next_order(order, rank)
        for team in range(teams):
            _update_team(mu, sigma, bots, members, starts[team], starts[team + 1], variance[team],
                         step[team] / orders, stay[team] / orders, beta, tau)  # fmt: skip


@kernel
def _meets_itself(bots: Ints, members: Ints, starts: Ints) -> bool:
    """Whether a bot sits in two teams."""
    for team in range(1, len(starts) - 1):
        for i in range(starts[team], starts[team + 1]):
            for j in range(starts[team]):
                if bots[members[i]] == bots[members[j]]:
                    return True
    return False


@kernel
def _performance_variance(
    sigma: Floats, bots: Ints, members: Ints, first: int, end: int, member: int, beta: float, tau: float
) -> float:
    """What one member adds to the variance of its team's performance: its own noise and its share of its bot's skill.

    A bot in k seats of the team adds k times its skill, k^2 its variance: k for each of the seats.
    """
    bot = bots[members[member]]
    seats = 0
    for i in range(first, end):
        if bots[members[i]] == bot:
            seats += 1
    variance: float = beta * beta + seats * (sigma[bot] * sigma[bot] + tau * tau)
    return variance


@kernel
def _update_team(
    mu: Floats, sigma: Floats, bots: Ints, members: Ints, first: int, end: int,
    variance: float, step: float, stay: float, beta: float, tau: float,
) -> None:  # fmt: skip
    """From a team's performance up to its members' skills, each bot once.

    With pi the precision of what the chain says and S2 the team's prior variance, stay = 1 / (1 + pi S2) is the share
    of S2 that remains, and step how far the performance moved for each unit of S2.
    """
    noise = (end - first) * beta * beta
    for i in range(first, end):
        bot = bots[members[i]]
        seats, done = 0, False
        for j in range(first, end):
            if bots[members[j]] == bot:
                seats += 1
                done = done or j < i
        if done:
            continue
        prior = sigma[bot] * sigma[bot] + tau * tau
        others = max(variance - seats * seats * prior, noise)
        mu[bot] += seats * prior * step
        sigma[bot] = math.sqrt(prior) * _shrink(stay + (1.0 - stay) * (others / variance))


@kernel
def _sort_by_rank(order: Ints, rank: Ints) -> None:
    """Write the teams, best first, into ``order``; tied teams by number."""
    for team in range(len(order)):
        place = team
        while place > 0 and rank[order[place - 1]] > rank[team]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = team


@kernel
def _next_order(order: Ints, rank: Ints) -> bool:
    """Go to the next order of the tied teams; after the last one, back to the first and return False."""
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and rank[order[end]] == rank[order[start]]:
            end += 1
        if _next_permutation(order[start:end]):
            return True
        start = end
    return False


@kernel
def _next_permutation(values: Ints) -> bool:
    """The next permutation in ascending order (Narayana's rule); after the last, the first and return False."""
    low = len(values) - 2
    while low >= 0 and values[low] > values[low + 1]:
        low -= 1
    if low >= 0:
        high = len(values) - 1
        while values[high] < values[low]:
            high -= 1
        values[low], values[high] = values[high], values[low]
    left, right = low + 1, len(values) - 1
    while left < right:
        values[left], values[right] = values[right], values[left]
        left += 1
        right -= 1
    return low >= 0


@kernel
def _pass_messages(
    order: Ints, rank: Ints, mean: Floats, variance: Floats, size: Floats, unit: float, messages: Floats, chain: Floats
) -> None:
    """Pass messages along the chain of teams until they settle (schedule of figure 1 of the paper).

    Columns of both arrays are places in rank order. Rows 0 and 1 of ``messages`` are precision pi and pi times mean of
    what each team hears from its better neighbour, rows 2 and 3 from its worse one, all about its performance less
    the prior mean. ``chain`` holds for each team and its next worse one: lead of the prior means, margin, last v and w.
    """
    teams = len(order)
    messages[:] = 0.0
    for place in range(teams - 1):
        better, worse = order[place], order[place + 1]
        chain[0, place] = mean[better] - mean[worse]
        chain[1, place] = unit * math.sqrt(size[better] + size[worse])
        chain[2, place], chain[3, place] = 0.0, 0.0
    for _ in range(_MOST_SWEEPS if teams > 2 else 0):
        change = 0.0
        for place in range(teams - 2):
            moved = _compare(place, True, False, order, rank, variance, messages, chain)
            if place == 0:
                change = moved
        for place in range(teams - 2, 0, -1):
            change = max(change, _compare(place, False, True, order, rank, variance, messages, chain))
        if change <= _SETTLED:
            break
    _compare(0, teams == 2, True, order, rank, variance, messages, chain)
    if teams > 2:
        _compare(teams - 2, True, False, order, rank, variance, messages, chain)


@kernel
def _compare(
    place: int, tell_worse: bool, tell_better: bool,
    order: Ints, rank: Ints, variance: Floats, messages: Floats, chain: Floats,
) -> float:  # fmt: skip
    """Compare the team at ``place`` with the next worse one and tell one or both; return the change in v and w.

    The difference d of the two performances, N(m, V) by what both heard elsewhere, becomes N(m + sqrt(V) v, V (1 - w)).
    Divided by N(m, V) that is the message about d: variance V (1 - w) / w and mean m + sqrt(V) v / w. Less the
    other team's performance it is the message to a team; multiplied out, nothing is divided by w or 1 - w.
    """
    better, worse = order[place], order[place + 1]
    variance_better = variance[better] / (1.0 + messages[0, place] * variance[better])
    variance_worse = variance[worse] / (1.0 + messages[2, place + 1] * variance[worse])
    mean_better = messages[1, place] * variance_better
    mean_worse = messages[3, place + 1] * variance_worse
    total = variance_better + variance_worse
    c = math.sqrt(total)
    gap = (chain[0, place] + (mean_better - mean_worse)) / c
    v, w, remains = _moments(gap, chain[1, place] / c, rank[better] == rank[worse])
    if tell_worse:
        share = 1.0 / (total * remains + w * variance_better)
        messages[0, place + 1] = w * share
        messages[1, place + 1] = (w * mean_worse - c * v) * share
    if tell_better:
        share = 1.0 / (total * remains + w * variance_worse)
        messages[2, place] = w * share
        messages[3, place] = (w * mean_better + c * v) * share
    change: float = max(abs(v - chain[2, place]) / (1.0 + abs(v)), abs(w - chain[3, place]))
    chain[2, place], chain[3, place] = v, w
    return change
