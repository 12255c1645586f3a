"""What happens inside matches, from a run's telemetry: pace, drama, and what each piece does to its player's chances.

Telemetry is summed by chunk, and chunks are consecutive whole deals, so they are the batches of the jackknife
(``estimate``): intervals are clustered on deals and differences between variants are paired, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.telemetry import COUNTS, PARTS, counted
from storage.store import Store, StoredRun
from tournament.balance.estimate import LEVEL, Array, Bounds, Estimate, Floats, Jackknifed, jackknife
from tournament.balance.finding import Series
from tournament.intervals import holm
from tournament.plan import Plan, restore

FEWEST = 30  # uses and non-uses that an effect is given for
HELPS, HURTS, UNCLEAR = "helps", "hurts", "not separated"
SHARE = (0.0, 1.0)


@dataclass(frozen=True)
class Inside:
    """The telemetry of a run by chunk (K) and variant (V).

    counts  int64 (K, V, COUNTS), see ``engine.telemetry.TALLY``
    pieces  int64 (K, V, cells, 4): matches, uses, gain, spread, see ``engine.telemetry.take``
    """

    plan: Plan
    counts: Array
    pieces: Array

    @property
    def deals(self) -> Array:
        """Deals behind each batch, int64 (K, V)."""
        return self.of("matches") // max(len(self.plan.lineups) // len(self.plan.variants), 1)

    def of(self, name: str) -> Array:
        """A field of TALLY, int64 (K, V) or (K, V, its length)."""
        return counted(self.counts, name)

    def total(self, name: str, variant: int) -> Array:
        """A field of TALLY of a whole variant."""
        total: Array = self.of(name)[:, variant].sum(axis=0)
        return total


def read(store: Store, run: StoredRun) -> Inside | None:
    """The telemetry of a stored run; None if it was played without."""
    telemetry = store.telemetry(run)
    if telemetry is None:
        return None
    plan = restore(run.settings)
    pieces = telemetry[..., COUNTS:].reshape(*telemetry.shape[:2], plan.game.cells, 4)
    return Inside(plan, telemetry[..., :COUNTS], pieces)


# ---------------------------------------------------------------- pace and drama


def pace(inside: Inside) -> list[Series]:
    """Rounds, moves of each seat, forced moves, choice, and how matches end."""
    seats = inside.plan.players
    found = []
    if inside.of("rounds").any():
        found.append(_ratio(inside, "match_rounds", inside.of("rounds"), inside.of("matches")))
    moves = inside.of("seat_plies")[..., :seats]
    found += [
        _ratio(inside, "seat_plies", moves, inside.of("matches"), tuple(f"seat {seat}" for seat in range(seats))),
        _ratio(inside, "forced_share", inside.of("forced"), inside.of("plies"), bounds=SHARE),
        _ratio(inside, "legal_moves", inside.of("legal"), inside.of("plies")),
    ]
    reasons = inside.plan.game.state.REASONS
    ends = inside.of("reasons")[..., : len(reasons)]
    found.append(_ratio(inside, "ending_share", ends, inside.of("matches"), tuple(reasons), SHARE))
    return found


def drama(inside: Inside) -> list[Series]:
    """Who leads, how often that changes, when for the last time, and how far ahead the winner ends up.

    Nothing for games in which all seats stand alike.
    """
    if inside.plan.players < 2 or inside.plan.game.cooperative:
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
    values = Jackknifed(
        found.value, found.left, found.present, found.deals, np.broadcast_to(matches, found.value.shape), bounds
    )
    return Series(metric, subjects, values)


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


def piece_effects(inside: Inside) -> list[PieceEffect]:
    """All pieces and ways that occur, variant by variant, in the game's order."""
    plan = inside.plan
    game, ways = plan.game, len(plan.game.ways)
    unit = max(2 * (plan.players - 1), 1)

    def effect(gain: Array, spread: Array) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return gain / (spread * float(unit))

    found: list[PieceEffect] = []
    values = jackknife(effect, [inside.pieces[..., 2], inside.pieces[..., 3]], inside.deals, bounds=(-1.0, 1.0))
    p_values = values.p_values()
    low, high = values.interval()
    totals = inside.pieces.sum(axis=0)
    for v, variant in enumerate(plan.variants):
        seat_matches = int(inside.total("matches", v)) * plan.players
        cells = [
            cell
            for cell in range(game.cells)
            if totals[v, cell, 0] and (cell < ways or game.piece_name(variant.options, cell // ways - 1))
        ]
        # Neither what nearly all do nor what nearly nobody does can be told apart from doing the opposite.
        known = [cell for cell in cells if totals[v, cell, 3] >= 1000 * FEWEST and np.isfinite(low[v, cell])]
        adjusted = dict(zip(known, holm(p_values[v, known]).tolist(), strict=True)) if known else {}
        for cell in cells:
            matches, uses = int(totals[v, cell, 0]), int(totals[v, cell, 1])
            estimate = Estimate(None, None, None, matches)
            if cell in adjusted:
                ends = float(low[v, cell]), float(high[v, cell])
                estimate = Estimate(float(values.value[v, cell]), *ends, matches)
            p = adjusted.get(cell, 1.0)
            verdict = UNCLEAR if p >= 1.0 - LEVEL else HELPS if (estimate.value or 0.0) > 0.0 else HURTS
            piece = game.piece_name(variant.options, cell // ways - 1) if cell >= ways else ""
            way = game.ways[cell % ways]
            found.append(
                PieceEffect(
                    variant.label, piece, way, matches / seat_matches, uses / seat_matches, estimate, p, verdict
                )
            )
    return found


def series(inside: Inside) -> list[Series]:
    """All metrics by which variants are compared."""
    return pace(inside) + drama(inside)
