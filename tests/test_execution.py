"""Chunks are played in this process, by Ray here or on a cluster: the same results, whatever happens to workers."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import HilltopError, UsageError
from engine.loop import ROW_PLIES
from tests.program import BOTS, environment
from tournament import execution
from tournament.execution import IN_FLIGHT, MOST_WORKERS, InProcess, OnRay, executor
from tournament.plan import Plan, plan_run
from tournament.worker import Results, Worker

# Ray leaves sockets, files and processes to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Seven chunks of Cuttle, the last one shorter than the others, with telemetry."""
    return plan_run("cuttle", BOTS, matches=6_600, seed=11, telemetry=True)


@pytest.fixture(scope="module")
def expected(plan: Plan) -> list[Results]:
    """What a plain loop gives."""
    return list(InProcess().results(plan, 0, plan.matches))


@pytest.fixture(scope="module")
def cluster(expected: list[Results]) -> Iterator[str]:
    """The address of a cluster of two nodes with one core each (everything is compiled when it starts)."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
        size = {"num_cpus": 1, "object_store_memory": 100 * 1024 * 1024}
        made = cluster_utils.Cluster(initialize_head=True, head_node_args={**size, "include_dashboard": False})
        try:
            made.add_node(**size)
            yield made.address
        finally:
            made.shutdown()


def bounds(results: Results) -> tuple[int, int]:
    return results.first, results.first + results.rows.shape[1]


def assert_same(found: list[Results], expected: list[Results]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.rows.dtype == other.rows.dtype == np.int32
        np.testing.assert_array_equal(one.rows, other.rows)
        assert one.tally.first == other.tally.first
        for mine, theirs in zip(one.tally.arrays, other.tally.arrays, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert one.hash == other.hash


def test_chunks_have_the_rows_that_the_plan_says(plan: Plan, expected: list[Results]) -> None:
    assert len(expected) == 7
    first = 0
    for results in expected:
        assert results.first == first
        first = end = first + results.rows.shape[1]
        assert results.rows.shape[0] == plan.rows
        assert results.tally.of("matches").sum() == results.tally.inside_of("matches").sum() == results.matches
        assert (
            results.tally.of("plies").sum() == results.tally.inside_of("plies").sum() == results.rows[ROW_PLIES].sum()
        )
    assert end == plan.matches
    assert expected[-1].rows.shape[1] < expected[0].rows.shape[1]


def test_any_chunk_can_be_played_alone_and_again(plan: Plan, expected: list[Results]) -> None:
    worker = Worker(json.loads(json.dumps(plan.settings)))
    for chunk in (5, 0, 5, 6):
        assert_same([worker.play(*bounds(expected[chunk]))], [expected[chunk]])
    first, end = bounds(expected[2])[0], bounds(expected[3])[1]
    assert_same(list(InProcess().results(plan, first, end)), expected[2:4])


@pytest.mark.parametrize("cuts", [[0, 1, 2, 5, 6, 7, 8, 20], [0, 6, 12], [3, 4, 1000, 1001, 1300]])
def test_where_chunks_are_cut_changes_nothing(plan: Plan, expected: list[Results], cuts: list[int]) -> None:
    worker = Worker(plan.settings)
    rows = np.concatenate([results.rows for results in expected], axis=1)
    for first, end in pairwise(cuts):
        results = worker.play(first, end)
        assert results.first == first
        np.testing.assert_array_equal(results.rows, rows[:, first:end])


@pytest.mark.parametrize("workers", [1, 2])
def test_ray_on_this_machine_gives_the_same(
    plan: Plan, expected: list[Results], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    assert_same(list(OnRay(workers).results(plan, 0, plan.matches)), expected)


def test_a_cluster_of_two_nodes_gives_the_same(plan: Plan, expected: list[Results], cluster: str) -> None:
    played_by = executor(None, cluster)
    assert_same(list(played_by.results(plan, 0, plan.matches)), expected)
    assert played_by.workers == 2  # of one core each: on both nodes


def test_a_part_of_a_run_on_a_cluster(plan: Plan, expected: list[Results], cluster: str) -> None:
    first, end = bounds(expected[3])[0], bounds(expected[5])[1]
    assert_same(list(OnRay(address=cluster).results(plan, first, end)), expected[3:6])
    assert list(OnRay(address=cluster).results(plan, 7, 7)) == []


def test_an_early_end_leaves_nothing_behind(plan: Plan, expected: list[Results], cluster: str) -> None:
    import ray

    results = OnRay(address=cluster).results(plan, 0, plan.matches)
    assert_same([next(results)], expected[:1])
    results.close()  # type: ignore[attr-defined]
    assert not ray.is_initialized()


# ---------------------------------------------------------------- trouble of workers


def test_a_worker_that_is_killed_changes_nothing(
    plan: Plan,
    expected: list[Results],
    cluster: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    class Fragile(Worker):
        """Dies without a word in the middle of the run, once."""

        def play(self, first: int, end: int) -> Results:
            results = super().play(first, end)
            if first == third and not (tmp_path / "died").exists():
                (tmp_path / "died").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return results

    third = expected[3].first
    monkeypatch.setattr(execution, "Worker", Fragile)
    assert_same(list(OnRay(address=cluster).results(plan, 0, plan.matches)), expected)
    assert (tmp_path / "died").exists()
    assert capfd.readouterr().out == ""  # standard output is for results


def test_a_worker_that_is_killed_again_and_again_ends_the_run(
    plan: Plan, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dying(Worker):
        def play(self, first: int, end: int) -> Results:
            os.kill(os.getpid(), signal.SIGKILL)
            return super().play(first, end)

    monkeypatch.setattr(execution, "Worker", Dying)
    monkeypatch.setattr(execution, "RETRIES", 0)
    with pytest.raises(HilltopError, match=r"^a Ray worker was lost for good: \w+: [^\n]+$"):
        list(OnRay(address=cluster).results(plan, 0, plan.matches))


def test_a_worker_with_other_code_is_refused(plan: Plan, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Old(Worker):
        def fingerprint(self) -> str:
            return "0123456789abcdef"

    monkeypatch.setattr(execution, "Worker", Old)
    with pytest.raises(HilltopError) as refused:
        list(OnRay(address=cluster).results(plan, 0, plan.matches))
    assert str(refused.value) == (
        f"a worker has other rules or bots (fingerprint 0123456789abcdef) than this program ({plan.fingerprint}); "
        "install the same version of hilltop on every node"
    )


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (HilltopError("a match of a, b failed: ValueError: oops"), "a match of a, b failed: ValueError: oops"),
        (ValueError("oops\nand more"), "a Ray worker failed: ValueError: oops"),
    ],
)
def test_an_exception_in_a_worker_is_told_as_here(
    plan: Plan, cluster: str, monkeypatch: pytest.MonkeyPatch, trouble: Exception, sentence: str
) -> None:
    class Failing(Worker):
        def play(self, first: int, end: int) -> Results:
            raise trouble

    monkeypatch.setattr(execution, "Worker", Failing)
    with pytest.raises(HilltopError) as refused:
        list(OnRay(address=cluster).results(plan, 0, plan.matches))
    assert str(refused.value) == sentence


def test_a_worker_that_cannot_start_says_why(plan: Plan, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lacking(Worker):
        def __init__(self, settings: dict[str, Any]) -> None:
            raise UsageError("there is no bot file 'own.py'")

    monkeypatch.setattr(execution, "Worker", Lacking)
    with pytest.raises(HilltopError) as refused:
        list(OnRay(address=cluster).results(plan, 0, plan.matches))
    assert str(refused.value) == "there is no bot file 'own.py'"


# ---------------------------------------------------------------- bounded work, in order


class FakeRay:
    """Actors that finish in any order, and a count of what they have in hand."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.open: list[tuple[int, int]] = []  # actor, chunk
        self.most = self.latest = 0

    def actor(self, number: int) -> Any:
        ray = self

        class Play:
            def remote(self, chunk: int, end: int) -> tuple[int, int]:
                assert end == chunk + 1
                ray.open.append((number, chunk))
                ray.most, ray.latest = max(ray.most, len(ray.open)), chunk
                assert sum(actor == number for actor, _ in ray.open) <= IN_FLIGHT
                return number, chunk

        class Actor:
            play = Play()

        return Actor()

    def wait(self, references: list[tuple[int, int]], num_returns: int) -> tuple[list[tuple[int, int]], Any]:
        assert sorted(references) == sorted(self.open)
        return [self.dice.choice(references) for _ in range(num_returns)], None

    def get(self, reference: tuple[int, int]) -> int:
        self.open.remove(reference)
        return reference[1]


@pytest.mark.parametrize("actors", [1, 2, 7])
@pytest.mark.parametrize("seed", range(10))
def test_work_in_flight_is_bounded_and_results_come_in_order(actors: int, seed: int) -> None:
    ray = FakeRay(seed)
    chunks = [(chunk, chunk + 1) for chunk in range(5, 200)]
    results = execution._in_order(ray, [ray.actor(number) for number in range(actors)], chunks)
    for wanted in range(5, 200):
        assert int(next(results)) == wanted  # type: ignore[call-overload]
        # What is under way or waits for an earlier chunk never goes further than the window, and reaches its end unless
        # all actors' queues are full: they work on while the results are stored.
        assert all(chunk <= wanted + IN_FLIGHT * actors for _, chunk in ray.open)
        assert ray.latest == min(wanted + IN_FLIGHT * actors, 199) or len(ray.open) == IN_FLIGHT * actors
    assert next(results, None) is None
    assert ray.open == []
    assert actors <= ray.most <= IN_FLIGHT * actors


# ---------------------------------------------------------------- where to play


def test_who_plays() -> None:
    assert isinstance(executor(0, None), InProcess)
    assert executor(3, None).workers == 3
    assert executor(None, None).workers == (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("workers", "address", "sentence"),
    [
        (-1, None, f"workers cannot be -1; allowed: 0 (plays in this process) to {MOST_WORKERS}"),
        (10**6, None, f"workers cannot be 1000000; allowed: 0 (plays in this process) to {MOST_WORKERS}"),
        (2, "host:6379", "--workers is for this machine and --address for a cluster; give one of them"),
        (None, "", "'' is not the address of a Ray cluster; write host:port, or auto"),
        (None, "somewhere", "'somewhere' is not the address of a Ray cluster; write host:port, or auto"),
        (
            None,
            "127.0.0.1:1",
            "there is no Ray cluster at 127.0.0.1:1: connection refused; 'ray start --head' makes one",
        ),
    ],
)
def test_where_nobody_can_play(workers: int | None, address: str | None, sentence: str) -> None:
    with pytest.raises(HilltopError) as refused:
        executor(workers, address)
    assert str(refused.value) == sentence
