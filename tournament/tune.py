"""Searching a bot's parameters: those with which it does best against a field, tried at last on deals of their own.

Every trial plays the same deals: the bot once in each seat, one bot of the field in all other seats (as in a duel), or
in a cooperative game a team of copies. What it is worth is the mean over the field of its share of the other seats, or
of a team's result. The search is differential evolution (Storn and Price 1997, as SciPy has it), which needs no
gradient and does not mind whole numbers. The best of many trials looks better than it is, so the winner and the bot as
it was meet the field on fresh deals, and each other; the interval is of the differences deal by deal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bots import registry as bot_registry
from bots.bot import Entrant, Parameter
from engine import registry as game_registry
from engine.errors import UsageError, listed
from engine.game import rules_record
from engine.loop import ROW_RANKS, ROW_REASON, ROW_SCORES, MatchLoop
from engine.playouts import SCORE_WORTH
from engine.rng import MAX_SEED
from tournament.compiling import Tell, compile_plan
from tournament.plan import restore
from tournament.worker import compile_bot

Array = np.ndarray[Any, Any]
FRESH = 1 << 40  # the number of the first deal that no trial has seen
SPREAD = 6  # trials a round for each parameter
LEAST_TRIALS = 8
MOST_DEALS = 10_000_000  # of a trial
LEVEL = 0.95
DIGITS = 3  # that a parameter is given with


@dataclass(frozen=True)
class Against:
    """How winner and old bot did against one bot of the field on fresh deals, mean shares; ``opponent`` is empty for
    the mean over the field. ``gain``: the difference, with its interval."""

    opponent: str
    before: float
    after: float
    gain: float
    low: float
    high: float


@dataclass(frozen=True)
class Tuned:
    """What came of it. ``verdict``: ``better``, ``worse`` or ``undecided``, by the mean over the field."""

    before: Entrant
    after: Entrant
    trials: int
    matches: int  # of all trials
    deals: int  # fresh ones, each from every seat
    verdict: str
    field: list[Against]
    mean: Against


class Tuner:
    """Plays a bot with any values of its parameters against a field."""

    def __init__(
        self, game_id: str, bot: str, field: str, only: Sequence[str] = (), variant: str = "standard",
        rules: Sequence[str] = (), players: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.game = game_registry.game(game_id)
        self.players = self.game.default_seats if players is None else players
        if not 0 <= seed <= MAX_SEED:
            raise UsageError(f"seed cannot be {seed}; allowed: 0 to {MAX_SEED}")
        self.seed = seed
        options = self.game.settle_text(variant, list(rules), self.players)
        found = bot_registry.field(game_id, bot)
        if len(found) != 1:
            raise UsageError(f"'{bot}' is not one bot; hilltop tune takes one: hilltop tune {game_id} BOT")
        (self.bot,) = found
        self.tuned = self._parameters(only)
        self.field = self._field(field)
        self.rules = rules_record(self.game, options, self.players)
        self._loop: MatchLoop | None = None

    def prepare(self, tell: Tell = lambda *_: None) -> None:
        """Compile all that plays, or load it from the cache."""
        specs = list(dict.fromkeys(entrant.spec for entrant in (self.bot, *self.field)))
        settings = {"game": self.game.id, "players": self.players, "bots": specs, "matches": 1, "seed": self.seed}
        compile_plan(restore({**settings, "variants": [{"name": "standard", "rules": {}}]}), tell)
        for entrant in (self.bot, *self.field):
            compile_bot(self.game, self.rules, entrant)

    def _parameters(self, only: Sequence[str]) -> list[int]:
        names = [parameter.name for parameter in self.bot.bot.parameters]
        if not names:
            raise UsageError(f"bot {self.bot.spec} has no parameters; there is nothing to tune")
        for name in only:
            if name not in names:
                raise UsageError(f"bot {self.bot.bot.name} has no parameter '{name}'; allowed: {listed(names)}")
        return [place for place, name in enumerate(names) if not only or name in only]

    def _field(self, field: str) -> list[Entrant]:
        """The opponents, in a cooperative game none: there a team is compared with itself as it was."""
        if self.game.cooperative:
            if field:
                raise UsageError(f"{self.game.title} is played together; tune takes no field there")
            return []
        if not field or field.strip() == "all":
            others = [name for name in bot_registry.names(self.game.id) if name not in ("random", self.bot.bot.name)]
            return [self.bot, *(one for name in others for one in bot_registry.field(self.game.id, name))]
        return bot_registry.field(self.game.id, field)

    @property
    def parameters(self) -> list[Parameter]:
        """Those that are searched."""
        return [self.bot.bot.parameters[place] for place in self.tuned]

    @property
    def matches(self) -> int:
        """Matches that a deal takes."""
        return self.players * len(self.field) if self.field else 1

    def trials(self, budget: int, deals: int) -> int:
        """How many trials of so many deals a budget of matches is enough for; raises UsageError if they are too few."""
        least = LEAST_TRIALS * deals * self.matches
        if budget < least:
            raise UsageError(
                f"budget cannot be {budget}; with {deals} deals a trial at least {least} matches are needed"
            )
        return budget // (deals * self.matches)

    def with_values(self, values: Sequence[float]) -> Entrant:
        """The bot with other values of the parameters that are searched, rounded to ``DIGITS`` digits."""
        given = list(self.bot.values)
        for place, value in zip(self.tuned, values, strict=True):
            given[place] = _rounded(value, self.bot.bot.parameters[place])
        return replace(self.bot, values=tuple(given))

    def shares(self, entrant: Entrant, first: int, deals: int) -> Array:
        """What a bot is worth against each of the field on each of the deals: float (field or 1, deals)."""
        if not self.field:
            seats = [entrant] * self.players
            rows = self._rows(seats, first, deals)
            won = rows[ROW_REASON] == self.game.state.REASONS.index(self.game.won)
            return np.array([won + SCORE_WORTH * rows[ROW_SCORES]], np.float64)
        found = np.zeros((len(self.field), deals))
        for place, other in enumerate(self.field):
            for seat in range(self.players):
                seats = [entrant if at == seat else other for at in range(self.players)]
                packed = self._rows(seats, first, deals)[ROW_RANKS].astype(np.int64)
                ranks = packed // 10 ** np.arange(self.players)[:, None] % 10
                ahead = (ranks > ranks[seat]).sum(axis=0) + 0.5 * ((ranks == ranks[seat]).sum(axis=0) - 1)
                found[place] += ahead / (self.players - 1) / self.players
        return found

    def _rows(self, seats: Sequence[Entrant], first: int, deals: int) -> Array:
        self._loop = self._loop or MatchLoop(self.game, self.rules)
        out = np.zeros((ROW_SCORES + self.players, deals), np.int32)
        params = np.array([entrant.params for entrant in seats])
        self._loop.play([entrant.bot.decide for entrant in seats], params, self.seed, first, deals, out)
        return out


def _rounded(value: float, parameter: Parameter) -> float:
    if parameter.whole:
        return float(round(value))
    return float(np.clip(float(f"{value:.{DIGITS}g}"), parameter.low, parameter.high))


def tune(tuner: Tuner, budget: int, deals: int, tell: Callable[[int, int, float], None] = lambda *_: None) -> Tuned:
    """Search with ``budget`` matches, ``deals`` a trial, and try the best on as many fresh deals as all trials played.

    ``tell`` hears after each round: trials, all trials, the best share. Raises UsageError for too small a budget.
    """
    from scipy import optimize  # type: ignore[import-untyped]

    trials = tuner.trials(budget, deals)
    seen: dict[tuple[float, ...], float] = {}

    def loss(values: Array) -> float:
        entrant = tuner.with_values([float(value) for value in values])
        if entrant.values not in seen:
            seen[entrant.values] = -float(tuner.shares(entrant, 0, deals).mean())
        return seen[entrant.values]

    start = [tuner.bot.values[place] for place in tuner.tuned]
    loss(np.array(start))
    size = min(SPREAD * len(start), trials - 1)
    size = max(5, size)  # fewer cannot be crossed
    rounds = max(1, (trials - 1) // size)
    done = 0

    def after_round(*_: Any) -> None:
        nonlocal done
        done += 1
        tell(min(done * size, trials), trials, -min(seen.values()))

    bounds = [(parameter.low, parameter.high) for parameter in tuner.parameters]
    optimize.differential_evolution(
        loss,
        bounds,
        x0=np.array(start),
        init=_first_round(bounds, start, size, tuner.seed),
        maxiter=rounds - 1,
        integrality=[parameter.whole for parameter in tuner.parameters],
        rng=np.random.default_rng(tuner.seed),
        polish=False,
        tol=0.0,
        callback=after_round,
    )
    best = min(seen, key=lambda values: seen[values])
    fresh = max(deals, deals * len(seen) // 2)
    return _final(tuner, replace(tuner.bot, values=best), fresh, len(seen), len(seen) * deals * tuner.matches)


def _first_round(bounds: Sequence[tuple[float, float]], start: Sequence[float], size: int, seed: int) -> Array:
    """Half of the first round all over the ranges, half near the values that the bot has, which are no accident."""
    rng = np.random.default_rng([seed, 1])
    low, high = np.array(bounds).T
    wide = low + (high - low) * rng.random((size, len(start)))
    near = np.array(start) + 0.15 * (high - low) * rng.standard_normal((size, len(start)))
    values: Array = np.clip(np.where(np.arange(size)[:, None] % 2, wide, near), low, high)
    return values


def _final(tuner: Tuner, after: Entrant, deals: int, trials: int, matches: int) -> Tuned:
    """Both on fresh deals."""
    shares = [tuner.shares(one, FRESH, deals) for one in (tuner.bot, after)]
    pairs = zip(tuner.field, *shares, strict=True) if tuner.field else []
    rows = [_against(other.spec, old, new) for other, old, new in pairs]
    mean = _against("", *(one.mean(axis=0) for one in shares))
    verdict = "better" if mean.low > 0.0 else "worse" if mean.high < 0.0 else "undecided"
    return Tuned(tuner.bot, after, trials, matches, deals, verdict, rows, mean)


def _against(opponent: str, before: Array, after: Array) -> Against:
    from scipy import special

    gained = after - before
    gain = float(gained.mean())
    error = float(gained.std(ddof=1) / math.sqrt(len(gained))) if len(gained) > 1 else math.inf
    reach = float(special.stdtrit(max(1, len(gained) - 1), 0.5 + LEVEL / 2)) * error
    return Against(opponent, float(before.mean()), float(after.mean()), gain, gain - reach, gain + reach)
