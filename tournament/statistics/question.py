"""The question that a run is played to decide (see ``tournament.until``), and how a stored run stands with it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tournament.statistics.counted import Counted, Pool
from tournament.statistics.decision import reach
from tournament.statistics.rating import strengths
from tournament.statistics.strengths import Strengths

RANKS, BEST, PAIR = "ranks", "best", "pair"
DECIDED, UNDECIDED = "decided", "undecided"


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
    pairs = itertools.permutations(range(len(specs)), 2)
    pair = next((one, two) for one, two in pairs if f"{specs[one]},{specs[two]}" == text)
    return Question(PAIR, pair=pair, within=within)


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
