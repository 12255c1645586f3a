"""The toy's records."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.kernel import kernel

REASONS = ("chance", "level", "equal")
MOST_MOVES = 4
STATE = np.dtype(
    [
        ("turn", np.int64),  # seat to show its level; 2 = over
        ("held", np.int64, 2),  # 1: the seat has X
        ("offer", np.int64, 2),  # 1: the seat may take X in a shop
        ("level", np.int64, 2),
        ("lucky", np.int64),  # 1: chance decides
        ("point", np.int64),  # 0 to 999: seat 0 wins by chance below its probability
    ]
)
VIEW = np.dtype([("seat", np.int64), ("held", np.int64)])

MOVE_KINDS = {"SHOW": "show ``level``"}
SHOW = 0
Move = namedtuple("Move", ("kind", "level"))


@kernel
def kind_of(_move):
    """All are of one kind."""
    return SHOW


@kernel
def level_of(move):
    """The level that a move shows."""
    return move


@kernel
def move_of(move):
    """The parts of a move by name."""
    return Move(kind_of(move), level_of(move))
