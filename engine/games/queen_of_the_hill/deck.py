"""Queen of the Hill: decks as data (``docs/rules/queen_of_the_hill.md``, section k).

The published card list is not available, so the built-in decks are stand-ins of our own. An owner of the game can
transcribe the real cards into a TOML file; the comment at the top of ``queen_of_the_hill_deck.toml`` is its format.
"""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import UsageError, listed
from engine.text import read_text

Content = dict[str, Any]

SCHEMA = "hilltop-queen-deck/1"
BUILT_IN = {"standin": "queen_of_the_hill_deck.toml", "standin_plus": "queen_of_the_hill_deck_plus.toml"}

TYPES = ("dark_one", "warrior", "item")
WITH_AMOUNT = ("discard_battle", "discard_ready", "peek", "mill", "bonus", "penalty")
EFFECTS = (*WITH_AMOUNT, "escape", "cancel")
TIMINGS = ("drawing", "tally", "own_turn", "any")
TARGETS = ("others", "any")

MOST_KINDS = 32
FEWEST_CARDS, MOST_CARDS = 10, 250
MOST_LETTERS = 100  # of a name
_NAME = f"1 to {MOST_LETTERS} letters, digits, signs and spaces, no control characters"
MOST_COPIES, MOST_POINTS, MOST_AMOUNT = 100, 20, 20

_DECK_KEYS = ("schema", "id", "title", "stand_in", "kind")
_KIND_KEYS = ("id", "name", "type", "count", "points", "effect", "timing", "amount", "target")
_BLOCK = re.compile(r"^\s*\[\[\s*kind\s*\]\]")


def parse(value: Any) -> str | Content:
    """The value of rule option ``deck``: a built-in id, or deck data (given as it is, as JSON text or by its file).

    Raises UsageError naming the kind at fault, and for a file the line where that kind begins.
    """
    if isinstance(value, dict):
        check(value, "the deck")
        return value
    if not isinstance(value, str):
        raise UsageError(f"rule option deck cannot be {_shown(value)}; {_allowed()}")
    if value in BUILT_IN:
        return value
    if value.lstrip().startswith("{"):
        try:
            content = json.loads(value)
        except ValueError as error:
            raise UsageError(f"the deck is not valid JSON: {error}") from None
        except RecursionError:
            raise UsageError("the deck is nested too deeply to be one") from None
        return parse(content)
    return _read_file(value)


def _read_file(name: str) -> Content:
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"there is no deck '{name}'; {_allowed()}")
    where = f"deck file {name}"
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{where} cannot be read: {error}") from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not valid TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{where} is nested too deeply to be a deck") from None
    check(content, where, [number for number, line in enumerate(text.splitlines(), 1) if _BLOCK.match(line)])
    return content


def content_of(deck: str | Content) -> Content:
    """The deck data behind a value of rule option ``deck``."""
    return _built_in(deck) if isinstance(deck, str) else deck


@functools.cache
def _built_in(name: str) -> Content:
    path = Path(__file__).parent / BUILT_IN[name]
    return tomllib.loads(path.read_text(encoding="utf-8"))


def ids_of(deck: str | Content) -> list[str]:
    """How its cards are written, in the order of their numbers."""
    return [kind["id"] for kind in content_of(deck)["kind"]]


def names_of(deck: str | Content) -> list[str]:
    """How its cards are called, in the order of their numbers."""
    return [kind.get("name", kind["id"]) for kind in content_of(deck)["kind"]]


def is_stand_in(deck: str | Content) -> bool:
    """Whether this is anything but the published card list."""
    return bool(content_of(deck).get("stand_in", True))


# ---------------------------------------------------------------- checks, in the order of the format's comment


def check(content: Content, where: str, lines: Sequence[int] = ()) -> None:
    """Raise UsageError with the first thing wrong with a deck. ``lines``: where its kinds begin, if that is known."""

    def fail(what: str) -> None:
        raise UsageError(f"{where}: {what}")

    _only(content, _DECK_KEYS, "the deck", fail)
    if content.get("schema", SCHEMA) != SCHEMA:
        fail(f"the schema cannot be {_shown(content['schema'])}; allowed: {SCHEMA}")
    for key in ("id", "title"):
        if not _is_name(content.get(key, "-")):
            fail(f"the deck's {key} cannot be {_shown(content[key])}; allowed: {_NAME}")
    if not isinstance(content.get("stand_in", True), bool):
        fail(f"stand_in must be true or false, not {_shown(content['stand_in'])}")
    kinds = content.get("kind")
    if not isinstance(kinds, list) or not kinds:
        fail("a list of kinds is missing: one [[kind]] block for each card")
        return
    if len(kinds) > MOST_KINDS:
        fail(f"it has {len(kinds)} kinds; allowed: at most {MOST_KINDS}")
    first: dict[str, int] = {}
    for number, kind in enumerate(kinds):
        place = _place(number, lines if len(lines) == len(kinds) else ())
        _check_kind(kind, f"{where}, {place}")
        if kind["id"] in first:
            earlier = _place(first[kind["id"]], lines if len(lines) == len(kinds) else ())
            fail(f"{place} has the same id '{kind['id']}' as {earlier}")
        first[kind["id"]] = number
    size = sum(kind["count"] for kind in kinds)
    if not FEWEST_CARDS <= size <= MOST_CARDS:
        fail(f"the counts add up to {size} cards; allowed: {FEWEST_CARDS} to {MOST_CARDS}")


def _place(number: int, lines: Sequence[int]) -> str:
    return f"kind number {number + 1}" + (f" (line {lines[number]})" if lines else "")


def _check_kind(kind: Any, where: str) -> None:
    """Raise UsageError with the first thing wrong with a kind."""

    def fail(what: str) -> None:
        raise UsageError(f"{where}: {what}")

    if not isinstance(kind, dict):
        fail(f"a kind must be an object, not {_shown(kind)}")
    name = kind.get("id")
    if name is None:
        fail("the id is missing")
    if not isinstance(name, str) or not re.fullmatch("[a-z0-9_]+", name):
        fail(f"the id cannot be {_shown(name)}; allowed: small letters a-z, digits and _")
    _only(kind, _KIND_KEYS, name, fail)
    for key in ("type", "count", "points"):
        if key not in kind:
            fail(f"{name} has no {key}")
    if not _is_name(kind.get("name", "-")):
        fail(f"the name of {name} cannot be {_shown(kind['name'])}; allowed: {_NAME}")
    _choice(kind, "type", TYPES, fail)
    _whole(kind, "count", 1, MOST_COPIES, fail)
    _whole(kind, "points", 0, MOST_POINTS if kind["type"] == "warrior" else 0, fail)
    effect = kind.get("effect")
    if "effect" in kind:
        _choice(kind, "effect", EFFECTS, fail)
        if kind["type"] == "dark_one":
            fail(f"{name} is a Dark One and cannot have an effect")
        if "timing" not in kind:
            fail(f"{name} has an effect and needs a timing; allowed: {listed(TIMINGS)}")
        _choice(kind, "timing", TIMINGS, fail)
        if effect == "escape" and kind["timing"] == "tally":
            fail(f"{name} cannot escape at the tally; allowed timings: drawing, own_turn, any")
    elif "timing" in kind:
        fail(f"{name} has a timing but no effect")
    if effect in WITH_AMOUNT:
        if "amount" not in kind:
            fail(f"{name} needs an amount for its effect {effect}; allowed: 1 to {MOST_AMOUNT}")
        _whole(kind, "amount", 1, MOST_AMOUNT, fail)
    elif "amount" in kind:
        fail(f"{name} has an amount, which only goes with {listed(WITH_AMOUNT)}")
    if "target" in kind:
        if effect != "discard_battle":
            fail(f"{name} has a target, which only goes with discard_battle")
        _choice(kind, "target", TARGETS, fail)


def _only(given: Content, allowed: Sequence[str], owner: str, fail: Callable[[str], None]) -> None:
    for key in given:
        if key not in allowed:
            fail(f"{owner} has an unknown key '{key}'; allowed: {listed(allowed)}")


def _choice(kind: Content, key: str, allowed: Sequence[str], fail: Callable[[str], None]) -> None:
    if not isinstance(kind[key], str) or kind[key] not in allowed:
        fail(f"the {key} of {kind['id']} cannot be {_shown(kind[key])}; allowed: {listed(allowed)}")


def _whole(kind: Content, key: str, low: int, high: int, fail: Callable[[str], None]) -> None:
    value = kind[key]
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        allowed = f"{low} to {high}" if high > low else f"{low} for type {kind['type']}"
        fail(f"the {key} of {kind['id']} cannot be {_shown(value)}; allowed: {allowed}")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MOST_LETTERS and value.isprintable()


def _allowed() -> str:
    return f"allowed: {listed(BUILT_IN)}, the path of a TOML file, or the file's content as JSON"


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, default=str)
    except RecursionError:
        text = "..."
    return text if len(text) <= 60 else text[:57] + "..."
