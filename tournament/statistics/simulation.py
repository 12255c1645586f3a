"""Worlds in which the truth is planted, to try the statistics on: skills, seats, draws and the luck of deals.

In a match a seat performs skill + seat effect + luck of the deal at that seat + luck of the deal for that bot + noise,
all in units of beta (the noise's standard deviation is 1). All luck is normal, so two seats' outcome over many deals is
that of Thurstone's model with skills, effects and margin divided by the root of 1 + the variance of the luck: those are
the values that a rating must find.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from tournament.statistics.pairs import Floats, Ints, PairCounts


@dataclass(frozen=True)
class World:
    """What is planted.

    skills     of the bots, in units of beta
    seats      effects of the S seats
    margin     draw margin
    deal_luck  standard deviation of what a deal gives to each seat, whoever sits there
    bot_luck   standard deviation of what a deal gives to each bot, wherever it sits
    """

    skills: tuple[float, ...]
    seats: tuple[float, ...] = (0.0, 0.0)
    margin: float = 0.0
    deal_luck: float = 0.0
    bot_luck: float = 0.0

    @property
    def lineups(self) -> Ints:
        """Every set of bots in all rotations (of fewer bots than seats: some sit twice): int64 (L, S)."""
        bots, seats = len(self.skills), len(self.seats)
        if bots >= seats:
            sets = list(itertools.combinations(range(bots), seats))
        else:
            both = itertools.combinations_with_replacement(range(bots), seats)
            sets = [chosen for chosen in both if len(set(chosen)) > 1]
        turned = [tuple(chosen[turn:] + chosen[:turn]) for chosen in sets for turn in range(seats)]
        return np.array(list(dict.fromkeys(turned)), np.int64)

    def duel(self, deals: int, seed: int) -> Ints:
        """Of two bots at two seats: what the first gets of each deal from both seats, of 4 units: int64 (deals,)."""
        shown = self.performances(deals, np.random.default_rng(seed))
        found = np.zeros(deals, np.int64)
        for line, seats in enumerate(self.lineups.tolist()):
            gap = shown[:, line, seats.index(0)] - shown[:, line, seats.index(1)]
            found += (gap > self.margin).astype(np.int64) + (gap >= -self.margin)
        return found

    @property
    def shrink(self) -> float:
        """What skills, effects and margin are divided by, seen over many deals."""
        return math.sqrt(1.0 + self.deal_luck**2 + self.bot_luck**2)

    @property
    def mu(self) -> Floats:
        """The ratings to be found, from the field's mean, in units of beta."""
        skills = np.array(self.skills)
        found: Floats = (skills - skills.mean()) / self.shrink
        return found

    def performances(self, deals: int, luck: np.random.Generator) -> Floats:
        """float64 (deals, L, S)."""
        lineups = self.lineups
        found = luck.standard_normal((deals, *lineups.shape))
        found += np.array(self.skills)[lineups] + np.array(self.seats)
        found += self.deal_luck * luck.standard_normal((deals, 1, len(self.seats)))
        found += self.bot_luck * luck.standard_normal((deals, len(self.skills)))[:, lineups]
        return found

    def ranks(self, lineups: Ints, deals: int, seed: int, rules: int = 0) -> Ints:
        """The first ``deals`` matches of each of the line-ups (L, S) under one of several sets of rules: int64
        (deals, L, S), how many seats are ahead of each. More deals of the same seed begin with the same matches, and
        all rules share the luck of the deals."""
        places, players, noise = (np.random.default_rng((seed, stream)) for stream in (0, 1, 2 + rules))
        shown: Floats = noise.standard_normal((deals, *lineups.shape))
        shown += np.array(self.skills)[lineups] + np.array(self.seats)
        shown += self.deal_luck * places.standard_normal((deals, 1, lineups.shape[1]))
        shown += self.bot_luck * players.standard_normal((deals, len(self.skills)))[:, lineups]
        found: Ints = (shown[..., None, :] > shown[..., None] + self.margin).sum(axis=-1)
        return found

    def shares(self, lineups: Ints) -> Floats:
        """What share of the other seats each bot beats in these line-ups (L, S), ties counting half, over all deals."""
        from scipy import special  # type: ignore[import-untyped]

        shown = np.array(self.skills)[lineups] + np.array(self.seats)
        spread = math.sqrt(2.0 * (1.0 + self.deal_luck**2 + self.bot_luck**2))
        gap = shown[..., None] - shown[..., None, :]
        beats = (special.ndtr((gap - self.margin) / spread) + special.ndtr((gap + self.margin) / spread)) / 2.0
        each = (beats.sum(axis=-1) - beats.diagonal(axis1=-2, axis2=-1)) / (lineups.shape[1] - 1)
        found: Floats = np.array([each[lineups == bot].mean() for bot in range(len(self.skills))])
        return found

    def play(self, deals: int, seed: int, blocks: int = 100) -> PairCounts:
        """Outcomes of all line-ups on ``deals`` deals in at most ``blocks`` clusters, the last one perhaps smaller."""
        size = max(1, -(-deals // blocks))
        luck = np.random.default_rng(seed)
        lineups = self.lineups
        pairs = list(itertools.combinations(range(len(self.seats)), 2))
        cells = np.array([[line[a], a, line[b], b] for a, b in pairs for line in lineups.tolist()], np.int64)
        counts = []
        for first in range(0, deals, size):
            shown = self.performances(min(size, deals - first), luck)
            rows = []
            for a, b in pairs:
                gap = shown[:, :, a] - shown[:, :, b]
                ahead, behind = (gap > self.margin).sum(axis=0), (gap < -self.margin).sum(axis=0)
                rows.append(np.stack([ahead, len(shown) - ahead - behind, behind], axis=1))
            counts.append(np.concatenate(rows))
        names = tuple(f"bot {number}" for number in range(len(self.skills)))
        return PairCounts(names, len(self.seats), cells, np.array(counts, np.float64)).canonical()


def duel_world(elo: float, draws: float, deal_luck: float = 0.0) -> World:
    """Two bots at two seats: the first one's mean share is that of ``elo``; equals would draw so often."""
    from scipy import optimize, special

    spread = math.sqrt(2.0 * (1.0 + deal_luck**2))
    margin = float(special.ndtri((1.0 + draws) / 2.0))

    def short(lead: float) -> float:
        share = (special.ndtr(lead - margin) + special.ndtr(lead + margin)) / 2.0
        return float(share - 1.0 / (1.0 + 10.0 ** (-elo / 400.0)))

    lead = float(optimize.brentq(short, -10.0 - margin, 10.0 + margin))
    return World((lead * spread, 0.0), (0.0, 0.0), margin * spread, deal_luck)
