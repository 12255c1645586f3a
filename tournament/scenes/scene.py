"""Zones of cards that stand for a position or a view, whatever the game."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from engine.game import RANKS

Json = dict[str, Any]
HIDDEN = "??"
SUITS = {"C": "\u2663", "D": "\u2666", "H": "\u2665", "S": "\u2660"}
SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
RANK_NAMES = {"A": "ace", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}
SKIPPED = ("by", "move", "legal", "after", "chance")


@dataclass(frozen=True)
class Card:
    """A card, or whatever takes a card's place.

    name   as the notation has it; ``??`` is face down
    note   a word on it: frozen, +2
    marks  what lies on it: Jacks, dice, pawns
    down   face down, though its name may be known
    """

    name: str
    note: str = ""
    marks: tuple[str, ...] = ()
    down: bool = False

    @property
    def hidden(self) -> bool:
        """Is its face not seen?"""
        return self.name == HIDDEN


@dataclass(frozen=True)
class Zone:
    """Cards that lie together. ``places`` puts each at (x, y), y upwards; else they lie in a row. ``seat`` owns it."""

    title: str
    cards: tuple[Card, ...]
    note: str = ""
    seat: int | None = None
    places: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class Scene:
    """A table: a sentence on how things stand, and its zones in the order in which to read them."""

    status: str
    zones: tuple[Zone, ...] = field(default=())


def scene(game: str, shown: Json, names: Sequence[str]) -> Scene:
    """The table of a position or a view; ``names`` are the players', by seat."""
    module = _module(game)
    if module is None:
        return plain(shown, names)
    laid: Scene = module.scene(shown, names)
    return replace(laid, zones=tuple(zone for zone in laid.zones if zone.cards or zone.note))


def _module(game: str) -> ModuleType | None:
    """What a game says of its table; None if it says nothing."""
    try:
        return importlib.import_module(f"tournament.scenes.{game}")
    except ModuleNotFoundError as error:
        if error.name != f"tournament.scenes.{game}":
            raise
        return None


def move_words(game: str, shown: Json, move: Json) -> str:
    """A move in words, with the names of what it touches on this table where the game has them."""
    own = getattr(_module(game), "move_words", None)
    return words(move) if own is None else str(own(shown, move))


def plain(shown: Json, names: Sequence[str]) -> Scene:
    """The table of a game that says nothing of how it is laid out: a zone a list of texts."""
    zones: list[Zone] = []
    said = []
    for key, value in shown.items():
        if isinstance(value, Mapping) and key[:1] == "p" and key[1:].isdigit():
            seat = int(key[1:])
            zones += [
                Zone(f"{who(names, seat)}: {name}", cards(part), seat=seat)
                for name, part in value.items()
                if _is_texts(part)
            ]
            said += [f"{who(names, seat)}: {name} {part}" for name, part in value.items() if not _is_texts(part)]
        elif _is_texts(value):
            zones.append(Zone(key, cards(value)))
        else:
            said.append(f"{key} {value}")
    return Scene(", ".join(said), tuple(zones))


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def cards(names: Sequence[str], notes: Mapping[str, str] | None = None) -> tuple[Card, ...]:
    """Cards by their names; ``notes`` by name."""
    return tuple(Card(name, (notes or {}).get(name, "")) for name in names)


def pile(title: str, count: int) -> Zone:
    """A face-down pile of which only the size matters."""
    return Zone(title, (Card(HIDDEN, str(count)),) if count else (), "" if count else "empty")


def who(names: Sequence[str], seat: int | None) -> str:
    """A player."""
    return "nobody" if seat is None else f"{names[seat]} (seat {seat})"


def plural(count: int, one: str, many: str = "") -> str:
    """``1 card``, ``2 cards``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def count_of(shown: Json, name: str) -> int:
    """How many cards a pile has, in a position or a view."""
    return len(shown[name]) if name in shown else int(shown.get(f"{name}_count", 0))


def is_suited(name: str) -> bool:
    """Is it a rank and a suit?"""
    return len(name) == 2 and name[0] in RANKS and name[1] in SUITS


def said(name: str) -> str:
    """A card as a screen reader says it: ``ace of clubs``."""
    if name == HIDDEN:
        return "face-down card"
    if is_suited(name):
        return f"{RANK_NAMES.get(name[0], name[0])} of {SUIT_NAMES[name[1]]}"
    return name.replace("_", " ")


def face(name: str) -> str:
    """A card as it is printed: its rank and suit sign."""
    if is_suited(name):
        return ("10" if name[0] == "T" else name[0]) + SUITS[name[1]]
    return name


def words(move: Json) -> str:
    """A move or a chance event in words."""
    kind = str(move.get("move", move.get("chance"))).replace("_", " ")
    rest = {key: value for key, value in move.items() if key not in SKIPPED and value is not None}
    first = rest.pop("card", None)
    told = [kind, *([_value(first)] if first is not None else [])]
    if "put" in rest:
        told.append(", ".join(f"{die} on place {place}" for die, place in rest.pop("put")))
    if {"x", "y"} <= rest.keys():
        told.append(f"at {rest.pop('x')}, {rest.pop('y')}")
    for key, value in rest.items():
        link = {"target": "at", "target2": "and", "to": "to", "as": "as", "by": "by"}.get(key, key)
        told += [link, _value(value)] if value not in ([], 0) or key in ("to", "seat") else []
    return " ".join(told)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_value(one) for one in value) if value else "-"
    if isinstance(value, str):
        return face(value).replace("_", " ")
    return str(value)


def step_words(step: Json, names: Sequence[str]) -> str:
    """A step in words, and whose it is."""
    return f"{names[step['by']] if 'by' in step else 'chance'}: {words(step)}"


def of_card(move: Json) -> str | None:
    """The card of a hand that a move is made with; None if it is made with none."""
    for key in ("card", "give"):
        if isinstance(move.get(key), str):
            return str(move[key])
    for key in ("attack", "cards"):
        if move.get(key):
            return str(move[key][0])
    return None
