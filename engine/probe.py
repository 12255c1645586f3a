"""A first look at a user's bot file: loaded in a copy of this process, which it may end, hang or change as it likes.

What the program is made of must be the same before and after: a file that changes it when it is imported is refused.
So is one that ends the process, or does not come to an end.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from engine import cache, userfiles

SECONDS = 60.0  # that loading may take
DONE = "HILLTOP_PROBED"  # set in processes whose files another one has looked at: Ray's workers must not be copied
_OURS = ("engine", "bots", "storage", "tournament", "cli", "hilltop")
_OTHERS = ("numpy", "numba", "builtins", "random", "time", "os", "math")


def probe(path: Path) -> str:
    """What is wrong with loading a file; '' if nothing is, or if loading it here will tell."""
    if not hasattr(os, "fork") or DONE in os.environ or _seen(path):
        return ""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, none of which the copy needs
        pid = os.fork()
    if pid == 0:
        _load(path, writer)
    os.close(writer)
    answer, late = _hear(reader)
    os.close(reader)
    if late:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if late:
        return f"it is not loaded after {SECONDS:g} seconds"
    if not answer:
        code = os.waitstatus_to_exitcode(status)
        return f"it ends the program ({f'exit code {code}' if code >= 0 else signal.Signals(-code).name})"
    found = json.loads(answer)
    if found["changed"]:
        return f"it changes {', '.join(found['changed'][:3])}, which belongs to the program"
    if found["files"]:
        cache.write(_name(path), json.dumps(found["files"]).encode())
    return ""


def _name(path: Path) -> str:
    """What is kept of a look at a file goes by what the file holds."""
    return hashlib.sha256(b"probe\0" + path.read_bytes()).hexdigest()[:40]


def _seen(path: Path) -> bool:
    """Has a file, with all that it draws on, been looked at before?"""
    kept = cache.read(_name(path))
    folder = path.resolve().parent
    return kept is not None and all(_hash(folder / file) == content for file, content in json.loads(kept))


def _hash(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _hear(reader: int) -> tuple[bytes, bool]:
    """What the copy says, and whether it has not come to an end in time."""
    heard, end = b"", time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        if select.select([reader], [], [], left)[0]:
            part = os.read(reader, 1 << 16)
            if not part:
                return heard, False
            heard += part
    return heard, True


def _load(path: Path, writer: int) -> None:
    """Load the file, in the copy, and say what came of it."""
    try:
        faulthandler.disable()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        before = dict(_parts())
        with contextlib.suppress(Exception, SystemExit):
            userfiles.load(path)
        after = dict(_parts())
        folder = path.resolve().parent
        files = [file for file in userfiles.files(path) if userfiles.is_users(file)]
        told = {
            "changed": sorted(name for name, part in before.items() if after.get(name) != part),
            "files": [[os.path.relpath(file, folder), _hash(file)] for file in files],
        }
        os.write(writer, json.dumps(told).encode())
    finally:
        os._exit(0)


def _parts() -> Iterator[tuple[str, Any]]:
    """What the program is made of, by name: what each name of its modules stands for, and the code of functions."""
    for name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or name.partition(".")[0] not in (*_OURS, *_OTHERS):
            continue
        ours = name.partition(".")[0] in _OURS
        if not ours and name not in _OTHERS:
            continue
        for key, value in list(vars(module).items()):
            if not key.startswith("__") and not (ours and key.startswith("_") and not callable(value)):
                yield f"{name}.{key}", _identity(value)
            if ours and isinstance(value, type) and value.__module__ == name:
                for inner, part in list(vars(value).items()):
                    if callable(part):
                        yield f"{name}.{key}.{inner}", _identity(part)


def _identity(value: Any) -> Any:
    function = getattr(value, "py_func", value)
    return (id(value), id(function.__code__)) if isinstance(function, FunctionType) else id(value)
