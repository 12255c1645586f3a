"""A run says by itself what it was: reports ask neither rules nor bots, and do not change when these do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.registry import GAMES as ALL_GAMES
from tests.program import ROOT, environment
from tournament.statistics.code import differences, file_hash

# Of each game: bots of its own beside "own.py", variants, matches and seats of the run.
GAMES = {
    "cuttle": ("random,greedy,greedy(never=scuttle)", "standard,short", 96, 2),
    "jack_and_jill": ("random,stepper", "standard,big_hand", 24, 2),
    "jackal_and_high": ("random,spreader", "standard,take2_1", 12, 3),
    "jericho": ("random,greedy", "standard,small_hand", 12, 2),
    "queen_of_the_hill": ("random,threshold", "standard,no_abilities", 36, 3),
}
AGAIN = [(["replay"], ["3"]), (["run", "--resume"], ["--workers", "0"])]  # what is said before and after the run
SAID = ("The code has changed since run", "differ")
COMPILED = ("numba", "llvmlite", "ray", "bots", "engine.games", "engine.kernel", "engine.loop", "tournament.plan")
# Many commands in one process, which starts once.
PROGRAM = """
import contextlib, io, json, sys
sys.path.insert(0, {copy!r})
from cli.main import run_command
said = []
for arguments in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_command(arguments)
    said.append([code, out.getvalue(), err.getvalue()])
loaded = [name for name in sys.modules if any(name == one or name.startswith(one + ".") for one in {compiled!r})]
json.dump([said, loaded], sys.stdout)
"""


class Said(NamedTuple):
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str


class Copied(NamedTuple):
    """A copy of the sources, and a folder with an own bot and a database with a run of each game."""

    sources: Path
    folder: Path
    games: tuple[str, ...]

    def commands(self, *commands: list[str]) -> tuple[list[Said], list[str]]:
        """What the commands do with the copy, and what they have loaded of COMPILED."""
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(copy=str(self.sources), compiled=COMPILED)],
            input=json.dumps(commands),
            cwd=self.folder,
            env={
                **environment(),
                "PYTHONPATH": str(self.sources),
                "HILLTOP_DB": "x.duckdb",
                "NUMBA_DISABLE_JIT": "1",  # nothing is compiled: these runs are small
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said, loaded = json.loads(done.stdout)
        return [Said(*one) for one in said], loaded

    def runs(self) -> dict[str, str]:
        """The ids of the runs by game; of Jack and Jill that of the pairs."""
        ((listed,), _) = self.commands(["runs", "--format", "csv"])
        rows = [line.split(",") for line in listed.out.splitlines()]
        number, game, seats = (rows[0].index(name) for name in ("run", "game", "seats"))
        return {row[game]: row[number] for row in rows[1:] if row[seats] == str(GAMES[row[game]][3])}

    def answers(self, runs: dict[str, str], few: bool = False) -> dict[str, str]:
        """What all reports print and write; ``few``: those of one game. They load neither rules nor bots."""
        asked = [["runs"], ["explain", "deal_share"]]
        for game, run in runs.items():
            if few and game != "cuttle":
                continue
            asked += [["show", run], ["show", run, "--format", "json"], ["rate", run, "--format", "csv"]]
            asked += [["balance", run], ["balance", run, "--format", "json"], ["rate", run, "--method", "elo"]]
            asked += [] if game == "jack_and_jill" else [["matrix", run]]
            asked += [["report", run, "--to", f"{game}.html"], ["export", run, "--to", f"{game}.csv"]]
        said, loaded = self.commands(*asked)
        assert not loaded
        found = {}
        for arguments, one in zip(asked, said, strict=True):
            assert one.code == 0, (arguments, one)
            found[" ".join(arguments)] = one.out
            if "--to" in arguments:
                target = self.folder / arguments[-1]
                found[arguments[-1]] = target.read_text("utf-8")
                target.unlink()
        return found


# A game of two and one of teams, which have all tables there are; soaked, every game.
@pytest.fixture(params=[("cuttle", "jack_and_jill"), pytest.param(ALL_GAMES, marks=pytest.mark.soak)], ids=len)
def copied(tmp_path: Path, request: pytest.FixtureRequest) -> Copied:
    made = Copied(tmp_path / "sources", tmp_path / "work", request.param)
    made.folder.mkdir()
    for package in ("engine", "bots", "storage", "tournament", "hilltop", "cli"):
        shutil.copytree(ROOT / package, made.sources / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", made.sources)
    own = (ROOT / "bots" / "uniform.py").read_text()
    (made.folder / "own.py").write_text(own.replace('"random"', '"own"'))
    plays = []
    for game in made.games:
        bots, variants, matches, seats = GAMES[game]
        what = ["--bots", f"{bots},own.py", "--variants", variants, "--matches", str(matches), "--players", str(seats)]
        plays.append(["balance", game, *what, "--workers", "0", "--seed", "3"])
    played, _ = made.commands(*plays)
    assert [one.code for one in played] == [0] * len(plays), played
    return made


NOTICE = re.compile(
    r"(<p>(<strong>Note: </strong>)?)?The code has changed since run[^\n<]*?with what they meant then\.(</p>)?"
)


def without_notice(text: str) -> str:
    """A report without the one sentence that may be new: its line, or its place in a list."""
    assert len(NOTICE.findall(text)) <= 2  # of each run, once
    if text.startswith("{"):
        lists = json.loads(text, object_hook=lambda one: {key: said_before(value) for key, value in one.items()})
        return json.dumps(lists, indent=1)
    kept = []
    for line in text.splitlines():
        left = NOTICE.sub("", line)
        if left == line or left.strip():
            kept.append(left)
    return "\n".join(kept).replace('<div class="notice" role="note"></div>', "")


def said_before(value: Any) -> Any:
    """A value of a report in JSON, a list without the new notice."""
    if not isinstance(value, list):
        return value
    return [one for one in value if not (isinstance(one, str) and NOTICE.fullmatch(one))]


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


def changed(sources: Path) -> None:
    """All that may change after a run: orders, names, rules, options, bots, what telemetry counts."""
    edit(
        sources / "tournament" / "plan.py",
        lambda text: text.replace("return list(dict.fromkeys(orders))", "return list(dict.fromkeys(orders))[::-1]"),
    )
    edit(
        sources / "engine" / "telemetry.py",
        lambda text: text.replace('("forced", np.int64),  # plies', '("pushed", np.int64),  # plies').replace(
            '("legal", np.int64)', '("forced", np.int64)'
        ),
    )
    options = {
        "cuttle": ('"short": {"goal": 14', '"short": {"goal": 13'),
        "jack_and_jill": ('"gold", "silver", "bronze"', '"best", "good", "fair"'),
        "jackal_and_high": ('"take2_1": {"take2_paws": 1}', '"take2_1": {"take2_paws": 3}'),
        "jericho": ("pieces=RANKS", "pieces=RANKS[::-1]"),
        "queen_of_the_hill": ('"no_abilities": {', '"without": {'),
    }
    for game in GAMES:
        files = sources / "engine" / "games" / game
        edit(files / "state.py", lambda text: turned(text, "REASONS"))
        edit(files / "options.py", lambda text: re.sub(r'ways=\(\s*("\w+"),', r'ways=(\1, "new",', text))
        edit(files / "options.py", lambda text, game=game: text.replace(*options[game]))  # type: ignore[misc]
        edit(files / "rules.py", lambda text: text + "\n# Other rules.\n")
        bot = GAMES[game][0].split(",")[1]
        edit(sources / "bots" / game / f"{bot}.py", lambda text, bot=bot: text.replace(f'"{bot}"', '"renamed"'))  # type: ignore[misc]


def test_reports_do_not_change_with_the_code(copied: Copied) -> None:
    runs = copied.runs()
    assert tuple(runs) == copied.games
    before = copied.answers(runs)
    changed(copied.sources)
    own = copied.folder / "own.py"
    for step in ("edited", "moved", "deleted"):
        if step == "edited":
            own.write_text(own.read_text() + "\n# Better.\n")
        elif step == "moved":
            own.rename(copied.folder / "other.py")
        else:
            (copied.folder / "other.py").unlink()
        after = copied.answers(runs, few=step != "edited")
        for name, text in after.items():
            assert without_notice(text) == without_notice(before[name]), (step, name)
        for game in copied.games if step == "edited" else ["cuttle"]:
            assert "and" in after[f"show {runs[game]}"].partition(SAID[0])[2].partition(SAID[1])[0]
    # What must play again says what differs, and what to do.
    asked = [[*words, run, *more] for run in runs.values() for words, more in AGAIN]
    for arguments, said in zip(asked, copied.commands(*asked)[0], strict=True):
        run = next(word for word in arguments if word in runs.values())
        assert said.code == 1
        assert re.fullmatch(
            rf"hilltop: run {run} was played with other code: [\w/.]+ (has changed|is gone), .* more files differ; "
            r"put back what it was, or start a new run\n",
            said.err,
        ), said.err


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
