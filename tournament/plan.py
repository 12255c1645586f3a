"""What a run will play: its settings and line-ups. Everything here is fixed before the first match.

Matches are numbered so that the number says all: match ``m`` is deal ``m // lineups`` played by line-up
``m % lineups``. So pairings are interleaved, every line-up meets the same deals, and any part of a run can be played
anywhere, in any order, and played again. The line-ups of a variant follow each other: the matches of a deal under one
variant, a *board*, are consecutive.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bots import registry as bot_registry
from bots.bot import Entrant
from engine import registry as game_registry
from engine import userfiles
from engine.cache import ROOT, source_hash
from engine.errors import UsageError
from engine.game import Game, Options
from engine.limits import BUDGET
from engine.loop import ROW_SCORES
from engine.rng import MAX_SEED
from tournament.statistics.facts import labels
from tournament.statistics.tally import Layout, layout_for

MAX_MATCHES = 10**12
MOST_VARIANTS = 10_000
MAX_FAULTS = 10  # after which a bot is withdrawn
MOST_GROUPS = 2000  # sets of bots that share a table, before a balanced choice is made among them
ALL_ORDERS_UP_TO = 3  # seats; more are rotated (3 seats have 6 orders, 4 have 24, 6 have 720)

Seats = tuple[int, ...]


@dataclass(frozen=True)
class Lineup:
    """Bots (numbers of entrants) in seats under one of the run's variants; ``bot_set`` is shared by all seatings of
    the same bots under the same variant, whose results on a deal are one observation."""

    entrants: Seats
    variant: int
    bot_set: int


@dataclass(frozen=True)
class Variant:
    """A named set of rule options with what the user changed on top of it; ``label`` is what the run calls it."""

    name: str
    given: Options
    options: Options
    label: str


@dataclass(frozen=True)
class Plan:
    """A run that can be played. Make one with :func:`plan_run` or, from stored settings, :func:`restore`."""

    settings: dict[str, Any]
    game: Game
    players: int
    variants: tuple[Variant, ...]
    entrants: tuple[Entrant, ...]
    lineups: tuple[Lineup, ...]
    matches: int
    seed: int
    fingerprint: str  # of the code that decides results

    @property
    def board(self) -> int:
        """Matches on a board: the line-ups of a variant."""
        return len(self.lineups) // len(self.variants)

    @property
    def deals(self) -> int:
        """How many deals are played, the last one perhaps not by all line-ups."""
        return -(-self.matches // len(self.lineups))

    def locate(self, match: int) -> tuple[int, Lineup]:
        """The deal and the line-up of a match."""
        return match // len(self.lineups), self.lineups[match % len(self.lineups)]

    @property
    def notices(self) -> tuple[str, ...]:
        """What must be said wherever results are shown (guessed rules, stand-in decks)."""
        notice = self.game.notice
        said = [notice(variant.options) for variant in self.variants] if notice else []
        return tuple(dict.fromkeys(text for text in said if text))

    @property
    def names(self) -> tuple[str, ...]:
        """How the entrants are listed."""
        return listed_names(self.game.id, self.entrants)

    @property
    def telemetry(self) -> bool:
        """Is counted what happens inside matches?"""
        return bool(self.settings.get("telemetry"))

    @property
    def trusts(self) -> bool:
        """Do users' bots play unguarded, in the process that everything else is in?"""
        return bool(self.settings.get("guard", {}).get("trust"))

    @property
    def budget(self) -> int:
        """Steps that a decision of a user's bot may take."""
        return int(self.settings.get("guard", {}).get("budget", BUDGET))

    @property
    def max_faults(self) -> int:
        """Faults after which a bot is withdrawn."""
        return int(self.settings.get("guard", {}).get("faults", MAX_FAULTS))

    @property
    def checked(self) -> bool:
        """Are all bots guarded in all matches, and the first matches played again?"""
        return bool(self.settings.get("known", {}).get("check"))

    @property
    def apart(self) -> bool:
        """Is there code of a user's that is not trusted?"""
        return not self.trusts and any(entrant.own for entrant in self.entrants)

    @cached_property
    def layout(self) -> Layout:
        """What is where in the run's tally."""
        inside: tuple[tuple[str, int], ...] = ()
        if self.telemetry:
            from engine.telemetry import FIELDS

            inside = FIELDS
        return layout_for(
            self.deals,
            len(self.variants),
            self.board,
            self.players,
            len(self.game.state.REASONS),
            self.game.cooperative,
            len(self.entrants),
            inside,
            self.game.cells if inside else 0,
        )

    @property
    def rows(self) -> int:
        """Rows of the result array of a chunk."""
        return ROW_SCORES + self.players


def plan_run(
    game_id: str,
    bots: str = "all",
    variant: str = "standard",
    rules: Iterable[str] = (),
    players: int | None = None,
    matches: int = 10_000,
    seed: int = 0,
    telemetry: bool = False,
    guard: Mapping[str, Any] | None = None,
) -> Plan:
    """Check what a user asks for and plan it; raises UsageError with the first thing that is wrong.

    ``matches`` is rounded up so that each set of bots plays its last deal from all its seatings. ``guard``: see
    :func:`guarding`.
    """
    game = game_registry.game(game_id)
    return plan_variants(game_id, bots, [(variant, game.read_rules(rules))], players, matches, seed, telemetry, guard)


def guarding(trust: bool = False, budget: int = BUDGET, max_faults: int = MAX_FAULTS) -> dict[str, Any]:
    """How a run treats users' bots, as its settings say it: what differs from the default."""
    found: dict[str, Any] = {"trust": True} if trust else {}
    found |= {"budget": budget} if budget != BUDGET else {}
    return found | ({"faults": max_faults} if max_faults != MAX_FAULTS else {})


def checking(plan: Plan) -> Plan:
    """The plan with all bots guarded in all matches, whose first ones are played again: the same results."""
    return replace(plan, settings={**plan.settings, "known": {"check": True}})


def plan_variants(
    game_id: str,
    bots: str,
    variants: Sequence[tuple[str, Options]],
    players: int | None = None,
    matches: int = 10_000,
    seed: int = 0,
    telemetry: bool = False,
    guard: Mapping[str, Any] | None = None,
) -> Plan:
    """:func:`plan_run` for several variants at once, each a name and the options changed on top of it."""
    game = game_registry.game(game_id)
    seats = game.default_seats if players is None else players
    entrants = bot_registry.field(game_id, bots)
    _all_different(entrants)
    for name, own in variants:
        game.settle(game.variant(name) | own, seats)
    if not 1 <= matches <= MAX_MATCHES:
        raise UsageError(f"matches cannot be {matches}; allowed: 1 to {MAX_MATCHES}")
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed cannot be {seed}; allowed: 0 to {MAX_SEED}")
    return restore(
        {
            "game": game_id,
            "players": seats,
            "variants": [{"name": name, "rules": own} for name, own in variants],
            "bots": [entrant.spec for entrant in entrants],
            "matches": matches,
            "seed": seed,
            **({"telemetry": True} if telemetry else {}),
            **({"guard": dict(guard)} if guard else {}),
        }
    )


def _all_different(entrants: Sequence[Entrant]) -> None:
    """Raises UsageError for a bot that is named twice, however it is written."""
    seen: dict[Any, str] = {}
    for entrant in entrants:
        key = (entrant.identity, entrant.values, entrant.never)
        if key in seen:
            same = f"'{seen[key]}' and '{entrant.spec}' are the same bot" if seen[key] != entrant.spec else ""
            raise UsageError(f"{same or f'bot {entrant.spec} is named twice'}; name each bot once")
        seen[key] = entrant.spec


def listed_names(game_id: str, entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """How bots are listed: as they are written, but those of a user's file by what the file calls them, unless another
    bot is called so."""
    known = bot_registry.names(game_id)
    labels = [entrant.label for entrant in entrants]
    return tuple(
        entrant.spec if labels.count(label) > 1 or entrant.bot.title in known else label
        for entrant, label in zip(entrants, labels, strict=True)
    )


def compared(
    game_id: str, variants: Sequence[str], rules: Iterable[str] = (), sweeps: Iterable[str] = ()
) -> list[tuple[str, Options]]:
    """The variants that are to be compared: each name of ``variants`` under each combination of rule options.

    ``rules`` are ``name=value`` texts; one option given several times stands for as many variants. ``sweeps`` are
    ``name=low..high``, ``name=low..high:step`` or ``name=a|b|c``, where a comma does too if no value can hold one.
    Several such options make a grid, the last one changing fastest.
    """
    game = game_registry.game(game_id)
    values: dict[str, list[Any]] = {}
    for text in rules:
        name, value = game.read_rule(text)
        values.setdefault(name, []).append(value)
    for text in sweeps:
        name, swept = _sweep(game, text)
        if name in values:
            raise UsageError(f"rule option {name} is given twice; sweep it or set it")
        values[name] = swept
    count = len(variants) * math.prod(len(some) for some in values.values())
    if count > MOST_VARIANTS:
        raise UsageError(f"that makes {count} variants; allowed: up to {MOST_VARIANTS}")
    found = [
        (name, dict(zip(values, chosen, strict=True)))
        for name in variants
        for chosen in itertools.product(*values.values())
    ]
    for place, one in enumerate(found):
        if one in found[:place]:
            raise UsageError(f"variant {one[0]} with {one[1] or 'no changes'} is given twice")
    return found


def with_default(
    game_id: str, variants: list[tuple[str, Options]], players: int | None = None
) -> list[tuple[str, Options]]:
    """Several variants with the default rules first, as what the others are compared with; added if they are not there.

    One variant alone is not compared with anything.
    """
    if len(variants) < 2:
        return variants
    game = game_registry.game(game_id)
    seats = game.default_seats if players is None else players
    default = game.settle({}, seats)
    for place, (name, own) in enumerate(variants):
        if game.settle(game.variant(name) | own, seats) == default:
            return [variants[place], *variants[:place], *variants[place + 1 :]]
    return [("standard", {}), *variants]


def _sweep(game: Game, text: str) -> tuple[str, list[Any]]:
    name, equals, given = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"'{text}' is not a sweep; write name=low..high, name=low..high:step or name=a|b|c")
    option = game.option(name)
    if ".." not in given:
        # A comma parts values only where no value can hold one.
        comma = "|" not in given and option.kind in ("int", "bool", "text")
        return name, [option.from_text(value) for value in given.split("," if comma else "|")]
    ends, _, step = given.partition(":")
    low, _, high = ends.partition("..")
    try:
        first, last, by = int(low), int(high), int(step) if step else 1
    except ValueError:
        raise UsageError(f"sweep '{text}' needs whole numbers: name=low..high or name=low..high:step") from None
    if by < 1 or last < first:
        raise UsageError(f"sweep '{text}' holds no value; write name=low..high:step with a positive step")
    if (last - first) // by >= MOST_VARIANTS:
        raise UsageError(f"sweep '{text}' makes {(last - first) // by + 1} values; allowed: up to {MOST_VARIANTS}")
    return name, [option.check(value) for value in range(first, last + 1, by)]


def restore(settings: dict[str, Any]) -> Plan:
    """The plan that stored settings stand for: the same settings give the same plan."""
    game = game_registry.game(settings["game"])
    players = settings["players"]
    called = labels([(one["name"], one["rules"]) for one in settings["variants"]])
    variants = tuple(
        Variant(one["name"], one["rules"], game.settle(game.variant(one["name"]) | one["rules"], players), label)
        for one, label in zip(settings["variants"], called, strict=True)
    )
    entrants = tuple(entrant for spec in settings["bots"] for entrant in bot_registry.field(game.id, spec))
    groups = _solo_groups if game.cooperative else _rival_groups
    if settings.get("duel"):
        groups = _team_duel_groups if game.cooperative else _duel_groups
    lineups = [
        Lineup(seats, variant, bot_set)
        for bot_set, (variant, group) in enumerate(
            itertools.product(range(len(variants)), groups(len(entrants), players))
        )
        for seats in group
    ]
    matches = _whole(settings["matches"], lineups)
    return Plan(
        settings=settings,
        game=game,
        players=players,
        variants=variants,
        entrants=entrants,
        lineups=tuple(lineups),
        matches=matches,
        seed=settings["seed"],
        fingerprint=source_hash(sources(game.id, settings["bots"]))[:16],
    )


def sources(game: str, specs: Sequence[str]) -> list[Path]:
    """The files that decide results: engine, rules, decks and bots of the game, own bot files, and this plan."""
    folders = (ROOT / "engine", ROOT / "engine" / "games" / game, ROOT / "bots", ROOT / "bots" / game)
    files = [path for folder in folders for kind in ("*.py", "*.toml") for path in folder.glob(kind)]
    files += [ROOT / "tournament" / name for name in ("plan.py", "worker.py")]
    return list(dict.fromkeys([*files, *own_files(specs)]))


def own_files(specs: Sequence[str]) -> list[Path]:
    """The files of users' bots, and all that they draw on."""
    policies = [name.strip() for spec in specs for name in re.findall(r"policy=([^,)]+)", spec)]
    bots = [path for path in map(own_file, [*specs, *policies]) if path]
    return [*bots, *(file for path in bots for file in userfiles.files(path) if file != path.resolve())]


def own_file(spec: str) -> Path | None:
    """The file of a user's own bot; None for bots that belong to the program."""
    name = spec.partition("(")[0]
    return Path(name) if name.endswith(".py") else None


def _whole(matches: int, lineups: list[Lineup]) -> int:
    """``matches`` rounded up to where a set of bots has played its last deal from all seatings."""
    count = len(lineups)
    while matches % count and lineups[matches % count].bot_set == lineups[matches % count - 1].bot_set:
        matches += 1
    return matches


# ---------------------------------------------------------------- who sits with whom, and where


def _solo_groups(bots: int, seats: int) -> list[list[Seats]]:
    """Cooperative games: every team of bots on its own, compared on the same deals."""
    return [[places] for places in itertools.product(range(bots), repeat=seats)]


def _rival_groups(bots: int, seats: int) -> list[list[Seats]]:
    """Round robin: every set of bots that fits the table, in all its seatings. One bot alone plays itself."""
    if bots == 1:
        return [[(0,) * seats]]
    if bots < seats:  # some bots sit twice, but nobody only meets itself
        chosen = [c for c in itertools.combinations_with_replacement(range(bots), seats) if len(set(c)) > 1]
    elif math.comb(bots, seats) <= MOST_GROUPS:
        chosen = list(itertools.combinations(range(bots), seats))
    else:
        chosen = _cyclic_groups(bots, seats)
    return [seatings(group) for group in chosen]


def _duel_groups(bots: int, seats: int) -> list[list[Seats]]:
    """The first bot once, in every seat, among copies of the second."""
    return [[tuple(int(place != seat) for place in range(seats)) for seat in range(seats)]]


def _team_duel_groups(bots: int, seats: int) -> list[list[Seats]]:
    """Teams of either bot alone, compared on the same deals."""
    return [[(0,) * seats, (1,) * seats]]


def _cyclic_groups(bots: int, seats: int) -> list[Seats]:
    """A balanced choice of sets: each shape is turned through all bots, so all bots play equally often."""
    found: dict[Seats, None] = {}
    for gaps in itertools.combinations(range(1, bots), seats - 1):
        if len(found) >= MOST_GROUPS:
            break
        for start in range(bots):
            found[tuple(sorted({(start + gap) % bots for gap in (0, *gaps)}))] = None
    return list(found)


def seatings(group: Seats) -> list[Seats]:
    """The orders in which a set of bots sits down: all of them for few seats, else a balanced square.

    The square (Williams 1949) puts every bot in every seat and behind every other bot equally often: as many rows as
    seats for an even number of seats, twice as many for an odd one.
    """
    if len(group) <= ALL_ORDERS_UP_TO:
        orders: Iterable[Seats] = itertools.permutations(group)
    else:
        seats = len(group)
        zigzag = [(place + 1) // 2 if place % 2 else (seats - place // 2) % seats for place in range(seats)]
        rows = [[(step + turn) % seats for step in zigzag] for turn in range(seats)]
        if seats % 2:
            rows += [row[::-1] for row in rows]
        orders = (tuple(group[place] for place in row) for row in rows)
    return list(dict.fromkeys(orders))


def lineup_array(plan: Plan) -> np.ndarray[Any, Any]:
    """The entrants of each line-up, int64 (lineups, seats)."""
    return np.array([lineup.entrants for lineup in plan.lineups], np.int64)
