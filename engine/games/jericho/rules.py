"""Jericho: the rules of ``docs/rules/jericho.md``, whose sections stand beside the code that enforces them.

First the functions that every game has (``engine/contract.py``), then the questions that moves depend on, then the
steps that moves and turns are made of; how spots open and close stands in ``spots.py``. Jericho has no chance events:
all its luck is in the deal (section b).
Functions that take ``state`` and look only at the table may be given a view as well.
"""

from __future__ import annotations

from engine.cards import ALL_CARDS, EMPTY, NO_CARD, count, has, lowest, one, rest
from engine.contract import NOBODY
from engine.games.jericho.spots import copy_spots, find, forget_spots, lay, lift, open_spot
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
    NOT_OVER,
    ONE_PLACEMENT,
    PASS,
    RIGHT,
    SEATS,
    STEP,
    STOP,
    TURN_CAP,
    UP,
    WORTH_1,
    WORTH_2,
    WORTH_4,
    WORTH_8,
    card_of,
    entry_at,
    entry_slot,
    neighbours,
    placement,
    sides,
    spot_of,
)
from engine.kernel import inlined, kernel
from engine.rng import shuffle


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
        exposed = lacking(rules, table, 1)
        for i in range(spots.count):
            slot = entry_slot(spots.order[i])
            if captures(rules, spots.near[slot], exposed):
                n = write_fitting(moves, n, entry_at(spots.order[i]), hand & spots.fits[slot])
        return n
    if rules.free_pass:
        moves[0] = PASS
        n = 1
    for i in range(spots.count):
        n = write_fitting(moves, n, entry_at(spots.order[i]), hand & spots.fits[entry_slot(spots.order[i])])
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


@inlined
def write_fitting(moves, n, at, cards):
    """Write the placements of some cards on one spot from ``moves[n]`` on; return where they end.

    Writing three in any case, and counting the cards, is faster than branches that the processor cannot predict.
    """
    end = n + count(cards)
    for i in range(3):
        moves[n + i] = placement(at, lowest(cards))  # of no card: a number that is overwritten or not counted
        cards = rest(cards)
    n += 3
    while cards:
        moves[n] = placement(at, lowest(cards))
        n += 1
        cards = rest(cards)
    return end


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
def lacking(rules, table, missing):
    """The set of cards on the table (BASE included) that so many more occupied sides would capture."""
    found = EMPTY
    for card in range(LYING):
        found |= one(card) * (sides(table.beside[card]) + missing == rules.capture_sides)
    lying = table.face_up
    if rules.base_capturable and table.base_down:  # (c) 5
        lying |= one(BASE)
    return found & lying


@kernel
def lacking_one_or_two(rules, table):
    """``lacking`` 1 and 2, in one look."""
    one_side, two_sides = EMPTY, EMPTY
    for card in range(LYING):
        missing = rules.capture_sides - sides(table.beside[card])
        one_side |= one(card) * (missing == 1)
        two_sides |= one(card) * (missing == 2)
    lying = table.face_up
    if rules.base_capturable and table.base_down:  # (c) 5
        lying |= one(BASE)
    return one_side & lying, two_sides & lying


@kernel
def captures(rules, near, exposed):
    """Does a card laid between the cards ``near`` capture, if ``exposed`` lack one side? (section b, Captures)"""
    return near & exposed != EMPTY or count(near) >= rules.capture_sides


@kernel
def surrounded(rules, table, card):
    """The set of what is surrounded among a card on the table and its neighbours, BASE included (section b)."""
    found = EMPTY
    left = one(card) | neighbours(table.beside[card])
    if not rules.base_capturable:  # (c) 5
        left &= ALL_CARDS
    while left:
        if sides(table.beside[lowest(left)]) >= rules.capture_sides:
            found |= one(lowest(left))
        left = rest(left)
    return found


@kernel
def can_capture(rules, state):
    """Has the seat on turn a legal placement with a capture?"""
    hand = state.hand[state.table.turn]
    spots = state.spots
    exposed = lacking(rules, state.table, 1)
    for i in range(spots.count):
        slot = entry_slot(spots.order[i])
        if hand & spots.fits[slot] and captures(rules, spots.near[slot], exposed):
            return True
    return False


@kernel
def linked(state):
    """The set of face-up cards that are linked to the centre (section b, Linked)."""
    table = state.table
    found = EMPTY
    left = around_centre(state) & ALL_CARDS
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
def around_centre(state):
    """The set of the neighbours of the centre, whatever lies there."""
    if state.table.base_down:
        return neighbours(state.table.beside[BASE])
    card = card_at_centre(state.table)
    if card != NO_CARD:
        return neighbours(state.table.beside[card])
    return state.spots.near[entry_slot(state.spots.order[find(state.spots, CENTRE)])]


# ---------------------------------------------------------------- steps of apply


@kernel
def place(rules, state, card, at):
    """A placement and what it captures (section b, place 1 to 4)."""
    table = state.table
    me = table.turn
    table.passes = 0
    state.hand[me] &= ~one(card)
    lay(rules, state, card, at)
    taken = surrounded(rules, table, card)
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
def take(rules, state, cards):
    """A set of cards (and BASE) leaves the table."""
    while cards:
        lift(rules, state, lowest(cards))
        cards = rest(cards)


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
    forget_spots(spots, 0)
    spots.count = 0
    spots.used = 0
    open_spot(spots, 0, 0, CENTRE + STEP[LEFT])
    open_spot(spots, 1, 1, CENTRE + STEP[DOWN])
    open_spot(spots, 2, 2, CENTRE)
    open_spot(spots, 3, 3, CENTRE + STEP[UP])
    open_spot(spots, 4, 4, CENTRE + STEP[RIGHT])
