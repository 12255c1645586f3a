"""``run --until``: the same end however it is played, the same run as one of that length, and what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.run import play_with_bar
from storage.store import Store, reading, writing
from tests.conftest import Program
from tests.program import content
from tournament.evidence import audit
from tournament.execution import InProcess
from tournament.plan import Plan, plan_run
from tournament.run import resume
from tournament.statistics.counted import read
from tournament.statistics.question import BEST, DECIDED, PAIR, RANKS, UNDECIDED, Decision, Question, standing
from tournament.statistics.simulation import World
from tournament.statistics.strengths import trueskill
from tournament.until import looks, plan_until
from tournament.worker import Worker

BOTS = "random,greedy,points_rush"


class Chunks(InProcess):
    """Chunks of one size; after ``most`` matches somebody asks to stop."""

    def __init__(self, size: int, most: int = 10**9) -> None:
        self.size, self.most, self.played = size, most, 0

    def results(self, plan: Plan, first: int, end: int, *_: Any, **__: Any) -> Iterator[Any]:
        worker = Worker(plan.settings)
        while first < end and self.played < self.most:
            last = min(first + self.size, end)
            self.played += last - first
            yield worker.play(first, last)
            first = last


def ask(question: str, most: int = 60_000, within: float = 0.0, bots: str = BOTS) -> Plan:
    return plan_until(plan_run("cuttle", bots, matches=most), question, within)


def played(store: Store, plan: Plan, *executors: Chunks) -> Decision:
    """Play a plan by one executor after the other, each but the last interrupted."""
    run = None
    for executor in executors[:-1]:
        with pytest.raises(KeyboardInterrupt):
            play_with_bar(store, plan, executor, run)
        run = store.run("latest")
        assert not run.complete
        assert audit(store, run) == []
        found = standing(read(store, run))
        assert found
        assert found.verdict == UNDECIDED
        assert resume(store, run) == plan
    found = standing(play_with_bar(store, plan, executors[-1], run).counted)
    assert found
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Decision]:
    """Asked for the ranks in one large chunk."""
    path = tmp_path_factory.mktemp("until") / "whole.duckdb"
    with writing(path) as store:
        return path, played(store, ask("ranks"), Chunks(1200))


@pytest.mark.parametrize(
    "chunks", [[Chunks(7)], [Chunks(50, 100), Chunks(61, 61), Chunks(600)]], ids=["small", "stops"]
)
def test_it_ends_with_the_same_match_however_it_is_played(
    whole: tuple[Path, Decision], chunks: list[Chunks], tmp_path: Path
) -> None:
    path = tmp_path / "again.duckdb"
    with writing(path) as store:
        assert played(store, ask("ranks"), *chunks) == whole[1]
    assert content(path) == content(whole[0])
    assert chunks[-1].played < 1200


def test_it_is_the_run_of_that_length(whole: tuple[Path, Decision], program: Program, tmp_path: Path) -> None:
    with reading(whole[0]) as store:
        run = store.run("latest")
        assert (run.complete, run.done, run.matches) == (True, whole[1].matches, whole[1].matches)
        assert audit(store, run) == []
        found = read(store, run)
    answer = program("run", "cuttle", "--bots", BOTS, "--matches", str(run.done), "--db", str(tmp_path / "x.duckdb"))
    assert answer.code == 0
    with reading(tmp_path / "x.duckdb") as store:
        plain = read(store, store.run("latest"))
    assert plain.tally.layout == found.tally.layout
    for mine, theirs in zip(found.tally.arrays, plain.tally.arrays, strict=True):
        assert (mine == theirs).all()
    assert any("was stopped when its results had decided 'ranks'" in said for said in found.facts.notices)


def test_killed_before_it_was_settled(whole: tuple[Path, Decision], tmp_path: Path, monkeypatch: Any) -> None:
    path, plan = tmp_path / "killed.duckdb", ask("ranks")
    with writing(path) as store:
        with monkeypatch.context() as patch:
            patch.setattr("tournament.until.settle", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                play_with_bar(store, plan, Chunks(100), None)
        run = store.run("latest")
        assert (run.complete, run.done) == (False, whole[1].matches)
        again = Chunks(100)
        play_with_bar(store, plan, again, run)
        assert (again.played, store.run("latest").complete) == (0, True)
    assert content(path) == content(whole[0])


def test_what_is_undecided_plays_all_and_can_be_extended(program: Program, tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "x.duckdb"), "--format", "json", "--workers", "0")
    alike = ("--bots", "greedy,points_rush,scuttler", "--until", "best")
    answer = program("run", "cuttle", *alike, "--max", "100", *db)
    assert answer.code == 0
    found = json.loads(answer.out)["until"]
    assert (found["verdict"], found["answer"], found["matches"], found["most"]) == (UNDECIDED, [], 102, 102)
    answer = program("run", "--extend", "latest", *alike, "--max", "1e5", *db)
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)["until"]
    assert (found["verdict"], found["answer"]) == (DECIDED, ["greedy"])
    assert found["matches"] == 6 * found["deals"] < 100_000
    assert found["deals"] in looks(10**6)
    shown = program("show", "latest", "--db", str(tmp_path / "x.duckdb"))
    assert f"The best after {found['deals']:,} deals: greedy." in shown.out
    assert json.loads(program("rate", *db[:4]).out)["until"] == found


def test_the_answers() -> None:
    found = trueskill(World((0.0, 1.0, 2.0), (0.0, 0.0)).play(1000, seed=1))
    assert Question(RANKS).answer(found, 1000) == (2, 1, 0)
    assert Question(BEST).answer(found, 1000) == (2,)
    assert Question(BEST, 2).answer(found, 1000) == (2, 1)
    assert Question(PAIR, pair=(0, 1)).answer(found, 1000) == (1,)
    assert Question(PAIR, pair=(0, 1), within=20.0).answer(found, 1000) == (1,)
    alike = trueskill(World((0.0, 0.0, 2.0), (0.0, 0.0)).play(1000, seed=1))
    for question in (Question(RANKS), Question(BEST, 2), Question(PAIR, pair=(0, 1))):
        two = Question(question.kind, 1 if question.kind == PAIR else question.count, question.pair, within=3.0)
        assert two.answer(alike, 1000) is not None
    assert Question(RANKS).answer(alike, 1000) is None
    assert Question(PAIR, pair=(0, 1), within=3.0).answer(alike, 1000) == ()
    assert Question(BEST, within=3.0).answer(alike, 1000) == (2,)
    nothing = trueskill(World((0.0, 1.0), (0.0, 0.0)).play(1, seed=1))
    assert Question(PAIR, pair=(0, 1)).answer(nothing, 1) is None


def test_looks_are_eight_for_each_doubling() -> None:
    found = np.array(list(looks(5000)))
    assert found[0] == 64
    assert found[-1] == 5000
    assert (np.diff(found[:-1]) / found[:-2] <= 1 / 8).all()
    assert {64, 128, 256, 512, 1024, 2048, 4096} <= set(found.tolist())
    assert list(looks(5)) == [5]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--until", "best=3"], "until cannot be 'best=3'; of 3 bots best=1 to best=2 can be asked"),
        (["--until", "best=x"], "until cannot be 'best=x'; of 3 bots best=1 to best=2 can be asked"),
        (["--until", "rank"], "until cannot be 'rank'"),
        (["--until", "greedy"], "name two bots of the field (random, greedy, points_rush), or ranks, best, best=N"),
        (["--until", "greedy,scuttler"], "name two bots of the field (random, greedy, points_rush)"),
        (["--until", "best", "--matches", "10"], "give --max in place of --matches"),
        (["--until", "best", "--keep", "tallies"], "--until needs the matches of its run; leave --keep out"),
        (["--until", "best", "--within", "-1"], "within cannot be -1; allowed: 0 to 100"),
        (["--max", "10"], "--max and --within say when --until stops; give --until too, or --matches alone"),
    ],
)
def test_what_is_refused(program: Program, arguments: list[str], sentence: str, tmp_path: Path) -> None:
    answer = program("run", "cuttle", "--bots", BOTS, *arguments, "--db", str(tmp_path / "x.duckdb"))
    assert answer.code == 2
    assert sentence in answer.err


def test_it_goes_on_with_its_own_question_alone(program: Program, tmp_path: Path) -> None:
    with writing(tmp_path / "x.duckdb") as store, pytest.raises(KeyboardInterrupt):
        play_with_bar(store, ask("ranks"), Chunks(60, 60), None)
    db = ("--db", str(tmp_path / "x.duckdb"), "--workers", "0")
    for other in (["--until", "best"], ["--max", "99"], ["--until", "ranks", "--within", "1"]):
        answer = program("run", "--resume", "latest", *other, *db)
        assert answer.code == 2
        assert "was begun with --until ranks --within 0 --max 60000" in answer.err
    answer = program("run", "--resume", "latest", "--until", "ranks", "--max", "60_000", *db)
    assert answer.code == 0, answer.err
    assert "All ranks are decided after" in answer.out
