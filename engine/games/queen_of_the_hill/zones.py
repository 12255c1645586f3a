"""Queen of the Hill: cards, the zones they lie in, and what the seats know of them (section h of the rules page)."""

from __future__ import annotations

from engine.cards import EMPTY, NO_CARD, one
from engine.contract import NOBODY
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    KEPT,
    KINDS,
    MOST_SEATS,
    PARTIES,
    READY,
    TALLY,
    TURN,
    ZONES,
    seen_code,
)
from engine.kernel import kernel


@kernel
def who_peeks(rules, state, drawer):
    """The set of seats that know the top card, the one that draws it left out."""
    knowers = EMPTY
    for seat in range(rules.players):
        if state.table.peek[seat] > 0 and seat != drawer:
            knowers |= one(seat)
    return knowers


@kernel
def take_top(rules, state):
    """The top card leaves the deck; everybody knows one card less of it."""
    table = state.table
    for seat in range(rules.players):
        if table.peek[seat] > 0:
            table.peek[seat] -= 1
    table.deck_count -= 1
    return state.deck[table.deck_count]


@kernel
def put_into(state, party, zone, card):
    """A card comes into a zone."""
    state.zone[party, zone, card] += 1
    state.table.held[party, zone] += 1


@kernel
def discard(state, card):
    """A card goes to the discards."""
    state.table.discards[card] += 1
    state.table.discard_count += 1


@kernel
def leave_zone(state, party, zone, card):
    """A card leaves a zone face-up: each seat that knew such a card there has one less to know."""
    state.zone[party, zone, card] -= 1
    state.table.held[party, zone] -= 1
    if zone == READY and state.zone[party, zone, card] == 0:
        state.ready[party] &= ~one(card)
    where = seen_code(party, zone, card)
    done = EMPTY  # the seats that have forgotten one
    i = 0
    while i < state.seen_count:
        if state.seen[i] == where:
            forgetful = state.seen_by[i] & ~done
            state.seen_by[i] &= done
            done |= forgetful
        if state.seen_by[i]:
            i += 1
        else:
            forget(state, i)


@kernel
def discard_zone(rules, state, party):
    """A whole Battle Zone goes to the discards; nothing is left to know of it."""
    table = state.table
    for card in range(rules.kinds):
        table.discards[card] += state.zone[party, BATTLE, card]
        state.zone[party, BATTLE, card] = 0
    table.discard_count += table.held[party, BATTLE]
    table.held[party, BATTLE] = 0
    i = 0
    while i < state.seen_count:
        if state.seen[i] // KINDS == party * ZONES + BATTLE:
            forget(state, i)
        else:
            i += 1


@kernel
def see(state, where, seats):
    """These seats know one more card there."""
    state.seen[state.seen_count] = where
    state.seen_by[state.seen_count] = seats
    state.seen_count += 1


@kernel
def forget(state, i):
    """Nobody knows the card of row ``i`` any more; the last row takes its place."""
    state.seen_count -= 1
    state.seen[i] = state.seen[state.seen_count]
    state.seen_by[i] = state.seen_by[state.seen_count]


@kernel
def move_kept(rules, state, seat):
    """T7: a whole Keep Zone moves into the Ready Zone; known cards stay known (section h)."""
    table = state.table
    for card in range(rules.kinds):
        if state.zone[seat, KEPT, card] > 0:
            state.zone[seat, READY, card] += state.zone[seat, KEPT, card]
            state.zone[seat, KEPT, card] = 0
            state.ready[seat] |= one(card)
    table.held[seat, READY] += table.held[seat, KEPT]
    table.held[seat, KEPT] = 0
    for i in range(state.seen_count):
        if state.seen[i] // KINDS == seat * ZONES + KEPT:
            state.seen[i] = seen_code(seat, READY, state.seen[i] % KINDS)


@kernel
def clear(state):
    """An empty table: no card anywhere, round 1, seat 0 to begin."""
    table = state.table
    table.round_number = 1
    table.starter = 0
    table.active = 0
    table.stage = TURN
    table.decider = NOBODY
    table.deck_count = 0
    table.discard_count = 0
    table.due = 0
    table.window_next = NOBODY
    table.window_left = 0
    table.reply_next = NOBODY
    table.reply_left = 0
    table.chain_count = 0
    table.chain_target = NOBODY
    end_hit(state)
    state.drawn = NO_CARD
    state.drawn_known = EMPTY
    state.seen_count = 0
    for card in range(KINDS):
        table.discards[card] = 0
    for party in range(PARTIES):
        table.wins[party] = 0
        table.bonus[party] = 0
        for zone in range(ZONES):
            table.held[party, zone] = 0
            for card in range(KINDS):
                state.zone[party, zone, card] = 0
    for seat in range(MOST_SEATS):
        table.draws[seat] = 0
        table.busted[seat] = 0
        table.peek[seat] = 0
        state.ready[seat] = EMPTY


@kernel
def unseen_of(rules, view, card):
    """How many copies of a kind the seat of ``view`` cannot see: in the deck, or hidden with somebody."""
    table = view.table
    unseen = rules.copies[card] - table.discards[card]
    for zone in range(ZONES):
        unseen -= view.own[zone, card]
    if table.stage == TALLY:
        for party in range(PARTIES):
            if party != view.seat:
                unseen -= view.shown[party, card]
    if view.knows:
        for party in range(PARTIES):
            for zone in range(ZONES):
                if zone != BATTLE or table.stage != TALLY:
                    unseen -= view.known[party, zone, card]
    if view.drawn == card:
        unseen -= 1
    for i in range(table.peek[view.seat]):
        if view.top[i] == card:
            unseen -= 1
    for i in range(table.chain_count):
        if view.chain_card[i] == card:
            unseen -= 1
    return unseen


@kernel
def fill_zone(view, state, party, zone, left):
    """A zone that the view shows in part: what is known, the rest from the end of ``state.deck[:left]``."""
    hidden = view.table.held[party, zone]
    for card in range(KINDS):
        known = view.known[party, zone, card]
        if zone == BATTLE and view.table.stage == TALLY:
            known = view.shown[party, card]
        state.zone[party, zone, card] = known
        hidden -= known
    for _ in range(hidden):
        left -= 1
        state.zone[party, zone, state.deck[left]] += 1
    return left


@kernel
def end_hit(state):
    """No hit is pending any more."""
    state.table.hit_of = NOBODY
    state.table.hit_zone = BATTLE
    state.table.hit_left = 0
