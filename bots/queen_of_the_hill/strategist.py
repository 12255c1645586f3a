"""Strategist: weighs every choice by its chance to win the round, with a price for the cards it would use up."""

from __future__ import annotations

from bots.bot import Bot, Parameter
from bots.queen_of_the_hill.sense import (
    beat_all,
    escapes_ready,
    find,
    is_free,
    is_last_window,
    outlook,
    own_points,
    rivals_of,
    win_chance,
)
from bots.queen_of_the_hill.skills import answer, has_room, play_with, settle, shed, use_of
from engine.cards import has
from engine.contract import NOBODY
from engine.games.queen_of_the_hill.state import (
    DISCARD_BATTLE,
    DISCARDING,
    DRAW,
    ESCAPING,
    FORM,
    KEEP,
    MILL,
    PASS,
    PEEK,
    PLACING,
    PLAY,
    STOP,
    TALLY,
    TURN,
    card_of,
    kind_of,
    target_of,
)
from engine.kernel import inlined, kernel

MOST_AHEAD = 9  # draws that it plans ahead
USUAL_DANGER = 0.15  # share of Dark Ones in the deck, where seats bust as often as the bot is told
MOST_BUSTS = 0.9


@kernel
def decide(view, rules, moves, count, params, _luck):
    """What to do at each kind of decision."""
    table = view.table
    if table.chain_count > 0:
        return answer(view, rules, moves, count)
    if table.stage == TURN:
        return take_turn(view, rules, moves, count, params)
    if table.stage == PLACING:
        return place(view, rules, moves, count, params)
    if table.stage == DISCARDING:
        return shed(view, rules, moves, count)
    if table.stage == TALLY:
        return settle(view, rules, moves, count)
    if table.stage == ESCAPING:
        return find(moves, count, PLAY) if own_points(view, rules) >= params[2] else find(moves, count, PASS)
    if is_last_window(view, rules):
        return snipe(view, rules, moves, count, params)
    return find(moves, count, PASS)


@kernel
def best_plan(view, rules, points, odds, rivals, first, low, high):
    """The best chance to win the round with ``points`` by drawing ``first`` or more cards, known ones considered.

    Chances below ``low`` are all alike, so are those from ``high`` on: no more is looked for than that.
    """
    table = view.table
    me = view.seat
    danger = odds[2]
    escapes = escapes_ready(view, rules)
    best = 0.0
    safe = 1.0  # the chance to come this far
    total = float(points)
    for ahead in range(min(first + MOST_AHEAD, rules.draw_cap - table.draws[me]) + 1):
        if safe <= best or safe < low or best >= high:
            break
        if ahead >= first:
            best = max(best, safe * beat_all(view, rules, total, odds, rivals, table.draws[me] + ahead, 0))
        if ahead >= table.peek[me]:
            total += odds[0]
            if total > odds[0] and escapes == 0:
                safe *= 1.0 - danger
            elif total > odds[0] and danger > 0.0:
                escapes -= 1
        elif not has(rules.dark_ones, view.top[ahead]):
            total += rules.points[view.top[ahead]]
        elif escapes > 0:
            escapes -= 1
        elif total > 0:
            break
    return best


@inlined
def odds_of(view, rules, params):
    """The outlook with what this bot expects of those to follow: they bust as often as the deck is dangerous."""
    if rules.dark_one_player:
        return outlook(view, rules, params[6], 0.3)
    mean, variance, danger, usual, busts = outlook(view, rules, params[4], params[5])
    return mean, variance, danger, usual, min(busts * danger / USUAL_DANGER, MOST_BUSTS)


@inlined
def take_turn(view, rules, moves, count, params):
    """Draw if a plan with one more card promises more than to stop; with something to lose look at the deck first."""
    stop, draw = find(moves, count, STOP), find(moves, count, DRAW)
    if draw < 0 or stop < 0 or is_free(view, rules):
        return max(draw, 0)
    points = own_points(view, rules)
    look, mill = play_with(rules, moves, count, PEEK), play_with(rules, moves, count, MILL)
    if look >= 0 and points >= params[3]:
        return look
    if mill >= 0 and view.table.peek[view.seat] > 0 and has(rules.dark_ones, view.top[0]):
        return mill
    odds = odds_of(view, rules, params)
    rivals = rivals_of(view, rules, odds, NOBODY, 0)
    now = beat_all(view, rules, points, odds, rivals, view.table.draws[view.seat], 0)
    return draw if best_plan(view, rules, points, odds, rivals, 1, now, now) >= now else stop


@inlined
def place(view, rules, moves, count, params):
    """Form the card unless it is worth more in the Ready Zone."""
    form, keep = find(moves, count, FORM), find(moves, count, KEEP)
    card = view.drawn
    price = use_of(rules, card) * params[0]
    if price <= 0.0 or not has_room(view, rules):
        return form
    odds = odds_of(view, rules, params)
    points = own_points(view, rules)
    rivals = rivals_of(view, rules, odds, NOBODY, 0)
    kept = price + best_plan(view, rules, points, odds, rivals, 0, 0.0, 1.0)
    formed = best_plan(view, rules, points + rules.points[card], odds, rivals, 0, kept, kept)
    return keep if kept > formed else form


@kernel
def snipe(view, rules, moves, count, params):
    """In the last window: hit where it raises the chance to win most, if that is worth the card."""
    odds = odds_of(view, rules, params)
    points = own_points(view, rules)
    draws = view.table.draws[view.seat]
    best = find(moves, count, PASS)
    best_chance = win_chance(view, rules, points, odds, draws, NOBODY, 0) + params[1]
    for i in range(count):
        if kind_of(moves[i]) == PLAY and target_of(moves[i]) != view.seat:
            card, target = card_of(moves[i]), target_of(moves[i])
            if rules.effect[card] == DISCARD_BATTLE:
                chance = win_chance(view, rules, points, odds, draws, target, rules.amount[card])
                if chance > best_chance:
                    best = i
                    best_chance = chance
    return best


BOT = Bot(
    "strategist",
    "Weighs every choice by its chance to win the round, with a price for the cards it uses up.",
    decide,
    (
        Parameter("price", 0.03, 0, 1, "chance that a point of later use is worth when a card can be kept"),
        Parameter("shot", 0.01, 0, 1, "chance that a hit must add"),
        Parameter("saved", 3, 0, 40, "battle points from which it escapes"),
        Parameter("scout", 12, 0, 40, "battle points from which it looks at the deck"),
        Parameter("usual", 13, 0, 60, "battle points that it expects of a seat to follow"),
        Parameter("busts", 0.25, 0, 1, "how often it expects that seat to bust where 15 % of the deck are Dark Ones"),
        Parameter("usual_dark", 3, 0, 60, "the same points where the Dark One plays"),
    ),
)
