"""Jack and Jill: the rules of ``docs/rules/jack_and_jill.md``, whose section numbers stand beside the code.

First the functions that every game has (``engine/contract.py``), then how legal moves are found, then the steps of
an action and the end tests. The game has no chance events: all its luck is in the deal (section 1).
"""

from __future__ import annotations

from engine.cards import ACE, EMPTY, JACK, KING, QUEEN, TEN, count, has, lowest, one, rank, rest, suit
from engine.contract import NOBODY
from engine.games.jack_and_jill import state as s
from engine.games.jack_and_jill.search import can_win
from engine.kernel import kernel
from engine.rng import shuffle
