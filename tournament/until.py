"""``run --until``: play until the leaderboard's question is decided, and store exactly the matches that decided it.

A question is put at fixed numbers of deals (*looks*), whatever was played at a time and wherever, so the same command
stops at the same match with any number of workers, in chunks of any size and after any number of interruptions. The
verdict allows for looking: errors of the ratings' differences reach as far as a confidence sequence
(``statistics.decision.reach``), and for choosing: a wrong answer needs one of ``Question.comparisons`` pairs to be told
wrongly, and with a probability of 95 % none of them ever is.

How finely a tally is cut follows from the number of deals, which is known only in the end. While such a run is played
it is stored as one of ``--max`` matches; when it ends, its sums are counted again for what it holds (:func:`settle`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from bots import registry as bot_registry
from engine.errors import UsageError
from storage.store import Store, StoredRun
from tournament.counting import Array, Joiner, counter_of
from tournament.describe import describe
from tournament.execution import Executor, Say, Stopping
from tournament.plan import Plan, restore
from tournament.statistics.counted import Counted, Pool
from tournament.statistics.decision import reach
from tournament.statistics.facts import Facts
from tournament.statistics.rating import strengths
from tournament.statistics.strengths import Strengths
from tournament.statistics.tally import Tally
from tournament.worker import Results, Worker

RANKS, BEST, PAIR = "ranks", "best", "pair"
DECIDED, UNDECIDED = "decided", "undecided"
FIRST_LOOK = 64  # deals
LOOKS = 8  # for each doubling of the deals
MOST_WITHIN = 100.0  # of mu
_SLICE = 1 << 19  # matches that are read at a time


@dataclass(frozen=True)
class Question:
    """What is to be decided of the bots of a run.

    kind    ranks: the order of all; best: which ``count`` are the best; pair: which of two (by number) is better
    within  differences of mu up to this count as none: of a pair and of ranks, equals are told apart from what is
            certainly no further apart; the best are those that are certainly not behind another one by more
    """

    kind: str
    count: int = 1
    pair: tuple[int, int] = (0, 0)
    within: float = 0.0

    def comparisons(self, bots: int) -> int:
        """How many pairs must not be told wrongly: of the best, each of the truly best ones with each other bot."""
        return {RANKS: bots * (bots - 1) // 2, BEST: self.count * (bots - self.count), PAIR: 1}[self.kind]

    def answer(self, found: Strengths, deals: int) -> tuple[int, ...] | None:
        """Bots by number: in their order, the best ones, or the better one, nobody if two are equal; None if it is not
        decided by these ratings over so many deals."""
        bots = len(found.mu)
        if found.freedom <= 0 or not found.connected:
            return None
        half = reach(float(deals), found.freedom, self.comparisons(bots)) * found.difference_error
        gap = found.mu[:, None] - found.mu[None, :]
        order = np.argsort(-np.round(found.mu, 9), kind="stable").tolist()
        if self.kind == BEST:
            best, rest = order[: self.count], order[self.count :]
            sure = all(gap[one, two] - half[one, two] > -self.within for one in best for two in rest)
            return tuple(best) if sure else None
        pairs = [self.pair] if self.kind == PAIR else list(itertools.pairwise(order))
        apart = [abs(gap[pair]) > half[pair] for pair in pairs]
        equal = [abs(gap[pair]) + half[pair] < self.within for pair in pairs]
        if not all(one or other for one, other in zip(apart, equal, strict=True)):
            return None
        if self.kind == RANKS:
            return tuple(order)
        return (max(self.pair, key=lambda bot: found.mu[bot]),) if apart[0] else ()


@dataclass(frozen=True)
class Decision:
    """How a run with a question stands; ``answer`` by the bots' names, see :meth:`Question.answer`."""

    question: str
    within: float
    verdict: str
    answer: tuple[str, ...]
    matches: int
    deals: int
    most: int

    @property
    def sentence(self) -> str:
        """For people."""
        after = f"after {self.deals:,} deals"
        if self.verdict == UNDECIDED:
            return f"'{self.question}' is undecided {after}, {self.matches:,} of at most {self.most:,} matches."
        if self.question == RANKS:
            return f"All ranks are decided {after}: {', '.join(self.answer)}."
        if self.question.partition("=")[0] == BEST:
            return f"The best {after}: {', '.join(self.answer)}."
        if not self.answer:
            return f"{self.question} are less than {self.within:g} apart, as is clear {after}."
        return f"{self.answer[0]} is the better one of {self.question}, as is clear {after}."


def plan_until(plan: Plan, text: str, within: float = 0.0) -> Plan:
    """The plan with a question, at whose answer it ends; raises UsageError for what is none.

    ``text``: ``ranks``, ``best``, ``best=N``, or two of the plan's bots as ``A,B``.
    """
    if not 0.0 <= within <= MOST_WITHIN:
        raise UsageError(f"within cannot be {within:g}; allowed: 0 to {MOST_WITHIN:g}")
    specs = plan.settings["bots"]
    if len(specs) < 2:
        raise UsageError("--until compares bots; name at least two with --bots")
    word, equals, number = (part.strip() for part in text.partition("="))
    if word == RANKS and not equals:
        asked = RANKS
    elif word == BEST:
        count = int(number) if number.isdecimal() else 0 if equals else 1
        if not 1 <= count < len(specs):
            raise UsageError(
                f"until cannot be '{text}'; of {len(specs)} bots best=1 to best={len(specs) - 1} can be asked"
            )
        asked = BEST if count == 1 else f"{BEST}={count}"
    else:
        try:
            found = [entrant.spec for entrant in bot_registry.field(plan.game.id, text)]
        except UsageError as error:
            raise UsageError(
                f"until cannot be '{text}' ({error}); allowed: ranks, best, best=N, or two bots A,B"
            ) from None
        missing = [spec for spec in found if spec not in specs]
        if len(set(found)) != 2 or missing:
            raise UsageError(
                f"until cannot be '{text}'; name two bots of the field ({', '.join(specs)}), or ranks, best, best=N"
            )
        asked = ",".join(found)
    whole = plan.deals * len(plan.lineups)
    return restore({**plan.settings, "matches": whole, "until": {"question": asked, "within": within}})


def question_of(settings: Mapping[str, Any]) -> Question | None:
    """The question of a run with these settings."""
    until = settings.get("until")
    if until is None:
        return None
    text, within, specs = until["question"], float(until["within"]), settings["bots"]
    word, _, number = text.partition("=")
    if word == RANKS:
        return Question(RANKS, within=within)
    if word == BEST:
        return Question(BEST, int(number or 1), within=within)
    one, two = (entrant.spec for entrant in bot_registry.field(settings["game"], text))
    return Question(PAIR, pair=(specs.index(one), specs.index(two)), within=within)


def looks(deals: int) -> Iterator[int]:
    """The numbers of deals, up to ``deals``, at which a question is put: eight for each doubling."""
    look = FIRST_LOOK
    while look < deals:
        yield look
        look += max(1, (1 << (look.bit_length() - 1)) // LOOKS)
    yield deals


def standing(counted: Counted) -> Decision | None:
    """How a stored run with a question stands; None of one without. One that has not ended is undecided."""
    question = question_of(counted.run.settings)
    if question is None:
        return None
    done = counted.run.done
    deals = done // counted.run.lineups
    found = question.answer(strengths(Pool([counted])), deals) if counted.run.complete else None
    until = counted.run.settings["until"]
    return Decision(
        until["question"],
        until["within"],
        UNDECIDED if found is None else DECIDED,
        tuple(counted.facts.names[bot] for bot in found or ()),
        done,
        deals,
        counted.run.settings["matches"],
    )


class Until:
    """An executor that ends with the match at which the plan's question is decided; ``executor`` plays.

    ``store`` and ``run``: what is stored of the run already, to go on with.
    """

    def __init__(self, plan: Plan, executor: Executor, store: Store, run: StoredRun | None = None) -> None:
        question = question_of(plan.settings)
        assert question
        self._question, self._executor, self._store, self._run = question, executor, store, run
        self._facts = describe(plan)
        self.workers = executor.workers
        self.decided = False

    def results(
        self,
        plan: Plan,
        first: int,
        end: int,
        keep: bool = True,
        stopping: Stopping = lambda: False,
        say: Say = lambda _: None,
    ) -> Iterator[Results]:
        """See :class:`tournament.execution.Executor`."""
        watch = Watch(plan, self._facts, self._question, first)
        for start in range(0, first, _SLICE):
            assert self._run
            watch.take(self._store.rows(self._run, start, min(start + _SLICE, first)))
        self._store.release()
        self.decided = watch.decided
        worker: Worker | None = None
        told = max(watch.looked, FIRST_LOOK // 2)
        parts = self._executor.results(plan, first, end, True, stopping, say) if not self.decided else iter(())
        try:
            for one in parts:
                taken = watch.take(one.rows)
                if taken < one.matches:
                    worker = worker or Worker(plan.settings, True)
                    kept = tuple(fault for fault in one.faults if fault.match < one.first + taken)
                    one = worker.results(one.first, np.ascontiguousarray(one.rows[:, :taken]))._replace(faults=kept)
                self.decided = watch.decided
                if not self.decided and watch.looked >= 2 * told:
                    told = watch.looked
                    say(f"undecided after {told:,} deals")
                yield one
                if self.decided:
                    return
        finally:
            self.workers = self._executor.workers
            close: Any = getattr(parts, "close", None)
            if close:
                close()


class Watch:
    """Counts the matches of a run from the first on, and puts the question at each look until it has an ``answer``;
    fewer matches than ``known`` decide nothing."""

    def __init__(self, plan: Plan, facts: Facts, question: Question, known: int = 0) -> None:
        self._plan, self._facts, self._question = plan, facts, question
        self._lineups = len(plan.lineups)
        self._looks = looks(plan.matches // self._lineups)
        self._known, self._done = known, 0  # matches
        self._held = np.zeros((plan.rows, 0), np.int32)
        self._tally = Tally(plan.layout)
        self.answer: tuple[int, ...] | None = None
        self.looked = 0  # deals, at the last look
        self._turn()

    def _turn(self) -> None:
        """To the next look: make room for its deals."""
        self._look = next(self._looks, None)
        if self._look is not None:
            plan = replace(self._plan, matches=self._look * self._lineups)
            self._counter = counter_of(plan)
            before = self._tally if self._tally.blocks else Tally(plan.layout)
            self._tally = before.coarser(plan.layout.shift) + self._counter.tally(0, plan.matches)

    def take(self, rows: Array) -> int:
        """The next matches; how many of them were taken: all, or those up to the decision."""
        at = 0
        while at < rows.shape[1] and not self.decided and self._look is not None:
            room = self._look * self._lineups - self._done - self._held.shape[1]
            part = np.concatenate([self._held, rows[:, at : at + room]], axis=1)
            at = min(at + room, rows.shape[1])
            whole = part.shape[1] - part.shape[1] % self._lineups
            if whole:
                self._tally.add(self._counter.count(self._done, part[:, :whole]))
            self._done += whole
            self._held = part[:, whole:]
            if self._done == self._look * self._lineups:
                self.looked = self._look
                if self._done >= self._known:
                    self._ask()
                if not self.decided:
                    self._turn()
        return at if self.decided else rows.shape[1]

    @property
    def decided(self) -> bool:
        """Is there an answer?"""
        return self.answer is not None

    def _ask(self) -> None:
        deals = self._done // self._lineups
        counted = Counted(
            _imagined(self._plan, self._done), replace(self._facts, layout=self._tally.layout), self._tally
        )
        self.answer = self._question.answer(strengths(Pool([counted])), deals)


def _imagined(plan: Plan, done: int) -> StoredRun:
    """A run as a pool needs it, which is stored nowhere."""
    return StoredRun(
        0, "", plan.game.id, plan.settings, plan.matches, len(plan.lineups), "", plan.fingerprint, datetime.min,
        "matches", done, 1,
    )  # fmt: skip


def settle(store: Store, plan: Plan, run: StoredRun, decided: bool) -> StoredRun:
    """Cut the sums of a run that has stopped as those of a run of so many deals are; of one that is ``decided`` no
    match is left to be played."""
    complete = decided or run.complete
    settings = {key: value for key, value in plan.settings.items() if key != "until"}
    held = restore({**settings, "matches": run.done})
    facts = describe(held) if complete else replace(describe(plan), layout=held.layout)
    if decided:
        said = (
            f"The run was stopped when its results had decided '{plan.settings['until']['question']}': that verdict "
            "allows for it, intervals and ranks of the leaderboard do not."
        )
        facts = replace(facts, notices=(*facts.notices, said))
    _count_again(store, held, run, facts, run.done if complete else run.matches)
    return store.run(run.id)


def unsettle(store: Store, plan: Plan, run: StoredRun) -> None:
    """Cut the sums of a run that is to go on as its plan has them."""
    if Facts.from_json(store.facts(run) or {}).layout != plan.layout:
        _count_again(store, plan, run, describe(plan), run.matches)


def _count_again(store: Store, plan: Plan, run: StoredRun, facts: Facts, matches: int) -> None:
    counter = counter_of(plan)
    joiner, total = Joiner(counter, 0), Tally(plan.layout)
    for first in range(0, run.done, _SLICE):
        rows = store.rows(run, first, min(first + _SLICE, run.done))
        head, tail = counter.edges(first, rows.shape[1])
        total = total + counter.count(first, rows)
        joiner.join(total, first, rows.shape[1], rows[:, :head], rows[:, rows.shape[1] - tail :])
    sums = {block: total.pack(block) for block in range(total.first, total.end)}
    store.recount(run, matches, facts.to_json(), sums)
