"""Review: a match as search sees it. What each decision was worth, what would have been better, and what was luck.

A *worth* is what a seat may expect: its share of the other seats (in a match of two the chance to win, a draw counting
half), or together the chance that the team wins (and a thousandth for each point of the score). It is estimated by
playouts from what the seat may know at the decision (``engine/playouts.py``), a policy playing on in every seat, on the
same possibilities for all moves. At each decision

    error   what the best move found is worth more than the move played; never below 0 but for noise
    skill   what the move played is worth more than the policy's own
    luck    what the policy's own move is worth now, less what the seat's last move was worth when it was made (for the
            first decision: less what a seat is worth before the deal)

If all played as the policy does, luck would be 0 on average, whatever a seat does: cards, dice, and what others turn
out to hold. It adds up: base + luck + skill, with the luck of the end, is the result. As it is, others' skill is in a
seat's luck; the *adjusted* result leaves only skill: base + own skill - the others' (together: + theirs). It has the
mean of the result, as far as possibilities are as likely as ``determinize`` takes them to be, and a fraction of its
variance (the idea of Burch et al. 2018, AIVAT, with playouts for the value function).

The best move is found on other possibilities than those that say how much better it is: it is chosen among many, and
what it was chosen for would flatter it. For the same reason a decision that looks like an error is judged once more on
new possibilities, more of them, and its error is what these say alone. A verdict is given only where SURE standard
errors less would still be too much: of a thousand decisions that lose less, 1.4 get one at most. Luck and skill are of
the first look at each decision: to take the second where the first is high, and only there, would bias their means.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bots.bot import Bot
from bots.registry import field as entrants_of
from engine.errors import UsageError, listed
from engine.game import Game, Options
from engine.loop import ROW_RANKS, ROW_REASON, ROW_SCORES
from engine.match import Match
from engine.playouts import SCORE_WORTH
from engine.rng import MAX_SEED
from engine.search import search_of
from tournament.compiling import Tell, compile_plan
from tournament.plan import Plan, restore
from tournament.trace import action, choice_of, plain
from tournament.worker import Worker, compile_bot

Json = dict[str, Any]
Array = np.ndarray[Any, Any]
Choose = Callable[[Match, int], int]  # a legal move's code

# Numbers of the possibilities on which a move is chosen, on which it is judged, and on which errors are confirmed.
SEARCH, AGAIN, CONFIRM = 0, 1 << 30, 1 << 31
SMALL, LARGE = 0.05, 0.10  # what a mistake, and a blunder, surely loses
SURE = 3.0  # standard errors that make sure
TIMES = 4  # so many times the playouts that confirm an error
BASE_DEALS = 4000


@dataclass(frozen=True)
class Decision:
    """One decision between several moves, told by search. Worths are to ``seat``; each has its standard error."""

    match: int
    ply: int  # moves made before it
    seat: int
    bot: str
    view: Json  # what the seat knew
    moves: int  # legal ones
    played: Json
    best: Json
    own: Json  # the policy's
    before: float  # worth of the best move found
    before_se: float
    after: float  # worth of the move played
    after_se: float
    error: float
    error_se: float
    lost: float  # the error at the first look, as which the means of many are right
    skill: float
    skill_se: float
    luck: float

    @property
    def verdict(self) -> str | None:
        """``blunder``, ``mistake`` or nothing: what surely loses more than LARGE, or SMALL."""
        least = self.error - SURE * self.error_se
        return "blunder" if least > LARGE else "mistake" if least > SMALL else None


@dataclass(frozen=True)
class Look:
    """What the move played, the best found and the policy's own are worth, float (3,); the standard errors of these and
    of their differences from the first, (3, 2)."""

    means: Array
    errors: Array


@dataclass
class Reviewed:
    """A match: its decisions, and each seat's result as luck and skill."""

    match: int
    bots: list[str]
    decisions: list[Decision] = field(default_factory=list)
    base: list[float] = field(default_factory=list)  # what a seat is worth before the deal
    result: list[float] = field(default_factory=list)  # the worth of the end
    luck: list[float] = field(default_factory=list)
    skill: list[float] = field(default_factory=list)
    adjusted: list[float] = field(default_factory=list)


class Reviewer:
    """Judges decisions of a game under a variant's options: ``playouts`` to find the best move, as many to judge it."""

    def __init__(self, game: Game, policy: str = "", playouts: int = 1000) -> None:
        spec = f"rollouts(playouts={playouts}{f',policy={policy}' if policy else ''})"
        (self.search,) = entrants_of(game.id, spec)
        self.game = game
        self.playouts = playouts
        self._sample = search_of(game.id, "sample")
        self._choice = search_of(game.id, "policys_choice")
        self._compiled = False

    def judge(self, match: Match, seat: int, code: int, seed: int) -> tuple[list[int], Look, Look]:
        """The codes of (move played, best move found, policy's own), a first look at these and the last: the same, or
        where the first saw what may be a mistake, one at TIMES as many new possibilities."""
        if not self._compiled:
            compile_bot(self.game, match.rules, self.search)
            self._compiled = True
        codes = match.legal_codes()
        view, moves = match.observe(seat), np.array(codes, np.int64)
        tools = self.search.workspace.tools
        own = int(self._choice(match.rules, view, moves, len(codes), seed, tools))
        played = codes.index(code)
        best = self._best(match, view, moves, played, own, seed)
        chosen = list(dict.fromkeys([played, best, own]))
        places = [chosen.index(place) for place in (played, best, own)]

        def look(first: int, playouts: int) -> Look:
            means, errors = self._try(match, view, moves, chosen, seed, first, max(2, playouts // len(chosen)))
            return Look(means[places], errors[places])

        last = once = look(AGAIN, self.playouts)
        if best != played and once.means[1] - once.means[0] + once.errors[1, 1] > SMALL:
            last = look(CONFIRM, TIMES * self.playouts)
        return [codes[place] for place in (played, best, own)], once, last

    def _best(self, match: Match, view: Any, moves: Array, played: int, own: int, seed: int) -> int:
        """Sequential halving over all moves; the move played and the policy's own stay to the end."""
        alive = list(dict.fromkeys([played, own, *range(len(moves))]))
        kept = 1 + (played != own)
        rounds = max(1, math.ceil(math.log2(len(alive))))
        tried = 0
        totals = np.zeros(len(moves))
        for left in range(rounds - 1, -1, -1):
            numbers = max(1, self.playouts // (rounds * len(alive)))
            means, _ = self._try(match, view, moves, alive, seed, SEARCH + tried, numbers)
            totals[alive] += means * numbers
            tried += numbers
            if left:
                others = sorted(alive[kept:], key=lambda place: -totals[place])
                alive = alive[:kept] + others[: max(1, (len(alive) + 1) // 2 - kept)]
        return int(max(alive, key=lambda place: totals[place]))

    def _try(
        self, match: Match, view: Any, moves: Array, places: Sequence[int], seed: int, first: int, numbers: int
    ) -> tuple[Array, Array]:
        """Mean worths of some moves over the same possibilities; the standard errors of these, and of the differences
        from the first."""
        memory, chosen = self.search.workspace.memory[0], list(places)
        memory.alive[: len(chosen)] = chosen
        for sums in (memory.totals, memory.squares, memory.spread):
            sums[: len(moves)] = 0.0
        self._sample(match.rules, view, moves, len(chosen), seed, first, numbers, self.search.workspace.tools)
        means = memory.totals[chosen] / numbers
        squares = np.stack([memory.spread[chosen], memory.squares[chosen]], axis=1) / numbers
        variance = squares - np.stack([means, means - means[0]], axis=1) ** 2
        return means, np.sqrt(np.maximum(variance, 0.0) / max(1, numbers - 1))


def bases(game: Game, variant: str, own: Options, players: int, policy: Bot, deals: int = BASE_DEALS) -> list[float]:
    """What each seat is worth before the deal: the mean over deals that the policy plays in all seats."""
    variants = [{"name": variant, "rules": own}]
    settings = {"game": game.id, "players": players, "variants": variants, "bots": [policy.name], "seed": 1}
    rows = Worker({**settings, "matches": deals}).play_lineup(0, 0, deals)
    ranks = rows[ROW_RANKS] // 10 ** np.arange(players)[:, None] % 10
    if game.cooperative:
        won = rows[ROW_REASON] == game.state.REASONS.index(game.won)
        return [float((won + SCORE_WORTH * rows[ROW_SCORES]).mean())]
    return [float(np.mean([_share(column, seat) for column in ranks.T])) for seat in range(players)]


def _share(ranks: Sequence[int] | Array, seat: int) -> float:
    """The part of the other seats that one finishes ahead of, ties counting half."""
    others = [rank for other, rank in enumerate(ranks) if other != seat]
    return float(sum((rank > ranks[seat]) + 0.5 * (rank == ranks[seat]) for rank in others) / len(others))


def review_match(
    plan: Plan, number: int, reviewer: Reviewer, base: Sequence[float], choose: Choose | None = None
) -> Reviewed:
    """Play match ``number`` of a plan again and judge every decision between several moves.

    ``choose`` takes the decisions in place of the plan's bots.
    """
    deal, lineup = plan.locate(number)
    bots = [plan.entrants[entrant] for entrant in lineup.entrants]
    match = Match(plan.game, plan.variants[lineup.variant].options, plan.players)
    match.deal(plan.seed, deal)
    for bot in bots:
        compile_bot(plan.game, match.rules, bot, plan.trusts)
    guards = [bot.guard(plan.game, plan.trusts, plan.budget) for bot in bots]
    seats = range(plan.players)
    before = [base[0] if plan.game.cooperative else base[seat] for seat in seats]
    told = Reviewed(number, [bot.spec for bot in bots], base=list(before), luck=[0.0] * plan.players)
    told.skill = [0.0] * plan.players
    ply = 0
    while not match.is_over():
        seat = match.to_act()
        if seat is None:
            match.draw()
            continue
        code = choose(match, seat) if choose else choice_of(match, bots[seat].spec, guards[seat])
        if len(match.legal_codes()) > 1:
            decision, before[seat] = _decision(match, number, ply, seat, bots[seat].spec, code, reviewer, before[seat])
            told.decisions.append(decision)
            told.luck[seat] += decision.luck
            told.skill[seat] += decision.skill
        match.apply(code)
        ply += 1
    result = match.result()
    assert result
    for seat in seats:
        told.result.append(_worth(plan.game, result, seat))
        told.luck[seat] += told.result[seat] - before[seat]
    for seat in seats:
        others = sum(told.skill) - told.skill[seat]
        gained = others if plan.game.cooperative else -others / (plan.players - 1)
        told.adjusted.append(told.base[seat] + told.skill[seat] + gained)
    return told


def _worth(game: Game, result: Json, seat: int) -> float:
    if game.cooperative:
        return float(result["reason"] == game.won) + SCORE_WORTH * float(result["scores"][seat])
    return _share(result["ranks"], seat)


def _decision(
    match: Match, number: int, ply: int, seat: int, bot: str, code: int, reviewer: Reviewer, before: float
) -> tuple[Decision, float]:
    """A decision, and what the move played is worth at the first look; ``before``: what the seat's last one was."""
    seed = int(np.random.SeedSequence([number, ply]).generate_state(1, np.uint64)[0]) & MAX_SEED
    (played, best, own), once, last = reviewer.judge(match, seat, code, seed)
    means, errors = last.means, last.errors
    decision = Decision(
        match=number,
        ply=ply,
        seat=seat,
        bot=bot,
        view=match.view(seat),
        moves=len(match.legal_codes()),
        played=match.write_move(played),
        best=match.write_move(best),
        own=match.write_move(own),
        before=float(means[1]),
        before_se=float(errors[1, 0]),
        after=float(means[0]),
        after_se=float(errors[0, 0]),
        error=float(means[1] - means[0]),
        error_se=float(errors[1, 1]),
        lost=float(once.means[1] - once.means[0]),
        skill=float(once.means[0] - once.means[2]),
        skill_se=float(once.errors[2, 1]),
        luck=float(once.means[2]) - before,
    )
    return decision, float(once.means[0])


def matches_of(plan: Plan, bot: str, most: int) -> Iterator[int]:
    """The first matches of a plan in which a bot sits, one a deal and line-up; raises UsageError if it sits in none."""
    specs = [entrant.spec for entrant in plan.entrants]
    if bot not in specs:
        raise UsageError(f"no bot of the run is called '{bot}'; allowed: {listed(specs)}")
    with_it = [specs.index(bot) in lineup.entrants for lineup in plan.lineups]
    numbers = (number for number in range(plan.matches) if with_it[number % len(with_it)])
    return itertools.islice(numbers, most)


def worst(reviews: Iterable[Reviewed], bot: str, count: int) -> list[Decision]:
    """The decisions of a bot with the largest errors that are surely no noise, the largest first."""
    found = [
        one for review in reviews for one in review.decisions if one.bot == bot and one.error > SURE * one.error_se
    ]
    return sorted(found, key=lambda one: (-one.error, one.match, one.ply))[:count]


def prepare(plan: Plan, policy: str = "", tell: Tell = lambda *_: None) -> None:
    """Compile what a review plays: the run's bots, the match loop, and the search with its policy."""
    search = f"rollouts(policy={policy_of(plan.game, policy)})"
    compile_plan(restore({**plan.settings, "bots": [*plan.settings["bots"], search]}), tell)


def review(plan: Plan, numbers: Iterable[int], policy: str = "", playouts: int = 1000) -> Iterator[Reviewed]:
    """Matches of a plan as search sees them, one after the other; ``policy`` plays on, by default the game's best."""
    reviewer = Reviewer(plan.game, policy, playouts)
    assert reviewer.search.policy
    base: dict[int, list[float]] = {}
    for number in numbers:
        place = plan.locate(number)[1].variant
        if place not in base:
            variant = plan.variants[place]
            base[place] = bases(plan.game, variant.name, variant.given, plan.players, reviewer.search.policy)
        yield review_match(plan, number, reviewer, base[place])


def policy_of(game: Game, policy: str) -> str:
    """The name of the bot that plays on."""
    found = Reviewer(game, policy).search.policy
    assert found
    return found.name


def summary(reviews: Sequence[Reviewed]) -> list[Json]:
    """A row a bot: how many decisions, what they lost, and its results with luck and without; errors over matches."""
    rows = []
    for bot in dict.fromkeys(bot for told in reviews for bot in told.bots):
        decisions = [one for told in reviews for one in told.decisions if one.bot == bot]
        seats = [[seat for seat, other in enumerate(told.bots) if other == bot] for told in reviews]
        played = [(told, where) for told, where in zip(reviews, seats, strict=True) if where]
        row: Json = {
            "bot": bot,
            "matches": len(played),
            "decisions": len(decisions),
            "error": float(np.mean([one.lost for one in decisions])) if decisions else None,
            "mistakes": sum(one.verdict == "mistake" for one in decisions),
            "blunders": sum(one.verdict == "blunder" for one in decisions),
        }
        for key in ("result", "adjusted"):
            values = [np.mean([getattr(told, key)[seat] for seat in where]) for told, where in played]
            row[key] = float(np.mean(values))
            row[f"{key}_se"] = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None
        rows.append(row)
    return rows


def move_in_words(move: Json) -> str:
    """A move without the punctuation of JSON."""
    return action(move, "move")


def in_words(view: Json) -> str:
    """What a seat knew, without what says nothing."""
    return "; ".join(f"{name} {plain(value)}" for name, value in _told(view).items())


def _told(view: Json) -> Json:
    cut = {name: _told(value) if isinstance(value, dict) else value for name, value in view.items()}
    return {name: value for name, value in cut.items() if value not in (None, [], {}, "", False, 0) or name == "seat"}
