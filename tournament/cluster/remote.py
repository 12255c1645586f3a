"""What runs in Ray's workers, on any node. Sent by value: a node needs Python, Ray, Numba and NumPy, not hilltop.

The source travels with the run and is unpacked once a node, under a name that is the hash of its content, so that what
is compiled from it is found again by the next run. Nothing here raises or returns objects of hilltop: whoever looks
after the workers need not be able to load any.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import platform
import socket
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

PACKAGES = ("engine", "bots", "tournament")  # what a worker is made from
COMPILERS = ("numba", "llvmlite", "numpy")  # whose versions may change results


@dataclass(frozen=True)
class Home:
    """Where a worker finds what it plays with."""

    root: str  # the folder of the source on the machine of the program
    digest: str  # of that source
    versions: dict[str, str]
    worker: str  # "module:class"
    settings: dict[str, Any]
    keep: bool  # rows of matches, or their tallies alone
    own: dict[str, dict[str, bytes]]  # own bots by the names that the settings give them: files by names in its folder
    archive: bytes | None  # the source as a zip file; None for workers on the machine of the program


def versions() -> dict[str, str]:
    """Of Python and everything that compiles."""
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    for name in COMPILERS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def sources(root: str | Path) -> list[Path]:
    """The files of the source, sorted by their names below ``root``."""
    kinds = ("*.py", "*.toml")
    return sorted(path for package in PACKAGES for kind in kinds for path in (Path(root) / package).rglob(kind))


def digest(root: str | Path) -> str:
    """A hash of the source below ``root``."""
    hashed = hashlib.sha256()
    for path in sources(root):
        content = path.read_bytes()
        hashed.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        hashed.update(content)
    return hashed.hexdigest()[:20]


def pack(root: str | Path) -> bytes:
    """The source below ``root`` as a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sources(root):
            archive.write(path, path.relative_to(root).as_posix())
    return buffer.getvalue()


class RemoteWorker:
    """An actor: a worker that says where it is, gets ready, plays, and answers with plain values."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._worker: Any = None

    def where(self) -> tuple[str, str]:
        """The name of the node, and what it has that the program has otherwise."""
        here = versions()
        wanted = self._home.versions
        other = [f"{name} {here[name]} instead of {wanted[name]}" for name in wanted if here[name] != wanted[name]]
        return socket.gethostname(), ", ".join(other)

    def prepare(self) -> tuple[str, tuple[str, str] | None]:
        """Make the worker; the hash of the code that it plays with, or the kind and sentence of what failed."""
        try:
            with _one_at_a_time():
                self._worker = self._make()
            return self._worker.fingerprint(), None
        except Exception as error:
            return "", _trouble(error)

    def play(self, first: int, end: int) -> tuple[bytes | None, float, tuple[str, str] | None]:
        """The pickled results of a chunk and the seconds they took, or the kind and sentence of what failed."""
        begun = time.perf_counter()
        try:
            results = self._worker.play(first, end)
        except Exception as error:
            return None, 0.0, _trouble(error)
        return pickle.dumps(results, protocol=5), time.perf_counter() - begun, None

    def _make(self) -> Any:
        home, settings = self._home, self._home.settings
        root = home.root
        if home.archive is not None:
            if not (os.path.isdir(root) and digest(root) == home.digest):
                root = _unpack(home)
            settings = _with_files(home)
        sys.path.insert(0, root)
        os.environ["HILLTOP_PROBED"] = "1"  # engine/probe.py: the program has looked at users' bots
        if home.archive is not None:  # elsewhere the program has compiled everything
            import_module("tournament.compiling").compile_plan(import_module("tournament.plan").restore(settings))
        module, _, name = home.worker.partition(":")
        return getattr(import_module(module), name)(settings, home.keep)


def _trouble(error: Exception) -> tuple[str, str]:
    """The kind of an error of hilltop and its sentence; of other errors their first line."""
    for kind in ("UsageError", "HilltopError"):
        if any(base.__name__ == kind for base in type(error).__mro__):
            return kind, str(error)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "", f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"


def _base() -> Path:
    """Where a node keeps what comes with runs."""
    chosen = os.environ.get("HILLTOP_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    bases = [Path(chosen)] if chosen else [home / "hilltop", Path(tempfile.gettempdir()) / f"hilltop-{os.getuid()}"]
    for base in bases:
        with contextlib.suppress(OSError):
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(base, os.W_OK) and base.stat().st_uid == os.getuid():
                return base
    return Path(tempfile.mkdtemp(prefix="hilltop-"))


def _unpack(home: Home) -> str:
    target = _base() / "source" / home.digest
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as made:
            with zipfile.ZipFile(io.BytesIO(home.archive or b"")) as archive:
                archive.extractall(Path(made) / "all")
            with contextlib.suppress(OSError):  # another worker was faster
                os.rename(Path(made) / "all", target)
    if digest(target) != home.digest:
        raise ValueError(f"the source in {target} was changed; delete that folder")
    return str(target)


def _with_files(home: Home) -> dict[str, Any]:
    """The settings with the names of own bots changed to copies on this node."""
    bots = list(home.settings["bots"])
    for name, files in home.own.items():
        folder = _base() / "own" / hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:20]
        for place, content in files.items():
            copy = folder / place
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                with tempfile.NamedTemporaryFile(dir=copy.parent, delete=False) as file:
                    file.write(content)
                os.replace(file.name, copy)
        here = str(folder / Path(name).name)
        bots = [here + spec[len(name) :] if spec.partition("(")[0] == name else spec for spec in bots]
    return {**home.settings, "bots": bots}


@contextlib.contextmanager
def _one_at_a_time() -> Any:
    """One worker of a node compiles, the others load what it has made."""
    try:
        import fcntl

        file = open(_base() / "compiling.lock", "a")  # noqa: SIM115
    except (ImportError, OSError):
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
