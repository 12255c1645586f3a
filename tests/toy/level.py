"""A bot for the toy: shows always the same level."""

from __future__ import annotations

import numpy as np

from bots.bot import Bot, Parameter
from engine.kernel import kernel


@kernel
def decide(_view, _rules, _moves, _count, params, _luck):
    """The level that is its parameter."""
    return np.int64(params[0])


BOT = Bot("level", "Shows always the same level.", decide, (Parameter("level", 0.0, 0.0, 3.0, "what it shows"),))
