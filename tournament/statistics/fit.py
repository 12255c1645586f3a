"""How well one number a bot tells the outcomes: misfits of pairs, what is explained, and log loss on held-out deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tournament.statistics.pairs import AHEAD, BEHIND, TIED, Floats, PairCounts
from tournament.statistics.strengths import Strengths


@dataclass(frozen=True)
class Fit:
    """How well strengths describe what happened.

    predicted, observed  float64 (B, B): share of the row's bot against the column's, ties counting half; nan where two
                         did not meet
    worst                the pair of bots with the largest difference between the two, or None
    explained            part of the spread of the pairs' shares around 0.5 that the prediction explains, 1 - sum of
                         n (observed - predicted)^2 over sum of n (observed - 0.5)^2, so that a table of pairs has 1;
                         None if all pairs are even
    loss                 mean of -log of the predicted probability of the outcome of a pair of seats on deals that were
                         not used to predict it; None from less than two clusters of deals
    table_loss           of the frequencies of the same pair of seats and bots instead
    even_loss            of even odds, with the overall rate of ties
    """

    predicted: Floats
    observed: Floats
    worst: tuple[int, int] | None
    explained: float | None
    loss: float | None
    table_loss: float | None
    even_loss: float | None


def probabilities(strengths: Strengths, pairs: PairCounts, members: Floats | None = None) -> Floats:
    """Of each outcome of each cell of ``pairs``: float64 (C, 3)."""
    sizes = np.eye(len(pairs.bots)) if members is None else np.asarray(members, np.float64)
    i, a, j, b = pairs.cells.T
    apart = ((sizes[i] - sizes[j]) @ strengths.mu + strengths.seat[a] - strengths.seat[b]) / strengths.scale
    noise = sizes.sum(axis=1)[i] + sizes.sum(axis=1)[j]
    logs = strengths.family.logs(apart, np.zeros(len(apart)), noise, strengths.tie)
    found: Floats = np.exp(logs.value)
    found /= found.sum(axis=1, keepdims=True)
    return found


def fit(
    strengths: Strengths, pairs: PairCounts, again: Callable[[PairCounts], Strengths], members: Floats | None = None
) -> Fit:
    """How well ``strengths`` describe ``pairs``; ``again`` fits other outcomes in the same way, for held-out deals."""
    pairs = pairs.canonical()
    total = pairs.counts.sum(axis=0)
    expected = total.sum(axis=1, keepdims=True) * probabilities(strengths, pairs, members)
    observed, met = _shares(pairs, total)
    predicted, _ = _shares(pairs, expected)
    gap = np.round(np.where(met > 0, np.abs(observed - predicted), 0.0), 12)
    place = int(np.argmax(gap))
    worst = (place // len(met), place % len(met)) if gap.any() else None
    if worst and observed[worst] > predicted[worst]:
        worst = worst[1], worst[0]  # told of the bot that does worse than predicted
    spread = float(np.nansum(met * (observed - 0.5) ** 2))
    explained = 1.0 - float(np.nansum(met * (observed - predicted) ** 2)) / spread if spread > 0 else None
    losses = _held_out(pairs, again, members)
    return Fit(predicted, observed, worst, explained, *losses)


def _shares(pairs: PairCounts, outcomes: Floats) -> tuple[Floats, Floats]:
    """Shares (B, B) and how often two bots met."""
    table = PairCounts(pairs.bots, pairs.seats, pairs.cells, outcomes[None]).table()
    met = table.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (table[..., AHEAD] + 0.5 * table[..., TIED]) / met, np.round(met)


def _held_out(
    pairs: PairCounts, again: Callable[[PairCounts], Strengths], members: Floats | None
) -> tuple[float | None, float | None, float | None]:
    """Log losses of model, table and even odds; even clusters predict odd ones and the other way round."""
    if len(pairs.counts) < 2:
        return None, None, None
    sums = np.zeros(3)
    seen = 0.0
    for side in (0, 1):
        known, asked = pairs.chosen(slice(side, None, 2)), pairs.counts[1 - side :: 2].sum(axis=0)
        counted = known.counts.sum(axis=0)
        rate = (counted.sum(axis=0) + 1.0) / (counted.sum() + 3.0)
        decided = (rate[AHEAD] + rate[BEHIND]) / 2.0
        even = np.array([decided, rate[TIED], decided])
        table = (counted + even) / (counted.sum(axis=1, keepdims=True) + 1.0)
        model = probabilities(again(known), pairs, members)
        for place, chance in enumerate((model, table, np.broadcast_to(even, table.shape))):
            sums[place] -= float((asked * np.log(np.maximum(chance, 1e-12))).sum())
        seen += float(asked.sum())
    loss, table_loss, even_loss = (sums / seen).tolist()
    return loss, table_loss, even_loss
