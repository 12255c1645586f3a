"""Small charts as SVG, drawn with the page's own colours."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from tournament.page.layout import Html, tag

ROW, NAMES, WIDTH, MARGIN = 24, 190, 640, 12


def intervals(rows: Sequence[dict[str, Any]], title: str) -> Html:
    """Ratings with their intervals, best first; ``rows`` as JSON has them (``mu``, ``mu_low``, ``mu_high``)."""
    ends: list[float] = [row[key] for row in rows for key in ("mu", "mu_low", "mu_high") if row[key] is not None]
    if not ends:
        return Html("")
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0

    def place(value: float) -> float:
        return NAMES + MARGIN + (value - low) / span * (WIDTH - NAMES - 2 * MARGIN)

    parts = []
    for number, row in enumerate(rows):
        y = ROW * number + ROW / 2
        parts.append(f'<text x="{NAMES - 6}" y="{y + 4:.0f}" text-anchor="end">{escape(_short(row["bot"]))}</text>')
        if row["mu_low"] is not None and row["mu_high"] is not None:
            left, right = place(row["mu_low"]), place(row["mu_high"])
            parts.append(f'<line class="range" x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="dot" cx="{place(row["mu"]):.1f}" cy="{y}" r="4.5"/>')
    told = escape(f"{title}: {'; '.join(map(_told, rows))}")
    box = f"0 0 {WIDTH} {ROW * len(rows)}"
    drawn = f'<svg class="intervals" viewBox="{box}" role="img" aria-label="{told}">{"".join(parts)}</svg>'
    return tag("figure", Html(drawn), class_="wide")


def _told(row: dict[str, Any]) -> str:
    ends = "" if row["mu_low"] is None else f" ({row['mu_low']:.2f} to {row['mu_high']:.2f})"
    return f"{row['bot']} {row['mu']:.2f}{ends}"


def _short(name: str, most: int = 26) -> str:
    return name if len(name) <= most else name[: most - 1] + "\u2026"
