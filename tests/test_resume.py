"""A run that is killed or interrupted, at any moment, and played on holds what an undisturbed run holds."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from storage.store import reading, writing
from tests.conftest import Program
from tests.program import BOTS, ROOT, command, content, environment, hilltop
from tournament import run as runner
from tournament.execution import InProcess
from tournament.plan import plan_run

MATCHES, SEED = 160_000, 21
RUN = ["run", "cuttle", "--bots", BOTS, "--matches", str(MATCHES), "--seed", str(SEED)]
# A line of progress for each chunk, and a commit for every two or three of them.
EAGER = """
    from cli import progress
    from tournament import run
    progress.EVERY = 0.0
    run.COMMIT_ROWS = 25_000
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the same run, played in one go in this process."""
    path = tmp_path_factory.mktemp("undisturbed") / "whole.duckdb"
    plan = plan_run("cuttle", BOTS, matches=MATCHES, seed=SEED)
    runner.prepare(plan)
    with writing(path) as store:
        runner.play(plan, store, runner.start(plan, store), InProcess())
    return path


def disturb(arguments: list[str], lines: int, number: int) -> tuple[int, str]:
    """Start the program, send it (and its children) a signal after some lines of progress; exit code and messages."""
    process = subprocess.Popen(
        command(*arguments, setup=EAGER),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr
    said = ""
    with process, process.stderr:
        while lines >= 0 and (line := process.stderr.readline()):
            said += line
            lines -= line.startswith("run ") or "matches/s" in line
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        said += process.stderr.read()
        return process.wait(), said


def stored(path: Path) -> int:
    """Matches that the only run holds; they must be its first ones, in whole chunks, each once; nobody plays it."""
    with reading(path) as store:
        (run,) = store.runs()
        assert store.paces() == {}
        frames = [frame for _, frame in store.slices(run, ["match"])]
    matches = [match for frame in frames for match in frame["match"].to_list()]
    assert matches == list(range(run.done))
    return run.done


def test_killed_several_times(tmp_path: Path, undisturbed: Path) -> None:
    path = tmp_path / "killed.duckdb"
    told = ["--workers", "0", "--db", str(path)]
    held = 0
    for attempt, lines in enumerate((0, 1, 2, 3, 1)):
        code, said = disturb(["run", "--resume", "latest", *told] if attempt else [*RUN, *told], lines, signal.SIGKILL)
        assert code == -signal.SIGKILL, said
        assert stored(path) >= held
        held = stored(path)
    assert 0 < held < MATCHES
    done = hilltop("run", "--resume", "latest", *told)
    assert done.returncode == 0, done.stderr
    assert content(path) == content(undisturbed)


def test_killed_on_ray(tmp_path: Path, undisturbed: Path) -> None:
    path = tmp_path / "ray.duckdb"
    code, said = disturb([*RUN, "--workers", "2", "--db", str(path)], 3, signal.SIGKILL)
    assert code == -signal.SIGKILL, said
    stored(path)
    done = hilltop("run", "--resume", "latest", "--workers", "2", "--db", str(path))
    assert done.returncode == 0, done.stderr
    assert content(path) == content(undisturbed)


@pytest.mark.parametrize(("workers", "number"), [("0", signal.SIGTERM), ("1", signal.SIGINT)])
def test_interrupted(tmp_path: Path, undisturbed: Path, workers: str, number: int) -> None:
    path = tmp_path / "a folder" / "interrupted.duckdb"
    path.parent.mkdir()
    code, said = disturb([*RUN, "--workers", workers, "--db", str(path)], 3, number)
    held = stored(path)
    assert code == 128 + number, said
    assert 0 < held < MATCHES
    *_, advice, last = said.splitlines()
    assert last == f"hilltop: {'interrupted' if number == signal.SIGINT else 'terminated'}"
    found = re.fullmatch(rf"hilltop: run (\w+) holds {held:,} of {MATCHES:,} matches; '(.+)' plays the rest", advice)
    assert found, said
    # What it says is what one types.
    name, *arguments = shlex.split(found[2])
    assert (name, arguments) == ("hilltop", ["run", "--resume", found[1], "--db", str(path)])
    done = hilltop(*arguments, "--workers", "0")
    assert done.returncode == 0, done.stderr
    assert content(path) == content(undisturbed)


def test_ctrl_c_before_anything_is_played(tmp_path: Path) -> None:
    path = tmp_path / "early.duckdb"
    stop = "run.prepare = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)"
    setup = f"import os, signal; from tournament import run; {stop}"
    done = hilltop(*RUN, "--workers", "0", "--db", str(path), setup=setup)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "hilltop: interrupted"
    assert "Traceback" not in done.stderr
    with reading(path) as store:
        assert store.runs() == []


# Kills itself at the n-th thing that it asks of the database, for every n: each is forked from one process that has
# all modules loaded and the results at hand.
STEPS = """
    import os, signal, sys
    from pathlib import Path
    import numpy as np
    from storage import store as storage
    from tournament import run as runner
    from tournament.execution import InProcess
    from tournament.plan import plan_run

    plan = plan_run("cuttle", "random,greedy", matches=4000, seed=3)
    played = list(InProcess().results(plan, 0, plan.matches))
    runner.COMMIT_ROWS = 2000
    path = Path(sys.argv[1])

    class Prepared:
        workers = 0
        def results(self, plan, first, end, *_):
            yield from (chunk for chunk in played if chunk.first >= first)

    def play(steps):
        def counted(method):
            def call(self, *arguments, **named):
                nonlocal steps
                if steps == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                steps -= 1
                return method(self, *arguments, **named)
            return call
        storage.Store._rows = counted(storage.Store._rows)
        storage.Store._insert = counted(storage.Store._insert)
        with storage.writing(path) as store:
            run = store.run("latest") if store.runs() else runner.start(plan, store)
            runner.play(plan, store, run, Prepared())

    def check():
        if not path.exists():
            return
        with storage.writing(path) as store:
            for run in store.runs():
                held = store._rows("SELECT count(*), count(DISTINCT match), max(match) FROM results")[0]
                assert held in ((0, 0, None), (run.done, run.done, run.done - 1)), (held, run)
                assert run.done in (0, plan.matches, *(chunk.first for chunk in played))

    def forked(function, *arguments):
        child = os.fork()
        if child == 0:
            try:
                function(*arguments)
            except BaseException as error:
                print(repr(error), flush=True)
                os._exit(1)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    fresh = sys.argv[2] == "fresh"
    steps = 0
    while (code := forked(play, steps)) == -signal.SIGKILL:
        assert forked(check) == 0, steps
        if fresh:
            path.unlink(missing_ok=True)
            Path(f"{path}.wal").unlink(missing_ok=True)
        steps += 1
    print("ended", code, "after", steps)
"""


@pytest.mark.parametrize("manner", ["fresh", "played on"])
def test_killed_between_any_two_steps(tmp_path: Path, manner: str) -> None:
    path, whole = tmp_path / "steps.duckdb", tmp_path / "whole.duckdb"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(STEPS), str(path), manner],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    ended = re.fullmatch(r"ended 0 after (\d+)\n", done.stdout)
    assert ended, done.stdout + done.stderr
    assert int(ended[1]) > (20 if manner == "fresh" else 10)
    plan = plan_run("cuttle", "random,greedy", matches=4000, seed=3)
    with writing(whole) as store:
        runner.play(plan, store, runner.start(plan, store), InProcess())
    assert content(path) == content(whole)


# ---------------------------------------------------------------- resuming what is there


def test_resuming_a_complete_run_changes_nothing(program: Program, undisturbed: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.duckdb"
    path.write_bytes(undisturbed.read_bytes())
    for workers in ("0", "2"):
        answer = program("run", "--resume", "latest", "--workers", workers, "--db", str(path), "--format", "csv")
        assert answer.code == 0, answer.err
        assert answer.out.startswith("rank,rank_worst,bot,mu,")
    assert content(path) == content(undisturbed)


def begin(path: Path, bots: str = BOTS, chunks: int = 2) -> str:
    """A run of which some chunks are stored; its id."""
    plan = plan_run("cuttle", bots, "short", ["goal=15"], matches=6_000, seed=4)
    runner.prepare(plan)
    with writing(path) as store:
        run = runner.start(plan, store)
        recorder = runner.Recorder(plan, store, run)
        for played in InProcess().results(plan, 0, 1_000 * chunks):
            recorder.take(played)
        recorder.commit()
    return run.id


def test_resume_takes_the_run_as_it_was_begun(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "begun.duckdb"
    run = begin(path)
    again = ["run", "--resume", run, "--workers", "0", "--db", str(path)]
    for other, sentence in [
        (["--seed", "5"], "seed 4, not 5; leave seed out"),
        (["--matches", "7000"], "matches 6000, not 7000; leave matches out"),
        (["--bots", "random"], f"bots {BOTS}, not random; leave bots out"),
        (["--variant", "standard"], "variant short, not standard; leave variant out"),
        (["--rule", "goal=16"], 'rule {"goal": 15}, not {"goal": 16}; leave rule out'),
    ]:
        answer = program(*again, *other)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == f"hilltop: run {run} was begun with {sentence}, or start a new run\n"
    answer = program(*again, "--players", "3")
    assert (answer.code, answer.err) == (2, "hilltop: cuttle is not for 3 seats; allowed: 2\n")
    answer = program("run", "chess", *again[1:])
    assert (answer.code, answer.err) == (2, f"hilltop: run {run} is of cuttle, not of chess\n")
    before = content(path)
    answer = program(*again, "--dry-run")
    assert answer.code == 0
    assert content(path) == before
    # The same command with --resume is as good as --resume alone.
    same = ["cuttle", "--bots", BOTS, "--variant", "short", "--rule", "goal=15", "--matches", "6e3", "--seed", "4"]
    answer = program("run", *same, "--players", "2", *again[1:])
    assert answer.code == 0, answer.err
    assert stored(path) == 6_000


def test_resume_needs_a_run(program: Program, played: Path) -> None:
    answer = program("run", "--resume", "latest", "--db", "missing.duckdb")
    assert answer.code == 1
    assert answer.err == "hilltop: there is no database missing.duckdb; 'hilltop run' makes one, --db names another\n"
    assert not Path("missing.duckdb").exists()
    answer = program("run", "--resume", "zzz", "--db", str(played))
    assert (answer.code, answer.err) == (
        1,
        f"hilltop: there is no run 'zzz' in {played}; 'hilltop runs' lists them\n",
    )


def test_other_code_is_not_mixed_in(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    source = (ROOT / "bots" / "uniform.py").read_text()
    Path("own.py").write_text(source)
    run = begin(path, "random,own.py")
    before = content(path)
    for change, told in [
        (lambda: Path("own.py").write_text(source + "\n# Better now.\n"), "has changed"),
        (lambda: Path("own.py").unlink(), "is gone"),
    ]:
        change()
        for arguments in (
            ["run", "--resume", run, "--workers", "0"],
            ["run", "--extend", run, "--matches", "9000", "--workers", "0"],
            ["replay", run, "0"],
            ["review", run, "0"],
            ["verify", run],
        ):
            answer = program(*arguments, "--db", str(path))
            assert (answer.code, answer.out) == (1, "")
            assert answer.err == (
                f"hilltop: run {run} was played with other code: own.py {told}; "
                "put back what it was, or start a new run\n"
            )
    assert content(path) == before
    Path("own.py").write_text(source)
    assert program("run", "--resume", run, "--workers", "0", "--db", str(path)).code == 0
