"""Queen of the Hill: the steps of a turn, of windows and of plays (section b of the rules page, T1 to T6).

Each step changes the table and leaves it to ``rules.advance`` to go on.
"""

from __future__ import annotations

from engine.cards import EMPTY, NO_CARD, has, one
from engine.contract import CHANCE, NOBODY
from engine.games.queen_of_the_hill.plays import after, has_play, proactive_of
from engine.games.queen_of_the_hill.scoring import score
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    BATTLE_EMPTY,
    BONUS,
    BOTH_EMPTY,
    CONTINUES,
    DARK,
    DARK_DRAWING,
    DISCARD_BATTLE,
    DISCARD_READY,
    DRAWING,
    EACH_DRAW,
    END_WINDOW,
    ESCAPING,
    KEPT,
    MID_WINDOW,
    MILL,
    PEEK,
    PENALTY,
    PLACING,
    READY,
    TALLY,
    TURN,
    seen_code,
)
from engine.games.queen_of_the_hill.zones import discard, discard_zone, leave_zone, put_into, see, take_top
from engine.kernel import inlined, kernel

# ---------------------------------------------------------------- the steps of a turn (T1 to T5)


@inlined
def draw(rules, state):
    """T1: the active seat takes the top card of the deck."""
    table = state.table
    if table.deck_count == 0:
        table.stage = DRAWING
        return
    seat = table.active
    knowers = table.peekers & ~one(seat)
    card = take_top(state)
    table.draws[seat] += 1  # Dark Ones count
    if not has(rules.dark_ones, card):
        state.drawn = card
        state.drawn_known = knowers
        table.stage = PLACING
    elif not is_harmless(rules, state):
        state.drawn = card
        table.stage = ESCAPING
    else:
        discard(rules, state, card)
        if rules.harmless_turn == CONTINUES:
            end_draw(rules, state)
        else:
            end_turn(rules, state, False)


@inlined
def is_harmless(rules, state):
    """T1: does a Dark One drawn now do nothing to the active seat?"""
    table = state.table
    if rules.harmless_when == BOTH_EMPTY:
        return table.held[table.active, BATTLE] == 0 and table.held[table.active, KEPT] == 0
    return rules.harmless_when == BATTLE_EMPTY and table.held[table.active, BATTLE] == 0


@inlined
def place(rules, state, zone):
    """The drawn card goes into a zone of the active seat; who knew it knows it there (section h)."""
    table = state.table
    put_into(rules, state, table.active, zone, state.drawn)
    if state.drawn_known:
        see(state, seen_code(table.active, zone, state.drawn), state.drawn_known)
    state.drawn = NO_CARD
    state.drawn_known = EMPTY
    end_draw(rules, state)


@inlined
def end_draw(rules, state):
    """T3: a draw is dealt with."""
    if rules.windows == EACH_DRAW:
        open_window(state, MID_WINDOW, after(rules, state.table.active), rules.players - 1)
    else:
        state.table.stage = TURN


@inlined
def bust(rules, state):
    """T4: the Dark One strikes the active seat."""
    discard(rules, state, state.drawn)
    state.drawn = NO_CARD
    discard_zone(state, state.table.active)
    state.table.busted[state.table.active] = 1
    end_turn(rules, state, False)


@inlined
def end_turn(rules, state, by_choice):
    """T2: a seat that stops by choice has just declined to play, so it is not asked again."""
    left = rules.players - 1 if by_choice else rules.players
    open_window(state, END_WINDOW, after(rules, state.table.active), left)


@inlined
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


@inlined
def dark_one_draws(rules, state):
    """T6: his cards, one by one, all into his Battle Zone; an empty deck is reshuffled first."""
    table = state.table
    while table.due > 0 and table.deck_count > 0:
        knowers = table.peekers
        card = take_top(state)
        put_into(rules, state, DARK, BATTLE, card)
        if knowers:
            see(state, seen_code(DARK, BATTLE, card), knowers)
        table.due -= 1
    if table.due > 0 and table.discard_count > 0:
        table.decider = CHANCE
    else:
        table.due = 0  # with both piles empty he stops
        open_window(state, END_WINDOW, table.starter, rules.players)


# ---------------------------------------------------------------- windows and plays


@inlined
def open_window(state, stage, seat, left):
    """Ask ``left`` seats from ``seat`` on (section b, Windows)."""
    state.table.stage = stage
    state.table.window_next = seat
    state.table.window_left = left


@inlined
def asked_after(rules, state, seat):
    """Who is asked after this seat in a window: the next one clockwise, the active one left out during its turn."""
    following = after(rules, seat)
    if state.table.stage == MID_WINDOW and following == state.table.active:
        return after(rules, following)
    return following


@inlined
def ask(rules, state):
    """The window goes on to the first seat with anything to play; if there is none it closes (T3, T5, T7)."""
    table = state.table
    seat = table.window_next
    left = table.window_left
    while left > 0:
        if proactive_of(rules, state, seat) and has_play(rules, state, seat):
            table.window_next = seat
            table.window_left = left
            table.decider = seat
            return
        seat = asked_after(rules, state, seat)
        left -= 1
    table.window_next = NOBODY
    table.window_left = 0
    if table.stage == MID_WINDOW:
        table.stage = TURN
    elif table.stage == END_WINDOW:
        next_turn(rules, state)
    else:
        score(rules, state)


@inlined
def pass_window(rules, state):
    """The seat asked does not play."""
    state.table.window_next = asked_after(rules, state, state.table.window_next)
    state.table.window_left -= 1


@kernel
def play(rules, state, seat, card, target):
    """A card leaves a Ready Zone for the chain (section b, Playing a card); a play of a window restarts its lap."""
    table = state.table
    leave_zone(rules, state, seat, READY, card)
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
        discard(rules, state, state.chain_card[i])
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
        if table.peek[seat] > 0:
            table.peekers |= one(seat)
    elif effect == MILL:
        for _ in range(min(amount, table.deck_count)):
            discard(rules, state, take_top(state))
    elif effect == BONUS:
        table.bonus[seat] += amount
    elif effect == PENALTY:
        table.bonus[target] -= amount
    else:  # ESCAPE (T4): the Dark One is gone, the turn goes on
        discard(rules, state, state.drawn)
        state.drawn = NO_CARD
        end_draw(rules, state)
