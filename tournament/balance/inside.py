"""What happens inside matches, from a run's telemetry: pace, drama, and what each piece does to its player's chances.

Telemetry is summed by block of deals like everything else: intervals are clustered on deals and differences between
variants are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tournament.balance.finding import Series
from tournament.statistics.estimate import LEVEL, Array, Bounds, Estimate, Floats, Jackknifed, holm, jackknife
from tournament.statistics.facts import Facts, lineup_numbers
from tournament.statistics.tally import Tally, strata_of

PARTS = 20  # of a match, for the lead over time and for when it changed last
FEWEST = 30  # uses and non-uses that an effect is given for
# The ways in which chance alone gives a piece to a seat: before its first move, and as the first card that it draws
# unseen. To draw is a choice, which card it is is none.
DEALT, BLIND = "dealt", "drawn_blind"
HELPS, HURTS, UNCLEAR = "helps", "hurts", "not separated"
SHARE = (0.0, 1.0)


class Inside:
    """The telemetry of a run by block (K) and variant (V)."""

    def __init__(self, facts: Facts, tally: Tally) -> None:
        self.facts = facts
        self.tally = tally

    @property
    def deals(self) -> Array:
        """Deals behind each block, int64 (K, V)."""
        deals: Array = self.tally.of("matches").max(axis=2)
        return deals

    def of(self, name: str) -> Array:
        """What was counted under that name (``engine.telemetry.SUMS``), int64 (K, V) or (K, V, its length).

        "matches" are the same, counted inside or not.
        """
        return self.tally.of(name).sum(axis=2) if name == "matches" else self.tally.inside_of(name)

    def total(self, name: str, variant: int) -> Array:
        """The same of a whole variant."""
        total: Array = self.of(name)[:, variant].sum(axis=0)
        return total


def inside_of(facts: Facts, tally: Tally) -> Inside | None:
    """The telemetry of a run; None if it was played without."""
    return Inside(facts, tally) if facts.telemetry else None


# ---------------------------------------------------------------- pace and drama


def pace(inside: Inside) -> list[Series]:
    """Rounds, moves of each seat, forced moves, choice, and how matches end."""
    seats = inside.facts.players
    found = []
    if inside.of("rounds").any():
        found.append(_ratio(inside, "match_rounds", inside.of("rounds"), inside.of("matches")))
    moves = inside.of("seat_plies")[..., :seats]
    found += [
        _ratio(inside, "seat_plies", moves, inside.of("matches"), tuple(f"seat {seat}" for seat in range(seats))),
        _ratio(inside, "forced_share", inside.of("forced"), inside.of("plies"), bounds=SHARE),
        _ratio(inside, "legal_moves", inside.of("legal"), inside.of("plies")),
    ]
    reasons = inside.facts.reasons
    ends = inside.tally.of("reasons").sum(axis=2)
    found.append(_ratio(inside, "ending_share", ends, inside.of("matches"), reasons, SHARE))
    return found


def drama(inside: Inside) -> list[Series]:
    """Who leads, how often that changes, when for the last time, and how far ahead the winner ends up.

    Nothing for games in which all seats stand alike.
    """
    if inside.facts.players < 2 or inside.facts.cooperative:
        return []
    decided = inside.of("decided")
    return [
        _ratio(inside, "lead_changes", inside.of("lead_changes"), inside.of("led")),
        _ratio(inside, "last_lead", inside.of("last_lead"), 1000 * inside.of("led"), bounds=SHARE),
        _ratio(inside, "comeback_share", inside.of("comebacks"), decided, bounds=SHARE),
        _ratio(inside, "comeback_points", inside.of("deficit"), inside.of("comebacks")),
        _ratio(inside, "margin_points", inside.of("margin"), decided),
    ]


def _ratio(
    inside: Inside, metric: str, total: Array, n: Array, subjects: tuple[str, ...] = ("",), bounds: Bounds | None = None
) -> Series:
    """A metric that is a sum (K, V) or (K, V, subjects) over a number (K, V)."""
    total = total if total.ndim == 3 else total[..., None]

    def ratio(total: Array, n: Array) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return total / n[..., None].astype(np.float64)

    matches = inside.of("matches").sum(axis=0)[:, None]
    found = jackknife(ratio, [total, n], inside.deals, bounds=bounds)
    return Series(metric, subjects, replace(found, matches=np.broadcast_to(matches, found.value.shape)))


@dataclass(frozen=True)
class Distribution:
    """How often a number took each value (or fell between ``edges`` and the next, if these are given), by variant."""

    metric: str
    values: tuple[float, ...]
    counts: Array  # int64 (V, values)
    more: bool  # the last one stands for all that is larger


def distributions(inside: Inside) -> list[Distribution]:
    """Rounds, lead changes, the moment of the last one, and margins."""

    def of(metric: str, name: str, scale: float, more: bool) -> Distribution:
        counts = inside.of(name).sum(axis=0)
        return Distribution(metric, tuple(scale * i for i in range(counts.shape[-1])), counts, more)

    found = []
    if inside.of("rounds").any():
        found.append(of("match_rounds", "rounds_hist", 1.0, True))
    if drama(inside):
        found += [
            of("lead_changes", "changes_hist", 1.0, True),
            of("last_lead", "last_hist", 1.0 / PARTS, False),
            of("margin_share", "margin_hist", 1.0 / PARTS, True),
        ]
    return found


def lead_curve(inside: Inside) -> Jackknifed | None:
    """The winner's mean lead after 0, 1/20, ... of the plies, in the game's standing: (V, PARTS + 1)."""
    if not drama(inside):
        return None
    return _ratio(inside, "lead_curve", inside.of("curve"), inside.of("curve_matches")).values


# ---------------------------------------------------------------- pieces


@dataclass(frozen=True)
class PieceEffect:
    """A piece (or none: a rule element) used in one way under a variant.

    ``rate``: share of seats' matches in which it is; ``uses``: times a seat's match; ``effect``: difference of the
    score share with and without; ``p``: of no effect, corrected for all pieces and ways (Holm); ``verdict``: helps,
    hurts or not separated.
    """

    variant: str
    piece: str
    way: str
    rate: float
    uses: float
    effect: Estimate
    p: float
    verdict: str

    @property
    def chance(self) -> bool:
        """Did chance alone decide who has the piece? Then the effect is what it is worth; else it goes with success."""
        return self.way in (DEALT, BLIND)


def telling_pieces(effects: Sequence[PieceEffect], most: int) -> list[PieceEffect]:
    """The pieces whose effect is certain and largest, one way each: what was dealt; where no effect of that is certain,
    what was drawn blind; else what a seat had or used."""
    certain = [one for one in effects if one.piece and one.verdict != UNCLEAR]
    dealt = [one for one in certain if one.way == DEALT]
    certain = dealt or [one for one in certain if one.chance] or certain
    certain.sort(key=lambda one: -abs(one.effect.value or 0.0))
    first: dict[str, PieceEffect] = {}
    for one in certain:
        first.setdefault(one.piece, one)
    return list(first.values())[:most]


def piece_effects(inside: Inside) -> list[PieceEffect]:
    """All pieces and ways that occur, variant by variant, in the game's order."""
    return [effect for v in range(len(inside.facts.variants)) for effect in _effects(inside, v)]


def _effect(inside: Inside, v: int) -> tuple[Jackknifed, Array]:
    """Difference of the score share with a use of each cell and without (cells,), and the weight behind it.

    Seats' matches are compared within strata s: of N_s matches, the cell was used in n_s, which gained U_s units, and
    the mean of all is u_s. The effect is sum_s (U_s - n_s u_s) / sum_s n_s (N_s - n_s) / N_s, the coefficient of a
    regression with a constant for each stratum.

    What is drawn blind is compared among those who drew, whichever card it was: of these D seats' matches n had the
    cell, and the effect is (sum_s (U_s - n_s u_s) - n R) / (n (D - n) / D), R the mean of U - u over all D. The card
    does not go with the stratum, so what u_s is plays no part but that it makes the error smaller.
    """
    facts, tally = inside.facts, inside.tally
    strata = strata_of(tally.layout, lineup_numbers(facts))
    unit = float(tally.layout.unit)
    ways = len(facts.ways)
    cell = np.arange(tally.layout.cells)
    blind = (cell >= ways) & (cell % ways == (facts.ways.index(BLIND) if BLIND in facts.ways else -1))

    def by_stratum(sums: Array) -> Array:  # (K, M, S) to (K, T)
        found = np.zeros((len(sums), tally.layout.strata), np.int64)
        np.add.at(found, (np.arange(len(sums))[:, None, None], strata), sums)
        return found

    matches = tally.of("matches")[:, v, :, None]
    if facts.cooperative:
        won = tally.of("reasons")[:, v, :, facts.reasons.index(facts.won), None]
        units = np.broadcast_to(won * tally.layout.unit, (*won.shape[:2], facts.players))
    else:
        units = tally.of("units")[:, v]
    sums = [
        inside.of("used")[:, v],
        inside.of("gained")[:, v],
        by_stratum(np.broadcast_to(matches, units.shape)),
        by_stratum(units),
    ]

    def parts(used: Array, gained: Array, n: Array, units: Array) -> tuple[Floats, Floats]:
        all_matches = np.maximum(n, 1).astype(np.float64)[..., None]
        mean = units[..., None] / all_matches
        gain = gained - (used * mean).sum(axis=-2)
        spread = (used * (n[..., None] - used) / all_matches).sum(axis=-2)
        if blind.any():
            drew = used.sum(axis=-2)[..., blind]
            every = np.maximum(drew.sum(axis=-1, keepdims=True), 1).astype(np.float64)
            gain[..., blind] -= drew * gain[..., blind].sum(axis=-1, keepdims=True) / every
            spread[..., blind] = drew * (every - drew) / every
        return gain, spread

    def effect(*sums: Array) -> Floats:
        gain, spread = parts(*sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            return gain / (spread * unit)

    found = jackknife(effect, sums, inside.deals[:, v], bounds=(-1.0, 1.0))
    return found, parts(*(part.sum(axis=0) for part in sums))[1]


def _effects(inside: Inside, v: int) -> list[PieceEffect]:
    facts, variant = inside.facts, inside.facts.variants[v]
    ways = len(facts.ways)
    values, weight = _effect(inside, v)
    p_values = values.p_values()
    low, high = values.interval()
    matches, uses = inside.total("used", v).sum(axis=0), inside.total("uses", v)
    seat_matches = max(int(inside.total("matches", v)) * facts.players, 1)
    cells = [cell for cell in np.flatnonzero(matches).tolist() if cell < ways or variant.pieces[cell // ways - 1]]
    # Neither what nearly all do nor what nearly nobody does can be told apart from doing the opposite.
    known = [cell for cell in cells if weight[cell] >= FEWEST and np.isfinite(low[cell])]
    adjusted = dict(zip(known, holm(p_values[known]).tolist(), strict=True)) if known else {}
    found = []
    for cell in cells:
        estimate = Estimate(None, None, None, int(matches[cell]))
        if cell in adjusted:
            estimate = Estimate(float(values.value[cell]), float(low[cell]), float(high[cell]), int(matches[cell]))
        p = adjusted.get(cell, 1.0)
        verdict = UNCLEAR if p >= 1.0 - LEVEL else HELPS if (estimate.value or 0.0) > 0.0 else HURTS
        piece = variant.pieces[cell // ways - 1] if cell >= ways else ""
        rates = int(matches[cell]) / seat_matches, int(uses[cell]) / seat_matches
        found.append(PieceEffect(variant.label, piece, facts.ways[cell % ways], *rates, estimate, p, verdict))
    return found


def series(inside: Inside) -> list[Series]:
    """All metrics by which variants are compared."""
    return pace(inside) + drama(inside)
