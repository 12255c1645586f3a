"""The service: its API says what commands say, keeps its queue, and does nothing for those who may not ask."""

from __future__ import annotations

import json
import random
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from engine import registry
from service.app import application
from service.safety import MOST_BYTES, WRITES, Rates, Sessions, same
from service.settings import Settings, token_for
from storage.jobs import COMPLETE, PLAYING, WAITING, Jobs
from storage.store import reading, writing
from tests.conftest import Program
from tests.program import hilltop
from tests.serving import serving
from tournament import run as runner
from tournament.plan import plan_run

SITE = {"Origin": "http://localhost"}


@pytest.fixture
def client(played: Path) -> TestClient:
    """A client of a service over a file with one run; nothing is played, as its life does not begin."""
    return TestClient(application(Settings(played)), base_url="http://localhost", raise_server_exceptions=False)


def test_what_commands_say_is_what_the_api_says(client: TestClient, played: Path, program: Program) -> None:
    run = client.get("/api/v1/runs").json()[0]
    for command, place in (("show", "standings"), ("matrix", "matrix")):
        told = json.loads(program(command, run["id"], "--db", str(played), "--format", "json").out)
        assert client.get(f"/api/v1/runs/{run['id']}/{place}").json() == told
    rated = json.loads(program("rate", run["id"], "--db", str(played), "--format", "json").out)
    assert client.get("/api/v1/leaderboards/cuttle").json() == rated
    trace = json.loads(program("replay", run["id"], "7", "--json", "--db", str(played)).out)
    served = client.get(f"/api/v1/runs/{run['id']}/matches/7").json()
    assert [{key: value for key, value in step.items() if key != "after"} for step in served["steps"]] == trace["steps"]
    assert served["result"] == trace["result"]


def test_games_bots_and_runs_are_listed(client: TestClient) -> None:
    games = client.get("/api/v1/games").json()
    assert [game["game"] for game in games] == list(registry.GAMES)
    assert [one["variant"] for one in games[0]["variants"]] == list(registry.game("cuttle").variants)
    assert "greedy" in [bot["bot"] for bot in client.get("/api/v1/games/cuttle/bots").json()]
    run = client.get("/api/v1/runs/latest").json()
    assert (run["state"], run["stored"], run["matches"]) == ("complete", 1200, 1200)
    page = client.get(f"/api/v1/runs/{run['id']}/matches?first=5&count=3").json()
    assert [row["match"] for row in page] == [5, 6, 7]
    with reading(client.app.state.service.desk.path) as store:  # type: ignore[attr-defined]
        stored = store.result(store.run(run["id"]), 6)
    assert page[1]["scores"] == [stored["score0"], stored["score1"]]
    assert page[1]["ranks"] == [stored["ranks"] % 10, stored["ranks"] // 10]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_export_is_streamed_as_the_command_writes_it(
    client: TestClient, played: Path, program: Program, tmp_path: Path, kind: str
) -> None:
    target = tmp_path / f"matches.{kind}"
    program("export", "latest", "--to", str(target), "--db", str(played))
    answer = client.get(f"/api/v1/runs/latest/export?kind={kind}")
    assert answer.status_code == 200
    assert answer.content == target.read_bytes()


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"game": "cutle"}, 400, "there is no game 'cutle'"),
        ({"game": "cuttle", "bots": ["nobody"]}, 400, "has no bot 'nobody'"),
        ({"game": "cuttle", "variants": ["none"]}, 400, "has no variant 'none'"),
        ({"game": "cuttle", "rules": {"goal": "many"}}, 400, "rule option goal cannot be"),
        ({"game": "cuttle", "matches": 0}, 400, "matches cannot be 0"),
        ({"game": "cuttle", "matches": 10**18}, 400, "this service allows"),
        ({"game": "cuttle", "seed": -1}, 400, "seed cannot be -1"),
        ({"game": "cuttle", "bots": ["own.py"]}, 400, "--allow-code"),
        ({"game": "cuttle", "bots": ["rollouts(policy=own.py)"]}, 400, "--allow-code"),
        ({"game": "cuttle", "matches": "many"}, 422, "matches"),
        ({"gaem": "cuttle"}, 422, "game"),
    ],
)
def test_what_cannot_be_played_is_a_problem_with_a_sentence(
    client: TestClient, body: dict[str, Any], status: int, says: str
) -> None:
    answer = client.post("/api/v1/runs", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert says in problem["detail"]
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "path", ["/runs/x1", "/runs/..%2f..%2fetc", "/leaderboards/chess", "/runs/latest/matches/99999"]
)
def test_what_is_not_there_is_404(client: TestClient, path: str) -> None:
    assert client.get(f"/api/v1{path}").status_code == 404


# ---------------------------------------------------------------- who may ask


def test_other_hosts_and_sites_get_nothing(client: TestClient) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"Host": "evil.example:8000"}).status_code == 421
    assert client.get("/", headers={"Host": "192.0.2.7"}).status_code == 421  # this one is for its own machine alone
    body = {"game": "cuttle", "matches": 10}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert client.post("/api/v1/runs", json=body, headers=headers).status_code == 403
        assert client.post("/new", data={"game": "cuttle", "do": "start"}, headers=headers).status_code == 403
    assert len(client.get("/api/v1/runs").json()) == 1


def test_a_service_for_others_answers_to_addresses_and_its_names(played: Path) -> None:
    settings = Settings(played, host="0.0.0.0", token="w" * 32, names=frozenset({"games.example"}))
    client = TestClient(application(settings), base_url="http://localhost")
    for host in ("192.0.2.7:8000", "[2001:db8::1]:8000", "games.example", "GAMES.example:80", "localhost"):
        assert client.get("/healthz", headers={"Host": host}).status_code == 200
    for host in ("evil.example", "192.0.2.7.evil.example", "", "games.example.evil.example"):
        assert client.get("/healthz", headers={"Host": host}).status_code == 421


def test_large_bodies_are_refused(client: TestClient) -> None:
    assert client.post("/api/v1/runs", content=b"x" * (MOST_BYTES + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(MOST_BYTES // 1000 + 2):
            yield b"x" * 1000

    assert client.post("/api/v1/runs", content=endless()).status_code in (400, 413, 422)
    assert len(client.get("/api/v1/runs").json()) == 1


def test_pages_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in (
        "/",
        "/runs",
        "/runs/latest",
        "/runs/latest/report",
        "/runs/latest/matches/0",
        "/new?game=cuttle",
        "/play",
    ):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe-eval" not in answer.headers["content-security-policy"]
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", answer.text)


def test_markup_in_names_stays_text(client: TestClient) -> None:
    wicked = "<script>alert(1)</script>"
    for path in (
        f"/runs/{wicked}",
        f"/play/{wicked}",
        f"/leaderboards/cuttle?variant={wicked}",
        f"/play/cuttle?p0={wicked}",
    ):
        answer = client.get(path, headers={"Accept": "text/html"})
        assert wicked not in answer.text
    answer = client.post("/new", data={"game": "cuttle", "more": wicked}, headers=SITE)
    assert answer.status_code == 400
    assert wicked not in answer.text


def test_tokens_let_in_and_keep_out(played: Path) -> None:
    token, reader = "w" * 32, "r" * 32
    settings = Settings(played, host="0.0.0.0", token=token, read_token=reader)
    client = TestClient(application(settings), base_url="http://localhost")
    wrong = {"game": "cuttle", "matches": 0}  # refused after the token is looked at
    assert client.get("/healthz").status_code == 200
    for path in ("/", "/api/v1/runs", "/metrics", "/api/v1/openapi.json"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers={"Authorization": "Bearer nobody"}).status_code == 401
        assert client.get(path, headers={"Authorization": f"Bearer {reader}"}).status_code == 200
    assert client.post("/api/v1/runs", json=wrong, headers={"Authorization": f"Bearer {reader}"}).status_code == 401
    assert client.post("/api/v1/runs", json=wrong, headers={"Authorization": f"Bearer {token}"}).status_code == 400
    assert client.post("/sign-in", data={"token": "x" * 32}, headers=SITE).status_code == 401
    entered = client.post("/sign-in", data={"token": token}, headers=SITE, follow_redirects=False)
    assert entered.status_code == 303
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert token not in cookie
    assert client.get("/api/v1/runs").status_code == 200
    assert client.post("/api/v1/runs", json=wrong).status_code == 400


def test_a_service_for_others_has_a_token_that_cannot_be_guessed() -> None:
    one, two = token_for("0.0.0.0", None), token_for("0.0.0.0", None)
    assert one
    assert two
    assert one != two
    assert len(one) >= 40
    assert token_for("127.0.0.1", None) is None
    with pytest.raises(Exception, match="at least 16"):
        token_for("0.0.0.0", "short")
    assert same("abc", "abc")
    assert not same("abc", "abd")
    sessions = Sessions()
    assert sessions.writes(sessions.begin(True)) is True
    assert sessions.writes("none") is None


def test_writes_are_limited_and_clients_apart() -> None:
    rates = Rates(*WRITES)
    assert not any(rates.take("one") for _ in range(int(WRITES[1])))
    assert rates.take("one") > 0
    assert rates.take("two") == 0


def test_a_silent_or_slow_client_holds_nobody_up(played: Path) -> None:
    with serving(played) as served:
        port = int(served.url.rpartition(":")[2])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
        half = socket.create_connection(("127.0.0.1", port))
        half.sendall(b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        assert served.ask("/api/v1/runs")[0] == 200
        for one in (half, idle[0]):
            one.settimeout(60)
            assert one.recv(1000) in (b"",) or b"400" in one.recv(1000)
        for one in (half, *idle):
            one.close()
        assert served.ask("/healthz")[0] == 200


def test_a_place_that_cannot_be_had_is_told(program: Program, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = program("serve", "--db", str(tmp_path / "x.duckdb"), "--port", port)
        assert answer.code == 1
        assert f"cannot listen at port {port} of '127.0.0.1': address already in use" in answer.err
    assert program("serve", "--port", "0").code == 2
    assert program("serve", "--host", "no.such.host.invalid", "--port", port).code == 1
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- jobs


def test_turns_are_fair_between_clients(tmp_path: Path) -> None:
    with writing(tmp_path / "jobs.duckdb") as store:
        jobs = Jobs(store)
        for run, client in ((1, "a"), (2, "a"), (3, "a"), (4, "b")):
            jobs.add(run, client, None)
        order = []
        while job := jobs.next():
            order.append(job.run)
            jobs.change(job.run, PLAYING)
            jobs.change(job.run, COMPLETE)
    assert order[:2] in ([1, 4], [4, 1])
    assert sorted(order) == [1, 2, 3, 4]


def test_asking_twice_with_a_key_makes_one_run(tmp_path: Path) -> None:
    client = TestClient(application(Settings(tmp_path / "x.duckdb", max_waiting=2)), base_url="http://localhost")
    body = {"game": "cuttle", "bots": ["random", "greedy"], "matches": 100, "key": "mine"}
    first, second = client.post("/api/v1/runs", json=body), client.post("/api/v1/runs", json=body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert client.post("/api/v1/runs", json=body | {"seed": 1}).status_code == 409
    assert client.post("/api/v1/runs", json=body | {"seed": 2, "key": "other"}).status_code == 201
    refused = client.post("/api/v1/runs", json=body | {"seed": 3, "key": "third"})
    assert refused.status_code == 503
    assert "wait already" in refused.json()["detail"]
    run = first.json()["id"]
    assert first.json()["state"] == WAITING
    assert client.post(f"/api/v1/runs/{run}/stop").json()["state"] == "stopped"
    assert client.post(f"/api/v1/runs/{run}/resume").json()["state"] == WAITING


def _digest(db: Path, run: str) -> str:
    done = hilltop("show", run, "--db", str(db), "--format", "json")
    return str(json.loads(done.stdout)["run"]["digest"])


def _undisturbed(folder: Path, matches: int, seed: int) -> str:
    plan = plan_run("cuttle", "random,greedy", matches=matches, seed=seed)
    path = folder / f"alone{seed}.duckdb"
    from tournament.execution import InProcess

    runner.prepare(plan)
    with writing(path) as store:
        runner.play(plan, store, runner.start(plan, store), InProcess())
    return _digest(path, "latest")


def _killed(folder: Path, kills: int, matches: int) -> None:
    """A service with jobs is killed so many times, and restarted; all its runs end as undisturbed ones."""
    db = folder / "served.duckdb"
    bodies = [
        {"game": "cuttle", "bots": ["random", "greedy"], "matches": matches, "seed": seed, "key": str(seed)}
        for seed in (1, 2)
    ]
    ids: list[str] = []
    dice = random.Random(kills)
    for kill in range(kills):
        with serving(db) as served:
            ids = [served.ask("/api/v1/runs", body)[1]["id"] for body in bodies]
            served.until(f"/api/v1/runs/{ids[kill % 2]}", "state", "playing", "complete")
            time.sleep(dice.uniform(0.0, 1.5))
            served.kill()
    with serving(db) as served:
        for run in ids:
            served.until(f"/api/v1/runs/{run}", "state", "complete", "failed")
        assert len(served.ask("/api/v1/runs")[1]) == 2
    for run, body in zip(ids, bodies, strict=True):
        assert _digest(db, run) == _undisturbed(folder, matches, int(str(body["seed"])))


def test_a_killed_service_goes_on_where_it_was(tmp_path: Path) -> None:
    _killed(tmp_path, 1, 200_000)


@pytest.mark.soak
def test_a_service_killed_thirty_times(tmp_path: Path) -> None:
    _killed(tmp_path, 30, 20_000_000)


def test_a_run_is_played_followed_stopped_and_resumed(tmp_path: Path) -> None:
    db = tmp_path / "x.duckdb"
    with serving(db) as served:
        body = {"game": "cuttle", "bots": ["random", "greedy"], "matches": 10**9}
        status, run = served.ask("/api/v1/runs", body)
        assert status == 201
        served.until(f"/api/v1/runs/{run['id']}", "state", "playing")
        _, small = served.ask("/api/v1/runs", {"game": "cuttle", "bots": ["random"], "matches": 10})
        assert served.ask(f"/api/v1/runs/{run['id']}/stop", method="POST")[1]["state"] == "stopped"
        served.until(f"/api/v1/runs/{small['id']}", "state", "complete")
        assert served.ask(f"/api/v1/runs/{run['id']}")[1]["state"] == "stopped"
        status, text = served.ask(f"/api/v1/runs/{small['id']}/events")
        assert status == 200
        assert '"state": "complete"' in text
        page = served.ask(f"/runs/{small['id']}")[1]
        assert "complete: 10 of 10 matches" in page
        assert "hilltop_stored_matches" in served.ask("/metrics")[1]
