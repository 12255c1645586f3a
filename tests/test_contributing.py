"""A game and a bot are added by what CONTRIBUTING.md names and by nothing else: done in a copy of the sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.program import ROOT, environment
from tests.toy import copy_with_toy


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
    copy, folder = copy_with_toy(tmp_path / "sources"), tmp_path / "work"
    folder.mkdir()
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for step in ("options", "state", "rules", "notation", "telemetry"):
        assert f"`{step}.py`" in told
    assert "Add the id to `GAMES` in `engine/registry.py`" in told
    assert 'Add `"my_idea"` to `NAMES`' in told
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
