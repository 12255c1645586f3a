"""Restricted play: what a bot loses by never using a rule element or piece, which tells what the element is worth.

A field that holds a bot and the same bot with ``never=...`` (``bots.bot.Entrant``) answers it: both meet the same
opponents on the same deals.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tournament.balance.estimate import Jackknifed
from tournament.balance.finding import Series
from tournament.balance.sample import Sample
from tournament.plan import Plan


def series(plan: Plan, sample: Sample) -> list[Series]:
    """``restriction_cost`` of each restricted bot whose unrestricted self is in the field; [] if there is none."""
    specs = [entrant.spec for entrant in plan.entrants]
    whole = [replace(entrant, never=(), forbidden=0).spec for entrant in plan.entrants]
    pairs = [
        (specs.index(free), number)
        for number, free in enumerate(whole)
        if plan.entrants[number].never and free in specs
    ]
    shares = sample.pair_shares
    found = []
    for base, restricted in pairs:
        # Other restricted copies would only show each other's weakness.
        others = [i for i, entrant in enumerate(plan.entrants) if i not in (base, restricted) and not entrant.never]
        if not others:
            continue
        cost = _mean(shares[:, base][:, np.array(others)]) - _mean(shares[:, restricted][:, np.array(others)])
        found.append(Series("restriction_cost", (specs[restricted],), cost))
    return found


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
