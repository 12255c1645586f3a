"""Texts that people write, in whatever encoding their editor chose, and numbers that they read."""

from __future__ import annotations

import codecs
from pathlib import Path

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def plural(number: int, one: str, many: str = "") -> str:
    """A number and what it counts: ``1 deal``, ``2,000 matches``; ``many``: what is not only ``one`` with an ending."""
    return f"{number:,} {one if number == 1 else many or one + ('es' if one.endswith('ch') else 's')}"


def read_text(path: Path) -> str:
    """The text of a file: UTF-8, or what its byte order mark says; line ends become ``\\n``.

    Raises OSError, and UnicodeDecodeError for what is no text.
    """
    data = path.read_bytes()
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
