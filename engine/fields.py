"""Fields of positions in JSON, checked: what a user writes is right, or refused in one sentence (BadPosition)."""

from __future__ import annotations

from typing import Any

from engine.errors import BadPosition


def is_whole(value: Any, low: int, high: int) -> bool:
    """Is it a whole number from ``low`` to ``high``?"""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def whole(value: Any, name: str, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``."""
    if not is_whole(value, low, high):
        raise BadPosition(f"{name} cannot be {value!r}; allowed: {low if low == high else f'{low} to {high}'}")
    return int(value)


def number(given: dict[str, Any], name: str, default: int, low: int, high: int) -> int:
    """The whole number in a field, by default ``default``."""
    return whole(given.get(name, default), name, low, high)


def an_object(given: Any, where: str) -> None:
    """Refuse what is no object."""
    if not isinstance(given, dict):
        raise BadPosition(f"{where} must be an object, not {given!r}")


def only(given: Any, allowed: set[str], where: str) -> None:
    """Refuse what is no object, or has other fields."""
    an_object(given, where)
    for name in given:
        if name not in allowed:
            raise BadPosition(f"'{name}' is not a field of {where}; allowed: {', '.join(sorted(allowed))}")
