"""A run says by itself what it was: reports ask neither rules nor bots, and do not change when these do."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import ROOT, environment
from tournament.statistics.code import differences, file_hash

REPORTS = [
    ["runs"],
    ["show", "1"],
    ["show", "2", "--format", "json"],
    ["rate", "1", "--format", "csv"],
    ["explain", "deal_share"],
    ["report", "1", "--to", "page.html"],
    ["report", "2", "--to", "team.html"],
    ["export", "1", "--to", "rows.csv"],
]
COMPILED = ("numba", "llvmlite", "ray", "bots", "engine.games", "engine.kernel", "engine.loop", "tournament.plan")


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


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A copy of the sources, and a folder with a database of two runs and an own bot."""
    copy, folder = (tmp_path_factory.mktemp(name) for name in ("sources", "work"))
    for package in ("engine", "bots", "storage", "tournament", "cli"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copy(ROOT / "bots" / "cuttle" / "points_rush.py", folder / "own.py")
    asked = ["--workers", "0", "--seed", "3"]
    bots = "random,greedy,greedy(never=scuttle),own.py"
    for arguments in (
        ["balance", "cuttle", "--bots", bots, "--variants", "standard,short", "--matches", "480", *asked],
        ["run", "jack_and_jill", "--bots", "random,stepper", "--matches", "24", *asked],
    ):
        done = run_in(copy, folder, *arguments)
        assert done.returncode == 0, done.stderr
    runs = run_in(copy, folder, "runs", "--format", "csv").stdout.splitlines()[1:]
    (folder / "ids").write_text("\n".join(line.partition(",")[0] for line in runs))
    return copy, folder


def answers(copy: Path, folder: Path, after: str = "", few: bool = False) -> dict[str, str]:
    """What all reports print and write; ``few``: some of them."""
    ids = (folder / "ids").read_text().split()
    found = {}
    for arguments in REPORTS[1:6:2] if few else REPORTS:
        asked = [ids[int(word) - 1] if word in ("1", "2") else word for word in arguments]
        done = run_in(copy, folder, *asked, after=after)
        assert done.returncode == 0, (arguments, done.stderr)
        found[" ".join(arguments)] = done.stdout
        target = folder / arguments[-1]
        if "--to" in arguments:
            found[f"file of {' '.join(arguments)}"] = target.read_text("utf-8")
            target.unlink()
    return found


def test_reports_load_neither_rules_nor_bots_nor_a_compiler(copied: tuple[Path, Path]) -> None:
    unwanted = f"[name for name in sys.modules if any(name == one or name.startswith(one + '.') for one in {COMPILED})]"
    answers(*copied, after=f"found = {unwanted}\nassert not found, found")


NOTICE = re.compile(
    r"(<p>(<strong>Note: </strong>)?)?The code has changed since run[^\n<]*?with what they meant then\."
)


def without_notice(text: str) -> str:
    """A report without the one sentence that may be new: its line, or its place in a list."""
    assert len(NOTICE.findall(text)) <= 2  # of each run, once
    kept = []
    for line in text.splitlines():
        left = NOTICE.sub("", line)
        if left == line or left.strip(' ",'):
            kept.append(left)
    text = "\n".join(kept).replace('<div class="notice" role="note"></p></div>', "")
    return text.replace('"notices": [],', '"notices": [\n ],')


def turned(text: str, name: str) -> str:
    """A tuple of names in the other order."""
    found = re.search(rf"{name} = \((.*?)\)\n", text, re.DOTALL)
    assert found
    entries = [entry.strip() for entry in found[1].replace("\n", " ").split(",") if entry.strip()]
    return text.replace(found[0], f"{name} = ({', '.join(reversed(entries))},)\n")


def edit(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text()
    after = change(before)
    assert after != before, path
    path.write_text(after)


def test_reports_do_not_change_with_the_code(copied: tuple[Path, Path]) -> None:
    copy, folder = copied
    before = answers(copy, folder)
    games = copy / "engine" / "games"

    def ways(text: str) -> str:
        return re.sub(r'ways=\(("\w+"), ', r'ways=(\1, "new", ', text)

    edit(
        copy / "tournament" / "plan.py",
        lambda text: text.replace("return list(dict.fromkeys(orders))", "return list(dict.fromkeys(orders))[::-1]"),
    )
    edit(games / "cuttle" / "state.py", lambda text: turned(text, "REASONS"))
    edit(games / "jack_and_jill" / "state.py", lambda text: turned(text, "REASONS"))
    edit(games / "cuttle" / "options.py", ways)
    edit(games / "cuttle" / "options.py", lambda text: text.replace('"short": {"goal": 14', '"short": {"goal": 13'))
    edit(games / "cuttle" / "rules.py", lambda text: text + "\n# Other rules.\n")
    edit(
        games / "jack_and_jill" / "options.py",
        lambda text: text.replace('"gold", "silver", "bronze"', '"best", "good", "fair"'),
    )
    edit(copy / "bots" / "cuttle" / "greedy.py", lambda text: text.replace('"greedy"', '"grabby"'))
    edit(
        copy / "engine" / "telemetry.py",
        lambda text: text.replace('("forced", np.int64),  # plies', '("pushed", np.int64),  # plies').replace(
            '("legal", np.int64)', '("forced", np.int64)'
        ),
    )
    for step in ("edited", "moved", "deleted"):
        own = folder / "own.py"
        if step == "edited":
            own.write_text(own.read_text() + "\n# Better.\n")
        elif step == "moved":
            own.rename(folder / "other.py")
        else:
            (folder / "other.py").unlink()
        after = answers(copy, folder, few=step != "edited")
        for name, text in after.items():
            assert without_notice(text) == without_notice(before[name]), (step, name)
        assert "The code has changed since run" in after["show 1"]
        assert "and" in after["show 1"].partition("The code has changed since run")[2].partition("differ")[0]
    # What must play again says what differs, and what to do.
    run = (folder / "ids").read_text().split()[0]
    for arguments in (["replay", run, "3"], ["run", "--resume", run, "--workers", "0"]):
        done = run_in(copy, folder, *arguments)
        assert done.returncode == 1
        assert re.fullmatch(
            rf"hilltop: run {run} was played with other code: [\w/.]+ (has changed|is gone), .* more files differ; "
            r"put back what it was, or start a new run\n",
            done.stderr,
        ), done.stderr


def test_differences_name_files(tmp_path: Path) -> None:
    same, other, gone = (tmp_path / name for name in ("same.py", "other.py", "gone.py"))
    same.write_text("1")
    other.write_text("2")
    code = {str(same): file_hash(same), str(other): "0" * 16, str(gone): "0" * 16}
    assert differences(code) == [f"{other} has changed", f"{gone} is gone"]
    rules = "engine/games/cuttle/rules.py"
    told = differences({rules: file_hash(ROOT / rules)})
    assert "engine/games/cuttle/state.py is new" in told
    assert not any("rules.py" in one for one in told)
