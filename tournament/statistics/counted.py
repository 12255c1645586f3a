"""Stored runs as statistics take them: facts and tallies; and several runs as one, in which no match counts twice."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.errors import HilltopError
from engine.faults import KINDS, WITHDRAWN
from engine.text import plural
from storage.store import UNREPEATABLE, Store, StoredFault, StoredRun
from tournament.statistics.code import differences, in_short
from tournament.statistics.estimate import Array, Estimate, Floats, jackknife
from tournament.statistics.facts import Facts, lineup_numbers
from tournament.statistics.pairs import PairCounts
from tournament.statistics.sample import Sample, design_of, grouped
from tournament.statistics.tally import Tally, unpacked


@dataclass(frozen=True)
class Counted:
    """A stored run with its facts and its tally."""

    run: StoredRun
    facts: Facts
    tally: Tally
    faults: tuple[StoredFault, ...] = ()

    @functools.cached_property
    def sample(self) -> Sample:
        """The tally of a run in which seats play against each other."""
        if self.facts.cooperative:
            raise HilltopError(f"the seats of {self.facts.title} win or lose together; its balance is that of teams")
        return Sample(design_of(self.facts), self.tally)


def read(store: Store, run: StoredRun) -> Counted:
    """A stored run; raises HilltopError if the file is older than facts and tallies."""
    data = store.facts(run)
    if data is None:
        raise HilltopError(
            f"run {run.id} was stored by hilltop {run.version}, without what its numbers mean, and cannot be read by "
            "this version: its rules are none of today's"
        )
    facts = Facts.from_json(data)
    return Counted(run, facts, unpacked(facts.layout, store.sums(run)), tuple(store.faults(run)))


def solo_of(store: Store, pair: StoredRun) -> StoredRun | None:
    """The latest run of one player by the same bots and code on the deals of a cooperative pair's; None if there is
    none."""
    same = ("game", "variants", "bots", "seed")
    found = [
        run
        for run in store.runs()
        if run.settings["players"] == 1 < pair.settings["players"]
        and all(run.settings[name] == pair.settings[name] for name in same)
        and run.fingerprint == pair.fingerprint
        and run.done
    ]
    return found[-1] if found else None


# ---------------------------------------------------------------- several runs


@dataclass(frozen=True)
class Record:
    """What a bot achieved over all matches; a share is the part of the other seats that it beat, ties counting half.

    ``first``: its share from seat 0. Shares are None if nothing was played. ``faults``: matches that it spoiled;
    ``withdrawn``: matches that were not played because it had been withdrawn.
    """

    bot: str
    matches: int
    wins: int
    draws: int
    losses: int
    none: int
    share: Estimate
    first: float | None
    faults: int
    withdrawn: int


@dataclass(frozen=True)
class _Source:
    """A run in the pool: its tally in blocks as coarse as those of the other runs on the same deals."""

    counted: Counted
    tally: Tally
    bots: Array  # int64: number of each of the run's bots in the pool
    clusters: Array  # int64: number of the cluster of each block


class Pool:
    """One or more runs of a game, counted together.

    Deals are the same in runs of the same seed and number of seats. Blocks of the same deals are one *cluster*,
    whatever was played on them. A match, known by its bots (their code and parameters), rules, seats, seed and deal,
    counts once, however many runs hold it: as runs hold their first deals, the run with most of a block is taken.

    bots     names; bots of the same name and different code get ``@`` and the code's hash
    merged   matches left out because another run holds them
    """

    def __init__(self, runs: Sequence[Counted]) -> None:
        if not runs:
            raise HilltopError("there is nothing to count; name a run or more")
        games = sorted({one.facts.game for one in runs})
        if len(games) > 1:
            raise HilltopError(f"the runs are of different games ({', '.join(games)}); rate each game on its own")
        self.runs = tuple(runs)
        names = _names([one.facts for one in runs])
        self.bots = tuple(dict.fromkeys(name for row in names for name in row))
        coarsest: dict[Any, int] = {}
        for one in runs:
            key = one.facts.players, one.facts.seed
            coarsest[key] = max(coarsest.get(key, 0), one.facts.layout.shift)
        numbers: dict[Any, int] = {}
        sources = []
        for one, row in zip(runs, names, strict=True):
            key = one.facts.players, one.facts.seed
            tally = one.tally.coarser(coarsest[key])
            clusters = [numbers.setdefault((*key, block), len(numbers)) for block in range(tally.first, tally.end)]
            bots = np.array([self.bots.index(name) for name in row], np.int64)
            sources.append(_Source(one, tally, bots, np.array(clusters, np.int64)))
        self.clusters = len(numbers)
        self.merged, self._sources = _once(sources)

    @property
    def facts(self) -> Facts:
        """Those of the first run."""
        return self.runs[0].facts

    def numbers(self, one: Counted) -> Array:
        """The numbers that the bots of a run have here, int64 (its bots,)."""
        found: Array = self._sources[self.runs.index(one)].bots
        return found

    @functools.cached_property
    def notices(self) -> tuple[str, ...]:
        """What must be said wherever results of these runs are shown."""
        said = [text for one in self.runs for text in notices(one)]
        if self.merged:
            said.append(
                f"{plural(self.merged, 'match is', 'matches are')} in several of these runs (the same bots, rules and "
                f"deals) and count{'s' * (self.merged == 1)} once."
            )
        return tuple(dict.fromkeys(said))

    # ------------------------------------------------------------ seats against each other

    @functools.cached_property
    def pairs(self) -> PairCounts:
        """Outcomes of pairs of seats by cluster."""
        seats = max(one.facts.players for one in self.runs)
        cells: list[tuple[int, int, int, int]] = []
        parts = []
        for source in self._sources:
            counts = source.tally.of("pairs").sum(axis=1)
            lineups = source.bots[lineup_numbers(source.counted.facts)]
            keys = [
                ((row[one] * seats + one) * len(self.bots) + row[two]) * seats + two
                for row in lineups.tolist()
                for one, two in source.tally.layout.pairs
            ]
            distinct, sums = grouped(counts.reshape(len(counts), -1, 3), np.array(keys, np.int64))
            whole = np.zeros((self.clusters, len(distinct), 3))
            np.add.at(whole, source.clusters, sums)
            parts.append(whole)
            for key in distinct.tolist():
                rest, second = divmod(key, seats)
                rest, other = divmod(rest, len(self.bots))
                bot, first = divmod(rest, seats)
                cells.append((bot, first, other, second))
        counts = np.concatenate(parts, axis=1) if parts else np.zeros((0, 0, 3))
        return PairCounts(self.bots, seats, np.array(cells, np.int64).reshape(-1, 4), counts)

    @functools.cached_property
    def _by_bot(self) -> dict[str, Array]:
        """Sums by cluster and bot, int64 (clusters, bots): of all seats, and of seat 0. Shares are in units of 1 / 120,
        which every number of seats up to six goes into."""
        names = ("matches", "wins", "draws", "none", "share", "first", "first_share")
        sums = {name: np.zeros((self.clusters, len(self.bots)), np.int64) for name in names}
        for source in self._sources:
            tally = source.tally
            lineups = source.bots[lineup_numbers(source.counted.facts)]
            if source.counted.facts.cooperative:
                _add_teams(source, lineups, sums)
                continue
            scale = 120 // tally.layout.unit
            matches, none = (tally.of(name).sum(axis=1)[..., None] for name in ("matches", "none"))
            units = tally.of("units").sum(axis=1) * scale
            of_seats = {
                "matches": np.broadcast_to(matches, units.shape),
                "none": np.broadcast_to(none, units.shape),
                "wins": tally.of("wins").sum(axis=1),
                "draws": tally.of("tied").sum(axis=1),
                "share": units,
            }
            for name, part in of_seats.items():
                np.add.at(sums[name], (source.clusters[:, None, None], lineups), part)
            for name, part in (("first", matches[..., 0]), ("first_share", units[..., 0])):
                np.add.at(sums[name], (source.clusters[:, None], lineups[:, 0]), part)
        return sums

    @functools.cached_property
    def records(self) -> tuple[Record, ...]:
        """What each bot achieved, in the order of ``bots``."""
        sums = self._by_bot

        def share(units: Array, matches: Array) -> Floats:
            return units / (120.0 * matches)

        shares = jackknife(share, [sums["share"], sums["matches"]], sums["matches"], bounds=(0.0, 1.0))
        total = {name: part.sum(axis=0) for name, part in sums.items()}
        faults = np.zeros((len(self.bots), len(KINDS)), np.int64)
        for source in self._sources:
            np.add.at(faults, source.bots, faults_of(source.counted.facts, source.tally))
        found = []
        for bot, name in enumerate(self.bots):
            count = {key: int(part[bot]) for key, part in total.items()}
            found.append(
                Record(
                    name,
                    count["matches"],
                    count["wins"],
                    count["draws"],
                    count["matches"] - count["wins"] - count["draws"] - count["none"],
                    count["none"],
                    shares.estimate(bot),
                    count["first_share"] / (120.0 * count["first"]) if count["first"] else None,
                    int(faults[bot, :WITHDRAWN].sum()),
                    int(faults[bot, WITHDRAWN]),
                )
            )
        return tuple(found)

    # ------------------------------------------------------------ teams

    @functools.cached_property
    def teams(self) -> tuple[PairCounts, Array]:
        """Which of two teams without a common bot did better on the same deal under the same variant, by cluster, and
        how often each bot sits in each team: int64 (teams, bots)."""
        numbers: dict[tuple[int, ...], int] = {}
        # By rules, seed and line-ups: the outcomes of the run that holds most of each cluster.
        fullest: dict[Any, Array] = {}
        for source in self._sources:
            facts = source.counted.facts
            lineups = [tuple(source.bots[list(row)].tolist()) for row in facts.lineups]
            for row in lineups:
                numbers.setdefault(tuple(sorted(row)), len(numbers))
            ahead, boards = source.tally.of("ahead"), source.tally.of("boards")
            for v, variant in enumerate(facts.variants):
                rules = json.dumps(variant.options, sort_keys=True)
                for one, first in enumerate(lineups):
                    for two, second in enumerate(lineups[:one]):
                        if set(first) & set(second):
                            continue
                        outcome = np.zeros((self.clusters, 3))
                        outcome[source.clusters, 0] = ahead[:, v, one, two]
                        outcome[source.clusters, 2] = ahead[:, v, two, one]
                        outcome[source.clusters, 1] = boards[:, v] - ahead[:, v, one, two] - ahead[:, v, two, one]
                        teams = (first, second)
                        if first > second:
                            teams, outcome = teams[::-1], outcome[:, ::-1]
                        key = facts.seed, rules, teams
                        known = fullest.get(key, outcome)
                        more = outcome.sum(axis=1) > known.sum(axis=1)
                        fullest[key] = np.where(more[:, None], outcome, known)
        found: dict[tuple[int, int], Array] = {}
        for (_, _, (first, second)), outcome in fullest.items():
            pair = numbers[tuple(sorted(first))], numbers[tuple(sorted(second))]
            if pair[0] > pair[1]:
                pair, outcome = pair[::-1], outcome[:, ::-1]
            found[pair] = found.get(pair, 0.0) + outcome
        members = np.zeros((len(numbers), len(self.bots)), np.int64)
        for row, number in numbers.items():
            np.add.at(members[number], list(row), 1)
        cells = np.array([(one, 0, two, 0) for one, two in found], np.int64).reshape(-1, 4)
        counts = np.stack(list(found.values()), axis=1) if found else np.zeros((self.clusters, 0, 3))
        labels = tuple(" + ".join(self.bots[bot] for bot in row) for row in numbers)
        return PairCounts(labels, 1, cells, counts), members


def _add_teams(source: _Source, lineups: Array, sums: dict[str, Array]) -> None:
    """Add what teams achieved to their bots, once each: a share is the part of their matches that was won."""
    won = source.counted.facts.reasons.index(source.counted.facts.won)
    matches = source.tally.of("matches").sum(axis=1)
    wins = source.tally.of("reasons")[..., won].sum(axis=1)
    for team, row in enumerate(lineups.tolist()):
        for bot in set(row):
            for name, part in (("matches", matches), ("wins", wins), ("share", 120 * wins)):
                np.add.at(sums[name][:, bot], source.clusters, part[:, team])


def faults_of(facts: Facts, tally: Tally) -> Array:
    """Matches that each bot spoiled, by kind of fault, int64 (bots, kinds of ``engine/faults.py``)."""
    spoiled = tally.of("faults").sum(axis=(0, 1))
    found = np.zeros((len(facts.bots), len(KINDS)), np.int64)
    np.add.at(found[:, : spoiled.shape[-1]], lineup_numbers(facts), spoiled)
    return found


def notices(counted: Counted) -> list[str]:
    """What must be said wherever results of a run are shown."""
    said = [*counted.facts.notices, *_spoiled(counted)]
    told = differences(counted.facts.code) if counted.facts.trusted else []
    if told:
        said.append(
            f"The code has changed since run {counted.run.id} was played ({in_short(told)}); these are its results, "
            "with what they meant then."
        )
    if not counted.facts.trusted:
        said.append(
            f"Run {counted.run.id} was made by hilltop {counted.run.version} with other code, which did not store what "
            "its numbers mean; names of bots, reasons and options are those of now and may be wrong."
        )
    return said


def _spoiled(counted: Counted) -> list[str]:
    """Which bots spoiled matches, how, and which were withdrawn for it."""
    faults = faults_of(counted.facts, counted.tally)
    words = list(KINDS.values())
    parts = []
    said = []
    for bot, row in zip(counted.facts.names, faults.tolist(), strict=True):
        kinds = [(number, word) for number, word in zip(row[:WITHDRAWN], words, strict=False) if number]
        if kinds:
            told = ", ".join(word if len(kinds) == 1 else f"{number:,} {word}" for number, word in kinds)
            parts.append(f"{bot} {sum(row[:WITHDRAWN]):,} ({told})")
        if row[WITHDRAWN]:
            said.append(
                f"{bot} was withdrawn from run {counted.run.id} after {sum(row[:WITHDRAWN]):,} faults: "
                f"{row[WITHDRAWN]:,} of its matches were not played."
            )
    said += [
        f"{counted.facts.names[fault.entrant]} is not repeatable: match {fault.match:,} of run {counted.run.id} "
        f"{fault.said}. Its results can be any others."
        for fault in counted.faults
        if fault.kind == UNREPEATABLE
    ]
    if parts:
        which = f"'hilltop show {counted.run.id}' lists the first of them"
        said.insert(0, f"Matches spoiled by a bot's fault, counted nowhere: {', '.join(parts)}; {which}.")
    return said


def _names(facts: Sequence[Facts]) -> list[list[str]]:
    """What each run's bots are called: as they are listed, with their code's hash if bots of that name differ."""
    codes: dict[str, set[str]] = {}
    for one in facts:
        for bot in one.bots:
            codes.setdefault(bot.name, set()).add(bot.code)
    return [
        [bot.name if len(codes[bot.name]) == 1 else f"{bot.name}@{bot.code[:6]}" for bot in one.bots] for one in facts
    ]


def _once(sources: Sequence[_Source]) -> tuple[int, list[_Source]]:
    """The sources without the matches that another one holds too, and how many these are."""
    if len(sources) < 2:
        return 0, list(sources)
    holders: dict[Any, list[tuple[int, int, int]]] = {}  # (source, variant, line-up) of equal line-ups
    for number, source in enumerate(sources):
        facts = source.counted.facts
        bots = [(bot.spec, bot.code) for bot in facts.bots]
        for v, variant in enumerate(facts.variants):
            rules = json.dumps(variant.options, sort_keys=True)
            for m, row in enumerate(facts.lineups):
                key = facts.players, facts.seed, rules, tuple(bots[bot] for bot in row)
                holders.setdefault(key, []).append((number, v, m))
    kept = [replace(one, tally=one.tally.chosen(np.arange(one.tally.blocks))) for one in sources]
    merged = 0
    for places in holders.values():
        if len(places) < 2:
            continue
        held: dict[int, list[tuple[int, int, int, int, int]]] = {}  # matches, source, variant, line-up, block
        for number, v, m in places:
            tally = kept[number].tally
            played = tally.of("matches")[:, v, m] + tally.of("faults")[:, v, m].sum(axis=(1, 2))
            for block, (cluster, matches) in enumerate(
                zip(kept[number].clusters.tolist(), played.tolist(), strict=True)
            ):
                held.setdefault(cluster, []).append((matches, -number, v, m, block))
        for rows in held.values():
            for matches, number, v, m, block in sorted(rows)[:-1]:
                kept[-number].tally.lineups[block, v, m] = 0
                merged += matches
    return merged, kept
