"""Mistakes of users and of input files, each told in one sentence."""

from __future__ import annotations


class HilltopError(ValueError):
    """Something asked for cannot be done; the message names the bad value and what is allowed or to be done next."""


class UsageError(HilltopError):
    """A wrong word on the command line: unknown names, wrong types, values out of range."""


class IllegalStep(HilltopError):
    """A move or chance event that the rules do not allow here; the match is as it was."""


class BadPosition(HilltopError):
    """A position that cannot be loaded."""


def listed(words: object) -> str:
    """``a, b, c`` of any iterable, for messages."""
    return ", ".join(str(word) for word in words)  # type: ignore[attr-defined]
