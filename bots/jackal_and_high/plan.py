"""Where to put dice: the search that the planning bots share.

A bot says what each position of the row is worth to it, in *gains*: lanes (``state.py``) of eighths of a paw, once for
making the number with one die and once with more. The search then looks for the placement with the highest sum of

* the gains of all numbers made,
* for the numbers left open, their gains times the odds to make them with the dice left in hand, and less of that the
  more of them wait for the same dice,
* what dice in the valley will bring or cost.

It tries every set of numbers that the dice make, and, so that it can do without, every way to begin or raise one sum
with some of the dice. To do both at once, or to begin two sums, only wastes rolls. The last die is weighed exactly.

Loops run over all positions alike and numbers are fitted with ``max`` and conditional values: branches that the
processor cannot foresee would cost more than the arithmetic.
"""

from __future__ import annotations

import math
from math import comb

import numpy as np

from bots.jackal_and_high.odds import DUELS, LEAST_SIDES, OPEN, WHOLE
from engine.cards import count, one, rest
from engine.games.jackal_and_high.state import (
    HAND,
    LANE_BITS,
    LANES,
    LUCKY_8,
    MOST_DICE,
    PLACE,
    PLACING,
    REROLL,
    ROW_GUARDS,
    VALLEY,
    at_least,
    code,
    digit,
    digit_of,
    filled,
    first_lane,
    in_lane,
    kind_of,
    lane,
    total_of,
    up_to,
)
from engine.kernel import kernel

PAW = 8  # gains are eighths of a paw
MOST_GAIN = 2 * HAND + 1

# What open numbers are worth together, from their gains times odds: ``ROOT * sqrt(sum of squares) + SUM * sum`` comes
# closest to the exact value (rms error 0.11 paws with one die left, 0.21 with two, over random rows).
ROOT = 0.85
SUM = 0.19
EVEN_SLOPE = int(SUM * 2**20)
SLOPE = ROOT / 2 * 2**20
MOST_RISE = 1 << 60
MISSES = 0.6  # how many of the dice still in hand end in the valley, about, however many they are

NOTHING = -1e9

# Sets of dice are masks. The lanes whose number is a set with the first, second, third die in it:
WITH_FIRST, WITH_SECOND, WITH_THIRD = (
    sum(1 << (LANE_BITS * dice) for dice in range(LANES) if dice >> die & 1) for die in range(3)
)
PARTS = 1 << MOST_DICE
SET = np.array([([dice for dice in range(PARTS) if dice.bit_count() == n] + 6 * [0])[:6] for n in range(MOST_DICE)])
SETS = np.array([[comb(dice, n) for dice in range(MOST_DICE + 1)] for n in range(MOST_DICE)])  # of so many dice
SPREAD = np.array([sum(8**die for die in range(MOST_DICE) if dice >> die & 1) for dice in range(PARTS)])


@kernel
def find(moves, n, move):
    """The place of a move among the legal moves, which are ascending."""
    place = 0
    while n > 1:
        half = n // 2
        place += half if moves[place + half] <= move else 0
        n -= half
    return place


@kernel
def find_placement(view, moves, n, move):
    """The place of a placement; equal dice may be the wrong way round in it."""
    table = view.table
    for end in range(table.hand[view.seat] - 1, 0, -1):
        for die in range(end):
            change = digit_of(move, die) - digit_of(move, die + 1)
            if change > 0 and table.rolled[die] == table.rolled[die + 1]:
                move += digit(change, die + 1) - digit(change, die)
    return find(moves, n, move)


@kernel
def equal_to(rooms, number):
    """The set of row lanes that hold exactly this number."""
    return at_least(rooms, number) & ~at_least(rooms, number + 1) & ROW_GUARDS


@kernel
def exact_lanes(table, seat):
    """The set of lanes on which a seat has made the number."""
    return ROW_GUARDS & at_least(table.counts[seat], 1) & ~at_least(table.rooms[seat], 1)


@kernel
def gains(view, rules, unwon, threat):
    """Two lanes: what each position is worth if it is made with one die, and with more.

    ``unwon``: the part of the cards that no rival has made yet which a Lucky 8 is expected to bring; ``threat``: how
    much each die that rivals still hold lowers the hope to win a card alone, times the odds to make it.
    """
    table = view.table
    row = rules.players + rules.row_extra
    taken = 0
    dice = -table.hand[view.seat]
    for seat in range(rules.players):
        taken |= exact_lanes(table, seat) if seat != view.seat else 0
        dice += table.hand[seat]
    free = table.row_paws & ~filled(taken)
    prize = 0
    for at in range(row):
        prize += lane(free, at + 1) if table.card[at] != LUCKY_8 else 0
    prize = int(PAW * unwon * prize)
    danger = int(WHOLE * threat * dice)
    with_one = 0
    for at in range(row):
        card = table.card[at]
        gain = PAW * lane(table.row_paws, at + 1) + (prize if card == LUCKY_8 else 0)
        risk = danger * OPEN[rules.die_sides - LEAST_SIDES, rules.rolls_for_last_die - 1, 2, card] // WHOLE
        gain = gain * max(WHOLE - risk, 0) // WHOLE
        with_one += in_lane(min(gain, MOST_GAIN), at + 1)
    with_more = with_one
    while taken:
        to = first_lane(taken)
        alone, better = shares(view, rules, to)
        gain = lane(with_one, to)
        with_one -= in_lane(gain - int(gain * alone), to)
        with_more -= in_lane(gain - int(gain * better), to)
        taken = rest(taken)
    return with_one, with_more


@kernel
def shares(view, rules, to):
    """The chance to win the contest on a lane with one die and with two, against the rivals who have made it."""
    table = view.table
    alone = 1.0
    better = 1.0
    for seat in range(rules.players):
        dice = lane(table.counts[seat], to) if lane(table.rooms[seat], to) == 0 else 0
        dice = dice if seat != view.seat else 0
        alone *= DUELS[rules.die_sides - LEAST_SIDES, rules.contest_tie, 1, dice]
        better *= DUELS[rules.die_sides - LEAST_SIDES, rules.contest_tie, 2, dice]
    return alone, better


@kernel
def roll_again(view, moves, n):
    """The place of the re-roll if the last die has missed and may be rolled again, else -1: no more thought needed."""
    table = view.table
    if table.phase != PLACING or kind_of(moves[n - 1]) == PLACE:
        return -1
    return -1 if equal_to(table.rooms[view.seat], table.rolled[0]) else find(moves, n, code(REROLL))


@kernel
def choose(view, rules, moves, n, with_one, with_more, first, further):
    """The place of the best move, for gains with one die and with more.

    ``first``: the worth of the first die in the valley, ``further``: that of every other one, in eighths of a paw.
    """
    table = view.table
    counts = table.counts[view.seat]
    gain = with_one ^ ((with_one ^ with_more) & filled(at_least(counts, 1)))  # with one die more than lie there now
    missed = table.valley_dice[view.seat] + total_of(counts & ~filled(exact_lanes(table, view.seat)))
    if table.hand[view.seat] == 1:
        return find(moves, n, last_die(view, rules, moves, gain, missed, first, further))
    return find_placement(view, moves, n, placement(view, rules, gain, with_more, missed, first, further))


@kernel
def placement(view, rules, gain, with_more, missed, first, further):
    """The best placement of two or more dice: a move, but equal dice may be the wrong way round in it."""
    table = view.table
    counts = table.counts[view.seat]
    rooms = table.rooms[view.seat]
    left = one(table.hand[view.seat]) - 1  # the set of dice in hand
    sums = sums_of(table)
    best, chosen = begin_sum(view, rules, gain, with_more, sums, missed, first, further)
    # Every set of numbers that the dice make: depth first, by rising dice and lane; ``trail`` is the way to take back.
    made = 0
    move = 0
    trail = 0
    part = 0
    to = LANES
    while True:
        part, to = next_made(table, rooms, sums, left, part, to)
        if part:
            rooms -= in_lane(sum_of(table, sums, part), to)
            left &= ~part
            missed -= lane(counts, to)
            made += lane(with_more if rest(part) else gain, to)
            move += digits_of(part, to)
            k = count(left)
            total, squares = hopes(rules, gain, rooms, k)
            value = made + together(total, squares) + in_valley(missed, k, first, further)
            chosen = move if value > best else chosen
            best = max(value, best)
            trail = (trail * PARTS + part) * LANES + to
            to = LANES  # the next number needs a higher set of dice
        elif trail:
            to = trail % LANES
            part = trail // LANES % PARTS
            trail //= LANES * PARTS
            rooms += in_lane(sum_of(table, sums, part), to)
            left |= part
            missed += lane(counts, to)
            made -= lane(with_more if rest(part) else gain, to)
            move -= digits_of(part, to)
        else:
            return chosen


@kernel
def next_made(table, rooms, sums, left, part, to):
    """The next set of the dice ``left`` that makes a number, and its lane, after those given; (0, 0) if none does."""
    for dice in range(max(part, 1), left + 1):
        lanes = equal_to(rooms, sum_of(table, sums, dice))
        lanes &= ~up_to(to) if dice == part else ROW_GUARDS
        if lanes and dice & ~left == 0:
            return dice, first_lane(lanes)
    return 0, 0


@kernel
def begin_sum(view, rules, gain, with_more, sums, missed, first, further):
    """The best way to begin or raise one sum that stays open: its value and the move."""
    table = view.table
    odds = OPEN[rules.die_sides - LEAST_SIDES, rules.rolls_for_last_die - 1]
    rooms = table.rooms[view.seat]
    size = table.hand[view.seat]
    best = NOTHING
    chosen = 0
    for number in range(1, size):
        k = size - number
        total, squares = hopes(rules, gain, rooms, k)
        # How ``together`` rises with the sum of squares, to find the best lane without a root for each.
        slope = int(SLOPE / math.sqrt(max(squares, 1)))
        most = -MOST_RISE
        where = 0
        for to in range(1, rules.players + rules.row_extra + 1):
            room = lane(rooms, to)
            before = odds[k, room] * lane(gain, to)
            more = lane(with_more, to)
            for i in range(SETS[number, size]):
                dice = SET[number, i]
                left = room - sum_of(table, sums, dice)
                after = odds[k, left] * more  # 0 if they do not fit
                rise = (after - before) * (EVEN_SLOPE + slope * (after + before))
                rise = rise if left > 0 else -MOST_RISE
                here = PARTS * to + dice
                where = here if rise > most else where
                most = rise if rise > most else most
        if where:
            to = where // PARTS
            dice = where % PARTS
            before = odds[k, lane(rooms, to)] * lane(gain, to)
            after = odds[k, lane(rooms, to) - sum_of(table, sums, dice)] * lane(with_more, to)
            squares += after * after - before * before
            value = together(total + after - before, squares) + in_valley(missed + number, k, first, further)
            chosen = digits_of(dice, to) if value > best else chosen
            best = max(value, best)
    return best, chosen


@kernel
def hopes(rules, gain, rooms, k):
    """Gains times odds (in parts of WHOLE) of all open numbers, with k dice left: their sum, that of their squares."""
    odds = OPEN[rules.die_sides - LEAST_SIDES, rules.rolls_for_last_die - 1]
    total = 0
    squares = 0
    for to in range(1, rules.players + rules.row_extra + 1):
        hope = odds[k, lane(rooms, to)] * lane(gain, to)
        total += hope
        squares += hope * hope
    return total, squares


@kernel
def together(total, squares):
    """What open numbers are worth that must share the dice left."""
    return (ROOT * math.sqrt(squares) + SUM * total) / WHOLE


@kernel
def in_valley(missed, k, first, further):
    """What the valley brings after ``missed`` misses, with k dice still in hand."""
    more = MISSES if k > 0 else 0.0
    return first + (missed - 1 + more) * further if missed > 0 else more * first


@kernel
def sums_of(table):
    """Lanes: the sum of each set of the first three dice, the set being the number of the lane."""
    a, b, c, _ = table.rolled
    return a * WITH_FIRST + b * WITH_SECOND + c * WITH_THIRD


@kernel
def sum_of(table, sums, dice):
    """The sum of a set of dice."""
    return lane(sums, dice % LANES) + (table.rolled[3] if dice >= LANES else 0)


@kernel
def digits_of(dice, to):
    """The part of a move that brings a set of dice to a lane."""
    return to * SPREAD[dice]


@kernel
def last_die(view, rules, moves, gain, missed, first, further):
    """The best move with one die in hand: put it down, or roll again if that is worth more."""
    table = view.table
    row = rules.players + rules.row_extra
    rooms = table.rooms[view.seat]
    counts = table.counts[view.seat]
    face = table.rolled[0]
    miss = in_valley(missed + 1, 0, first, further)
    best = NOTHING
    made = 0
    again = miss * rules.die_sides
    for to in range(1, row + 1):
        value = lane(gain, to) + in_valley(missed - lane(counts, to), 0, first, further)
        again += value - miss if 0 < lane(rooms, to) <= rules.die_sides else 0.0
        value = value if lane(rooms, to) == face else NOTHING
        made = to if value > best else made
        best = max(value, best)
    best = best if made else miss
    again /= rules.die_sides  # the value of one more roll; then of two, ...: each roll is kept or not as is best
    for _ in range(rules.rolls_for_last_die - table.attempt - 1):
        total = rules.die_sides * max(miss, again)
        for to in range(1, row + 1):
            value = lane(gain, to) + in_valley(missed - lane(counts, to), 0, first, further)
            total += max(value, again) - max(miss, again) if 0 < lane(rooms, to) <= rules.die_sides else 0.0
        again = total / rules.die_sides
    if again > best and table.attempt < rules.rolls_for_last_die:
        return code(REROLL)
    if made:
        return code(PLACE, digit(made, 0))
    return moves[0] if kind_of(moves[0]) == PLACE else code(VALLEY)
