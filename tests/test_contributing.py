"""A game and a bot are added by what CONTRIBUTING.md names and by nothing else: done in a copy of the sources."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.program import ROOT, environment


def run_in(copy: Path, folder: Path, *arguments: str, after: str = "") -> subprocess.CompletedProcess[str]:
    """The program from a copy of the sources."""
    code = f"import sys; sys.path.insert(0, {str(copy)!r})\nfrom cli.main import run_command\n"
    code += f"code = run_command({list(arguments)!r})\n{after}\nsys.exit(code)"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**environment(), "PYTHONPATH": str(copy), "HILLTOP_DB": "x.duckdb", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_game_and_a_bot_are_added_as_told(tmp_path: Path) -> None:
    copy, folder = tmp_path / "sources", tmp_path / "work"
    folder.mkdir()
    for package in ("engine", "bots", "storage", "tournament", "hilltop", "cli"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    game, bots = copy / "engine" / "games" / "toy", copy / "bots" / "toy"
    # Step 4: the files of a game, here those of the tests' toy.
    game.mkdir()
    (game / "__init__.py").write_text("")
    for name in ("options", "state", "rules", "notation", "telemetry"):
        assert f"`{name}.py`" in told
        source = (ROOT / "tests" / "toy" / f"{name}.py").read_text()
        source = source.replace("from tests.toy import ToyGame\n", "").replace("ToyGame(", "Game(")
        source = source.replace("from engine.game import Option\n", "from engine.game import Game, Option\n")
        (game / f"{name}.py").write_text(source)
    # Step 5: its id, and a folder for its bots.
    assert "Add the id to `GAMES` in `engine/registry.py`" in told
    registry = copy / "engine" / "registry.py"
    before = registry.read_text()
    registry.write_text(re.sub(r"GAMES = \(", 'GAMES = ("toy", ', before))
    bots.mkdir()
    (bots / "__init__.py").write_text('"""Bots of the toy."""\n\nNAMES = ("level",)\n\nPOLICY = "level"\n')
    # And a bot, steps 1 to 4 there.
    assert 'Add `"my_idea"` to `NAMES`' in told
    shutil.copy(ROOT / "tests" / "toy" / "level.py", bots / "level.py")
    for arguments, wanted in (
        (["games"], "toy"),
        (["games", "toy"], "advantage of seat 0"),
        (["bots", "toy"], "Shows always the same level."),
        (["run", "toy", "--bots", "random,level(level=3)", "--matches", "40", "--workers", "0"], "level(level=3)"),
        (["balance", "toy", "--bots", "random,level", "--matches", "40", "--workers", "0"], "Is it fair?"),
        (["show", "latest"], "Each against each"),
        (["report", "latest", "--to", "page.html"], ""),
    ):
        done = run_in(copy, folder, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
        assert wanted in done.stdout
    demo = run_in(copy, folder, "games", after="import cli.demo, engine.registry as r; print(r.game('toy').demo)")
    assert demo.stdout.endswith("100000\n")
