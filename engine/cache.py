"""Where compiled code is kept: one file a unit, named by a hash of all that the code depends on.

A file that is damaged counts as missing. Folders are read in order, and written in the first that can be; where none
can, code lives in a folder of this program alone and of the processes it starts.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent

_SHARED = "HILLTOP_CACHE_OF_PROGRAM"  # tells processes that the program starts of its folder, where nothing is kept
_MARK = b"hilltop kernel\n"
_HASH = hashlib.sha256().digest_size


def shown(path: Path) -> str:
    """A source file's name in hashes: the same wherever the program is installed."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def source_hash(files: Iterable[Path]) -> str:
    """SHA-256 (hex) of the names and contents of ``files``."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: (shown(path), path)):
        content = _content(path)
        digest.update(f"{shown(path)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _content(path: Path) -> bytes:
    return path.read_bytes()


def bases() -> list[Path]:
    """The folders in which compiled code may be kept: HILLTOP_CACHE alone, or the user's, then a temporary one."""
    chosen = os.environ.get("HILLTOP_CACHE")
    if chosen:
        return [Path(chosen)]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [home / "hilltop" / "kernels", Path(tempfile.gettempdir()) / f"hilltop-kernels-{os.getuid()}"]


def read(name: str) -> bytes | None:
    """What was kept under a name; None if there is nothing, or nothing whole."""
    for base in _readable():
        try:
            content = (base / name).read_bytes()
        except OSError:
            continue
        mark, whole, rest = (
            content[: len(_MARK)],
            content[len(_MARK) : len(_MARK) + _HASH],
            content[len(_MARK) + _HASH :],
        )
        if mark == _MARK and hashlib.sha256(rest).digest() == whole:
            return rest
    return None


def write(name: str, content: bytes) -> None:
    """Keep something under a name, for this process and later ones if that can be."""
    whole = _MARK + hashlib.sha256(content).digest() + content
    for base in bases():
        if _write(base / name, whole):
            return
    folder = _last_resort()
    if folder:
        _write(folder / name, whole)


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold a name for this process; waits for another one that holds it. Where there are no locks, goes on without."""
    held = None
    for base in bases():
        with contextlib.suppress(OSError):
            base.mkdir(parents=True, exist_ok=True)
            held = _lock(base / f"{name}.lock")
            break
    try:
        yield
    finally:
        if held:
            with contextlib.suppress(OSError):
                os.unlink(held.name)
            held.close()


def _lock(path: Path) -> IO[str]:
    while True:
        file = open(path, "a")  # noqa: SIM115
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        except FileNotFoundError:  # who held it has just let go and removed it
            pass
        except BaseException:
            file.close()
            raise
        file.close()


def _write(path: Path, content: bytes) -> bool:
    """Write a file in one step: another process sees all of it or nothing."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        taken = isinstance(error, FileExistsError)  # by a file, where the folder should be
        _failed[path.parent] = "not a directory" if taken else (error.strerror or str(error)).lower()
        with contextlib.suppress(OSError):
            part.unlink()
        return False
    return True


_failed: dict[Path, str] = {}  # folders that could not be written, and why


def _readable() -> list[Path]:
    shared = os.environ.get(_SHARED)
    return [*bases(), Path(shared)] if shared else bases()


@functools.cache
def _last_resort() -> Path | None:
    """The folder for this program alone, when nothing can be kept; says so, unless who made it has to."""
    given = os.environ.get(_SHARED)
    if given and given not in _made:
        return Path(given)
    tried = " and ".join(f"{base} cannot be written ({_failed[base]})" for base in bases())
    with contextlib.suppress(OSError):
        sys.stderr.write(f"hilltop: {tried}, so what is compiled is not kept; HILLTOP_CACHE names another folder\n")
    return _folder()


_made: set[str] = set()  # by this process


def _folder() -> Path | None:
    given = os.environ.get(_SHARED)
    if given:
        return Path(given)
    try:
        folder = tempfile.mkdtemp(prefix="hilltop-kernels-")
    except OSError:
        return None  # what is compiled lives in this process
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _made.add(folder)
    os.environ[_SHARED] = folder
    return Path(folder)


@contextlib.contextmanager
def lent() -> Iterator[None]:
    """Processes that are started meanwhile put what cannot be kept into this program's folder, which goes with it: one
    that they made themselves would be left when they are killed."""
    folder = _folder()
    try:
        yield
    finally:
        if str(folder) in _made:
            with contextlib.suppress(OSError):
                os.rmdir(str(folder))  # fails if it was needed
                _made.remove(str(folder))
                del os.environ[_SHARED]
