"""Cuttle: which moves are legal, in the order of ``docs/rules/cuttle.md``, section 3."""

from __future__ import annotations

from engine.cards import EMPTY, NINE, count, has, lower, lowest, one, place, rank, rest, suit
from engine.games.cuttle.state import (
    ACES,
    COUNTER,
    DISCARDS,
    DRAW,
    FIVES_SEVENS,
    FOURS,
    FROM_SEVEN,
    JACK_ON,
    JACKS,
    MAIN,
    NINES,
    NUMBER_CARDS,
    ONEOFF,
    PASS,
    POINTS,
    QUEENS,
    RESOLVE,
    ROYAL,
    ROYAL_CARDS,
    SCUTTLE,
    SEVEN_SCRAP,
    SUIT_SCUTTLES,
    TARGETED,
    THREES,
    TIES_ANY,
    TWO_TO_HAND,
    TWOS,
    UNTARGETED,
    code,
    on_turn,
)
from engine.kernel import inlined, kernel

AFTER = 1 << 52  # stands after the last card of a set


@inlined
def legal_turn(rules, state, moves):
    """Main moves: draw, pass and whatever the cards in hand can do; or what the cards that a Seven reveals can do."""
    me = on_turn(state)
    n = 0
    if state.table.phase == MAIN:
        shift = 0
        cards = state.hand[me] & ~state.table.frozen[me]
        left = state.table.deck_count
        if left == 0:
            moves[0] = code(PASS)
            n = 1
        elif count(state.hand[me]) < rules.hand_limit or rules.hand_limit_rule == DISCARDS:
            moves[0] = code(DRAW)
            n = 1
    else:
        shift = FROM_SEVEN
        cards = revealed(rules, state)
        left = state.table.deck_count - 1
    n = legal_plays(rules, state, cards, left, shift, moves, n)
    if n > 0:
        return n
    if shift == 0:
        moves[0] = code(PASS)
        return 1
    return list_cards(moves, 0, SEVEN_SCRAP, cards)  # all are Jacks without a target


@inlined
def legal_plays(rules, state, cards, deck_left, shift, moves, n):
    """Every play of one of ``cards``, from the hand (shift 0) or from a Seven (FROM_SEVEN), onto ``moves[n:]``."""
    opp = on_turn(state) ^ 1
    theirs = state.table.points[opp]
    queens = state.table.royals[opp] & QUEENS
    n = list_cards(moves, n, POINTS + shift, cards & NUMBER_CARDS)
    if theirs:
        left = cards & NUMBER_CARDS & from_rank_of(lowest(theirs))
        while left:
            card = lowest(left)
            n = list_targets(moves, n, SCUTTLE + shift, card, theirs & scuttled_by(rules, card))
            left = rest(left)
    n = list_cards(moves, n, ROYAL + shift, cards & ROYAL_CARDS)
    left = cards & JACKS
    if left and theirs and not queens:
        while left:
            n = list_targets(moves, n, JACK_ON + shift, lowest(left), theirs)
            left = rest(left)
    left = cards & (UNTARGETED | TARGETED)
    if not pickable(rules, state):
        left &= ~THREES
    if not state.hand[opp]:
        left &= ~FOURS
    if deck_left == 0:
        left &= ~FIVES_SEVENS
    plain = left & UNTARGETED
    if left == plain:
        return list_cards(moves, n, ONEOFF + shift, plain)
    n = list_cards(moves, n, ONEOFF + shift, plain & ACES)
    targets = targets_of(state, opp)
    twos = left & TWOS
    while twos:
        n = list_targets(moves, n, ONEOFF + shift, lowest(twos), targets)
        twos = rest(twos)
    n = list_cards(moves, n, ONEOFF + shift, plain & ~ACES)
    nines = left & NINES
    if not queens:
        targets |= theirs
    while nines:
        if rules.nine_effect == TWO_TO_HAND and rest(targets):
            n = list_pairs(moves, n, ONEOFF + shift, lowest(nines), targets)
        else:
            n = list_targets(moves, n, ONEOFF + shift, lowest(nines), targets)
        nines = rest(nines)
    return n


@inlined
def list_cards(moves, n, kind, cards):
    """A move for each of ``cards`` onto ``moves[n:]``; returns the new n."""
    return list_numbers(moves, n, code(kind, 0), 1 << 12, cards)


@inlined
def list_targets(moves, n, kind, card, targets):
    """A move of ``card`` at each of ``targets`` onto ``moves[n:]``; returns the new n."""
    return list_numbers(moves, n, code(kind, card, 0), 1 << 6, targets)


@kernel
def list_pairs(moves, n, kind, card, targets):
    """A move of ``card`` at each two of ``targets`` onto ``moves[n:]``; returns the new n."""
    while targets:
        first = lowest(targets)
        targets = rest(targets)
        n = list_numbers(moves, n, code(kind, card, first, 0), 1, targets)
    return n


@inlined
def list_numbers(moves, n, first, step, numbers):
    """``first + step * number`` for each of a set of numbers onto ``moves[n:]``; returns the new n.

    Four are written at a time, since how many there are is what a processor cannot guess: what is written beyond the
    last one is overwritten or never read (MOST_MOVES leaves room).
    """
    at = n
    n += count(numbers)
    while True:
        for _ in range(4):
            moves[place(at)] = first + step * lowest(numbers | AFTER)
            numbers = rest(numbers)
            at += 1
        if at >= n:
            return n


@kernel
def scuttled_by(rules, card):
    """The set of cards that a number card scuttles: lower rank, or equal rank as ``scuttle_ties`` has it."""
    if rules.scuttle_ties == SUIT_SCUTTLES:
        return lower(card)
    return lower(card | 3) | one(card | 3) if rules.scuttle_ties == TIES_ANY else lower(card - suit(card))


@inlined
def from_rank_of(card):
    """All cards of its rank and of those above."""
    return -1 << (card & ~3)


@kernel
def targets_of(state, opp):
    """What a Two may be aimed at (section 3, Targets)."""
    queens = state.table.royals[opp] & QUEENS
    if queens:
        return queens if count(queens) == 1 else EMPTY
    return state.table.royals[opp] | top_jacks(state, opp)


@kernel
def aims_of(state, card, opp):
    """What this Two or Nine may be aimed at: a Nine also at point cards, unless a Queen keeps all aims on her."""
    if rank(card) == NINE and not state.table.royals[opp] & QUEENS:
        return targets_of(state, opp) | state.table.points[opp]
    return targets_of(state, opp)


@kernel
def top_jacks(state, side):
    """The set of Jacks that lie on top of a stack on ``side``; buried ones are no targets."""
    tops = EMPTY
    left = state.table.jacks
    while left:
        jack = lowest(left)
        if has(state.table.points[side], state.table.jack_on[suit(jack)]) and is_top(state, jack):
            tops |= one(jack)
        left = rest(left)
    return tops


@kernel
def is_top(state, jack):
    """Is no other Jack above this one?"""
    table = state.table
    mine = suit(jack)
    others = table.jacks & ~one(jack)
    while others:
        other = suit(lowest(others))
        if table.jack_on[other] == table.jack_on[mine] and table.jack_height[other] > table.jack_height[mine]:
            return False
        others = rest(others)
    return True


@kernel
def pickable(rules, state):
    """What a Three may take from the scrap."""
    return state.table.scrap if rules.three_may_take_three else state.table.scrap & ~THREES


@kernel
def revealed(rules, state):
    """The set of cards that a Seven shows."""
    cards = EMPTY
    for i in range(min(rules.seven_reveals, state.table.deck_count)):
        cards |= one(state.deck[state.table.deck_count - 1 - i])
    return cards


@inlined
def legal_counters(rules, state, seat, moves):
    """Let the one-off resolve, or counter it with a Two (section 3, Countering)."""
    moves[0] = code(RESOLVE)
    n = 1
    if not rules.twos_counter or (rules.queen_stops_counter and state.table.royals[seat ^ 1] & QUEENS):
        return n
    twos = state.hand[seat] & TWOS
    if not rules.frozen_can_counter:
        twos &= ~state.table.frozen[seat]
    while twos:
        moves[n] = code(COUNTER, lowest(twos))
        n += 1
        twos = rest(twos)
    return n


@kernel
def legal_drops(hand, size, kind, moves):
    """All ways to choose ``size`` (1 to 3) cards of a hand."""
    n = 0
    first = hand
    while first:
        a = lowest(first)
        first = rest(first)
        if size == 1:
            moves[n] = code(kind, a)
            n += 1
            continue
        second = first
        while second:
            b = lowest(second)
            second = rest(second)
            if size == 2:
                moves[n] = code(kind, a, b)
                n += 1
                continue
            third = second
            while third:
                moves[n] = code(kind, a, b, lowest(third))
                n += 1
                third = rest(third)
    return n


@kernel
def lost_to_four(rules, state):
    """How many cards a Four costs: as many as it says, or the whole hand if that is smaller."""
    return min(rules.four_discards, count(state.hand[on_turn(state) ^ 1]))


@kernel
def over_limit(rules, state):
    """How many cards the seat on turn holds above ``hand_limit``."""
    return count(state.hand[on_turn(state)]) - rules.hand_limit
