"""What the simple bots of Jack and Jill share: the cheapest attack, and small steps towards the next monster.

``choose`` scores every legal move by what it spends: an attack by its overshoot, its Aim and its Jokers; a Move by its
card and by how far the pawn then is from the next monster of its colour; a Rest by its card.
"""

from __future__ import annotations

from engine.cards import EMPTY, has, lowest, one, rest
from engine.games.jack_and_jill.hill import (
    black_spots,
    due_of,
    need_of,
    red_spots,
    shorter_way,
    sum_of,
    undefeated,
)
from engine.games.jack_and_jill.state import (
    JACK,
    JILL,
    MELEE,
    MOVE_JACK,
    MOVE_JILL,
    OF_SUIT,
    PASS,
    RANGED,
    REST,
    SUITS,
    aim_of,
    attack_of,
    card_of,
    cards_of,
    jokers_of,
    kind_of,
    spot_of,
    to_of,
    value,
)
from engine.kernel import kernel

ATTACK = 1000.0  # an attack that is wanted goes before everything else
NEVER = -1000.0
STEP = 2.0  # what a step nearer is worth, in points of cards


@kernel
def choose(view, rules, moves, count, most_over, joker_price, keep):
    """The place of the best move. Attacks may overshoot by ``most_over``; ``keep`` is the worth of a card kept back.

    A card is kept back if it is a 9 or 10 that some King still to be beaten can be attacked with.
    """
    table = view.table
    up = undefeated(table)
    due = due_of(rules, table, up)
    hand = view.hand[view.seat]
    kept = kept_back(table, up, hand) if keep > 0.0 else EMPTY
    best = 0
    best_worth = 2.0 * NEVER
    for i in range(count):
        worth = worth_of(view, rules, moves[i], hand, due, kept, most_over, joker_price, keep)
        if worth > best_worth:
            best, best_worth = i, worth
    return best


@kernel
def worth_of(view, rules, move, hand, due, kept, most_over, joker_price, keep):
    """See :func:`choose`."""
    table = view.table
    kind = kind_of(move)
    if kind == MELEE or kind == RANGED:
        attack = cards_of(hand, attack_of(move))
        aim = cards_of(hand, aim_of(move))
        over = sum_of(attack) - need_of(rules, table, spot_of(move))
        if over > most_over:
            return NEVER
        return ATTACK - over - sum_of(aim) - joker_price * jokers_of(move)
    black = due & black_spots(table)
    red = due & red_spots(table)
    if kind == MOVE_JACK or kind == MOVE_JILL or kind == REST:
        card = card_of(move)
        spent = value(card) + (keep if has(kept, card) else 0.0)
        if kind == MOVE_JACK:
            return -spent - STEP * nearest(to_of(move), black, 0) - STEP * nearest(table.pawn[JILL], red, 3)
        if kind == MOVE_JILL:
            return -spent - STEP * nearest(table.pawn[JACK], black, 0) - STEP * nearest(to_of(move), red, 3)
        standing = STEP * (nearest(table.pawn[JACK], black, 0) + nearest(table.pawn[JILL], red, 3))
        return -spent - standing - 1.0
    if kind == PASS:
        # Passing is free while the own character has nothing to do and nobody stalls the match to its end.
        mine = black if view.seat == JACK else red
        return -1.0 if mine == EMPTY and table.stall + 2 < rules.stall_limit else NEVER / 2.0
    return NEVER  # Trades


@kernel
def nearest(spot, targets, there):
    """Steps to the nearest of some spots; ``there`` if the pawn stands on it, 0 if there is none."""
    best = 99
    while targets:
        way = shorter_way(spot, lowest(targets))
        best = min(best, way if way > 0 else there)
        targets = rest(targets)
    return best if best < 99 else 0


@kernel
def kept_back(table, up, hand):
    """The 9s and 10s of a hand that some undefeated King can be attacked with: of another suit than his."""
    kept = EMPTY
    kings = up & table.rank_spots[2]
    for suit in range(SUITS):
        if kings & table.suit_spots[suit]:
            kept |= hand & ~OF_SUIT[suit]
    cards = kept
    while cards:
        card = lowest(cards)
        cards = rest(cards)
        if value(card) < 9:
            kept &= ~one(card)
    return kept


@kernel
def slack(view, rules):
    """What the cards that are left (hands and Well) are worth beyond the Defenses."""
    table = view.table
    left = view.unseen | view.hand[0] | view.hand[1]
    up = undefeated(table)
    need = 0
    while up:
        need += need_of(rules, table, lowest(up))
        up = rest(up)
    return sum_of(left) - need
