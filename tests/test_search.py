"""Searches play every game, from the view alone, repeatably, and better than their policy."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots import registry as bots
from bots.bot import Entrant, entrant
from bots.search import SEARCHES
from engine import registry
from engine.compiler import INTERPRETED
from engine.contract import CHANCE, NOBODY
from engine.errors import UsageError
from engine.game import Game
from engine.loop import ILLEGAL_CHOICE, ROW_RANKS, ROW_REASON, ROW_SCORES
from engine.match import Match
from engine.playouts import HIDDEN, NODE, POLICY, TO_COME
from engine.rng import seed_stream
from engine.search import OWN, better_half, choose, clear_node, error_of, search_of, without_hope
from tests.digest import digest
from tests.support import random_case, variant_cases
from tournament.plan import plan_run
from tournament.worker import Worker

ROOT = Path(__file__).resolve().parent.parent
each_game = pytest.mark.parametrize("game", registry.GAMES)
# Without the compiler the larger games take minutes.
each_game_slowly = pytest.mark.parametrize(
    "game", [name if name == "cuttle" else pytest.param(name, marks=pytest.mark.soak) for name in registry.GAMES]
)


def played(game: str, field: str, matches: int, players: int | None = None, seed: int = 5) -> np.ndarray[Any, Any]:
    plan = plan_run(game, field, matches=matches, players=players, seed=seed)
    rows: np.ndarray[Any, Any] = Worker(plan.settings).play(0, plan.matches).rows
    return rows


# ---------------------------------------------------------------- what they are called


def test_specs() -> None:
    (plain,) = bots.field("cuttle", "rollouts")
    assert plain.spec == "rollouts(playouts=1000,policy=all_rounder)"
    assert bots.field("cuttle", plain.spec)[0].spec == plain.spec
    (other,) = bots.field("cuttle", "tree_search(playouts=50, policy=greedy, never=scuttle)")
    assert other.spec == "tree_search(playouts=50,policy=greedy,never=scuttle)"
    assert other.policy == bots.bot("cuttle", "greedy")
    assert [part.name for part in other.parts] == ["tree_search", "greedy"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("rollouts(playouts=0)", "playouts of bot rollouts cannot be '0'; allowed: 1 to 1000000, whole numbers"),
        ("rollouts(playouts=1.5)", "cannot be '1.5'"),
        ("rollouts(policy=nobody)", "cuttle has no bot 'nobody'"),
        ("rollouts(policy=tree_search)", "a search cannot have the policy 'tree_search'; allowed: random"),
        ("greedy(policy=random)", "bot greedy has no parameter 'policy'"),
    ],
)  # fmt: skip
def test_wrong_specs(spec: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        bots.field("cuttle", spec)
    assert said in str(caught.value)


@each_game
def test_every_game_has_them_apart_from_all(game: str) -> None:
    assert not set(SEARCHES) & set(bots.names(game))
    for name in SEARCHES:
        bot = bots.bot(game, name)
        assert bot.idea.endswith(".")
        assert len(bot.idea) <= 110
        assert bot.policy is not None
        assert bot.policy.name in bots.names(game)


def test_a_changed_policy_file_is_another_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    prints = []
    for choice in ("0", "count - 1"):
        path.write_text(
            "from bots.bot import Bot\nfrom engine.kernel import kernel\n\n\n@kernel\n"
            f"def decide(_view, _rules, _moves, count, _params, _luck):\n    return {choice}\n\n\n"
            'BOT = Bot("own", "One of the moves.", decide)\n'
        )
        prints.append(plan_run("cuttle", f"rollouts(playouts=8,policy={path}),random", matches=10).fingerprint)
    assert prints[0] != prints[1]


# ---------------------------------------------------------------- how they play


@each_game
def test_legal_and_repeatable_under_many_rules(game: str) -> None:
    """Whatever the memory of a search held before: a worker that has played other matches plays the same."""
    import random

    facts = registry.game(game)
    dice = random.Random(2)
    cases = [(options, players) for _, options, players in variant_cases(facts)]
    cases = dice.sample(cases, min(len(cases), 3)) + [random_case(facts, dice) for _ in range(2)]
    for options, players in cases:
        settings = {
            "game": game,
            "players": players,
            "variants": [{"name": _variant(facts, players), "rules": options}],
            "bots": ["rollouts(playouts=24)", "tree_search(playouts=16)"],
            "matches": 4,
            "seed": 3,
        }
        worker = Worker(settings)
        rows = worker.play(0, worker.plan.matches).rows
        assert not (rows[ROW_REASON] == ILLEGAL_CHOICE).any()
        assert (worker.play(0, worker.plan.matches).rows == rows).all()
        assert (Worker(settings).play(0, worker.plan.matches).rows == rows).all()


def _variant(game: Game, players: int) -> str:
    return next(name for name, _, seats in variant_cases(game) if seats == players)


@pytest.mark.skipif(INTERPRETED, reason="compares compiled code with interpreted")
@pytest.mark.parametrize("flag", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.soak)])
@each_game_slowly
def test_interpreted_and_checked_the_same(game: str, flag: str) -> None:
    field = ["rollouts(playouts=5,caution=0)", "tree_search(playouts=4)"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.digest", game, "1", ";".join(field)],
        cwd=ROOT,
        env={**os.environ, flag: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest(game, 1, field)


@each_game
@pytest.mark.parametrize("name", SEARCHES)
def test_clean_hands(game: str, name: str) -> None:
    """View, rules, moves and parameters are as they were; the same luck gives the same answer."""
    facts = registry.game(game)
    bot = entrant(bots.bot(game, name), {"playouts": "20"})
    for match, seat, count in decisions(facts, 12):
        tools = match._tools
        facts.rules.observe(match.rules, match.state, seat, tools.view)
        given = tools.view, match.rules, tools.moves, bot.params
        before = [memory.tobytes() for memory in given]
        answers = set()
        for _ in range(2):
            luck = tools.luck[seat].copy()
            answers.add(int(bot.bot.decide(tools.view, match.rules, tools.moves, count, bot.params, luck)))
        assert len(answers) == 1
        assert 0 <= answers.pop() < count
        assert [memory.tobytes() for memory in given] == before


def decisions(game: Game, most: int) -> Any:
    """Some decisions between several moves of a random match: the match, the seat, how many moves."""
    import random

    dice = random.Random(1)
    match = Match(game, {}, game.default_seats)
    match.deal(4, 0)
    found = 0
    while found < most and not match.is_over():
        if match.chance_pending():
            match.draw()
            continue
        codes = match.legal_codes()
        if len(codes) > 1:
            found += 1
            yield match, match.to_act(), len(codes)
        match.apply(dice.choice(codes))
    assert found > 0


# ---------------------------------------------------------------- what they compute


@each_game
def test_playouts_are_what_the_rules_and_the_policy_make_of_them(game: str) -> None:
    """The sums of the kernel, against playouts that plain Python drives through the rules."""
    facts = registry.game(game)
    bot = entrant(bots.bot(game, "rollouts"), {})
    sample = search_of(game, "sample")
    for match, seat, count in decisions(facts, 2):
        facts.rules.observe(match.rules, match.state, seat, match._tools.view)
        view = match._tools.view
        moves = match._tools.moves[:count].copy()
        memory = bot.workspace.memory[0]
        few = [count - 1, 0]
        memory.alive[:2] = few
        memory.totals[:count] = memory.squares[:count] = 0.0
        sample(match.rules, view, moves, 2, 77, 3, 4, bot.workspace.tools)
        worths = [
            [by_hand(facts, match.rules, view, moves[place], 77, number, bot) for place in few]
            for number in range(3, 7)
        ]
        assert [memory.totals[place] for place in few] == pytest.approx(np.sum(worths, axis=0).tolist())
        assert memory.squares[few[0]] == 0.0
        assert memory.squares[few[1]] == pytest.approx(sum((one - base) ** 2 for base, one in worths))


def by_hand(game: Game, rules: Any, view: Any, move: int, seed: int, number: int, bot: Entrant) -> float:
    """The worth of one playout to the seat whose view it is."""
    assert bot.policy
    match = Match(game, {}, game.default_seats)
    state, tools = match.state, match._tools
    params = entrant(bot.policy, {}).params
    seed_stream(tools.cards, seed, number, HIDDEN)
    game.rules.determinize(rules, view, tools.cards, state)
    seed_stream(tools.cards, seed, number, TO_COME)
    for seat in range(match.players):
        seed_stream(tools.luck[seat], seed, number, POLICY + seat)
    game.rules.apply(rules, state, move)
    while (seat := int(game.rules.to_act(state))) != NOBODY:
        if seat == CHANCE:
            match.draw()
        else:
            match.apply(match.choose(bot.policy.decide, params))
    result = match.result()
    assert result
    if game.cooperative:
        return float(result["reason"] == game.won) + 0.001 * float(result["scores"][0])
    mine = result["ranks"][view.seat]
    others = [rank for seat, rank in enumerate(result["ranks"]) if seat != view.seat]
    return float(sum((rank > mine) + 0.5 * (rank == mine) for rank in others) / len(others))


def test_the_better_half_stays() -> None:
    alive = np.array([4, 0, 1, 2, 3, 9], np.int64)
    totals = np.array([1.0, 5.0, 3.0, 7.0, 0.0, 0, 0, 0, 0, 9.0])
    assert better_half(alive, 5, totals) == 3
    assert alive[:3].tolist() == [4, 3, 1]


def test_what_is_clearly_worse_is_given_up() -> None:
    alive = np.array([2, 0, 1, 3], np.int64)
    totals, squares = np.array([50.0, 30.0, 60.0, 90.0]), np.array([40.0, 40.0, 0.0, 40.0])
    assert error_of(40.0, 100) == pytest.approx(math.sqrt(41 / 101 / 100))  # 0.064: 1.6, 4.7 and -4.7 errors worse
    assert without_hope(alive, 4, 100, totals, squares) == 3
    assert alive[:3].tolist() == [2, 0, 3]


def test_the_tree_prefers_the_policys_move_then_what_did_well() -> None:
    nodes = np.zeros(8, NODE).view(np.recarray)
    clear_node(nodes[0], -1, -1, -1)
    options = np.array([10, 20, 30], np.int64)
    assert choose(nodes, 0, 1, options, 3, 1) == (1, -1, -1)
    for number, (move, seat) in enumerate([(10, 0), (10, 1), (20, 1)], start=1):  # 10 by another seat is another child
        clear_node(nodes[number], move, seat, 0)
        nodes[number - 1 if number > 1 else 0][("child", "next")[number > 1]] = number
    nodes[2].visits, nodes[2].total = 4, 1.0
    nodes[3].visits, nodes[3].total = 4, 3.6
    place, child, before = choose(nodes, 0, 1, options, 3, 0)
    # Mean 0.575, sqrt(9) = 3: 0.25 + 3 * 0.5 / 5, 0.9 + 3 * 0.25 / 5, 0.575 + 3 * 0.25.
    assert (place, child, before) == (2, -1, 3)
    assert OWN == 0.5
    nodes[3].total = 4.0  # Mean 0.625: 1.0 + 0.15 is less still than 0.625 + 0.75.
    assert choose(nodes, 0, 1, options, 3, 0)[0] == 2
    options[2] = 25
    nodes[2].visits = 40  # Mean 5 / 44, sqrt(45): an untried move is worth 0.11 + 1.68.
    assert choose(nodes, 0, 1, options[:2], 2, 0)[:2] == (1, 3)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_sure_win_is_seen_whatever_the_policy(name: str) -> None:
    """Seven points laid win at once; whatever else is done gives the other side a turn."""
    match = Match(registry.game("cuttle"), {}, 2)
    p0 = {"hand": ["2C", "3D", "7H", "4S", "9D"], "points": ["TC", "4H"]}
    match.load({"p0": p0, "p1": {"hand": ["3C", "5S", "8H"], "points": ["9H"]}})
    policy = bots.bot("cuttle", "random")
    bot = entrant(replace(bots.bot("cuttle", name), policy=policy), {"playouts": "300"})
    match.apply(match.choose(bot.bot.decide, bot.params))
    assert match.is_over()


# ---------------------------------------------------------------- a search of one's own


def test_the_search_that_contributing_shows(tmp_path: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "determinize" in block]
    path = tmp_path / "sampler.py"
    path.write_text(code, encoding="utf-8")
    rows = played("cuttle", f"{path},greedy", 100)
    share = np.mean([rows[ROW_RANKS, seat::2] == (10, 1)[seat] for seat in range(2)])
    assert share - 1.96 * math.sqrt(share * (1 - share) / 100) > 0.5
    assert (rows == played("cuttle", f"{path},greedy", 100)).all()


# ---------------------------------------------------------------- how well they play


@pytest.mark.parametrize("name", SEARCHES)
def test_they_beat_their_policy_in_cuttle(name: str) -> None:
    rows = played("cuttle", f"{name}(playouts=200,policy=greedy),greedy", 160)
    won = [(rows[ROW_RANKS, seat::2] == (10, 1)[seat]).mean() for seat in range(2)]
    share = np.mean(won)
    assert share - 1.96 * math.sqrt(share * (1 - share) / 160) > 0.5


@pytest.mark.soak
def test_they_win_more_alone() -> None:
    rows = played("jack_and_jill", "rollouts(playouts=300),forecaster", 200, players=1)
    game = registry.game("jack_and_jill")
    won = rows[ROW_REASON] == game.state.REASONS.index(game.won)
    assert won[::2].sum() > won[1::2].sum() + 10
    assert (rows[ROW_SCORES][~won] == 0).all()
