"""Queen of the Hill: what a seat may do (section b of the rules page): draw, stop, keep, and above all which plays."""

from __future__ import annotations

from engine.cards import EMPTY, has, lower, lowest, one, rest
from engine.games.queen_of_the_hill.bags import sums_of, sums_of_dark_ones
from engine.games.queen_of_the_hill.state import (
    ANY_TIME,
    AT_TALLY,
    BATTLE,
    CANCEL,
    DARK,
    DISCARD_BATTLE,
    DISCARD_READY,
    END_WINDOW,
    ESCAPE,
    ESCAPING,
    KEPT,
    MID_WINDOW,
    MILL,
    NO_EFFECT,
    OVER,
    OWN_TURN,
    PEEK,
    PENALTY,
    PLAY,
    READY,
    TALLY,
    TURN,
    WHEN_DRAWING,
    code,
)
from engine.kernel import inlined, kernel


@kernel
def prepare(rules):
    """Write the sums of the cards, and which kinds may be played at which stage (section b, the table of timings)."""
    rules.deck_sums = 0
    for card in range(rules.kinds):
        rules.sums[card] = sums_of_dark_ones(1) if has(rules.dark_ones, card) else sums_of(rules.points[card])
        rules.deck_sums += rules.copies[card] * rules.sums[card]
    rules.escapes = EMPTY
    for stage in range(OVER + 1):
        for is_active in range(2):
            proactive = EMPTY
            cancels = EMPTY
            for card in range(rules.kinds):
                effect = rules.effect[card]
                timing = rules.timing[card]
                fits = timing == ANY_TIME
                if timing == WHEN_DRAWING:
                    fits = stage in (TURN, ESCAPING, MID_WINDOW, END_WINDOW)
                elif timing == AT_TALLY:
                    fits = stage == TALLY
                elif timing == OWN_TURN:
                    fits = is_active == 1 and stage in (TURN, ESCAPING, MID_WINDOW)
                if effect == NO_EFFECT or not fits or not rules.abilities:
                    continue
                if effect == CANCEL:
                    cancels |= one(card)
                elif effect != ESCAPE:
                    proactive |= one(card)
                elif stage == ESCAPING and is_active == 1:
                    rules.escapes |= one(card)
            rules.proactive[is_active, stage] = proactive
            rules.cancels[is_active, stage] = cancels


@inlined
def can_draw(rules, state):
    """T1: is there a draw left for the active seat, and a card?"""
    table = state.table
    return table.draws[table.active] < rules.draw_cap and table.deck_count + table.discard_count > 0


@inlined
def may_stop(rules, state):
    """May the active seat end its turn?"""
    return state.table.draws[state.table.active] >= rules.min_draws or not can_draw(rules, state)


@inlined
def may_keep(rules, state):
    """May the active seat keep the drawn card?"""
    return rules.abilities != 0 and state.table.held[state.table.active, KEPT] < rules.keep_limit


@inlined
def plays_along(rules, party):
    """Is this seat taken; does the Dark One play?"""
    return party < rules.players or (party == DARK and rules.dark_one_player != 0)


@inlined
def after(rules, seat):
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < rules.players else 0


@inlined
def proactive_of(rules, state, seat):
    """The set of a seat's ready kinds whose timing fits now, escapes and cancels left out."""
    is_active = 1 if seat == state.table.active else 0
    return state.kinds[seat, READY] & rules.proactive[is_active, state.table.stage]


@inlined
def cancels_of(rules, state, seat):
    """The set of a seat's ready kinds that can answer a play now."""
    is_active = 1 if seat == state.table.active else 0
    return state.kinds[seat, READY] & rules.cancels[is_active, state.table.stage]


@inlined
def is_aimed(effect):
    """Does a card with this effect need a target?"""
    return effect in (DISCARD_BATTLE, DISCARD_READY, PENALTY)


@inlined
def targets_of(rules, state, seat, card):
    """The set of parties that this seat may aim this card at (section b, legal use)."""
    held = state.table.held
    targets = EMPTY
    if rules.effect[card] == DISCARD_BATTLE:
        for party in range(rules.players):
            targets |= one(party) if held[party, BATTLE] > 0 else EMPTY
        targets |= one(DARK) if held[DARK, BATTLE] > 0 else EMPTY
        return targets if rules.own_zone[card] else targets & ~one(seat)
    if rules.effect[card] == DISCARD_READY:
        for party in range(rules.players):
            targets |= one(party) if held[party, READY] > 0 else EMPTY
    else:
        targets = lower(rules.players) | (one(DARK) if rules.dark_one_player else EMPTY)
    return targets & ~one(seat)


@inlined
def has_use(rules, state, seat, card):
    """Has a play that needs no target a legal use?"""
    table = state.table
    if rules.effect[card] == PEEK:
        return min(rules.amount[card], table.deck_count) > table.peek[seat]
    if rules.effect[card] == MILL:
        return table.deck_count > 0
    return True


@inlined
def has_play(rules, state, seat):
    """Is there any proactive play for this seat?"""
    cards = proactive_of(rules, state, seat)
    while cards:
        card = lowest(cards)
        if is_aimed(rules.effect[card]):
            if targets_of(rules, state, seat, card):
                return True
        elif has_use(rules, state, seat, card):
            return True
        cards = rest(cards)
    return False


@inlined
def legal_plays(rules, state, seat, moves, n):
    """Every proactive play of a seat, onto ``moves[n:]``."""
    cards = proactive_of(rules, state, seat)
    while cards:
        card = lowest(cards)
        if is_aimed(rules.effect[card]):
            targets = targets_of(rules, state, seat, card)
            while targets:
                moves[n] = code(PLAY, card, lowest(targets))
                n += 1
                targets = rest(targets)
        elif has_use(rules, state, seat, card):
            moves[n] = code(PLAY, card)
            n += 1
        cards = rest(cards)
    return n


@inlined
def legal_cards(kind, cards, moves, n):
    """One move for each of these kinds of cards, onto ``moves[n:]``."""
    while cards:
        moves[n] = code(kind, lowest(cards))
        n += 1
        cards = rest(cards)
    return n
