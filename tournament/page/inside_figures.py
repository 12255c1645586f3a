"""The charts of what happens inside matches: length, rounds, leads, margins and pieces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tournament.balance.finding import METRICS
from tournament.balance.inside import BLIND, DEALT, HELPS, HURTS, UNCLEAR, Distribution, PieceEffect
from tournament.balance.summary import Balance
from tournament.balance.words import interval, percent
from tournament.page import charts
from tournament.page.choose import DETAILED, telling
from tournament.page.figures import ESTIMATE, estimate_cells, grid_of, names_of, point, row_of, says, titled, told
from tournament.page.layout import Figure, chip
from tournament.statistics.estimate import Array

STRIPS = 6  # variants with a histogram
BARS = 30  # of a histogram, at most
PIECES = 14  # effects in a chart
_COMPANION = "A companion of success, not its cause."
_X = {
    "match_plies": "plies",
    "match_rounds": "rounds",
    "lead_changes": "lead changes",
    "last_lead": "part of the match",
    "margin_share": "part of the winner's score",
}


def pace(found: Balance, plies: Array | None) -> list[Figure]:
    """Length in plies and rounds. ``plies``: int64 (V, plies), how many matches of each variant took so many."""
    figures = []
    if plies is not None and plies.any():
        values = tuple(float(value) for value in range(plies.shape[1]))
        figures.append(_histogram(found, Distribution("match_plies", values, plies, False), "Length of matches"))
    return figures + [_histogram(found, one) for one in found.distributions if one.metric == "match_rounds"]


def drama(found: Balance) -> list[Figure]:
    """Lead over time, lead changes, the moment of the last one, margins."""
    kept = ("lead_changes", "last_lead", "margin_share")
    return _curve(found) + [_histogram(found, one) for one in found.distributions if one.metric in kept]


def _histogram(found: Balance, one: Distribution, title: str = "") -> Figure:
    shown = telling(found, STRIPS)
    share = METRICS[one.metric].unit == "share"
    places = [found.labels.index(label) for label in shown.labels]
    counts = one.counts[places]
    edges, bars, more = binned(one, counts)
    width = edges[1] - edges[0]
    rows: list[dict[str, Any]] = []
    grid, order = [], []
    for label, row in zip(shown.labels, bars, strict=True):
        total = int(row.sum())
        order.append(row_of(found, label))
        for number, count in enumerate(row.tolist()):
            low, high = edges[number], edges[number + 1]
            text = _range(low, high, share, more and number == len(row) - 1)
            part = count / total if total else 0.0
            shift = 0.0 if share else width / 2 if width == 1 else 0.5
            tip = f"{row_of(found, label)}, {text}: {percent(part)} of matches"
            rows.append({"row": order[-1], "from": low - shift, "to": high - shift, "part": part, "tip": tip})
            if count:
                grid.append((label, text, percent(part), f"{count:,}", f"{total:,}"))
    title = title or METRICS[one.metric].title
    filled = [row for row in rows if row["part"] > 0]
    highest = sorted(filled, key=lambda row: -row["part"])
    last = f"{edges[-2]:g}+" if more else ""
    return Figure(
        title,
        says(f"Histogram: {title.lower()}, in {_X[one.metric]}; the highest bars", highest),
        lambda size: charts.strips(rows, size, _X[one.metric], share, order, last),
        grid_of(("Variant", _X[one.metric].capitalize(), "#Part of matches", "#Matches there", "#Matches"), grid),
        (one.metric,),
        told("", shown),
        wide=False,
    )


def binned(one: Distribution, counts: Array) -> tuple[list[float], Array, bool]:
    """Edges of bars, how often each, and whether the last stands for all that is larger."""
    step = one.values[1] - one.values[0] if len(one.values) > 1 else 1.0
    if METRICS[one.metric].unit == "share":
        edges = [*one.values, one.values[-1] + step]
        # What stands for 1 itself, or more, is no bar of its own.
        while len(edges) > 2 and edges[-2] > 1.0 - step / 2:
            counts = np.concatenate([counts[:, :-2], counts[:, -2:].sum(axis=1, keepdims=True)], axis=1)
            edges.pop()
        return edges, counts, False
    seen = np.flatnonzero(counts.any(axis=0))
    first, last = (int(seen[0]), int(seen[-1])) if len(seen) else (0, 1)
    open_end = one.more and last == counts.shape[1] - 1
    if not open_end:  # the last few in thousands would leave most of the chart empty
        reached = counts.sum(axis=0).cumsum()
        cut = int(np.searchsorted(reached, 0.998 * reached[-1]))
        open_end = last > cut + max(3, (cut - first) // 10)
        last = cut + 1 if open_end else last
    size = max(1, math.ceil((last - first + 1) / BARS))
    first -= first % size
    bars = -(-(last - first + 1) // size)
    edges = [one.values[0] + step * (first + size * bar) for bar in range(bars + 1)]
    where = np.minimum((np.arange(counts.shape[1]) - first) // size, bars - 1)
    sums = np.zeros((len(counts), bars), np.int64)
    for place in np.flatnonzero(counts.any(axis=0)).tolist():
        sums[:, max(where[place], 0)] += counts[:, place]
    return edges, sums, open_end


def _range(low: float, high: float, share: bool, more: bool) -> str:
    if share:
        return f"{100 * low:.0f} to {100 * high:.0f} %"
    if more:
        return f"{low:g} or more"
    return f"{low:g}" if high - low <= 1 else f"{low:g} to {high - 1:g}"


def _curve(found: Balance) -> list[Figure]:
    if found.curve is None:
        return []
    shown = telling(found, DETAILED)
    rows, grid = [], []
    for label in shown.labels:
        points = found.curve[found.labels.index(label)].estimates()
        for number, estimate in enumerate(points):
            if estimate.value is None:
                continue
            when = number / (len(points) - 1)
            spot = point(label, label, estimate, "points") | {"x": when}
            spot["tip"] = f"{label}, after {100 * when:.0f} %: {interval(estimate, 'points')} points"
            rows.append(spot)
            grid.append((label, f"{100 * when:.0f} %", *estimate_cells(estimate, "points")))
    if not rows:
        return []
    names = names_of(rows)
    spoken = [row for row in rows if row["x"] in (0.25, 0.5, 0.75, 1.0)]
    return [
        Figure(
            "Lead of the later winner over time",
            says("Mean lead of the later winner over the best other seat as a match goes on", spoken),
            lambda width: charts.lines(
                rows, width, "part of the match", False, names, zero=0.0, x_share=True, points=len(names) > 1
            ),
            grid_of(("Variant", "#After", *ESTIMATE), grid),
            ("lead_curve",),
            told("In points. Near 0 until late: suspense. Rising early: early leads decide.", shown),
        )
    ]


# ---------------------------------------------------------------- pieces


def pieces(found: Balance) -> list[Figure]:
    """The largest effects of having and of using pieces, apart, by variant."""
    shown = telling(found, 3 if len(found.labels) <= 3 else 1)
    got = [*found.facts.ways[:2], BLIND]
    figures = []
    for label in shown.labels:
        effects = [one for one in found.pieces if one.variant == label and one.effect.value is not None]
        for way in (*got, ""):
            chosen = [one for one in effects if (one.way == way if way else one.way not in got)]
            if chosen:
                figures.append(_effects(found, label, chosen, way, shown.note))
    return figures


def _effects(found: Balance, label: str, effects: Sequence[PieceEffect], way: str, note: str) -> Figure:
    largest = sorted(effects, key=lambda one: -abs(one.effect.value or 0.0))[:PIECES]
    largest.sort(key=lambda one: -(one.effect.value or 0.0))
    rows: list[dict[str, Any]] = []
    grid = []
    for one in largest:
        name = one.piece if way else f"{one.piece} {_spaced(one.way)}".strip()
        row = point(name, one.verdict, one.effect, "share")
        rows.append(row)
        grid.append(
            (
                one.piece or "-",
                _spaced(one.way),
                *estimate_cells(one.effect, "share"),
                percent(one.rate),
                f"{one.uses:.2f}",
                chip(one.verdict),
            )
        )
    verdicts = [word for word in (HELPS, UNCLEAR, HURTS) if any(one.verdict == word for one in largest)]
    if way == DEALT:
        title = "Worth of a piece that is dealt"
        reading = (
            "Score share of those who were dealt it less that of the others. That is chance, so it is what it is worth."
        )
    elif way == BLIND:
        title = "Worth of the first card drawn blind"
        reading = (
            "Score share of those whose first card drawn unseen it was less that of those who drew another one. Which "
            "one comes is chance, so it is what it is worth."
        )
    elif way:
        title = f"What goes with a piece that {'is' if way == 'won' else ''} {_spaced(way)}".replace("  ", " ")
        reading = f"Score share of those who had it less that of those who had not. {_COMPANION}"
    else:
        title = "What goes with using a piece"
        reading = f"Score share of those who used it less that of those who did not. {_COMPANION}"
    title = titled(title, found, label)
    if len(effects) > len(largest):
        reading += f" The {len(largest)} largest of {len(effects)}."
    return Figure(
        title,
        says(f"{title}: effect on score share with 95 % interval", rows),
        lambda width: charts.dots(rows, width, "effect on score share", True, [""], zero=0.0, looks=_looks(verdicts)),
        grid_of(("Piece", "Way", *ESTIMATE, "#Rate", "#Uses", "Verdict"), grid),
        ("piece_effect", "piece_rate", "piece_uses"),
        f"{reading} {note}".strip(),
        wide=False,
    )


def _looks(verdicts: Sequence[str]) -> dict[str, Any]:
    colours = {HELPS: charts.COLOURS[0], UNCLEAR: "var(--soft)", HURTS: charts.COLOURS[1]}
    shapes = {HELPS: "triangle-up", UNCLEAR: "circle", HURTS: "triangle-down"}

    def one(of: dict[str, str]) -> dict[str, Any]:
        return {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": list(verdicts), "range": [of[word] for word in verdicts]},
        }

    return {"color": one(colours), "shape": one(shapes)}


def _spaced(way: str) -> str:
    return way.replace("_", " ")
