"""How abilities are commonly used: several bots for Queen of the Hill share these habits.

Each of them looks at the legal moves of one kind of decision and returns the place of one of them.
"""

from __future__ import annotations

from bots.queen_of_the_hill.sense import (
    estimate,
    find,
    is_match_point,
    shown_total,
    unseen_points,
)
from engine.contract import NOBODY
from engine.games.queen_of_the_hill.bags import copies_in, word_of
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    BONUS,
    CANCEL,
    DARK,
    DISCARD_BATTLE,
    DISCARD_READY,
    ESCAPE,
    KEPT,
    MILL,
    NO_EFFECT,
    PARTIES,
    PASS,
    PEEK,
    PENALTY,
    PLAY,
    READY,
    TALLY,
    card_of,
    kind_of,
    target_of,
)
from engine.kernel import inlined, kernel


@inlined
def use_of(rules, card):
    """How useful a card is in the Ready Zone, in battle points."""
    effect = rules.effect[card]
    amount = rules.amount[card]
    if effect == NO_EFFECT or not rules.abilities:
        return 0.0
    if effect == ESCAPE:
        return 6.0
    if effect == CANCEL:
        return 2.0
    if effect == PEEK:
        return min(5.0, 1.7 * amount)
    if effect == DISCARD_BATTLE:
        return min(5.0, 2.5 * amount)
    if effect in (BONUS, PENALTY):
        return min(6.0, 1.5 * amount)
    return 1.0 if effect == MILL else 0.5


@inlined
def is_useful(rules, card):
    """Is a card worth keeping for its ability rather than forming it for its points?"""
    return use_of(rules, card) > 0.0 and use_of(rules, card) >= rules.points[card]


@inlined
def is_weapon(rules, card):
    """The same for what is aimed at the result rather than at the deck."""
    return rules.effect[card] not in (PEEK, MILL, DISCARD_READY) and is_useful(rules, card)


@inlined
def has_room(view, rules):
    """Would one more kept card still fit into the Ready Zone?"""
    return view.table.held[view.seat, READY] + view.table.held[view.seat, KEPT] < rules.ready_limit


@kernel
def shed(_view, rules, moves, count):
    """Discard the card of least use."""
    best = 0
    for i in range(count):
        if use_of(rules, card_of(moves[i])) < use_of(rules, card_of(moves[best])):
            best = i
    return best


@inlined
def after_effect(view, rules, party, effect, amount, seat, target):
    """At the tally: the points of a party once ``seat`` has played this on ``target``."""
    points = shown_total(view, rules, party)
    if party == seat and effect == BONUS:
        points += amount
    elif party == target and effect == PENALTY:
        points = max(0, points - amount)
    return points


@kernel
def round_value(view, rules, effect, amount, seat, target):
    """At the tally: what the round is worth to the own seat once ``seat`` has played this on ``target``.

    1 for a win (2 if it wins the match), 0 if nobody wins, less than that if somebody else does.
    """
    best = -1
    winner = NOBODY
    for party in range(PARTIES):
        if party < rules.players or (party == DARK and rules.dark_one_player):
            points = after_effect(view, rules, party, effect, amount, seat, target)
            if points > best:
                best = points
                winner = party
            elif points == best:
                winner = NOBODY
    if winner == NOBODY:
        return 0.0
    value = 2.0 if is_match_point(view, rules, winner) else 1.0
    return value if winner == view.seat else -0.3 * value


@kernel
def settle(view, rules, moves, count):
    """At the tally: play what turns the result, the smallest amount that does; else pass."""
    me = view.seat
    now = round_value(view, rules, 0, 0, me, NOBODY)
    best = find(moves, count, PASS)
    best_value = now + 0.05
    total_bonus = 0
    largest = -1
    for i in range(count):
        if kind_of(moves[i]) != PLAY:
            continue
        card = card_of(moves[i])
        effect, amount = rules.effect[card], rules.amount[card]
        if effect not in (BONUS, PENALTY):
            continue
        value = round_value(view, rules, effect, amount, me, target_of(moves[i])) - 0.001 * amount
        if value > best_value:
            best = i
            best_value = value
        if effect == BONUS:
            total_bonus += amount * copies_in(view.own[READY, word_of(card)], card)
            if largest < 0 or amount > rules.amount[card_of(moves[largest])]:
                largest = i
    # Several bonuses together may win what none wins alone.
    together = round_value(view, rules, BONUS, total_bonus, me, NOBODY)
    return largest if best_value <= now + 0.05 and largest >= 0 and now < 1.0 and together >= 1.0 else best


@kernel
def hurts_me(view, rules):
    """Is the first card of the chain bad for this seat?"""
    seat, card, target = view.chain_by[0], view.chain_card[0], view.table.chain_target
    effect, amount = rules.effect[card], rules.amount[card]
    if seat == view.seat:
        return False
    if view.table.stage == TALLY:  # only what turns the round
        return round_value(view, rules, effect, amount, seat, target) < round_value(view, rules, 0, 0, seat, NOBODY)
    if target == view.seat:
        return effect in (PENALTY, DISCARD_READY) or view.table.held[view.seat, BATTLE] > 0
    return effect == BONUS and is_match_point(view, rules, seat)


@kernel
def answer(view, rules, moves, count):
    """Cancel what hurts this seat; cancel the cancel of an own play, or of what would have saved it."""
    hurt = hurts_me(view, rules)
    is_own = view.chain_by[0] == view.seat
    stands = view.table.chain_count % 2 == 1  # the first card takes effect as things are
    if (hurt and stands) or (is_own and not stands):
        return max(0, find(moves, count, PLAY))
    return max(0, find(moves, count, PASS))


@kernel
def leader(view, rules, mean):
    """The other party with the most points to expect, or NOBODY if none has a card formed."""
    best = NOBODY
    most = 0.0
    for party in range(PARTIES):
        if party != view.seat and view.table.held[party, BATTLE] > 0:
            points = estimate(view, rules, party, mean)
            if points > most:
                best = party
                most = points
    return best


@inlined
def shot_at(rules, moves, count, party):
    """The place of a play that hits the Battle Zone of this party, or -1."""
    for i in range(count):
        is_shot = kind_of(moves[i]) == PLAY and rules.effect[card_of(moves[i])] == DISCARD_BATTLE
        if is_shot and target_of(moves[i]) == party:
            return i
    return -1


@inlined
def play_with(rules, moves, count, effect):
    """The place of the first play with this effect, or -1."""
    for i in range(count):
        if kind_of(moves[i]) == PLAY and rules.effect[card_of(moves[i])] == effect:
            return i
    return -1


@kernel
def snipe_leader(view, rules, moves, count):
    """Hit the largest other Battle Zone; -1 if that is not possible."""
    mean, _ = unseen_points(view, rules)
    party = leader(view, rules, mean)
    return shot_at(rules, moves, count, party) if party != NOBODY else -1
