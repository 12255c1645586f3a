"""Odds of dice, worked out once: to make a sum with the dice left, and to win a contest.

``ODDS[sides - 4, rolls - 1, dice, room]``: the chance to make ``room`` exactly with so many dice left, all of them
meant for this one sum: every turn the best part of the roll is put there, a die that does not help goes elsewhere,
and the last die is rolled up to ``rolls`` times (``docs/rules/jackal_and_high.md``, Turns).

``DUELS[sides - 4, contest_tie, own, other]``: the chance that ``own`` dice win a contest against ``other``.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import Any

import numpy as np

from engine.games.jackal_and_high.state import FEWEST_WIN, MOST_DICE, MOST_WIN, NUMBER_MAX

LEAST_SIDES, MOST_SIDES = 4, 12
MOST_ROLLS = 5
TIES = 3

Floats = np.ndarray[Any, Any]


def completing(sides: int, rolls: int) -> Floats:
    """The chance to make a room (second axis) exactly with so many dice left (first axis)."""
    odds = np.zeros((MOST_DICE, NUMBER_MAX + 1))
    odds[0, 0] = 1.0
    odds[1:, 0] = 1.0
    odds[1, 1 : sides + 1] = 1.0 - (1.0 - 1.0 / sides) ** rolls
    for dice in range(2, MOST_DICE):
        throws, chances = _throws(sides, dice)
        best = np.tile(odds[dice - 1], (len(throws), 1))  # one die goes elsewhere
        for size in range(1, dice + 1):
            for part in combinations(range(dice), size):
                left = np.arange(NUMBER_MAX + 1) - throws[:, part].sum(axis=1)[:, None]
                best = np.maximum(best, np.where(left >= 0, odds[dice - size][np.maximum(left, 0)], 0.0))
        odds[dice, 1:] = chances @ best[:, 1:]
    return odds


def _throws(sides: int, dice: int) -> tuple[Floats, Floats]:
    """Every throw of the dice, without order, and its chance."""
    throws = list(combinations_with_replacement(range(1, sides + 1), dice))
    ways = [factorial(dice) // prod(factorial(throw.count(face)) for face in set(throw)) for throw in throws]
    return np.array(throws), np.array(ways) / sides**dice


def winning(sides: int, tie: int) -> Floats:
    """The chance that so many dice (first axis) win a contest against so many (second axis), at least one each."""
    die = np.array([0.0] + [1.0 / sides] * sides)
    sums = [np.ones(1)]
    for _ in range(MOST_DICE):
        sums.append(np.convolve(sums[-1], die))
    odds = np.ones((MOST_DICE + 1, MOST_DICE + 1))  # against no dice every contest is won
    for own in range(1, MOST_DICE + 1):
        for other in range(1, MOST_DICE + 1):
            both = np.outer(sums[own], sums[other])
            wins, losses, ties = float(np.tril(both, -1).sum()), float(np.triu(both, 1).sum()), float(np.trace(both))
            if tie == FEWEST_WIN:
                wins, losses = wins + ties * (own < other), losses + ties * (own > other)
            elif tie == MOST_WIN:
                wins, losses = wins + ties * (own > other), losses + ties * (own < other)
            odds[own, other] = wins / (wins + losses)
    return odds


_SIDES = range(LEAST_SIDES, MOST_SIDES + 1)
ODDS = np.array([[completing(sides, rolls) for rolls in range(1, MOST_ROLLS + 1)] for sides in _SIDES])

# The same in whole parts of WHOLE, for numbers that are still open: one that is made has no odds any more, and a room
# below 0, which dice would overfill, reads one of the zeros at the end.
WHOLE = 256
OPEN = np.pad(np.rint(WHOLE * ODDS).astype(np.int64), [(0, 0)] * 3 + [(0, MOST_DICE * MOST_SIDES)])
OPEN[..., 0] = 0
DUELS = np.array([[winning(sides, tie) for tie in range(TIES)] for sides in _SIDES])
