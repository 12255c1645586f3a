"""The toy's facts."""

from __future__ import annotations

from engine.game import Option
from tests.toy import ToyGame

GAME = ToyGame(
    id="toy",
    title="Toy",
    idea="Show a level.",
    credit="Nobody's.",
    seats=(2,),
    options=(
        Option("bias", 0, "advantage of seat 0, in 1/1000", low=-500, high=500),
        Option("card", 0, "worth of card X, in 1/1000", low=-500, high=500),
        Option("shop", 0, "1: X is taken by choice, not dealt", low=0, high=1),
        Option("luck", 1000, "how often chance decides, in 1/1000", low=0, high=1000),
    ),
    variants={"standard": {}},
    pieces=("X",),
    ways=("dealt", "came_later", "shown"),
)
