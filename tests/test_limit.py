"""The C program that the kernel is measured against plays the same game; without a C compiler a sentence says so."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import tournament.bench
from engine import registry
from engine.errors import HilltopError
from engine.match import Match
from engine.scenario import same
from tests.conftest import Program
from tournament import limit
from tournament.worker import Worker


@pytest.fixture(scope="module")
def binary() -> Iterator[Path]:
    try:
        with limit.program("cuttle") as path:
            yield path
    except HilltopError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("bots", ["random,random", "greedy,random"])
def test_its_matches_are_matches_of_the_engine(binary: Path, bots: str) -> None:
    """Step by step the same legal moves, positions and results."""
    said = subprocess.run([binary, "--trace", "12", "--seed", "3", "--bots", bots], capture_output=True, check=True)
    for line in said.stdout.decode().splitlines():
        trace = json.loads(line)
        match = Match(registry.game("cuttle"), {}, 2)
        match.load(trace["start"])
        for step in trace["steps"]:
            legal, after = step.pop("legal"), step.pop("after")
            assert sorted(map(json.dumps, legal)) == sorted(map(json.dumps, match.legal()))
            match.step(step)
            assert same(match.position(), after, match.unordered)
        assert match.result() == trace["result"]


def test_both_are_measured(binary: Path) -> None:
    settings = {
        "game": "cuttle",
        "players": 2,
        "variants": [{"name": "standard", "rules": {}}],
        "bots": ["random"],
        "matches": 10,
        "seed": 1,
    }
    rate, ratio = limit.compare(Worker(settings), 0.05)
    assert rate > 0
    assert ratio > 0
    assert limit.seconds_of(binary, 1000, 1) > 0


def test_without_a_compiler_bench_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(HilltopError, match="there is no C compiler here"), limit.program("cuttle"):
        pass
    plan = tournament.bench._plan(registry.game("cuttle"), ["random"], 10, 2)
    said: list[str] = []
    assert tournament.bench._limit(plan, 0.05, said.append) == (None, None)
    assert said == [
        "no C program was measured: there is no C compiler here (cc, gcc or clang; the variable CC names another)"
    ]
    monkeypatch.setenv("CC", "false")
    assert tournament.bench._limit(plan, 0.05, said.append) == (None, None)
    assert said[1] == "no C program was measured: the C compiler false did not compile it: it gave no reason"


def test_the_programs_are_packaged() -> None:
    for game in limit.GAMES:
        assert (Path(limit.__file__).parent / f"{game}.c").is_file()
        assert game in registry.GAMES


def test_bench_can_measure_the_limit_alone(program: Program) -> None:
    answer = program("bench", "--limit", "--seconds", "0.05", "--format", "json")
    (row,) = json.loads(answer.out)
    assert row.keys() == {
        "game", "seats", "bots", "kernel_matches_per_s", "limit_matches_per_s", "limit_ratio"
    }  # fmt: skip
    if row["limit_ratio"] is not None:
        assert row["kernel_matches_per_s"] == pytest.approx(row["limit_matches_per_s"] / row["limit_ratio"])
    refused = program("bench", "jericho", "--limit")
    assert (refused.code, refused.err) == (
        2,
        "hilltop: there is no C program of jericho to compare it with; allowed: cuttle\n",
    )
