"""Queen of the Hill: the rules of ``docs/rules/queen_of_the_hill.md``, whose sections and steps (T1 to T7) stand beside
the code that enforces them.

First the functions that every game has (``engine/contract.py``), then the steps that turns, plays and rounds are made
of. ``plays.py`` tells what a seat may do, ``zones.py`` moves cards and keeps book of who knows them. Chance events are
the reshuffle of an empty deck and the hit of a random card.
"""

from __future__ import annotations

from engine.cards import EMPTY, NO_CARD, has, lowest, one, rest
from engine.contract import CHANCE, NOBODY
from engine.games.queen_of_the_hill.plays import (
    after,
    can_draw,
    cancels_of,
    has_play,
    legal_cards,
    legal_plays,
    may_keep,
    may_stop,
    plays_along,
)
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    BATTLE_EMPTY,
    BONUS,
    BOTH_EMPTY,
    BY_DARK_ONE,
    BY_ROUNDS,
    CONTINUES,
    DARK,
    DARK_DRAWING,
    DISCARD,
    DISCARD_BATTLE,
    DISCARD_READY,
    DISCARDING,
    DRAW,
    DRAWING,
    EACH_DRAW,
    END_WINDOW,
    ESCAPING,
    FORM,
    HIDDEN,
    KEEP,
    KEPT,
    KINDS,
    LEFT_STARTS,
    MID_WINDOW,
    MILL,
    MOST_CARDS,
    MOST_SEATS,
    OVER,
    PARTIES,
    PASS,
    PEEK,
    PENALTY,
    PLACING,
    PLAY,
    READY,
    ROUND_CAP,
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
from engine.games.queen_of_the_hill.zones import (
    clear,
    discard,
    discard_zone,
    end_hit,
    fill_zone,
    leave_zone,
    move_kept,
    put_into,
    see,
    take_top,
    unseen_of,
    who_peeks,
)
from engine.kernel import kernel
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


@kernel
def to_act(state):
    """The seat to decide, NOBODY when the match is over, or CHANCE."""
    return state.table.decider


@kernel
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
        return legal_cards(DISCARD, state.ready[seat], moves, n)
    moves[n] = code(PASS)
    n += 1
    if table.stage == ESCAPING:
        return legal_cards(PLAY, state.ready[seat] & rules.escapes, moves, n)
    return legal_plays(rules, state, seat, moves, n)


@kernel
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
        leave_zone(state, table.decider, READY, card_of(move))
        discard(state, card_of(move))
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
        while left >= state.zone[table.hit_of, table.hit_zone, card]:
            left -= state.zone[table.hit_of, table.hit_zone, card]
            card += 1
        event[0] = card
        return 1
    n = 0
    for card in range(KINDS):
        for _ in range(table.discards[card]):
            event[n] = card
            n += 1
    shuffle(rng, event, n)
    return n


@kernel
def apply_event(rules, state, event):
    """The hit card is discarded, or the reshuffled discards are the new deck; then all that follows of itself."""
    table = state.table
    if table.hit_left > 0:
        leave_zone(state, table.hit_of, table.hit_zone, event[0])
        discard(state, event[0])
        table.hit_left -= 1
        if table.hit_left == 0:
            end_hit(state)
    else:
        table.deck_count = table.discard_count
        for i in range(table.deck_count):
            state.deck[table.deck_count - 1 - i] = event[i]
        table.discard_count = 0
        for card in range(KINDS):
            table.discards[card] = 0
        if table.stage == DRAWING:
            draw(rules, state)  # the draw that found the deck empty
    advance(rules, state)


@kernel
def observe(_rules, state, seat, view):
    """Write into ``view`` what ``seat`` may know of ``state`` (section h), and nothing else."""
    table = state.table
    # Only these parts of the view before this one can differ from a blank one.
    for i in range(table.peek[seat], view.table.peek[view.seat]):
        view.top[i] = NO_CARD
    for i in range(table.chain_count, view.table.chain_count):
        view.chain_card[i] = NO_CARD
        view.chain_by[i] = NOBODY
    if view.table.stage == TALLY:
        for party in range(PARTIES):
            for card in range(KINDS):
                view.shown[party, card] = 0
    if view.knows:
        for party in range(PARTIES):
            for zone in range(ZONES):
                for card in range(KINDS):
                    view.known[party, zone, card] = 0
        view.knows = 0
    for zone in range(ZONES):
        if table.held[seat, zone] > 0 or view.table.held[view.seat, zone] > 0:
            for card in range(KINDS):
                view.own[zone, card] = state.zone[seat, zone, card]
    view.table = table
    view.seat = seat
    view.drawn = state.drawn
    if table.stage == PLACING and table.active != seat and not has(state.drawn_known, seat):
        view.drawn = HIDDEN
    view.drawn_known = 1 if has(state.drawn_known, seat) else 0
    for i in range(state.seen_count):
        if has(state.seen_by[i], seat):
            place_seen = state.seen[i]
            zone_seen = place_seen // KINDS
            view.known[zone_seen // ZONES, zone_seen % ZONES, place_seen % KINDS] += 1
            view.knows = 1
    if table.stage == TALLY:
        for party in range(PARTIES):
            for card in range(KINDS):
                view.shown[party, card] = state.zone[party, BATTLE, card]
    for i in range(table.peek[seat]):
        view.top[i] = state.deck[table.deck_count - 1 - i]
    for i in range(table.chain_count):
        view.chain_card[i] = state.chain_card[i]
        view.chain_by[i] = state.chain_by[i]


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
        for card in range(KINDS):
            state.zone[seat, zone, card] = view.own[zone, card]
    for party in range(rules.players):
        if party != seat:
            for zone in range(ZONES):
                left = fill_zone(view, state, party, zone, left)
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
    fill_zone(view, state, DARK, BATTLE, left)
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
                    for _ in range(view.known[party, zone, card]):
                        see(state, seen_code(party, zone, card), one(seat))
    for party in range(rules.players):
        for card in range(rules.kinds):
            if state.zone[party, READY, card] > 0:
                state.ready[party] |= one(card)


@kernel
def blank(view):
    """A view before its first use: no known card on top of the deck, no chain."""
    for i in range(MOST_CARDS):
        view.top[i] = NO_CARD
        view.chain_card[i] = NO_CARD
        view.chain_by[i] = NOBODY


# ---------------------------------------------------------------- what happens of itself


@kernel
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
            if has_play(rules, state, table.window_next):
                table.decider = table.window_next
            else:
                pass_window(rules, state)
        elif stage == PLACING:
            if may_keep(rules, state):
                table.decider = table.active
            else:
                place(rules, state, BATTLE)
        elif stage == ESCAPING:
            if state.ready[table.active] & rules.escapes:
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
            if rest(state.ready[seat]):
                table.decider = seat
            else:  # all of one kind
                card = lowest(state.ready[seat])
                leave_zone(state, seat, READY, card)
                discard(state, card)
            return
        seat = after(rules, seat)
    table.stage = TURN
    table.active = table.starter


# ---------------------------------------------------------------- the steps of a turn (T1 to T5)


@kernel
def draw(rules, state):
    """T1: the active seat takes the top card of the deck."""
    table = state.table
    if table.deck_count == 0:
        table.stage = DRAWING
        return
    seat = table.active
    knowers = who_peeks(rules, state, seat)
    card = take_top(rules, state)
    table.draws[seat] += 1  # Dark Ones count
    if not has(rules.dark_ones, card):
        state.drawn = card
        state.drawn_known = knowers
        table.stage = PLACING
    elif not is_harmless(rules, state):
        state.drawn = card
        table.stage = ESCAPING
    else:
        discard(state, card)
        if rules.harmless_turn == CONTINUES:
            end_draw(rules, state)
        else:
            end_turn(rules, state, False)


@kernel
def is_harmless(rules, state):
    """T1: does a Dark One drawn now do nothing to the active seat?"""
    table = state.table
    if rules.harmless_when == BOTH_EMPTY:
        return table.held[table.active, BATTLE] == 0 and table.held[table.active, KEPT] == 0
    return rules.harmless_when == BATTLE_EMPTY and table.held[table.active, BATTLE] == 0


@kernel
def place(rules, state, zone):
    """The drawn card goes into a zone of the active seat; who knew it knows it there (section h)."""
    table = state.table
    put_into(state, table.active, zone, state.drawn)
    if state.drawn_known:
        see(state, seen_code(table.active, zone, state.drawn), state.drawn_known)
    state.drawn = NO_CARD
    state.drawn_known = EMPTY
    end_draw(rules, state)


@kernel
def end_draw(rules, state):
    """T3: a draw is dealt with."""
    if rules.windows == EACH_DRAW:
        open_window(state, MID_WINDOW, after(rules, state.table.active), rules.players - 1)
    else:
        state.table.stage = TURN


@kernel
def bust(rules, state):
    """T4: the Dark One strikes the active seat."""
    discard(state, state.drawn)
    state.drawn = NO_CARD
    discard_zone(rules, state, state.table.active)
    state.table.busted[state.table.active] = 1
    end_turn(rules, state, False)


@kernel
def end_turn(rules, state, by_choice):
    """T2: a seat that stops by choice has just declined to play, so it is not asked again."""
    left = rules.players - 1 if by_choice else rules.players
    open_window(state, END_WINDOW, after(rules, state.table.active), left)


@kernel
def next_turn(rules, state):
    """T5: clockwise; after the last seat the Dark One, if he plays; then the reveal."""
    table = state.table
    if table.active != DARK:
        seat = after(rules, table.active)
        if seat != table.starter:
            table.active = seat
            table.stage = TURN
            return
        if rules.dark_one_player:
            most = 0
            for i in range(rules.players):
                most = max(most, table.draws[i])
            table.due = max(0, most + rules.dark_one_extra)
            table.active = DARK
            table.stage = DARK_DRAWING
            return
    table.active = NOBODY
    open_window(state, TALLY, table.starter, rules.players)


@kernel
def dark_one_draws(rules, state):
    """T6: his cards, one by one, all into his Battle Zone; an empty deck is reshuffled first."""
    table = state.table
    while table.due > 0 and table.deck_count > 0:
        knowers = who_peeks(rules, state, DARK)
        card = take_top(rules, state)
        put_into(state, DARK, BATTLE, card)
        if knowers:
            see(state, seen_code(DARK, BATTLE, card), knowers)
        table.due -= 1
    if table.due > 0 and table.discard_count > 0:
        table.decider = CHANCE
    else:
        table.due = 0  # with both piles empty he stops
        open_window(state, END_WINDOW, table.starter, rules.players)


# ---------------------------------------------------------------- windows and plays


@kernel
def open_window(state, stage, seat, left):
    """Ask ``left`` seats from ``seat`` on (section b, Windows)."""
    state.table.stage = stage
    state.table.window_next = seat
    state.table.window_left = left


@kernel
def asked_after(rules, state, seat):
    """Who is asked after this seat in a window: the next one clockwise, the active one left out during its turn."""
    following = after(rules, seat)
    if state.table.stage == MID_WINDOW and following == state.table.active:
        return after(rules, following)
    return following


@kernel
def pass_window(rules, state):
    """The seat asked does not play; after the last one the window closes (T3, T5, T7)."""
    table = state.table
    table.window_left -= 1
    if table.window_left > 0:
        table.window_next = asked_after(rules, state, table.window_next)
        return
    table.window_next = NOBODY
    if table.stage == MID_WINDOW:
        table.stage = TURN
    elif table.stage == END_WINDOW:
        next_turn(rules, state)
    else:
        score(rules, state)


@kernel
def play(rules, state, seat, card, target):
    """A card leaves a Ready Zone for the chain (section b, Playing a card); a play of a window restarts its lap."""
    table = state.table
    leave_zone(state, seat, READY, card)
    if table.chain_count == 0:
        table.chain_target = target
        if table.window_left > 0:
            table.window_next = asked_after(rules, state, seat)
            table.window_left = rules.players - 1 if table.stage == MID_WINDOW else rules.players
    state.chain_card[table.chain_count] = card
    state.chain_by[table.chain_count] = seat
    table.chain_count += 1
    table.reply_next = after(rules, seat)
    table.reply_left = rules.players - 1


@kernel
def pass_reply(rules, state):
    """The seat asked does not cancel; after the last one the chain is discarded and its first card may take effect."""
    table = state.table
    table.reply_left -= 1
    if table.reply_left > 0:
        table.reply_next = after(rules, table.reply_next)
        return
    for i in range(table.chain_count):
        discard(state, state.chain_card[i])
    is_cancelled = table.chain_count % 2 == 0  # an odd number of cancels
    target = table.chain_target
    table.chain_count = 0
    table.chain_target = NOBODY
    table.reply_next = NOBODY
    if not is_cancelled:
        take_effect(rules, state, state.chain_by[0], state.chain_card[0], target)


@kernel
def take_effect(rules, state, seat, card, target):
    """What a card does (section b, the table of effects)."""
    table = state.table
    effect = rules.effect[card]
    amount = rules.amount[card]
    if effect in (DISCARD_BATTLE, DISCARD_READY):
        table.hit_of = target
        table.hit_zone = BATTLE if effect == DISCARD_BATTLE else READY
        table.hit_left = amount
    elif effect == PEEK:
        table.peek[seat] = max(table.peek[seat], min(amount, table.deck_count))
    elif effect == MILL:
        for _ in range(min(amount, table.deck_count)):
            discard(state, take_top(rules, state))
    elif effect == BONUS:
        table.bonus[seat] += amount
    elif effect == PENALTY:
        table.bonus[target] -= amount
    else:  # ESCAPE (T4): the Dark One is gone, the turn goes on
        discard(state, state.drawn)
        state.drawn = NO_CARD
        end_draw(rules, state)


# ---------------------------------------------------------------- the end of a round (T7)


@kernel
def score(rules, state):
    """T7: the single highest total wins the round; then the end is tested, or the next round begins."""
    table = state.table
    best = -1
    winner = NOBODY
    for party in range(PARTIES):
        if plays_along(rules, party):
            points = total(rules, state, party)
            if points > best:
                best = points
                winner = party
            elif points == best:
                winner = NOBODY  # a tie for the highest
    if winner != NOBODY:
        table.wins[winner] += 1
        if winner != DARK:
            table.starter = winner
    elif rules.tie_starter == LEFT_STARTS:
        table.starter = after(rules, table.starter)
    for party in range(PARTIES):
        if table.held[party, BATTLE] > 0:
            discard_zone(rules, state, party)
        table.bonus[party] = 0
    for seat in range(rules.players):
        table.draws[seat] = 0
        table.busted[seat] = 0
    if end_reason(rules, state) != NOBODY:
        table.stage = OVER
        return
    table.round_number += 1
    table.stage = DISCARDING
    for seat in range(rules.players):
        if table.held[seat, KEPT] > 0:
            move_kept(rules, state, seat)


@kernel
def total(rules, state, party):
    """T7: the battle points of a party in this round."""
    table = state.table
    if party != DARK and table.busted[party] and not rules.busted_can_win:
        return 0
    points = table.bonus[party]
    if table.held[party, BATTLE] > 0:
        for card in range(rules.kinds):
            points += state.zone[party, BATTLE, card] * rules.points[card]
            if has(rules.dark_ones, card):  # only in the Dark One's own zone
                points += state.zone[party, BATTLE, card] * rules.dark_one_points
    return max(0, points)


@kernel
def end_reason(rules, state):
    """Why the match ends after this round, tested in the order of section f, or NOBODY."""
    table = state.table
    for seat in range(rules.players):
        if table.wins[seat] == rules.rounds_to_win:
            return BY_ROUNDS
    if rules.dark_one_player and table.wins[DARK] == rules.rounds_to_win:
        return BY_DARK_ONE
    return ROUND_CAP if table.round_number == rules.round_cap else NOBODY
