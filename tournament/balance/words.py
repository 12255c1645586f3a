"""Numbers of the report as people read them."""

from __future__ import annotations

from tournament.statistics.estimate import Estimate


def percent(value: float) -> str:
    """A share as per cent, with as many digits as make sense."""
    return f"{100 * value:.{2 if abs(value) < 0.0995 else 1}f} %"


def number(value: float | None, unit: str) -> str:
    """A value of a metric for people; '' if it is not known."""
    if value is None:
        return ""
    if unit.startswith("share"):
        return f"{100 * value:.2f} %"
    if unit in ("matches", "cycles"):
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"


def interval(estimate: Estimate, unit: str) -> str:
    """``value (low to high)`` for people."""
    value = number(estimate.value, unit) or "unknown"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({number(estimate.low, unit).removesuffix(' %')} to {number(estimate.high, unit)})"
