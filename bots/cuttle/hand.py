"""What several bots for Cuttle ask of a view: points and goals, what a move gains, what a Two may answer.

``side`` is the seat whose move is judged; it need not be the seat that decides. Rule sections are those of
``docs/rules/cuttle.md``.
"""

from __future__ import annotations

from engine.cards import (
    ACE,
    EMPTY,
    JACK,
    KING,
    NO_CARD,
    SIX,
    count,
    has,
    lower,
    lowest,
    one,
    rank,
    rest,
    suit,
)
from engine.games.cuttle.rules import goal_of, score_of
from engine.games.cuttle.state import (
    FROM_SEVEN,
    JACK_ON,
    NUMBER_CARDS,
    ONEOFF,
    POINTS,
    QUEENS,
    ROYAL,
    SCUTTLE,
    SEVEN_SCRAP,
    TWOS,
    card_of,
    kind_of,
    target_of,
    third_of,
)
from engine.kernel import kernel

WORST = -(1 << 40)  # below every score of a move


@kernel
def worth(card):
    """The points of a number card."""
    return rank(card) + 1


@kernel
def play_of(move):
    """The kind of a move, a revealed card's play as the same play from hand."""
    kind = kind_of(move)
    return kind - FROM_SEVEN if FROM_SEVEN <= kind < SEVEN_SCRAP else kind


@kernel
def missing(view, rules, side):
    """The points that a side still needs."""
    return goal_of(rules, view.table.royals[side]) - score_of(view.table.points[side])


@kernel
def stolen_oddly(view):
    """The point cards under an odd number of Jacks: a Six makes them change sides."""
    odd = EMPTY
    left = view.table.jacks
    while left:
        odd ^= one(view.table.jack_on[suit(lowest(left))])
        left = rest(left)
    return odd


@kernel
def gain(view, rules, side, kind, card, target):
    """By how many points the play, carried out, brings ``side`` nearer to its goal; a Six by losing no King."""
    if kind == POINTS:
        return worth(card)
    if kind == JACK_ON:
        return worth(target)
    royals = view.table.royals[side]
    if kind == ROYAL:
        return goal_of(rules, royals) - goal_of(rules, royals | one(card)) if rank(card) == KING else 0
    if kind != ONEOFF:
        return 0
    if target != NO_CARD:
        return worth(view.table.jack_on[suit(target)]) if rank(target) == JACK else 0
    points = view.table.points[side]
    if rank(card) == ACE:
        return -score_of(points)
    if rank(card) == SIX:
        after = points ^ stolen_oddly(view)
        return goal_of(rules, royals) - rules.goal + score_of(after) - score_of(points)
    return 0


@kernel
def setback(view, rules, side, kind, card, target):
    """By how many points the play of ``side``, carried out, takes the other side away from its goal."""
    if kind in (SCUTTLE, JACK_ON):
        return worth(target)
    if kind != ONEOFF:
        return 0
    points = view.table.points[side ^ 1]
    royals = view.table.royals[side ^ 1]
    if target != NO_CARD:
        if rank(target) == JACK:
            return worth(view.table.jack_on[suit(target)])
        if rank(target) == KING:
            return goal_of(rules, royals & ~one(target)) - goal_of(rules, royals)
        return worth(target) if has(points, target) else 0
    if rank(card) == ACE:
        return score_of(points)
    if rank(card) == SIX:
        after = points ^ stolen_oddly(view)
        return rules.goal - goal_of(rules, royals) + score_of(points) - score_of(after)
    return 0


@kernel
def counter_odds(view, rules, seat):
    """How likely ``seat`` can counter, in per cent, as the viewing seat sees it (the other seat's one-off or Two)."""
    if not rules.twos_counter or (rules.queen_stops_counter and view.table.royals[seat ^ 1] & QUEENS):
        return 0
    frozen = EMPTY if rules.frozen_can_counter else view.table.frozen[seat]
    if view.hand[seat] & TWOS & ~frozen:
        return 100
    hidden = view.hand_count[seat] - count(view.hand[seat])
    if hidden == 0:
        return 0
    return min(100 * hidden * count(view.unseen & TWOS) // max(count(view.unseen), 1), 100)


@kernel
def at_least(points):
    """The set of number cards that are worth at least ``points``."""
    if points <= 1:
        return NUMBER_CARDS
    return EMPTY if points > 10 else NUMBER_CARDS & ~lower(4 * (points - 1))


@kernel
def hidden_odds(view, seat):
    """How likely a card of ``view.unseen`` is in the hand of ``seat``, in per cent."""
    return 100 * (view.hand_count[seat] - count(view.hand[seat])) // max(count(view.unseen), 1)


@kernel
def holding_odds(view, seat, cards):
    """How likely ``seat`` holds one of ``cards``, in per cent (the sum over the cards, at most 100)."""
    if view.hand[seat] & cards:
        return 100
    return min(100, hidden_odds(view, seat) * count(view.unseen & cards))


@kernel
def scuttlers(card):
    """The cards that may scuttle a point card (ties as by suit)."""
    return NUMBER_CARDS & ~lower(card + 1)


@kernel
def swing(view, rules, side, card, target):
    """By how many points a one-off of ``side``, carried out, shifts the race in its favour."""
    return gain(view, rules, side, ONEOFF, card, target) + setback(view, rules, side, ONEOFF, card, target)


@kernel
def pending_swing(view, rules):
    """The same of the one-off that waits to resolve."""
    return swing(view, rules, view.table.turn, view.table.card, view.table.target)


@kernel
def would_win(view, rules):
    """Would the pending one-off win at once for the seat on turn?"""
    side = view.table.turn
    return gain(view, rules, side, ONEOFF, view.table.card, view.table.target) >= missing(view, rules, side)


@kernel
def kept(keep, move):
    """The sum of ``keep`` (a value by rank) over the cards that a move picks or drops."""
    total = keep[rank(card_of(move))]
    if target_of(move) != NO_CARD:
        total += keep[rank(target_of(move))]
    return total + keep[rank(third_of(move))] if third_of(move) != NO_CARD else total
