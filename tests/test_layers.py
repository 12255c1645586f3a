"""Imports point down: cli -> hilltop -> tournament -> bots, storage -> engine; games do not know each other."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from engine import registry

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "engine": {"engine"},
    "bots": {"bots", "engine"},
    "storage": {"storage", "engine"},
    "tournament": {"tournament", "bots", "storage", "engine"},
    "hilltop": {"hilltop", "tournament", "bots", "storage", "engine"},
    "cli": {"cli", "hilltop", "tournament", "bots", "storage", "engine"},
    "service": {"service", "cli", "hilltop", "tournament", "bots", "storage", "engine"},
}


# Where the installed program and the service start: all that these files do is to call the layer above.
STARTS = (ROOT / "hilltop" / "start.py", ROOT / "hilltop" / "__main__.py", ROOT / "cli" / "serve.py")


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_layers(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        if path in STARTS:
            continue
        ours = {name.partition(".")[0] for name in _imports(path)} & {*MAY_IMPORT, "tests"}
        assert ours <= MAY_IMPORT[package], path


@pytest.mark.parametrize("game", registry.GAMES)
def test_games_do_not_import_each_other(game: str) -> None:
    for folder in (ROOT / "engine" / "games" / game, ROOT / "bots" / game):
        for path in folder.glob("*.py"):
            for name in _imports(path):
                parts = name.split(".")
                if parts[:2] == ["engine", "games"] or (parts[0] == "bots" and len(parts) > 2):
                    assert game in parts, f"{path} imports {name}"


def test_facts_of_games_need_no_compiler() -> None:
    for game in registry.GAMES:
        names = _imports(ROOT / "engine" / "games" / game / "options.py")
        assert not {name for name in names if name.startswith(("numba", "engine.kernel", "engine.cards"))}


def test_packages_are_listed_for_installation_inside_one() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    found = {"hilltop"}
    for package in MAY_IMPORT.keys() - {"hilltop"}:
        assert listed["package-dir"][f"hilltop.{package}"] == package
        for path in (ROOT / package).rglob("__init__.py"):
            found.add(".".join(("hilltop", *path.parent.relative_to(ROOT).parts)))
    assert set(listed["packages"]) == found


def test_no_kernel_calls_itself() -> None:
    """Numba caches such a function, but a later process that loads its caller aborts (Numba issue 9129)."""
    for package in ("engine", "bots", "tournament"):
        for path in (ROOT / package).rglob("*.py"):
            for function in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(function, ast.FunctionDef) and any(
                    isinstance(mark, ast.Name) and mark.id == "kernel" for mark in function.decorator_list
                ):
                    called = {
                        node.func.id
                        for node in ast.walk(function)
                        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                    }
                    assert function.name not in called, f"{function.name} in {path} calls itself"
