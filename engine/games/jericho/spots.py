"""Jericho: the open spots, and how cards that come to lie on them and leave again open and close them (section b).

``lay`` and ``lift`` keep all that is known of a spot up to date, so that nobody has to search for open spots.
"""

from __future__ import annotations

from engine.cards import ALL_CARDS, EMPTY, count, lowest, one, rest
from engine.games.jericho.state import (
    BASE,
    CENTRE,
    DOWN,
    FEW_SPOTS,
    LEFT,
    MANY_SPOTS,
    MATCHING,
    RIGHT,
    SIDE,
    SLOT,
    STEP,
    STRIDE,
    UP,
    entry_at,
    entry_slot,
    link,
    node,
)
from engine.kernel import inlined, kernel


@kernel
def is_central(at):
    """Is it the centre, or a spot beside it? Empty ones are always open (section b, Open spot)."""
    away = at - CENTRE
    return away in (0, 1, -1, STRIDE, -STRIDE)


@kernel
def find(spots, at):
    """How many open spots come before ``at``: its place in the order if it is open, else where it belongs."""
    first = at << 8
    after = 0
    # What stands beyond the count comes before every spot. A fixed number of steps suits the processor's vectors.
    for i in range(FEW_SPOTS):
        after += spots.order[i] >= first
    if spots.count > FEW_SPOTS:
        for i in range(FEW_SPOTS, MANY_SPOTS):
            after += spots.order[i] >= first
        for i in range(MANY_SPOTS, spots.count):
            after += spots.order[i] >= first
    return spots.count - after


@kernel
def find_row(spots, at):
    """``find`` for the spot to the left of ``at``, for ``at``, and for the spot to the right of it, in one look."""
    first, middle, last = (at - STRIDE) << 8, at << 8, (at + STRIDE) << 8
    left, here, right = 0, 0, 0
    for i in range(FEW_SPOTS):
        left += spots.order[i] >= first
        here += spots.order[i] >= middle
        right += spots.order[i] >= last
    for i in range(FEW_SPOTS, spots.count):
        left += spots.order[i] >= first
        here += spots.order[i] >= middle
        right += spots.order[i] >= last
    return spots.count - left, spots.count - here, spots.count - right


@kernel
def is_open(spots, place, at):
    """Is ``at``, which ``find`` puts at ``place``, an open spot?"""
    return entry_at(spots.order[place]) == at


@kernel
def fitting(rules, near):
    """The set of cards that match each neighbour of a spot, one by one (section b, Fits)."""
    cards = ALL_CARDS
    while near:
        cards &= MATCHING[rules.match_rule, lowest(near)]
        near = rest(near)
    return cards


# ---------------------------------------------------------------- cards come and go


@kernel
def lay(rules, state, card, at):
    """A card (or BASE) comes to lie at ``at``: the open spot there is closed, spots beside it open or get narrower."""
    table = state.table
    spots = state.spots
    left, here, right = find_row(spots, at)
    if not is_open(spots, here, at):  # only where a position is being read
        open_spot(spots, here, spots.count, at)
        right += 1
    slot = entry_slot(spots.order[here])
    beside = spots.beside[slot]
    if card == BASE:
        table.base_down = 1
    else:
        table.face_up |= one(card)
    table.at[card] = at
    table.beside[card] = beside + SIDE * count(spots.near[slot])
    # In this order the places found before stay right: the spots above and below stand next to this one.
    up = here + 1
    down = here - 1 if here > 0 and is_open(spots, here - 1, at - 1) else here
    meet(rules, state, card, slot, RIGHT, here, right)
    meet(rules, state, card, slot, UP, here, up if spots.order[here] >> 8 == at else here)
    meet(rules, state, card, slot, DOWN, here, down)
    if is_open(spots, here, at):
        close_spot(spots, here)
    meet(rules, state, card, slot, LEFT, spots.count, left)


@inlined
def meet(rules, state, card, slot, direction, here, place):
    """A card that has come to lie and what is beside it in a direction, where an open spot has this ``place``.

    A new open spot takes over the entry ``here`` and the ``slot`` of the spot under the card, if they are still there.
    """
    table = state.table
    spots = state.spots
    back = direction ^ 2
    other = node(table.beside[card], direction)
    if other:
        table.beside[other - 1] += SIDE + link(back, card + 1) - link(back, SLOT + slot)
        return
    at = table.at[card]
    there = at + STEP[direction]
    if not is_open(spots, place, there):
        free = here if is_open(spots, here, at) else spots.count
        place = open_spot(spots, place, free, there)
    found = entry_slot(spots.order[place])
    table.beside[card] += link(direction, SLOT + found)
    spots.beside[found] += link(back, card + 1)
    spots.near[found] |= one(card)
    spots.fits[found] &= MATCHING[rules.match_rule, card]


@kernel
def lift(rules, state, card):
    """A card (or BASE) leaves the table; the opposite of ``lay``."""
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
    here = open_spot(spots, find(spots, at), spots.count, at)
    slot = entry_slot(spots.order[here])
    for direction in range(4):
        part(rules, state, card, node(beside, direction), slot, direction, at + STEP[direction])
    if spots.near[slot]:
        spots.fits[slot] = fitting(rules, spots.near[slot])
    elif not is_central(at):
        close_spot(spots, find(spots, at))


@kernel
def part(rules, state, card, other, slot, direction, there):
    """A card that has left for an open spot with a ``slot``, and the ``other`` node beside it in a direction."""
    spots = state.spots
    back = direction ^ 2
    if other < SLOT:
        state.table.beside[other - 1] += link(back, SLOT + slot) - link(back, card + 1) - SIDE
        spots.beside[slot] += link(direction, other)
        spots.near[slot] |= one(other - 1)
        return
    found = other - SLOT
    spots.beside[found] -= link(back, card + 1)
    spots.near[found] &= ~one(card)
    if spots.near[found] or is_central(there):
        spots.fits[found] = fitting(rules, spots.near[found])
    else:
        close_spot(spots, find(spots, there))


# ---------------------------------------------------------------- the list of open spots


@kernel
def open_spot(spots, place, free, at):
    """A spot that nothing lies beside opens where ``find`` puts it; returns its place.

    It uses up the entry ``free``, or a new one if that is the count.
    """
    order = spots.order
    if free == spots.count:
        if spots.count == spots.used:
            order[free] = free
            spots.used += 1
        spots.count += 1
    slot = entry_slot(order[free])
    while free > place:
        order[free] = order[free - 1]
        free -= 1
    while free < place - 1:
        order[free] = order[free + 1]
        free += 1
    order[free] = at << 8 | slot
    spots.at[slot] = at
    spots.beside[slot] = 0
    spots.near[slot] = EMPTY
    spots.fits[slot] = ALL_CARDS
    return free


@kernel
def close_spot(spots, place):
    """An open spot is none any more; its slot is free."""
    order = spots.order
    slot = entry_slot(order[place])
    spots.at[slot] = 0
    spots.near[slot] = EMPTY
    spots.fits[slot] = EMPTY
    spots.count -= 1
    while place < spots.count:
        order[place] = order[place + 1]
        place += 1
    order[place] = slot


@kernel
def copy_spots(source, target):
    """Open spots become equal to others; what was never used is 0 in both."""
    forget_spots(target, source.used)
    for i in range(source.used):
        target.order[i] = source.order[i]
        target.at[i] = source.at[i]
        target.beside[i] = source.beside[i]
        target.near[i] = source.near[i]
        target.fits[i] = source.fits[i]
    target.count = source.count
    target.used = source.used


@kernel
def forget_spots(spots, first):
    """All slots from ``first`` on are as if they had never been used."""
    for i in range(first, spots.used):
        spots.order[i] = 0
        spots.at[i] = 0
        spots.beside[i] = 0
        spots.near[i] = EMPTY
        spots.fits[i] = EMPTY
