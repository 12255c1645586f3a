"""Interactive down with bots: the table as it is laid out, and matches that are their choices."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from bots import registry as bots
from engine import registry
from engine.match import Match
from tests.conftest import Program
from tests.support import variant_cases
from tournament.interactive import Interactive, table_of
from tournament.scenes.scene import HIDDEN, face, move_words, plain, said, scene
from tournament.scenes.text import lines


@pytest.mark.parametrize("name", registry.GAMES)
def test_a_match_is_its_choices(name: str) -> None:
    game = registry.game(name)
    seats = [None, *[bots.field(game.id, "random")[0]] * (game.default_seats - 1)]
    table = table_of(game, "standard", {}, seats, seed=7)
    playing, dice = Interactive(table), random.Random(1)
    while playing.seat is not None:
        assert playing.seat == 0
        playing.choose(dice.randrange(len(playing.moves)))
    again = Interactive(table, list(playing.choices))
    assert again.trace() == playing.trace()
    assert again.match.result() == playing.match.result()
    # Taking back is playing again without the last choice.
    assert Interactive(table, playing.choices[:-1]).steps == playing.steps[: playing.asked]


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_table_is_laid_out_and_hides_what_a_seat_does_not_see(name: str) -> None:
    game, dice = registry.game(name), random.Random(2)
    for _, options, players in list(variant_cases(game))[:6]:
        match = Match(game, options, players)
        match.deal(3, 1)
        names = [f"bot{seat}" for seat in range(players)]
        for _ in range(40):
            if match.is_over():
                break
            seat = match.to_act()
            if seat is None:
                match.draw()
                continue
            for shown in (match.position(), match.view(seat)):
                laid = scene(name, shown, names)
                assert laid.status
                assert laid.zones
                for zone in laid.zones:
                    assert zone.places is None or len(zone.places) == len(zone.cards)
                assert "\n".join(lines(laid, plain=True)).isascii()
                assert plain(shown, names).zones
            seen = {card.name for zone in scene(name, match.view(seat), names).zones for card in zone.cards}
            allowed = json.dumps(match.view(seat))
            assert all(f'"{one}' in allowed or one in (HIDDEN, "-") for one in seen)
            codes = match.legal_codes()
            for move in match.legal():
                assert move_words(name, match.position(), move)
            match.apply(dice.choice(codes))


def test_cards_are_said_and_printed() -> None:
    assert said("TH") == "ten of hearts"
    assert said(HIDDEN) == "face-down card"
    assert face("TH") == "10\u2665"
    assert face("dark_one") == "dark_one"


def test_play_in_a_terminal(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nh\n999\nx\nu\nq\n"))
    answer = program("play", "cuttle", "--against", "greedy", "--seed", "5")
    assert answer.code == 0
    assert "Hand of you (seat 0)" in answer.out
    assert "move cannot be 999; allowed: 1 to" in answer.out
    assert "move cannot be 'x'" in answer.out
    assert "greedy: " in answer.out


def test_playing_to_the_end_tells_how_it_ended(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 500))
    answer = program("play", "cuttle", "--against", "greedy", "--seed", "5")
    assert answer.code == 0
    assert " by " in answer.out.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("chess",), "there is no game"),
        (("cuttle", "--seat", "2"), "seat cannot be 2; allowed: 0 to 1"),
        (("cuttle", "--against", "greedy,random"), "is not for 3 seats"),
        (("cuttle", "--deal", "-1"), "deal cannot be -1"),
    ],
)
def test_tables_that_cannot_be(program: Program, words: tuple[str, ...], says: str) -> None:
    answer = program("play", *words)
    assert answer.code == 2
    assert says in answer.err


def test_no_files_are_left(program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert program("play", "cuttle").code == 0
    assert not list(tmp_path.iterdir())
