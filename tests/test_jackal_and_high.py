"""What is particular to Jackal & High: odds tables, placements, contests and ties, what its bots do in positions."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest

from bots.bot import entrant
from bots.jackal_and_high.odds import DUELS, ODDS, OPEN, WHOLE
from bots.registry import bot, names
from engine.errors import IllegalStep
from engine.game import rules_record
from engine.games.jackal_and_high.state import MOST_PLACEMENTS
from engine.loop import MatchLoop
from engine.match import Match
from engine.registry import game
from engine.rows import WIDTH

Json = dict[str, Any]
GAME = game("jackal_and_high")
OWN = [name for name in names(GAME.id) if name != "random"]
PLANNERS = ("expected_paws", "fox", "undertaker", "end_watcher")


def loaded(position: Json, rules: Json | None = None, players: int = 2) -> Match:
    match = Match(GAME, rules or {}, players)
    match.load(position)
    return match


def place(rolled: list[int], row: list[Any], **more: Any) -> Json:
    """A position in which seat 0 has rolled; the row is given by cards, or as the notation has it."""
    positions = [{"card": card} if isinstance(card, str) else card for card in row]
    return {"phase": "place", "rolled": rolled, "row": positions, **more}


def chosen(name: str, position: Json, rules: Json | None = None, **given: float) -> Json:
    """The move that a bot takes in a position for two seats."""
    match = loaded(position, rules)
    player = entrant(bot(GAME.id, name), {key: str(value) for key, value in given.items()})
    return match.write_move(match.choose(player.bot.decide, player.params))


def put(*pairs: tuple[int, int]) -> Json:
    return {"move": "place", "put": [list(pair) for pair in pairs]}


# ---------------------------------------------------------------- odds


@cache
def odds_by_force(sides: int, rolls: int, dice: int, room: int) -> float:
    """As ``ODDS``: every throw, every part of it, and one die elsewhere if no part helps."""
    if room == 0:
        return 1.0
    if dice == 0:
        return 0.0
    if dice == 1:
        chance = 0.0
        for _ in range(rolls):
            chance += (1.0 - chance) / sides if room <= sides else 0.0
        return chance
    total = 0.0
    for throw in itertools.product(range(1, sides + 1), repeat=dice):
        best = odds_by_force(sides, rolls, dice - 1, room)
        for size in range(1, dice + 1):
            for part in itertools.combinations(throw, size):
                if sum(part) <= room:
                    best = max(best, odds_by_force(sides, rolls, dice - size, room - sum(part)))
        total += best
    return total / float(sides**dice)


@pytest.mark.parametrize(("sides", "rolls", "most"), [(4, 1, 3), (4, 5, 3), (8, 3, 3), (12, 3, 2), (7, 2, 2)])
def test_odds_of_completing_a_sum(sides: int, rolls: int, most: int) -> None:
    for dice in range(most + 1):
        for room in range(25):
            expected = odds_by_force(sides, rolls, dice, room)
            assert ODDS[sides - 4, rolls - 1, dice, room] == pytest.approx(expected, abs=1e-12)


def test_whole_odds_are_the_same_and_nothing_beyond() -> None:
    assert np.abs(OPEN[..., 1:25] / WHOLE - ODDS[..., 1:]).max() <= 0.5 / WHOLE
    assert not OPEN[..., 0].any()
    assert not OPEN[..., -48:].any()  # what rooms from -48 to -1 read


MAKING_4: list[list[int]] = [[], [4], [1, 3], [1, 1, 2]]  # by number of dice


@pytest.mark.parametrize(("tie", "name"), [(0, "fewest"), (1, "most"), (2, "reroll")])
def test_odds_of_a_contest(tie: int, name: str) -> None:
    """Against every roll of the engine; one that decides nothing is rolled again, so it does not count."""
    odds = DUELS[0, tie]  # four sides
    for own, other in ((1, 1), (1, 2), (2, 2), (1, 3)):
        row = [{"card": "12"}, {"card": "4", "dice": [MAKING_4[own], MAKING_4[other]]}, {"card": "1"}]
        match = Match(GAME, {"die_sides": 4, "contest_tie": name}, 2)
        wins = decided = 0
        for throw in itertools.product(range(1, 5), repeat=own + other):
            match.load({"phase": "contest", "row": row, "deck": ["2", "3", "5"]})
            match.step({"chance": "contest", "at": 1, "dice": [sorted(throw[:own]), sorted(throw[own:])]})
            position = match.position()
            if position["phase"] != "contest":
                decided += 1
                wins += position["p0"]["stack"] == ["4"]
        assert odds[own, other] == pytest.approx(wins / decided, abs=1e-12)
        assert odds[other, own] == pytest.approx(1 - wins / decided, abs=1e-12)
    assert (odds[1:, 0] == 1.0).all()


# ---------------------------------------------------------------- rules


def test_placements_are_those_of_brute_force() -> None:
    dice = np.random.default_rng(5)
    for _ in range(150):
        players = int(dice.integers(2, 6))
        size = int(dice.integers(1, 5))
        rules = {"dice_per_player": 4, "row_extra": int(dice.integers(0, 3)), "die_sides": 8, "low_copies": 3}
        cards = dice.permutation([str(number) for number in (*range(1, 8), *range(9, 22))])
        row: list[Json] = [{"card": str(card), "dice": [[] for _ in range(players)]} for card in cards]
        row = row[: players + rules["row_extra"]]
        placed = 4 - size
        for position in row:  # earlier dice where they fit
            if placed and int(position["card"]) > 1:
                position["dice"][0] = [1]
                placed -= 1
        if placed:
            continue
        rolled = sorted(int(die) for die in dice.integers(1, 9, size))
        match = Match(GAME, rules, players)
        match.load({"phase": "roll", "row": row})
        match.step({"chance": "roll", "seat": 0, "dice": rolled})
        expected = set()
        rooms = [int(position["card"]) - sum(position["dice"][0]) for position in row]
        for places in itertools.product(range(-1, len(row)), repeat=size):
            pairs = sorted([die, at] for die, at in zip(rolled, places, strict=True) if at >= 0)
            if pairs and all(sum(d for d, p in pairs if p == at) <= room for at, room in enumerate(rooms)):
                expected.add(str(pairs))
        found = [str(move["put"]) for move in match.legal() if move["move"] == "place"]
        if match.to_act() == 0:
            assert len(found) == len(set(found))
            assert set(found) == expected
        else:
            assert not expected


def test_most_placements() -> None:
    """Section 8: four different dice that fit everywhere, on seven positions."""
    row = [str(number) for number in range(10, 17)]
    match = loaded(place([1, 2, 3, 4], row), {"dice_per_player": 4, "row_extra": 2}, 5)
    assert len(match.legal()) == MOST_PLACEMENTS <= len(match._tools.moves) - WIDTH


def test_valley_ties_are_broken_the_other_way_round() -> None:
    """All rolls of one die against two: by ``fewest`` an equal sum wins for the one die and loses for the two."""
    start = {
        "phase": "valley",
        "row": [{"card": "20"}, {"card": "19"}, {"card": "18"}],
        "valley": {"card": "2", "dice": [1, 2]},
        "valley_roll": {"win": [0, 1], "lose": [0, 1]},
        "deck": [],
        "p0": {"stack": ["9"]},
        "p1": {"stack": ["10"]},
    }
    for die in range(1, 9):
        for pair in itertools.combinations_with_replacement(range(1, 9), 2):
            match = loaded(start)
            match.step({"chance": "valley", "dice": [[die], list(pair)]})
            position = match.position()
            winner = 0 if die >= sum(pair) else 1
            stacks = [["2", "9"], []] if winner == 0 else [[], ["2", "10"]]
            assert [position["p0"]["stack"], position["p1"]["stack"]] == stacks
            assert position["valley"]["card"] == ("10" if winner == 0 else "9")


def test_a_deal_lays_out_all_cards() -> None:
    for number in range(60):
        match = Match(GAME, {"lucky8_count": 8}, 5)
        match.deal(3, number)
        position = match.position()
        seen = position["deck"] + [spot["card"] for spot in position["row"]] + [position["valley"]["card"]]
        seen += ["T2"] * sum(spot["take2"] for spot in position["row"]) + ["L8"] * position["out"]
        assert len(seen) == 39
        assert seen.count("T2") == 4
        assert seen.count("L8") == 8
        assert position["valley"]["card"] not in ("T2", "L8")
        assert sum(spot["card"] == "L8" for spot in position["row"]) <= 1


def test_drawn_events_are_possible_ones() -> None:
    """What chance draws, the notation accepts; the same with a die more, or out of order, it does not."""
    refused = 0
    for number in range(4):
        match, again = Match(GAME, {}, 4), Match(GAME, {}, 4)
        match.deal(9, number)
        again.deal(9, number)
        for _ in range(150):
            if match.is_over():
                break
            if match.chance_pending():
                step = match.draw()
                for wrong in ({**step, "dice": step["dice"][:-1]}, {**step, "seat": 9}, {**step, "chance": "flip"}):
                    with pytest.raises(IllegalStep):
                        again.step(wrong)
                    refused += 1
                again.step(step)
            else:
                code = match.legal_codes()[-1]
                match.apply(code)
                again.apply(code)
            assert again.state.tobytes() == match.state.tobytes()
    assert refused > 0


def test_the_guess_about_take_2_is_told() -> None:
    assert GAME.notice is not None
    told = GAME.notice(GAME.settle({"take2_paws": 1}, 4))
    assert told is not None
    assert "counts 1 paw here" in told
    assert "counts 0 paws here" in str(GAME.notice(GAME.settle({"take2_paws": 0}, 4)))
    assert "guess" in told
    assert GAME.notice(GAME.settle({"take2_count": 0}, 4)) is None
    assert "Andreas Schmidt" in GAME.credit
    assert "Zoch" in GAME.credit


# ---------------------------------------------------------------- bots


ONE_IN_VALLEY = {"valley": {"dice": [1, 0]}}


@pytest.mark.parametrize("name", OWN)
def test_every_bot_makes_the_only_card_with_its_last_die(name: str) -> None:
    row = [{"card": "9", "dice": [[4], []]}, {"card": "4", "dice": [[4], []]}, {"card": "20"}]
    assert chosen(name, place([5], row)) == put((5, 0))


@pytest.mark.parametrize("name", OWN)
def test_every_bot_rolls_a_missed_last_die_again(name: str) -> None:
    row = [{"card": "9", "dice": [[4], []]}, {"card": "4", "dice": [[4], []]}, {"card": "20"}]
    assert chosen(name, place([6], row)) == {"move": "reroll"}


def test_spreader_gives_one_die_where_least_is_missing() -> None:
    assert chosen("spreader", place([2, 3, 8], ["20", "11", "5"])) == put((3, 2))


def test_sniper_hits_low_numbers_or_gives_up_the_lowest_die() -> None:
    assert chosen("sniper", place([2, 3, 8], ["3", "L8", "20"])) == put((3, 0), (8, 1))
    assert chosen("sniper", place([2, 4, 7], ["3", "L8", "20"])) == put((2, 0))


def test_big_game_goes_for_the_most_paws() -> None:
    row = ["7", "14", {"card": "3", "take2": 2}]
    assert chosen("big_game", place([1, 5, 8], row)) == put((1, 2))
    assert chosen("big_game", place([2, 6, 8], ["7", "14", "19"])) == put((6, 2), (8, 2))
    # The dice left must be able to make the rest: after the 8, two of them can make 16, but after the 3 none makes 13.
    assert chosen("big_game", place([2, 3, 8], ["7", "14", "24"]), {"high_max": 24}) == put((8, 2))


@pytest.mark.parametrize("name", PLANNERS)
class TestPlanners:
    def test_takes_two_cards_rather_than_one(self, name: str) -> None:
        assert chosen(name, place([2, 3, 5], ["5", "20", "3"])) == put((3, 2), (5, 0))

    def test_takes_the_card_with_more_paws(self, name: str) -> None:
        assert chosen(name, place([3, 6, 8], ["3", "17", "19"])) == put((3, 1), (6, 1), (8, 1))

    def test_minds_the_take_2(self, name: str) -> None:
        row = ["4", {"card": "11", "take2": 2}, "20"]
        assert chosen(name, place([4, 7], row) | ONE_IN_VALLEY) == put((4, 1), (7, 1))

    def test_avoids_a_contest(self, name: str) -> None:
        row = [{"card": "5", "dice": [[], [1, 4]]}, "20", "5"]
        assert chosen(name, place([5, 8], row) | ONE_IN_VALLEY) == put((5, 2))

    def test_joins_a_contest_with_more_dice(self, name: str) -> None:
        row = [{"card": "5", "dice": [[], [5]]}, "20", "2"]
        assert chosen(name, place([1, 4], row) | ONE_IN_VALLEY) == put((1, 0), (4, 0))

    def test_stops_only_when_no_roll_is_worth_more(self, name: str) -> None:
        row: list[Any] = [{"card": "4", "take2": 2}, {"card": "7"}, {"card": "20", "dice": [[4, 8], []]}]
        assert chosen(name, place([4], row)) == put((4, 0))
        row[2]["dice"] = [[7, 8], []]
        assert chosen(name, place([7], row)) == {"move": "reroll"}


def stop_values(row: list[tuple[int, float]], sides: int, rolls: int) -> tuple[dict[int, float], float]:
    """What each face is worth on a last die, and what ``rolls`` more rolls are: plain optimal stopping."""
    values = {face: max([gain for room, gain in row if room == face], default=0.0) for face in range(1, sides + 1)}
    again = -1.0
    for _ in range(rolls):
        again = sum(max(value, again) for value in values.values()) / sides
    return values, again


def test_the_last_die_is_played_by_exact_odds() -> None:
    """expected_paws against plain optimal stopping, over many rows without rivals."""
    dice = np.random.default_rng(8)
    low = [str(number) for number in range(1, 8)]
    seen = set()
    for _ in range(300):
        cards = list(dice.permutation([*low, *low, "12", "17"])[:3])
        row: list[Json] = [{"card": str(card), "take2": int(dice.integers(0, 2))} for card in cards]
        attempt = int(dice.integers(1, 4))
        face = int(dice.integers(1, 9))
        position = place([face], row, attempt=attempt, valley={"dice": [2, 0]})
        match = loaded(position)
        if match.to_act() is None or len(match.legal()) < 2:
            continue
        gains = [(int(spot["card"]), float((1 if int(spot["card"]) < 8 else 0) + 2 * spot["take2"])) for spot in row]
        values, again = stop_values([(room, gain) for room, gain in gains if room <= 8], 8, 3 - attempt)
        move = chosen("expected_paws", position)
        seen.add(move["move"])
        if values[face] > max(again, 0.0):
            assert move["move"] == "place"
            assert gains[move["put"][0][1]] == (face, values[face])
        elif values[face] < again:
            assert move == {"move": "reroll"}
    assert {"place", "reroll"} <= seen


def test_fox_counts_the_lucky_8_as_what_is_left_to_bring() -> None:
    row = ["L8", {"card": "17", "dice": [[], []]}, {"card": "16", "dice": [[8], []]}]
    free = place([8], row, valley={"dice": [1, 0]})
    assert chosen("fox", free) == put((8, 0))
    assert chosen("expected_paws", free) == put((8, 2))
    row[1] = {"card": "17", "dice": [[], [4, 6, 7]]}
    assert chosen("fox", place([8], row, valley={"dice": [1, 0]}), unwon=0.9) == put((8, 2))


def test_undertaker_lays_cheap_cards_on_top() -> None:
    won = {"phase": "stack", "row": [{"card": None}] * 3, "deck": ["10", "11", "12"], "p0": {"won": ["3", "9", "17"]}}
    assert chosen("undertaker", won) == {"move": "stack", "card": "17"}
    assert chosen("fox", won) == {"move": "stack", "card": "3"}


def test_end_watcher_contests_what_the_leader_has_made() -> None:
    """A free 4, or one that the other seat has made: the latter only to take it from a leader."""
    row = ["4", {"card": "4", "dice": [[], [4]]}, "20"]
    position = place([4], row, valley={"dice": [2, 0]}, p1={"stack": ["9"]})
    assert chosen("undertaker", position) == put((4, 0))
    assert chosen("end_watcher", position, denied=2) == put((4, 1))
    assert chosen("end_watcher", position, denied=2, near=3) == put((4, 0))
    assert chosen("end_watcher", position | {"p0": {"stack": ["10", "12"]}}, denied=2) == put((4, 0))


def test_planning_beats_simple_ideas() -> None:
    """Best bot against three of each simple one, on the same deals from all seats: far more than its quarter."""
    loop = MatchLoop(GAME, rules_record(GAME, GAME.settle({}, 4), 4))
    best = entrant(bot(GAME.id, "undertaker"), {})
    for name in ("spreader", "sniper", "big_game"):
        other = entrant(bot(GAME.id, name), {})
        first = 0
        for place_of_best in range(4):
            seats = [best if seat == place_of_best else other for seat in range(4)]
            out = np.zeros((3 + 4, 200), np.int32)
            params = np.array([one.params for one in seats])
            loop.play([one.bot.decide for one in seats], params, 77, 0, 200, out)
            ranks = out[0] // 10**place_of_best % 10
            first += int((ranks == 0).sum())
        assert first > 0.5 * 800
