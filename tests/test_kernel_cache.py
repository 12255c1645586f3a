"""Compiled code is kept between processes, and never outlives the source that it was compiled from."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import kernel
from tests.program import BOTS, ROOT, environment, hilltop

PACKAGES = ("engine", "bots", "storage", "tournament", "cli")
OWN_BOT = """
from bots.bot import Bot
from engine.kernel import kernel

@kernel
def decide(view, rules, moves, count, params, luck):
    return {choice}

BOT = Bot("own", "One of the moves.", decide)
"""
FIRST, LAST = "0        ", "count - 1"  # as long as each other

# Counts what Numba compiles, from the first import on.
COUNTING = """
import numba.core.event as event

class Compiled(event.Listener):
    functions = []
    def on_start(self, what):
        self.functions.append(str(what.data["dispatcher"]))
    def on_end(self, what):
        pass

event.register("numba:compile", Compiled())
"""
PLAYING = """
import hashlib, json, sys
from engine.cache import ROOT
from tournament.plan import plan_run
from tournament.worker import Worker

plan = plan_run("cuttle", sys.argv[1], matches=60, seed=8)
rows = Worker(plan.settings).play(0, plan.matches).rows
facts = {"digest": hashlib.sha256(rows.tobytes()).hexdigest(), "fingerprint": plan.fingerprint, "root": str(ROOT)}
print(json.dumps(facts | {"compiled": Compiled.functions}))
"""


def played(bots: str, root: Path, cwd: Path, **env: str) -> dict[str, Any]:
    """Digest of some matches and what was compiled for them, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTING + PLAYING, bots],
        cwd=cwd,
        env=environment(**{"PYTHONPATH": str(root), **env}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    assert facts["root"] == str(root)
    return facts


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    commands = f"""
import sys
from cli.main import run_command
for words in [
    "run cuttle --bots {BOTS} --matches 60 --workers 0",
    "show latest",
    "rate",
    "replay latest 3",
    "trace cuttle --bots greedy,points_rush --legal --positions",
    "scenario {ROOT / "tests" / "scenarios" / "cuttle.json"}",
]:
    assert run_command(words.split()) == 0
print(len(Compiled.functions), Compiled.functions)
"""
    counts = []
    for attempt in range(2):
        done = subprocess.run(
            [sys.executable, "-c", COUNTING + commands],
            cwd=tmp_path,
            env=environment(HILLTOP_DB=f"{attempt}.duckdb"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        counts.append(done.stdout.splitlines()[-1])
    assert counts[1] == "0 []"


def test_a_changed_source_is_compiled_again(tmp_path: Path) -> None:
    """In a copy of the package, with a cache of its own; interpreted code says what is right."""
    root, cache = tmp_path / "copy", tmp_path / "cache"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    warm = {"HILLTOP_CACHE": str(cache)}

    def right() -> Any:
        return played("random", root, tmp_path, NUMBA_DISABLE_JIT="1")["digest"]

    first = played("random", root, tmp_path, **warm)
    assert first["compiled"]
    assert first["digest"] == right()
    assert played("random", root, tmp_path, **warm) == {**first, "compiled": []}

    change(root / "bots" / "uniform.py", "return random_below(luck, count)", "return random_below(luck, count) // 2")
    other_bot = played("random", root, tmp_path, **warm)
    assert other_bot["compiled"]
    assert other_bot["digest"] == right() != first["digest"]

    # The match loop is in another file than the rules, and calls them.
    change(
        root / "engine" / "games" / "cuttle" / "rules.py", "state.deck[card] = card\n", "state.deck[card] = 51 - card\n"
    )
    other_rules = played("random", root, tmp_path, **warm)
    assert other_rules["compiled"]
    assert other_rules["digest"] == right() != other_bot["digest"]
    assert played("random", root, tmp_path, **warm) == {**other_rules, "compiled": []}
    assert len({facts["fingerprint"] for facts in (first, other_bot, other_rules)}) == 3


def test_an_own_bot_that_is_changed_is_compiled_again(tmp_path: Path) -> None:
    """Even if the file's size and time stay as they were."""
    path = tmp_path / "own.py"
    path.write_text(OWN_BOT.format(choice=FIRST))
    stamp = path.stat()
    first = played("own.py", ROOT, tmp_path)
    assert first["compiled"]
    assert first["digest"] == played("own.py", ROOT, tmp_path, NUMBA_DISABLE_JIT="1")["digest"]
    assert played("own.py", ROOT, tmp_path) == {**first, "compiled": []}
    path.write_text(OWN_BOT.format(choice=LAST))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert path.stat().st_size == stamp.st_size
    last = played("own.py", ROOT, tmp_path)
    assert last["digest"] == played("own.py", ROOT, tmp_path, NUMBA_DISABLE_JIT="1")["digest"] != first["digest"]
    assert last["fingerprint"] != first["fingerprint"]
    assert not (tmp_path / "__pycache__").exists()


def test_own_bots_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    for folder, choice in (("a", FIRST), ("b", LAST)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.py").write_text(OWN_BOT.format(choice=choice))
    one, other, both = (played(bots, ROOT, tmp_path) for bots in ("a/own.py", "b/own.py", "a/own.py,b/own.py"))
    assert len({one["digest"], other["digest"], both["digest"]}) == 3
    right = played("a/own.py,b/own.py", ROOT, tmp_path, NUMBA_DISABLE_JIT="1")
    assert both["digest"] == right["digest"]
    assert played("a/own.py,b/own.py", ROOT, tmp_path) == {**both, "compiled": []}


def test_two_processes_may_compile_at_once(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_BOT.format(choice="(count - 1) // 2"))
    played("random", ROOT, tmp_path)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", COUNTING + PLAYING, "own.py,random"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    digests = {json.loads(process.communicate()[0])["digest"] for process in processes}
    assert digests == {played("own.py,random", ROOT, tmp_path, NUMBA_DISABLE_JIT="1")["digest"]}
    assert played("own.py,random", ROOT, tmp_path)["compiled"] == []


# ---------------------------------------------------------------- where it is kept


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, ...]:
    """Two files that code might be compiled from."""
    files = tmp_path / "one.py", tmp_path / "two.py"
    for path in files:
        path.write_text(f"# {path.name}\n")
    return files


def folder(files: tuple[Path, ...]) -> Path:
    return kernel.cache_folder.__wrapped__(files)


def test_the_folder_depends_on_all_that_is_compiled(
    sources: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HILLTOP_CACHE", str(tmp_path / "cache"))
    first = folder(sources)
    assert first.parent == tmp_path / "cache"
    assert folder(sources) == folder(sources[::-1]) == first
    assert folder(sources[:1]) != first
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert folder(sources) != first
    monkeypatch.delenv("NUMBA_BOUNDSCHECK")
    sources[1].write_text("# too.py\n")
    assert folder(sources) != first
    sources[1].write_text("# two.py\n")
    assert folder(sources) == first
    monkeypatch.setattr("numba.__version__", "99")
    assert folder(sources) != first


def test_a_home_that_cannot_be_written(
    sources: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("HILLTOP_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = folder(sources)
    assert found.is_relative_to(tmp_path / f"hilltop-kernels-{os.getuid()}")
    assert folder(sources) == found
    # Without any lasting place, code is compiled for this process alone, which says so once.
    monkeypatch.setenv("HILLTOP_CACHE", str(tmp_path / "file"))
    assert capsys.readouterr().err == ""
    kernel._last_resort.cache_clear()
    found = folder(sources)
    assert found.is_dir()
    assert folder(sources[:1]) == found
    told = f"{tmp_path / 'file'} cannot be written, so everything is compiled anew; HILLTOP_CACHE names another"
    assert capsys.readouterr().err == f"hilltop: {told}\n"
    kernel._last_resort.cache_clear()


def test_a_folder_for_one_process_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    run = hilltop(
        "run", "cuttle", "--bots", "random", "--matches", "2", "--workers", "0", "--db", str(tmp_path / "x.duckdb"),
        env={"HILLTOP_CACHE": str(tmp_path / "file"), "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert run.returncode == 0
    assert run.stderr.count("cannot be written") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "x.duckdb"]


def test_the_sources_of_a_bot_are_all_that_it_may_call() -> None:
    for file in ("engine/loop.py", "engine/games/cuttle/rules.py", "bots/cuttle/greedy.py", "bots/uniform.py"):
        found = {path.relative_to(ROOT).as_posix() for path in kernel.sources_of(ROOT / file)}
        assert file in found
        assert {"engine/rng.py", "engine/cards.py", "engine/kernel.py"} <= found
        assert ("engine/games/cuttle/rules.py" in found) == ("cuttle" in file)
        assert ("bots/cuttle/hand.py" in found) == ("bots/cuttle" in file)
    own = {path.as_posix() for path in kernel.sources_of(Path("/somewhere/own.py"))}
    assert {"/somewhere/own.py", f"{ROOT}/engine/games/cuttle/rules.py", f"{ROOT}/bots/bot.py"} <= own
