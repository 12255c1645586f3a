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

from collections.abc import Iterator
from dataclasses import replace
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
from tournament.statistics.facts import Facts
from tournament.statistics.question import BEST, RANKS, Question, question_of
from tournament.statistics.rating import strengths
from tournament.statistics.tally import Tally
from tournament.worker import Results, Worker

FIRST_LOOK = 64  # deals
LOOKS = 8  # for each doubling of the deals
MOST_WITHIN = 100.0  # of mu
_SLICE = 1 << 19  # matches that are read at a time


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


def looks(deals: int) -> Iterator[int]:
    """The numbers of deals, up to ``deals``, at which a question is put: eight for each doubling."""
    look = FIRST_LOOK
    while look < deals:
        yield look
        look += max(1, (1 << (look.bit_length() - 1)) // LOOKS)
    yield deals


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
