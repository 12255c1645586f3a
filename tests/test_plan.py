"""What a run will play: numbers of matches, seatings, who meets whom."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bots import registry as bot_registry
from bots.search import SEARCHES
from engine import registry as game_registry
from engine.errors import UsageError
from engine.games.queen_of_the_hill import deck
from engine.rng import MAX_SEED
from tests.program import ROOT
from tournament import plan as plans
from tournament.describe import describe
from tournament.page.choose import short_names
from tournament.plan import MAX_MATCHES, MOST_GROUPS, Plan, compared, plan_run, restore, seatings, with_default

BOTS = "random,greedy,points_rush"


@pytest.fixture
def big_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuttle for any number of seats: enough to plan with."""
    game = replace(game_registry.game("cuttle"), seats=(1, 2, 3, 4, 5, 6))
    monkeypatch.setattr(game_registry, "game", lambda _: game)


def groups_of(plan: Plan) -> list[list[tuple[int, ...]]]:
    """The seatings of each team."""
    return [
        [lineup.entrants for lineup in group] for _, group in itertools.groupby(plan.lineups, lambda line: line.bot_set)
    ]


# ---------------------------------------------------------------- numbers


def test_a_match_number_is_a_deal_and_a_lineup() -> None:
    plan = plan_run("cuttle", BOTS, matches=100)
    assert len(plan.lineups) == 6
    for match in range(plan.matches):
        deal, lineup = plan.locate(match)
        assert deal * 6 + plan.lineups.index(lineup) == match
    assert plan.deals == plan.locate(plan.matches - 1)[0] + 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_set_of_bots_finishes_the_deals_it_begins(big_table: None, players: int) -> None:
    for matches in (1, 2, 3, 11, 12, 13, 50, 101, 1_000):
        plan = plan_run("cuttle", "random,greedy,points_rush,thief,seer", players=players, matches=matches)
        group = max(Counter(lineup.bot_set for lineup in plan.lineups).values())
        assert matches <= plan.matches < matches + group
        started = Counter((deal, lineup.bot_set) for deal, lineup in map(plan.locate, range(plan.matches)))
        sizes = Counter(lineup.bot_set for lineup in plan.lineups)
        assert all(started[deal, team] == sizes[team] for deal, team in started)


# ---------------------------------------------------------------- seatings


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_few_seats_are_taken_in_all_orders(seats: int) -> None:
    assert sorted(seatings(tuple(range(seats)))) == list(itertools.permutations(range(seats)))


@pytest.mark.parametrize(("seats", "orders"), [(4, 4), (5, 10), (6, 6)])
def test_more_seats_are_balanced(seats: int, orders: int) -> None:
    bots = tuple(range(10, 10 + seats))
    found = seatings(bots)
    assert len(set(found)) == len(found) == orders
    assert all(sorted(order) == list(bots) for order in found)
    places = Counter(place for order in found for place in enumerate(order))
    assert set(places.values()) == {orders // seats}
    assert len(places) == seats * seats
    behind = Counter(pair for order in found for pair in itertools.pairwise(order))
    assert set(behind.values()) == {orders // seats}
    assert len(behind) == seats * (seats - 1)


@pytest.mark.parametrize("group", [(0, 0), (0, 0, 1), (0, 1, 1), (0, 0, 0, 1), (0, 0, 1, 1, 2)])
def test_no_order_of_equal_bots_is_played_twice(group: tuple[int, ...]) -> None:
    found = seatings(group)
    assert len(set(found)) == len(found)
    assert all(sorted(order) == list(group) for order in found)


# ---------------------------------------------------------------- who meets whom


def test_round_robin_of_two() -> None:
    plan = plan_run("cuttle", "all")
    bots = len(bot_registry.names("cuttle"))
    assert groups_of(plan) == [[pair, pair[::-1]] for pair in itertools.combinations(range(bots), 2)]


@pytest.mark.parametrize("players", [3, 4])
def test_round_robin_of_more(big_table: None, players: int) -> None:
    plan = plan_run("cuttle", "random,greedy,points_rush,thief,seer", players=players)
    assert [tuple(sorted(group[0])) for group in groups_of(plan)] == list(itertools.combinations(range(5), players))


def test_fewer_bots_than_seats_sit_twice_but_never_only_with_themselves(big_table: None) -> None:
    plan = plan_run("cuttle", "random,greedy", players=3)
    assert [sorted(group) for group in groups_of(plan)] == [
        [(0, 0, 1), (0, 1, 0), (1, 0, 0)],
        [(0, 1, 1), (1, 0, 1), (1, 1, 0)],
    ]


@pytest.mark.parametrize("players", [1, 2, 5])
def test_one_bot_alone_plays_itself(big_table: None, players: int) -> None:
    plan = plan_run("cuttle", "greedy", players=players, matches=10)
    assert [lineup.entrants for lineup in plan.lineups] == [(0,) * players]
    assert plan.matches == 10


def test_the_same_bot_twice_is_refused() -> None:
    for bots in ("greedy,random,greedy", "greedy, greedy()", "greedy(aggression=0.2),greedy(aggression=2e-1)"):
        with pytest.raises(UsageError, match=r"^bot greedy\S* is named twice; name each bot once$"):
            plan_run("cuttle", bots)


@pytest.mark.parametrize(
    ("sweep", "values"),
    [
        ("goal=18,21", [18, 21]),
        ("goal=18|21", [18, 21]),
        ("goal= 18 , 21", [18, 21]),
        ("goal=18..22:2", [18, 20, 22]),
        ("both_win=mover,draw", ["mover", "draw"]),
        ("kings_goal=14,10,7,5", [[14, 10, 7, 5]]),  # one value, which holds commas
        ("kings_goal=14,10,7,5|15,10,7,5", [[14, 10, 7, 5], [15, 10, 7, 5]]),
    ],
)
def test_values_of_a_sweep(sweep: str, values: list[Any]) -> None:
    name = sweep.partition("=")[0]
    assert [own[name] for _, own in plans.compared("cuttle", ["standard"], sweeps=[sweep])] == values


@pytest.mark.parametrize(("bots", "seats"), [(64, 2), (65, 2), (23, 4), (30, 4), (14, 6), (40, 6)])
def test_a_large_field_is_chosen_from_in_balance(bots: int, seats: int) -> None:
    chosen = [group[0] for group in plans._rival_groups(bots, seats)]
    assert len({tuple(sorted(group)) for group in chosen}) == len(chosen)
    assert all(len(set(group)) == seats for group in chosen)
    played = Counter(bot for group in chosen for bot in group)
    assert len(played) == bots
    assert len(set(played.values())) == 1
    if len(chosen) > MOST_GROUPS:
        assert len(chosen) < MOST_GROUPS + bots


def test_teams_of_a_cooperative_game_play_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    game = replace(game_registry.game("cuttle"), cooperative=True)
    monkeypatch.setattr(game_registry, "game", lambda _: game)
    plan = plan_run("cuttle", "random,greedy")
    assert groups_of(plan) == [[(0, 0)], [(0, 1)], [(1, 0)], [(1, 1)]]


# ---------------------------------------------------------------- settings


def test_the_plan_is_a_function_of_its_settings() -> None:
    plan = plan_run("cuttle", "greedy(aggression=0.123456789),random", "short", ["goal=15"], 2, 12_345, 7)
    again = restore(json.loads(json.dumps(plan.settings)))
    assert again == plan
    assert again.fingerprint == plan.fingerprint
    assert again.entrants[0].values == (0.123456789,)
    assert again.variants[0].options["goal"] == 15
    assert again.variants[0].options["kings_goal"] == [10, 7, 5, 3]


def test_the_order_of_bots_is_the_order_of_entrants() -> None:
    one, other = (plan_run("cuttle", bots) for bots in ("random,greedy", "greedy,random"))
    assert [entrant.bot.name for entrant in one.entrants] == ["random", "greedy"]
    assert [entrant.bot.name for entrant in other.entrants] == ["greedy", "random"]


@pytest.mark.parametrize("text", ["0.1", "1e-3", "0.30000000000000004", "0.3333333333333333"])
def test_parameters_are_kept_to_the_last_digit(text: str) -> None:
    (entrant,) = plan_run("cuttle", f"greedy(aggression={text})").entrants
    assert entrant.values == (float(text),)


# ---------------------------------------------------------------- what is refused

BOT_NAMES = ", ".join((*bot_registry.names("cuttle"), *SEARCHES))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"game_id": "chess"}, f"there is no game 'chess'; allowed: {', '.join(game_registry.GAMES)}"),
        ({"bots": "nobody"}, f"cuttle has no bot 'nobody'; allowed: {BOT_NAMES}, or the path of a .py file"),
        ({"bots": ""}, "'' does not name a bot; write name or name(parameter=value,...)"),
        ({"bots": "random,,greedy"}, "'' does not name a bot; write name or name(parameter=value,...)"),
        ({"bots": "greedy(aggression=(1))"}, "'greedy(aggression=(1))' does not name a bot; write name or"),
        ({"bots": "random,greedy("}, "'random,greedy(' has a parenthesis without its other half"),
        ({"bots": "random,greedy)"}, "'random,greedy)' has a parenthesis without its other half"),
        ({"bots": "greedy(x=1)"}, "bot greedy has no parameter 'x'; allowed: aggression"),
        ({"bots": "greedy(aggression)"}, "'aggression' in 'greedy(aggression)' is not of the form parameter=value"),
        ({"bots": "greedy(aggression=nan)"}, "parameter aggression of bot greedy cannot be 'nan'; allowed: 0 to 1"),
        ({"bots": "greedy(aggression=1e999)"}, "parameter aggression of bot greedy cannot be '1e999'; allowed: 0 to 1"),
        ({"bots": "greedy(aggression=)"}, "parameter aggression of bot greedy cannot be ''; allowed: 0 to 1"),
        ({"bots": "nowhere.py"}, "there is no bot file 'nowhere.py'"),
        ({"variant": "odd"}, "cuttle has no variant 'odd'; allowed: standard, "),
        ({"rules": ["goal"]}, "'goal' is not a rule option of the form name=value"),
        ({"rules": ["aim=3"]}, "cuttle has no rule option 'aim'; allowed: goal, "),
        ({"rules": ["goal=0"]}, "rule option goal cannot be 0; allowed: 1 to 99"),
        ({"rules": ["goal=many"]}, "rule option goal cannot be 'many'; allowed: 1 to 99"),
        ({"rules": ["goal=1e999"]}, "rule option goal cannot be Infinity; allowed: 1 to 99"),
        ({"rules": ["goal=5"]}, "goal 5 and kings_goal [14, 10, 7, 5] must not rise from one to the next"),
        ({"players": 3}, "cuttle is not for 3 seats; allowed: 2"),
        ({"players": 0}, "cuttle is not for 0 seats; allowed: 2"),
        ({"matches": 0}, f"matches cannot be 0; allowed: 1 to {MAX_MATCHES}"),
        ({"matches": MAX_MATCHES + 1}, f"matches cannot be {MAX_MATCHES + 1}; allowed: 1 to {MAX_MATCHES}"),
        ({"seed": -1}, f"seed cannot be -1; allowed: 0 to {MAX_SEED}"),
        ({"seed": MAX_SEED + 1}, f"seed cannot be {MAX_SEED + 1}; allowed: 0 to {MAX_SEED}"),
    ],
)
def test_bad_asks(asked: dict[str, object], sentence: str) -> None:
    values: dict[str, object] = {"game_id": "cuttle", "bots": BOTS, **asked}
    with pytest.raises(UsageError, match="^" + re.escape(sentence)) as refused:
        plan_run(**values)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


OWN_BOT = """
from bots.bot import Bot
from engine.kernel import kernel

@kernel
def decide(view, rules, moves, count, params, luck):
    return {choice}

BOT = Bot("greedy", "Not the bot of that name.", decide)
"""


def test_an_own_bot_file_is_part_of_the_settings_and_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN_BOT.format(choice=0))
    plan = plan_run("cuttle", "random,own.py")
    assert plan.settings["bots"] == ["random", "own.py"]
    assert restore(plan.settings).entrants[1].bot.idea == "Not the bot of that name."
    Path("own.py").write_text(OWN_BOT.format(choice=1))
    assert restore(plan.settings).fingerprint != plan.fingerprint


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def (", "cannot be loaded: SyntaxError"),
        ("import no_such_module", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "cannot be loaded: SystemExit: 3"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("raise ValueError('one\\n\\n  two')", "cannot be loaded: ValueError: one two"),
        ("\0", "cannot be loaded: "),
        ("BOT = 3", "defines no BOT = Bot(...)"),
    ],
)
def test_own_bot_files_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(source)
    with pytest.raises(UsageError, match=re.escape(f"the bot file 'own.py' {reason}")) as refused:
        plan_run("cuttle", "own.py")
    assert "\n" not in str(refused.value)


def test_the_fingerprint_is_of_every_file_that_decides_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels, decks, bots and the plan: a byte more in one is another fingerprint; in a page it is not."""
    for folder in ("engine", "bots", "tournament"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("tournament.plan.ROOT", tmp_path)
    game = "queen_of_the_hill"

    def fingerprint() -> str:
        return plan_run(game, "random,threshold", matches=1).fingerprint

    was = fingerprint()
    deciding = [
        *("engine/rng.py", "engine/loop.py", "bots/bot.py", "tournament/plan.py", "tournament/worker.py"),
        *(f"engine/games/{game}/{name}.py" for name in ("rules", "state", "options", "deck", "plays")),
        *(f"engine/games/{game}/{name}" for name in deck.BUILT_IN.values()),
        f"bots/{game}/threshold.py",
    ]
    for name in deciding:
        path = tmp_path / name
        before = path.read_bytes()
        path.write_bytes(before + b"# changed\n")
        assert fingerprint() != was, name
        path.write_bytes(before)
    assert len({path.suffix for path in (tmp_path / "engine" / "games" / game).iterdir() if path.is_file()}) == 2
    for name in ("engine/games/cuttle/rules.py", "bots/cuttle/greedy.py", "tournament/page/report.py"):
        with (tmp_path / name).open("a") as file:
            file.write("# changed\n")
    assert fingerprint() == was


def test_several_variants_are_compared_with_the_default_rules() -> None:
    goals = compared("cuttle", ["standard"], (), ["goal=18..21:3"])
    assert with_default("cuttle", goals) == [goals[1], goals[0]]  # 21 is the default
    others = compared("cuttle", ["standard"], (), ["goal=15..18:3"])
    assert with_default("cuttle", others) == [("standard", {}), *others]
    assert with_default("cuttle", others[:1]) == others[:1]


# ---------------------------------------------------------------- what variants are called


def test_own_decks_are_called_by_their_id(tmp_path: Path) -> None:
    text = (ROOT / "engine" / "games" / "queen_of_the_hill" / deck.BUILT_IN["standin"]).read_text(encoding="utf-8")
    own = {name: tmp_path / f"{name}.toml" for name in ("castle", "again", "forest", "nameless")}
    for name, path in own.items():
        title = {"nameless": "", "again": 'id = "castle"'}.get(name, f'id = "{name}"')
        path.write_text(re.sub(r'^id = "standin"$', title, text, count=1, flags=re.MULTILINE), encoding="utf-8")
    own["again"].write_text(own["again"].read_text().replace("count = 3", "count = 2", 1), encoding="utf-8")
    sweep = "deck=standin|" + "|".join(str(path) for path in own.values())
    asked = compared("queen_of_the_hill", ["standard"], [], [sweep, "rounds_to_win=1..2"])
    plan = plans.plan_variants("queen_of_the_hill", "random,threshold,counter", asked, 3)
    called = [variant.label for variant in plan.variants]
    assert len(set(called)) == 10
    assert called[0] == "standard (deck=standin, rounds_to_win=1)"
    assert called[6] == "standard (deck=forest, rounds_to_win=1)"
    assert re.fullmatch(r"standard \(deck=castle@[0-9a-f]{6}, rounds_to_win=1\)", called[2])
    assert re.fullmatch(r"standard \(deck=castle@[0-9a-f]{6}, rounds_to_win=2\)", called[5])
    assert "schema" not in "".join(called)
    alone = plan_run("queen_of_the_hill", "random,threshold,counter", rules=[f"deck={own['castle']}"], players=3)
    assert alone.variants[0].label == "standard (deck=castle)"
    facts = describe(plan)
    assert facts.labels == tuple(called)
    names = short_names(facts)
    assert names[called[6]] == "deck=forest and rounds_to_win=1"
    assert len(set(names.values())) == 10
