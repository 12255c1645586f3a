"""Search, written once for all games: flat Monte Carlo and tree search over playouts, from the view alone.

Both are bots like any other: ``decide(view, rules, moves, count, params, luck)``, bound to a game by :func:`search_of`.
``params`` are the playouts of a decision and, at ``WORKSPACE``, the address of the memory that they work in
(``engine/playouts.py``). All chance comes from one number drawn from ``luck``, so decisions are repeatable.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np

from engine.calls import arrays_at, call_bot
from engine.contract import CHANCE, NOBODY
from engine.game import Game
from engine.kernel import bind, kernel, sources_of
from engine.loop import WORKSPACE, no_draw, no_event
from engine.playouts import HIDDEN, NO_NODE, POLICY, play_on, restart, sample, start, workspace_dtype, worth_of
from engine.rng import next_word, random_below, seed_stream

# Where ``params`` hold what a search is told.
PLAYOUTS = 0  # of a decision, at most
CAUTION = 1  # flat: standard errors by which a move must beat the policy's own
EXPLORATION = 1.0  # tree: weight of what is little tried
OWN = 0.5  # tree: the share of trials meant for the policy's own move before anything is known
HOPELESS = 3.0  # flat: a move that is worse than the policy's own by more standard errors is given up
LEAST = 4  # flat: playouts of each move in the first round; moves for which that is too much are left out by lot


def rollouts(view, rules, moves, count, params, luck):
    """Flat Monte Carlo: sequential halving (Karnin, Koren and Somekh 2013) over the same possibilities for all moves.

    The move that the policy itself would take stays to the end; another is taken where it did better by at least
    ``params[CAUTION]`` standard errors of their difference.
    """
    tools = arrays_at(np.int64(params[WORKSPACE]), MEMORY)
    alive, totals, squares = tools[9], tools[10], tools[11]
    seed = seed_of(luck)
    budget = np.int64(params[PLAYOUTS])
    own = policys_choice(rules, view, moves, count, seed, tools)
    size = line_up(alive, count, own, budget, luck)
    for place in range(size):
        totals[alive[place]] = 0.0
        squares[alive[place]] = 0.0
    rounds = 0
    while 1 << rounds < size:
        rounds += 1
    tried = 0
    while size > 1 and budget >= size:
        numbers = max(1, budget // (max(1, rounds) * size))
        sample(rules, view, moves, size, seed, tried, numbers, tools)
        tried += numbers
        budget -= numbers * size
        rounds -= 1
        size = without_hope(alive, size, tried, totals, squares)
        if rounds <= 0:
            break
        size = better_half(alive, size, totals)
    best = own
    for place in range(1, size):
        if totals[alive[place]] > totals[best]:
            best = alive[place]
    if best != own and totals[best] - totals[own] < params[CAUTION] * tried * error_of(squares[best], tried):
        best = own
    return best


@kernel
def error_of(squares, tried):
    """The standard error of the mean difference of two moves, from the sum of its squares over ``tried`` playouts.

    It counts one playout more, in which they are a whole match apart: so that a few alike do not look certain.
    """
    return math.sqrt((squares + 1.0) / (tried + 1.0) / tried)


@kernel
def without_hope(alive, size, tried, totals, squares):
    """Keep the first of ``alive`` and all but those that are clearly worse than it; return how many."""
    kept = 1
    for place in range(1, size):
        move = alive[place]
        if totals[alive[0]] - totals[move] <= HOPELESS * tried * error_of(squares[move], tried):
            alive[kept] = move
            kept += 1
    return kept


@kernel
def seed_of(luck):
    """A seed for all chance of one decision."""
    return (next_word(luck) << 31) | (next_word(luck) >> 1)


def policys_choice(rules, view, moves, count, seed, tools):
    """The move that the policy would take: its place in ``moves``."""
    luck, rng, bots, params = tools[4], tools[5], tools[7], tools[8]
    seed_stream(rng, seed, 0, HIDDEN)
    for seat in range(rules.players):
        seed_stream(luck[seat], seed, 0, POLICY + seat)
    own = call_bot(bots, view.seat, view, rules, moves, count, params, luck)
    return own if 0 <= own < count else 0


@kernel
def line_up(alive, count, own, budget, luck):
    """The places of the moves that are tried: the policy's own first, then others, by lot if they are too many."""
    alive[0] = own
    size = 1
    for place in range(count):
        if place != own:
            alive[size] = place
            size += 1
    most = max(2, budget // (2 * LEAST))
    if size <= most:
        return size
    for place in range(1, most):
        other = place + random_below(luck, size - place)
        alive[place], alive[other] = alive[other], alive[place]
    return most


@kernel
def better_half(alive, size, totals):
    """Keep the first of ``alive`` and the better half of all, in the order of their totals; return how many."""
    for place in range(2, size):
        held = alive[place]
        at = place
        while at > 1 and totals[alive[at - 1]] < totals[held]:
            alive[at] = alive[at - 1]
            at -= 1
        alive[at] = held
    return (size + 1) // 2


def tree_search(view, rules, moves, count, params, luck):
    """Information-set Monte Carlo tree search: a new possibility each time, one tree for all (Cowling, Powley and
    Whitehouse 2012, SO-ISMCTS), moves chosen as by Silver et al. 2017 (PUCT) with the policy's own move preferred.

    Every seat seeks what is best for itself. Dice and draws are not branches: a node is what may follow some moves.
    """
    tools = arrays_at(np.int64(params[WORKSPACE]), MEMORY)
    nodes = tools[13]
    seed = seed_of(luck)
    own = policys_choice(rules, view, moves, count, seed, tools)
    clear_node(nodes[0], NO_NODE, NOBODY, NO_NODE)
    used = 1
    for number in range(np.int64(params[PLAYOUTS])):
        start(rules, view, seed, number, tools)
        restart(rules, seed, number, tools)
        node, used = descend(view, rules, moves, count, own, used, tools)
        play_on(rules, tools)
        while node > 0:
            nodes[node].visits += 1
            nodes[node].total += worth_of(rules, tools[6][0], nodes[node].seat)
            node = nodes[node].parent
    best = own
    most = 0
    child = nodes[0].child
    place = 0
    while child != NO_NODE:
        while moves[place] != nodes[child].move:
            place += 1
        if nodes[child].visits > most or (nodes[child].visits == most and place == own):
            most = nodes[child].visits
            best = place
        child = nodes[child].next
    return best


@kernel
def clear_node(node, move, seat, parent):
    """A node that nothing is known of."""
    node.move = move
    node.seat = seat
    node.parent = parent
    node.child = NO_NODE
    node.next = NO_NODE
    node.visits = 0
    node.total = 0.0


def descend(view, rules, moves, count, own, used, tools):
    """Play ``states[1]`` down the tree to a node that is new, or to the end; returns it and how many nodes there are.

    The first decision has the legal moves and the policy's choice that are given.
    """
    states, views, buffer, event, luck, rng, _, bots, params, _, _, _, _, nodes, _ = tools
    state = states[1]
    node = 0
    seat = to_act(state)
    while seat != NOBODY:
        if seat == CHANCE:
            draw_event(rules, state, rng, event)
            apply_event(rules, state, event)
            seat = to_act(state)
            continue
        if node == 0:
            options = moves
        else:
            options = buffer
            count = legal(rules, state, buffer)
            own = 0
            if count > 1:
                observe(rules, state, seat, views[0])
                own = call_bot(bots, seat, views[0], rules, buffer, count, params, luck)
                if own < 0 or own >= count:
                    own = 0
        place, child, before = choose(nodes, node, seat, options, count, own)
        fresh = child == NO_NODE
        if fresh:
            if used == len(nodes):
                break
            child = used
            used += 1
            clear_node(nodes[child], options[place], seat, node)
            if before == NO_NODE:
                nodes[child].next = nodes[node].child
                nodes[node].child = child
            else:
                nodes[child].next = nodes[before].next
                nodes[before].next = child
        node = child
        apply(rules, state, options[place])
        if fresh and count > 1:
            break
        seat = to_act(state)
    return node, used


@kernel
def choose(nodes, node, seat, options, count, own):
    """The move to try next at a node: its place, its node or NO_NODE, and the node that comes before it in the list."""
    visits = 0
    total = 0.0
    child = nodes[node].child
    place = 0
    while child != NO_NODE:  # both lists rise
        while place < count and options[place] < nodes[child].move:
            place += 1
        if place < count and options[place] == nodes[child].move and nodes[child].seat == seat:
            visits += nodes[child].visits
            total += nodes[child].total
        child = nodes[child].next
    mean = total / visits if visits > 0 else 0.5  # what a move is taken to be worth before it is tried
    wide = EXPLORATION * math.sqrt(visits + 1.0)
    others = (1.0 - OWN) / max(1, count - 1)
    best_score = -1.0
    best = 0
    best_child = NO_NODE
    best_before = NO_NODE
    child = nodes[node].child
    before = NO_NODE
    for place in range(count):
        while child != NO_NODE and (
            nodes[child].move < options[place] or (nodes[child].move == options[place] and nodes[child].seat < seat)
        ):
            before = child
            child = nodes[child].next
        known = child != NO_NODE and nodes[child].move == options[place] and nodes[child].seat == seat
        score = mean
        prior = OWN if place == own else others
        if known:
            score = nodes[child].total / nodes[child].visits if nodes[child].visits > 0 else mean
            prior /= 1.0 + nodes[child].visits
        score += wide * prior
        if score > best_score:
            best_score = score
            best = place
            best_child = child if known else NO_NODE
            best_before = before
    return best, best_child, best_before


def search_of(game_id: str, name: str) -> Any:
    """``rollouts`` or ``tree_search`` of a game: a bot's ``decide``; or ``sample``. Compiled when first called."""
    return _bound(game_id)[name]


@functools.cache
def _bound(game_id: str) -> dict[str, Any]:
    """What the templates' names mean in a game."""
    from engine.registry import game as find

    game: Game = find(game_id)
    rules, shape = game.rules, game.state
    sources = sources_of(Path(rules.__file__))
    functions: dict[str, Any] = {"draw_event": no_draw, "apply_event": no_event}
    for name in ("to_act", "legal", "apply", "draw_event", "apply_event", "observe", "determinize", "outcome"):
        if hasattr(rules, name):
            functions[name] = getattr(rules, name)
    functions["MEMORY"] = workspace_dtype(game)
    functions["TOGETHER"] = game.cooperative
    functions["WON"] = shape.REASONS.index(game.won) if game.cooperative else 0
    for step in (start, restart, worth_of, play_on, sample, policys_choice, descend, rollouts, tree_search):
        named = {name: functions[name] for name in step.__code__.co_names if name in functions}
        functions[step.__name__] = bind(step, named, sources)
    return functions
