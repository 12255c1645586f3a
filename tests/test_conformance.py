"""What every game must do, whatever its rules."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import registry
from engine.contract import CHANCE, NOBODY
from engine.errors import UsageError
from engine.game import Game
from engine.loop import blank_view
from engine.match import Match
from engine.rng import seed_stream
from engine.scenario import read_scenarios, run_scenario, same
from tests.support import compare_with_reference, random_case, reference, spread_cases, variant_cases

SCENARIOS = Path(__file__).parent / "scenarios"
GOLDEN = Path(__file__).parent / "golden"
GAMES = [registry.game(name) for name in registry.GAMES]
each_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def test_every_game_is_registered_and_has_its_parts() -> None:
    root = Path(registry.__file__).parent / "games"
    folders = {path.name for path in root.iterdir() if (path / "options.py").exists()}
    assert folders == set(registry.GAMES)
    for name in folders:
        assert (SCENARIOS / f"{name}.json").exists()
        assert (SCENARIOS.parent / "reference" / f"{name}.py").exists()
        assert (SCENARIOS.parents[1] / "docs" / "rules" / f"{name}.md").exists()


def _all(game: Game) -> list[Any]:
    """The scenarios of a game, of all its files."""
    found: list[Any] = []
    for path in sorted(SCENARIOS.glob(f"{game.id}*.json")):
        game_id, scenarios = read_scenarios(path)
        assert game_id == game.id
        found += scenarios
    return found


@each_game
def test_scenarios(game: Game) -> None:
    failures = [run_scenario(scenario, lambda rules, players: Match(game, rules, players)) for scenario in _all(game)]
    assert [str(failure) for failure in failures if failure] == []


@each_game
def test_scenarios_hold_in_the_reference_too(game: Game) -> None:
    failures = [
        run_scenario(scenario, lambda rules, players: reference(game, rules, players)) for scenario in _all(game)
    ]
    assert [str(failure) for failure in failures if failure] == []


@each_game
@pytest.mark.parametrize("cases", [spread_cases, pytest.param(variant_cases, marks=pytest.mark.soak)])
def test_every_variant_agrees_with_the_reference_move_by_move(game: Game, cases: Any) -> None:
    steps = [compare_with_reference(game, options, players, 7, 0) for _, options, players in cases(game)]
    assert min(steps) > 0


@each_game
@pytest.mark.parametrize("cases", [10, pytest.param(50, marks=pytest.mark.soak)])
def test_random_rules_agree_with_the_reference_move_by_move(game: Game, cases: int) -> None:
    dice = random.Random(11)
    steps = [compare_with_reference(game, *random_case(game, dice), 3, number) for number in range(cases)]
    assert np.median(steps) > 0  # under odd rules a deal may be lost before its first move


@each_game
def test_legal_moves_are_sorted_unique_and_never_missing(game: Game) -> None:
    for match in _played(game, 12):
        count = int(game.rules.legal(match.rules, match.state, match._tools.moves))
        codes = match._tools.moves[:count]
        assert (count > 0) == (match.to_act() is not None)
        assert (np.diff(codes) > 0).all()
        texts = {json.dumps(match.write_move(int(code)), sort_keys=True) for code in codes}
        assert len(texts) == count


def test_cuttle_lists_all_ways_to_lose_cards_of_any_hand() -> None:
    """Positions that are given may hold more cards in a hand than matches get to."""
    game = registry.game("cuttle")
    match = Match(game, {"four_discards": 3}, 2)
    match.deal(1, 0)
    position = match.position()
    cards = [card for part in ("p0", "p1") for card in position[part]["hand"]] + position["deck"]
    fours = [card for card in cards if card[0] == "4"]
    rest = [card for card in cards if card != fours[0]]
    for part, hand in (("p0", []), ("p1", rest)):
        position[part] |= {"hand": hand, "known": []}
    match.load(position | {"phase": "four", "turn": 0, "deck": [], "scrap": fours[:1]})
    assert len(match.legal_codes()) == math.comb(51, 3)


@each_game
def test_positions_round_trip(game: Game) -> None:
    for match in _played(game, 6):
        again = Match(game, match.options, match.players)
        again.load(match.position())
        assert again.position() == match.position()
        assert again.to_act() == match.to_act()
        assert again.legal() == match.legal()
        assert again.result() == match.result()
        assert [again.view(seat) for seat in range(match.players)] == [match.view(s) for s in range(match.players)]


@each_game
def test_a_refused_step_or_position_changes_nothing(game: Game) -> None:
    for match in _played(game, 3):
        before = match.state.tobytes()
        for step in ({"by": 0, "move": "cheat"}, {"by": 9, "move": "pass"}, {"chance": "earthquake"}, {}):
            with pytest.raises(ValueError, match=r"\w"):
                match.step(step)
        for position in ({"nonsense": 1}, {**match.position(), "p0": 7}):
            with pytest.raises(ValueError, match=r"\w"):
                match.load(position)
        assert match.state.tobytes() == before


@each_game
def test_views_hide_what_determinize_fills_in(game: Game) -> None:
    """A random state that fits a view looks the same from that seat, byte for byte, and offers it the same moves."""
    luck = np.zeros(4, np.int64)
    seed_stream(luck, 5, 0, 1)
    differing = checked = 0
    for match in _played(game, 8):
        other = Match(game, match.options, match.players)
        for seat in range(match.players):
            view, again = blank_view(game), blank_view(game)
            game.rules.observe(match.rules, match.state, seat, view)
            before = view.tobytes()
            game.rules.determinize(match.rules, view, luck, other.state)
            assert view.tobytes() == before
            game.rules.observe(match.rules, other.state, seat, again)
            assert again.tobytes() == before
            if match.to_act() == seat:
                assert other.legal() == match.legal()
            differing += other.state.tobytes() != match.state.tobytes()
            checked += 1
    assert checked > 0
    # Whatever is hidden in a game, some of these guesses must differ from the truth.
    assert differing > 0


@each_game
def test_a_view_does_not_depend_on_what_it_held_before(game: Game) -> None:
    used = blank_view(game)
    for match in _played(game, 4):
        for seat in range(match.players):
            fresh = blank_view(game)
            game.rules.observe(match.rules, match.state, seat, fresh)
            game.rules.observe(match.rules, match.state, seat, used)
            assert used.tobytes() == fresh.tobytes()


@each_game
def test_a_copied_state_is_independent(game: Game) -> None:
    for match in _played(game, 2):
        if match.to_act() is None:
            continue
        copy = match.state.copy()
        before = copy.tobytes()
        match.step({"by": match.to_act(), **match.legal()[-1]})
        assert copy.tobytes() == before


@each_game
def test_results_are_consistent(game: Game) -> None:
    for match in _finished(game, 30):
        result = match.result()
        assert result is not None
        assert result["reason"] in game.state.REASONS
        assert len(result["ranks"]) == len(result["scores"]) == match.players
        assert min(result["ranks"]) == 0
        alone = [seat for seat, rank in enumerate(result["ranks"]) if rank == 0]
        if game.cooperative or result["reason"] in game.none_wins:
            assert result["winner"] is None
            assert set(result["ranks"]) == {0}
        else:
            assert result["winner"] == (alone[0] if len(alone) == 1 else None)


@each_game
def test_wrong_options_and_seats_are_refused_by_name(game: Game) -> None:
    players = game.default_seats
    with pytest.raises(UsageError, match="no rule option 'gaol'"):
        game.settle({"gaol": 1}, players)
    with pytest.raises(UsageError, match="seats"):
        game.settle({}, 17)
    with pytest.raises(UsageError, match="no variant 'nope'"):
        game.variant("nope")
    for option in game.options:
        for wrong in _wrong_values(option):
            with pytest.raises(UsageError, match=option.name):
                game.settle({option.name: wrong}, players)


def _wrong_values(option: Any) -> list[Any]:
    if option.kind == "int":
        return [option.low - 1, option.high + 1, True, "1", 1.5, None]
    if option.kind == "bool":
        return [0, 1, "true", None]
    if option.kind == "list":
        return [[], [*option.default, 0], [option.high + 1] * len(option.default), 5]
    return ["no such value", 3, None]


@each_game
def test_golden_match(game: Game) -> None:
    """One random match of each game, as text: a change of rules, luck or notation shows in review as a diff."""
    from tests.golden import golden

    assert (GOLDEN / f"{game.id}.jsonl").read_text(encoding="utf-8") == golden(game)


def test_same_ignores_order_in_sets_only() -> None:
    assert same({"hand": ["A", "B"]}, {"hand": ["B", "A"]}, frozenset({"hand"}))
    assert not same({"deck": ["A", "B"]}, {"deck": ["B", "A"]}, frozenset({"hand"}))
    assert same({"dice": [[1, 2], [3]]}, {"dice": [[2, 1], [3]]}, frozenset({"dice[]"}))
    assert not same({"dice": [[1, 2], [3]]}, {"dice": [[3], [1, 2]]}, frozenset({"dice[]"}))
    assert not same({"by": 1}, {"by": True}, frozenset())


def _played(game: Game, matches: int) -> Any:
    """Random matches under all variants and some random rules, every few steps of them."""
    dice = random.Random(23)
    cases = [(options, players) for _, options, players in variant_cases(game)]
    cases += [random_case(game, dice) for _ in range(4)]
    dice.shuffle(cases)
    for number in range(matches):
        options, players = cases[number % len(cases)]
        match = Match(game, options, players)
        match.deal(99, number)
        for step in range(120):
            if step % 6 == 0:
                yield match
            if match.is_over():
                break
            _random_step(match, dice)
        yield match


def _finished(game: Game, matches: int) -> Any:
    dice = random.Random(29)
    cases = [(options, players) for _, options, players in variant_cases(game)]
    for number in range(matches):
        options, players = cases[number % len(cases)]
        match = Match(game, options, players)
        match.deal(41, number)
        for _ in range(3000):
            if match.is_over():
                yield match
                break
            _random_step(match, dice)


def _random_step(match: Match, dice: random.Random) -> None:
    seat = int(match.game.rules.to_act(match.state))
    assert seat != NOBODY
    if seat == CHANCE:
        match.draw()
    else:
        match.apply(dice.choice(match.legal_codes()))
