"""Compiled code is kept between processes, and never outlives the source that it was compiled from."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import cache, kernel
from tests.program import BOTS, ROOT, environment, hilltop
from tests.toy import copy_with_toy
from tournament import compiling
from tournament.plan import plan_run

PAIR = np.dtype([("a", np.int64), ("b", np.int64)])
OWN_BOT = """
from bots.bot import Bot
from engine.kernel import kernel

@kernel
def decide(view, rules, moves, count, params, luck):
    return {choice}

BOT = Bot("own", "One of the moves.", decide)
"""
Filled = tuple[Path, dict[str, Any]]
FIRST, LAST = "0        ", "count - 1"  # as long as each other

# Counts what Numba compiles, from the first import on.
COUNTING = """
import numba.core.event as event

class Compiled(event.Listener):
    functions = []
    def on_start(self, what):
        self.functions.append(str(what.data["dispatcher"]).partition(" at ")[0])
    def on_end(self, what):
        pass

event.register("numba:compile", Compiled())
"""
PLAYING = """
import hashlib, json, sys
from engine.cache import ROOT
from tournament.plan import plan_run
from tournament.worker import Worker

rules = ["luck=0"] if sys.argv[2] == "toy" else []  # so that moves decide
plan = plan_run(sys.argv[2], sys.argv[1], "standard", rules, matches=60, seed=8)
rows = Worker(plan.settings).play(0, plan.matches).rows
facts = {"digest": hashlib.sha256(rows.tobytes()).hexdigest(), "fingerprint": plan.fingerprint, "root": str(ROOT)}
print(json.dumps(facts | {"compiled": Compiled.functions}))
"""


def played(bots: str, root: Path, cwd: Path, game: str = "cuttle", **env: str) -> dict[str, Any]:
    """Digest of some matches and what was compiled for them, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTING + PLAYING, bots, game],
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


@pytest.fixture(scope="module")
def with_toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources with a game that is quickly compiled, only to be copied and played with."""
    return copy_with_toy(tmp_path_factory.mktemp("with_toy") / "sources")


def test_a_changed_source_is_compiled_again(tmp_path: Path, with_toy: Path) -> None:
    """In a copy of the package, with a cache of its own; interpreted code says what is right."""
    root, cache = shutil.copytree(with_toy, tmp_path / "copy"), tmp_path / "cache"

    def compiled() -> dict[str, Any]:
        return played("random", root, tmp_path, "toy", HILLTOP_CACHE=str(cache))

    def right() -> Any:
        return played("random", root, tmp_path, "toy", NUMBA_DISABLE_JIT="1")["digest"]

    first = compiled()
    assert first["compiled"]
    assert first["digest"] == right()
    assert compiled() == {**first, "compiled": []}

    change(root / "bots" / "uniform.py", "return random_below(luck, count)", "return random_below(luck, count) // 2")
    other_bot = compiled()
    assert other_bot["compiled"]
    assert other_bot["digest"] == right() != first["digest"]

    # The match loop is in another file than the rules, and calls them.
    rules = root / "engine" / "games" / "toy" / "rules.py"
    change(rules, "state.level[0] - state.level[1]", "state.level[1] - state.level[0]")
    other_rules = compiled()
    assert other_rules["compiled"]
    assert other_rules["digest"] == right() != other_bot["digest"]
    assert compiled() == {**other_rules, "compiled": []}
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
            [sys.executable, "-c", COUNTING + PLAYING, "own.py,random", "cuttle"],
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

RUN = ("run", "toy", "--bots", "random,level", "--matches", "40", "--seed", "3", "--format", "json")


def run(folder: Path, sources: Path, **env: str) -> tuple[Any, list[str]]:
    """Ratings of a small run with this cache, and what was said."""
    asked = (*RUN, "--workers", "0", "--db", f"{uuid.uuid4()}.duckdb")
    given = {"HILLTOP_CACHE": str(folder), "PYTHONPATH": str(sources), **env}
    done = hilltop(*asked, cwd=folder.parent, env=given)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    return facts, [line for line in done.stderr.splitlines() if line.startswith("hilltop: ")]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, with_toy: Path) -> tuple[Path, Any]:
    """A cache of what that run needs, only to be copied, and the run's ratings."""
    folder = tmp_path_factory.mktemp("ran") / "cache"
    facts, said = run(folder, with_toy)
    assert said == []
    return folder, facts


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


def test_another_checkout_of_the_same_bytes_compiles_nothing(tmp_path: Path, filled: Filled, with_toy: Path) -> None:
    """At another path, with other times, and installed without its tests and documents."""
    root = shutil.copytree(with_toy, tmp_path / "somewhere" / "else")
    for path in root.rglob("*.py"):
        os.utime(path, (1, 1))
    whole, first = filled
    assert played("random", root, tmp_path, "toy", HILLTOP_CACHE=str(whole)) == {
        **first,
        "compiled": [],
        "root": str(root),
    }


def test_nothing_that_a_run_does_not_play_is_compiled(filled: Filled) -> None:
    compiled = filled[1]["compiled"]
    assert any("function decide" in name for name in compiled)
    assert not any(hook in name for name in compiled for hook in ("see_deal", "see_move", "see_position", "see_end"))
    assert [name for name in compiled if "function play" in name] != []
    assert len([name for name in compiled if "function decide" in name]) == 1


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "halved": lambda whole: whole[: len(whole) // 2],
    "empty": lambda _: b"",
    "garbage": lambda _: b"\x80\x04K\x01." * 1000,
    "pickle": lambda _: pickle.dumps("no unit"),
    "flipped": lambda whole: whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, with_toy: Path) -> Filled:
    """A cache of what one bot needs, only to be copied, and what was played with it."""
    folder = tmp_path_factory.mktemp("filled")
    return folder / "cache", played("random", with_toy, folder, "toy", HILLTOP_CACHE=str(folder / "cache"))


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    monkeypatch.setenv("HILLTOP_CACHE", str(tmp_path / "cache"))
    cache.write("unit", bytes(range(256)))
    assert cache.read("unit") == bytes(range(256))
    (path,) = entries(tmp_path / "cache")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert cache.read("unit") is None
    cache.write("unit", b"again")
    assert cache.read("unit") == b"again"


@pytest.mark.parametrize(
    "damage", ["halved", *(pytest.param(name, marks=pytest.mark.soak) for name in DAMAGES if name != "halved")]
)
def test_what_is_damaged_is_compiled_again_without_a_word(
    tmp_path: Path, filled: Filled, with_toy: Path, damage: str
) -> None:
    whole, first = filled
    shutil.copytree(whole, tmp_path / "cache")
    for path in entries(tmp_path / "cache"):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    again = played("random", with_toy, tmp_path, "toy", HILLTOP_CACHE=str(tmp_path / "cache"))
    assert again == first
    assert played("random", with_toy, tmp_path, "toy", HILLTOP_CACHE=str(tmp_path / "cache")) == {
        **first,
        "compiled": [],
    }


def test_a_whole_file_that_holds_something_else_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filled: Filled, with_toy: Path
) -> None:
    whole, first = filled
    shutil.copytree(whole, tmp_path / "cache")
    monkeypatch.setenv("HILLTOP_CACHE", str(tmp_path / "cache"))
    for number, path in enumerate(entries(tmp_path / "cache")):
        cache.write(path.name, pickle.dumps({"code": 1}) if number else b"no pickle")
        assert cache.read(path.name)
    assert played("random", with_toy, tmp_path, "toy", HILLTOP_CACHE=str(tmp_path / "cache")) == first


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_a_full_disk(tmp_path: Path, ran: tuple[Path, Any], with_toy: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        facts, said = run(folder, with_toy)
        assert len(said) == 1
        assert f"{folder} cannot be written (no space left on device)" in said[0]
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
    assert leaderboard(facts) == leaderboard(ran[1])


def leaderboard(facts: Any) -> Any:
    """What a run came to, without its name."""
    return [{key: value for key, value in row.items() if key != "run"} for row in facts["ratings"]]


def test_a_disk_that_fills_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where nothing can be mounted: every write fails as on a full disk."""

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv("HILLTOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.delenv(cache._SHARED, raising=False)
    cache._last_resort.cache_clear()
    try:
        cache.write("a", b"1")
        cache.write("b", b"2")
        assert capsys.readouterr().err == (
            f"hilltop: {tmp_path / 'cache'} cannot be written (no space left on device), so what is compiled is not "
            "kept; HILLTOP_CACHE names another folder\n"
        )
        assert cache.read("a") is None
        assert list((tmp_path / "cache").iterdir()) == []
    finally:
        cache._last_resort.cache_clear()
        os.environ.pop(cache._SHARED, None)  # monkeypatch would bring it back


def test_a_full_cache_that_cannot_be_written_is_used(tmp_path: Path, ran: tuple[Path, Any], with_toy: Path) -> None:
    folder = tmp_path / "cache"
    shutil.copytree(ran[0], folder)
    subprocess.run(["chmod", "-R", "a-w", str(folder)], check=True)
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}", shell=True, capture_output=True
        ).returncode
    )
    try:
        facts, said = run(folder, with_toy)
        assert (leaderboard(facts), said) == (leaderboard(ran[1]), [])
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("HILLTOP_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache.write("a", b"1")
    assert cache.read("a") == b"1"
    assert [path.name for path in entries(tmp_path / f"hilltop-kernels-{os.getuid()}")] == ["a"]


def test_a_folder_for_one_program_goes_with_it(tmp_path: Path, with_toy: Path) -> None:
    """Its helpers fill it too; nothing else is left behind."""
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    said = run(tmp_path / "file", with_toy, TMPDIR=str(tmp_path / "tmp"))[1]
    assert said == [
        f"hilltop: {tmp_path / 'file'} cannot be written (not a directory), so what is compiled is not kept; "
        "HILLTOP_CACHE names another folder"
    ]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_key_depends_on_all_that_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    from bots.uniform import decide
    from engine.compiler import _compiler, key

    unit: Any = [(decide, ())]
    first = key(unit)
    assert key(unit) == first
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert key(unit) != first
    monkeypatch.delenv("NUMBA_BOUNDSCHECK")
    monkeypatch.setattr("numba.__version__", "99")
    _compiler.cache_clear()
    assert key(unit) != first
    monkeypatch.undo()
    _compiler.cache_clear()
    monkeypatch.setattr(cache, "_content", lambda path: path.read_bytes() + b"#")
    assert key(unit) != first


# ---------------------------------------------------------------- how it is compiled


def test_a_literal_number_is_just_a_number() -> None:
    """No kernel is compiled anew for each number that it is called with, or for what it is not given."""
    from numba import int64

    from engine.kernel import kernel

    @kernel
    def part(a, b=5, c=True):
        return a * 10 + b if c else a

    def total(n):
        return part(1) + part(2, 3) + part(n, 4) + part(n, n, False)

    whole: Any = kernel(total)
    assert whole(7) == 15 + 23 + 74 + 7
    if hasattr(part, "_lowered"):
        assert len(part._lowered) <= 1  # none if the cache holds it
        assert whole.overloads[int64,].signature.return_type == int64


def test_all_that_is_compiled_with_a_kernel_that_makes_arrays_counts_them() -> None:
    """Also what neither makes any nor calls what does: an array comes to it, and must be freed in time."""
    from numba.core.runtime import _nrt_python, rtsys

    from engine.kernel import kernel, records

    _nrt_python.memsys_enable_stats()

    @kernel
    def make(n):
        made = records(3, PAIR)
        made[1].a = n
        return made

    @kernel
    def first(pairs, others):
        return pairs if pairs[1].a > others[1].a else others

    @kernel
    def total(n):
        best = make(n)
        for i in range(100):
            best = first(best, make(i % n))
        return best[1].a

    before = rtsys.get_allocation_stats()
    assert total(50) == 50
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free
    assert all(counts for _, counts, _ in getattr(first, "_lowered", ()))  # none if the cache holds it


def test_a_kernel_that_makes_arrays_runs_from_the_cache(tmp_path: Path) -> None:
    """In a process in which nothing has been compiled."""
    (tmp_path / "makes.py").write_text(
        "import numpy as np\nfrom engine.kernel import kernel, records\n"
        "ONE = np.dtype([('a', np.int64)])\n"
        "@kernel\ndef total(n):\n    made = records(3, ONE)\n"
        "    made[1].a = n\n    return made[1].a + made[0].a\n"
        "print(total(5), len(Compiled.functions))\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", COUNTING + f"exec(compile(open(r'{tmp_path / 'makes.py'}').read(), "
             f"r'{tmp_path / 'makes.py'}', 'exec'))"],
            env=environment(HILLTOP_CACHE=str(tmp_path / "cache")), capture_output=True, text=True, check=False,
        ).stdout
        for _ in range(2)
    ]  # fmt: skip
    assert said[0].startswith("5 ")
    assert said[1] == "5 0\n"


def test_a_kernel_of_rules_or_bots_that_does_not_say_that_it_makes_arrays_does_not_compile() -> None:
    from numba.core.errors import NumbaError

    from engine.compiler import INTERPRETED
    from engine.kernel import kernel

    def secret(n):
        return np.zeros(n).sum()

    assert kernel(secret, allocates=True)(3) == 0
    if not INTERPRETED:
        with pytest.raises(NumbaError):
            kernel(secret, allocates=False)(3)


def test_helpers_compile_parts_and_a_failure_of_theirs_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots that no process has seen before: what this one has already loaded need not be compiled."""
    monkeypatch.chdir(tmp_path)
    names = [f"own{number}.py" for number in range(3)]
    for name in names:
        Path(name).write_text(OWN_BOT.format(choice=FIRST) + f"# {uuid.uuid4()}\n")
    plan = plan_run("cuttle", ",".join(names), matches=10)
    compiling.compile_plan(plan_run("cuttle", "random", matches=10))  # the match loop
    told: list[tuple[int, int]] = []
    with monkeypatch.context() as broken:
        broken.setattr(compiling, "_cores", lambda: 3)
        broken.setattr(compiling, "SERVE", "import sys; sys.stdin.readline()")  # helpers that end at once
        assert [unit.kept for unit in compiling.units(plan)].count(False) == 3
        compiling.compile_plan(plan, lambda done, total, busy: told.append((done, total)))
    assert all(unit.kept for unit in compiling.units(plan))
    assert {total for _, total in told} == {3}
    told.clear()
    compiling.compile_plan(plan, lambda done, total, busy: told.append((done, total)))
    assert told == []


def test_the_sources_of_a_bot_are_all_that_it_may_call() -> None:
    for file in ("engine/loop.py", "engine/games/cuttle/rules.py", "bots/cuttle/greedy.py", "bots/uniform.py"):
        found = {path.relative_to(ROOT).as_posix() for path in kernel.sources_of(ROOT / file)}
        assert file in found
        assert {"engine/rng.py", "engine/cards.py", "engine/kernel.py"} <= found
        assert ("engine/games/cuttle/rules.py" in found) == ("cuttle" in file)
        assert ("bots/cuttle/hand.py" in found) == ("bots/cuttle" in file)
    own = {path.as_posix() for path in kernel.sources_of(Path("/somewhere/own.py"))}
    assert {"/somewhere/own.py", f"{ROOT}/engine/games/cuttle/rules.py", f"{ROOT}/bots/bot.py"} <= own
