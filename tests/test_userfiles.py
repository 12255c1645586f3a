"""A user's bot is made of its file, of what that imports and of data that it reads: all of it is seen."""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from pathlib import Path

import pytest

from engine import userfiles
from engine.compiler import INTERPRETED
from engine.errors import HilltopError
from engine.game import rules_record
from tests.program import ROOT, hilltop
from tests.test_kernel_cache import change, played
from tests.toy import PACKAGES
from tournament.plan import own_files, plan_run
from tournament.worker import compile_bot

BOT = """
import json

import helper
from bots.bot import Bot
from bots.cuttle import hand
from bots.files import data
from engine.kernel import kernel
from parts.deep import pick

NUMBER = json.loads(data("numbers.json"))["number"]

@kernel
def decide(view, rules, moves, count, params, luck):
    return helper.within(pick(count, NUMBER) + hand.VALUE, count)

BOT = Bot("mine", "A move by numbers of its own.", decide)
"""
HELPER = """
from engine.kernel import kernel

@kernel
def within(n, count):
    return (n + 0) % count
"""
DEEP = """
import helper
from engine.kernel import kernel

@kernel
def pick(count, number):
    return helper.within(count - number, count)
"""


def write(folder: Path) -> Path:
    """A bot of several files, in a folder."""
    (folder / "parts").mkdir(parents=True)
    (folder / "mine.py").write_text(f"{BOT}# {uuid.uuid4()}\n")  # compiled by no process before
    (folder / "helper.py").write_text(HELPER)
    (folder / "parts" / "__init__.py").touch()
    (folder / "parts" / "deep.py").write_text(DEEP)
    (folder / "numbers.json").write_text('{"number": 1}')
    return folder / "mine.py"


def test_whatever_a_bot_is_made_of_is_seen_to_change(tmp_path: Path) -> None:
    """A helper, a helper's helper, data, and a file of bots/<game>, each of the same size and time as before."""
    root = tmp_path / "copy"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (root / "bots" / "cuttle" / "hand.py").open("a") as hand:
        hand.write("\nVALUE = 0\n")
    folder = tmp_path / "own"
    write(folder)
    facts = [played("own/mine.py,random", root, tmp_path)]
    for file, old, new in [
        (folder / "helper.py", "n + 0", "n + 1"),
        (folder / "parts" / "deep.py", "count - number", "count + number"),
        (folder / "numbers.json", "1", "3"),
        (root / "bots" / "cuttle" / "hand.py", "\nVALUE = 0\n", "\nVALUE = 2\n"),
    ]:
        stamp = file.stat()
        change(file, old, new)
        os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        facts.append(played("own/mine.py,random", root, tmp_path))
        assert facts[-1]["compiled"]
        right = played("own/mine.py,random", root, tmp_path, NUMBA_DISABLE_JIT="1")
        assert (facts[-1]["digest"], facts[-1]["fingerprint"]) == (right["digest"], right["fingerprint"])
    assert played("own/mine.py,random", root, tmp_path) == {**facts[-1], "compiled": []}
    assert len({fact["digest"] for fact in facts}) == len(facts)
    assert len({fact["fingerprint"] for fact in facts}) == len(facts)
    assert not list(folder.rglob("__pycache__"))


def test_helpers_are_found_from_anywhere_and_those_of_two_folders_do_not_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bots.cuttle import hand

    monkeypatch.setattr(hand, "VALUE", 0, raising=False)
    one, other = write(tmp_path / "one"), write(tmp_path / "other")
    change(other.parent / "helper.py", "(n + 0) % count", "0")
    monkeypatch.chdir("/")
    modules = [userfiles.load(path) for path in (one, other, one)]
    assert modules[0] is modules[2]
    assert [module.helper.within(5, 3) for module in modules] == [2, 0, 2]
    assert "helper" not in sys.modules
    assert "parts" not in sys.modules
    names = [path.relative_to(tmp_path / "one").as_posix() for path in own_files([str(one)]) if "one" in path.parts]
    assert sorted(names) == ["helper.py", "mine.py", "numbers.json", "parts/__init__.py", "parts/deep.py"]
    assert ROOT / "bots" / "cuttle" / "hand.py" in own_files([str(one)])
    change(one.parent / "helper.py", "(n + 0) % count", "1")
    assert userfiles.load(one).helper.within(5, 3) == 1
    assert userfiles.load(other) is modules[1]


def test_what_a_helper_cannot_do_is_told_with_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "helper.py").write_text("\nimport numpy\nimport nowhere\n")
    done = hilltop("run", "cuttle", "--bots", f"random,{path}", "--matches", "2", "--workers", "0", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"hilltop: the bot file '{path}' cannot be loaded: ModuleNotFoundError: No module named 'nowhere' "
        f"({tmp_path / 'helper.py'}, line 3)\n"
    )


@pytest.mark.skipif(INTERPRETED, reason="it is compiled code that is refused")
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("view.tabel.turn", "there is no field 'tabel'; did you mean 'table'?"),
        ("rules.gaol", "there is no field 'gaol'; did you mean 'goal'?"),
        ("view['seatt']", "TypingError: Field 'seatt' was not found in record with fields ("),
        ("kount", "TypingError: NameError: name 'kount' is not defined"),
        ("np.kount", "AttributeError: module 'numpy' has no attribute 'kount'"),
        ("moves[0].card", "TypingError: Unknown attribute 'card' of type int64"),
    ],
)
def test_a_misspelt_name_is_told_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "import numpy as np\nfrom bots.bot import Bot\nfrom engine.kernel import kernel\n"
        "@kernel\ndef part(view, rules, moves):\n"
        f"    return {line}\n"
        "@kernel\ndef decide(view, rules, moves, count, params, luck):\n"
        "    return 0 * part(view, rules, moves)\n"
        'BOT = Bot("mine", "", decide)\n'
    )
    plan = plan_run("cuttle", "mine.py", matches=2)
    with pytest.raises(HilltopError) as refused:
        compile_bot(plan.game, rules_record(plan.game, plan.variants[0].options, 2), plan.entrants[0])
    assert str(refused.value).startswith(f"bot mine.py cannot be compiled: {what}")
    assert str(refused.value).endswith(' (File "mine.py", line 6)')
