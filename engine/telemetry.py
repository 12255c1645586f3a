"""Telemetry: what happens inside matches, counted in the match loop and added up over many.

The loop calls four hooks; :func:`hooks` binds them to a game's ``telemetry.py`` (``engine/contract.py`` says what that
offers), and a loop without telemetry gets hooks that do nothing, which cost nothing. The numbers of one match are
collected in WATCH and added to ``sums`` and ``pieces`` when it ends; matches that a bot spoils leave no trace.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.contract import NO_CELL
from engine.game import MAX_SEATS, Game
from engine.kernel import bind, kernel, sources_of

MOST_TURNS = 512  # changes of the standing that are kept; the lead over time of a match with more is not counted
PARTS = 20  # of a match, for the lead over time and for when it changed last
MANY_CHANGES = 16  # lead changes that are told apart; more count as one less
MANY_ROUNDS = 64
MANY_REASONS = 8
DEALT, CAME = 0, 1  # the first two ways: a seat had the piece before the first move, or got it later

# Sums over matches, all of them counts (docs/schema.md). Stored runs keep names and lengths with their numbers.
SUMS = np.dtype(
    [
        ("matches", np.int64),
        ("plies", np.int64),
        ("forced", np.int64),  # plies with one legal move
        ("legal", np.int64),  # legal moves of all plies
        ("rounds", np.int64),
        ("lead_changes", np.int64),  # how often the lead went from one seat to another
        ("last_lead", np.int64),  # the ply at which the leader at the end took the lead, in 1/1000 of the match
        ("led", np.int64),  # matches in which a seat led at the end
        ("comebacks", np.int64),  # matches won by a seat that had been behind
        ("deficit", np.int64),  # how far that seat had been behind at most
        ("decided", np.int64),  # matches with one winner
        ("margin", np.int64),  # the winner's score less the best other one, of these
        ("margin_hist", np.int64, PARTS),  # this margin as a part of the winner's score
        ("reasons", np.int64, MANY_REASONS),  # how the matches ended
        ("seat_plies", np.int64, MAX_SEATS),
        ("units", np.int64, MAX_SEATS),  # score shares of the seats in units of 1 / (2 (seats - 1))
        ("changes_hist", np.int64, MANY_CHANGES),
        ("last_hist", np.int64, PARTS),
        ("rounds_hist", np.int64, MANY_ROUNDS),
        ("curve_matches", np.int64),  # decided matches in which the lead over time was kept
        ("curve", np.int64, PARTS + 1),  # sum of the winner's lead over the best other after 0, 1/20, ... of the plies
    ]
)


FIELDS = tuple((name, SUMS[name].shape[0] if SUMS[name].shape else 1) for name in SUMS.names or ())


def watch_dtype(game: Game) -> np.dtype[Any]:
    """WATCH of a game: the match under way, then the sums. ``cells``: see :meth:`Game.cells`."""
    cells = game.cells
    return np.dtype(
        [
            ("won", np.int64),  # cooperative games: the reason that means a win, else -1
            ("none", np.int64),  # set: the reasons that mean that nobody wins
            ("plies", np.int64, MAX_SEATS),
            ("forced", np.int64),
            ("legal", np.int64),
            ("points", np.int64, MAX_SEATS),  # the standing
            ("stakes", np.int64, MAX_SEATS),
            ("leader", np.int64),  # the seat that leads, or led last if several do; -1 before
            ("changes", np.int64),
            ("since", np.int64),  # ply at which it took the lead
            ("behind", np.int64, MAX_SEATS),  # how far each seat has been behind at most
            ("dealt", np.int64, MAX_SEATS),  # set: what a seat had before the first move
            ("had", np.int64, MAX_SEATS),  # set: what a seat had when it moved
            ("blind", np.int64, MAX_SEATS),  # cell of the first card that a seat drew unseen, or NO_CELL
            ("did", np.int64, (MAX_SEATS, cells)),  # uses of each cell; all 0 between matches
            ("used_count", np.int64, MAX_SEATS),
            ("used", np.int64, (MAX_SEATS, cells)),  # the cells of ``did`` that are not 0
            ("turns", np.int64),  # how often the standing has changed, the first one included
            ("when", np.int64, MOST_TURNS),  # ply of each change
            ("curve", np.int64, (MOST_TURNS, MAX_SEATS)),  # the standing from then on
            ("sums", SUMS),
            ("pieces", np.int64, (MAX_SEATS, cells, 3)),  # matches in which a seat did it, uses, their units
        ]
    )


def new_watch(game: Game) -> Any:
    """A WATCH with all sums 0."""
    watch = np.zeros(1, watch_dtype(game)).view(np.recarray)[0]
    watch.won = game.state.REASONS.index(game.won) if game.won else -1
    watch.none = sum(1 << game.state.REASONS.index(reason) for reason in game.none_wins)
    return watch


def take(watch: Any, seats: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What one line-up's matches have added up to, which is set back to 0.

    int64 (sum of the lengths of FIELDS,), the fields of SUMS in order; and int64 (seats, cells, 3): for each seat and
    cell the matches in which the seat used it, its uses, and the seat's units in these matches.
    """
    sums = np.frombuffer(watch.sums.tobytes(), np.int64).copy()
    pieces = watch.pieces[:seats].copy()
    watch.sums = np.zeros((), SUMS)
    watch.pieces[:seats] = 0
    return sums, pieces


# ---------------------------------------------------------------- hooks


@kernel
def ignore_deal(_rules, _state, _seats, _watch):
    """Without telemetry."""


@kernel
def ignore_move(_rules, _state, _seat, _move, _count, _watch):
    """Without telemetry."""


@kernel
def ignore_position(_rules, _state, _seats, _plies, _watch):
    """Without telemetry."""


@kernel
def ignore_end(_rules, _state, _result, _seats, _plies, _watch):
    """Without telemetry."""


def see_deal(rules, state, seats, watch):
    """A match begins."""
    watch.forced = 0
    watch.legal = 0
    watch.leader = -1
    watch.changes = 0
    watch.since = 0
    watch.turns = 0
    for seat in range(seats):
        watch.plies[seat] = 0
        watch.behind[seat] = 0
        watch.dealt[seat] = held(rules, state, seat)
        watch.had[seat] = 0
        watch.blind[seat] = NO_CELL
        watch.stakes[seat] = stakes(state, seat)
        for i in range(watch.used_count[seat]):  # of a match that a bot has spoiled
            watch.did[seat, watch.used[seat, i]] = 0
        watch.used_count[seat] = 0
    compare(rules, state, seats, 0, watch)


def see_move(rules, state, seat, move, count, watch):
    """A seat is about to make a move, one of ``count``."""
    watch.plies[seat] += 1
    watch.legal += count
    if count == 1:
        watch.forced += 1
    watch.had[seat] |= held(rules, state, seat)
    if watch.blind[seat] == NO_CELL:
        watch.blind[seat] = drawn(rules, state, seat, move)
    cell = used(rules, state, move)
    if cell >= 0:
        tick(watch, seat, cell)


def see_position(rules, state, seats, plies, watch):
    """A position after ``plies`` moves, chance included."""
    same = True
    for seat in range(seats):
        stake = stakes(state, seat)
        if stake != watch.stakes[seat]:
            watch.stakes[seat] = stake
            same = False
    if not same:
        compare(rules, state, seats, plies, watch)


def compare(rules, state, seats, plies, watch):
    """The standing may have changed."""
    points = watch.points
    for seat in range(seats):
        points[seat] = standing(rules, state, seat)
        if watch.turns < MOST_TURNS:
            watch.curve[watch.turns, seat] = points[seat]
    if watch.turns < MOST_TURNS:
        watch.when[watch.turns] = plies
    watch.turns += 1
    best = points[0]
    ahead = 0
    tied = False
    for seat in range(1, seats):
        if points[seat] > best:
            best = points[seat]
            ahead = seat
            tied = False
        elif points[seat] == best:
            tied = True
    if not tied and seats > 1 and ahead != watch.leader:
        if watch.leader >= 0:
            watch.changes += 1
        watch.leader = ahead
        watch.since = plies
    for seat in range(seats):
        watch.behind[seat] = max(watch.behind[seat], best - points[seat])


def see_end(rules, state, result, seats, plies, watch):
    """A match is over: add it up."""
    sums = watch.sums
    sums.matches += 1
    sums.plies += plies
    sums.forced += watch.forced
    sums.legal += watch.legal
    sums.reasons[result.reason] += 1
    length = rounds(rules, state)
    sums.rounds += length
    sums.rounds_hist[min(length, MANY_ROUNDS - 1)] += 1
    if watch.leader >= 0:
        sums.led += 1
        sums.lead_changes += watch.changes
        sums.changes_hist[min(watch.changes, MANY_CHANGES - 1)] += 1
        since = 1000 * watch.since // max(plies, 1)
        sums.last_lead += since
        sums.last_hist[min(since * PARTS // 1000, PARTS - 1)] += 1
    if result.winner >= 0 and seats > 1:
        sums.decided += 1
        margin = lead(result.scores, result.winner, seats)
        sums.margin += margin
        part = PARTS * margin // max(result.scores[result.winner], 1)
        sums.margin_hist[min(max(part, 0), PARTS - 1)] += 1
        if watch.behind[result.winner] > 0:
            sums.comebacks += 1
            sums.deficit += watch.behind[result.winner]
        if watch.turns <= MOST_TURNS:
            sums.curve_matches += 1
            turn = 0
            for part in range(PARTS + 1):
                while turn + 1 < watch.turns and watch.when[turn + 1] * PARTS <= plies * part:
                    turn += 1
                sums.curve[part] += lead(watch.curve[turn], result.winner, seats)
    for seat in range(seats):
        units = share(result, seat, seats, watch)
        sums.seat_plies[seat] += watch.plies[seat]
        sums.units[seat] += units
        dealt = watch.dealt[seat]
        later = (watch.had[seat] | held(rules, state, seat)) & ~dealt
        while dealt:
            tick(watch, seat, piece_held(dealt) + DEALT)
            dealt &= dealt - 1
        while later:
            tick(watch, seat, piece_held(later) + CAME)
            later &= later - 1
        if watch.blind[seat] != NO_CELL:
            tick(watch, seat, watch.blind[seat])
        for i in range(watch.used_count[seat]):
            cell = watch.used[seat, i]
            watch.pieces[seat, cell, 0] += 1
            watch.pieces[seat, cell, 1] += watch.did[seat, cell]
            watch.pieces[seat, cell, 2] += units
            watch.did[seat, cell] = 0
        watch.used_count[seat] = 0


@kernel
def tick(watch, seat, cell):
    """A seat uses a cell."""
    if watch.did[seat, cell] == 0:
        watch.used[seat, watch.used_count[seat]] = cell
        watch.used_count[seat] += 1
    watch.did[seat, cell] += 1


@kernel
def lead(points, winner, seats):
    """The winner's lead over the best other seat."""
    other = -(1 << 62)
    for seat in range(seats):
        if seat != winner:
            other = max(other, points[seat])
    return points[winner] - other


@kernel
def share(result, seat, seats, watch):
    """A seat's score share in units of 1 / (2 (seats - 1)): all or nothing in a game without opponents."""
    if watch.won >= 0:
        return max(2 * (seats - 1), 1) if result.reason == watch.won else 0
    units = 0
    if not (watch.none >> result.reason) & 1:
        for other in range(seats):
            if other != seat:
                if result.ranks[other] > result.ranks[seat]:
                    units += 2
                elif result.ranks[other] == result.ranks[seat]:
                    units += 1
    return units


KERNELS = ("stakes", "standing", "rounds", "used", "held", "drawn", "piece_held")
IGNORE = {
    "watch_deal": ignore_deal,
    "watch_move": ignore_move,
    "watch_position": ignore_position,
    "watch_end": ignore_end,
}


def hooks(game: Game) -> dict[str, Any]:
    """The four hooks bound to a game's telemetry."""
    sources = sources_of(Path(game.telemetry.__file__))
    functions = {name: getattr(game.telemetry, name) for name in KERNELS}
    functions["compare"] = bind(compare, functions, sources)
    return {
        "watch_deal": bind(see_deal, functions, sources),
        "watch_move": bind(see_move, functions, sources),
        "watch_position": bind(see_position, functions, sources),
        "watch_end": bind(see_end, functions, sources),
    }
