"""Cuttle: which moves are legal, in the order of ``docs/rules/cuttle.md``, section 3."""

from __future__ import annotations

from engine.cards import EMPTY, NINE, count, has, lower, lowest, one, rank, rest, suit
from engine.games.cuttle.state import (
    COUNTER,
    DRAW,
    FIVES_SEVENS,
    FOUR_DROP,
    FOURS,
    JACK_ON,
    JACKS,
    NUMBER_CARDS,
    ONEOFF,
    PASS,
    POINTS,
    QUEENS,
    RESOLVE,
    ROYAL,
    ROYAL_CARDS,
    SCUTTLE,
    SUIT_SCUTTLES,
    TARGETED,
    THREES,
    TIES_ANY,
    TWOS,
    UNTARGETED,
    code,
)
from engine.kernel import kernel


@kernel
def legal_main(rules, state, moves):
    """Main moves: draw, pass and whatever the cards in hand can do."""
    me = state.table.turn
    n = 0
    if state.table.deck_count > 0 and count(state.hand[me]) < rules.hand_limit:
        moves[n] = code(DRAW)
        n += 1
    if state.table.deck_count == 0:
        moves[n] = code(PASS)
        n += 1
    n = legal_plays(rules, state, state.hand[me] & ~state.table.frozen[me], state.table.deck_count, 0, moves, n)
    if n == 0:
        moves[n] = code(PASS)
        n += 1
    return n


@kernel
def legal_plays(rules, state, cards, deck_left, shift, moves, n):
    """Every play of one of ``cards``, from the hand (shift 0) or from a Seven (FROM_SEVEN), onto ``moves[n:]``."""
    me = state.table.turn
    opp = me ^ 1
    numbers = cards & NUMBER_CARDS
    left = numbers
    while left:
        moves[n] = code(POINTS + shift, lowest(left))
        n += 1
        left = rest(left)
    if state.table.points[opp]:
        left = numbers
        while left:
            card = lowest(left)
            targets = state.table.points[opp] & scuttled_by(rules, card)
            while targets:
                moves[n] = code(SCUTTLE + shift, card, lowest(targets))
                n += 1
                targets = rest(targets)
            left = rest(left)
    left = cards & ROYAL_CARDS
    while left:
        moves[n] = code(ROYAL + shift, lowest(left))
        n += 1
        left = rest(left)
    left = cards & JACKS
    if left and state.table.points[opp] and not state.table.royals[opp] & QUEENS:
        while left:
            targets = state.table.points[opp]
            while targets:
                moves[n] = code(JACK_ON + shift, lowest(left), lowest(targets))
                n += 1
                targets = rest(targets)
            left = rest(left)
    left = cards & (UNTARGETED | TARGETED)
    if not pickable(rules, state):
        left &= ~THREES
    if not state.hand[opp]:
        left &= ~FOURS
    if deck_left == 0:
        left &= ~FIVES_SEVENS
    while left:
        card = lowest(left)
        if has(TARGETED, card):
            targets = targets_of(state, rank(card), opp)
            while targets:
                moves[n] = code(ONEOFF + shift, card, lowest(targets))
                n += 1
                targets = rest(targets)
        else:
            moves[n] = code(ONEOFF + shift, card)
            n += 1
        left = rest(left)
    return n


@kernel
def scuttled_by(rules, card):
    """The set of cards that a number card scuttles: lower rank, or equal rank as ``scuttle_ties`` has it."""
    if rules.scuttle_ties == SUIT_SCUTTLES:
        return lower(card)
    return lower(card | 3) | one(card | 3) if rules.scuttle_ties == TIES_ANY else lower(card - suit(card))


@kernel
def targets_of(state, one_off, opp):
    """What a Two or a Nine may be aimed at (section 3, Targets)."""
    queens = state.table.royals[opp] & QUEENS
    if queens:
        return queens if count(queens) == 1 else EMPTY
    targets = state.table.royals[opp] | top_jacks(state, opp)
    return targets | state.table.points[opp] if one_off == NINE else targets


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


@kernel
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
def legal_four_drops(hand, four_discards, moves):
    """All ways to choose what a Four costs: as many cards as it says, or the whole hand if that is smaller."""
    n = 0
    size = min(four_discards, count(hand))
    first = hand
    while first:
        a = lowest(first)
        first = rest(first)
        if size == 1:
            moves[n] = code(FOUR_DROP, a)
            n += 1
            continue
        second = first
        while second:
            b = lowest(second)
            second = rest(second)
            if size == 2:
                moves[n] = code(FOUR_DROP, a, b)
                n += 1
                continue
            third = second
            while third:
                moves[n] = code(FOUR_DROP, a, b, lowest(third))
                n += 1
                third = rest(third)
    return n
