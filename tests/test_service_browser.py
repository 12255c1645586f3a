"""The service in a browser: what a person does there, by mouse and by keyboard, wide and narrow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import registry
from tests import browser
from tests.serving import PATIENCE, Served, serving

PROGRAM = browser.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
NARROW = 390
TAB, ENTER, RIGHT = ("Tab", 9), ("Enter", 13), ("ArrowRight", 39)
# A game's fastest player for a test: whoever takes the first move offered ends every game.
FIRST = "[...document.querySelectorAll('.scene a.press, .scene ~ ul a.press, main > ul a.press')][0]"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "served.duckdb") as found:
        yield found


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    assert PROGRAM
    with browser.started(PROGRAM, tmp_path_factory.mktemp("profile")) as found:
        yield found


def clean(tab: browser.Browser, served: Served) -> None:
    """No complaint, no request to anyone else, nothing wider than the window."""
    assert not tab.complaints()
    assert all(address.startswith((served.url, "data:")) for address in tab.requests())
    assert tab.value(OVERFLOW) <= 0


def test_a_run_is_started_from_the_form_and_followed(served: Served, tab: browser.Browser) -> None:
    tab.open(f"{served.url}/new?game=cuttle", 1280)
    clean(tab, served)
    tab.value(
        "document.querySelectorAll('input[name=bot]').forEach(b => b.checked = ['random', 'greedy'].includes(b.value))"
    )
    tab.value("document.querySelector('input[name=matches]').value = '3000'")
    tab.press("document.querySelector('button[value=check]')")
    assert "3,000" in tab.value("document.querySelector('.notice').innerText")
    assert "hilltop balance cuttle" in tab.value("document.querySelector('pre').innerText")
    tab.press("document.querySelector('button[value=start]')")
    assert tab.value("document.querySelector('h1').innerText").startswith("Run ")
    end = time.monotonic() + PATIENCE
    while "complete" not in tab.value("document.querySelector('#live').innerText"):
        assert time.monotonic() < end
        time.sleep(0.2)
    # The leaderboard came by itself: the page was not loaded again.
    assert "greedy" in tab.value("document.querySelector('#live table').innerText")
    clean(tab, served)
    tab.press("[...document.querySelectorAll('main nav a')].find(a => a.innerText == 'Matches')")
    assert "Step 0 of" in tab.value("document.querySelector('.state').innerText")
    tab.press("document.querySelector('a[rel=next]')")
    assert "Step 1 of" in tab.value("document.querySelector('.state').innerText")
    tab.events.clear()
    tab.key(*RIGHT)
    tab.loaded()
    assert "Step 2 of" in tab.value("document.querySelector('.state').innerText")
    clean(tab, served)


@pytest.mark.parametrize("width", [1280, NARROW])
@pytest.mark.parametrize("game", registry.GAMES)
def test_a_whole_match_of_each_game_is_played_by_mouse(
    served: Served, tab: browser.Browser, game: str, width: int
) -> None:
    if width == NARROW and game != "cuttle":
        pages = [f"{served.url}/play/{game}?{_seats(game)}"]
        for page in pages:
            tab.open(page, width, dark=True)
            clean(tab, served)
        return
    tab.open(f"{served.url}/play/{game}?{_seats(game)}", width)
    for _ in range(400):
        if not tab.value("document.querySelector('.state').innerText").startswith("Your move"):
            break
        tab.press(FIRST)
        assert not tab.complaints()
    told = tab.value("document.querySelector('.state').innerText")
    assert " by " in told or told.startswith(("Won", "Lost"))
    clean(tab, served)


def _seats(game: str) -> str:
    facts = registry.game(game)
    seats = ["person", *["random"] * (facts.default_seats - 1)]
    return "&".join(f"p{seat}={who}" for seat, who in enumerate(seats)) + "&seed=3"


def test_a_match_is_played_by_keyboard_alone(served: Served, tab: browser.Browser) -> None:
    tab.open(f"{served.url}/play/cuttle?{_seats('cuttle')}", 1280)
    before = tab.value("location.search")
    for _ in range(60):
        tab.key(*TAB)
        if tab.value("document.activeElement.matches('.scene summary')"):
            break
    tab.key("Enter", 13)
    tab.call("Input.dispatchKeyEvent", type="char", text="\r")
    assert tab.value("document.querySelector('.uses').open")
    tab.key(*TAB)
    assert tab.value("document.activeElement.matches('.uses[open] a.press')")
    tab.events.clear()
    tab.call("Input.dispatchKeyEvent", type="rawKeyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13)
    tab.call("Input.dispatchKeyEvent", type="char", text="\r")
    tab.loaded()
    assert tab.value("location.search") != before
    clean(tab, served)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, NARROW])
def test_no_page_complains_or_overflows(
    served: Served, tab: browser.Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    for page in (
        "/",
        "/runs",
        "/new",
        "/new?game=jericho",
        "/play",
        "/play/cuttle",
        "/games",
        "/games/queen_of_the_hill",
    ):
        tab.open(served.url + page, width, dark=dark)
        clean(tab, served)
        assert tab.value("document.querySelectorAll('h1').length") == 1
        # Whatever takes an answer says what for.
        assert tab.value(
            "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')].every(e => e.labels.length)"
        )
        assert tab.value("[...document.querySelectorAll('svg[role=img]')].every(e => e.getAttribute('aria-label'))")
