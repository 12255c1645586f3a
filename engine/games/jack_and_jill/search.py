"""Jack and Jill: C4, the exhaustive search for a win once the Well is empty (``docs/rules/jack_and_jill.md``, 4).

Nothing is drawn any more, so a plan is a choice of cards for each step. The search is exact; it is small because

* **The pawns are apart.** A Move, an attack and their cards concern one character. Whatever order of monsters each of
  them needs for himself (``due_of`` of his own monsters), two such orders always fit together: stage by stage, the
  Crown last. So first all of Jack's monsters are beaten, then, with what is left, all of Jill's.
* **Pool.** Once the pawns are in trading range and both hands hold a card, Trades reach every split of all cards that
  keeps the sizes of the hands. The split can be chosen with hindsight: from then on Jack uses at most ``most0`` cards
  of the pool and Jill at most ``most1``, wherever they stand. One player is the same with the whole hand for both.
* **Apart.** Until then two players act with their own hands only. If they would lose even with pooled hands, they
  lose; if each wins alone, they win; otherwise every action of either is tried (``meet``).
* Only **minimal attacks**: without its smallest card it is too weak. If Jack stands under a due monster, he attacks.
* **Cuts** (``jack_lacks``, ``jill_lacks``) and a **memo** of lost situations.

The cards are numbered 0.. in rising order of their values, sets of them are masks; ``end`` (END) holds their values.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from engine.cards import count, has, lowest, one, rest, suit
from engine.games.jack_and_jill.hill import (
    aim_jokers,
    black_spots,
    due_of,
    melee_jokers,
    need_of,
    needs_of,
    red_spots,
    shorter_way,
    spot_after,
    suit_at,
)
from engine.games.jack_and_jill.state import BETWEEN, END, JACK, JILL, MEMO, MOST_CARDS, SPOTS, SUITS, value
from engine.kernel import kernel

PROBES = 8  # places that a situation may have
_LOW = (1 << 31) - 1
_MIX_LOW, _MIX_HIGH = 0x2545F491, 0x5BD1E995

# The first part of a situation's code.
JACKS_TURN, JILLS_TURN, MEETING = 1, 2, 3


def new_end():
    """Room for a search outside of a match."""
    return np.zeros(1, END).view(np.recarray)[0]


@overload(new_end)
def _new_end():
    return lambda: np.zeros(1, END)[0]


@kernel
def can_win(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """Can the monsters ``up`` of a Hill be beaten with these hands, pawns and Jokers, the Well being empty (C4)?

    One player has ``hand0`` and ``jokers0`` for both characters.
    """
    cards0 = 0
    cards1 = 0
    size = 0
    for i in range(SUITS):
        end.of_suit[i] = 0
    cards = hand0 | hand1
    while cards:
        card = lowest(cards)
        end.value[size] = value(card)
        end.of_suit[suit(card)] |= one(size)
        if has(hand0, card):
            cards0 |= one(size)
        else:
            cards1 |= one(size)
        size += 1
        cards = rest(cards)
    add_up(end.value, end.sum_low, 0, min(size, 7))
    add_up(end.value, end.sum_high, 7, max(size - 7, 0))
    if rules.players == 1:
        won = pool_wins(rules, table, end, cards0, size, size, jack, jill, up, jokers0, jokers0)
    else:
        won = team_wins(rules, table, end, cards0, cards1, jack, jill, up, jokers0, jokers1)
    if end.stored > 0:
        end.memo[:] = 0
        end.stored = 0
    return won


@kernel
def add_up(values, sums, first, size):
    """The sum of every set of ``size`` cards from card ``first`` on."""
    sums[0] = 0
    for cards in range(1, 1 << size):
        sums[cards] = sums[rest(cards)] + values[first + lowest(cards)]


@kernel
def total(end, cards):
    """The sum of a set of cards."""
    return end.sum_low[cards & 127] + end.sum_high[cards >> 7]


@kernel
def team_wins(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """Two players who hold these cards: do they win?"""
    size0, size1 = count(hand0), count(hand1)
    if hand0 and hand1 and shorter_way(jack, jill) <= rules.trade_range:
        return pool_wins(rules, table, end, hand0 | hand1, size0, size1, jack, jill, up, jokers0, jokers1)
    if not pool_wins(rules, table, end, hand0 | hand1, size0, size1, jack, jill, up, jokers0, jokers1):
        return False
    if jack_wins(rules, table, end, hand0, hand1, size0, size1, jack, jill, up, jokers0, jokers1):
        return True
    return rules.trade_range >= 0 and meet(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1)


@kernel
def pool_wins(rules, table, end, pool, most0, most1, jack, jill, up, jokers0, jokers1):
    """Do they win if Jack may use any ``most0`` cards of the pool, and Jill any ``most1`` others?"""
    # Jill must be able to do her part even if Jack uses nothing.
    if not jill_wins(rules, table, end, pool, most1, jill, up & red_spots(table), jokers1):
        return False
    return jack_wins(rules, table, end, pool, pool, most0, most1, jack, jill, up, jokers0, jokers1)


@kernel
def jack_wins(rules, table, end, cards0, cards1, most0, most1, jack, jill, up, jokers0, jokers1):
    """Can Jack beat his monsters, with at most ``most0`` of ``cards0``, and Jill hers with what is left for her?"""
    black = up & black_spots(table)
    if not black:
        return jill_wins(rules, table, end, cards1, most1, jill, up, jokers1)
    if jack_lacks(rules, table, end, cards0, cards1, most0, most1, jack, jill, up, jokers0, jokers1):
        return False
    key = (((JACKS_TURN * SPOTS + jack) * SPOTS + jill) * 8 + jokers0) * 8 + jokers1
    key = (((key << MOST_CARDS | cards0) << MOST_CARDS | cards1) << 4 | most0) << SPOTS | up
    if is_lost(end, key):
        return False
    alone = rules.players == 1
    if has(due_of(rules, table, black), jack):
        need = need_of(rules, table, jack)
        own = end.of_suit[suit_at(table, jack)]
        allowed = min(jokers0, rules.jokers_per_action)
        part = -cards0 & cards0
        while part:
            if is_least(end, part, need) and count(part) <= most0:
                used = melee_jokers(rules, count(part & own))
                if used <= allowed and jack_wins(
                    rules,
                    table,
                    end,
                    cards0 & ~part,
                    cards1 & ~part,
                    most0 - count(part),
                    most1,
                    jack,
                    jill,
                    up & ~one(jack),
                    jokers0 - used,
                    jokers1 - used if alone else jokers1,
                ):
                    return True
            part = (part - cards0) & cards0
    elif most0 > 0:
        cards = cards0
        while cards:
            card = one(lowest(cards))
            steps = end.value[lowest(cards)]
            for way in (steps, -steps):
                if jack_wins(
                    rules,
                    table,
                    end,
                    cards0 & ~card,
                    cards1 & ~card,
                    most0 - 1,
                    most1,
                    spot_after(jack, way),
                    jill,
                    up,
                    jokers0,
                    jokers1,
                ):
                    return True
            cards = rest(cards)
    note_lost(end, key)
    return False


@kernel
def jill_wins(rules, table, end, cards, most, jill, red, jokers):
    """Can Jill beat the ``red`` monsters with at most ``most`` of these cards?"""
    if not red:
        return True
    slack = jill_slack(rules, table, end, cards, most, jill, red, jokers)
    if slack < 0:
        return False
    key = ((JILLS_TURN * SPOTS + jill) * 8 + jokers) << MOST_CARDS | cards
    key = (key << 4 | most) << SPOTS | red
    if is_lost(end, key):
        return False
    allowed = min(jokers, rules.jokers_per_action)
    targets = due_of(rules, table, red) & ~one(jill)
    while targets:
        spot = lowest(targets)
        targets = rest(targets)
        need = need_of(rules, table, spot)
        foreign = cards & ~end.of_suit[suit_at(table, spot)]
        way = shorter_way(jill, spot)
        aim = 0 if rules.min_aim == 0 else -cards & cards
        while True:
            usable = foreign & ~aim
            spare = slack - total(end, aim)
            if spare >= 0 and total(end, usable) >= need:
                used = aim_jokers(rules, way, total(end, aim))
                if used <= allowed:
                    part = -usable & usable
                    while part:
                        if (
                            is_least(end, part, need)
                            and total(end, part) - need <= spare
                            and count(aim | part) <= most
                            and jill_wins(
                                rules,
                                table,
                                end,
                                cards & ~(aim | part),
                                most - count(aim | part),
                                jill,
                                red & ~one(spot),
                                jokers - used,
                            )
                        ):
                            return True
                        part = (part - usable) & usable
            aim = (aim - cards) & cards
            if aim == 0:
                break
    if most > 0:
        left = cards
        while left:
            card = one(lowest(left))
            steps = end.value[lowest(left)]
            for way in (steps, -steps):
                if jill_wins(
                    rules, table, end, cards & ~card, most - 1, spot_after(jill, way), red, jokers
                ):
                    return True
            left = rest(left)
    note_lost(end, key)
    return False


@kernel
def meet(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """Can two players whose pawns are apart come into trading range and win with the cards then pooled?"""
    if not hand0 or not hand1:
        return False
    if not pool_wins(
        rules, table, end, hand0 | hand1, count(hand0), count(hand1), jack, jill, up, jokers0, jokers1
    ):
        return False
    if shorter_way(jack, jill) <= rules.trade_range:
        return True
    key = (((MEETING * SPOTS + jack) * SPOTS + jill) * 8 + jokers0) * 8 + jokers1
    key = ((key << MOST_CARDS | hand0) << MOST_CARDS | hand1) << SPOTS | up
    if is_lost(end, key):
        return False
    due = due_of(rules, table, up)
    if has(due & black_spots(table), jack):
        need = need_of(rules, table, jack)
        own = end.of_suit[suit_at(table, jack)]
        part = -hand0 & hand0
        while part:
            if is_least(end, part, need):
                used = melee_jokers(rules, count(part & own))
                if used <= min(jokers0, rules.jokers_per_action) and meet(
                    rules, table, end, hand0 & ~part, hand1, jack, jill, up & ~one(jack), jokers0 - used, jokers1
                ):
                    return True
            part = (part - hand0) & hand0
    targets = due & red_spots(table) & ~one(jill)
    while targets:
        spot = lowest(targets)
        targets = rest(targets)
        need = need_of(rules, table, spot)
        foreign = hand1 & ~end.of_suit[suit_at(table, spot)]
        aim = 0 if rules.min_aim == 0 else -hand1 & hand1
        while True:
            used = aim_jokers(rules, shorter_way(jill, spot), total(end, aim))
            if used <= min(jokers1, rules.jokers_per_action):
                usable = foreign & ~aim
                part = -usable & usable
                while part:
                    if is_least(end, part, need) and meet(
                        rules,
                        table,
                        end,
                        hand0,
                        hand1 & ~(aim | part),
                        jack,
                        jill,
                        up & ~one(spot),
                        jokers0,
                        jokers1 - used,
                    ):
                        return True
                    part = (part - usable) & usable
            aim = (aim - hand1) & hand1
            if aim == 0:
                break
    for mover in range(2):
        cards = hand0 if mover == JACK else hand1
        while cards:
            card = one(lowest(cards))
            steps = end.value[lowest(cards)]
            for way in (steps, -steps):
                jack_to = spot_after(jack, way) if mover == JACK else jack
                jill_to = spot_after(jill, way) if mover == JILL else jill
                if meet(rules, table, end, hand0 & ~card, hand1 & ~card, jack_to, jill_to, up, jokers0, jokers1):
                    return True
            cards = rest(cards)
    note_lost(end, key)
    return False


@kernel
def is_least(end, part, need):
    """Does a set of cards reach the Defense, but not without its lowest card?"""
    reached = total(end, part)
    return reached >= need and reached - end.value[lowest(part)] < need


# ---------------------------------------------------------------- cuts: what every win needs


@kernel
def jack_lacks(rules, table, end, cards0, cards1, most0, most1, jack, jill, up, jokers0, jokers1):
    """Are there too few cards, or too low ones, for what is left to do of both?"""
    black = up & black_spots(table)
    red = up & red_spots(table)
    # Cards: no card is worth more than 10, and Jack moves to each monster that he does not stand under.
    walks = count(black & ~one(jack))
    cards_jack = walks
    farthest = 0
    left = black
    while left:
        spot = lowest(left)
        left = rest(left)
        cards_jack += (need_of(rules, table, spot) + 9) // 10
        farthest = max(farthest, shorter_way(jack, spot))
    if cards_jack > min(most0, count(cards0)):
        return True
    # Value: a card brings the pawn at most its value nearer.
    sum_jack = needs_of(rules, table, black) + max(walks, farthest)
    if sum_jack > total(end, cards0):
        return True
    for i in range(SUITS):
        monsters = black & table.suit_spots[i]
        if monsters:
            need = needs_of(rules, table, monsters) - total(end, cards0 & ~end.of_suit[i])
            if need > 0 and need > 10 * jokers0 * rules.joker_cards:
                return True
    if not red:
        return False
    cards_jill = 0
    left = red
    while left:
        cards_jill += (need_of(rules, table, lowest(left)) + 9) // 10 + rules.min_aim
        left = rest(left)
    if cards_jill > most1 or cards_jack + cards_jill > count(cards0 | cards1):
        return True
    sum_jill = needs_of(rules, table, red) + least_aims(rules, red, jill, jokers1)
    return sum_jill > total(end, cards1) or sum_jack + sum_jill > total(end, cards0 | cards1)


@kernel
def jill_slack(rules, table, end, cards, most, jill, red, jokers):
    """What the cards are worth beyond the Defenses and the Aims after the first one; -1 if she cannot win."""
    least = 0
    left = red
    while left:
        least += (need_of(rules, table, lowest(left)) + 9) // 10 + rules.min_aim
        left = rest(left)
    if least > min(most, count(cards)):
        return -1
    for i in range(SUITS):
        monsters = red & table.suit_spots[i]
        if monsters and needs_of(rules, table, monsters) > total(end, cards & ~end.of_suit[i]):
            return -1
    slack = total(end, cards) - needs_of(rules, table, red)
    if slack < least_aims(rules, red, jill, jokers):
        return -1
    return slack - rules.min_aim * (count(red) - 1)


@kernel
def least_aims(rules, red, jill, jokers):
    """The least sum of all Aims and of the Moves between them: a card brings Jill at most its value nearer."""
    bend = min(jokers, rules.jokers_per_action) * rules.joker_shift
    if rules.aim_distance == BETWEEN:
        bend += 1
    farthest = 0
    left = red
    while left:
        farthest = max(farthest, shorter_way(jill, lowest(left)))
        left = rest(left)
    return max(rules.min_aim, farthest - bend) + rules.min_aim * (count(red) - 1)


# ---------------------------------------------------------------- the memo


@kernel
def place_of(key):
    """Where a situation is looked for first."""
    return (((key & _LOW) * _MIX_LOW ^ (key >> 31) * _MIX_HIGH) >> 20) & (MEMO - 1)


@kernel
def is_lost(end, key):
    """Is the situation known to be lost?"""
    place = place_of(key)
    for _ in range(PROBES):
        if end.memo[place] == key:
            return True
        if end.memo[place] == 0:
            return False
        place = (place + 1) & (MEMO - 1)
    return False


@kernel
def note_lost(end, key):
    """Remember that a situation is lost, if there is a place for it."""
    place = place_of(key)
    for _ in range(PROBES):
        if end.memo[place] == 0:
            end.memo[place] = key
            end.stored += 1
            return
        place = (place + 1) & (MEMO - 1)
