"""Matches are played in this process, by Ray here or on a cluster: the same results, whatever happens to workers."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import HilltopError, UsageError
from tests.faulty import FOLDER
from tests.program import BOTS, environment
from tournament.cluster import remote
from tournament.execution import MOST_WORKERS, InProcess, OnRay, executor
from tournament.plan import Plan, plan_run
from tournament.worker import Results, Worker

Array = np.ndarray[Any, Any]

# Ray leaves sockets, files and processes to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_run("cuttle", BOTS, matches=6_600, seed=11)


@pytest.fixture(scope="module")
def expected(plan: Plan) -> Array:
    """The rows of all matches, as one call of the worker gives them."""
    rows: Array = Worker(plan.settings).play(0, plan.matches).rows
    return rows


@pytest.fixture(scope="module")
def cluster(expected: Array) -> Iterator[str]:
    """The address of a cluster of two nodes with one core each, to which no source of hilltop is known."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONPATH", raising=False)
        size = {"num_cpus": 1, "object_store_memory": 100 * 1024 * 1024}
        made = cluster_utils.Cluster(initialize_head=True, head_node_args={**size, "include_dashboard": False})
        try:
            made.add_node(**size)
            yield made.address
        finally:
            made.shutdown()


def joined(found: Iterable[Results], first: int = 0) -> Array:
    """The rows of chunks that follow each other without a gap."""
    rows = []
    for results in found:
        assert results.first == first
        assert results.rows.dtype == np.int32
        first += results.rows.shape[1]
        rows.append(results.rows)
    return np.concatenate(rows, axis=1)


@pytest.fixture
def faulty(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Play all with two workers that have something wrong with them."""
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return lambda name: joined(OnRay(2, worker=f"tests.faulty:{name}").results(plan, 0, plan.matches))


# ---------------------------------------------------------------- the same everywhere


def test_any_chunk_can_be_played_alone_and_again(plan: Plan, expected: Array) -> None:
    worker = Worker(json.loads(json.dumps(plan.settings)))
    for first, end in [(5000, 5001), (0, 12), (5000, 5001), (3, 4000)]:
        np.testing.assert_array_equal(worker.play(first, end).rows, expected[:, first:end])
    np.testing.assert_array_equal(joined(InProcess().results(plan, 700, 6000), 700), expected[:, 700:6000])


@pytest.mark.parametrize("cuts", [[0, 1, 2, 5, 6, 7, 8, 20], [0, 6, 12], [3, 4, 1000, 1001, 1300]])
def test_where_chunks_are_cut_changes_nothing(plan: Plan, expected: Array, cuts: list[int]) -> None:
    worker = Worker(plan.settings)
    for first, end in pairwise(cuts):
        results = worker.play(first, end)
        assert results.first == first
        np.testing.assert_array_equal(results.rows, expected[:, first:end])


def test_this_process_gives_the_same(plan: Plan, expected: Array) -> None:
    chunks = list(InProcess().results(plan, 0, plan.matches))
    assert len(chunks) > 3
    np.testing.assert_array_equal(joined(chunks), expected)


@pytest.mark.parametrize("workers", [1, 2])
def test_ray_on_this_machine_gives_the_same(plan: Plan, expected: Array, workers: int) -> None:
    played_by = OnRay(workers)
    np.testing.assert_array_equal(joined(played_by.results(plan, 0, plan.matches)), expected)
    assert played_by.workers == workers


def test_a_cluster_of_two_nodes_gives_the_same(plan: Plan, expected: Array, cluster: str) -> None:
    played_by = executor(None, cluster)
    np.testing.assert_array_equal(joined(played_by.results(plan, 0, plan.matches)), expected)
    assert played_by.workers == 2  # of one core each: on both nodes


def test_a_part_of_a_run_on_a_cluster(plan: Plan, expected: Array, cluster: str) -> None:
    np.testing.assert_array_equal(
        joined(OnRay(address=cluster).results(plan, 1000, 2000), 1000), expected[:, 1000:2000]
    )
    assert list(OnRay(address=cluster).results(plan, 7, 7)) == []


def test_own_bots_travel_with_a_run(cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    text = (Path(__file__).parents[1] / "bots" / "uniform.py").read_text()
    Path("mine/own.py").write_text(f"{text}\nimport helper\nassert helper.ANSWER == 42\n")
    Path("mine/helper.py").write_text("ANSWER = 42\n")
    plan = plan_run("cuttle", "greedy,mine/own.py", matches=600, seed=1)
    played_by = OnRay(address=cluster)
    assert set(played_by._home(plan, True).own["mine/own.py"]) == {"own.py", "helper.py"}
    rows = joined(played_by.results(plan, 0, plan.matches))
    np.testing.assert_array_equal(rows, Worker(plan.settings).play(0, plan.matches).rows)


def test_a_node_without_hilltop_gets_the_source(plan: Plan, expected: Array, tmp_path: Path) -> None:
    """A worker where neither the source nor its folder is known, in a process of its own."""
    home = OnRay(address="somewhere:1")._home(plan, True)
    script = (
        "import pickle, sys, importlib.util\n"
        "spec = importlib.util.spec_from_file_location('tournament.cluster.remote', sys.argv[1])\n"
        "remote = importlib.util.module_from_spec(spec)\n"
        "sys.modules['tournament.cluster.remote'] = remote\n"
        "spec.loader.exec_module(remote)\n"
        "worker = remote.RemoteWorker(remote.Home(**pickle.load(sys.stdin.buffer)))\n"
        "del sys.modules['tournament.cluster.remote']\n"
        "found = worker.where(), worker.prepare(), worker.play(5, 1000)\n"
        "sys.stdout.buffer.write(pickle.dumps((sys.modules['tournament'].__path__[0], *found)))\n"
    )
    facts = {**vars(home), "root": str(tmp_path / "nowhere")}
    env = {key: value for key, value in environment().items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(remote.__file__)],
        input=pickle.dumps(facts),
        env={**env, "HILLTOP_CACHE": str(tmp_path / "cache")},
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    path, (_, lacks), prepared, (results, seconds, trouble) = pickle.loads(done.stdout)
    assert path.startswith(str(tmp_path / "cache" / "source" / home.digest))
    assert (lacks, prepared, trouble) == ("", (plan.fingerprint, None), None)
    assert seconds > 0
    np.testing.assert_array_equal(pickle.loads(results).rows, expected[:, 5:1000])


def test_a_node_with_other_versions_says_which(plan: Plan) -> None:
    home = OnRay(address="somewhere:1")._home(plan, True)
    other = remote.Home(**{**vars(home), "versions": {**home.versions, "numba": "0.1", "python": "2.7"}})
    _, lacks = remote.RemoteWorker(other).where()
    assert lacks == f"python {home.versions['python']} instead of 2.7, numba {home.versions['numba']} instead of 0.1"


def test_stopping_finishes_what_is_under_way(plan: Plan, expected: Array) -> None:
    for played_by in (InProcess(), OnRay(2)):
        found: list[Results] = []

        def enough(found: list[Results] = found) -> bool:
            return len(found) >= 2

        found.extend(played_by.results(plan, 0, plan.matches, stopping=enough))
        rows = joined(found)
        assert 0 < rows.shape[1] < plan.matches
        np.testing.assert_array_equal(rows, expected[:, : rows.shape[1]])


# ---------------------------------------------------------------- trouble of workers


def test_a_worker_that_is_killed_changes_nothing(
    faulty: Any, expected: Array, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    np.testing.assert_array_equal(faulty("Fragile"), expected)
    assert (tmp_path / "died").exists()
    assert capfd.readouterr().out == ""  # standard output is for results


def test_a_match_that_kills_its_workers_is_named(faulty: Any, tmp_path: Path) -> None:
    with pytest.raises(HilltopError, match=r"^match 500 ends every process that plays it"):
        faulty("Poisoned")
    sizes = [int(end) - int(first) for first, end, _ in (mark.name.split("-") for mark in tmp_path.iterdir())]
    assert sorted(sizes)[:2] == [1, 1]
    assert len(sizes) < 30


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("Refusing", "a match of a, b failed: ValueError: oops"),
        ("Failing", "a Ray worker failed: ValueError: oops"),
        ("Lacking", "there is no bot file 'own.py'"),
        (
            "Old",
            "a worker has other rules or bots (fingerprint 0123456789abcdef) than this program (FINGERPRINT); "
            "they were changed just now, so start again",
        ),
    ],
)
def test_trouble_of_a_worker_is_told_as_here(faulty: Any, plan: Plan, kind: str, sentence: str) -> None:
    with pytest.raises(HilltopError) as refused:
        faulty(kind)
    assert str(refused.value) == sentence.replace("FINGERPRINT", plan.fingerprint)


# ---------------------------------------------------------------- nodes that come and go


@pytest.fixture
def nodes(plan: Plan) -> Iterator[Any]:
    """A cluster whose head plays nothing, and a function that adds a node of one core."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    small = {"object_store_memory": 100 * 1024 * 1024}
    made = cluster_utils.Cluster(
        initialize_head=True, head_node_args={**small, "num_cpus": 0, "include_dashboard": False}
    )
    try:
        yield made, lambda: made.add_node(num_cpus=1, **small)
    finally:
        made.shutdown()


@pytest.mark.soak
def test_two_nodes_one_of_which_is_killed_again_and_again(nodes: Any) -> None:
    made, add = nodes
    long = plan_run("cuttle", BOTS, matches=16_000_000, seed=11)
    add()
    other = add()
    with ThreadPoolExecutor() as pool:
        played = pool.submit(lambda: digest_of(OnRay(address=made.address).results(long, 0, long.matches)))
        kills = 0
        while not wait([played], timeout=20.0).done:
            made.remove_node(other, allow_graceful=False)
            other = add()
            kills += 1
    assert kills
    assert played.result() == digest_of(InProcess().results(long, 0, long.matches))


@pytest.mark.soak
def test_without_a_worker_a_run_waits_and_stops(nodes: Any) -> None:
    made, add = nodes
    long = plan_run("cuttle", BOTS, matches=40_000_000, seed=11)
    node = add()
    with ThreadPoolExecutor() as pool:
        begun = threading.Event()

        def play() -> None:
            for _ in OnRay(address=made.address, patience=5.0).results(long, 0, long.matches):
                begun.set()

        played = pool.submit(play)
        assert begun.wait(120)
        made.remove_node(node, allow_graceful=False)
        with pytest.raises(HilltopError, match="no Ray worker is left, and none came within 5 seconds"):
            played.result()


def digest_of(found: Iterable[Results]) -> str:
    """A hash of all rows in their order."""
    hashed = hashlib.sha256()
    for results in found:
        hashed.update(results.rows.T.tobytes())
    return hashed.hexdigest()


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


def test_patience_is_checked() -> None:
    with pytest.raises(UsageError, match="patience cannot be -1 seconds; allowed: 0 to 86400"):
        executor(None, None, -1)
