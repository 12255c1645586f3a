"""Bots in plain Python: they see what compiled ones see, play the same, touch nothing, and fail with file and line."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots import registry as bots
from bots.bot import Bot, entrant
from engine import registry
from engine.game import rules_record
from engine.loop import MatchLoop, blank_view
from engine.match import Match
from engine.plain import Plain, Record, fields_of, record_class
from storage.store import reading
from tests.conftest import Program
from tests.program import ROOT, environment
from tournament.execution import OnRay
from tournament.plan import plan_run
from tournament.worker import Worker

# Read by the same names in both kinds, with luck and a parameter.
BOT = """
from bots.bot import Bot, Parameter
from engine.cards import rank
from engine.games.cuttle.state import DRAW, JACK_ON, POINTS, ROYAL, SCUTTLE, move_of
from engine.kernel import kernel
from engine.rng import random_below


{mark}
def score_of(view, move, least):
    if move.kind == POINTS:
        return 10 + rank(move.card)
    if move.kind == SCUTTLE:
        return 15 if view.table.points[1 - view.seat] else 3
    return 25 if move.kind in (ROYAL, JACK_ON) else least if move.kind == DRAW else 0


{mark}
def decide(view, rules, moves, count, params, luck):
    best, chosen = -1, 0
    for i in range(count):
        score = 16 * score_of(view, move_of(moves[i]), int(params[0])) + random_below(luck, 16)
        if score > best:
            best, chosen = score, i
    return chosen


BOT = Bot("{name}", "Lays cards down.", decide, (Parameter("least", 14, 0, 30, "what drawing is worth"),))
"""
FAULTY = """
from bots.bot import Bot


def part(view, rules, moves):
    return {line}


def decide(view, rules, moves, count, params, luck):
    return part(view, rules, moves)


BOT = Bot("mine", "Fails.", decide)
"""
SIX = ["run", "cuttle", "--workers", "0", "--matches", "10", "--bots"]


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The same bot in plain Python and compiled."""
    monkeypatch.chdir(tmp_path)
    Path("plain.py").write_text(BOT.format(mark="", name="plain"))
    Path("compiled.py").write_text(BOT.format(mark="@kernel", name="compiled"))
    return "plain.py", "compiled.py"


def test_both_kinds_play_the_same_matches(both: tuple[str, str]) -> None:
    """The rows, what is counted inside matches, and the rest of a chunk; with parameters and what is never used."""
    found = []
    for file in both:
        field = f"{file}(least=9),{file}(never=royal),greedy"
        plan = plan_run("cuttle", field, matches=60, seed=3, telemetry=True)
        assert isinstance(plan.entrants[0].bot.decide, Plain) == (file == "plain.py")
        results = Worker(plan.settings).play(0, plan.matches)
        found.append((results.rows.tobytes(), results.tally.pack(0)))
    assert found[0] == found[1]


def test_a_search_may_play_on_with_either(both: tuple[str, str]) -> None:
    rows = [
        Worker(plan_run("cuttle", f"rollouts(playouts=20,policy={file}),random", matches=2).settings).play(0, 2).rows
        for file in both
    ]
    assert (rows[0] == rows[1]).all()


@pytest.mark.soak
@pytest.mark.parametrize("game_id", registry.GAMES)
def test_every_bot_plays_the_same_in_plain_python(game_id: str) -> None:
    """Kernels run as Python on what bots in plain Python are shown: all fields that any bot reads mean the same."""
    plays_the_same(game_id, bots.names(game_id))


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_some_bots_play_the_same_in_plain_python(game_id: str) -> None:
    plays_the_same(game_id, bots.names(game_id)[1:3])


def plays_the_same(game_id: str, names: Sequence[str]) -> None:
    game = registry.game(game_id)
    seats = game.default_seats
    for name in names:
        rules = rules_record(game, game.settle({}, seats), seats)
        bot = entrant(bots.bot(game_id, name), {})
        params = np.array([bot.params] * seats)
        loop = MatchLoop(game, rules)
        rows = []
        for decide in (bot.bot.decide, Plain(game, bot.bot.decide)):
            rows.append(np.zeros((3 + seats, 1), np.int32))
            loop.play([decide] * seats, params, 9, 4, 1, rows[-1])
        assert (rows[0] == rows[1]).all(), name
        assert rows[0][1, 0] >= 0, name


def test_a_run_is_stored_traced_replayed_and_reviewed(program: Program, both: tuple[str, str]) -> None:
    assert program(*SIX, "plain.py,greedy").code == 0
    with reading(Path("hilltop.duckdb")) as store:
        (run,) = store.runs()
    replayed = program("replay", run.id, "3")
    assert replayed.code == 0, replayed.err
    assert program("verify", run.id).code == 0
    assert program("review", run.id, "3", "--playouts", "10").code == 0
    traces = [program("trace", "cuttle", "--bots", f"{file},greedy", "--match", "2").out for file in both]
    assert json.loads(traces[0])["steps"] == json.loads(traces[1])["steps"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("view.tabel.turn", "AttributeError: there is no field 'tabel'; did you mean 'table'?"),
        ("rules.gaol", "AttributeError: there is no field 'gaol'; did you mean 'goal'?"),
        ("moves[0].crad", "AttributeError: there is no part 'crad' of a move; did you mean 'card'?"),
        ("nowhere", "NameError: name 'nowhere' is not defined"),
        ("1 // 0", "ZeroDivisionError: integer division or modulo by zero"),
        ("exit(0)", "RuntimeError: decide raised SystemExit"),
    ],
)
def test_what_goes_wrong_is_told_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program, line: str, what: str
) -> None:
    Path("mine.py").write_text(FAULTY.format(line=line))
    told = f'raised an error: {what} (File "mine.py", line 6)'
    assert program(*SIX, "mine.py,random").code == 0
    faults = json.loads(program("show", "latest", "--format", "json").out)["faults"]
    assert {row["said"] for row in faults if row["kind"] == "raised"} == {told}
    answer = program("trace", "cuttle", "--bots", "mine.py,random")
    assert answer.code == 1
    assert answer.err.splitlines()[-1].endswith(told), answer.err


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("return None", "TypeError: decide returned None, not the place of a move in moves"),
        ("return 0.5", "TypeError: decide returned 0.5, not the place of a move in moves"),
        ("return moves[0]", "TypeError: decide returned the move Move(kind="),
    ],
)
def test_what_is_no_choice_is_told(program: Program, body: str, what: str) -> None:
    Path("mine.py").write_text(FAULTY.replace("return part(view, rules, moves)", body))
    answer = program(*SIX, "mine.py,random")
    assert answer.code == 0
    assert f"withdrawn after 10 faults: raised an error: {what}" in answer.err


def asked(line: str) -> Any:
    """What a bot in plain Python returns for the first decision of a match of Cuttle, by its ``decide``."""
    names: dict[str, Any] = {}
    exec(f"def decide(view, rules, moves, count, params, luck):\n    {line}\n    return 0", names)
    match = Match(registry.game("cuttle"), {}, 2)
    match.deal(1, 1)
    state, luck = match.state.copy(), match._tools.luck.copy()
    rules = match.rules.copy()
    try:
        return match.choose(Plain(match.game, names["decide"]), entrant(Bot("", "", names["decide"]), {}).params)
    finally:
        assert (state, rules) == (match.state, match.rules)
        if "luck" not in line:
            assert (luck == match._tools.luck).all()


@pytest.mark.parametrize(
    "line",
    ["view.seat = 3", "view.table.turn = 1", "view.hand[0] = 1", "rules.goal = 1", "moves[0] = moves[1]",
     "moves[0].card = 3", "view.new = 1", "view.hand[:] = view.hand"],
)  # fmt: skip
def test_nothing_that_is_shown_can_be_written(line: str) -> None:
    with pytest.raises((AttributeError, TypeError)):
        asked(line)


def test_luck_is_the_seats_own() -> None:
    asked("luck[0] += 1")
    with pytest.raises((ValueError, TypeError)):
        asked("luck.clear()")


def test_records_read_as_numpy_reads_them() -> None:
    """Every field of every game's view and rules, filled with noise."""
    noise = np.random.default_rng(5)
    for game_id in registry.GAMES:
        game = registry.game(game_id)
        for real in (blank_view(game), rules_record(game, game.settle({}, game.default_seats), game.default_seats)):
            words = noise.integers(-(2**62), 2**62, real.nbytes // 8)
            record = np.frombuffer(words.tobytes(), real.dtype).view(np.recarray)[0]
            same(record, record_class("Record", real.dtype)(memoryview(words.tobytes()).cast("q")))


def same(real: Any, shown: Record) -> None:
    assert fields_of(type(shown)) == list(real.dtype.names)
    for name in real.dtype.names:
        one, other = real[name], getattr(shown, name)
        if one.dtype.names:
            same(one, other)
            continue
        for place in np.ndindex(one.shape):
            found = other
            for part in place:
                found = found[part]
            assert found == one[place]
            if len(place) > 1:
                assert other[place] == one[place]
        if one.ndim:
            assert len(other) == len(one)
            with pytest.raises(IndexError):
                other[len(one)]


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_moves_have_parts_by_name(game_id: str) -> None:
    """A move in plain Python and ``move_of`` say the same."""
    game = registry.game(game_id)
    match = Match(game, {}, game.default_seats)
    match.deal(3, 3)
    seen = 0
    while seen < 60 and not match.is_over():
        if match.chance_pending():
            match.draw()
            continue
        codes = match.legal_codes()
        move = Plain(game, lambda: 0)._move
        for code in codes:
            parts = game.state.move_of(code)
            assert {name: getattr(move(code), name) for name in parts._fields} == parts._asdict()
            assert move(code) == code
            assert tuple(move(code)) == parts
        seen += len(codes)
        match.apply(codes[len(codes) // 2])
    assert seen


NODE = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from tournament.cluster.remote import Home, RemoteWorker
worker = RemoteWorker(Home(**pickle.load(sys.stdin.buffer)))
sys.stdout.buffer.write(pickle.dumps((worker.prepare(), worker.play(0, 12))))
"""


def test_a_bot_of_several_files_travels_to_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where neither its folder nor the source is known."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (here / "helper.py").write_text("from bots.files import data\nWORTH = int(data('worth.txt'))\n")
    (here / "worth.txt").write_text("17")
    text = BOT.format(mark="", name="plain").replace("int(params[0])", "WORTH")
    (here / "plain.py").write_text(text.replace("from bots.bot", "from helper import WORTH\nfrom bots.bot", 1))
    plan = plan_run("cuttle", "plain.py,greedy", matches=12)
    expected = Worker(plan.settings).play(0, 12).rows
    home = OnRay(address="somewhere:1")._home(plan, True)
    shutil.rmtree(here)
    done = subprocess.run(
        [sys.executable, "-c", NODE, str(ROOT)],
        input=pickle.dumps({**vars(home), "root": str(tmp_path / "nowhere")}),
        env=environment(HILLTOP_CACHE=str(tmp_path / "cache"), NUMBA_DISABLE_JIT="1"),
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    prepared, (results, _, trouble) = pickle.loads(done.stdout)
    assert (prepared, trouble) == ((plan.fingerprint, None), None)
    assert (pickle.loads(results).rows == expected).all()


def test_the_clock_of_plain_bots_stops_before_the_process_ends() -> None:
    script = "from engine import limits; limits.LONG_SECONDS = 1e-4; "
    script += "limits.in_time(int, 10); kept = [[] for _ in range(10**6)]"
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
