"""Queen of the Hill: the rules of ``docs/rules/queen_of_the_hill.md``, whose sections and steps (T1 to T7) stand beside
the code that enforces them.

The functions that every game has (``engine/contract.py``), then what happens of itself. ``plays.py`` tells what a seat
may do; ``turns.py`` has the steps of turns, windows and plays, ``scoring.py`` the end of a round; ``zones.py`` moves
cards and keeps book of who knows them. Chance events are the reshuffle of an empty deck and the hit of a random card.
"""

from __future__ import annotations

from engine.cards import NO_CARD, has, lowest, one, rest
from engine.contract import CHANCE, NOBODY
from engine.games.queen_of_the_hill.bags import WORDS, copies_in, in_word, word_of
from engine.games.queen_of_the_hill.plays import (
    after,
    can_draw,
    cancels_of,
    has_play,
    legal_cards,
    legal_plays,
    may_keep,
    may_stop,
)
from engine.games.queen_of_the_hill.scoring import end_reason
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    BY_ROUNDS,
    DARK,
    DARK_DRAWING,
    DISCARD,
    DISCARDING,
    DRAW,
    DRAWING,
    END_WINDOW,
    ESCAPING,
    FORM,
    HIDDEN,
    KEEP,
    KEPT,
    KINDS,
    MID_WINDOW,
    MOST_CARDS,
    MOST_SEATS,
    OVER,
    PARTIES,
    PASS,
    PLACING,
    PLAY,
    READY,
    STOP,
    TALLY,
    TURN,
    ZONES,
    card_of,
    code,
    kind_of,
    seen_code,
    target_of,
)
from engine.games.queen_of_the_hill.turns import (
    ask,
    bust,
    dark_one_draws,
    draw,
    end_turn,
    pass_reply,
    pass_window,
    place,
    play,
)
from engine.games.queen_of_the_hill.zones import (
    clear,
    discard,
    end_hit,
    fill_zone,
    leave_zone,
    put_into,
    see,
    unseen_of,
)
from engine.kernel import inlined, kernel
from engine.rng import random_below, shuffle


@kernel
def deal(rules, state, rng):
    """Draw the starter by lot and shuffle the whole deck; nothing is dealt (section b, Set-up)."""
    clear(state)
    state.table.starter = random_below(rng, rules.players)
    state.table.active = state.table.starter
    n = 0
    for card in range(rules.kinds):
        for _ in range(rules.copies[card]):
            state.deck[n] = card
            n += 1
    shuffle(rng, state.deck, n)
    state.table.deck_count = n
    advance(rules, state)


@inlined
def to_act(state):
    """The seat to decide, NOBODY when the match is over, or CHANCE."""
    return state.table.decider


@inlined
def legal(rules, state, moves):
    """Write every legal move into ``moves``, ascending; return their number (0 unless a seat decides)."""
    table = state.table
    seat = table.decider
    if seat < 0:
        return 0
    n = 0
    if table.chain_count > 0:
        moves[n] = code(PASS)
        return legal_cards(PLAY, cancels_of(rules, state, seat), moves, n + 1)
    if table.stage == TURN:
        if can_draw(rules, state):
            moves[n] = code(DRAW)
            n += 1
        if may_stop(rules, state):
            moves[n] = code(STOP)
            n += 1
        return legal_plays(rules, state, seat, moves, n)
    if table.stage == PLACING:
        moves[n] = code(FORM)
        n += 1
        if may_keep(rules, state):
            moves[n] = code(KEEP)
            n += 1
        return n
    if table.stage == DISCARDING:
        return legal_cards(DISCARD, state.kinds[seat, READY], moves, n)
    moves[n] = code(PASS)
    n += 1
    if table.stage == ESCAPING:
        return legal_cards(PLAY, state.kinds[seat, READY] & rules.escapes, moves, n)
    return legal_plays(rules, state, seat, moves, n)


@inlined
def apply(rules, state, move):
    """Carry out a legal move and everything that follows without decision or chance."""
    table = state.table
    kind = kind_of(move)
    if kind == DRAW:
        draw(rules, state)
    elif kind == FORM:
        place(rules, state, BATTLE)
    elif kind == STOP:
        end_turn(rules, state, True)
    elif kind == KEEP:
        place(rules, state, KEPT)
    elif kind == PLAY:
        play(rules, state, table.decider, card_of(move), target_of(move))
    elif kind == DISCARD:
        leave_zone(rules, state, table.decider, READY, card_of(move))
        discard(rules, state, card_of(move))
    elif table.chain_count > 0:
        pass_reply(rules, state)
    elif table.stage == ESCAPING:
        bust(rules, state)
    else:
        pass_window(rules, state)
    advance(rules, state)


@kernel
def draw_event(_rules, state, rng, event):
    """A random outcome of the pending event: a card of the zone that is hit, or the discards in a new order."""
    table = state.table
    if table.hit_left > 0:
        left = random_below(rng, table.held[table.hit_of, table.hit_zone])
        card = 0
        copies = copies_in(state.zone[table.hit_of, table.hit_zone, word_of(card)], card)
        while left >= copies:
            left -= copies
            card += 1
            copies = copies_in(state.zone[table.hit_of, table.hit_zone, word_of(card)], card)
        event[0] = card
        return 1
    n = 0
    for card in range(KINDS):
        for _ in range(copies_in(table.discards[word_of(card)], card)):
            event[n] = card
            n += 1
    shuffle(rng, event, n)
    return n


@kernel
def apply_event(rules, state, event):
    """The hit card is discarded, or the reshuffled discards are the new deck; then all that follows of itself."""
    table = state.table
    if table.hit_left > 0:
        leave_zone(rules, state, table.hit_of, table.hit_zone, event[0])
        discard(rules, state, event[0])
        table.hit_left -= 1
        if table.hit_left == 0:
            end_hit(state)
    else:
        table.deck_count = table.discard_count
        for i in range(table.deck_count):
            state.deck[table.deck_count - 1 - i] = event[i]
        table.discard_count = 0
        table.discard_sums = 0
        for word in range(WORDS):
            table.discards[word] = 0
        if table.stage == DRAWING:
            draw(rules, state)  # the draw that found the deck empty
    advance(rules, state)


@inlined
def observe(rules, state, seat, view):
    """Write into ``view`` what ``seat`` may know of ``state`` (section h), and nothing else."""
    table = state.table
    if view.has_more:
        take_back(view)
    view.table = table
    view.seat = seat
    view.drawn = state.drawn
    view.drawn_known = 1 if has(state.drawn_known, seat) else 0
    if table.stage == PLACING and table.active != seat and not view.drawn_known:
        view.drawn = HIDDEN
    for zone in range(ZONES):
        view.own_sums[zone] = state.sums[seat, zone]
        for word in range(WORDS):
            view.own[zone, word] = state.zone[seat, zone, word]
    if state.seen_count > 0 or table.peekers or table.chain_count > 0 or table.stage == TALLY:
        observe_more(rules, state, seat, view)


@kernel
def observe_more(rules, state, seat, view):
    """What there is only at times: known cards, the chain, and at the tally what was formed."""
    table = state.table
    for i in range(state.seen_count):
        if has(state.seen_by[i], seat):
            zone_seen, card_seen = state.seen[i] // KINDS, state.seen[i] % KINDS
            view.known[zone_seen // ZONES, zone_seen % ZONES, word_of(card_seen)] += in_word(card_seen)
            view.known_sums[zone_seen // ZONES, zone_seen % ZONES] += rules.sums[card_seen]
            view.knows = 1
    if view.knows or table.peek[seat] > 0 or table.chain_count > 0 or table.stage == TALLY:
        view.has_more = 1
    if table.stage == TALLY:
        for party in range(PARTIES):
            view.shown_sums[party] = state.sums[party, BATTLE]
            for word in range(WORDS):
                view.shown[party, word] = state.zone[party, BATTLE, word]
    for i in range(table.peek[seat]):
        view.top[i] = state.deck[table.deck_count - 1 - i]
    for i in range(table.chain_count):
        view.chain_card[i] = state.chain_card[i]
        view.chain_by[i] = state.chain_by[i]


@kernel
def take_back(view):
    """Make a view blank again where ``observe_more`` has written."""
    view.has_more = 0
    for i in range(view.table.peek[view.seat]):
        view.top[i] = NO_CARD
    for i in range(view.table.chain_count):
        view.chain_card[i] = NO_CARD
        view.chain_by[i] = NOBODY
    if view.table.stage == TALLY:
        for party in range(PARTIES):
            view.shown_sums[party] = 0
            for word in range(WORDS):
                view.shown[party, word] = 0
    if view.knows:
        view.knows = 0
        for party in range(PARTIES):
            for zone in range(ZONES):
                view.known_sums[party, zone] = 0
                for word in range(WORDS):
                    view.known[party, zone, word] = 0


@kernel
def outcome(rules, state, result):
    """Write ranks, scores, winner and reason of a match that is over (sections f and g)."""
    table = state.table
    result.winner = NOBODY
    result.reason = end_reason(rules, state)
    for seat in range(MOST_SEATS):
        result.scores[seat] = table.wins[seat]
        result.ranks[seat] = 0
        if result.reason == BY_ROUNDS and seat < rules.players:
            if table.wins[seat] == rules.rounds_to_win:
                result.winner = seat
            for other in range(rules.players):
                if table.wins[other] > table.wins[seat]:
                    result.ranks[seat] += 1


@kernel
def determinize(rules, view, rng, state):
    """Fill ``state`` with a random possibility that fits ``view``; what others know is taken to be nothing."""
    clear(state)
    state.table = view.table
    table = state.table
    seat = view.seat
    # The unseen cards that a seat can hold, in random order; others' zones take theirs from the end.
    left = 0
    for card in range(rules.kinds):
        if not has(rules.dark_ones, card):
            for _ in range(unseen_of(rules, view, card)):
                state.deck[left] = card
                left += 1
    shuffle(rng, state.deck, left)
    for zone in range(ZONES):
        table.held[seat, zone] = 0
        for card in range(rules.kinds):
            for _ in range(copies_in(view.own[zone, word_of(card)], card)):
                put_into(rules, state, seat, zone, card)
    for party in range(rules.players):
        if party != seat:
            for zone in range(ZONES):
                left = fill_zone(rules, view, state, party, zone, left)
    state.drawn = view.drawn
    if view.drawn == HIDDEN:
        left -= 1
        state.drawn = state.deck[left]
    # The Dark Ones can be among the rest only: in the deck and in the Dark One's own zone.
    for card in range(rules.kinds):
        if has(rules.dark_ones, card):
            for _ in range(unseen_of(rules, view, card)):
                state.deck[left] = card
                left += 1
    shuffle(rng, state.deck, left)
    fill_zone(rules, view, state, DARK, BATTLE, left)
    for i in range(table.peek[seat]):
        state.deck[table.deck_count - 1 - i] = view.top[i]
    for i in range(table.chain_count):
        state.chain_card[i] = view.chain_card[i]
        state.chain_by[i] = view.chain_by[i]
    if view.drawn_known:
        state.drawn_known = one(seat)
    if view.knows:
        for party in range(PARTIES):
            for zone in range(ZONES):
                for card in range(rules.kinds):
                    for _ in range(copies_in(view.known[party, zone, word_of(card)], card)):
                        see(state, seen_code(party, zone, card), one(seat))


@kernel
def blank(view):
    """A view before its first use: no known card on top of the deck, no chain."""
    for i in range(MOST_CARDS):
        view.top[i] = NO_CARD
        view.chain_card[i] = NO_CARD
        view.chain_by[i] = NOBODY


# ---------------------------------------------------------------- what happens of itself


@inlined
def advance(rules, state):
    """Make every forced move (section b), until a seat has a choice, chance an event, or the match is over."""
    table = state.table
    table.decider = NOBODY
    while table.decider == NOBODY and table.stage != OVER:
        stage = table.stage
        if table.hit_left > 0:
            if table.held[table.hit_of, table.hit_zone] > 0:
                table.decider = CHANCE
            else:
                end_hit(state)  # the zone is empty
        elif table.chain_count > 0:
            if cancels_of(rules, state, table.reply_next):
                table.decider = table.reply_next
            else:
                pass_reply(rules, state)
        elif stage == TURN:
            may_draw = can_draw(rules, state)
            if (may_draw and may_stop(rules, state)) or has_play(rules, state, table.active):
                table.decider = table.active
            elif may_draw:
                draw(rules, state)
            else:
                end_turn(rules, state, True)
        elif stage in (MID_WINDOW, END_WINDOW, TALLY):
            ask(rules, state)
        elif stage == PLACING:
            if may_keep(rules, state):
                table.decider = table.active
            else:
                place(rules, state, BATTLE)
        elif stage == ESCAPING:
            if state.kinds[table.active, READY] & rules.escapes:
                table.decider = table.active
            else:
                bust(rules, state)
        elif stage == DRAWING:
            table.decider = CHANCE
        elif stage == DARK_DRAWING:
            dark_one_draws(rules, state)
        else:
            discard_excess(rules, state)


@kernel
def discard_excess(rules, state):
    """Stage discard: the first seat from the starter on with too many ready cards chooses; or the round begins."""
    table = state.table
    seat = table.starter
    for _ in range(rules.players):
        if table.held[seat, READY] > rules.ready_limit:
            if rest(state.kinds[seat, READY]):
                table.decider = seat
            else:  # all of one kind
                card = lowest(state.kinds[seat, READY])
                leave_zone(rules, state, seat, READY, card)
                discard(rules, state, card)
            return
        seat = after(rules, seat)
    table.stage = TURN
    table.active = table.starter
