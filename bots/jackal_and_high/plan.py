"""Where to put dice: the search that the planning bots share.

A bot says what each position of the row is worth to it, in *gains*: lanes (``state.py``) of eighths of a paw, for
making the number with one die, with two, and with more. The search then looks for the placement with the highest sum of

* the gains of all numbers made,
* for the numbers left open, their gains times the odds to make them with the dice left in hand, and less of that the
  more of them wait for the same dice,
* what dice in the valley will bring or cost.

It tries every set of numbers that the dice make, and, so that it can do without, every way to begin or raise one sum
with some of the dice. To do both at once, or to begin two sums, only wastes rolls. The last die is weighed exactly.

Conditional values stand where an ``if`` would do: branches that a processor cannot foresee cost more than arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from bots.jackal_and_high.odds import DUELS, LEAST_SIDES, OPEN, WHOLE
from engine.cards import count, lower, lowest, one, rest
from engine.games.jackal_and_high.state import (
    HAND,
    LANE_BITS,
    LANES,
    LUCKY_8,
    MOST_DICE,
    PLACE,
    REROLL,
    ROW_GUARDS,
    VALLEY,
    at_least,
    code,
    digit,
    digit_of,
    filled,
    first_lane,
    hand_of,
    in_lane,
    lane,
    total_of,
    up_to,
)
from engine.kernel import inlined, kernel

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
# PART[n, i]: the i-th set of n dice; the first WAYS[n, m] of them are those of the first m dice.
PART = np.array([([dice for dice in range(PARTS) if dice.bit_count() == n] + 6 * [0])[:6] for n in range(MOST_DICE)])
WAYS = np.array([[math.comb(dice, n) for dice in range(MOST_DICE + 1)] for n in range(MOST_DICE)])
SPREAD = np.array([sum(8**die for die in range(MOST_DICE) if dice >> die & 1) for dice in range(PARTS)])  # octal 1s


@inlined
def find(moves, n, move):
    """The place of a move among the legal moves, which are ascending."""
    place = 0
    while n > 1:
        half = n // 2
        place += half * (moves[place + half] <= move)
        n -= half
    return place


@inlined
def find_turned(view, moves, n, move):
    """The place of a move; in a placement equal dice may be the wrong way round."""
    table = view.table
    for end in range(hand_of(table, view.seat) - 1, 0, -1):
        for die in range(end):
            change = digit_of(move, die) - digit_of(move, die + 1)
            if change > 0 and table.rolled[die] == table.rolled[die + 1]:
                move += digit(change, die + 1) - digit(change, die)
    return find(moves, n, move)


@inlined
def equal_to(rooms, number):
    """The set of row lanes that hold exactly this number."""
    return at_least(rooms, number) & ~at_least(rooms, number + 1) & ROW_GUARDS


@inlined
def exact_lanes(table, seat):
    """The set of lanes on which a seat has made the number."""
    return ROW_GUARDS & at_least(table.counts[seat], 1) & ~at_least(table.rooms[seat], 1)


@kernel
def gains(view, rules, unwon, threat):
    """Three lanes: what each position is worth if it is made with one die, with two, and with more.

    ``unwon``: the part of the cards that no rival has made yet which a Lucky 8 is expected to bring; ``threat``: how
    much each die that rivals still hold lowers the hope to win a card alone, times the odds to make it.
    """
    table = view.table
    row = rules.players + rules.row_extra
    taken = 0
    dice = -hand_of(table, view.seat)
    for seat in range(rules.players):
        taken |= exact_lanes(table, seat) if seat != view.seat else 0
        dice += hand_of(table, seat)
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
    with_two = with_one
    with_three = with_one
    while taken:
        to = first_lane(taken)
        gain = lane(with_one, to)
        one_wins, two_win, three_win = shares(view, rules, to)
        with_one -= in_lane(gain - int(gain * one_wins), to)
        with_two -= in_lane(gain - int(gain * two_win), to)
        with_three -= in_lane(gain - int(gain * three_win), to)
        taken = rest(taken)
    return with_one, with_two, with_three


@inlined
def shares(view, rules, to):
    """The chance to win the contest on a lane with one, two and three dice, against the rivals who have made it."""
    table = view.table
    one_wins = 1.0
    two_win = 1.0
    three_win = 1.0
    for seat in range(rules.players):
        dice = lane(table.counts[seat], to) if lane(table.rooms[seat], to) == 0 else 0
        dice = dice if seat != view.seat else 0
        one_wins *= DUELS[rules.die_sides - LEAST_SIDES, rules.contest_tie, 1, dice]
        two_win *= DUELS[rules.die_sides - LEAST_SIDES, rules.contest_tie, 2, dice]
        three_win *= DUELS[rules.die_sides - LEAST_SIDES, rules.contest_tie, 3, dice]
    return one_wins, two_win, three_win


@inlined
def roll_again(view, rules):
    """Has the last die missed, and may be rolled again? Then no more thought is needed."""
    table = view.table
    if hand_of(table, view.seat) > 1 or table.attempt >= rules.rolls_for_last_die:
        return False
    return equal_to(table.rooms[view.seat], table.rolled[0]) == 0


@inlined
def choose(view, rules, with_one, with_two, with_three, first, further):
    """The best move, for gains with one die, with two and with more.

    ``first``: the worth of the first die in the valley, ``further``: that of every other one, in eighths of a paw.
    """
    table = view.table
    counts = table.counts[view.seat]
    rooms = table.rooms[view.seat]
    missed = lane(table.valley_dice, view.seat) + total_of(counts & ~filled(exact_lanes(table, view.seat)))
    # What each number is worth with as few dice as can make it, and if at least two more dice make it.
    begun = at_least(counts, 1)
    big = at_least(rooms, rules.die_sides + 1)
    huge = at_least(rooms, 2 * rules.die_sides + 1)
    gain = instead(instead(with_one, with_two, begun | big), with_three, at_least(counts, 2) | begun & big | huge)
    if hand_of(table, view.seat) == 1:
        return last_die(view, rules, gain, missed, first, further)
    with_two = instead(with_two, with_three, begun | huge)
    return placement(view, rules, gain, with_two, with_three, missed, first, further)


@inlined
def instead(lanes, others, guards):
    """Lanes, those of the set ``guards`` taken from ``others``."""
    return lanes ^ ((lanes ^ others) & filled(guards))


@kernel
def placement(view, rules, gain, with_two, with_three, missed, first, further):
    """The best placement of two or more dice: a move, but equal dice may be the wrong way round in it."""
    table = view.table
    counts = table.counts[view.seat]
    rooms = table.rooms[view.seat]
    left = one(hand_of(table, view.seat)) - 1  # the set of dice in hand
    sums = sums_of(table)
    best, chosen = begin_sum(view, rules, gain, with_two, with_three, sums, missed, first, further)
    # Every set of numbers that the dice make: depth first, by rising dice and lane; ``trail`` is the way to take back.
    found = makers(table, rooms, sums)
    made = 0
    move = 0
    trail = 0
    part = 0
    to = LANES
    while True:
        part, to = next_made(table, rooms, sums, found, left, part, to)
        if part:
            rooms -= in_lane(sum_of(table, sums, part), to)
            left &= ~part
            missed -= lane(counts, to)
            made += lane(gain_with(part, gain, with_two, with_three), to)
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
            made -= lane(gain_with(part, gain, with_two, with_three), to)
            move -= digits_of(part, to)
        else:
            return chosen


@inlined
def gain_with(dice, gain, with_two, with_three):
    """The gains of numbers that are made with a set of dice."""
    more = with_three if rest(rest(dice)) else with_two
    return more if rest(dice) else gain


@inlined
def makers(table, rooms, sums):
    """The set of the sets of dice that make some number."""
    found = 0
    for dice in range(1, one(hand_of(table, table.turn))):
        found |= one(dice) if equal_to(rooms, sum_of(table, sums, dice)) else 0
    return found


@inlined
def next_made(table, rooms, sums, found, left, part, to):
    """The next set of the dice ``left`` that makes a number, and its lane, after those given; (0, 0) if none does."""
    found &= ~lower(part)
    while found:
        dice = lowest(found)
        lanes = equal_to(rooms, sum_of(table, sums, dice))
        lanes &= ~up_to(to) if dice == part else ROW_GUARDS
        if lanes and dice & ~left == 0:
            return dice, first_lane(lanes)
        found = rest(found)
    return 0, 0


@kernel
def begin_sum(view, rules, gain, with_two, with_three, sums, missed, first, further):
    """The best way to begin or raise one sum that stays open: its value and the move."""
    table = view.table
    odds = OPEN[rules.die_sides - LEAST_SIDES, rules.rolls_for_last_die - 1]
    rooms = table.rooms[view.seat]
    size = hand_of(table, view.seat)
    best = NOTHING
    chosen = 0
    for number in range(1, size):
        k = size - number
        total, squares = hopes(rules, gain, rooms, k)
        # How ``together`` rises with the sum of squares, to find the best lane without a root for each.
        slope = int(SLOPE / math.sqrt(max(squares, 1)))
        later = with_two if number == 1 else with_three  # with the die that will complete it
        most = -MOST_RISE
        where = 0
        lanes = at_least(rooms, 1 if number == 1 else 2 * rules.die_sides + 1) & ROW_GUARDS
        while lanes:  # several dice at once only help to make numbers that two dice cannot
            to = first_lane(lanes)
            room = lane(rooms, to)
            before = odds[k, room] * lane(gain, to)
            more = lane(later, to)
            for i in range(WAYS[number, size]):
                dice = PART[number, i]
                left = room - sum_of(table, sums, dice)
                after = odds[k, left] * more  # 0 if they do not fit
                rise = (after - before) * (EVEN_SLOPE + slope * (after + before))
                rise = rise if left > 0 else -MOST_RISE
                here = PARTS * to + dice
                where = here if rise > most else where
                most = rise if rise > most else most
            lanes = rest(lanes)
        if where:
            to = where // PARTS
            dice = where % PARTS
            before = odds[k, lane(rooms, to)] * lane(gain, to)
            after = odds[k, lane(rooms, to) - sum_of(table, sums, dice)] * lane(later, to)
            squares += after * after - before * before
            value = together(total + after - before, squares) + in_valley(missed + number, k, first, further)
            chosen = digits_of(dice, to) if value > best else chosen
            best = max(value, best)
    return best, chosen


@inlined
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


@inlined
def together(total, squares):
    """What open numbers are worth that must share the dice left."""
    return (ROOT * math.sqrt(squares) + SUM * total) / WHOLE


@inlined
def in_valley(missed, k, first, further):
    """What the valley brings after ``missed`` misses, with k dice still in hand."""
    more = MISSES if k > 0 else 0.0
    return first + (missed - 1 + more) * further if missed > 0 else more * first


@inlined
def sums_of(table):
    """Lanes: the sum of each set of the first three dice, the set being the number of the lane."""
    a, b, c, _ = table.rolled
    return a * WITH_FIRST + b * WITH_SECOND + c * WITH_THIRD


@inlined
def sum_of(table, sums, dice):
    """The sum of a set of dice."""
    return lane(sums, dice % LANES) + (table.rolled[3] if dice >= LANES else 0)


@inlined
def digits_of(dice, to):
    """The part of a move that brings a set of dice to a lane."""
    return to * SPREAD[dice]


@kernel
def last_die(view, rules, gain, missed, first, further):
    """The best move with one die in hand: put it down, or roll again if that is worth more."""
    table = view.table
    rooms = table.rooms[view.seat]
    face = table.rolled[0]
    value, to = best_hit(view, rooms, gain, face, missed, first, further)
    miss = in_valley(missed + 1, 0, first, further)
    again = NOTHING  # the value of no more roll; then of one more, two more, ...: each is kept or not as is best
    for _ in range(rules.rolls_for_last_die - table.attempt):
        total = 0.0
        for other in range(1, rules.die_sides + 1):
            hit, _ = best_hit(view, rooms, gain, other, missed, first, further)
            total += max(max(hit, miss), again)
        again = total / rules.die_sides
    if again > max(value, miss):
        return code(REROLL)
    if to:
        return code(PLACE, digit(to, 0))
    fits = at_least(rooms, face) & ROW_GUARDS
    return code(PLACE, digit(first_lane(fits), 0)) if fits else code(VALLEY)


@inlined
def best_hit(view, rooms, gain, face, missed, first, further):
    """The value of the best number that the last die makes, and its lane; (NOTHING, 0) if it makes none."""
    counts = view.table.counts[view.seat]
    best = NOTHING
    best_to = 0
    lanes = equal_to(rooms, face)
    while lanes:
        to = first_lane(lanes)
        value = lane(gain, to) + in_valley(missed - lane(counts, to), 0, first, further)
        if value > best:
            best = value
            best_to = to
        lanes = rest(lanes)
    return best, best_to
