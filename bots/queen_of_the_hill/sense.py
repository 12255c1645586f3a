"""What several bots for Queen of the Hill ask of a view: points, risks, what the others may have, the chance to win.

Dark Ones lie nowhere but in the deck, the discards and the Dark One's own zone (``docs/rules/queen_of_the_hill.md``),
so on a seat's turn all unseen ones are in the deck and the risk of the next draw is known exactly.
"""

from __future__ import annotations

import math

import numpy as np

from engine.cards import EMPTY, has, lowest, rest
from engine.games.queen_of_the_hill.bags import cards_in, copies_in, dark_ones_in, points_in, squares_in, word_of
from engine.games.queen_of_the_hill.state import (
    BATTLE,
    BATTLE_EMPTY,
    BOTH_EMPTY,
    DARK,
    DARK_DRAWING,
    END_WINDOW,
    KEPT,
    READY,
    kind_of,
)
from engine.games.queen_of_the_hill.zones import unseen_sums
from engine.kernel import inlined, kernel

# The normal distribution function from -4 to 4 in steps of 1/16: the same numbers compiled and interpreted.
NORMAL = np.array([0.5 + 0.5 * math.erf((step / 16 - 4) / math.sqrt(2)) for step in range(129)])


@inlined
def find(moves, count, kind):
    """The place of the first move of this kind, or -1."""
    for i in range(count):
        if kind_of(moves[i]) == kind:
            return i
    return -1


@inlined
def own_points(view, _rules):
    """The points that this seat has now."""
    return view.table.bonus[view.seat] + points_in(view.own_sums[BATTLE])


@inlined
def share_of_dark_ones(view, unseen):
    """The share of Dark Ones in the deck, none of which is known, or in the discards that will be the next deck."""
    table = view.table
    if table.deck_count > 0:
        return min(1.0, dark_ones_in(unseen) / table.deck_count)
    return min(1.0, dark_ones_in(table.discard_sums) / table.discard_count) if table.discard_count > 0 else 0.0


@inlined
def is_free(view, rules):
    """Would a Dark One drawn now be harmless?"""
    if view.table.held[view.seat, BATTLE] > 0 or view.table.active != view.seat:
        return False
    if rules.harmless_when == BOTH_EMPTY:
        return view.table.held[view.seat, KEPT] == 0
    return rules.harmless_when == BATTLE_EMPTY


@inlined
def unseen_points(view, rules):
    """Mean and variance of the points of the unseen cards, Dark Ones left out."""
    return mean_and_variance(unseen_sums(rules, view))


@inlined
def mean_and_variance(unseen):
    """Mean and variance of the points of cards with these sums, Dark Ones left out."""
    size = cards_in(unseen)
    if size <= 0:
        return 0.0, 0.0
    mean = points_in(unseen) / size
    return mean, squares_in(unseen) / size - mean * mean


@inlined
def deck_danger(view, unseen):
    """The share of Dark Ones in the deck below the cards of its top that this seat knows."""
    table = view.table
    if table.peek[view.seat] == 0:
        return share_of_dark_ones(view, unseen)
    size = table.deck_count - table.peek[view.seat]
    return min(1.0, dark_ones_in(unseen) / size) if size > 0 else 0.0


@inlined
def draws_on(view, rules, daring):
    """Does a draw gain more than it risks, ``daring`` times the gain being enough?"""
    if is_free(view, rules):
        return True
    unseen = unseen_sums(rules, view)
    if view.table.peek[view.seat] > 0:
        danger = 1.0 if has(rules.dark_ones, view.top[0]) else 0.0
    else:
        danger = share_of_dark_ones(view, unseen)
    if danger <= 0.0:
        return True
    mean, _ = mean_and_variance(unseen)
    return daring * (1.0 - danger) * mean > danger * own_points(view, rules)


@inlined
def has_finished(view, rules, seat):
    """Has this seat ended its turn of this round?"""
    table = view.table
    if table.active < 0 or table.active == DARK:
        return True
    place = (seat - table.starter + rules.players) % rules.players
    now = (table.active - table.starter + rules.players) % rules.players
    return place < now or (place == now and table.stage == END_WINDOW)


@inlined
def is_last_window(view, rules):
    """Does nobody draw any more before the reveal?"""
    table = view.table
    if table.stage != END_WINDOW:
        return False
    if rules.dark_one_player:
        return table.active == DARK
    return (table.active + 1) % rules.players == table.starter


@inlined
def estimate(view, rules, party, mean):
    """The points to expect of what lies before another party: known cards, and ``mean`` for each hidden one."""
    hidden = view.table.held[party, BATTLE]
    points = view.table.bonus[party]
    if view.knows:
        hidden -= known_cards(view, party)
        points += worth(rules, view.known_sums[party, BATTLE])
    return points + hidden * mean


@inlined
def known_cards(view, party):
    """How many cards of another party's Battle Zone this seat knows."""
    return cards_in(view.known_sums[party, BATTLE]) + dark_ones_in(view.known_sums[party, BATTLE])


@inlined
def worth(rules, sums):
    """The points of cards in a Battle Zone; Dark Ones only lie in the Dark One's own."""
    return points_in(sums) + dark_ones_in(sums) * rules.dark_one_points


@kernel
def shown_total(view, rules, party):
    """At the tally: the points of a party."""
    if party != DARK and view.table.busted[party] and not rules.busted_can_win:
        return 0
    return max(0, view.table.bonus[party] + worth(rules, view.shown_sums[party]))


@inlined
def normal(points, mean, root):
    """The chance that a whole number with this mean and this root of its variance is below ``points``."""
    step = int((points - 0.5 - mean) / root * 16 + 64.5)
    return NORMAL[min(max(step, 0), 128)]


@inlined
def root_of(variance):
    """The root of a variance, as ``normal`` takes it."""
    return math.sqrt(max(variance, 0.05))


@inlined
def rival(view, rules, party, odds, fewer):
    """What the points of another seat are taken to be: how often nothing; else their mean, and root of variance.

    ``fewer`` of its hidden cards are hit before. A seat that is not to be beaten has nothing for sure.
    """
    mean, variance, _, usual, busts = odds
    table = view.table
    if party == view.seat or party >= rules.players:
        return 1.0, 0.0, 1.0
    if not has_finished(view, rules, party):
        return busts, usual + table.bonus[party], root_of(0.1 * usual * usual)
    hidden = table.held[party, BATTLE]
    expected = table.bonus[party]
    if view.knows:
        hidden -= known_cards(view, party)
        expected += worth(rules, view.known_sums[party, BATTLE])
    hidden = max(0, hidden - fewer)
    return 0.0, max(expected + hidden * mean, 0.0), root_of(hidden * variance)


@kernel
def rivals_of(view, rules, odds, hit, hits):
    """``rival`` for each of MOST_SEATS seats; ``hits`` cards of party ``hit`` are lost before."""
    return (
        rival(view, rules, 0, odds, hits if hit == 0 else 0),
        rival(view, rules, 1, odds, hits if hit == 1 else 0),
        rival(view, rules, 2, odds, hits if hit == 2 else 0),
        rival(view, rules, 3, odds, hits if hit == 3 else 0),
        rival(view, rules, 4, odds, hits if hit == 4 else 0),
        rival(view, rules, 5, odds, hits if hit == 5 else 0),
    )


@kernel
def chance_below_dark(view, rules, points, odds, draws, fewer):
    """The chance that the Dark One ends with less than ``points``; ``draws``: the most that any seat will draw."""
    mean, variance, danger, _, _ = odds
    table = view.table
    cards = max(0, draws + rules.dark_one_extra)
    points = points - table.bonus[DARK]
    if table.active == DARK and table.stage != DARK_DRAWING:
        cards = table.held[DARK, BATTLE]
    if view.knows:
        cards -= known_cards(view, DARK)
        points -= worth(rules, view.known_sums[DARK, BATTLE])
    cards = max(0, cards - fewer)
    if danger >= 1.0:
        return 1.0 if points > cards * rules.dark_one_points else 0.0
    # By how many Dark Ones he has among these cards.
    chance = 0.0
    share = (1.0 - danger) ** cards
    for dark_ones in range(min(cards, 5) + 1):
        others = cards - dark_ones
        chance += share * normal(points, dark_ones * rules.dark_one_points + others * mean, root_of(others * variance))
        share *= danger / (1.0 - danger) * others / (dark_ones + 1)
    return chance


@inlined
def most_draws(view, rules):
    """The largest number of draws of any seat so far."""
    most = 0
    for seat in range(rules.players):
        most = max(most, view.table.draws[seat])
    return most


@inlined
def outlook(view, rules, usual, busts):
    """What the chances of a round hang on, for ``win_chance``.

    Mean and variance of the points of unseen cards; the share of Dark Ones in the deck below the known cards of its
    top; what is expected of a seat that has yet to play: so many points, unless it busts, which it does so often.
    """
    unseen = unseen_sums(rules, view)
    mean, variance = mean_and_variance(unseen)
    return mean, variance, deck_danger(view, unseen), usual, busts


@inlined
def win_chance(view, rules, points, odds, draws, hit, hits):
    """The chance to win the round with ``points``; ``hits`` cards of party ``hit`` are lost before.

    ``draws``: how many this seat will have drawn.
    """
    if points <= 0:
        return 0.0
    return beat_all(
        view, rules, points, odds, rivals_of(view, rules, odds, hit, hits), draws, hits if hit == DARK else 0
    )


@inlined
def beat_all(view, rules, points, odds, rivals, draws, dark_hits):
    """The same against ``rivals``, ``dark_hits`` of the Dark One's cards being lost before."""
    if points <= 0:
        return 0.0
    chance = 1.0
    for nothing, mean, root in rivals:
        chance *= nothing + (1.0 - nothing) * normal(points, mean, root)
    if rules.dark_one_player:
        chance *= chance_below_dark(view, rules, points, odds, max(draws, most_draws(view, rules)), dark_hits)
    return chance


@inlined
def escapes_ready(view, rules):
    """How many cards that escape from a Dark One this seat has ready."""
    escapes = 0
    cards = rules.escapes if view.table.held[view.seat, READY] > 0 else EMPTY
    while cards:
        card = lowest(cards)
        escapes += copies_in(view.own[READY, word_of(card)], card)
        cards = rest(cards)
    return escapes


@inlined
def is_match_point(view, rules, party):
    """Does this party win the match with its next round?"""
    return view.table.wins[party] == rules.rounds_to_win - 1
