"""What the bots for Cuttle do in small positions; that they are legal, repeatable and honest is tested for all bots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bots.bot import entrant
from bots.registry import bot, names
from engine.loop import ROW_RANKS, MatchLoop
from engine.match import Match
from engine.registry import game

Json = dict[str, Any]
OWN = [name for name in names("cuttle") if name != "random"]
CAREFUL = ("greedy", "warden", "seer", "all_rounder")  # they counter, and weigh what they give up


def chosen(name: str, position: Json, rules: Json | None = None, **given: float) -> Json:
    """The move that a bot takes in a position."""
    match = Match(game("cuttle"), rules or {}, 2)
    match.load(position)
    player = entrant(bot("cuttle", name), {key: str(value) for key, value in given.items()})
    code = match.choose(player.bot.decide, player.params)
    move: Json = match.game.notation.write_move(match.rules, match.options, match.state, code)
    return move


def seat(hand: str = "", points: str = "", royals: str = "", **more: Any) -> Json:
    return {"hand": hand.split(), "points": points.split(), "royals": royals.split(), **more}


@pytest.mark.parametrize("name", OWN)
class TestEveryBot:
    def test_wins_with_points(self, name: str) -> None:
        position = {"p0": seat("AC 4D 7H", "TC 4H"), "p1": seat("3C 5S", "9D 6D")}
        assert chosen(name, position) == {"move": "points", "card": "7H"}

    def test_wins_with_a_king(self, name: str) -> None:
        position = {"p0": seat("AC 3D KH", "TC 5H"), "p1": seat("3C 5S", "9D 6D")}
        assert chosen(name, position) == {"move": "royal", "card": "KH"}

    def test_wins_with_a_jack(self, name: str) -> None:
        position = {"p0": seat("AC 3D JH", "TC 4H"), "p1": seat("3C 5S", "9D 6D")}
        assert chosen(name, position) == {"move": "jack", "card": "JH", "target": "9D"}

    def test_wins_with_a_revealed_card(self, name: str) -> None:
        position = {
            "phase": "seven",
            "p0": seat("AC 3D", "TC 4H"),
            "p1": seat("3C 5S", "9D 6D"),
            "deck_top": ["2C", "8H"],
        }
        assert chosen(name, position) == {"move": "seven_play", "card": "8H", "as": "points"}

    def test_does_not_scrap_its_own_points(self, name: str) -> None:
        position = {"p0": seat("AC", "TC 5H"), "p1": seat("", "AH"), "deck": []}
        assert chosen(name, position) in ({"move": "points", "card": "AC"}, {"move": "pass"})


@pytest.mark.parametrize("name", CAREFUL)
class TestCarefulBots:
    def test_counters_an_ace_that_scraps_its_points(self, name: str) -> None:
        position = {
            "turn": 1,
            "phase": "counter",
            "pending": {"card": "AC", "target": None, "counters": []},
            "p0": seat("2C 3D", "TC 8H"),
            "p1": seat("3C 5S"),
        }
        assert chosen(name, position) == {"move": "counter", "card": "2C"}

    def test_lets_an_ace_pass_that_helps(self, name: str) -> None:
        position = {
            "turn": 1,
            "phase": "counter",
            "pending": {"card": "AC", "target": None, "counters": []},
            "p0": seat("2C 3D"),
            "p1": seat("3C 5S", "TC 8H"),
        }
        assert chosen(name, position) == {"move": "resolve"}

    def test_counters_a_two_that_would_win(self, name: str) -> None:
        # With the Jack gone the ten comes back to seat 1, which then has 21 points.
        position = {
            "turn": 1,
            "phase": "counter",
            "pending": {"card": "2H", "target": "JC", "counters": []},
            "p0": seat("2C 3D", "TC+JC"),
            "p1": seat("3C 5S", "TD AS"),
        }
        assert chosen(name, position) == {"move": "counter", "card": "2C"}

    def test_counters_the_counter_of_a_winning_ace(self, name: str) -> None:
        position = {
            "turn": 0,
            "phase": "counter",
            "pending": {"card": "AC", "target": None, "counters": ["2D"]},
            "p0": seat("2C 3D"),
            "p1": seat("3C 5S", "TC 9H"),
        }
        assert chosen(name, position) == {"move": "counter", "card": "2C"}

    def test_four_costs_the_cards_it_wants_least(self, name: str) -> None:
        position = {"turn": 1, "phase": "four", "p0": seat("3D 4C JC KH"), "p1": seat("3C 5S")}
        assert chosen(name, position) == {"move": "four_discard", "cards": ["3D", "4C"]}

    def test_five_drops_the_card_it_wants_least(self, name: str) -> None:
        position = {"phase": "five", "p0": seat("3D JC QH"), "p1": seat("3C 5S")}
        assert chosen(name, position, {"five_discard": True}) == {"move": "five_discard", "card": "3D"}


def test_greedy_weighs_by_its_aggression() -> None:
    position = {"p0": seat("9C", "5H"), "p1": seat("3C 5S", "8D")}
    assert chosen("greedy", position, aggression=0) == {"move": "points", "card": "9C"}
    assert chosen("greedy", position, aggression=1) == {"move": "scuttle", "card": "9C", "target": "8D"}


def test_greedy_lets_a_one_off_resolve_that_costs_less_than_a_two() -> None:
    position = {
        "turn": 1,
        "phase": "counter",
        "pending": {"card": "AC", "target": None, "counters": []},
        "p0": seat("2C 3D", "AD"),
        "p1": seat("3C 5S"),
    }
    assert chosen("greedy", position) == {"move": "resolve"}


def test_points_rush_lays_the_largest_card_and_draws_below_its_least() -> None:
    position = {"p0": seat("3C 7D TC JH"), "p1": seat("3D 5S", "9D")}
    assert chosen("points_rush", position) == {"move": "points", "card": "TC"}
    position = {"p0": seat("3C 4D QH"), "p1": seat("3D 5S", "9D")}
    assert chosen("points_rush", position) == {"move": "draw"}
    assert chosen("points_rush", position, least=4) == {"move": "points", "card": "4D"}


def test_points_rush_crowns_a_king_over_points_only() -> None:
    assert chosen("points_rush", {"p0": seat("7D KC", "5C"), "p1": seat("3D")}) == {"move": "royal", "card": "KC"}
    assert chosen("points_rush", {"p0": seat("7D KC"), "p1": seat("3D")}) == {"move": "points", "card": "7D"}


def test_points_rush_never_counters() -> None:
    position = {
        "turn": 1,
        "phase": "counter",
        "pending": {"card": "AC", "target": None, "counters": []},
        "p0": seat("2C 3D", "TC 8H"),
        "p1": seat("3C 5S"),
    }
    assert chosen("points_rush", position) == {"move": "resolve"}


def test_scuttler_strikes_with_the_lowest_card_that_does() -> None:
    position = {"p0": seat("8C 9D TC"), "p1": seat("3D 5S", "7H")}
    assert chosen("scuttler", position) == {"move": "scuttle", "card": "8C", "target": "7H"}
    position["p1"] = seat("3D 5S", "6H")
    assert chosen("scuttler", position)["move"] != "scuttle"
    assert chosen("scuttler", position, large=6) == {"move": "scuttle", "card": "8C", "target": "6H"}


def test_scuttler_plays_an_ace_when_two_cards_behind() -> None:
    position = {"p0": seat("AC 3D"), "p1": seat("3C 5S", "4H 5H")}
    assert chosen("scuttler", position) == {"move": "oneoff", "card": "AC"}
    position["p0"] = seat("AC 3D", "5D")
    assert chosen("scuttler", position) == {"move": "points", "card": "3D"}


def test_thief_shields_itself_then_steals_the_largest() -> None:
    position = {"p0": seat("6C JD QC"), "p1": seat("3D 5S", "7H 9H")}
    assert chosen("thief", position) == {"move": "royal", "card": "QC"}
    position["p0"] = seat("6C JD", royals="QC")
    assert chosen("thief", position) == {"move": "jack", "card": "JD", "target": "9H"}


def test_thief_clears_a_queen_out_of_the_way() -> None:
    position = {"p0": seat("2C JD", royals="QC"), "p1": seat("3D 5S", "9H", "QH")}
    assert chosen("thief", position) == {"move": "oneoff", "card": "2C", "target": "QH"}


def test_thief_takes_a_jack_with_a_three() -> None:
    position = {
        "phase": "three",
        "pending": {"card": "3C", "target": None, "counters": []},
        "p0": seat("6C"),
        "p1": seat("3D", "9H"),
        "scrap": ["2C", "9D", "TD", "JC"],
    }
    assert chosen("thief", position) == {"move": "three_pick", "card": "JC"}


def test_warden_fetches_a_two_with_a_three() -> None:
    position = {
        "phase": "three",
        "pending": {"card": "3C", "target": None, "counters": []},
        "p0": seat("6C"),
        "p1": seat("3D", "9H"),
        "scrap": ["2C", "9D", "TD", "JC", "KC"],
    }
    assert chosen("warden", position) == {"move": "three_pick", "card": "2C"}


def test_warden_strikes_a_king_with_a_nine_and_keeps_its_last_two() -> None:
    position = {"p0": seat("2C 5D 9D", "4C"), "p1": seat("3D 5S", royals="KH")}
    assert chosen("warden", position) == {"move": "oneoff", "card": "9D", "target": "KH"}
    position["p0"] = seat("2C 5D", "4C")
    assert chosen("warden", position) == {"move": "oneoff", "card": "5D"}
    assert chosen("warden", position, reserve=0) == {"move": "oneoff", "card": "2C", "target": "KH"}


def test_warden_lets_lesser_one_offs_pass() -> None:
    position = {
        "turn": 1,
        "phase": "counter",
        "pending": {"card": "5C", "target": None, "counters": []},
        "p0": seat("2C 3D", "TC 8H"),
        "p1": seat("3C 5S"),
    }
    assert chosen("warden", position) == {"move": "resolve"}


def test_seer_puts_its_glasses_on_while_blind() -> None:
    position = {"p0": seat("4C 8D"), "p1": seat("3D 5S", "9H")}
    assert chosen("seer", position) == {"move": "royal", "card": "8D"}
    assert chosen("seer", position, {"open_hands": True})["move"] != "royal"


def test_seer_lays_down_what_the_other_hand_cannot_answer() -> None:
    # With the glasses it sees a Nine that scuttles its eight, but nothing against the ten of spades.
    position = {"p0": seat("8C TS", royals="8H"), "p1": seat("3D 9S", known=["3D", "9S"])}
    assert chosen("seer", position) == {"move": "points", "card": "TS"}


def test_all_rounder_stops_a_win_that_it_sees_coming() -> None:
    # Seat 1 holds a known nine and needs seven points; only the scuttle saves seat 0.
    position = {
        "p0": seat("4C TD", "3S", "8H"),
        "p1": seat("9C 3D", "9D 5S", known=["3D", "9C"]),
        "deck_top": ["AC"],
    }
    assert chosen("all_rounder", position) == {"move": "scuttle", "card": "TD", "target": "9D"}


def test_all_rounder_lays_a_ten_of_three_with_its_king_down() -> None:
    position = {"p0": seat("TC TD TH 4S", royals="KC"), "p1": seat("3C 5S 8H 9H 2D")}
    assert chosen("all_rounder", position)["move"] == "points"


def test_all_rounder_fires_an_ace_when_far_behind() -> None:
    position = {"p0": seat("AC 3D 4D"), "p1": seat("3C 5S", "TC 6D")}
    assert chosen("all_rounder", position) == {"move": "oneoff", "card": "AC"}


@pytest.mark.parametrize(
    ("variant", "rules", "without", "deals"),
    [
        ("site_2026", {"hand_limit": 5}, 14, 30_000),
        ("site_2026", {}, 14, 30_000),
        ("trial_deck_nines", {}, 13, 30_000),
        ("trial_two_nines", {}, 11, 30_000),
        ("trial_random_fours", {}, 7, 100_000),
    ],
)
def test_all_rounder_plays_better_for_knowing_an_option_of_2026(
    variant: str, rules: Json, without: int, deals: int
) -> None:
    """Against itself without that knowledge, both seatings of each deal: the interval over deals is above one half."""
    facts = game("cuttle")
    own = bot("cuttle", "all_rounder")
    knowing, other = entrant(own, {}), entrant(own, {"adapts": str(without)})
    loop = MatchLoop(facts, Match(facts, {**facts.variant(variant), **rules}, 2).rules)
    out = np.zeros((2, 5, deals), np.int32)
    for seat, line_up in enumerate(((knowing, other), (other, knowing))):
        loop.play([own.decide] * 2, np.array([one.params for one in line_up]), 5, 0, deals, out[seat])
    # Ranks have a digit a seat, seat 0 last: 10 is a win of seat 0, 1 one of seat 1, 0 a draw.
    ranks = out[:, ROW_RANKS]
    won = (ranks[0] == 10).astype(float) + (ranks[1] == 1) + 0.5 * (ranks == 0).sum(axis=0)
    share = won / 2
    assert share.mean() - 1.96 * share.std() / deals**0.5 > 0.5


def test_all_rounder_with_old_rules_plays_the_same_whatever_it_knows() -> None:
    facts = game("cuttle")
    own = bot("cuttle", "all_rounder")
    out = np.zeros((2, 5, 500), np.int32)
    loop = MatchLoop(facts, Match(facts, {}, 2).rules)
    for rows, adapts in zip(out, ("0", "15"), strict=True):
        params = np.array([entrant(own, {"adapts": adapts}).params] * 2)
        loop.play([own.decide] * 2, params, 8, 0, 500, rows)
    assert (out[0] == out[1]).all()
