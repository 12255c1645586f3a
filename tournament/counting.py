"""Matches into a tally: where they were played, or from stored rows. The only way in which anything is counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from engine.kernel import kernel
from engine.loop import ROW_PLIES, ROW_RANKS, ROW_REASON, ROW_SCORES
from tournament.plan import Plan
from tournament.statistics.tally import LENGTHS, SCORES, Layout, Tally

Array = np.ndarray[Any, Any]

# What a reason means to a count.
DECIDED, NOBODY, WON, LOST = range(4)
_WORD = 0xFFFFFFFF
_MATCH_FIELDS = (
    "matches", "digest", "faults", "reasons", "plies", "ply_squares", "draws", "none", "wins", "tied", "units",
    "board_units", "scores", "score_squares", "pairs", "score",
)  # fmt: skip
(
    _MATCHES, _DIGEST, _FAULTS, _REASONS, _PLIES, _PLY_SQUARES, _DRAWS, _NONE, _WINS, _TIED, _UNITS, _BOARD_UNITS,
    _SCORES, _SCORE_SQUARES, _PAIRS, _SCORE,
) = range(len(_MATCH_FIELDS))  # fmt: skip
_BOARD_FIELDS = ("boards", "spoiled", "lengths", "unit_squares", "board_squares", "ahead")
_BOARDS, _SPOILED, _LENGTHS, _UNIT_SQUARES, _BOARD_SQUARES, _AHEAD = range(len(_BOARD_FIELDS))


class Counter:
    """Counts matches of one run: ``meaning`` int64 (R,), DECIDED, NOBODY (nobody wins), WON or LOST (of teams)."""

    def __init__(self, layout: Layout, meaning: Array) -> None:
        self.layout = layout
        self._meaning = np.ascontiguousarray(meaning, np.int64)
        self._matches = np.array([layout.matches.get(name, (-1, ()))[0] for name in _MATCH_FIELDS], np.int64)
        self._boards = np.array([layout.boards.get(name, (-1, ()))[0] for name in _BOARD_FIELDS], np.int64)

    def tally(self, first: int, matches: int) -> Tally:
        """A tally of zeros with room for so many matches from ``first`` on."""
        block = self.layout.block(first)
        return Tally(self.layout, block, self.layout.block(first + matches - 1) + 1 - block if matches else 0)

    def matches(self, tally: Tally, first: int, rows: Array) -> None:
        """Add consecutive matches, the first of which has number ``first``: ``rows`` int32 (3 + S, n) as the match loop
        writes them. Boards are not touched."""
        _count_matches(
            first, np.ascontiguousarray(rows, np.int32), self._meaning, self.layout.shift, tally.first, self._matches,
            self._boards[_LENGTHS], self.layout.cooperative, self.layout.faults, tally.lineups, tally.variants,
        )  # fmt: skip

    def boards(self, tally: Tally, first: int, rows: Array) -> None:
        """Add whole boards, given by all their rows: ``first`` begins a board, and the last row ends one."""
        if first % self.layout.lineups or rows.shape[1] % self.layout.lineups:
            raise ValueError(f"Matches {first} to {first + rows.shape[1] - 1} are not whole boards.")
        _count_boards(
            first, np.ascontiguousarray(rows, np.int32), self._meaning, self.layout.shift, tally.first, self._matches,
            self._boards, self.layout.cooperative, tally.lineups, tally.variants,
        )  # fmt: skip

    def count(self, first: int, rows: Array) -> Tally:
        """The tally of consecutive matches, with all boards that lie wholly inside."""
        tally = self.tally(first, rows.shape[1])
        self.matches(tally, first, rows)
        head, tail = self.edges(first, rows.shape[1])
        if head + tail < rows.shape[1]:
            self.boards(tally, first + head, rows[:, head : rows.shape[1] - tail])
        return tally

    def edges(self, first: int, matches: int) -> tuple[int, int]:
        """How many of so many matches from ``first`` on belong to a board begun before, and how many to a board that
        is not finished. A part of a board without its beginning and end counts as the first."""
        head = min(-first % self.layout.lineups, matches)
        return head, (first + matches) % self.layout.lineups if matches > head else 0


def counter_of(plan: Plan) -> Counter:
    """What counts the matches of a plan."""
    game = plan.game
    return counter(plan.layout, game.state.REASONS, game.none_wins, game.won if game.cooperative else "")


def counter(layout: Layout, reasons: Sequence[str], nobody: Collection[str], won: str) -> Counter:
    """What counts matches that end for these reasons; see :class:`tournament.statistics.facts.Facts`."""
    if layout.cooperative:
        meaning = [WON if name == won else LOST for name in reasons]
    else:
        meaning = [NOBODY if name in nobody else DECIDED for name in reasons]
    return Counter(layout, np.array(meaning, np.int64))


class Joiner:
    """Counts the boards that chunks cut: holds the rows of the board that is not finished."""

    def __init__(self, counter: Counter, end: int, rows: Array | None = None) -> None:
        """``end``: the next match; ``rows``: those of its board that were played before."""
        self._counter = counter
        self._end = end
        self._held: list[Array] = [] if rows is None or not rows.shape[1] else [rows]

    @property
    def rows(self) -> Array | None:
        """The rows of the board that is not finished; None if the last match ended one."""
        return np.concatenate(self._held, axis=1) if self._held else None

    def join(self, tally: Tally, first: int, matches: int, head: Array, tail: Array) -> None:
        """Take the next chunk's rows at its edges (:meth:`Counter.edges`); add the board that they finish."""
        if first != self._end:
            raise ValueError(f"Match {self._end} should come next, not {first}.")
        self._end = first + matches
        size = self._counter.layout.lineups
        if head.shape[1]:
            self._held.append(head)
            if (first + head.shape[1]) % size == 0:
                rows = np.concatenate(self._held, axis=1)
                self._held = []
                self._counter.boards(tally, first + head.shape[1] - size, rows)
        if tail.shape[1]:
            self._held = [tail]


@kernel
def _hash(match, rows, i):
    """A 32-bit hash of a match's number and row (FNV-1a by words, Fowler, Noll and Vo 1991, mixed at each step)."""
    value = 0x811C9DC5
    value = ((value ^ (match & _WORD)) * 0x01000193) & _WORD
    value = ((value ^ ((match >> 32) & _WORD)) * 0x01000193) & _WORD
    for row in range(rows.shape[0]):
        value = ((value ^ (np.int64(rows[row, i]) & _WORD)) * 0x01000193) & _WORD
        value ^= value >> 15
    return value


@kernel
def _length_class(plies):
    """See ``tournament.statistics.tally.length_class``."""
    if plies < 64:
        return plies
    step = 0
    while plies >> step >= 64:
        step += 1
    return min(64 + 32 * (step - 1) + (plies >> step) - 32, LENGTHS - 1)


@kernel
def _unpack(packed, ranks):
    """Write the ranks of seats; return how many are first."""
    best = 0
    for seat in range(len(ranks)):
        ranks[seat] = packed % 10
        packed //= 10
        if ranks[seat] == 0:
            best += 1
    return best


@kernel
def _count_matches(first, rows, meaning, shift, base, at, lengths, cooperative, kinds, by_lineup, by_variant):
    """See :class:`Counter`."""
    variants, lineups = by_lineup.shape[1], by_lineup.shape[2]
    seats = rows.shape[0] - ROW_SCORES
    ranks = np.zeros(seats, np.int64)
    deal = first // (variants * lineups)
    variant = first % (variants * lineups) // lineups
    lineup = first % lineups
    for i in range(rows.shape[1]):
        block = (deal >> shift) - base
        sums = by_lineup[block, variant, lineup]
        sums[at[_DIGEST]] += _hash(first + i, rows, i)
        reason = np.int64(rows[ROW_REASON, i])
        plies = np.int64(rows[ROW_PLIES, i])
        if reason < 0:
            kind = min(-1 - reason, kinds - 1)
            sums[at[_FAULTS] + kinds * np.int64(rows[ROW_RANKS, i]) + kind] += 1
        else:
            sums[at[_MATCHES]] += 1
            sums[at[_REASONS] + reason] += 1
            sums[at[_PLIES]] += plies
            sums[at[_PLY_SQUARES]] += plies * plies
            by_variant[block, variant, lengths + _length_class(plies)] += 1
            if cooperative:
                if meaning[reason] == WON:
                    score = np.int64(rows[ROW_SCORES, i])
                    sums[at[_SCORE]] += score
                    sums[at[_SCORE_SQUARES]] += score * score
                    sums[at[_SCORES] + min(max(score, 0), SCORES - 1)] += 1
            else:
                best = _unpack(np.int64(rows[ROW_RANKS, i]), ranks)
                nobody = meaning[reason] == NOBODY
                if nobody:
                    sums[at[_NONE]] += 1
                elif best > 1:
                    sums[at[_DRAWS]] += 1
                pair = at[_PAIRS]
                for seat in range(seats):
                    score = np.int64(rows[ROW_SCORES + seat, i])
                    sums[at[_SCORES] + seat] += score
                    sums[at[_SCORE_SQUARES] + seat] += score * score
                    if not nobody:
                        if ranks[seat] == 0:
                            if best == 1:
                                sums[at[_WINS] + seat] += 1
                            else:
                                sums[at[_TIED] + seat] += 1
                        for other in range(seat + 1, seats):
                            if ranks[seat] < ranks[other]:
                                sums[pair] += 1
                                sums[at[_UNITS] + seat] += 2
                            elif ranks[seat] == ranks[other]:
                                sums[pair + 1] += 1
                                sums[at[_UNITS] + seat] += 1
                                sums[at[_UNITS] + other] += 1
                            else:
                                sums[pair + 2] += 1
                                sums[at[_UNITS] + other] += 2
                            pair += 3
        lineup += 1
        if lineup == lineups:
            lineup = 0
            variant += 1
            if variant == variants:
                variant = 0
                deal += 1


@kernel
def _count_boards(first, rows, meaning, shift, base, at, where, cooperative, by_lineup, by_variant):
    """See :class:`Counter`."""
    variants, lineups = by_lineup.shape[1], by_lineup.shape[2]
    seats = rows.shape[0] - ROW_SCORES
    ranks = np.zeros(seats, np.int64)
    units = np.zeros((lineups, seats), np.int64)
    worth = np.zeros(lineups, np.int64)
    board = first // lineups
    for start in range(0, rows.shape[1], lineups):
        deal = board // variants
        variant = board % variants
        board += 1
        block = (deal >> shift) - base
        sums = by_variant[block, variant]
        spoiled = False
        for lineup in range(lineups):
            spoiled = spoiled or rows[ROW_REASON, start + lineup] < 0
        if spoiled:
            sums[where[_SPOILED]] += 1
            continue
        sums[where[_BOARDS]] += 1
        if cooperative:
            for lineup in range(lineups):
                worth[lineup] = 0
                if meaning[rows[ROW_REASON, start + lineup]] == WON:
                    worth[lineup] = max(np.int64(rows[ROW_SCORES, start + lineup]) + 1, 1)
            for one in range(lineups):
                for other in range(lineups):
                    if worth[one] > worth[other]:
                        sums[where[_AHEAD] + one * lineups + other] += 1
            continue
        units[:] = 0
        for lineup in range(lineups):
            if meaning[rows[ROW_REASON, start + lineup]] != NOBODY:
                _unpack(np.int64(rows[ROW_RANKS, start + lineup]), ranks)
                for seat in range(seats):
                    for other in range(seat + 1, seats):
                        if ranks[seat] < ranks[other]:
                            units[lineup, seat] += 2
                        elif ranks[seat] == ranks[other]:
                            units[lineup, seat] += 1
                            units[lineup, other] += 1
                        else:
                            units[lineup, other] += 2
        for seat in range(seats):
            total = 0
            squares = 0
            for lineup in range(lineups):
                got = units[lineup, seat]
                by_lineup[block, variant, lineup, at[_BOARD_UNITS] + seat] += got
                total += got
                squares += got * got
            sums[where[_UNIT_SQUARES] + seat] += squares
            sums[where[_BOARD_SQUARES] + seat] += total * total
