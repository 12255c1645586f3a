"""Is one bot better than another, with as few matches as possible.

A deal is one observation: what the first bot's share comes to over all seatings of it, the second bot (copies of it,
with more than two seats) in all other seats. In a cooperative game each bot plays the deal with copies of itself, and
the better score is ahead. The test and its interval are those of ``statistics.sequential``. Deals are taken in the
order of their numbers, so a verdict rests on a prefix of them, whatever was played at a time and wherever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bots import registry as bot_registry
from engine import registry as game_registry
from engine.errors import HilltopError, UsageError
from engine.loop import ROW_SCORES
from engine.rng import MAX_SEED
from tournament.execution import Executor
from tournament.plan import MAX_MATCHES, Plan, restore
from tournament.statistics.estimate import elo
from tournament.statistics.sequential import UNDECIDED, RatioTest
from tournament.worker import Fault

MOST_ELO = 1000.0  # of a hypothesis
SHOWN_ELO = 9999.0  # what an infinite difference is shown as
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Duel:
    """How it stands. ``matches`` and ``deals`` are those that the verdict rests on; ``spoiled`` deals, in which a bot
    did something wrong, are none of them. Elo is that of the mean share, its interval right whenever one stops.
    """

    verdict: str
    matches: int
    deals: int
    spoiled: int
    share: float | None
    elo: float | None
    elo_low: float
    elo_high: float


def plan_duel(
    game_id: str, first: str, second: str, variant: str = "standard", rules: Iterable[str] = (),
    players: int | None = None, most: int = 1_000_000, seed: int = 0,
) -> Plan:  # fmt: skip
    """Check what a user asks for and plan it; raises UsageError. ``most``: matches, rounded up to whole deals."""
    game = game_registry.game(game_id)
    seats = game.default_seats if players is None else players
    own = game.read_rules(rules)
    game.settle(game.variant(variant) | own, seats)
    entrants = []
    for text in (first, second):
        found = bot_registry.field(game_id, text)
        if len(found) != 1 or text.strip() == "all":
            raise UsageError(f"'{text}' is not one bot; a duel is between two: hilltop duel {game_id} BOT BOT")
        entrants += found
    if not 1 <= most <= MAX_MATCHES:
        raise UsageError(f"max cannot be {most}; allowed: 1 to {MAX_MATCHES}")
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed cannot be {seed}; allowed: 0 to {MAX_SEED}")
    variants = [{"name": variant, "rules": own}]
    bots = [entrant.spec for entrant in entrants]
    asked = {"game": game_id, "players": seats, "variants": variants, "bots": bots, "matches": most, "seed": seed}
    return restore({**asked, "duel": True})


def share_of(difference: float) -> float:
    """The share that a difference in Elo stands for."""
    return float(1.0 / (1.0 + 10.0 ** (-difference / 400.0)))


def ratio_test(plan: Plan, elo0: float, elo1: float, alpha: float, beta: float) -> RatioTest:
    """The test of a duel's shares; raises UsageError for what cannot be tested."""
    for name, value in (("elo0", elo0), ("elo1", elo1)):
        if not -MOST_ELO <= value <= MOST_ELO:
            raise UsageError(f"{name} cannot be {value:g}; allowed: {-MOST_ELO:g} to {MOST_ELO:g}")
    if not elo0 < elo1:
        raise UsageError(f"elo1 cannot be {elo1:g}; it must be above elo0, which is {elo0:g}")
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 1e-6 <= value < 0.5:
            raise UsageError(f"{name} cannot be {value:g}; allowed: 0.000001 to 0.5, without 0.5")
    return RatioTest(share_of(elo0), share_of(elo1), units_of(plan), alpha, beta)


def units_of(plan: Plan) -> int:
    """Units in a deal's full share."""
    return 2 if plan.game.cooperative else len(plan.lineups) * 2 * (plan.players - 1)


def deal_units(plan: Plan, rows: Array) -> Array:
    """The first bot's units of each deal, -1 of a spoiled one: int64 (deals,). ``rows``: whole deals in match order."""
    reasons = rows[1].reshape(-1, len(plan.lineups)).astype(np.int64)
    if plan.game.cooperative:
        won = plan.game.state.REASONS.index(plan.game.won)
        scores = rows[ROW_SCORES].reshape(reasons.shape).astype(np.int64)
        worth = np.where(reasons == won, scores + 1, 0)
        units = 1 + np.sign(worth[:, 0] - worth[:, 1])
    else:
        none = np.array([name in plan.game.none_wins for name in plan.game.state.REASONS])
        packed = rows[0].astype(np.int64)
        ranks = np.stack([packed // 10**seat % 10 for seat in range(plan.players)])
        seat = np.array([lineup.entrants.index(0) for lineup in plan.lineups])
        own = np.take_along_axis(ranks, np.resize(seat, len(packed))[None], axis=0)
        beaten = 2 * (ranks > own).sum(axis=0) + (ranks == own).sum(axis=0) - 1
        # Where nobody wins nobody is ahead: that is a tie of all.
        nobody = none[np.maximum(rows[1], 0)]
        units = np.where(nobody, plan.players - 1, beaten).reshape(reasons.shape).sum(axis=1)
    return np.where((reasons < 0).any(axis=1), -1, units)


def play(plan: Plan, executor: Executor, test: RatioTest, tell: Callable[[Duel], None] = lambda _: None) -> Duel:
    """Play until there is a verdict or no match is left; ``tell`` hears how it stands after each chunk.

    Raises HilltopError for a bot that spoils as many matches as one may (``plan.max_faults``) before that.
    """
    spoiled = first = 0
    faults: list[Fault] = []
    for rows in _whole_deals(plan, executor, faults):
        last = _last_fault(plan, faults)
        if last:
            rows = rows[:, : (last.match // len(plan.lineups) + 1) * len(plan.lineups) - first]
        first += rows.shape[1]
        units = deal_units(plan, rows)
        good = np.flatnonzero(units >= 0)
        taken = test.feed(units[good])
        reached = int(good[taken - 1]) + 1 if taken and test.verdict != UNDECIDED else len(units)
        spoiled += int((units[:reached] < 0).sum())
        tell(standing(plan, test, spoiled))
        if test.verdict != UNDECIDED:
            break
        if last:
            raise HilltopError(
                f"bot {plan.names[last.entrant]} has spoiled {plan.max_faults} matches, the last one in that it "
                f"{last.said}; 'hilltop check-bot' shows what to mend"
            )
    return standing(plan, test, spoiled)


def standing(plan: Plan, test: RatioTest, spoiled: int = 0) -> Duel:
    """How it stands."""
    low, high = test.interval()
    mean = test.mean
    return Duel(
        test.verdict,
        test.n * len(plan.lineups),
        test.n,
        spoiled,
        mean,
        None if mean is None else float(elo(mean, SHOWN_ELO)),
        float(elo(low, SHOWN_ELO)),
        float(elo(high, SHOWN_ELO)),
    )


def _last_fault(plan: Plan, faults: Sequence[Fault]) -> Fault | None:
    """The first fault in match order that is the last one that its bot may have."""
    counts = [0] * len(plan.entrants)
    for fault in faults:
        counts[fault.entrant] += 1
        if counts[fault.entrant] == plan.max_faults:
            return fault
    return None


def _whole_deals(plan: Plan, executor: Executor, faults: list[Fault]) -> Iterator[Array]:
    """Rows (3 + seats, matches) of consecutive whole deals; ``faults``: gets those in them, in match order."""
    held = np.zeros((plan.rows, 0), np.int32)
    for results in executor.results(plan, 0, plan.matches):
        faults += results.faults
        rows = np.concatenate([held, results.rows], axis=1)
        whole = rows.shape[1] - rows.shape[1] % len(plan.lineups)
        held = rows[:, whole:]
        if whole:
            yield rows[:, :whole]
