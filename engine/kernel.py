"""Kernels: functions that are compiled when they are first needed, and bound to a game.

Compiled code is kept on disk under a hash of *all* sources it may be made from (``engine/cache.py``), with the versions
of the compiler and the flags that change the code it makes. So a changed rule or bot never runs stale code, and an
unchanged one compiles nothing.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, with the same results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from numba.extending import overload

from engine import userfiles
from engine.cache import ROOT
from engine.compiler import INTERPRETED, Kernel

F = TypeVar("F", bound=Callable[..., Any])


def kernel(
    function: F,
    *,
    sources: Iterable[Path] | None = None,
    inline: bool = False,
    allocates: bool | None = None,
    label: str = "",
) -> F:
    """Compile ``function`` when it is first called, through a disk cache that never serves stale code.

    ``sources`` are the files it may draw code from; by default those of :func:`sources_of` its own file. ``inline``:
    see :func:`inlined`. ``allocates``: does it make arrays, other than by :func:`records`? Rules and bots that do must
    say so, or do not compile: where one kernel makes arrays, all that are compiled with it count who uses them, which
    is a fifth of a short one. Kernels of other files, a user's own bots among them, may. ``label`` tells apart
    functions bound from one template.
    """
    if INTERPRETED:
        function.__kernel__ = True  # type: ignore[attr-defined]
        return function
    if allocates is None:
        file = Path(function.__code__.co_filename).resolve()
        allocates = not (file.is_relative_to(ROOT / "engine") or file.is_relative_to(ROOT / "bots"))

    def files() -> tuple[Path, ...]:
        return tuple(sources) if sources is not None else sources_of(Path(function.__code__.co_filename))

    return Kernel(function, files, inline, allocates, label)


def is_kernel(function: Any) -> bool:
    """Has it been made by :func:`kernel`? Interpreted it is a function all the same."""
    return isinstance(function, Kernel) or hasattr(function, "__kernel__")


def inlined(function: F) -> F:
    """A kernel whose code is put into each kernel that calls it.

    For small steps of every decision, where calls cost more than the steps. Left to itself the compiler calls more than
    is good for rules: with its steps inlined Queen of the Hill is half as fast again. What is rare or long and called
    from several places is better left a plain ``kernel``.
    """
    return kernel(function, inline=True)


def records(n: int, dtype: np.dtype[Any]) -> Any:
    """``n`` records of zeros, for a kernel that plans on positions of its own; not for the rules or the match loop.

    Two rules keep compiled code right. Only a kernel that has been *handed* a record may store into an array inside it:
    where the array of records itself is a local variable, Numba can drop such a store as dead. And the array must be
    used once more after the last use of a record taken from it, or it is freed too early.
    """
    return np.zeros(n, np.dtype((_Planned, dtype)))


class _Planned(np.record):  # type: ignore[misc]
    """A record made by :func:`records`. What a bot in plain Python is shown can be copied into it."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, np.asarray(value)[()] if hasattr(value, "__array__") else value)


records.allocates = True  # type: ignore[attr-defined]  # so whoever calls it need not say that it does


# Numba compares the argument lists, annotations included, so this one has none.
@overload(records)
def _records(n, dtype):
    return lambda n, dtype: np.zeros(n, dtype)


def bind(template: F, functions: dict[str, Any], sources: Iterable[Path]) -> F:
    """A copy of ``template`` whose global names are replaced by ``functions``, as a kernel.

    One generic loop, written once, becomes a loop over one game's own functions with direct calls that the compiler
    can inline. (Functions passed as arguments or captured in a closure would be compiled anew in the next process.)
    """
    namespace = {**template.__globals__, **functions}
    bound = FunctionType(template.__code__, namespace, template.__name__, template.__defaults__)
    bound.__qualname__ = template.__qualname__
    bound.__module__ = template.__module__
    label = repr(sorted((name, getattr(part, "identity", part)) for name, part in functions.items()))
    return kernel(bound, sources=tuple(sources), label=label)  # type: ignore[return-value]


def sources_of(file: Path) -> tuple[Path, ...]:
    """The files whose code may be compiled into a kernel of ``file``: the engine, its own folder, its game.

    Of a user's own file: all that it draws on (``engine/userfiles.py``), and anything that comes with the program.
    """
    file = file.resolve()
    if userfiles.is_own(file) or not file.is_relative_to(ROOT):
        folders = [path.parent for name in ("engine", "bots") for path in (ROOT / name).rglob("__init__.py")]
        return tuple({*_python_files(tuple(folders)), *userfiles.files(file)})
    folders = [ROOT / "engine", file.parent]
    game = ROOT / "engine" / "games" / file.parent.name
    if file.parent.parent == ROOT / "bots" and game.is_dir():
        folders.append(game)
    return _python_files(tuple(folders))


@functools.cache
def _python_files(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(sorted({path for folder in folders for path in folder.glob("*.py")}))
