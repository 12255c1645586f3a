"""Strengths of bots and seats from all outcomes at once: TrueSkill's model, or Elo's, without an order of matches.

A seat's performance is the sum of its bot's skill, the seat's effect and noise N(0, beta^2); seats are ahead, tied or
behind by the difference (``families``). Skills are N(mu, sigma^2) a priori, seats' effects N(0, beta^2).

*TrueSkill.* The posterior is approximated by expectation propagation (Minka, "Expectation propagation for approximate
Bayesian inference", UAI 2001) with one dense Gaussian over all skills and effects. Equal outcomes of equal pairs are
equal factors and have equal sites, so a site is kept for each (pair of seats, outcome), as often as it occurred; its
cavity leaves out one copy. Iterated until nothing moves by 1e-12. Of one match from the priors that is the update of
the ``trueskill`` package; of many it does not depend on any order, and with growing numbers it becomes the maximum of
likelihood and prior.

*More than two seats.* The distribution of two seats' outcome does not depend on who else sits there, so the product of
the pairs' likelihoods is a composite likelihood (Varin, Reid and Firth, "An overview of composite likelihood methods",
Statistica Sinica 21, 2011): its maximum is consistent. Each pair counts ``PairCounts.weight``. Pairs of one match are
not independent, which the errors below allow for.

*Elo.* Davidson's model, maximum of likelihood and prior, by the same iteration without the variances.

*Draw margin.* Where it is not given it maximizes the likelihood, together with the skills; one imaginary match of
equals that did not end in a tie keeps it finite, and without ties it is 0.

*Errors.* Deals are the units that are independent, not matches, and neither the pairs of one match. So the covariance
of all parameters is that of the sandwich with clusters of deals in its middle. It is the delete-a-cluster jackknife,
one Newton step for each cluster left out (MacKinnon, Nielsen and Webb, "Cluster-robust inference: a guide to empirical
practice", Journal of Econometrics 232, 2023: CV3), so clusters may be few and of unequal size:

    J = (K - 1) / K sum_k delta_k delta_k',  delta_k = (H - H_k)^-1 g_k

with g_k what cluster k adds to the gradient and H_k to the curvature H. To J come what the prior's pull may be wrong
by, H^-1 P H^-1 (P the prior's precision), and 3.84 imaginary clusters whose results are as the model has them: results
that were all alike in K clusters tell only that others are rarer than some 3 / K. Quantiles are Student's, with as many
degrees of freedom as clusters of equal size would have (Satterthwaite, Biometrics 2, 1946), less one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tournament.statistics.families import Davidson, Family, Thurstone
from tournament.statistics.pairs import TIED, Floats, Ints, PairCounts

LEVEL = 0.95
MU, SIGMA, BETA = 25.0, 25.0 / 3.0, 25.0 / 6.0
ELO = 1500.0
_IMAGINARY = 3.8414588206941254  # clusters; the normal quantile of 95 %, squared
_SETTLED = 1e-12
_MOST_SWEEPS = 1000
_SLOWER_AFTER = 50
_DENSE = 1 << 20  # entries of a matrix that is kept whole
_SEAT_PRIOR = 0.5  # of seats' effects, in units of the skills' prior


@dataclass(frozen=True)
class Strengths:
    """Fitted strengths of B bots and S seats; bots of teams are called by their numbers.

    mu          float64 (B,): strength; means of the field are at the scale's ``centre`` if all have the same prior
    seat        float64 (S,): what a seat adds to its bot's strength, sum 0; zeros if seats are left out
    sigma       float64 (B,): standard deviation of the model's own posterior, which is right only if all pairs were
                independent
    tie         tie parameter of the family; ``draw_probability``: with which two equals tie
    moves       float64 (R, B + S): how far each cluster of deals moves (mu less the field's mean, seat), and in the
                rows after these what else they may be wrong by; products of the columns are the covariance
    freedom     degrees of freedom of its quantiles; 0 if there are less than two clusters
    scale       units of mu for one unit of the family
    """

    bots: tuple[str, ...]
    family: Family
    mu: Floats
    seat: Floats
    sigma: Floats
    tie: float
    moves: Floats
    freedom: float
    scale: float
    centre: float
    clusters: int
    connected: bool

    @property
    def besides(self) -> int:
        """Rows of ``moves`` after those of the clusters."""
        return len(self.moves) - self.clusters

    @property
    def draw_probability(self) -> float:
        """With which two equals tie."""
        return self.family.probability_of(self.tie)

    @property
    def error(self) -> Floats:
        """Standard errors of mu, from the field's mean: float64 (B,); nan where they cannot be told."""
        return self._known(np.sqrt((self.moves[:, : len(self.mu)] ** 2).sum(axis=0)))

    @property
    def seat_error(self) -> Floats:
        """Standard errors of seats' effects."""
        return self._known(np.sqrt((self.moves[:, len(self.mu) :] ** 2).sum(axis=0)))

    @property
    def difference_error(self) -> Floats:
        """Standard errors of differences of mu: float64 (B, B)."""
        block = self.moves[:, : len(self.mu)].T @ self.moves[:, : len(self.mu)]
        own = np.diag(block)
        return self._known(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2.0 * block, 0.0)))

    def quantile(self, level: float = LEVEL) -> float:
        """Student's, two-sided."""
        from scipy import special  # type: ignore[import-untyped]

        return float(special.stdtrit(max(self.freedom, 1.0), (1.0 + level) / 2.0))

    def interval(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Low and high ends of each mu."""
        half = self.quantile(level) * self.error
        return self.mu - half, self.mu + half

    def better(self) -> Floats:
        """Probability that the row's bot is better than the column's, as far as the data tell: float64 (B, B)."""
        from scipy import special

        gap = self.mu[:, None] - self.mu[None, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = special.stdtr(max(self.freedom, 1.0), gap / self.difference_error)
        return np.where(np.isfinite(found), found, 0.5)

    def _known(self, error: Floats) -> Floats:
        return error if self.freedom > 0 else np.full_like(error, np.nan)


@dataclass(frozen=True)
class _Layout:
    """How cells read and write parameters: entities (bots or teams) by ``members`` (E, B), then seats."""

    cells: Ints
    seats: int
    members: Floats
    with_seats: bool

    @property
    def size(self) -> int:
        return int(self.members.shape[1]) + (self.seats if self.with_seats else 0)

    def variances(self, covariance: Floats) -> Floats:
        i, a, j, b = self.cells.T
        mixed = self._mixer()
        full = mixed @ covariance @ mixed.T
        entities = len(self.members)
        sides = [(i, 1.0), (j, -1.0)]
        if self.with_seats:
            sides += [(entities + a, 1.0), (entities + b, -1.0)]
        total = np.zeros(len(self.cells))
        for one, sign in sides:
            for two, other in sides:
                total += sign * other * full[one, two]
        return np.maximum(total, 0.0)

    def _mixer(self) -> Floats:
        entities, bots = self.members.shape
        extra = self.size - bots
        mixed = np.zeros((entities + extra, self.size))
        mixed[:entities, :bots] = self.members
        mixed[entities:, bots:] = np.eye(extra)
        return mixed

    def matrix(self) -> Any:
        """The cells' differences as a matrix (C, size) of the parameters; a sparse one if it is large."""
        i, a, j, b = self.cells.T
        bots = self.members.shape[1]
        if len(i) * self.size <= _DENSE:
            dense = np.zeros((len(i), self.size))
            dense[:, :bots] = self.members[i] - self.members[j]
            if self.with_seats:
                rows = np.arange(len(i))
                np.add.at(dense, (rows, bots + a), 1.0)
                np.add.at(dense, (rows, bots + b), -1.0)
            return dense
        from scipy import sparse

        members = sparse.csr_array(self.members)
        found = members[i] - members[j]
        if self.with_seats:
            seats = sparse.csr_array(np.eye(self.size - bots))
            found = sparse.hstack([found, seats[a] - seats[b]])
        return sparse.csr_array(found)


def trueskill(
    pairs: PairCounts,
    seats: bool = True,
    draw_probability: float | None = None,
    members: Ints | None = None,
    mu: Floats | float = MU,
    sigma: Floats | float = SIGMA,
    beta: float = BETA,
) -> Strengths:
    """Whole-data TrueSkill of the bots of ``pairs``; see the module's text.

    seats             fit seats' effects beside skills
    draw_probability  with which equals draw, at least 0 and below 1; fitted if None
    members           int64 (teams, bots): how often each bot sits in each team, if ``pairs`` compares teams; a team
                      performs the sum of its members' performances. The result then is of the bots, numbered as here
    mu, sigma         means and standard deviations of the prior, of all bots or one for each

    Raises ValueError for a draw probability out of its range.
    """
    if draw_probability is not None and not 0.0 <= draw_probability < 1.0:
        raise ValueError(f"draw_probability must be at least 0 and below 1, not {draw_probability}.")
    return _fit(pairs, Thurstone(), seats, draw_probability, members, mu, sigma, beta)


def elo(
    pairs: PairCounts, seats: bool = True, draw_probability: float | None = None, members: Ints | None = None
) -> Strengths:
    """Davidson's model on the Elo scale, the field's mean at 1500; arguments as of :func:`trueskill`."""
    if draw_probability is not None and not 0.0 <= draw_probability < 1.0:
        raise ValueError(f"draw_probability must be at least 0 and below 1, not {draw_probability}.")
    family = Davidson()
    return _fit(pairs, family, seats, draw_probability, members, ELO, family.prior, 1.0)


def _fit(
    pairs: PairCounts,
    family: Family,
    seats: bool,
    draw_probability: float | None,
    members: Ints | None,
    centre: Floats | float,
    spread: Floats | float,
    unit: float,
) -> Strengths:
    weight = pairs.weight
    pairs = pairs.canonical()
    sizes = np.eye(len(pairs.bots)) if members is None else np.asarray(members, np.float64)
    bots = sizes.shape[1]
    layout = _Layout(pairs.cells, pairs.seats, sizes, seats and pairs.seats > 1)
    mean = np.concatenate([np.broadcast_to(centre, bots) / unit, np.zeros(layout.size - bots)])
    anchor = float(mean[:bots].mean())
    mean[:bots] -= anchor  # differences alone matter; small numbers keep their digits
    deviation = np.broadcast_to(spread, bots) / unit
    prior = np.concatenate([deviation**-2.0, np.full(layout.size - bots, (_SEAT_PRIOR * deviation.mean()) ** -2.0)])
    total = pairs.counts.sum(axis=0)
    i, _, j, _ = pairs.cells.T
    noise = sizes.sum(axis=1)[i] + sizes.sum(axis=1)[j]
    fitted = draw_probability is None and total[:, TIED].any()
    tie = family.tie_of(
        float(total[:, TIED].sum() / (total.sum() + 1.0)) if draw_probability is None else draw_probability
    )
    state = _State(layout, family, total, weight, noise, prior, mean, tie, bool(fitted))
    state.settle()
    moves, freedom = state.spread(pairs.counts)
    shift = np.eye(layout.size)
    shift[:bots, :bots] -= 1.0 / bots
    if layout.size > bots:
        shift[bots:, bots:] -= 1.0 / pairs.seats
    full = np.zeros((len(moves), bots + pairs.seats))
    full[:, : layout.size] = moves @ shift.T * unit
    seat = np.zeros(pairs.seats)
    seat[: layout.size - bots] = state.mean[bots:] * unit
    return Strengths(
        pairs.bots if members is None else tuple(str(bot) for bot in range(bots)),
        family,
        (state.mean[:bots] + anchor) * unit,
        seat - seat.mean(),
        np.sqrt(np.diag(state.covariance)[:bots]) * unit,
        state.tie,
        full,
        freedom,
        unit,
        anchor * unit,
        len(pairs.counts),
        _connected(pairs, sizes),
    )


def _connected(pairs: PairCounts, members: Floats) -> bool:
    """Is every bot compared with every other in matches that count, if through third ones?"""
    from scipy.sparse import coo_array, csgraph  # type: ignore[import-untyped]

    bots = members.shape[1]
    one, two = [], []
    for i, j in {(int(cell[0]), int(cell[2])) for cell in pairs.cells[pairs.counts.any(axis=(0, 2))]}:
        met = np.flatnonzero((members[i] + members[j]) > 0)
        one += [met[0]] * len(met)
        two += met.tolist()
    graph = coo_array((np.ones(len(one)), (one, two)), shape=(bots, bots))
    return bool(csgraph.connected_components(graph, directed=False)[0] <= 1)


class _State:
    """Sites and posterior while they settle, in units of the family."""

    def __init__(
        self, layout: _Layout, family: Family, total: Floats, weight: float, noise: Floats, prior: Floats, mean: Floats,
        tie: float, fitted: bool,
    ) -> None:  # fmt: skip
        self.layout, self.family, self.total, self.weight, self.noise = layout, family, total, weight, noise
        self.prior, self.prior_mean, self.tie, self.fitted = prior, mean, tie, fitted
        self.matrix = layout.matrix()
        self.sparse = not isinstance(self.matrix, np.ndarray)
        self.precision = np.zeros_like(total)  # of one copy of each site, and its precision times mean
        self.pull = np.zeros_like(total)
        self._combine()

    def _combine(self) -> None:
        """Prior and sites make the posterior."""
        stiff = (self.total * self.precision).sum(axis=1)
        pull = (self.total * self.pull).sum(axis=1)
        curvature = np.diag(self.prior) + self._curvature(stiff)
        inverse = np.linalg.inv(curvature)
        self.covariance: Floats = np.asarray((inverse + inverse.T) / 2.0, np.float64)
        self.mean = self.covariance @ (self.prior * self.prior_mean + self.matrix.T @ pull)
        # One step of refinement: what the inverse has lost of a badly conditioned system comes back.
        left = self.prior * (self.prior_mean - self.mean) + self.matrix.T @ (pull - stiff * (self.matrix @ self.mean))
        self.mean = self.mean + self.covariance @ left

    def _curvature(self, stiff: Floats) -> Floats:
        """X' diag(stiff) X."""
        found = self.matrix.T @ (self.matrix * stiff[:, None])
        return np.asarray(found.toarray() if self.sparse else found, np.float64)

    def cavities(self) -> tuple[Floats, Floats]:
        """Mean and variance of each difference with one copy of the outcome's site left out: (C, 3) each."""
        mean = np.repeat((self.matrix @ self.mean)[:, None], 3, axis=1)
        if not self.family.bayesian:
            return mean, np.zeros_like(mean)
        variance = self.layout.variances(self.covariance)[:, None]
        keeps = 1.0 - variance * self.precision
        keeps = np.where(self.total > 0, np.maximum(keeps, 1e-12), 1.0)
        return (mean - variance * self.pull) / keeps, variance / keeps

    def logs(self) -> tuple[tuple[Floats, ...], Floats, Floats]:
        """The family's logs, each outcome at its own cavity: six (C, 3); and the cavities."""
        mean, variance = self.cavities()
        parts = [np.zeros_like(mean) for _ in range(6)]
        for outcome in range(3):
            found = self.family.logs(mean[:, outcome], variance[:, outcome], self.noise, self.tie)
            for part, values in zip(parts, found, strict=True):
                part[:, outcome] = values[:, outcome]
        return tuple(parts), mean, variance

    def settle(self) -> None:
        """Sweep over all sites until nothing moves."""
        step = 1.0
        for sweep in range(_MOST_SWEEPS):
            before, tie = self.mean, self.tie
            (_, d, dd, t, tt, _), mean, variance = self.logs()
            keeps = 1.0 + variance * self.weight * dd
            if sweep == _SLOWER_AFTER:
                step = 0.5
            self.precision += step * (-self.weight * dd / keeps - self.precision)
            self.pull += step * (self.weight * (d - mean * dd) / keeps - self.pull)
            if self.fitted:
                _, slope, bend = self.family.tie_prior(self.tie)
                slope += self.weight * float((self.total * t).sum())
                bend += self.weight * float((self.total * tt).sum())
                self.tie += max(min(slope / max(-bend, abs(slope), 1e-300), 1.0), -1.0)
            self._combine()
            moved = np.abs(self.mean - before).max(initial=0.0) / (1.0 + np.abs(self.mean).max(initial=0.0))
            if max(moved, abs(self.tie - tie) if self.fitted else 0.0) < _SETTLED:
                break

    def spread(self, counts: Floats) -> tuple[Floats, float]:
        """What moves the parameters, (R, size): each cluster by leaving it out, and what else they may be wrong by; and
        degrees of freedom of the covariance that this makes."""
        clusters, size = len(counts), self.layout.size
        (_, _, _, t, tt, dt), _, _ = self.logs()
        weight = self.weight
        differences = self.matrix @ self.mean
        push = self.pull - self.precision * differences[:, None]  # of one copy, at the posterior's mean
        gradient = (self.matrix.T @ (counts * push).sum(axis=2).T).T
        stiff = (counts * self.precision).sum(axis=2)
        extra = 1 if self.fitted else 0
        gradients = np.zeros((clusters, size + extra))
        gradients[:, :size] = gradient
        curvatures = np.zeros((clusters, size + extra, size + extra))
        for k in range(clusters):
            curvatures[k, :size, :size] = self._curvature(stiff[k])
        prior = np.zeros((size + extra, size + extra))
        prior[:size, :size] = np.diag(self.prior)
        if self.fitted:
            gradients[:, size] = weight * (counts * t).sum(axis=(1, 2))
            mixed = -weight * (self.matrix.T @ (counts * dt).sum(axis=2).T).T
            curvatures[:, :size, size] = curvatures[:, size, :size] = mixed
            curvatures[:, size, size] = -weight * (counts * tt).sum(axis=(1, 2))
            prior[size, size] = -self.family.tie_prior(self.tie)[2]
        data = curvatures.sum(axis=0)
        whole = data + prior
        values, axes = np.linalg.eigh(prior + _IMAGINARY / max(clusters, 1) * data)
        besides = (axes * np.sqrt(np.maximum(values, 0.0))).T @ np.linalg.inv(whole)
        found = np.zeros((clusters, size + extra))
        if clusters > 1:
            found = np.linalg.solve(whole - curvatures, gradients[..., None])[..., 0]
            found *= np.sqrt((clusters - 1) / clusters)
        return np.concatenate([found, besides])[:, :size], _freedom(counts.sum(axis=(1, 2)))


def _freedom(sizes: Floats) -> float:
    """Clusters of equal size that would tell their variance as well as these, less one."""
    if len(sizes) < 2:
        return 0.0
    part = sizes / sizes.sum()
    share = part / (1.0 - part) ** 2
    return max(float(share.sum() ** 2 / (share**2).sum()) - 1.0, 0.5)
