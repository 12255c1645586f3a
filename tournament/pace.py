"""Who plays which matches next: chunks sized by the time they take, handed out, lost, split and put in order.

Nothing here knows Ray, processes or clocks: a schedule is told what happened and says what to do. Where chunks begin
and end changes no result, only how soon workers, progress and Ctrl-C get their turn.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

CHUNK_SECONDS = 0.5  # what a chunk should take
GROWTH = 8  # how much larger than the last one a chunk may be while the speed is not known well
LATEST = 0.5  # weight of the latest chunk in the estimate of the speed
SPLITS_AFTER = 2  # workers that a chunk may cost before it is halved
GIVES_UP_AFTER = 3  # workers that a single match may cost before the run gives it up

Chunk = tuple[int, int]  # first match and the match after the last


class Pace:
    """How many matches take about half a second, learnt from chunks as they come."""

    def __init__(self) -> None:
        self._each = 0.0  # seconds a match
        self._size = 1

    @property
    def size(self) -> int:
        """Matches of the next chunk."""
        return self._size

    @property
    def seconds(self) -> float:
        """What such a chunk should take; 0 while nothing is known."""
        return self._size * self._each

    def learn(self, matches: int, seconds: float) -> None:
        """A chunk of so many matches took so long."""
        each = max(seconds, 1e-9) / matches
        self._each = (1 - LATEST) * self._each + LATEST * each if self._each else each
        self._size = max(1, min(int(CHUNK_SECONDS / self._each), GROWTH * max(matches, self._size // GROWTH)))


def cut(first: int, wanted: int, board: int, block: int) -> int:
    """The match after the last of a chunk of at most ``wanted`` matches (and ``block``) from ``first`` on.

    Cuts between boards (``board`` matches, see ``Plan.board``) leave the least to be done later, so a chunk that has
    room for a board ends with one.
    """
    end = first + max(1, min(wanted, block))
    return end - end % board if end - first >= board else end


@dataclass
class Schedule:
    """The matches ``first`` to ``end - 1`` as chunks under way, lost, finished and delivered in order.

    ``board`` and ``block``: see :func:`cut`. ``most`` is the largest allowed number of matches finished or under way
    ahead of the first missing one.
    """

    first: int
    end: int
    board: int
    block: int
    most: int = 1 << 23
    pace: Pace = field(default_factory=Pace)
    stopped: bool = False  # hand out no more

    def __post_init__(self) -> None:
        self._next = self._wanted = self.first
        self._again: list[Chunk] = []  # a heap: chunks of lost workers
        self._deaths: dict[Chunk, int] = {}
        self._losers: dict[Chunk, int] = {}  # who lost them
        self._done: dict[int, int] = {}  # first match -> end, of finished chunks that wait for an earlier one

    @property
    def complete(self) -> bool:
        """Is everything delivered?"""
        return self._wanted >= self.end

    @property
    def wanted(self) -> int:
        """The first match that is not delivered."""
        return self._wanted

    def hand_out(self, workers: int, idle: bool = True, worker: int = 0, oldest: int = 0) -> Chunk | None:
        """The next chunk for one of so many workers; None if there is nothing for it to do now.

        What may have ended a worker is for ``idle`` ones alone: should it do so again, it is known which chunk it was.
        And what was lost, for which all others wait, is for workers that were there before (of lower number than) the
        one that lost it, unless all of those are gone: on a node that comes and goes it would be lost again.
        """
        if self.stopped:
            return None
        if self._again and (idle or not self.suspect(self._again[0])):
            loser = self._losers[self._again[0]]
            if worker < loser or oldest > loser:
                return heapq.heappop(self._again)
        if self._next >= self.end or self._next - self._wanted >= self.most:
            return None
        # What is left is shared, so that all work to the end; but not in crumbs.
        share = max(-(-(self.end - self._next) // (2 * workers)), self.pace.size // 16)
        first = self._next
        self._next = min(cut(first, max(1, min(self.pace.size, share)), self.board, self.block), self.end)
        return first, self._next

    def suspect(self, chunk: Chunk) -> bool:
        """May this chunk have ended a worker? Then nothing else should be given to the one that plays it."""
        return chunk in self._deaths

    def finish(self, chunk: Chunk, seconds: float) -> None:
        """A chunk has come back after ``seconds`` of playing."""
        first, end = chunk
        self._deaths.pop(chunk, None)
        self._losers.pop(chunk, None)
        self.pace.learn(end - first, seconds)
        self._done[first] = end

    def deliver(self) -> Chunk | None:
        """The next finished chunk in order, once."""
        end = self._done.pop(self._wanted, None)
        if end is None:
            return None
        first, self._wanted = self._wanted, end
        return first, end

    def lose(self, chunk: Chunk, guilty: bool, worker: int = 1) -> int | None:
        """The ``worker`` that had a chunk is gone; ``guilty`` if this one may be why. Others will play it.

        Returns the number of a match that has cost too many workers, if that is what it is.
        """
        if guilty:
            self._deaths[chunk] = deaths = self._deaths.get(chunk, 0) + 1
            first, end = chunk
            if end - first == 1 and deaths >= GIVES_UP_AFTER:
                return first
            if end - first > 1 and deaths >= SPLITS_AFTER:
                middle = (first + end) // 2
                # Halves of a chunk that ended two workers are under suspicion from the start.
                self._deaths[first, middle] = self._deaths[middle, end] = SPLITS_AFTER - 1
                self._lost((first, middle), worker)
                chunk = (middle, end)
        self._lost(chunk, worker)
        return None

    def _lost(self, chunk: Chunk, worker: int) -> None:
        self._losers[chunk] = worker
        heapq.heappush(self._again, chunk)
