"""What a report must know of a run besides its numbers, as it was when the run was begun: data, stored with the run.

Nothing here is looked up in today's rules or bots: these may have changed since, and old numbers keep their meaning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tournament.statistics.tally import Ints, Layout

VERSION = 1


@dataclass(frozen=True)
class BotFacts:
    """A bot as it played.

    spec        name with the parameters that are not the default, as a command line writes it; unique in its run
    base        the spec of the same bot without ``never``
    parameters  all parameters with their values
    never       rule elements and pieces that it did without
    code        hash of what decides its choices, besides parameters: bots of the same code and spec are the same
    source      an own file's text; None for bots that belong to the program
    """

    spec: str
    base: str
    idea: str
    parameters: dict[str, float]
    never: tuple[str, ...]
    code: str
    source: str | None = None
    label: str = ""

    @property
    def name(self) -> str:
        """How it is listed."""
        return self.label or self.spec


@dataclass(frozen=True)
class VariantFacts:
    """A variant as it was played.

    label    its name and what was changed on top of it
    given    these changes
    options  every option in force
    pieces   what each piece is called; '' for one that the options know nothing of
    medals   least score and name of each medal, the lowest first
    """

    label: str
    name: str
    given: dict[str, Any]
    options: dict[str, Any]
    pieces: tuple[str, ...]
    medals: tuple[tuple[int, str], ...] = ()

    def medal(self, score: int) -> str:
        """What a win with this score earns; '' for nothing."""
        return next((name for least, name in reversed(self.medals) if score >= least), "")


@dataclass(frozen=True)
class Facts:
    """A run, for all who read its results.

    lineups   bots (by number) in seats; the same ones under each variant
    reasons   what the numbers of ``reason`` mean; ``nobody``: those that end a match without a winner among the seats
    won       cooperative games: the reason that means a win
    ways      how a piece comes to a seat (the first), and is used
    meanings  what each rule option means
    notices   what must be said wherever results are shown
    again     the command that plays the same matches; '' if there is none
    code      hashes of the files that decide results, by name
    layout    of the tally
    trusted   False if a later version has made this from its own code, for want of the code that played the run
    """

    game: str
    title: str
    credit: str
    cooperative: bool
    players: int
    seed: int
    matches: int
    bots: tuple[BotFacts, ...]
    variants: tuple[VariantFacts, ...]
    lineups: tuple[tuple[int, ...], ...]
    reasons: tuple[str, ...]
    nobody: tuple[str, ...]
    won: str
    ways: tuple[str, ...]
    meanings: dict[str, str]
    notices: tuple[str, ...]
    again: str
    code: dict[str, str]
    layout: Layout
    trusted: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """How the bots are listed."""
        return tuple(bot.name for bot in self.bots)

    @property
    def labels(self) -> tuple[str, ...]:
        """The variants' names."""
        return tuple(variant.label for variant in self.variants)

    @property
    def telemetry(self) -> bool:
        """Was counted what happens inside matches?"""
        return bool(self.layout.inside)

    @cached_property
    def teams(self) -> tuple[str, ...]:
        """The line-ups by the names of their bots."""
        return tuple(" + ".join(self.bots[bot].name for bot in row) for row in self.lineups)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"version": VERSION, **asdict(self), "layout": self.layout.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Facts:
        """From plain data; raises ValueError for what a later version has written."""
        if data["version"] != VERSION:
            raise ValueError(f"these facts are of version {data['version']}, not {VERSION}")
        values = {name: value for name, value in data.items() if name != "version"}
        bots = tuple(BotFacts(**{**bot, "never": tuple(bot["never"])}) for bot in data["bots"])
        variants = tuple(
            VariantFacts(
                **{**one, "pieces": tuple(one["pieces"]), "medals": tuple((low, name) for low, name in one["medals"])}
            )
            for one in data["variants"]
        )
        lists = {name: tuple(values[name]) for name in ("reasons", "nobody", "ways", "notices")}
        lineups = tuple(tuple(row) for row in data["lineups"])
        layout = Layout.from_json(data["layout"])
        return cls(**{**values, **lists, "bots": bots, "variants": variants, "lineups": lineups, "layout": layout})

    @property
    def swept(self) -> dict[str, list[Any]]:
        """The rule options that the variants differ by, with their values; {} if they differ otherwise."""
        return swept([variant.given for variant in self.variants])


def swept(given: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The rule options that changes of several variants differ by, with their values; {} if they differ otherwise."""
    if len({tuple(one) for one in given}) != 1:
        return {}
    values: dict[str, list[Any]] = {name: [] for name in given[0]}
    for one in given:
        for name, value in one.items():
            if value not in values[name]:
                values[name].append(value)
    return {name: some for name, some in values.items() if len(some) > 1}


def lineup_numbers(facts: Facts) -> Ints:
    """The line-ups as an array, int64 (M, S)."""
    return np.array(facts.lineups, np.int64).reshape(-1, facts.players)


def worded(given: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What the changed options of several variants are called, each value by a word: data such as an own deck by its
    id. Different values of an option that would be called alike get ``@`` and a hash."""
    alike: dict[tuple[str, str], set[str]] = {}
    for one in given:
        for name, value in one.items():
            alike.setdefault((name, _word(value)), set()).add(_whole(value))

    def word(name: str, value: Any) -> str:
        text = _word(value)
        return (
            text if len(alike[name, text]) == 1 else f"{text}@{hashlib.sha256(_whole(value).encode()).hexdigest()[:6]}"
        )

    return [{name: word(name, value) for name, value in one.items()} for one in given]


def labels(variants: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """What a run's variants are called, by name and changed options: ``short (goal=15, both_win=draw)``."""
    words = worded([given for _, given in variants])
    changed = [", ".join(f"{key}={word}" for key, word in one.items()) for one in words]
    return [f"{name} ({text})" if text else name for (name, _), text in zip(variants, changed, strict=True)]


def _word(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("id") or value.get("title") or "own"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _whole(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
