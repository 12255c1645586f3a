"""The version of the installed program."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """As in the package's metadata; "unknown" if it is not installed."""
    try:
        return metadata.version("hilltop")
    except metadata.PackageNotFoundError:
        return "unknown"
