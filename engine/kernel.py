"""Compiling: the ``kernel`` decorator, the disk cache it uses, and functions bound to a game.

Numba's own disk cache looks at one source file at a time: it does not see that a function called from another
file has changed. So every kernel is cached in a folder named after a hash of *all* sources it may be compiled
from (:func:`source_hash`), the versions of the compiler and the flags that change the code it makes. A changed
rule or bot therefore never runs stale code, and an unchanged one compiles nothing.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, with the same results.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import overload

ROOT = Path(__file__).resolve().parent.parent
INTERPRETED = bool(numba.config.DISABLE_JIT)

# The flags that change what is compiled from the same source.
_FLAGS = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_DISABLE_JIT",
    "NUMBA_OPT",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
    "NUMBA_DEBUGINFO",
)

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F, *, sources: Iterable[Path] | None = None, inline: bool = False) -> F:
    """Compile ``function`` when it is first called, through a disk cache that never serves stale code.

    ``sources`` are the files it may draw code from; by default those of :func:`sources_of` its own file. ``inline``:
    see :func:`inlined`.
    """
    files = tuple(sources) if sources is not None else sources_of(Path(function.__code__.co_filename))
    # Numba reads the folder when it decorates, so each group of sources can have its own.
    numba.config.CACHE_DIR = str(cache_folder(files))
    # "numpy" drops the checks for division by zero: no kernel divides by a number that can be zero.
    # Without memory of its own to manage, a kernel need not count who uses an array: that is a fifth of a short one.
    compiled = numba.njit(cache=True, error_model="numpy", _nrt=_owns_memory(files), forceinline=inline)
    return compiled(function)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """A kernel whose code is put into each kernel that calls it.

    For small steps of every decision, where calls cost more than the steps. Left to itself the compiler calls more than
    is good for rules: with its steps inlined Queen of the Hill is half as fast again. What is rare or long and called
    from several places is better left a plain ``kernel``.
    """
    return kernel(function, inline=True)


@functools.cache
def _owns_memory(files: tuple[Path, ...]) -> bool:
    """Whether kernels of these files may make arrays: those of rules and bots only where one imports ``records``.

    For all files of a game alike: an array that one kernel makes must be counted by each kernel that it comes to. A
    kernel that makes arrays in any other way does not compile.
    """
    ours = all(path.is_relative_to(ROOT / "engine") or path.is_relative_to(ROOT / "bots") for path in files)
    makes = re.compile(r"^from engine\.kernel import .*\brecords\b", re.MULTILINE)
    return not ours or any(makes.search(path.read_text(encoding="utf-8")) for path in files)


def records(n: int, dtype: np.dtype[Any]) -> Any:
    """``n`` records of zeros, for a kernel that plans on positions of its own; not for the rules or the match loop.

    Two rules keep compiled code right. Only a kernel that has been *handed* a record may store into an array inside it:
    where the array of records itself is a local variable, Numba can drop such a store as dead. And the array must be
    used once more after the last use of a record taken from it, or it is freed too early.
    """
    return np.zeros(n, dtype).view(np.recarray)


# Numba compares the argument lists, annotations included, so this one has none.
@overload(records)
def _records(n, dtype):
    return lambda n, dtype: np.zeros(n, dtype)


def bind(template: F, functions: dict[str, Any], sources: Iterable[Path]) -> F:
    """A copy of ``template`` whose global names are replaced by ``functions``, as a kernel.

    One generic loop, written once, becomes a loop over one game's own functions with direct calls that the compiler
    can inline. (Functions passed as arguments or captured in a closure would miss the disk cache in the next process.)
    """
    namespace = {**template.__globals__, **functions}
    bound = FunctionType(template.__code__, namespace, template.__name__, template.__defaults__)
    bound.__qualname__ = template.__qualname__
    bound.__module__ = template.__module__
    return kernel(bound, sources=sources)  # type: ignore[return-value]


@functools.cache
def sources_of(file: Path) -> tuple[Path, ...]:
    """The files whose code may be compiled into a kernel of ``file``: the engine, its own folder, its game."""
    file = file.resolve()
    folders = [ROOT / "engine", file.parent]
    game = ROOT / "engine" / "games" / file.parent.name
    if file.parent.parent == ROOT / "bots" and game.is_dir():
        folders.append(game)
    if not file.is_relative_to(ROOT):  # a user's own bot file: it may call anything of its game
        games = sorted(path for path in (ROOT / "engine" / "games").iterdir() if path.is_dir())
        return (*_python_files([ROOT / "engine", ROOT / "bots", *games]), file)
    return _python_files(folders)


def _python_files(folders: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(sorted({path for folder in folders for path in folder.glob("*.py")}))


def source_hash(files: Iterable[Path]) -> str:
    """SHA-256 (hex) of the names and contents of ``files``."""
    digest = hashlib.sha256()
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@functools.cache
def cache_folder(files: tuple[Path, ...]) -> Path:
    """Where kernels compiled from ``files`` are kept: a folder that the user can write, named by their hash."""
    compiler = repr((sys.version_info[:2], numba.__version__, np.__version__))
    flags = repr([(flag, os.environ.get(flag)) for flag in _FLAGS])
    name = hashlib.sha256((source_hash(files) + compiler + flags).encode()).hexdigest()[:24]
    for base in _cache_bases():
        folder = base / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return _last_resort()


@functools.cache
def _last_resort() -> Path:
    """A folder for this process alone, when nothing can be kept for the next one."""
    folder = Path(tempfile.mkdtemp(prefix="hilltop-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tried = " and ".join(str(base) for base in _cache_bases())
    sys.stderr.write(
        f"hilltop: {tried} cannot be written, so everything is compiled anew; HILLTOP_CACHE names another\n"
    )
    return folder


def _cache_bases() -> list[Path]:
    chosen = os.environ.get("HILLTOP_CACHE")
    if chosen:
        return [Path(chosen)]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [home / "hilltop" / "kernels", Path(tempfile.gettempdir()) / f"hilltop-kernels-{os.getuid()}"]
