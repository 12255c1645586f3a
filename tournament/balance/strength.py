"""Does the verdict on fairness hold as play gets better? The same for random, scripted and searching play.

At each strength one bot plays all seats, so that a seat's share is the seat's alone: ``random``, the game's best
scripted bot, and a search that plays on with it. All strengths meet the same deals, the slow ones fewer of them. How
many is planned before the first match (:func:`plan_deals`, from what a match costs here) and is a setting of the stored
run; told the same numbers, any machine plays the same.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import UsageError
from tournament.balance import fairness
from tournament.plan import Plan
from tournament.statistics.counted import Counted
from tournament.statistics.decision import FAIR, UNDECIDED, UNFAIR
from tournament.statistics.estimate import Estimate
from tournament.statistics.team import TeamSample
from tournament.worker import Worker

STRENGTHS = ("random", "scripted", "searching")
LEAST_DEALS = 40
TRIAL = 0.3  # seconds of processor time that a cost is measured in
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Level:
    """A variant at one strength of play. ``estimate``: how far the seat furthest from even is from it; together, the
    share of deals that the team wins, without ``verdict`` and ``note``."""

    variant: str
    strength: str
    bot: str
    run: str
    deals: int
    estimate: Estimate
    verdict: str
    note: str


def bots(game: str, playouts: int) -> tuple[str, str, str]:
    """Who plays at each strength."""
    best: str = importlib.import_module(f"bots.{game}").POLICY
    return "random", best, f"rollouts(playouts={playouts})"


def seconds_of(text: str) -> float:
    """The seconds that ``90``, ``90s``, ``10m`` or ``1.5h`` mean; raises UsageError."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "s")
    try:
        found = float(number) * UNITS[unit]
    except ValueError:
        found = 0.0
    if not 1.0 <= found <= 1e6:
        raise UsageError(f"time cannot be '{text}'; write 90s, 10m or 1.5h, 1 s to 1000000 s")
    return found


def plan_deals(plans: Sequence[Plan], seconds: float, cores: int) -> list[int]:
    """How many deals each plan can play in an equal part of the time: at least LEAST_DEALS, at most its own."""
    found = []
    for plan in plans:
        board = len(plan.lineups)
        room = seconds * cores / len(plans) / _cost(plan) / board
        found.append(int(min(max(LEAST_DEALS, _two_digits(room)), max(1, plan.matches // board))))
    return found


def _cost(plan: Plan) -> float:
    """Seconds of processor time that a match takes."""
    worker = Worker(plan.settings, keep=False)
    some = 1
    while True:
        begun = time.process_time()
        worker.play(0, some)
        spent = time.process_time() - begun
        if spent >= TRIAL or some >= plan.matches:
            return max(spent, 1e-6) / some
        some = min(plan.matches, max(2 * some, int(some * TRIAL / max(spent, 1e-3))))


def _two_digits(number: float) -> int:
    """Rounded down to two digits: a number that people can write."""
    step: int = 10 ** max(0, len(str(int(number))) - 2)
    return int(number) // step * step


def levels(strength: str, bot: str, counted: Counted, margin: float) -> list[Level]:
    """The variants of a run of one bot, judged."""
    run, deals = counted.run.id, counted.run.done // max(1, len(counted.facts.labels))
    if counted.facts.cooperative:
        sample = TeamSample(counted.facts, counted.tally)
        rows = zip(sample.variants, sample.win_rate.estimates(), strict=True)
        return [Level(variant, strength, bot, run, estimate.n, estimate, "", "") for variant, estimate in rows]
    found = [one for one in fairness.fairness(counted.sample, margin) if one.metric == "seat_spread"]
    return [
        Level(one.variant, strength, bot, run, deals, one.estimate, one.verdict, one.note)
        for one in found
        if one.group == fairness.ALL
    ]


def sentence(variant: str, found: Sequence[Level]) -> str:
    """What the strengths of one variant say together."""
    if not found[0].verdict:
        parts = [f"{_percent(one.estimate.value)} for {one.strength} play" for one in found]
        return f"{variant}: deals won are {', '.join(parts)}."
    said = [one.verdict for one in found]
    each = ", ".join(f"{one.verdict} for {one.strength} play" for one in found)
    decided = [one for one in found if one.verdict in (FAIR, UNFAIR)]
    kinds = {(one.verdict, one.note if one.verdict == UNFAIR else "") for one in decided}
    if len(kinds) > 1:
        turned = "" if len({one.verdict for one in decided}) > 1 else ", but not for the same seat"
        return f"{variant}: {each}{turned}; the verdict changes as play gets better."
    if UNDECIDED in said:
        return f"{variant}: {each}; whether the verdict holds takes more deals."
    return f"{variant}: {said[0]} at every strength; the verdict holds as play gets better."


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"
