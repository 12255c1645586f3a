"""Playouts: positions that fit a view, each played on to its end by a bot. What every search (``search.py``) stands on.

Like the match loop, all this is written over the names of ``engine/contract.py`` and bound to a game's own functions.
A search works in memory that is made once for each entrant of a worker (:class:`Workspace`): it allocates nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.calls import addresses, arrays_at, call_bot
from engine.contract import CHANCE, NOBODY, RESULT
from engine.game import MAX_SEATS, Game, rules_dtype
from engine.loop import BLIND, NUMBERS, blank_views, bot_arguments
from engine.rng import WORDS, seed_stream

# Streams of a playout's luck: what is hidden, the dice and draws to come, and one a seat for the policy.
HIDDEN, TO_COME, POLICY = range(3)
SCORE_WORTH = 0.001  # cooperative games: a point of the score of a win, where the win itself is worth 1

# A node of a search tree: the moves that led to it from the decision, which is node 0.
NODE = np.dtype(
    [
        ("move", np.int64),  # the last of them
        ("seat", np.int64),  # that made it
        ("parent", np.int64),  # the node before it
        ("child", np.int64),  # the first node after it, or NO_NODE
        ("next", np.int64),  # the next node with the same parent, by rising move and seat, or NO_NODE
        ("visits", np.int64),
        ("total", np.float64),  # what these were worth to ``seat``
    ]
)
NO_NODE = -1

MOST_PLAYOUTS = 1_000_000
# Memory is given only to what is used of it: flat search never touches the nodes.
MOST_NODES = MOST_PLAYOUTS + 1


def workspace_dtype(game: Game) -> np.dtype[Any]:
    """What a search of a game works with: the ``tools`` of the functions below, in this order."""
    shape = game.state
    return np.dtype(
        [
            ("states", shape.STATE, 2),  # a possibility that fits the view; the one that is played on
            ("views", shape.VIEW, 1),
            ("moves", np.int64, shape.MOST_MOVES),
            ("event", np.int64, getattr(shape, "MOST_EVENT", 1)),
            ("luck", np.int64, (MAX_SEATS, WORDS)),
            ("rng", np.int64, WORDS),
            ("results", RESULT, 1),
            ("bots", np.int64, MAX_SEATS),  # the policy's address
            ("params", np.float64, (MAX_SEATS, NUMBERS)),  # and its parameters
            ("alive", np.int64, shape.MOST_MOVES),  # moves that are tried, as places among the legal ones
            ("totals", np.float64, shape.MOST_MOVES),
            ("squares", np.float64, shape.MOST_MOVES),
            ("spread", np.float64, shape.MOST_MOVES),
            ("nodes", NODE, MOST_NODES),
            ("played", np.int64, 1),  # playouts so far
        ]
    )


class Workspace:
    """The memory of one search in one process, and the policy that plays its playouts in every seat.

    ``decide`` and ``params`` are the policy's. ``address`` is what the search finds the memory by; the workspace must
    live as long as that is used.
    """

    def __init__(self, game: Game, decide: Any, params: np.ndarray[Any, Any]) -> None:
        self.memory = np.zeros(1, workspace_dtype(game)).view(np.recarray)
        self.memory.views[0] = blank_views(game)
        rules = np.zeros(1, rules_dtype(game)).view(np.recarray)[0]
        self.memory.bots[0] = addresses([decide], bot_arguments(game, rules))
        self.memory.params[0] = params
        self.address = int(self.memory.ctypes.data)

    @property
    def tools(self) -> tuple[Any, ...]:
        """What the functions below take as ``tools``."""
        tools: tuple[Any, ...] = arrays_at(self.address, self.memory.dtype)
        return tools


def start(rules, view, seed, number, tools):
    """The possibility of that number, one that fits the view, becomes ``states[0]``; all moves are tried in it."""
    states, rng = tools[0], tools[5]
    seed_stream(rng, seed, number, HIDDEN)
    determinize(rules, view, rng, states[0])


def restart(rules, seed, number, tools):
    """``states[1]`` becomes ``states[0]``, and what is to come the same as before."""
    states, luck, rng = tools[0], tools[4], tools[5]
    states[1] = states[0]
    seed_stream(rng, seed, number, TO_COME)
    for seat in range(rules.players):
        seed_stream(luck[seat], seed, number, POLICY + seat)


def play_on(rules, tools):
    """Play ``states[1]`` to its end, the policy in every seat, and write the outcome into ``results[0]``."""
    states, views, moves, event, luck, rng, results, bots, params, _, _, _, _, _, played = tools
    state, view, result = states[1], views[0], results[0]
    seat = to_act(state)
    while seat != NOBODY:
        if seat == CHANCE:
            draw_event(rules, state, rng, event)
            apply_event(rules, state, event)
        else:
            count = legal(rules, state, moves)
            choice = 0
            if count > 1:
                if params[seat, BLIND] == 0.0:
                    observe(rules, state, seat, view)
                choice = call_bot(bots, seat, view, rules, moves, count, params, luck)
                if choice < 0 or choice >= count:
                    choice = 0
            apply(rules, state, moves[choice])
        seat = to_act(state)
    outcome(rules, state, result)
    played[0] += 1


def worth_of(rules, result, seat):
    """The part of the other seats that ``seat`` finishes ahead of, ties counting half; together: 1 for a win, and a bit
    for its score."""
    if TOGETHER:
        return (1.0 if result.reason == WON else 0.0) + SCORE_WORTH * result.scores[seat]
    ahead = 0.0
    for other in range(rules.players):
        if other != seat:
            if result.ranks[other] > result.ranks[seat]:
                ahead += 1.0
            elif result.ranks[other] == result.ranks[seat]:
                ahead += 0.5
    return ahead / (rules.players - 1)


def sample(rules, view, moves, count, seed, first, numbers, tools):
    """Try the moves ``moves[alive[:count]]`` in the possibilities from number ``first`` on, ``numbers`` of them.

    Adds to ``totals`` what each move's playouts are worth, to ``squares`` the squared differences from the worth of the
    first of them in the same possibility, and to ``spread`` the squared worths. All go by a move's place in ``moves``.
    """
    alive, totals, squares, spread = tools[9], tools[10], tools[11], tools[12]
    for number in range(first, first + numbers):
        start(rules, view, seed, number, tools)
        base = 0.0
        for place in range(count):
            restart(rules, seed, number, tools)
            apply(rules, tools[0][1], moves[alive[place]])
            play_on(rules, tools)
            worth = worth_of(rules, tools[6][0], view.seat)
            if place == 0:
                base = worth
            totals[alive[place]] += worth
            squares[alive[place]] += (worth - base) * (worth - base)
            spread[alive[place]] += worth * worth
