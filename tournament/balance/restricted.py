"""Restricted play: what a bot loses by never using a rule element or piece, which tells what the element is worth.

A field that holds a bot and the same bot with ``never=...`` (``bots.bot.Entrant``) answers it: both meet the same
opponents on the same deals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournament.balance.finding import Series
from tournament.statistics.estimate import Jackknifed
from tournament.statistics.facts import Facts
from tournament.statistics.sample import Sample

STRONG = 3  # bots that are played against without a piece


def series(facts: Facts, sample: Sample) -> list[Series]:
    """``restriction_cost`` of each restricted bot whose unrestricted self is in the field; [] if there is none."""
    specs = [bot.spec for bot in facts.bots]
    pairs = [
        (specs.index(bot.base), number) for number, bot in enumerate(facts.bots) if bot.never and bot.base in specs
    ]
    shares = sample.pair_shares
    found = []
    for base, restricted in pairs:
        # Other restricted copies would only show each other's weakness.
        others = [i for i, bot in enumerate(facts.bots) if i not in (base, restricted) and not bot.never]
        if not others:
            continue
        cost = _mean(shares[:, base][:, np.array(others)]) - _mean(shares[:, restricted][:, np.array(others)])
        found.append(Series("restriction_cost", (facts.names[restricted],), cost))
    return found


def field_without(sample: Sample, facts: Facts, pieces: Sequence[str]) -> str:
    """A field, as ``--bots`` takes it, that answers what the best bot loses without each of the pieces: the best bots
    that do without nothing, three if there are so many, and the best one without each."""
    free = [int(bot) for bot in sample.order if not facts.bots[int(bot)].never]
    best = facts.bots[free[0]].spec
    name, _, rest = best.partition("(")
    inside = rest.removesuffix(")")
    restricted = [f"{name}({','.join(filter(None, (inside, f'never={piece}')))})" for piece in pieces]
    return ",".join([*(facts.bots[bot].spec for bot in free[:STRONG]), *restricted])


def _mean(shares: Jackknifed) -> Jackknifed:
    """The mean over opponents, (V, others) to (V, 1)."""
    return Jackknifed(
        shares.value.mean(axis=-1, keepdims=True),
        shares.left.mean(axis=-1, keepdims=True),
        np.asarray(shares.present.all(axis=-1, keepdims=True)),
        shares.deals.min(axis=-1, keepdims=True),
        shares.matches.sum(axis=-1, keepdims=True),
        shares.bounds,
    )
