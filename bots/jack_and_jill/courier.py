"""Courier: a budgeter who trades: for a cheaper attack of either player, and once the Well is empty for a sure win.

Alone there is nobody to trade with: it keeps suits until the Well runs out, and only then looks ahead.
"""

from __future__ import annotations

from bots.bot import Bot
from bots.jack_and_jill.outlook import (
    ALONE,
    GLANCE,
    LOST,
    SURE,
    TEAM,
    best_action,
    glance,
    jokers_after,
    plan,
    up_after,
    used_by,
    worth,
)
from bots.jack_and_jill.sight import index_of
from bots.jack_and_jill.steps import choose
from bots.jack_and_jill.suit_keeper import KEEPING
from engine.cards import count, lowest, one
from engine.games.jack_and_jill.hill import sum_of, undefeated
from engine.games.jack_and_jill.search import can_win_apart, can_win_in
from engine.games.jack_and_jill.state import (
    END,
    JACK,
    JILL,
    MELEE,
    MOVE_JACK,
    MOVE_JILL,
    PASS,
    RANGED,
    REST,
    TRADE,
    card_of,
    cards_of,
    code,
    kind_of,
    taken_of,
    to_of,
)
from engine.kernel import kernel, records


@kernel
def decide(view, rules, moves, size, _params, _luck):
    """Finish, trade or act; alone, keep suits and finish."""
    if rules.players == 1:
        if view.table.well_count > rules.hand_size:
            return choose(view, rules, moves, size, KEEPING)
        best, _ = best_action(view, rules, moves, size, ALONE[0])
        return best
    if view.table.well_count == 0:
        return finish(view, rules, moves, size)
    best, best_worth = best_action(view, rules, moves, size, TEAM[0])
    return best_trade(view, rules, moves, size, best, best_worth)


@kernel
def may_trade(view, rules, moves, size):
    """Is there a Trade that does not stall the match to its end?"""
    return kind_of(moves[size - 1]) == TRADE and view.table.stall + 1 < rules.stall_limit


@kernel
def best_trade(view, rules, moves, size, best, best_worth):
    """The Trade that makes the next attacks of both players most cheaper, or ``best`` if none is worth more."""
    if not may_trade(view, rules, moves, size):
        return best
    w = TEAM[0]
    other = view.seat ^ 1
    hand, partners = view.hand[view.seat], view.hand[other]
    mine = plan_with(view, rules, hand, view.seat, w.no_hope)
    theirs = plan_with(view, rules, partners, other, w.no_hope)
    idle = worth_of_waiting(view, rules, w, records(1, GLANCE)) + w.passing - w.trading
    if idle + mine + w.partner * theirs + 6 * max(w.step, w.aim) <= best_worth:
        return best  # even two attacks for nothing would not be worth a Trade
    for i in range(size - 1, -1, -1):
        if kind_of(moves[i]) != TRADE:
            break
        swap = one(card_of(moves[i])) | one(taken_of(moves[i]))
        # What the own plan may waste at most, then the partner's, if the Trade is to be the best.
        most = idle + mine + w.partner * theirs - best_worth
        own = plan_with(view, rules, hand ^ swap, view.seat, most)
        if own < most:
            most = (idle + mine - own - best_worth) / w.partner + theirs
            partner = plan_with(view, rules, partners ^ swap, other, most)
            if partner < most:
                best, best_worth = i, idle + mine - own + w.partner * (theirs - partner)
    return best


@kernel
def worth_of_waiting(view, rules, w, glances):
    """The worth of a Pass; ``glances`` is room for a glance."""
    glance(view, rules, w, glances[0])
    return worth(view, rules, code(PASS), w, glances[0], LOST)


@kernel
def plan_with(view, rules, hand, seat, bound):
    """What a seat's cheapest plan wastes if it holds this hand, or ``bound`` if that is less."""
    w = TEAM[0]
    table = view.table
    jack, jill = table.pawn[JACK], table.pawn[JILL]
    return plan(rules, table, seat, hand, jack, jill, undefeated(table), table.jokers[seat], w, min(bound, w.no_hope))


@kernel
def finish(view, rules, moves, size):
    """The Well is empty and all is known: keep the win, attack rather than wait, wait rather than walk."""
    table = view.table
    ends = records(1, END)
    best = 0
    best_worth = LOST * 3
    for i in range(size - 1, -1, -1):
        move = moves[i]
        kind = kind_of(move)
        used = used_by(view, move) if kind != TRADE else 0
        if kind == TRADE:
            continue
        if kind == PASS:
            result = SURE + 100 if table.stall == 0 else SURE - 50
            if table.stall + 1 == rules.stall_limit:
                result = LOST * 2
        else:
            result = SURE + 200 - sum_of(used) if kind == MELEE or kind == RANGED else SURE - sum_of(used)
            if result > best_worth:
                hand0, hand1 = view.hand[0] & ~used, view.hand[1] & ~used
                jokers0 = jokers_after(view, move) if view.seat == JACK else table.jokers[0]
                jokers1 = jokers_after(view, move) if view.seat == JILL else table.jokers[1]
                jack = to_of(move) if kind == MOVE_JACK else table.pawn[JACK]
                jill = to_of(move) if kind == MOVE_JILL else table.pawn[JILL]
                up = up_after(view, move)
                if kind == REST or not can_win_in(rules, table, ends, hand0, hand1, jack, jill, up, jokers0, jokers1):
                    result = LOST
        if result > best_worth:
            best, best_worth = i, result
    if best_worth < SURE + 150 and may_trade(view, rules, moves, size):
        trade = trade_to_win(view, rules, ends)
        if trade:
            return index_of(moves, size, trade)
    return best


@kernel
def trade_to_win(view, rules, ends):
    """The first of the fewest Trades after which each player wins with the own hand alone, or 0."""
    table = view.table
    hand0, hand1 = view.hand[0], view.hand[1]
    jack, jill = table.pawn[JACK], table.pawn[JILL]
    jokers0, jokers1 = table.jokers[0], table.jokers[1]
    up = undefeated(table)
    if can_win_apart(rules, table, ends, hand0, hand1, jack, jill, up, jokers0, jokers1):
        return 0
    for number in range(1, min(count(hand0), count(hand1), rules.stall_limit - 1 - table.stall) + 1):
        for part0 in range(1 << count(hand0)):
            if count(part0) != number:
                continue
            gives = cards_of(hand0, part0)
            for part1 in range(1 << count(hand1)):
                if count(part1) == number:
                    takes = cards_of(hand1, part1)
                    after0, after1 = hand0 ^ gives ^ takes, hand1 ^ gives ^ takes
                    if can_win_apart(rules, table, ends, after0, after1, jack, jill, up, jokers0, jokers1):
                        if view.seat == JACK:
                            return code(TRADE, lowest(gives), lowest(takes))
                        return code(TRADE, lowest(takes), lowest(gives))
    return 0


BOT = Bot(
    "courier",
    "A budgeter who trades, in the end for a certain win; alone a suit keeper who looks ahead only then.",
    decide,
)
