"""Is a run's code still there as it was? By hashes of files, without loading any of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from engine.text import plural

ROOT = Path(__file__).resolve().parent.parent.parent


def file_hash(path: Path) -> str:
    """The hash of what a file holds, as it is stored with a run."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def name_of(path: Path) -> str:
    """How a file is called in a run's facts: the program's own ones from its root on."""
    full = path.resolve()
    return full.relative_to(ROOT).as_posix() if full.is_relative_to(ROOT) else str(path)


def path_of(name: str) -> Path:
    """The file of that name."""
    inside = ROOT / name
    return inside if not Path(name).is_absolute() and inside.is_file() else Path(name)


def differences(code: Mapping[str, str]) -> list[str]:
    """What is not as it was: ``bots/cuttle/greedy.py has changed``, ``own.py is gone``, ``engine/new.py is new``."""
    told = []
    for name, known in code.items():
        path = path_of(name)
        if not path.is_file():
            told.append(f"{name} is gone")
        elif file_hash(path) != known:
            told.append(f"{name} has changed")
    folders = {(ROOT / name).parent for name in code if (ROOT / name).is_file()} - {ROOT / "tournament"}
    for folder in sorted(folders):
        for kind in ("*.py", "*.toml"):
            told += [f"{name_of(path)} is new" for path in sorted(folder.glob(kind)) if name_of(path) not in code]
    return told


def in_short(told: list[str], most: int = 3) -> str:
    """Differences in a sentence's part."""
    more = f" and {plural(len(told) - most, 'more file differs', 'more files differ')}" if len(told) > most else ""
    return ", ".join(told[:most]) + more
