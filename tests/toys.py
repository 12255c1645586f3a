"""Toy games with planted truth, for tests of balance statistics: outcomes are drawn by NumPy, nothing is played."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tournament.counting import DECIDED, NOBODY, Counter
from tournament.plan import seatings
from tournament.statistics.sample import Design, Sample
from tournament.statistics.tally import Layout, Tally, layout_for

Array = np.ndarray[Any, Any]

ENDED, NOBODY_WON = 0, 1  # reasons of a toy
MEANING = np.array([DECIDED, NOBODY])


def design(bots: int = 4, seats: int = 2, variants: int = 1, nobody: bool = False) -> Design:
    """Every set of bots in all its seatings, as plans have it."""
    sets = itertools.combinations(range(bots), seats)
    lineups = np.array([places for group in sets for places in seatings(group)], np.int64)
    names = ("random", *(f"bot{number}" for number in range(1, bots)))
    return Design(names, tuple(f"v{v}" for v in range(variants)), lineups, nobody)


def fill(toy: Design, ranks: Array, reasons: Array | None = None, plies: Array | None = None) -> Sample:
    """A sample of ``ranks`` (deals, V, M, S)."""
    packed = (ranks * 10 ** np.arange(toy.seats)).sum(axis=-1).ravel()
    rows = np.zeros((3 + toy.seats, len(packed)), np.int32)
    rows[0] = packed
    rows[1] = 0 if reasons is None else reasons.ravel()
    rows[2] = 7 if plies is None else plies.ravel()
    return counted(toy, len(ranks), rows)


def layout(toy: Design, deals: int) -> Layout:
    """The layout of a run of the toy."""
    return layout_for(deals, len(toy.variants), len(toy.lineups), toy.seats, 2, False, len(toy.bots))


def nothing(toy: Design) -> Sample:
    """A sample of a run that holds no matches."""
    return Sample(toy, Tally(layout(toy, 1), 0, 1))


def counted(toy: Design, deals: int, rows: Array) -> Sample:
    """A sample of rows, as the match loop writes them, of a run of so many deals."""
    return Sample(toy, Counter(layout(toy, deals), MEANING).count(0, rows))


def duel(
    rng: np.random.Generator, toy: Design, deals: int,
    bias: float | Array = 0.0, by_deal: float | Array = 0.0, by_bots: float | Array = 0.0, same_deals: bool = True,
) -> Array:  # fmt: skip
    """Ranks (deals, V, M, 2) of a game of two: with chance ``by_deal`` the deal decides, which favours either seat in
    all its matches; with chance ``by_bots`` the bot of the higher number wins; else a coin that seat 0 wins with chance
    0.5 + ``bias``. Numbers, or arrays of one a variant. Variants meet the same deals unless they are to be repetitions
    of one experiment."""
    variants, lineups = len(toy.variants), len(toy.lineups)
    bias, by_deal, by_bots = (np.broadcast_to(x, variants)[None, :, None] for x in (bias, by_deal, by_bots))
    shape = (deals, variants, lineups)
    draws = 1 if same_deals else variants
    favoured = rng.random((deals, draws, 1)) < 0.5
    stronger = (toy.lineups[:, 0] > toy.lineups[:, 1])[None, None, :]
    coin = rng.random((deals, draws, lineups)) < 0.5 + bias
    chance = rng.random((deals, draws, lineups))
    first = np.where(chance < by_deal, favoured, np.where(chance < by_deal + by_bots, stronger, coin))
    return np.stack([~first, first], axis=-1).astype(np.int64).reshape(*shape, 2)


def table(rng: np.random.Generator, toy: Design, deals: int, skill: Array, advantage: Array) -> Array:
    """Ranks (deals, V, M, S) of a game of any number: each seat's performance is the skill of its bot, plus the
    advantage of the seat, plus a standard normal. Variants are repetitions of one experiment."""
    show = rng.standard_normal((deals, len(toy.variants), *toy.lineups.shape)) + skill[toy.lineups] + advantage
    return np.argsort(np.argsort(-show, axis=-1), axis=-1)
