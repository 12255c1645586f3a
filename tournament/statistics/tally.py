"""Tallies: sums over matches by block of deals, enough for every number that is printed, and nothing else is.

A *block* is a dyadic range of deals, ``b 2^k`` to ``(b + 1) 2^k - 1``. The exponent k follows from a run's settings
alone, so a run's blocks, and all that is computed from them, do not depend on the chunks in which it was played; and
blocks of different runs line up: the finer ones are added to neighbours until they are as coarse as the others.

A *board* is a deal under one variant, played by all of the variant's line-ups: a match a line-up. Sums over matches are
of all matches that no bot spoiled; sums over boards (how results on one deal go together) are of those boards of which
every match is there and none is spoiled.
"""

from __future__ import annotations

import hashlib
import itertools
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]

MOST_BLOCKS = 128  # of a run
FEWEST_BLOCKS = 20  # of one that has so many line-ups or variants that more would need too much memory
_ROOM = 192 << 20  # bytes for a run's tally
FAULTS = 6  # kinds of faults (``engine/faults.py``): reasons -1, -2, ... of a spoiled match
SCORES = 64  # scores of won matches of a team that are told apart; the last one also counts all above
LENGTHS = 384  # classes of lengths, see ``length_class``
_MOST_STRATA = 1 << 20  # bytes of a block for what pieces do, by line-up and seat; else by bot and seat


@dataclass(frozen=True)
class Layout:
    """What is where in a run's tally; fixed by the run's settings, and stored with it.

    variants, lineups, seats, reasons   V, M (of each variant), S, R
    shift        k: a block holds 2^k deals
    cooperative  are teams compared, in place of seats?
    inside       names and lengths of what was counted inside matches (telemetry), if anything was
    cells        C: pieces by ways, see ``engine.game.Game.cells``
    strata       T: groups of matches within which the use of pieces is compared: line-ups by seats, or bots by seats
    faults       F: kinds of faults; 4 in runs of versions that knew no more
    """

    variants: int
    lineups: int
    seats: int
    reasons: int
    shift: int
    cooperative: bool = False
    inside: tuple[tuple[str, int], ...] = ()
    cells: int = 0
    strata: int = 0
    faults: int = 4

    @cached_property
    def matches(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Sums over matches, for each line-up: place and shape of

        matches       matches that were not spoiled
        digest        sum of a 32-bit hash of each match's number and row, spoiled ones included
        faults        (S, F): matches spoiled, by the seat at fault and the kind of fault
        reasons       (R,): how matches ended
        plies, ply_squares

        and of seats that play against each other

        draws, none   matches with several winners, and without any among the seats
        wins, tied    (S,): matches that the seat won alone, and with others
        units         (S,): score share of the seat, in units of 1 / (2 (S - 1)): 2 a seat behind, 1 a seat tied
        board_units   (S,): the same of matches on whole boards only
        scores, score_squares  (S,)
        pairs         (S (S - 1) / 2, 3): of seats i < j, (0, 1), (0, 2), ... (1, 2), ...: matches that somebody won in
                      which i was ahead, both were tied, j was ahead

        or of a team

        score, score_squares   of won matches
        scores        (SCORES,): won matches by score
        """
        s = self.seats
        shapes: dict[str, tuple[int, ...]] = {
            "matches": (),
            "digest": (),
            "faults": (s, self.faults),
            "reasons": (self.reasons,),
            "plies": (),
            "ply_squares": (),
        }
        if self.cooperative:
            shapes |= {"score": (), "score_squares": (), "scores": (SCORES,)}
        else:
            shapes |= {"draws": (), "none": (), "wins": (s,), "tied": (s,), "units": (s,), "board_units": (s,)}
            shapes |= {"scores": (s,), "score_squares": (s,), "pairs": (s * (s - 1) // 2, 3)}
        return _placed(shapes)

    @cached_property
    def boards(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Sums for each variant: place and shape of

        boards        whole boards, none of whose matches is spoiled
        spoiled       whole boards with a spoiled match
        lengths       (LENGTHS,): matches by ``length_class`` of their plies

        and of seats that play against each other, over whole boards

        unit_squares  (S,): a match's units of the seat, squared
        board_squares (S,): a board's units of the seat, squared

        or of teams

        ahead         (M, M): boards on which the row's team did better than the column's
        """
        s, m = self.seats, self.lineups
        shapes: dict[str, tuple[int, ...]] = {"boards": (), "spoiled": (), "lengths": (LENGTHS,)}
        shapes |= {"ahead": (m, m)} if self.cooperative else {"unit_squares": (s,), "board_squares": (s,)}
        return _placed(shapes)

    @cached_property
    def pieces(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Sums over matches for each variant, if telemetry was taken: place and shape of the fields of ``inside``, and

        used   (T, C): matches of a seat in which it used the cell
        uses   (C,): how often it was used
        gained (C,): units of the seats that used it
        """
        shapes: dict[str, tuple[int, ...]] = {name: (length,) if length > 1 else () for name, length in self.inside}
        if self.inside:
            shapes |= {"used": (self.strata, self.cells), "uses": (self.cells,), "gained": (self.cells,)}
        return _placed(shapes)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of seats, in their order in a tally."""
        return tuple(itertools.combinations(range(self.seats), 2))

    @property
    def unit(self) -> int:
        """Units in a full score share."""
        return max(2 * (self.seats - 1), 1)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of a block's three arrays: sums by line-up, by variant, and of telemetry."""
        return (
            (self.variants, self.lineups, _size(self.matches)),
            (self.variants, _size(self.boards)),
            (self.variants, _size(self.pieces)),
        )

    @property
    def deal(self) -> int:
        """Matches of a deal."""
        return self.variants * self.lineups

    def block(self, match: int) -> int:
        """The block that a match is in."""
        return (match // self.deal) >> self.shift

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Layout:
        """From plain data."""
        return cls(**{**data, "inside": tuple((name, length) for name, length in data["inside"])})


def _placed(shapes: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, tuple[int, ...]]]:
    places, at = {}, 0
    for name, shape in shapes.items():
        places[name] = (at, shape)
        at += int(np.prod(shape, dtype=np.int64))
    return places


def _size(fields: dict[str, tuple[int, tuple[int, ...]]]) -> int:
    if not fields:
        return 0
    at, shape = list(fields.values())[-1]
    return at + int(np.prod(shape, dtype=np.int64))


def layout_for(
    deals: int,
    variants: int,
    lineups: int,
    seats: int,
    reasons: int,
    cooperative: bool,
    bots: int,
    inside: Sequence[tuple[str, int]] = (),
    cells: int = 0,
) -> Layout:
    """The layout of a run of so many deals: as many blocks as memory allows, at most MOST_BLOCKS."""
    strata = 0
    if inside:
        fine, coarse = lineups * seats, bots * seats
        strata = fine if fine <= coarse or 8 * variants * fine * cells <= _MOST_STRATA else coarse
    made = Layout(variants, lineups, seats, reasons, 0, cooperative, tuple(inside), cells, strata, FAULTS)
    size = 8 * sum(int(np.prod(shape, dtype=np.int64)) for shape in made.shapes)
    most = min(max(_ROOM // size, FEWEST_BLOCKS), MOST_BLOCKS)
    shift = 0
    while -(-deals >> shift) > most:
        shift += 1
    return replace(made, shift=shift)


def strata_of(layout: Layout, lineups: Ints) -> Ints:
    """The stratum of each line-up's seat, int64 (M, S), see ``Layout.strata``."""
    seats = np.arange(layout.seats)
    if layout.strata == layout.lineups * layout.seats:
        return np.arange(layout.lineups)[:, None] * layout.seats + seats
    return np.asarray(lineups * layout.seats + seats, np.int64)


def length_class(plies: int) -> int:
    """The class that a match of so many plies is counted in: exact below 64, then 32 classes for each doubling."""
    if plies < 64:
        return plies
    step = plies.bit_length() - 6
    return min(64 + 32 * (step - 1) + (plies >> step) - 32, LENGTHS - 1)


LOWEST = np.array(  # plies of each class, at least
    [*range(64), *((32 + place) << step for step in range(1, (LENGTHS - 64) // 32 + 1) for place in range(32))],
    np.int64,
)


class Tally:
    """Sums over a range of matches, block by block; tallies of the same layout can be added.

    first     number of the first of the K blocks
    lineups   int64 (K, V, M, ...): sums over matches by line-up, see ``Layout.matches``
    variants  int64 (K, V, ...): sums by variant, see ``Layout.boards``
    inside    int64 (K, V, ...): telemetry, see ``Layout.pieces``
    """

    def __init__(self, layout: Layout, first: int = 0, blocks: int = 0) -> None:
        self.layout = layout
        self.first = first
        self.lineups, self.variants, self.inside = (np.zeros((blocks, *shape), np.int64) for shape in layout.shapes)

    @property
    def blocks(self) -> int:
        """K."""
        return len(self.lineups)

    @property
    def end(self) -> int:
        """The number after that of the last block."""
        return self.first + self.blocks

    @property
    def arrays(self) -> tuple[Ints, Ints, Ints]:
        """All sums."""
        return self.lineups, self.variants, self.inside

    def of(self, name: str) -> Ints:
        """A sum by its name: (K, V, M, its shape) by line-up or (K, V, its shape) by variant. A view."""
        if name in self.layout.matches:
            return _part(self.lineups, *self.layout.matches[name])
        return _part(self.variants, *self.layout.boards[name])

    def inside_of(self, name: str) -> Ints:
        """A field of the telemetry by its name: (K, V, its shape). A view."""
        return _part(self.inside, *self.layout.pieces[name])

    def __add__(self, other: Tally) -> Tally:
        """Sums over the matches of both."""
        if self.layout != other.layout:
            raise ValueError("Only tallies of the same layout can be added.")
        some = [one for one in (self, other) if one.blocks]
        first = min((one.first for one in some), default=0)
        found = Tally(self.layout, first, max((one.end for one in some), default=0) - first)
        for one in some:
            found.add(one)
        return found

    def add(self, other: Tally) -> None:
        """Add sums to those here, which must have a place for each of the other's blocks."""
        at = other.first - self.first
        for mine, theirs in zip(self.arrays, other.arrays, strict=True):
            mine[at : at + other.blocks] += theirs

    def coarser(self, shift: int) -> Tally:
        """The same in blocks of 2^``shift`` deals, at least as many as now."""
        layout = replace(self.layout, shift=shift)
        by = shift - self.layout.shift
        if by < 0:
            raise ValueError(f"Blocks of {1 << self.layout.shift} deals cannot be cut into blocks of {1 << shift}.")
        if by == 0 or not self.blocks:
            return self if by == 0 else Tally(layout)
        first = self.first >> by
        found = Tally(layout, first, ((self.end - 1) >> by) + 1 - first)
        where = (np.arange(self.first, self.end) >> by) - first
        for mine, theirs in zip(found.arrays, self.arrays, strict=True):
            np.add.at(mine, where, theirs)
        return found

    def chosen(self, places: Ints) -> Tally:
        """A copy of some of the blocks (by their places, one after the other), which get numbers from ``first`` on."""
        found = Tally(self.layout, self.first)
        found.lineups, found.variants, found.inside = (array[places] for array in self.arrays)
        return found

    def pack(self, block: int) -> bytes:
        """The sums of one block (by its number) as bytes."""
        values = np.concatenate([array[block - self.first].ravel() for array in self.arrays])
        # Sums are small: with the bytes of equal weight together, what is left of them is runs of zeros.
        return zlib.compress(values.astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes(), 1)

    def unpack(self, block: int, body: bytes) -> None:
        """Add the sums that :meth:`pack` has made of a block."""
        size = sum(array[0].size for array in self.arrays)
        values = np.frombuffer(zlib.decompress(body), np.uint8)
        if values.size != 8 * size:
            raise ValueError(f"A block of {values.size} bytes is not one of this layout, which has {8 * size}.")
        sums = np.ascontiguousarray(values.reshape(8, -1).T).view("<i8").ravel()
        at = 0
        for array in self.arrays:
            part = array[block - self.first]
            part += sums[at : at + part.size].reshape(part.shape)
            at += part.size


def _part(array: Ints, at: int, shape: tuple[int, ...]) -> Ints:
    part = array[..., at : at + int(np.prod(shape, dtype=np.int64))]
    return part.reshape(*array.shape[:-1], *shape) if shape else part[..., 0]


def lengths(tally: Tally) -> Ints:
    """How many matches took so many plies, int64 (V, plies); a class of several lengths counts as its lowest."""
    counts = tally.of("lengths").sum(axis=0)
    seen = np.flatnonzero(counts.any(axis=0))
    found = np.zeros((len(counts), int(LOWEST[seen[-1]]) + 1 if len(seen) else 0), np.int64)
    found[:, LOWEST[seen]] = counts[:, seen]
    return found


def digest(tally: Tally, done: int) -> str:
    """A hash of the ``done`` first matches of a run: of their number, and of the results of each line-up.

    The same for the same matches, wherever and in whatever chunks they were played, and how often that was interrupted.
    """
    sums = tally.of("digest").sum(axis=0).astype("<i8")
    return hashlib.sha256(f"{done}\0".encode() + sums.tobytes()).hexdigest()[:16]


def unpacked(layout: Layout, bodies: Iterable[tuple[int, bytes]]) -> Tally:
    """The sum of packed blocks, given with their numbers; a block may come several times. One of zeros if there is
    none."""
    parts = list(bodies)
    first = min((block for block, _ in parts), default=0)
    found = Tally(layout, first, max((block for block, _ in parts), default=0) + 1 - first)
    for block, body in parts:
        found.unpack(block, body)
    return found
