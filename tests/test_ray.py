"""Ray as the program keeps it: shut in, small, gone when the program is, and no trouble of its is trouble of ours."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from storage.store import reading
from tests.program import BOTS, command, content, environment, hilltop
from tests.running import GONE_SECONDS, Running, alive, command_line, named, stored, until
from tournament import execution
from tournament.cluster import guard, local

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start runs that are ended with the test."""
    made: list[Running] = []

    def make(*more: str, setup: str = "", within: Sequence[str] = ()) -> Running:
        made.append(Running(tmp_path / "x.duckdb", *more, setup=setup, within=within))
        return made[-1]

    yield make
    for running in made:
        running.close()
        assert running.gone()


# ---------------------------------------------------------------- shut in


# A network of its own whose default route leads nowhere, for machines that have none.
ELSEWHERE = (
    'ip link set lo up && ip addr add 10.9.8.7/24 dev lo && ip route add default via 10.9.8.1 dev lo && exec "$@"'
)
LOOPBACK = {"tcp": ("0100007F",), "tcp6": ("0" * 24 + "01000000", "0000000000000000FFFF00000100007F")}


def routed(pid: int | str = "self") -> bool:
    """Has a process a default route? Without one nothing could listen anywhere else, whatever is asked of Ray."""
    rows = [line.split() for line in Path(f"/proc/{pid}/net/route").read_text().splitlines()[1:]]
    return any(row[1] == "00000000" for row in rows)


def listening(pids: list[int]) -> set[str]:
    """The addresses at which processes listen, as the system tells."""
    sockets = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
    found = set()
    for table, loopback in LOOPBACK.items():
        for line in Path(f"/proc/{pids[0]}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                host = fields[1].partition(":")[0]
                found.add("loopback" if host in loopback else fields[1])
    return found


def test_nobody_else_can_reach_it(start: Start) -> None:
    running = start(within=() if routed() else ["unshare", "-n", "sh", "-c", ELSEWHERE, "sh"])
    running.hear("run ")
    assert routed(running.process.pid)
    below = running.below()
    assert named(below, "gcs_server")
    assert named(below, "raylet")
    assert listening(below) == {"loopback"}
    # No web page, no watchers of logs and clouds.
    for name in ("dashboard/dashboard.py", "log_monitor.py", "monitor.py"):
        assert not named(below, name)
    (folder,) = {
        Path(found[0])
        for pid in named(below, "gcs_server")
        for found in re.findall(r"--session-dir=(/[^\0]*?/hilltop-[^/\0]+)(/)", command_line(pid))
    }
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "token").stat().st_mode) == 0o600
    assert not any(b"RAY_AUTH_TOKEN=" in Path(f"/proc/{pid}/environ").read_bytes() for pid in below)
    code, said, seconds = running.end(signal.SIGINT)
    assert code == 130
    assert "finishing what is under way" in said
    assert "run --resume" in said
    assert seconds < GONE_SECONDS
    assert running.gone()
    assert not folder.exists()
    assert stored(running.path) > 0


def test_a_long_temporary_folder(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 70)
    folder.mkdir()
    done = hilltop(
        "run", "cuttle", "--bots", BOTS, "--matches", "600", "--workers", "1", env={"TMPDIR": str(folder)}, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert stored(tmp_path / "hilltop.duckdb") == 600


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can mount")
def test_little_shared_memory(tmp_path: Path) -> None:
    play = command("run", "cuttle", "--bots", BOTS, "--matches", "300_000", "--workers", "2", "--db", "x.duckdb")
    script = 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *play],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("mounting is not allowed here")
    assert done.returncode == 0, done.stderr
    assert stored(tmp_path / "x.duckdb") == 300_000


# ---------------------------------------------------------------- a start that fails, or takes long


BROKEN = {
    "raises": "raise OSError('no Ray\\nhere')",
    "exits": "import os; os._exit(3)",
    "hangs": "import time; time.sleep(600)",
}
HASTY = """
    from tournament import execution
    execution.START_SECONDS = 3.0
    execution.SLOW_SECONDS = 1.0
"""


@pytest.mark.parametrize("manner", sorted(BROKEN))
def test_without_ray_this_process_plays(tmp_path: Path, manner: str) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "ray.py").write_text(BROKEN[manner])
    (broken / "sitecustomize.py").write_text(f"import sys; sys.path.insert(0, {str(broken)!r})\n")
    play = ["run", "cuttle", "--bots", BOTS, "--matches", "600"]
    env = {"PYTHONPATH": f"{broken}{os.pathsep}{environment()['PYTHONPATH']}"}
    done = hilltop(*play, "--db", "x.duckdb", cwd=tmp_path, env=env, setup=HASTY)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Ray cannot be started here \(.+\), so this process plays alone$", done.stderr, re.MULTILINE)
    assert ("waiting for Ray" in done.stderr) == (manner == "hangs")
    assert stored(tmp_path / "x.duckdb") == 600
    asked = hilltop(*play, "--workers", "1", "--db", "y.duckdb", cwd=tmp_path, env=env, setup=HASTY)
    assert asked.returncode == 1
    last = asked.stderr.splitlines()
    assert re.fullmatch(r"hilltop: Ray cannot be started: .+; '--workers 0' plays without Ray", last[-1])
    assert "hilltop: nothing was stored" in last
    with reading(tmp_path / "y.duckdb") as store:
        assert store.runs() == []


def soaked(*values: Any) -> Any:
    """Values of a test that are tried in ``make soak`` alone: others of the kind are in ``make test``."""
    return [pytest.param(value, marks=pytest.mark.soak) for value in values]


@pytest.mark.parametrize("seconds", [0.0, *soaked(33.0)])  # Ray itself gives up after 30
def test_a_machine_that_is_slow_to_start(start: Start, seconds: float) -> None:
    running = start(setup="from tournament import execution\nexecution.SLOW_SECONDS = 0.5\n")
    raylet = running.wait_for("raylet/raylet")
    os.kill(raylet, signal.SIGSTOP)
    time.sleep(seconds)
    running.hear("waiting for Ray")
    os.kill(raylet, signal.SIGCONT)
    running.hear("run ")
    code, _, _ = running.end(signal.SIGINT)
    assert code == 130
    assert stored(running.path) > 0


def test_a_node_is_asked_for_until_it_is_there_or_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.cluster.local.time.sleep", lambda _: None)
    monkeypatch.setattr(local, "_started", [])
    asked: list[int] = []

    class Node:
        dead = 0  # asked so often, it has ended

        def start_head_processes(self) -> None:
            pass

        def dead_processes(self) -> list[tuple[str, object]]:
            return [("raylet", None)] if self.dead and len(asked) > self.dead else []

    class Services:
        @staticmethod
        def get_node() -> str:
            asked.append(1)
            if len(asked) < 200:
                raise RuntimeError("30 seconds")
            return "it"

    local._wait_for(Node, Services)
    Node().start_head_processes()
    services: Any = Services
    assert services.get_node() == "it"
    asked.clear()
    Node.dead = 3
    with pytest.raises(OSError, match="its raylet has ended"):
        services.get_node()


# ---------------------------------------------------------------- ends


@pytest.mark.parametrize("at", ["gcs_server", "playing", *soaked("guard.py", "agent.py")])
def test_nothing_outlives_a_killed_program(start: Start, at: str) -> None:
    running = start()
    if at == "playing":
        running.hear("run ")
    else:
        running.wait_for(at)
    running.below()
    running.process.kill()
    running.process.wait()
    assert running.gone()


def test_the_folder_of_a_killed_guard_goes_with_the_next_one(tmp_path: Path) -> None:
    play = [sys.executable, "-I", "-S", guard.__file__, str(tmp_path), "sh", "-c"]
    guards = [subprocess.Popen([*play, "exec sleep 600"], stdin=subprocess.PIPE) for _ in range(2)]
    try:
        assert until(lambda: len(list(tmp_path.glob("hilltop-*/guard"))) == 2)
        (tmp_path / "hilltop-mine").mkdir()  # somebody else's
        guards[0].kill()
        guards[0].wait()
        subprocess.run([*play, "true"], stdin=subprocess.DEVNULL, check=False)
        assert len(list(tmp_path.iterdir())) == 2
        assert len(list(tmp_path.glob("hilltop-*/guard"))) == 1
        assert guards[1].poll() is None
    finally:
        for one in guards:
            one.kill()
            one.communicate()


def test_a_signal_during_play(start: Start) -> None:
    running = start()
    running.hear("run ")
    code, said, _ = running.end(signal.SIGHUP)
    assert code == 130, said
    assert re.search(r"hilltop: run \w+ holds [\d,]+ of 40,000,000 matches; 'hilltop run --resume \w+", said)
    assert running.gone()


def test_without_its_guard_what_nobody_saw_begin_is_ended_too() -> None:
    """An orphan of a killed guard, begun since the program looked last."""
    begin = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", begin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as killed:
        assert killed.stdout
        orphan = int(killed.stdout.readline())
        link: Any = object.__new__(execution._Link)
        link._guard, link._below, link._looked, link._socket = killed, {}, 0.0, io.BytesIO()
        link._job = SimpleNamespace(address=None)
        killed.kill()
        killed.wait()
        assert alive(orphan)
        link._look = lambda: None
        link._close()
        assert until(lambda: not alive(orphan), 5.0)


@pytest.mark.parametrize("name", ["tournament.cluster.bridge", "guard.py", *soaked("raylet/raylet", "gcs_server")])
def test_a_signal_while_ray_is_stuck(start: Start, name: str) -> None:
    running = start(setup="from tournament import execution\nexecution.DRAIN_SECONDS = 1.0\n")
    running.hear("run ")
    for pid in named(running.below(), name):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGSTOP)
    time.sleep(1.0)
    code, said, seconds = running.end(signal.SIGTERM)
    assert code == 143, said
    assert "run --resume" in said
    assert seconds < GONE_SECONDS
    assert running.gone()


def test_a_second_signal_ends_at_once(start: Start) -> None:
    running = start()
    running.hear("run ")
    for pid in named(running.below(), "tournament.cluster.bridge"):
        os.kill(pid, signal.SIGSTOP)
    running.process.send_signal(signal.SIGINT)
    running.hear("finishing what is under way")
    code, said, _ = running.end(signal.SIGINT)
    assert code == 130
    assert "run --resume" in said
    assert running.gone()


SOME = ["run", "cuttle", "--bots", BOTS, "--matches", "600_000", "--seed", "4"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a run that is played without Ray holds."""
    path = tmp_path_factory.mktemp("alone") / "x.duckdb"
    done = hilltop(*SOME, "--workers", "0", "--db", str(path))
    assert done.returncode == 0, done.stderr
    return content(path)["results"]


@pytest.mark.parametrize(
    "name", ["raylet/raylet", "tournament.cluster.bridge", "ray::", *soaked("gcs_server", "guard.py")]
)
def test_a_killed_process_of_rays_ends_nothing(tmp_path: Path, alone: Any, name: str) -> None:
    path = tmp_path / "x.duckdb"
    running = Running(path, "--workers", "2", play=SOME)
    try:
        running.hear("run ")
        for pid in named(running.below(), name)[:1]:
            os.kill(pid, signal.SIGKILL)
        said = running.rest()
        assert running.process.wait() == 0, said
        assert name == "ray::" or "it is started again" in said
        assert running.gone()
    finally:
        running.close()
    assert content(path)["results"] == alone


# ---------------------------------------------------------------- slow bots


SLOW = textwrap.dedent(
    """
    from tournament import execution
    made = execution.OnRay.__init__
    execution.OnRay.__init__ = lambda self, *a, **k: made(self, *a, **k, worker="tests.faulty:Slow")
    from cli import progress
    progress.EVERY = 0.0
    """
)


def test_a_bot_that_takes_a_second_a_match(tmp_path: Path) -> None:
    running = Running(tmp_path / "x.duckdb", "--matches", "100", setup=SLOW)
    try:
        running.hear("run ")
        running.hear("4 of 100 matches")
        code, said, seconds = running.end(signal.SIGINT)
    finally:
        running.close()
    assert code == 130, said
    assert seconds < GONE_SECONDS
    assert 4 <= stored(tmp_path / "x.duckdb") <= 10
