"""Queen of the Hill: decks as data, what the seats know, chains of cards, and its bots in small positions."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots.bot import entrant
from bots.registry import bot, names
from engine.errors import BadPosition, IllegalStep, UsageError
from engine.games.queen_of_the_hill import deck
from engine.loop import blank_view
from engine.match import Match
from engine.registry import game
from engine.rng import seed_stream

Json = dict[str, Any]
QUEEN = game("queen_of_the_hill")
FILES = Path(deck.__file__).parent
OWN = [name for name in names("queen_of_the_hill") if name != "random"]
ABLE = ("hoarder", "sniper", "scout_trap", "dark_tamer", "strategist")  # those that keep and play cards
ARMED = ("hoarder", "sniper", "dark_tamer", "strategist")  # those that shoot


def _nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


SMALL_DECK = """\
schema = "hilltop-queen-deck/1"
id = "mine"
stand_in = false

[[kind]]
id = "doom"
type = "dark_one"
count = 2
points = 0

[[kind]]
id = "knight"
name = "The Knight"
type = "warrior"
count = 6
points = 3

[[kind]]
id = "thief"
type = "warrior"
count = 4
points = 1
effect = "discard_ready"
timing = "drawing"
amount = 2
"""


def at(position: Json, players: int = 3, **rules: Any) -> Match:
    """A match in a position."""
    match = Match(QUEEN, rules, players)
    match.load(position)
    return match


def chosen(name: str, match: Match, **given: float) -> Json:
    """The move that a bot takes."""
    player = entrant(bot("queen_of_the_hill", name), {key: str(value) for key, value in given.items()})
    return match.write_move(match.choose(player.bot.decide, player.params))


# ---------------------------------------------------------------- decks


def test_the_built_in_decks_are_those_of_the_rules_page_and_say_what_they_are() -> None:
    for name in deck.BUILT_IN:
        content = deck.content_of(name)
        deck.check(content, "the deck")
        assert content["id"] == name
        assert sum(kind["count"] for kind in content["kind"]) == 100
        assert sum(kind["count"] for kind in content["kind"] if kind["type"] == "dark_one") == 15
        assert "not the published card list" in content["title"]
        notice = QUEEN.notice(QUEEN.settle({"deck": name}, 4)) if QUEEN.notice else None
        assert notice is not None
        assert f"stand-in deck '{name}'" in notice


def test_an_owners_deck_is_read_from_a_file_and_kept_as_an_object(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SMALL_DECK, encoding="utf-8")
    options = QUEEN.settle_text("standard", [f"deck={path}"], 3)
    assert QUEEN.notice is not None
    assert QUEEN.notice(options) is None
    assert options["deck"]["kind"][1] == {
        "id": "knight", "name": "The Knight", "type": "warrior", "count": 6, "points": 3
    }  # fmt: skip
    assert deck.names_of(options["deck"]) == ["doom", "The Knight", "thief"]
    again = QUEEN.settle(json.loads(json.dumps(options)), 3)  # as a trace or a stored run holds it
    assert again == options
    assert QUEEN.settle_text("standard", ["deck=" + json.dumps(options["deck"])], 3) == options
    match = Match(QUEEN, options, 3)
    match.deal(1, 0)
    assert sorted(match.position()["deck"]) == ["doom"] * 2 + ["knight"] * 6 + ["thief"] * 4
    match.load({"stage": "mid_window", "window": {"next": 1, "left": 2}, "p1": {"ready": ["thief"]},
                "p2": {"ready": ["knight", "thief"]}, "p0": {"draws": 1}, "discards": ["doom"]})  # fmt: skip
    assert match.legal() == [{"move": "pass"}, {"move": "play", "card": "thief", "target": 2}]
    match.step({"by": 1, "move": "play", "card": "thief", "target": 2})
    assert match.position()["hit"] == {"of": 2, "zone": "ready", "left": 2}
    with pytest.raises(IllegalStep, match="no doom in the zone"):
        match.step({"chance": "hit", "card": "doom"})
    match.step({"chance": "hit", "card": "knight"})
    match.step({"chance": "hit", "card": "thief"})
    assert match.position()["p2"]["ready"] == []


def test_a_deck_marked_as_a_stand_in_or_not_marked_is_one() -> None:
    kinds = [{"id": "one", "type": "warrior", "count": 10, "points": 1}]
    assert QUEEN.notice is not None
    for content in ({"kind": kinds}, {"kind": kinds, "stand_in": True}):
        assert "not with the published card list" in str(QUEEN.notice(QUEEN.settle({"deck": content}, 3)))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("count = 6", "count = 0", 11, "the count of knight cannot be 0; allowed: 1 to 100"),
        ("count = 6", "count = true", 11, "the count of knight cannot be true"),
        ("count = 6", "number = 6", 11, "knight has an unknown key 'number'; allowed: id, name, type"),
        ("count = 6\n", "", 11, "knight has no count"),
        ("points = 3", "points = 21", 11, "the points of knight cannot be 21; allowed: 0 to 20"),
        ("points = 0", "points = 1", 5, "the points of doom cannot be 1; allowed: 0 for type dark_one"),
        ('id = "thief"', 'id = "The Thief"', 18, 'the id cannot be "The Thief"; allowed: small letters'),
        ('id = "thief"', 'id = "knight"', 18, "has the same id 'knight' as kind number 2 (line 11)"),
        ('type = "dark_one"', 'type = "dark"', 5, 'the type of doom cannot be "dark"; allowed: dark_one, warrior'),
        ('"discard_ready"', '"steal"', 18, 'the effect of thief cannot be "steal"; allowed: discard_battle,'),
        ('timing = "drawing"\n', "", 18, "thief has an effect and needs a timing; allowed: drawing, tally"),
        ('effect = "discard_ready"\n', "", 18, "thief has a timing but no effect"),
        ('"discard_ready"', '"cancel"', 18, "thief has an amount, which only goes with"),
        ("amount = 2", "", 18, "thief needs an amount for its effect discard_ready; allowed: 1 to 20"),
        ("amount = 2", 'amount = 2\ntarget = "any"', 18, "thief has a target, which only goes with discard_battle"),
        ('effect = "discard_ready"\ntiming = "drawing"\namount = 2', 'effect = "escape"\ntiming = "tally"', 18,
         "thief cannot escape at the tally"),
        ('type = "dark_one"', 'type = "dark_one"\neffect = "peek"', 5, "doom is a Dark One and cannot have an effect"),
        ("count = 6", "count = 1", None, "the counts add up to 7 cards; allowed: 10 to 250"),
        ("stand_in = false", 'stand_in = "no"', None, 'stand_in must be true or false, not "no"'),
        ('"hilltop-queen-deck/1"', '"other/2"', None, 'the schema cannot be "other/2"; allowed: hilltop-queen-deck/1'),
        ('id = "mine"', 'idea = "mine"', None, "the deck has an unknown key 'idea'"),
        ("count = 6", "count = ", None, "is not valid TOML: "),
        ('id = "mine"', 'id = "a\\u001b[2Jb"', None, "the deck's id cannot be \"a\\u001b[2Jb\"; allowed: 1 to "),
        ('id = "mine"', 'id = ""', None, "the deck's id cannot be \"\"; allowed: 1 to "),
        ('"The Knight"', '"x\\u0007"', 11, "the name of knight cannot be \"x\\u0007\"; allowed: 1 to 100"),
        ("count = 6", f"count = {'[' * 5000}", None, "is nested too deeply to be a deck"),
    ],
)  # fmt: skip
def test_a_faulty_deck_file_is_refused_with_kind_and_line(
    tmp_path: Path, old: str, new: str, line: int | None, said: str
) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(SMALL_DECK.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        QUEEN.settle_text("standard", [f"deck={path}"], 3)
    message = str(caught.value)
    assert message.startswith(f"deck file {path}")
    assert said in message
    assert "\n" not in message
    assert (f"(line {line})" in message) == (line is not None)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_deck_file_may_begin_with_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "deck.toml"
    path.write_bytes(SMALL_DECK.replace("\n", "\r\n").encode(encoding))
    assert QUEEN.settle_text("standard", [f"deck={path}"], 3)["deck"] == tomllib.loads(SMALL_DECK)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nosuch", "there is no deck 'nosuch'; allowed: standin, standin_plus, the path of a TOML file"),
        ("{", "the deck is not valid JSON"),
        (7, "rule option deck cannot be 7"),
        ('{"kind":' + "[" * 100_000, "the deck is nested too deeply to be one"),
        ({"kind": _nested(100_000)}, "the deck, kind number 1: a kind must be an object, not ..."),
        ({}, "the deck: a list of kinds is missing"),
        ({"kind": ["knight"]}, "the deck, kind number 1: a kind must be an object"),
        ({"kind": [{"type": "item"}]}, "the deck, kind number 1: the id is missing"),
        (
            {"kind": [{"id": f"k{n}", "type": "item", "count": 1, "points": 0} for n in range(33)]},
            "the deck: it has 33 kinds",
        ),
    ],
)
def test_faulty_deck_data_is_refused(value: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said.split(";")[0]):
        QUEEN.option("deck").check(value)


def test_two_seats_need_the_dark_one() -> None:
    with pytest.raises(UsageError, match="2 seats needs the Dark One: set dark_one_player=true, or take 3 to 6"):
        QUEEN.settle({}, 2)
    assert QUEEN.settle({"dark_one_player": True}, 2)["dark_one_player"] is True
    with pytest.raises(UsageError, match="min_draws 4 is too large; allowed: 0 to draw_cap, which is 3"):
        QUEEN.settle({"min_draws": 4, "draw_cap": 3}, 3)


# ---------------------------------------------------------------- what the seats know


def test_who_has_looked_at_the_deck_knows_where_the_cards_go() -> None:
    match = at({"deck_top": ["w5", "bombardier", "dark_one"], "p1": {"peek": 2}})
    assert match.view(1)["deck"][:3] == ["w5", "bombardier", "??"]
    assert match.view(2)["deck"][:3] == ["??"] * 3
    match.step({"by": 0, "move": "draw"})
    assert [match.view(seat)["drawn"] for seat in range(3)] == ["w5", "w5", "??"]
    match.step({"by": 0, "move": "form"})
    match.step({"by": 0, "move": "draw"})
    match.step({"by": 0, "move": "keep"})
    known = [{"of": 0, "zone": "battle", "card": "w5"}, {"of": 0, "zone": "keep", "card": "bombardier"}]
    assert match.view(1)["p1"]["seen"] == known
    assert match.view(1)["p0"]["battle"] == ["w5"]
    assert match.view(2)["p0"]["battle"] == ["??"]
    match.step({"by": 0, "move": "stop"})
    match.step({"by": 1, "move": "stop"})
    match.step({"by": 2, "move": "stop"})  # the round ends: the Keep Zone moves, the Battle Zone is gone
    assert match.view(1)["p1"]["seen"] == [{"of": 0, "zone": "ready", "card": "bombardier"}]
    match.load({**match.position(), "deck": "rest", "p2": {"battle": ["w1"]}})
    match.step({"by": 0, "move": "play", "card": "bombardier", "target": 2})
    assert match.position()["p1"]["seen"] == []


def test_two_seats_forget_one_copy_each() -> None:
    seen = [{"of": 0, "zone": "battle", "card": "w1"}]
    match = at({
        "active": 2, "p0": {"battle": ["w1", "w1", "w2"]}, "p1": {"seen": seen}, "p2": {"seen": seen + seen},
        "hit": {"of": 0, "zone": "battle", "left": 2},
    })  # fmt: skip
    match.step({"chance": "hit", "card": "w2"})
    assert [len(match.position()[f"p{seat}"]["seen"]) for seat in (1, 2)] == [1, 2]
    match.step({"chance": "hit", "card": "w1"})
    assert [len(match.position()[f"p{seat}"]["seen"]) for seat in (1, 2)] == [0, 1]


def test_a_view_depends_on_nothing_hidden() -> None:
    """Two positions that differ in hidden cards and in what others know look alike, byte for byte."""
    one = at({"deck_top": ["w1", "w2"], "p1": {"ready": ["duelist"], "battle": ["w3"]}, "p2": {"peek": 1}})
    two = at({
        "deck_top": ["w4", "dark_one"], "p1": {"ready": ["scout"], "battle": ["w5"]},
        "p2": {"peek": 1, "seen": [{"of": 1, "zone": "ready", "card": "scout"}]},
    })  # fmt: skip
    views = [blank_view(QUEEN), blank_view(QUEEN)]
    for match, view in zip((one, two), views, strict=True):
        QUEEN.rules.observe(match.rules, match.state, 0, view)
    assert views[0].tobytes() == views[1].tobytes()
    QUEEN.rules.observe(one.rules, one.state, 2, views[0])
    QUEEN.rules.observe(two.rules, two.state, 2, views[1])
    assert views[0].tobytes() != views[1].tobytes()


def test_a_guessed_position_keeps_dark_ones_out_of_the_seats_zones() -> None:
    deck_data = {"kind": [
        {"id": "doom", "type": "dark_one", "count": 20, "points": 0},
        {"id": "one", "type": "warrior", "count": 8, "points": 1, "effect": "peek", "timing": "any", "amount": 1},
    ]}  # fmt: skip
    match = at(
        {"active": 1, "p0": {"battle": ["one"] * 3}, "p2": {"ready": ["one"] * 2}, "p1": {"battle": ["one"]}},
        deck=deck_data,
    )
    view, state, luck = blank_view(QUEEN), match.state.copy(), np.zeros(4, np.int64)
    QUEEN.rules.observe(match.rules, match.state, 1, view)
    for number in range(20):
        seed_stream(luck, 1, number, 0)
        QUEEN.rules.determinize(match.rules, view, luck, state)
        guessed = QUEEN.notation.write_position(match.rules, match.options, state)
        assert guessed["p0"]["battle"] == ["one"] * 3
        assert guessed["p2"]["ready"] == ["one"] * 2
        assert guessed["deck"].count("doom") == 20


# ---------------------------------------------------------------- chains, windows and chance


def test_a_chain_of_cancels_goes_round_the_table() -> None:
    match = at({
        "p0": {"ready": ["scout", "broken_mirror"], "battle": ["w1"]}, "p1": {"ready": ["broken_mirror"]},
        "p2": {"ready": ["broken_mirror"]}, "deck_top": ["w1", "w2", "w3"],
    })  # fmt: skip
    match.step({"by": 0, "move": "play", "card": "scout"})
    assert match.to_act() == 1
    match.step({"by": 1, "move": "play", "card": "broken_mirror"})
    match.step({"by": 2, "move": "pass"})
    with pytest.raises(IllegalStep):
        match.step({"by": 0, "move": "draw"})
    match.step({"by": 0, "move": "play", "card": "broken_mirror"})  # the cancel is cancelled
    assert match.position()["chain"] == [
        {"by": 0, "card": "scout"}, {"by": 1, "card": "broken_mirror"}, {"by": 0, "card": "broken_mirror"}
    ]  # fmt: skip
    match.step({"by": 2, "move": "pass"})
    assert match.position()["p0"]["peek"] == 3
    assert match.position()["discards"] == ["scout", "broken_mirror", "broken_mirror"]


def test_luck_comes_from_the_deal_alone() -> None:
    """Hits and reshuffles are drawn from the deal's stream: each outcome comes as often as it should."""
    counts = {"w1": 0, "w5": 0}
    match = Match(QUEEN, {}, 3)
    for number in range(300):
        match.deal(9, number)
        match.load({"hit": {"of": 1, "zone": "battle", "left": 1}, "p1": {"battle": ["w1", "w1", "w5"]}})
        counts[match.draw()["card"]] += 1
    assert 160 <= counts["w1"] <= 240
    match.load({"stage": "draw", "deck": [], "discards": ["w1", "w2", "dark_one"]})
    step = match.draw()
    assert step["chance"] == "reshuffle"
    assert sorted(step["deck"]) == ["dark_one", "w1", "w2"]
    assert len(match.position()["deck"]) == 2


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ({"p0": {"battle": ["dark_one"]}}, "a Dark One cannot lie in the battle zone of seat 0"),
        ({"p0": {"battle": ["w5"] * 7}}, "there are more copies of w5 than the deck has"),
        ({"p0": {"ready": ["w1"] * 6}}, "seat 0 has 6 ready cards; allowed: at most 5"),
        ({"stage": "place"}, "stage place needs a drawn card that is not a Dark One"),
        ({"stage": "tally"}, "stage tally needs a window"),
        ({"stage": "tally", "active": 1}, "stage tally needs no active seat"),
        ({"p1": {"wins": 2}}, "the match is already won by seat 1"),
        ({"p1": {"seen": [{"of": 0, "zone": "keep", "card": "w1"}]}}, "seen of seat 1 names a w1 that is not there"),
        ({"dark": {}}, "dark must be null: the Dark One does not play"),
        ({"chain": [{"by": 0, "card": "scout"}]}, "chain and reply must be given together"),
        ({"p3": {}}, "'p3' is not a field of a position"),
        ({"p0": {"battle": ["w6"]}}, "'w6' in the battle zone of seat 0 is not a card"),
    ],
)
def test_impossible_positions_are_refused(position: Json, said: str) -> None:
    with pytest.raises(BadPosition, match=said):
        at(position)


def test_the_dark_one_beats_everybody() -> None:
    match = at(
        {"starter": 0, "active": 1, "p0": {"draws": 1}, "deck_top": ["dark_one"], "dark": {"wins": 1}},
        2, dark_one_player=True,
    )  # fmt: skip
    match.step({"by": 1, "move": "stop"})
    assert match.result() == {
        "ranks": [0, 0], "scores": [0, 0], "winner": None, "reason": "dark_one", "rounds": 1, "dark_wins": 2
    }  # fmt: skip
    assert "dark_one" in QUEEN.none_wins


# ---------------------------------------------------------------- bots


@pytest.mark.parametrize("name", OWN)
def test_every_bot_draws_what_costs_nothing(name: str) -> None:
    assert chosen(name, at({})) == {"move": "draw"}


@pytest.mark.parametrize("name", OWN)
def test_every_bot_stops_with_far_more_than_the_others(name: str) -> None:
    position = {"active": 2, "p2": {"battle": ["w5"] * 6, "draws": 6}, "p0": {"battle": ["w1"]}, "round": 2}
    assert chosen(name, at(position)) == {"move": "stop"}


@pytest.mark.parametrize("name", ABLE)
def test_able_bots_keep_items_and_form_warriors(name: str) -> None:
    placing = {"round": 2, "stage": "place", "p0": {"draws": 1}}
    assert chosen(name, at({**placing, "drawn": "ruby_heels"})) == {"move": "keep"}
    assert chosen(name, at({**placing, "drawn": "w5"})) == {"move": "form"}


@pytest.mark.parametrize("name", ABLE)
def test_able_bots_escape_with_much_at_stake(name: str) -> None:
    position = {"stage": "escape", "drawn": "dark_one", "p0": {"battle": ["w5", "w4"], "ready": ["ruby_heels"]}}
    assert chosen(name, at(position)) == {"move": "play", "card": "ruby_heels"}


@pytest.mark.parametrize("name", ARMED)
def test_armed_bots_shoot_at_the_largest_zone_in_the_last_window(name: str) -> None:
    position = {
        "active": 2, "stage": "end_window", "window": {"next": 0, "left": 3},
        "p0": {"battle": ["w4", "w4"], "ready": ["bombardier"]}, "p1": {"battle": ["w1"]},
        "p2": {"battle": ["w2", "w2", "w3", "w1"]},
    }  # fmt: skip
    assert chosen(name, at(position)) == {"move": "play", "card": "bombardier", "target": 2}
    earlier = {**position, "starter": 0, "active": 0, "window": {"next": 1, "left": 2},
               "p1": {"battle": ["w1"], "ready": ["bombardier"]}, "p0": {"battle": ["w4", "w4"]}}  # fmt: skip
    assert chosen(name, at(earlier)) == {"move": "pass"}


@pytest.mark.parametrize("name", ABLE)
def test_able_bots_play_a_bonus_only_if_it_turns_the_result(name: str) -> None:
    tally = {"stage": "tally", "window": {"next": 0, "left": 1}}
    for others, move in (("w4", "play"), ("w3", "pass"), ("w2", "pass")):
        position = {**tally, "p0": {"battle": ["w3"], "ready": ["duelist"]}, "p1": {"battle": [others]}}
        if others == "w3":  # behind by three: two more points do not help
            position["p1"] = {"battle": ["w3", "w3"]}
        assert chosen(name, at(position))["move"] == move


@pytest.mark.parametrize("name", ABLE)
def test_able_bots_cancel_what_hurts_them_and_nothing_else(name: str) -> None:
    position = {
        "active": 1, "stage": "end_window", "window": {"next": 2, "left": 3}, "p0": {"battle": ["w5", "w5"]},
        "chain": [{"by": 1, "card": "bombardier", "target": 0}], "reply": {"next": 2, "left": 2},
        "p2": {"ready": ["broken_mirror"], "battle": ["w1"]},
    }  # fmt: skip
    assert chosen(name, at(position)) == {"move": "pass"}
    position["chain"] = [{"by": 1, "card": "bombardier", "target": 2}]
    assert chosen(name, at(position)) == {"move": "play", "card": "broken_mirror"}


def test_threshold_stops_at_its_points() -> None:
    position = {"p0": {"battle": ["w5", "w3"], "draws": 2}}
    assert chosen("threshold", at(position), points=8) == {"move": "stop"}
    assert chosen("threshold", at(position), points=9) == {"move": "draw"}


def test_counter_weighs_risk_against_points() -> None:
    position: Json = {"p0": {"battle": ["w5", "w5", "w3"], "draws": 3}}
    assert chosen("counter", at(position)) == {"move": "stop"}
    position["discards"] = ["dark_one"] * 12  # few are left
    assert chosen("counter", at(position)) == {"move": "draw"}


def test_follower_chases_as_the_last_seat_and_stops_when_ahead() -> None:
    position = {"active": 2, "p0": {"battle": ["w1"] * 6}, "p2": {"battle": ["w4", "w4"], "draws": 2}}
    assert chosen("follower", at(position)) == {"move": "draw"}
    position["p0"] = {"battle": ["w5", "w5"]}
    assert chosen("follower", at(position)) == {"move": "stop"}


def test_hoarder_gives_the_first_round_away_unless_a_rival_is_about_to_win() -> None:
    position: Json = {"p0": {"battle": ["w5"] * 4, "keep": ["scout"], "draws": 5}}
    assert chosen("hoarder", at(position)) == {"move": "draw"}
    assert chosen("hoarder", at({**position, "p1": {"wins": 1}})) == {"move": "stop"}
    assert chosen("hoarder", at({**position, "round": 2})) == {"move": "stop"}


def test_scout_trap_looks_before_a_risk_and_leaves_the_dark_one() -> None:
    position: Json = {"p0": {"battle": ["w5", "w4"], "ready": ["scout"], "draws": 2}}
    assert chosen("scout_trap", at(position)) == {"move": "play", "card": "scout"}
    position["p0"] = {"battle": ["w5", "w4"], "draws": 2, "peek": 1}
    assert chosen("scout_trap", at({**position, "deck_top": ["dark_one"]})) == {"move": "stop"}
    position["p0"]["battle"] = ["w5", "w5", "w5", "w5"]
    assert chosen("scout_trap", at({**position, "deck_top": ["w1"]})) == {"move": "draw"}


def test_dark_tamer_draws_little_where_the_dark_one_plays() -> None:
    position = {"p0": {"battle": ["w3"], "draws": 1}}
    assert chosen("dark_tamer", at(position, dark_one_player=True)) == {"move": "stop"}
    assert chosen("dark_tamer", at(position)) == {"move": "draw"}


def test_dark_tamer_shoots_at_the_dark_one() -> None:
    position = {
        "active": "dark", "stage": "end_window", "window": {"next": 0, "left": 3},
        "p0": {"battle": ["w4"], "ready": ["bombardier"]}, "p1": {"battle": ["w5", "w5"]}, "dark": {"battle": ["w3"]},
    }  # fmt: skip
    move = chosen("dark_tamer", at(position, dark_one_player=True))
    assert move == {"move": "play", "card": "bombardier", "target": "dark"}


def test_strategist_draws_the_more_the_more_its_finished_rivals_have() -> None:
    position = {"active": 2, "p0": {"battle": ["w1"] * 2}, "p2": {"battle": ["w4", "w5"], "draws": 2}}
    assert chosen("strategist", at(position)) == {"move": "stop"}
    position["p0"] = {"battle": ["w1"] * 6}
    assert chosen("strategist", at(position)) == {"move": "draw"}


def test_strategist_uses_what_it_knows_of_the_deck() -> None:
    mine = {"battle": ["w4", "w5", "w2"], "draws": 3, "peek": 1}
    position = {"active": 2, "p0": {"battle": ["w3"] * 4}, "p2": mine}
    assert chosen("strategist", at({**position, "deck_top": ["w5"]})) == {"move": "draw"}
    assert chosen("strategist", at({**position, "deck_top": ["dark_one"]})) == {"move": "stop"}
