"""What every game's ``rules.py`` offers, in this order, as kernels (games without chance leave out the two on events).

Its ``state.py`` has the record types ``STATE`` and ``VIEW``, the names of ``REASONS`` that end a match, ``MOST_MOVES``
(room that ``legal`` needs) and, with chance, ``MOST_EVENT`` (room that an event needs). Its ``Move`` names the parts of
a move, for each of which there is a kernel (``card_of`` for ``card``); ``move_of`` reads them all, and
``MOVE_KINDS`` tells what each ``kind`` does.

=====================  =============================================================================================
``deal``               ``(rules, state, rng)``: a fresh match; the deal's luck comes from ``rng``
``to_act``             ``(state) -> seat``, or ``NOBODY`` when the match is over, or ``CHANCE``
``legal``              ``(rules, state, moves) -> count``: all legal moves, ascending; 0 unless a seat decides
``apply``              ``(rules, state, move)``: a legal move, and all that follows without decision or chance
``draw_event``         ``(rules, state, rng, event) -> size``: a random outcome of the pending chance event
``apply_event``        ``(rules, state, event)``: a possible outcome happens, and all that follows of itself
``observe``            ``(rules, state, seat, view)``: what the seat may know, and nothing else
``determinize``        ``(rules, view, rng, state)``: a random state that fits the view
``outcome``            ``(rules, state, result)``: ranks, scores, winner, reason (``RESULT``) of a match that is over
=====================  =============================================================================================

``telemetry.py`` says what is counted inside matches (``engine/telemetry.py``), with cells ``(piece + 1) * ways + way``:

=====================  =============================================================================================
``stakes``             ``(state, seat) -> number``: any that changes whenever the seat's standing does
``standing``           ``(rules, state, seat) -> points``: how the seat stands; who has most leads
``rounds``             ``(rules, state) -> n``: rounds of a match that is over, 0 if the game has none
``used``               ``(rules, state, move) -> cell``: what a legal move uses, and how; or ``NO_CELL``
``held``               ``(rules, state, seat) -> set``: the cards (or pieces) that the seat has
``drawn``              ``(rules, state, seat, move) -> cell``: of the card that a move draws unseen; or ``NO_CELL``
``piece_held``         ``(set) -> cell``: the cell of a set's lowest member, with way 0 (dealt)
=====================  =============================================================================================
"""

from __future__ import annotations

import numpy as np

from engine.game import MAX_SEATS

NOBODY = -1
CHANCE = -2
NO_CELL = -1

# The result of a match; entries of seats that do not play are 0. winner is a seat or -1.
RESULT = np.dtype(
    [("ranks", np.int64, MAX_SEATS), ("scores", np.int64, MAX_SEATS), ("winner", np.int64), ("reason", np.int64)]
)
