"""Files of a user's own: bots, the modules beside them that they import, and the data that they read.

Each bot file is a module of a package made of its folder, so ``import helper`` finds ``helper.py`` beside it wherever
the program is started, and helpers of the same name in other folders are other modules. Modules of Python and of this
program come first, then those of the folder, then installed ones. Python's byte code files are not used: one of the
same size and time might be older.

What each file draws on is kept: it decides what compiled code and results depend on (:func:`files`).
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.cache import ROOT

_PREFIX = "own_bots_"  # of the packages that stand for folders
_OURS = frozenset({"engine", "bots", "storage", "tournament", "cli"})
_known: dict[Path, tuple[ModuleType, str]] = {}  # bot files that are loaded, and the hash of what they are made of
_draws: dict[Path, set[Path]] = {}  # files that a file draws on directly
_contents: dict[Path, bytes] = {}  # hashes of users' files as they were loaded


def load(path: Path) -> ModuleType:
    """The module of a file; made anew if it, or any file it draws on, has changed. Raises whatever the file raises."""
    full = path.resolve()
    if full in _known and _known[full][1] == _hash(full):
        return _known[full][0]
    package = _package(full.parent)
    if any(_content(file) != content for file, content in _contents.items() if file.is_relative_to(full.parent)):
        for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
            del sys.modules[name]
    name = f"{package}.{full.stem}"
    spec = importlib.util.spec_from_file_location(name, full, loader=_Loader(name, str(full)))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with contextlib.redirect_stdout(sys.stderr):  # what it prints must not be taken for results
        spec.loader.exec_module(module)
    _known[full] = module, _hash(full)
    return module


def is_own(file: Path) -> bool:
    """Is it a file that :func:`load` has loaded, for itself or for another one?"""
    return file in _draws


def is_users(file: Path) -> bool:
    """Is it a file that :func:`load` or :func:`data` has read, not one of the program?"""
    return not _is_ours(file)


def files(path: Path) -> tuple[Path, ...]:
    """A user's file and all files that it draws on: modules and data of the user's, modules of this program."""
    found: dict[Path, None] = {}
    waiting = [path.resolve()]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found[file] = None
            waiting += _draws.get(file, ())
            if _is_ours(file):
                found.update(dict.fromkeys(_with(file)))
    return tuple(sorted(found))


def data(name: str) -> bytes:
    """What the file ``name`` beside the calling module holds; results then depend on it as on the module.

    For tables and weights that a bot reads when it is imported. Raises OSError if it cannot be read.
    """
    caller = Path(sys._getframe(1).f_globals["__file__"]).resolve()
    file = (caller.parent / name).resolve()
    content = file.read_bytes()
    _draws.setdefault(caller, set()).add(file)
    _contents[file] = hashlib.sha256(content).digest()
    return content


def place(error: BaseException) -> str:
    """Where in a user's file something went wrong, ``file.py, line 3``; '' if it did not in any."""
    found = ""
    names = {path.name: path for path in _draws}
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        # Compiled code is kept by content: it names the file that it was first compiled from, which may be a copy.
        here = file if is_own(file) else names.get(file.name) if not file.is_relative_to(ROOT) else None
        if here:
            found = f"{here}, line {line}"
    return found


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    for file in files(path):
        if not _is_ours(file):
            digest.update(os.fsencode(file))
            digest.update(_content(file))
    return digest.hexdigest()


def _content(file: Path) -> bytes:
    """A hash of what a file holds; nothing if it is gone."""
    try:
        return hashlib.sha256(file.read_bytes()).digest()
    except OSError:
        return b""


def _package(folder: Path) -> str:
    """The package that stands for a folder; the name lasts, as compiled code looks modules up."""
    name = _PREFIX + hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the source itself, and sees what it imports."""

    def get_code(self, fullname: str) -> Any:
        content = Path(self.path).read_bytes()
        _contents[Path(self.path).resolve()] = hashlib.sha256(content).digest()
        return compile(content, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        file = Path(self.path).resolve()
        _draws[file] = set()
        package = module.__name__.partition(".")[0]

        def imported(name: str, *rest: Any) -> Any:
            return _import(file, package, name, *rest)

        vars(module)["__builtins__"] = {**vars(builtins), "__import__": imported}
        super().exec_module(module)


def _import(
    file: Path, package: str, name: str,
    names: Any = None, local: Any = None, wanted: Sequence[str] | None = (), level: int = 0,
) -> Any:  # fmt: skip
    """``import`` in a user's file: what lies in the folder of the bot is taken from there."""
    first = name.partition(".")[0]
    if level == 0 and first not in _OURS and first not in sys.stdlib_module_names and _find(package, first):
        found = builtins.__import__(f"{package}.{name}", names, local, wanted or ("__name__",), 0)
        result = found if wanted else sys.modules[f"{package}.{first}"]
    else:
        found = result = builtins.__import__(name, names, local, wanted, level)
        if level == 0 and not wanted:
            found = sys.modules.get(name, result)
    parts = name.split(".")
    passed = [sys.modules.get(".".join([package, *parts[: n + 1]])) for n in range(len(parts))] if level == 0 else []
    for module in (*passed, found, *(getattr(found, part, None) for part in wanted or ())):
        origin = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
        if origin and (is_own(Path(origin).resolve()) or _is_ours(Path(origin).resolve())):
            _draws[file].add(Path(origin).resolve())
    return result


def _is_ours(file: Path) -> bool:
    return file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in _OURS


def _find(package: str, name: str) -> Path | None:
    """The file of a module of a package of a user's."""
    for folder in sys.modules[package].__path__:
        for file in (Path(folder, f"{name}.py"), Path(folder, name, "__init__.py")):
            if file.is_file():
                return file
    return None


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules of users' folders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """See :class:`importlib.abc.MetaPathFinder`."""
        package, _, name = fullname.rpartition(".")
        if not fullname.startswith(_PREFIX) or package not in sys.modules:
            return None
        file = _find(package, name)
        if file is None:
            return None
        inside = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _Loader(fullname, str(file))
        return importlib.util.spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=inside)


sys.meta_path.insert(0, _Finder())


def _with(file: Path) -> Iterator[Path]:
    """What a module of this program may draw on besides the engine: its folder, and a bot's game."""
    folder = file.parent
    yield from folder.glob("*.py")
    if folder.parent == ROOT / "bots":
        yield from (ROOT / "engine" / "games" / folder.name).glob("*.py")
