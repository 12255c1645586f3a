"""Weighing every move of a turn: the points it brings, and what it leaves on the table for either seat.

Most placements are *quiet*: they capture nothing and expose nothing. One look at each open spot finds the best of
those, and sorts out the few that must be weighed one by one.
"""

from __future__ import annotations

from bots.jericho.planning import best_capture, best_in_chain
from bots.jericho.sight import (
    SPAN,
    WORST,
    around,
    closers,
    index_of,
    may_rest,
    narrowed,
    narrowing,
    opened,
    points_of,
    price,
    rate,
    standing,
)
from engine.cards import ALL_CARDS, EMPTY, count, has, lowest, one, rest
from engine.games.jericho.rules import lacking_one_or_two
from engine.games.jericho.spots import find
from engine.games.jericho.state import BASE, MATCHING, PASS, entry_slot, placement
from engine.kernel import kernel

SIDES_FIRST = 20  # among quiet placements: the most sides beside, less the number of the card
TIE = 0.0025  # what one of these is worth in points
TIES = 60 * TIE  # differences up to here only decide between equals
KEPT = 52  # so much is taken from the number of a card that had better be kept
BLOCK = 52  # slots in one set
ANY = 52  # any number of cards
NO_PLACE = -(1 << 60)  # below the rank of every quiet placement
RANKED = 1 << 37  # more than any spot


@kernel
def survey(rules, view, now, soon, worthy, keepers, sides_first, start):
    """A look at the open spots in the slots from ``start`` to ``start + BLOCK``, without weighing anything.

    Returns three sets of slots, counted from ``start`` on: where a hand card captures, where it captures nothing but
    exposes a card, and those of the latter where it exposes itself or one of ``worthy``; then the best quiet placement
    as a number: RANKED * (``sides_first`` * sides beside - lowest card that fits) - spot, or NO_PLACE; cards of
    ``keepers`` are laid last.
    Written without branches, so that the compiler can look at several spots at once.
    """
    spots = view.spots
    hand = view.hand
    last = rules.capture_sides - 1
    capturing, opening, promising = EMPTY, EMPTY, EMPTY
    best = NO_PLACE
    for slot in range(start, min(start + BLOCK, spots.used)):
        near = spots.near[slot]
        playable = hand & spots.fits[slot]
        sides = count(near)
        here = one(slot - start) if playable != EMPTY else EMPTY
        hit = (near & now) | (near if sides > last else EMPTY)
        itself = near if sides == last else EMPTY
        opens = (near & soon) | itself
        promises = (near & worthy) | itself
        harmless = here if hit == EMPTY else EMPTY
        capturing |= here if hit != EMPTY else EMPTY
        opening |= harmless if opens != EMPTY else EMPTY
        promising |= harmless if promises != EMPTY else EMPTY
        spare = playable & ~keepers
        spare, kept = (spare, 0) if spare != EMPTY else (playable, KEPT)
        low = count((spare & -spare) - 1) + kept  # ``lowest``, where there is one
        rank = RANKED * (sides_first * sides - low) - spots.at[slot]
        rank = rank if playable != EMPTY else NO_PLACE
        rank = rank if (hit | opens) == EMPTY else NO_PLACE
        best = max(best, rank)
    return capturing, opening, promising, best


@kernel
def quiet_move(view, keepers, ranked):
    """The placement that ``survey`` found: the lowest card that fits on its spot."""
    at = -ranked & (RANKED - 1)
    slot = entry_slot(view.spots.order[find(view.spots, at)])
    cards = view.spots.fits[slot] & view.hand
    return placement(at, lowest(cards & ~keepers if cards & ~keepers else cards))


@kernel
def quiet_key(ranked):
    """``sides_first`` * sides beside - card of the placement that ``survey`` found."""
    return -(-ranked // RANKED)


@kernel
def weigh(rules, view, moves, size, all_rates):
    """The index of the move with the most points now and the best ``standing`` after it; ``all_rates`` holds one.

    A capture that can be made is made: what the seat leaves, the other one may take.
    """
    now, soon = lacking_one_or_two(rules, view.table)
    if view.table.chain:
        return best_in_chain(rules, view, moves, size, now, all_rates)
    rates = all_rates[0]
    full = standing(rules, view, view.hand, now, rates)
    best = WORST
    choice = PASS
    top, most = outlook(rates)
    worthy = worth_exposing(view, most) & soon
    keepers = worth_keeping(view, soon, rates.keepers) if rates.keepers > 0 else EMPTY
    for start in range(0, view.spots.used, BLOCK):
        capturing, opening, promising, ranked = survey(rules, view, now, soon, worthy, keepers, SIDES_FIRST, start)
        if capturing:
            return best_capture(rules, view, moves, size, now, all_rates)
        if ranked != NO_PLACE and full + TIE * quiet_key(ranked) > best:
            best = full + TIE * quiet_key(ranked)
            choice = quiet_move(view, keepers, ranked)
        slots = opening if best == WORST else promising
        move, value = best_opening(rules, view, start, slots, now, soon, worthy, full, best, top, rates)
        if value > best:
            best, choice = value, move
    if best < full and may_rest(rules, view, moves):
        choice = PASS
    return index_of(moves, size, choice) if len(all_rates) else 0  # the array must outlive its record


@kernel
def best_opening(rules, view, start, slots, now, soon, worthy, full, best, top, rates):
    """The best placement that exposes a card, or lessens what fits beside one exposed before, if above ``best``.

    ``slots``: the slots from ``start`` on of the former. No card in hand closes a card of ``now``.
    """
    spots = view.spots
    choice = PASS
    last = rules.capture_sides - 1
    live = closable(view, now)
    narrow = narrowing(view, live, start, start + BLOCK)
    slots |= narrow
    while slots:
        slot = start + lowest(slots)
        slots = rest(slots)
        at = spots.at[slot]
        near = spots.near[slot]
        cards = view.hand & spots.fits[slot]
        own = count(near) == last
        narrows = has(narrow, slot - start)
        if not narrows and full + most_there(rules, view, near, own, cards, worthy, top) <= best:
            continue
        opened_value, opened_only = opened(rules, view, slot, view.hand, soon, rates)
        closing = around(view, slot, at) if own else EMPTY
        while cards:
            card = lowest(cards)
            cards = rest(cards)
            hand = view.hand & ~one(card)
            value = full + TIE * (SIDES_FIRST * count(near) - card)
            value += opened(rules, view, slot, hand, soon, rates)[0] if has(opened_only, card) else opened_value
            if own:
                fits = closing & MATCHING[rules.match_rule, card]
                value += price(rules, view, card) * rate(view, hand, fits, rates)
            if narrows:
                value += narrowed(rules, view, at, card, hand, live, rates)
            if value > best:
                best = value
                choice = placement(at, card)
    return choice, best if choice != PASS else WORST


@kernel
def closable(view, exposed):
    """Of exposed cards those that an unseen card closes."""
    live = EMPTY
    while exposed:
        card = lowest(exposed)
        live |= one(card) * (closers(view, card, -1) & view.unseen != EMPTY)
        exposed = rest(exposed)
    return live


@kernel
def most_there(rules, view, near, own, cards, worthy, top):
    """The most that one of ``cards`` can be worth between ``near``, over what is exposed before.

    It must promise more than TIES to be of interest.
    """
    points = points_of(rules, view, near & worthy)
    if own:
        points += max(10, max(rules.ace_points, rules.face_points))
    return TIE * (SIDES_FIRST * count(near) - lowest(cards)) + top * points - TIES


@kernel
def worth_exposing(view, most):
    """The set of cards beside a spot that could, as the last side of an exposed card, make that card worth something.

    ``most``: unseen closers where a point still is, as in ``outlook``. More free sides let only more cards fit.
    """
    if most > ANY:
        return ALL_CARDS | one(BASE)
    spots = view.spots
    found = EMPTY
    for slot in range(spots.used):
        near = spots.near[slot] if count(view.unseen & spots.fits[slot]) <= most else EMPTY
        found |= near if view.hand & spots.fits[slot] != EMPTY else EMPTY
    return found


@kernel
def worth_keeping(view, soon, most):
    """The cards in hand that fit on a spot beside a card of ``soon`` where fewer than ``most`` unseen ones do."""
    spots = view.spots
    found = EMPTY
    for slot in range(spots.used):
        few = spots.near[slot] & soon != EMPTY and count(view.unseen & spots.fits[slot]) < most
        found |= view.hand & spots.fits[slot] if few else EMPTY
    return found


@kernel
def outlook(rates):
    """The most that a point on an exposed card can be worth, and with how many unseen closers it is worth something.

    The latter is ANY for all numbers, and more if a point is worth something even without a closer in hand.
    """
    top = 0.0
    most = -1
    for k in range(SPAN):
        top = max(top, max(rates.without[k], rates.holding[k]))
        most = k if rates.holding[k] > 0.0 else most
    if rates.holding[SPAN - 1] > 0.0:
        most = ANY
    for k in range(SPAN):
        most = ANY + 1 if rates.without[k] > 0.0 else most
    return top, most
