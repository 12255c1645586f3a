"""Looking through the captures of a turn, on a table of the bot's own."""

from __future__ import annotations

import numpy as np

from bots.jericho.sight import RATES, WORST, index_of, price, rate
from engine.cards import ALL_CARDS, EMPTY, has, lowest, one, rest
from engine.games.jericho.rules import captures, lacking, linked, surrounded, worth
from engine.games.jericho.spots import copy_spots, fitting, lay, lift
from engine.games.jericho.state import (
    AT_ONCE,
    BASE,
    FORCED,
    LYING,
    ONE_PLACEMENT,
    SLOT,
    SPOTS,
    STOP,
    TABLE,
    card_of,
    entry_at,
    entry_slot,
    node,
    placement,
    spot_of,
)
from engine.kernel import kernel, records

MOST_DEPTH = 8  # captures in one turn that are planned
MOST_NODES = 600  # placements that are tried, divided among the legal moves

# A capture that is being planned: its placement, and how far the captures after it have been tried.
FRAME = np.dtype(
    [
        ("card", np.int64),
        ("hand", np.int64),  # set: the hand without it
        ("taken", np.int64),  # set: what it captures, BASE included
        ("lost", np.int64),  # set: what is cut off at once
        ("points", np.float64),  # of all captures so far
        ("now", np.int64),  # set: the cards exposed after it
        ("place", np.int64),  # the open spot that is tried next,
        ("left", np.int64),  # set: the cards still to be tried there
        ("went_on", np.int64),  # 1 once a capture after it has been found
    ]
)

# A table to plan on: what is laid and lifted here leaves the view alone.
PLAN = np.dtype(
    [
        ("table", TABLE),
        ("spots", SPOTS),
        ("was", np.int64, LYING),  # where a card lay that has been taken off
        ("frames", FRAME, MOST_DEPTH),
    ]
)


@kernel
def best_capture(rules, view, moves, count, now, all_rates):
    """The index of the placement that begins the best captures; -1 if none captures. ``all_rates`` holds one RATES."""
    spots = view.spots
    found = EMPTY
    different = 0
    at = 0
    for i in range(spots.count):
        slot = entry_slot(spots.order[i])
        playable = view.hand & spots.fits[slot]
        if playable and captures(rules, spots.near[slot], now):
            different += 1 if rest(playable) == EMPTY else 2
            found = playable
            at = entry_at(spots.order[i])
    if different <= 1:
        return index_of(moves, count, placement(at, lowest(found))) if different else -1
    return index_of(moves, count, best_of_captures(rules, view, count, now, all_rates)[0])


@kernel
def best_in_chain(rules, view, moves, count, now, all_rates):
    """The index of the best capture to go on with, or of ``stop`` if that is better."""
    move, value = best_of_captures(rules, view, count, now, all_rates)
    if moves[0] == STOP and value < end_of_turn(rules, view, view, view.hand, now, all_rates[0]):
        return 0
    return index_of(moves, count, move) if len(all_rates) else 0  # the array must outlive its record


@kernel
def best_of_captures(rules, view, count, now, all_rates):
    """The placement that begins the best captures, and what they bring with ``end_of_turn``."""
    spots = view.spots
    best = WORST
    choice = 0
    plans = new_plan(view)
    for i in range(spots.count):
        slot = entry_slot(spots.order[i])
        if captures(rules, spots.near[slot], now):
            cards = view.hand & spots.fits[slot]
            while cards:
                move = placement(entry_at(spots.order[i]), lowest(cards))
                cards = rest(cards)
                value = plan_turn(rules, view, plans[0], move, nodes_each(count), all_rates[0])
                if value > best:
                    best = value
                    choice = move
    return choice, best if len(plans) and len(all_rates) else WORST  # the arrays must outlive their records


@kernel
def points_only():
    """The RATES of a bot that does not look beyond its turn, as an array of one."""
    rates = records(1, RATES)
    ignore_exposed(rates)
    return rates


@kernel
def ignore_exposed(all_rates):
    """Exposed cards are of no interest."""
    all_rates[0].only_points = 1


@kernel
def new_plan(view):
    """One PLAN on the table of a view, as an array."""
    plans = records(1, PLAN)
    copy_table(view, plans)
    return plans


@kernel
def copy_table(view, plans):
    """A plan begins with what lies on the table."""
    plans[0].table = view.table
    copy_spots(view.spots, plans[0].spots)


@kernel
def nodes_each(count):
    """How many placements may be tried for each of so many moves."""
    return max(MOST_NODES // count, 1)


@kernel
def plan_turn(rules, view, plan, move, nodes, rates):
    """The most that a turn can bring from a placement that captures on; the table of ``plan`` is as before afterwards.

    Points and ``end_of_turn`` after the best captures that begin with a placement, as far as ``nodes`` suffice."""
    frames = plan.frames
    enter(rules, view, plan, frames[0], spot_of(move), card_of(move), view.hand, 0.0)
    best = WORST
    depth = 0
    while depth >= 0:
        frame = frames[depth]
        if nodes > 1 and depth + 1 < MOST_DEPTH and rules.chain_rule != ONE_PLACEMENT and go_on(rules, plan, frame):
            nodes -= 1
            card = lowest(frame.left)
            frame.left = rest(frame.left)
            depth += 1
            at = entry_at(plan.spots.order[frame.place])
            enter(rules, view, plan, frames[depth], at, card, frame.hand, frame.points)
        else:
            if not frame.went_on or rules.chain_rule != FORCED:
                best = max(best, frame.points + end_of_turn(rules, view, plan, frame.hand, frame.now, rates))
            leave(rules, plan, frame)
            depth -= 1
    return best


@kernel
def enter(rules, view, plan, frame, at, card, hand, points):
    """Lay a card that captures."""
    lay(rules, plan, card, at)
    taken = surrounded(rules, plan.table, card)
    take_off(rules, plan, taken)
    lost = EMPTY
    if rules.cut_off == AT_ONCE:
        lost = plan.table.face_up & ~linked(plan)
        take_off(rules, plan, lost)
    frame.card = card
    frame.hand = hand & ~one(card)
    frame.taken = taken
    frame.lost = lost
    frame.points = points + worth(rules, taken & ALL_CARDS)
    if has(taken, BASE):
        frame.points += price(rules, view, BASE)
    frame.now = lacking(rules, plan.table, 1)
    frame.place = -1
    frame.left = EMPTY
    frame.went_on = 0


@kernel
def leave(rules, plan, frame):
    """The opposite of ``enter``."""
    put_back(rules, plan, frame.lost)
    put_back(rules, plan, frame.taken)
    lift(rules, plan, frame.card)


@kernel
def go_on(rules, plan, frame):
    """Move to the next capture that can follow; False if there is none any more."""
    while not frame.left:
        frame.place += 1
        if frame.place == plan.spots.count:
            return False
        slot = entry_slot(plan.spots.order[frame.place])
        if captures(rules, plan.spots.near[slot], frame.now):
            frame.left = frame.hand & plan.spots.fits[slot]
    frame.went_on = 1
    return True


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
def end_of_turn(rules, view, state, hand, now, rates):
    """``standing`` when the turn ends on this table with the cards ``now`` exposed: those that are linked stay."""
    if rates.only_points:
        return 0.0
    staying = linked(state)
    value = 0.0
    cards = now & (staying | one(BASE))
    while cards:
        card = lowest(cards)
        fits = EMPTY
        for direction in range(4):
            beyond = node(state.table.beside[card], direction)
            if beyond >= SLOT:
                fits |= fitting(rules, state.spots.near[beyond - SLOT] & staying)
        value += price(rules, view, card) * rate(view, hand, fits, rates)
        cards = rest(cards)
    return value
