"""Queen of the Hill: cards, the zones they lie in, and what the seats know of them (section h of the rules page)."""

from __future__ import annotations

from engine.cards import EMPTY, NO_CARD, lowest, one, rest
from engine.contract import NOBODY
from engine.games.queen_of_the_hill.bags import WORDS, copies_in, in_word, word_of
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
from engine.kernel import inlined, kernel


@inlined
def take_top(state):
    """The top card leaves the deck; everybody knows one card less of it."""
    table = state.table
    knowers = table.peekers
    while knowers:
        seat = lowest(knowers)
        table.peek[seat] -= 1
        if table.peek[seat] == 0:
            table.peekers &= ~one(seat)
        knowers = rest(knowers)
    table.deck_count -= 1
    return state.deck[table.deck_count]


@inlined
def put_into(rules, state, party, zone, card):
    """A card comes into a zone."""
    state.zone[party, zone, word_of(card)] += in_word(card)
    state.sums[party, zone] += rules.sums[card]
    state.kinds[party, zone] |= one(card)
    state.table.held[party, zone] += 1


@inlined
def discard(rules, state, card):
    """A card goes to the discards."""
    state.table.discards[word_of(card)] += in_word(card)
    state.table.discard_sums += rules.sums[card]
    state.table.discard_count += 1


@inlined
def leave_zone(rules, state, party, zone, card):
    """A card leaves a zone face-up: each seat that knew such a card there has one less to know."""
    state.zone[party, zone, word_of(card)] -= in_word(card)
    state.sums[party, zone] -= rules.sums[card]
    state.table.held[party, zone] -= 1
    if copies_in(state.zone[party, zone, word_of(card)], card) == 0:
        state.kinds[party, zone] &= ~one(card)
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


@inlined
def discard_zone(state, party):
    """A whole Battle Zone goes to the discards; nothing is left to know of it."""
    table = state.table
    for word in range(WORDS):
        table.discards[word] += state.zone[party, BATTLE, word]
        state.zone[party, BATTLE, word] = 0
    table.discard_sums += state.sums[party, BATTLE]
    table.discard_count += table.held[party, BATTLE]
    state.sums[party, BATTLE] = 0
    state.kinds[party, BATTLE] = EMPTY
    table.held[party, BATTLE] = 0
    i = 0
    while i < state.seen_count:
        if state.seen[i] // KINDS == party * ZONES + BATTLE:
            forget(state, i)
        else:
            i += 1


@inlined
def see(state, where, seats):
    """These seats know one more card there."""
    state.seen[state.seen_count] = where
    state.seen_by[state.seen_count] = seats
    state.seen_count += 1


@inlined
def forget(state, i):
    """Nobody knows the card of row ``i`` any more; the last row takes its place."""
    state.seen_count -= 1
    state.seen[i] = state.seen[state.seen_count]
    state.seen_by[i] = state.seen_by[state.seen_count]


@inlined
def move_kept(state, seat):
    """T7: a whole Keep Zone moves into the Ready Zone; known cards stay known (section h)."""
    table = state.table
    for word in range(WORDS):
        state.zone[seat, READY, word] += state.zone[seat, KEPT, word]
        state.zone[seat, KEPT, word] = 0
    state.sums[seat, READY] += state.sums[seat, KEPT]
    state.sums[seat, KEPT] = 0
    state.kinds[seat, READY] |= state.kinds[seat, KEPT]
    state.kinds[seat, KEPT] = EMPTY
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
    table.discard_sums = 0
    table.peekers = EMPTY
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
    for word in range(WORDS):
        table.discards[word] = 0
    for party in range(PARTIES):
        table.wins[party] = 0
        table.bonus[party] = 0
        for zone in range(ZONES):
            table.held[party, zone] = 0
            state.sums[party, zone] = 0
            state.kinds[party, zone] = EMPTY
            for word in range(WORDS):
                state.zone[party, zone, word] = 0
    for seat in range(MOST_SEATS):
        table.draws[seat] = 0
        table.busted[seat] = 0
        table.peek[seat] = 0


@inlined
def unseen_of(rules, view, card):
    """How many copies of a kind the seat of ``view`` cannot see: in the deck, or hidden with somebody."""
    table = view.table
    word = word_of(card)
    unseen = rules.copies[card] - copies_in(table.discards[word], card)
    for zone in range(ZONES):
        unseen -= copies_in(view.own[zone, word], card)
    if table.stage == TALLY:
        for party in range(PARTIES):
            if party != view.seat:
                unseen -= copies_in(view.shown[party, word], card)
    if view.knows:
        for party in range(PARTIES):
            for zone in range(ZONES):
                if zone != BATTLE or table.stage != TALLY:
                    unseen -= copies_in(view.known[party, zone, word], card)
    if view.drawn == card:
        unseen -= 1
    for i in range(table.peek[view.seat]):
        if view.top[i] == card:
            unseen -= 1
    for i in range(table.chain_count):
        if view.chain_card[i] == card:
            unseen -= 1
    return unseen


@inlined
def unseen_sums(rules, view):
    """The sums of all cards that the seat of ``view`` cannot see."""
    table = view.table
    unseen = rules.deck_sums - table.discard_sums
    for zone in range(ZONES):
        unseen -= view.own_sums[zone]
    if table.stage == TALLY:
        for party in range(PARTIES):
            if party != view.seat:
                unseen -= view.shown_sums[party]
    if view.knows:
        for party in range(PARTIES):
            for zone in range(ZONES):
                if zone != BATTLE or table.stage != TALLY:
                    unseen -= view.known_sums[party, zone]
    if view.drawn >= 0:
        unseen -= rules.sums[view.drawn]
    for i in range(table.peek[view.seat]):
        unseen -= rules.sums[view.top[i]]
    for i in range(table.chain_count):
        unseen -= rules.sums[view.chain_card[i]]
    return unseen


@kernel
def fill_zone(rules, view, state, party, zone, left):
    """A zone that the view shows in part: what is known, the rest from the end of ``state.deck[:left]``."""
    hidden = view.table.held[party, zone]
    state.table.held[party, zone] = 0
    for card in range(rules.kinds):
        known = copies_in(view.known[party, zone, word_of(card)], card)
        if zone == BATTLE and view.table.stage == TALLY:
            known = copies_in(view.shown[party, word_of(card)], card)
        for _ in range(known):
            put_into(rules, state, party, zone, card)
        hidden -= known
    for _ in range(hidden):
        left -= 1
        put_into(rules, state, party, zone, state.deck[left])
    return left


@inlined
def end_hit(state):
    """No hit is pending any more."""
    state.table.hit_of = NOBODY
    state.table.hit_zone = BATTLE
    state.table.hit_left = 0
