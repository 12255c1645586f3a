"""What every bot must do: play legally, repeatably and with clean hands, and be listed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import bots
from bots import registry as bot_registry
from bots.bot import Bot, Parameter, entrant
from engine import registry
from engine.contract import CHANCE
from engine.errors import UsageError
from engine.game import Game
from engine.loop import BLIND, ILLEGAL_CHOICE, NUMBERS, PARAMETERS, ROW_REASON, MatchLoop, blank_view
from engine.match import Match
from tests.support import random_case, variant_cases
from tournament.worker import Worker

ALL = [(game, name) for game in registry.GAMES for name in bot_registry.names(game)]
each_bot = pytest.mark.parametrize(("game", "name"), ALL, ids=[f"{game}-{name}" for game, name in ALL])


@pytest.mark.parametrize("game", registry.GAMES)
def test_every_bot_file_is_listed(game: str) -> None:
    folder = Path(bots.__file__).parent / game
    files = {path.stem for path in folder.glob("*.py") if "BOT = " in path.read_text(encoding="utf-8")}
    assert files == set(bot_registry.names(game)) - {"random"}
    assert len(bot_registry.names(game)) > 6


@each_bot
def test_facts(game: str, name: str) -> None:
    bot = bot_registry.bot(game, name)
    assert bot.name == name
    assert bot.idea.endswith(".")
    assert len(bot.idea) <= 110
    assert len(bot.parameters) <= PARAMETERS
    for parameter in bot.parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.meaning


@pytest.mark.parametrize("game", registry.GAMES)
def test_bots_are_legal_and_repeatable_under_all_rules(game: str) -> None:
    """All bots against each other and themselves: every variant, every number of seats, and odd rules."""
    facts = registry.game(game)
    dice = random.Random(3)
    cases = [(options, players, 300) for _, options, players in variant_cases(facts)]
    # Few: under odd rules a match of Jack and Jill may cost a minute.
    cases += [(*random_case(facts, dice), 60) for _ in range(6)]
    for options, players, matches in cases:
        settings = {
            "game": game,
            "players": players,
            "variants": [{"name": "standard" if players in _seats(facts) else "dark_one", "rules": options}],
            "bots": list(bot_registry.names(game)),
            "matches": matches,
            "seed": 4,
        }
        worker = Worker(settings)
        rows = worker.play(0, worker.plan.matches).rows
        assert not (rows[ROW_REASON] == ILLEGAL_CHOICE).any()
        assert (worker.play(0, worker.plan.matches).rows == rows).all()


def _seats(game: Game) -> list[int]:
    return [players for name, _, players in variant_cases(game) if name == "standard"]


@each_bot
def test_a_bot_changes_nothing_and_keeps_nothing(game: str, name: str) -> None:
    """Asked twice with the same luck it answers the same, and view, moves and parameters are as they were."""
    facts = registry.game(game)
    bot = entrant(bot_registry.bot(game, name), {})
    dice = random.Random(8)
    asked = 0
    for options, players in [(o, p) for _, o, p in variant_cases(facts)][:4]:
        match = Match(facts, options, players)
        match.deal(12, 0)
        tools = match._tools
        for _ in range(80):
            if match.is_over():
                break
            seat = int(facts.rules.to_act(match.state))
            if seat == CHANCE:
                match.draw()
                continue
            count = int(facts.rules.legal(match.rules, match.state, tools.moves))
            if count > 1:
                facts.rules.observe(match.rules, match.state, seat, tools.view)
                before = tools.view.tobytes(), tools.moves[:count].tobytes()
                params, lucks = bot.params, [tools.luck[seat].copy(), tools.luck[seat].copy()]
                answers = [bot.bot.decide(tools.view, match.rules, tools.moves, count, params, luck) for luck in lucks]
                assert answers[0] == answers[1]
                assert 0 <= answers[0] < count
                assert (lucks[0] == lucks[1]).all()
                assert (tools.view.tobytes(), tools.moves[:count].tobytes()) == before
                assert (params == bot.params).all()
                asked += 1
            match.apply(dice.choice([int(code) for code in tools.moves[:count]]))
    assert asked > 0


@each_bot
def test_a_bot_that_says_it_is_blind_does_not_look(game: str, name: str) -> None:
    """Only what it draws from its luck decides, whatever the view holds: so the loop need not write the view."""
    facts = registry.game(game)
    bot = entrant(bot_registry.bot(game, name), {})
    assert bot.params[BLIND] == bot.bot.blind == (name == "random")
    if not bot.bot.blind:
        return
    match = Match(facts, {}, facts.default_seats)
    match.deal(12, 0)
    tools = match._tools
    noise = np.frombuffer(random.Random(5).randbytes(tools.view.nbytes), tools.view.dtype).view(np.recarray)[0]
    for count in range(2, 60):
        lucks = [tools.luck[0].copy() for _ in range(3)]
        views = (tools.view, blank_view(facts), noise)
        answers = [
            bot.bot.decide(view, match.rules, tools.moves, count, bot.params, luck)
            for view, luck in zip(views, lucks, strict=True)
        ]
        assert len(set(answers)) == 1
        tools.luck[0] = lucks[0]


def test_only_bots_that_look_get_a_view() -> None:
    """The loop writes the view for whoever is not blind, and a blind bot plays the same with it and without."""
    facts = registry.game("cuttle")
    rules = Match(facts, {}, 2).rules
    blind = entrant(bot_registry.bot("cuttle", "random"), {})
    looking = blind.params
    looking[BLIND] = 0
    greedy = entrant(bot_registry.bot("cuttle", "greedy"), {})
    out = [np.zeros((5, 50), np.int32) for _ in range(2)]
    for rows, params in zip(out, (blind.params, looking), strict=True):
        loop = MatchLoop(facts, rules)
        loop.play([greedy.bot.decide, blind.bot.decide], np.array([greedy.params, params]), 6, 0, 50, rows)
    assert (out[0] == out[1]).all()
    # Without a view greedy would play another match: it was written for it alone.
    greedy_unseeing = greedy.params
    greedy_unseeing[BLIND] = 1
    rows = np.zeros((5, 50), np.int32)
    loop = MatchLoop(facts, rules)
    loop.play([greedy.bot.decide, blind.bot.decide], np.array([greedy_unseeing, looking]), 6, 0, 50, rows)
    assert (rows != out[0]).any()


def test_parameters_are_checked_and_shown() -> None:
    bot = Bot("tuned", "An idea.", lambda: 0, (Parameter("depth", 2.0, 1.0, 5.0, "how far"),))
    assert entrant(bot, {}).spec == "tuned"
    assert entrant(bot, {"depth": "3.5"}).spec == "tuned(depth=3.5)"
    assert entrant(bot, {"depth": "3.5"}).params.tolist() == [3.5] + [0.0] * (NUMBERS - 1)
    for wrong in ("0.9", "6", "nan", "inf", "deep", ""):
        with pytest.raises(UsageError, match="parameter depth of bot tuned cannot be"):
            entrant(bot, {"depth": wrong})
    with pytest.raises(UsageError, match="no parameter 'width'; allowed: depth"):
        entrant(bot, {"width": "1"})


def test_specs_are_read_and_written_back() -> None:
    specs = [one.spec for one in bot_registry.field("cuttle", "random, greedy(aggression=0.7)")]
    assert specs == ["random", "greedy(aggression=0.7)"]
    assert [one.spec for one in bot_registry.field("cuttle", ",".join(specs))] == specs
    assert len(bot_registry.field("cuttle", "all")) == len(bot_registry.names("cuttle"))
    for wrong in ("nobody", "greedy(", "greedy(aggression)", "greedy(aggression=2)", "", "random,,greedy", "a.py"):
        with pytest.raises(UsageError):
            bot_registry.field("cuttle", wrong)


def test_a_users_own_bot(tmp_path: Path) -> None:
    path = tmp_path / "first.py"
    path.write_text(
        "from bots.bot import Bot\nfrom engine.kernel import kernel\n\n\n@kernel\n"
        "def decide(_view, _rules, _moves, _count, _params, _luck):\n    return 0\n\n\n"
        'BOT = Bot("first", "Always the first move.", decide)\n',
        encoding="utf-8",
    )
    settings = {
        "game": "cuttle",
        "players": 2,
        "variants": [{"name": "standard", "rules": {}}],
        "bots": ["random", str(path)],
        "matches": 40,
        "seed": 1,
    }
    worker = Worker(settings)
    rows = worker.play(0, worker.plan.matches).rows
    assert rows.shape[1] == 40
    assert np.unique(rows[ROW_REASON]).min() >= 0
    assert worker.plan.fingerprint != Worker({**settings, "bots": ["random"]}).plan.fingerprint
