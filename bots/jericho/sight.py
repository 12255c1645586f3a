"""What several bots for Jericho ask of a view: who leads, what a turn can capture, what a placement lays open.

A card is *exposed* when one more occupied side captures it; its *closers* are the cards that fit on a free side of it.
What exposed cards are worth to the seat that leaves them to the other one is told by ``rates``, a point each: entry
``k`` if k closers are unseen and none is in the own hand, entry ``SPAN + k`` if one is. Each bot has its own idea of
that, and an empty array (:data:`NO_RATES`) is the idea of a bot that looks at points alone.
"""

from __future__ import annotations

import numpy as np

from engine.cards import ACE, ALL_CARDS, EMPTY, JACK, NO_CARD, count, has, lowest, one, rank, rest
from engine.games.jericho.rules import copy_spots, enclosed, find, is_open, lay, lift, linked, worth
from engine.games.jericho.state import (
    AT_ONCE,
    BASE,
    FLAT,
    FORCED,
    LYING,
    MATCHING,
    ONE_PLACEMENT,
    PASS,
    SPOTS,
    STEP,
    STOP,
    STRIDE,
    TABLE,
    card_of,
    neighbour,
    neighbours,
    sides,
    spot_of,
)
from engine.kernel import kernel, records

SPAN = 21  # more closers than 20 count as 20
WORST = -1e9
LOW_FIRST, CROWDED = 0.0025, 0.05  # among equal placements the lowest cards, where most lies beside them
MOST_NODES = 200  # placements that a look through a turn's captures may try

# A table to plan on: what is laid and lifted here leaves the view alone.
MOST_LINKS = 22  # a hand has at most 20 cards

# A placement in a chain of captures that is being tried.
LINK = np.dtype(
    [
        ("hand", np.int64),  # set: the hand without the card
        ("at", np.int64),  # where the card goes
        ("card", np.int64),
        ("begun", np.int64),  # 1 once it lies on the table
        ("taken", np.int64),  # set: its captures
        ("lost", np.int64),  # set: what it cut off (cut_off at_once)
        ("now", np.int64),  # set: the cards exposed after it
        ("best", np.float64),  # the best that can follow, so far
        ("spot", np.int64),  # the open spot to try next
        ("there", np.int64),  # where the cards of ``cards`` go
        ("cards", np.int64),  # set: cards still to try there
    ]
)

PLAN = np.dtype(
    [
        ("table", TABLE),
        ("spots", SPOTS),
        ("was", np.int64, LYING),  # where a card lay that has been taken off
        ("nodes", np.int64),  # placements tried so far
        ("links", LINK, MOST_LINKS),  # the chain that is being tried
    ]
)


@kernel
def lead(rules, view):
    """By how much the own seat leads; with hand_penalty the other hand counts as so many average unseen cards."""
    me = view.seat
    points = worth(rules, view.table.captured[me]) - worth(rules, view.table.captured[me ^ 1])
    if rules.hand_penalty:
        points -= worth(rules, view.hand)
        points += worth(rules, view.unseen) * view.hand_count[me ^ 1] // max(count(view.unseen), 1)
    return points


@kernel
def wins_by_pass(rules, view, moves):
    """Does a pass, which is move 0 if it is legal, end the match with a win?"""
    return moves[0] == PASS and view.table.passes + 1 == rules.end_passes and lead(rules, view) > 0


@kernel
def may_rest(rules, view, moves):
    """May a seat pass without danger? It leads, and the other seat must play on or lose."""
    return moves[0] == PASS and view.table.passes + 1 < rules.end_passes and lead(rules, view) > 0


@kernel
def price(rules, view, card):
    """The worth of a card, or of the base as far as it is known."""
    if card == BASE:
        return worth(rules, view.unseen) / max(count(view.unseen), 1)
    if rules.points == FLAT:
        return 1.0
    if rank(card) == ACE:
        return 1.0 * rules.ace_points
    return 1.0 * rules.face_points if rank(card) >= JACK else rank(card) + 1.0


@kernel
def no_rates():
    """Of a bot that looks at points alone."""
    return np.empty(0)


@kernel
def chances(view):
    """Rates to begin with: how likely the other hand holds at least one of k unseen cards, for all the seat knows."""
    rates = np.empty(2 * SPAN)
    held = view.hand_count[view.seat ^ 1]
    left = count(view.unseen)
    none = 1.0
    for k in range(SPAN):
        rates[k] = 1.0 - none
        rates[SPAN + k] = 1.0 - none
        none *= (left - held) / left if left > held else 0.0
        left -= 1
    return rates


@kernel
def rate(view, hand, fits, rates):
    """What a point on a card with these closers is worth to the seat that leaves it with ``hand``."""
    k = min(count(view.unseen & fits), SPAN - 1)
    return rates[SPAN + k] if hand & fits else rates[k]


@kernel
def exposed(rules, table):
    """The set of cards (and BASE) that one more occupied side captures, and the set of those that two more do."""
    now, soon = EMPTY, EMPTY
    for card in range(LYING):
        missing = rules.capture_sides - sides(table.beside[card])
        now |= one(card) * (missing == 1)
        soon |= one(card) * (missing == 2)
    lying = table.face_up
    if rules.base_capturable and table.base_down:
        lying |= one(BASE)
    return now & lying, soon & lying


@kernel
def closers(state, card, without):
    """The cards that fit on a free side of a card on the table; the free side ``without`` (0: none) is left out."""
    at = state.table.at[card]
    beside = state.table.beside[card]
    if sides(beside) + (without != 0) == 3:
        # One side is left: all free ones together less the one left out.
        there = at
        for direction in range(4):
            there += STEP[direction] * (neighbour(beside, direction) == NO_CARD)
        if without != 0:
            there -= without - at
        return state.spots.fits[find(state.spots, there)]
    fits = EMPTY
    for direction in range(4):
        there = at + STEP[direction]
        if neighbour(beside, direction) == NO_CARD and there != without:
            fits |= state.spots.fits[find(state.spots, there)]
    return fits


@kernel
def standing(rules, view, state, hand, cards, rates):
    """What these exposed cards on the table of ``state`` are worth to the seat that leaves them with ``hand``."""
    value = 0.0
    while cards:
        card = lowest(cards)
        value += price(rules, view, card) * rate(view, hand, closers(state, card, 0), rates)
        cards = rest(cards)
    return value


@kernel
def closable(view, now):
    """Of exposed cards those that some card may still close, the only closers in hand, and where closers get fewer.

    A placement changes the closers only if its place in the list of open spots, modulo 52, is in the third set.
    """
    live, only, places = EMPTY, EMPTY, EMPTY
    while now:
        card = lowest(now)
        some = closers(view, card, 0) & (view.unseen | view.hand)
        if some:
            live |= one(card)
            only |= only_one(view.hand & some)
            for direction in range(4):
                if neighbour(view.table.beside[card], direction) == NO_CARD:
                    there = view.table.at[card] + STEP[direction]
                    for side in range(4):
                        places |= one(find(view.spots, there + STEP[side]) % 52)
        now = rest(now)
    return live, only, places


@kernel
def opened(rules, view, place, hand, soon, rates):
    """What the neighbours that a placement exposes are worth, as in ``standing``, and the only closers in ``hand``."""
    at = view.spots.at[place]
    value = 0.0
    only = EMPTY
    cards = neighbours(view.spots.beside[place]) & soon
    while cards:
        card = lowest(cards)
        fits = closers(view, card, at)
        value += price(rules, view, card) * rate(view, hand, fits, rates)
        only |= only_one(hand & fits)
        cards = rest(cards)
    return value, only


@kernel
def only_one(cards):
    """A set of one card, or nothing."""
    return cards if count(cards) == 1 else EMPTY


@kernel
def around(view, place):
    """The cards that fit beside an open spot, on its free sides: closers, if they match, of a card laid on it."""
    spots = view.spots
    fits = EMPTY
    for direction in range(4):
        if neighbour(spots.beside[place], direction) == NO_CARD:
            there = spots.at[place] + STEP[direction]
            beyond = find(spots, there)
            fits |= spots.fits[beyond] if is_open(spots, beyond, there) else ALL_CARDS
    return fits


@kernel
def narrowed(rules, view, place, card, hand, now, rates):
    """What a placement changes for the cards exposed before it, because fewer cards fit beside it then."""
    spots = view.spots
    value = 0.0
    while now:
        other = lowest(now)
        beside = view.table.beside[other]
        for direction in range(4):
            there = view.table.at[other] + STEP[direction]
            away = there - spots.at[place]
            if away in (1, -1, STRIDE, -STRIDE) and neighbour(beside, direction) == NO_CARD:
                before = spots.fits[find(spots, there)]
                after = before & MATCHING[rules.match_rule, card]
                if after != before:
                    others = closers(view, other, there)
                    change = rate(view, hand, others | after, rates) - rate(view, hand, others | before, rates)
                    value += price(rules, view, other) * change
        now = rest(now)
    return value


# ---------------------------------------------------------------- looking through the captures of a turn


@kernel
def best_capture(rules, view, moves, count, now):
    """The index of the placement that begins the captures worth most points; -1 if none captures."""
    choice = -1
    found = 0
    place = 0
    for i in range(count):
        if moves[i] <= STOP:
            continue
        while view.spots.at[place] < spot_of(moves[i]):
            place += 1
        if closes(rules, view.spots.beside[place], now):
            found += 1
            choice = i
    if found <= 1:
        return choice
    best = WORST
    place = 0
    for i in range(count):
        if moves[i] <= STOP:
            continue
        while view.spots.at[place] < spot_of(moves[i]):
            place += 1
        if closes(rules, view.spots.beside[place], now):
            value = capture(rules, view, moves[i], no_rates())
            if value > best:
                best = value
                choice = i
    return choice


@kernel
def capture(rules, view, move, rates):
    """The value of a placement that captures and the best going on (``rest_of_turn``)."""
    plans = new_plan(view)
    return rest_of_turn(rules, view, plans, view.hand & ~one(card_of(move)), spot_of(move), card_of(move), rates)


@kernel
def closes(rules, beside, now):
    """Does a placement on a spot with these neighbours capture, where the cards ``now`` are exposed?"""
    return neighbours(beside) & now != EMPTY or sides(beside) >= rules.capture_sides


@kernel
def new_plan(view):
    """The table of the view to plan on, as an array of one record."""
    plans = records(1, PLAN)
    plans[0].table = view.table
    copy_spots(view.spots, plans[0].spots)
    return plans


@kernel
def take_off(rules, plan, cards):
    """Cards leave the table of a plan, to be put back."""
    while cards:
        card = lowest(cards)
        plan.was[card] = plan.table.at[card]
        lift(rules, plan, card)
        cards = rest(cards)


@kernel
def put_back(rules, plan, cards):
    """The opposite of ``take_off``."""
    while cards:
        card = lowest(cards)
        lay(rules, plan, card, plan.was[card])
        cards = rest(cards)


@kernel
def rest_of_turn(rules, view, plans, hand, at, card, rates):
    """The best that a turn can bring from a capturing placement on: its points, and ``standing`` at its end.

    ``hand`` is without the card. All chains of captures are tried, each link from its frame in ``plan.links``: a
    kernel that called itself could not be loaded from the disk cache (Numba issue 9129).
    """
    plan = plans[0]
    begin_link(plan.links[0], hand, at, card)
    depth = 0
    while True:
        link = plan.links[depth]
        value = 0.0
        if link.begun or place_link(rules, plan, link):
            if next_link(rules, plan, link, plan.links[depth + 1]):
                depth += 1
                continue
            value = end_link(rules, view, plan, link, rates)
        depth -= 1
        if depth < 0:
            return value
        plan.links[depth].best = max(plan.links[depth].best, value)


@kernel
def begin_link(link, hand, at, card):
    """A placement that has not been made yet."""
    link.hand = hand
    link.at = at
    link.card = card
    link.begun = 0


@kernel
def place_link(rules, plan, link):
    """Make the placement of a link with its captures; False when too many have been tried."""
    plan.nodes += 1
    if plan.nodes > MOST_NODES:
        return False
    lay(rules, plan, link.card, link.at)
    beside = plan.table.beside[link.card]
    link.taken = enclosed(rules, plan.table, beside, 0)
    if sides(beside) >= rules.capture_sides:
        link.taken |= one(link.card)
    take_off(rules, plan, link.taken)
    link.lost = EMPTY
    if rules.cut_off == AT_ONCE:
        link.lost = plan.table.face_up & ~linked(plan)
        take_off(rules, plan, link.lost)
    link.now, _ = exposed(rules, plan.table)
    link.best = WORST
    link.begun = 1
    link.spot = 0
    link.cards = EMPTY
    return True


@kernel
def next_link(rules, plan, link, then):
    """The next placement that captures after this one: True with it in ``then``, or False if there is none left."""
    if rules.chain_rule == ONE_PLACEMENT:
        return False
    while not link.cards:
        if link.spot == plan.spots.count:
            return False
        cards = link.hand & plan.spots.fits[link.spot]
        if cards and closes(rules, plan.spots.beside[link.spot], link.now):
            link.cards = cards
            link.there = plan.spots.at[link.spot]
        link.spot += 1
    card = lowest(link.cards)
    link.cards = rest(link.cards)
    begin_link(then, link.hand & ~one(card), link.there, card)
    return True


@kernel
def end_link(rules, view, plan, link, rates):
    """The value of a placement when all that may follow has been tried; takes it back."""
    best = link.best
    if best == WORST or rules.chain_rule != FORCED:
        best = max(best, end_of_turn(rules, view, plan, link.hand, link.now, rates))
    put_back(rules, plan, link.lost)
    put_back(rules, plan, link.taken)
    lift(rules, plan, link.card)
    if has(link.taken, BASE):
        best += price(rules, view, BASE)
    return best + worth(rules, link.taken & ALL_CARDS)


@kernel
def end_of_turn(rules, view, state, hand, now, rates):
    """``standing`` when the turn ends on this table with the cards ``now`` exposed: those that are linked stay."""
    if len(rates) == 0:
        return 0.0
    staying = linked(state)
    value = 0.0
    cards = now & (staying | one(BASE))
    while cards:
        card = lowest(cards)
        fits = EMPTY
        for direction in range(4):
            if neighbour(state.table.beside[card], direction) == NO_CARD:
                beside = state.spots.beside[find(state.spots, state.table.at[card] + STEP[direction])]
                fits |= fitting_beside(rules, neighbours(beside) & staying)
        value += price(rules, view, card) * rate(view, hand, fits, rates)
        cards = rest(cards)
    return value


@kernel
def fitting_beside(rules, cards):
    """The cards that may lie beside all of a set."""
    fits = ALL_CARDS
    while cards:
        fits &= MATCHING[rules.match_rule, lowest(cards)]
        cards = rest(cards)
    return fits


# ---------------------------------------------------------------- weighing all moves of a turn


@kernel
def weigh(rules, view, moves, count, rates):
    """The index of the move with the most points now and the best ``standing`` after it."""
    now, soon = exposed(rules, view.table)
    full = standing(rules, view, view, view.hand, now, rates)
    live, live_only, narrowing = closable(view, now)
    choice = 0
    best = WORST
    if moves[0] == STOP:
        best = end_of_turn(rules, view, view, view.hand, now, rates)
    elif may_rest(rules, view, moves):
        best = full
    place = -1
    spot = 0
    beside = 0
    opened_value = 0.0
    opened_only = EMPTY
    own_fits = EMPTY
    closing = False
    for i in range(count):
        if moves[i] <= STOP:
            continue
        if spot_of(moves[i]) != spot:
            spot = spot_of(moves[i])
            place += 1
            while view.spots.at[place] < spot:
                place += 1
            beside = view.spots.beside[place]
            closing = closes(rules, beside, now)
            if not closing:
                opened_value, opened_only = opened(rules, view, place, view.hand, soon, rates)
                own_fits = around(view, place) if sides(beside) == rules.capture_sides - 1 else EMPTY
        card = card_of(moves[i])
        hand = view.hand & ~one(card)
        if closing:
            value = capture(rules, view, moves[i], rates)
        else:
            value = CROWDED * sides(beside) - LOW_FIRST * card
            value += standing(rules, view, view, hand, live, rates) if has(live_only, card) else full
            value += opened(rules, view, place, hand, soon, rates)[0] if has(opened_only, card) else opened_value
            if own_fits:
                fits = own_fits & MATCHING[rules.match_rule, card]
                value += price(rules, view, card) * rate(view, hand, fits, rates)
            if has(narrowing, place % 52):
                value += narrowed(rules, view, place, card, hand, live, rates)
        if value > best:
            best = value
            choice = i
    return choice
