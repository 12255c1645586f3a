"""Jericho: the rules of ``docs/rules/jericho.md``, whose sections stand beside the code that enforces them.

First the functions that every game has (``engine/contract.py``), then the questions that moves depend on, then the
steps that moves and turns are made of. Jericho has no chance events: all its luck is in the deal (section b).
Functions that take ``state`` and look only at the table may be given a view as well.
"""

from __future__ import annotations

from engine.cards import ALL_CARDS, EMPTY, NO_CARD, count, has, lowest, one, rest
from engine.contract import NOBODY
from engine.games.jericho.state import (
    ACES,
    AT_ONCE,
    BASE,
    BY_PASSES,
    CENTRE,
    DOWN,
    FACES,
    FLAT,
    FORCED,
    LEFT,
    LYING,
    MATCHING,
    MOST_SPOTS,
    NOT_OVER,
    ONE_PLACEMENT,
    PASS,
    RIGHT,
    SEATS,
    STEP,
    STOP,
    STRIDE,
    TURN_CAP,
    UP,
    WORTH_1,
    WORTH_2,
    WORTH_4,
    WORTH_8,
    card_of,
    link,
    neighbour,
    neighbours,
    placement,
    sides,
    spot_of,
)
from engine.kernel import kernel
from engine.rng import shuffle

MANY_SPOTS = 64  # more than random play ever opens


@kernel
def deal(rules, state, rng):
    """Shuffle, deal both hands, lay the base (section b, Set-up)."""
    for card in range(52):
        state.draw[card] = card
    shuffle(rng, state.draw, 52)
    clear(state)
    state.table.turn = rules.start_seat
    state.table.draw_count = 52
    state.table.deck = ALL_CARDS
    for seat in range(SEATS):
        fill_hand(rules, state, seat)
    state.table.draw_count -= 1
    lay_base(rules, state, state.draw[state.table.draw_count])


@kernel
def to_act(state):
    """The seat to decide, or NOBODY."""
    return state.table.turn if state.table.reason == NOT_OVER else NOBODY


@kernel
def legal(rules, state, moves):
    """Write every legal move into ``moves``, ascending; return their number (0 only when the match is over)."""
    table = state.table
    spots = state.spots
    if table.reason != NOT_OVER:
        return 0
    hand = state.hand[table.turn]
    n = 0
    if table.chain:
        if rules.chain_rule != FORCED:
            moves[0] = STOP
            n = 1
        for i in range(spots.count):
            cards = hand & spots.fits[i]
            if cards and captures(rules, table, spots.beside[i]):
                while cards:
                    moves[n] = placement(spots.at[i], lowest(cards))
                    n += 1
                    cards = rest(cards)
        return n
    if rules.free_pass:
        moves[0] = PASS
        n = 1
    for i in range(spots.count):
        n = write_fitting(moves, n, hand, spots.at[i], spots.fits[i])
    if n == 0:  # no legal placement
        moves[0] = PASS
        n = 1
    return n


@kernel
def apply(rules, state, move):
    """Carry out a legal move and everything that follows of itself."""
    if move == STOP:
        end_turn(rules, state, True)
    elif move == PASS:
        pass_turn(rules, state)
    else:
        place(rules, state, card_of(move), spot_of(move))


@kernel
def observe(_rules, state, seat, view):
    """Write into ``view`` what ``seat`` may know of ``state`` (section h), and nothing else."""
    view.table = state.table
    copy_spots(state.spots, view.spots)
    view.seat = seat
    view.to_act = to_act(state)
    view.hand = state.hand[seat]
    view.hand_count[0] = count(state.hand[0])
    view.hand_count[1] = count(state.hand[1])
    view.unseen = state.table.deck & ~(state.hand[seat] | open_cards(state.table))


@kernel
def determinize(_rules, view, rng, state):
    """Fill ``state`` with a random possibility that fits ``view``: other hand, draw pile and base out of ``unseen``."""
    seat = view.seat
    other = seat ^ 1
    state.table = view.table
    copy_spots(view.spots, state.spots)
    state.hand[seat] = view.hand
    state.hand[other] = EMPTY
    state.base_card = NO_CARD
    cards = view.unseen
    size = count(cards)
    for i in range(size):
        state.draw[i] = lowest(cards)
        cards = rest(cards)
    shuffle(rng, state.draw, size)
    # The first ones are the draw pile, then come the other hand and the base.
    for i in range(view.table.draw_count, view.table.draw_count + view.hand_count[other]):
        state.hand[other] |= one(state.draw[i])
    if view.table.base_down:
        state.base_card = state.draw[size - 1]


@kernel
def outcome(rules, state, result):
    """Write ranks, scores, winner and reason of a match that is over (section g)."""
    for seat in range(SEATS):
        result.scores[seat] = worth(rules, state.table.captured[seat])
        if rules.hand_penalty:
            result.scores[seat] -= worth(rules, state.hand[seat])
    lead = result.scores[0] - result.scores[1]
    result.ranks[0] = 1 if lead < 0 else 0
    result.ranks[1] = 1 if lead > 0 else 0
    result.winner = NOBODY
    if lead != 0:
        result.winner = 0 if lead > 0 else 1
    result.reason = state.table.reason


@kernel
def write_fitting(moves, n, hand, at, fits):
    """Write the placements of a hand on one spot from ``moves[n]`` on; return where they end.

    Writing every card, and counting those that fit, is faster than a branch that the processor cannot predict.
    """
    while hand:
        card = lowest(hand)
        moves[n] = placement(at, card)
        n += (fits >> card) & 1
        hand = rest(hand)
    return n


# ---------------------------------------------------------------- questions


@kernel
def worth(rules, cards):
    """The worth of a set of cards (section d, points)."""
    if rules.points == FLAT:
        return count(cards)
    ones, twos = count(cards & WORTH_1), count(cards & WORTH_2)
    fours, eights = count(cards & WORTH_4), count(cards & WORTH_8)
    numbers = ones + 2 * twos + 4 * fours + 8 * eights
    return numbers + rules.ace_points * count(cards & ACES) + rules.face_points * count(cards & FACES)


@kernel
def open_cards(table):
    """The set of cards that both seats see (section h)."""
    return table.face_up | table.discard | table.captured[0] | table.captured[1]


@kernel
def enclosed(rules, table, beside, added):
    """The set of a spot's neighbours (BASE included) that are surrounded once ``added`` more sides are occupied."""
    found = EMPTY
    near = neighbours(beside)
    while near:
        card = lowest(near)
        if sides(table.beside[card]) + added >= rules.capture_sides:
            found |= one(card)
        near = rest(near)
    return found if rules.base_capturable else found & ALL_CARDS  # (c) 5


@kernel
def captures(rules, table, beside):
    """Would a card laid on an open spot with these neighbours capture anything? (section b, Captures)"""
    return sides(beside) >= rules.capture_sides or enclosed(rules, table, beside, 1) != EMPTY


@kernel
def can_capture(rules, state):
    """Has the seat on turn a legal placement with a capture?"""
    hand = state.hand[state.table.turn]
    spots = state.spots
    for i in range(spots.count):  # noqa: SIM110
        if hand & spots.fits[i] and captures(rules, state.table, spots.beside[i]):
            return True
    return False


@kernel
def linked(state):
    """The set of face-up cards that are linked to the centre (section b, Linked)."""
    table = state.table
    found = EMPTY
    left = neighbours(beside_centre(state)) & ALL_CARDS
    centre = card_at_centre(table)
    if centre != NO_CARD:  # (c) 6
        left |= one(centre)
    while left:
        card = lowest(left)
        found |= one(card)
        left = (rest(left) | neighbours(table.beside[card])) & ALL_CARDS & ~found
    return found


@kernel
def card_at_centre(table):
    """The face-up card at the centre, or NO_CARD; only a captured base makes room for one."""
    if not table.base_down:
        cards = table.face_up
        while cards:
            if table.at[lowest(cards)] == CENTRE:
                return lowest(cards)
            cards = rest(cards)
    return NO_CARD


@kernel
def beside_centre(state):
    """The neighbours of the centre, whatever lies there."""
    if state.table.base_down:
        return state.table.beside[BASE]
    card = card_at_centre(state.table)
    if card != NO_CARD:
        return state.table.beside[card]
    return state.spots.beside[find(state.spots, CENTRE)]


@kernel
def is_central(at):
    """Is it the centre, or a spot beside it? Empty ones are always open (section b, Open spot)."""
    away = at - CENTRE
    return away in (0, 1, -1, STRIDE, -STRIDE)


@kernel
def find(spots, at):
    """How many open spots come before ``at``: its place in the list if it is open, else where it belongs."""
    after = 0
    # The zeros beyond the count come before every spot. A fixed number of steps suits the processor's vectors.
    for i in range(MANY_SPOTS):
        after += spots.at[i] >= at
    if spots.count > MANY_SPOTS:
        for i in range(MANY_SPOTS, spots.count):
            after += spots.at[i] >= at
    return spots.count - after


@kernel
def is_open(spots, place, at):
    """Is ``at``, which ``find`` puts at ``place``, in the list?"""
    return place < spots.count and spots.at[place] == at


@kernel
def fitting(rules, beside):
    """The set of cards that match each neighbour of a spot, one by one (section b, Fits)."""
    cards = ALL_CARDS
    near = neighbours(beside)
    while near:
        cards &= MATCHING[rules.match_rule, lowest(near)]
        near = rest(near)
    return cards


# ---------------------------------------------------------------- steps of apply


@kernel
def place(rules, state, card, at):
    """A placement and what it captures (section b, place 1 to 4)."""
    table = state.table
    me = table.turn
    table.passes = 0
    state.hand[me] &= ~one(card)
    lay(rules, state, card, at)
    beside = table.beside[card]
    taken = enclosed(rules, table, beside, 0)
    if sides(beside) >= rules.capture_sides:
        taken |= one(card)
    if not taken:
        end_turn(rules, state, False)
        return
    take(rules, state, taken)
    if has(taken, BASE):
        taken = taken & ALL_CARDS | one(state.base_card)
        state.base_card = NO_CARD
    table.captured[me] |= taken
    if rules.cut_off == AT_ONCE:
        discard_cut_off(rules, state)
    if rules.chain_rule != ONE_PLACEMENT and can_capture(rules, state):
        table.chain = 1
    else:
        end_turn(rules, state, True)


@kernel
def pass_turn(rules, state):
    """Lay nothing; the last of ``end_passes`` passes ends the match on the spot (section b, pass)."""
    table = state.table
    table.passes += 1
    if table.passes == rules.end_passes:
        table.turns += 1
        table.reason = BY_PASSES
    else:
        end_turn(rules, state, False)


@kernel
def end_turn(rules, state, captured):
    """END OF TURN 1 to 4 (section b); only where something was captured this turn can a card have been cut off."""
    table = state.table
    table.chain = 0
    if captured:
        discard_cut_off(rules, state)
    fill_hand(rules, state, table.turn)
    table.turns += 1
    if rules.turn_cap > 0 and table.turns == rules.turn_cap:
        table.reason = TURN_CAP
    else:
        table.turn ^= 1


@kernel
def fill_hand(rules, state, seat):
    """The seat draws up to a full hand (section b, END OF TURN 2)."""
    for _ in range(min(rules.hand_size - count(state.hand[seat]), state.table.draw_count)):
        state.table.draw_count -= 1
        state.hand[seat] |= one(state.draw[state.table.draw_count])


@kernel
def discard_cut_off(rules, state):
    """Every card that is not linked goes to the discard pile."""
    lost = state.table.face_up & ~linked(state)
    take(rules, state, lost)
    state.table.discard |= lost


@kernel
def lay_base(rules, state, card):
    """The base lies down at the centre of an empty table."""
    state.base_card = card
    state.table.base_down = 1
    lay(rules, state, BASE, CENTRE)


@kernel
def lay(rules, state, card, at):
    """A card (or BASE) comes to lie at ``at``: the open spot there is closed, spots beside it open or get narrower."""
    table = state.table
    spots = state.spots
    beside = 0
    free = find(spots, at)
    if is_open(spots, free, at):
        beside = spots.beside[free]
    else:
        free = spots.count
    table.at[card] = at
    table.beside[card] = beside
    if card == BASE:
        table.base_down = 1
    else:
        table.face_up |= one(card)
    fits = MATCHING[rules.match_rule, card]
    for direction in range(4):
        back = link(direction ^ 2, card)
        near = neighbour(beside, direction)
        if near != NO_CARD:
            table.beside[near] += back
            continue
        there = at + STEP[direction]
        place = find(spots, there)
        if is_open(spots, place, there):
            spots.beside[place] += back
            spots.fits[place] &= fits
        else:
            open_spot(spots, place, free, there, back, fits)
            free = spots.count
    if free < spots.count:
        close_spot(spots, free)


@kernel
def take(rules, state, cards):
    """A set of cards (and BASE) leaves the table."""
    while cards:
        lift(rules, state, lowest(cards))
        cards = rest(cards)


@kernel
def lift(rules, state, card):
    """A card (or BASE) leaves the table; the exact opposite of ``lay``."""
    table = state.table
    spots = state.spots
    at = table.at[card]
    beside = table.beside[card]
    table.at[card] = 0
    table.beside[card] = 0
    if card == BASE:
        table.base_down = 0
    else:
        table.face_up &= ~one(card)
    for direction in range(4):
        back = link(direction ^ 2, card)
        near = neighbour(beside, direction)
        if near != NO_CARD:
            table.beside[near] -= back
            continue
        there = at + STEP[direction]
        place = find(spots, there)
        spots.beside[place] -= back
        if spots.beside[place] or is_central(there):
            spots.fits[place] = fitting(rules, spots.beside[place])
        else:
            close_spot(spots, place)
    if beside or is_central(at):
        open_spot(spots, find(spots, at), spots.count, at, beside, fitting(rules, beside))


@kernel
def open_spot(spots, place, free, at, beside, fits):
    """A spot comes into the list where ``find`` puts it; it uses up the entry ``free`` (the count, if none is)."""
    if free == spots.count:
        spots.count += 1
    while free > place:
        move_entry(spots, free - 1, free)
        free -= 1
    while free < place - 1:
        move_entry(spots, free + 1, free)
        free += 1
    spots.at[free] = at
    spots.beside[free] = beside
    spots.fits[free] = fits


@kernel
def close_spot(spots, free):
    """An entry of the list is not needed any more."""
    spots.count -= 1
    while free < spots.count:
        move_entry(spots, free + 1, free)
        free += 1
    spots.at[free] = 0
    spots.beside[free] = 0
    spots.fits[free] = EMPTY


@kernel
def move_entry(spots, source, target):
    """An open spot changes its place in the list."""
    spots.at[target] = spots.at[source]
    spots.beside[target] = spots.beside[source]
    spots.fits[target] = spots.fits[source]


@kernel
def copy_spots(source, target):
    """A list of open spots becomes equal to another one; beyond their counts both hold zeros."""
    for i in range(source.count, target.count):
        target.at[i] = 0
        target.beside[i] = 0
        target.fits[i] = EMPTY
    for i in range(source.count):
        target.at[i] = source.at[i]
        target.beside[i] = source.beside[i]
        target.fits[i] = source.fits[i]
    target.count = source.count


@kernel
def clear(state):
    """An empty table without a base; only the centre and the spots beside it are open."""
    table = state.table
    spots = state.spots
    table.turn = 0
    table.chain = 0
    table.passes = 0
    table.turns = 0
    table.reason = NOT_OVER
    table.base_down = 0
    table.face_up = EMPTY
    table.discard = EMPTY
    table.draw_count = 0
    table.deck = EMPTY
    state.base_card = NO_CARD
    for card in range(LYING):
        table.at[card] = 0
        table.beside[card] = 0
    for seat in range(SEATS):
        state.hand[seat] = EMPTY
        table.captured[seat] = EMPTY
    for i in range(MOST_SPOTS):
        spots.at[i] = 0
        spots.beside[i] = 0
        spots.fits[i] = EMPTY
    spots.count = 0
    open_spot(spots, 0, 0, CENTRE + STEP[LEFT], 0, ALL_CARDS)
    open_spot(spots, 1, 1, CENTRE + STEP[DOWN], 0, ALL_CARDS)
    open_spot(spots, 2, 2, CENTRE, 0, ALL_CARDS)
    open_spot(spots, 3, 3, CENTRE + STEP[UP], 0, ALL_CARDS)
    open_spot(spots, 4, 4, CENTRE + STEP[RIGHT], 0, ALL_CARDS)
