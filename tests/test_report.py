"""``hilltop report``: the page as a text and, where there is a browser, as it is shown."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from hilltop.api import judged, judged_by, load
from storage.store import StoredRun, reading, writing
from tests import browser
from tests.conftest import Program
from tests.program import BOTS
from tournament import rerun
from tournament import run as runner
from tournament.balance.finding import METRICS
from tournament.balance.inside import Distribution
from tournament.execution import InProcess
from tournament.page import charts, choose, drawing, report
from tournament.page.figures import estimate_cells, of_section
from tournament.page.inside_figures import binned
from tournament.page.layout import Grid, Page, html, tag
from tournament.plan import compared, plan_run, plan_variants, restore
from tournament.statistics.counted import read as read_counted
from tournament.statistics.tally import lengths

VOID = {"meta", "br", "path", "line", "rect", "circle"}
PHONE, DESK = 375, 1200


class Reader(HTMLParser):
    """Elements in order with their attributes; complains about a page whose tags do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a run of one variant, a sweep and a grid of Cuttle; only to be read."""
    path = tmp_path_factory.mktemp("report") / "runs.duckdb"
    goals = compared("cuttle", ["standard"], ["kings_goal=14,10,7,5"], ["goal=15..21:2"])
    grid = compared("cuttle", ["standard"], ["kings_goal=14,10,7,5"], ["goal=20|21", "hand_limit=6..8"])
    plans = [
        plan_run("cuttle", BOTS, matches=1200, seed=5, telemetry=True),
        plan_variants("cuttle", BOTS, goals, matches=2400, seed=5, telemetry=True),
        plan_variants("cuttle", "random,greedy", grid, matches=1200, seed=5),
    ]
    runner.prepare(plans[0])
    with writing(path) as store:
        for plan in plans:
            runner.play(plan, store, runner.start(plan, store), InProcess())
    return path


def part_of(path: Path, name: str) -> report.Part:
    """What a page says of a run."""
    return report.Part.of(judged(load(name, path)))


def names_in(path: Path) -> list[str]:
    with reading(path) as store:
        return [run.id for run in store.runs()]


@pytest.fixture(scope="module")
def pages(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each run, and one of all of them."""
    folder = tmp_path_factory.mktemp("pages")
    parts = [part_of(runs, name) for name in names_in(runs)]
    made = {"single": parts[:1], "sweep": parts[1:2], "grid": parts[2:], "all": parts}
    for name, some in made.items():
        (folder / f"{name}.html").write_text(report.page(some), "utf-8")
    return {name: folder / f"{name}.html" for name in made}


def read(path: Path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text("utf-8"))
    reader.close()
    assert not reader.open
    return reader


KINDS = ("single", "sweep", "grid", "all")


# ---------------------------------------------------------------- the page as a text


@pytest.mark.parametrize("kind", KINDS)
def test_page_is_well_formed_and_needs_nothing_else(pages: dict[str, Path], kind: str) -> None:
    text = pages[kind].read_text("utf-8")
    reader = read(pages[kind])
    assert text.startswith("<!DOCTYPE html>")
    assert reader.all("html") == [{"lang": "en"}]
    names = {name for name, _ in reader.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    fetched = ("src", "srcset", "xlink:href", "data", "poster", "action", "background", "onload", "onclick")
    assert not [attributes for _, attributes in reader.elements if set(attributes) & set(fetched)]
    assert all((attributes.get("href") or "#").startswith("#") for _, attributes in reader.elements)
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", text)
    assert "@import" not in text
    assert len(text) < 1_500_000


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_unique_and_links_lead_somewhere(pages: dict[str, Path], kind: str) -> None:
    reader = read(pages[kind])
    ids = [attributes["id"] for _, attributes in reader.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert {link["href"] for link in reader.all("a")} <= {f"#{one}" for one in ids}


@pytest.mark.parametrize("kind", KINDS)
def test_every_chart_has_words_and_a_table(pages: dict[str, Path], kind: str) -> None:
    text = pages[kind].read_text("utf-8")
    figures = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(figures) >= 4
    for figure in figures:
        drawn = re.findall(r'<svg role="img" aria-label="([^"]+)"', figure)
        assert drawn
        assert len(drawn) == figure.count("<svg")
        assert all(len(words) > 40 and re.search(r"\d", words) for words in drawn)
        assert figure.count("<tbody>") == 1
        assert "<tbody></tbody>" not in figure
        assert "<h4>" in figure
        assert 'href="#metric-' in figure
        assert "NaN" not in figure
        assert "undefined" not in figure


def test_headings_go_down_one_level_at_a_time(pages: dict[str, Path]) -> None:
    levels = [int(name[1]) for name, _ in read(pages["all"]).elements if re.fullmatch(r"h\d", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))


def test_page_says_what_was_played_and_how_to_repeat_it(runs: Path, pages: dict[str, Path]) -> None:
    words = " ".join(read(pages["sweep"]).words)
    with reading(runs) as store:
        run = store.runs()[1]
    for fact in (run.id, run.fingerprint, run.version, "2,400", "cuttle-cards/cuttle", "points_rush", "goal=15"):
        assert fact in words
    assert "--sweep goal=15..21:2" in words


@pytest.mark.parametrize("number", [0, 1, 2])
def test_command_stands_for_the_same_settings(runs: Path, number: int) -> None:
    with reading(runs) as store:
        run = store.runs()[number]
    made = rerun.command(restore(run.settings))
    assert made is not None
    words = iter(shlex.split(made)[3:])
    given: dict[str, list[str]] = {}
    for word in words:
        given.setdefault(word, []).append("" if word == "--lean" else next(words))
    chosen = compared("cuttle", given["--variants"][0].split(","), given.get("--rule", []), given.get("--sweep", []))
    matches, seed = int(given["--matches"][0]), int(given["--seed"][0])
    plan = plan_variants("cuttle", given["--bots"][0], chosen, None, matches, seed, "--lean" not in given)
    assert plan.settings == run.settings


def test_sweep_and_grid_have_their_charts(pages: dict[str, Path]) -> None:
    sweep, grid = (pages[kind].read_text("utf-8") for kind in ("sweep", "grid"))
    assert "Score share of a seat by goal" in sweep
    assert "Outcome explained by the bots by goal" in sweep
    assert "by goal and hand_limit" in grid
    assert "not counted" not in sweep


def test_numbers_of_the_chart_are_those_of_the_report(runs: Path, pages: dict[str, Path]) -> None:
    found = part_of(runs, names_in(runs)[0]).balance
    text = pages["single"].read_text("utf-8")
    for one in choose.findings(found, "seat_share") + choose.findings(found, "rating"):
        for cell in estimate_cells(one.estimate, METRICS[one.metric].unit):
            assert f"<td>{cell}</td>" in text


def test_what_users_write_is_escaped(runs: Path, tmp_path: Path) -> None:
    evil = '<script>alert("x")</script>&\'.py'
    part = part_of(runs, names_in(runs)[1])
    found = part.balance

    def renamed(text: str) -> str:
        return text.replace("greedy", evil)

    sections = tuple(
        dataclasses.replace(
            section,
            sentences=tuple(map(renamed, section.sentences)),
            findings=tuple(dataclasses.replace(one, subject=renamed(one.subject)) for one in section.findings),
        )
        for section in found.sections
    )
    bots = tuple(dataclasses.replace(bot, spec=renamed(bot.spec)) for bot in found.facts.bots)
    counted = dataclasses.replace(found.counted, facts=dataclasses.replace(found.facts, bots=bots))
    changed = dataclasses.replace(found, counted=counted, sections=sections, notices=(evil,))
    path = tmp_path / "page.html"
    path.write_text(report.page([report.Part(changed, part.plies)]), "utf-8")
    reader = read(path)
    assert not reader.all("script")
    assert evil in "".join(reader.words)


def test_escaping() -> None:
    assert html("<&\"'>") == "&lt;&amp;&quot;&#x27;&gt;"
    assert html(html("<b>")) == "&lt;b&gt;"
    assert tag("p", "<b>", tag("i", "a&b"), title='"') == '<p title="&quot;">&lt;b&gt;<i>a&amp;b</i></p>'


def test_many_variants_stay_readable(runs: Path) -> None:
    part = part_of(runs, names_in(runs)[1])
    found = part.balance
    copies = 50
    labels = tuple(f"{label} #{copy}" for copy in range(copies) for label in found.labels)
    sections = tuple(
        dataclasses.replace(
            section,
            findings=tuple(
                dataclasses.replace(one, variant=f"{one.variant} #{copy}")
                for copy in range(copies)
                for one in section.findings
            ),
        )
        for section in found.sections
    )
    variants = tuple(
        dataclasses.replace(variant, name=f"v{number}", given={})
        for number, variant in enumerate(found.facts.variants * copies)
    )
    pieces = tuple(
        dataclasses.replace(one, variant=f"{one.variant} #{copy}") for copy in range(copies) for one in found.pieces
    )
    distributions = tuple(
        Distribution(one.metric, one.values, np.tile(one.counts, (copies, 1)), one.more) for one in found.distributions
    )
    choices = tuple(dataclasses.replace(one, variant=f"{one.variant} #0") for one in found.choices)
    many = dataclasses.replace(
        found,
        counted=dataclasses.replace(found.counted, facts=dataclasses.replace(found.facts, variants=variants)),
        labels=labels,
        sections=sections,
        pieces=pieces,
        choices=choices,
        differences=(),
        distributions=distributions,
        curve=None,
        pairs=None,
    )
    text = report.page([report.Part(many, np.tile(part.plies, (copies, 1)))])
    assert len(text) < 1_500_000
    assert "12 of 200 variants" in text
    assert "more rows are not shown" in text
    shown = choose.telling(many, 12)
    assert len(shown.labels) == 12
    assert labels[0] in shown.labels
    assert {choice.variant for choice in choices} <= set(shown.labels)


# ---------------------------------------------------------------- parts


def test_plies_of_the_store(runs: Path) -> None:
    with reading(runs) as store:
        run = store.runs()[1]
        counts = lengths(read_counted(store, run).tally)
        frame = next(store.slices(run, ["match", "plies", "reason"]))[1]
    variants = [lineup.variant for lineup in restore(run.settings).lineups]
    expected = np.zeros_like(counts)
    for match, plies, reason in frame.rows():
        if reason >= 0:
            expected[variants[match % run.lineups], plies] += 1
    assert counts.tolist() == expected.tolist()
    assert counts.sum() == run.done


def test_histograms_keep_every_match() -> None:
    rng = np.random.default_rng(1)
    for size in (3, 17, 90, 4000):
        counts = rng.integers(0, 50, (2, size))
        one = Distribution("match_plies", tuple(map(float, range(size))), counts, False)
        edges, bars, _ = binned(one, counts)
        assert len(edges) == bars.shape[1] + 1 <= 33
        assert bars.sum(axis=1).tolist() == counts.sum(axis=1).tolist()
    counts = np.array([[1, 2, 3, 4, 5]])
    edges, bars, _ = binned(Distribution("margin_share", (0.0, 0.25, 0.5, 0.75, 1.0), counts, True), counts)
    assert edges == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert bars.tolist() == [[1, 2, 3, 9]]


def test_charts_read_nothing_but_their_spec() -> None:
    spec = {
        "data": {"url": "http://127.0.0.1:9/data.csv"},
        "mark": "point",
        "encoding": {"x": {"field": "a", "type": "quantitative"}},
    }
    with pytest.raises(ValueError, match="not allowed"):
        drawing.draw(spec, 200, "a")


def test_a_chart_without_intervals_is_drawn() -> None:
    rows = [{"row": "a", "series": "", "value": 0.5, "low": None, "high": None, "tip": "a: 50 %"}]
    drawn = drawing.draw(charts.dots(rows, 300, "share", True, [""]), 300, "a")
    assert "<title>a: 50 %</title>" in drawn


LONG = [f"goal=14 and hand_limit=15 and four_random=false and five_draws={number}" for number in range(3)]
OWN = [f"all_rounder(caution=0.25, never=scuttle, playouts={number})" for number in (1000, 2000, 3000)]


@pytest.mark.parametrize("names", [LONG, OWN])
@pytest.mark.parametrize("kind", ["dots", "series", "lines", "stacks", "strips", "cells"])
def test_long_labels_can_be_told_apart_on_a_phone(names: list[str], kind: str) -> None:
    width = PHONE - 32
    row = {
        "series": "a",
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "from": 0.0,
        "to": 1.0,
        "part": 1.0,
        "x": 1,
        "text": "5",
    }
    rows = [row | {"row": name, "column": name, "tip": ""} for name in names]
    lines = [one | {"series": one["row"], "x": x} for one in rows for x in (1, 2)]
    spec = {
        "dots": lambda: charts.dots(rows, width, "share", True, ["a"]),
        "series": lambda: charts.dots([one | {"row": "b"} for one in lines[::2]], width, "share", True, names),
        "lines": lambda: charts.lines(lines, width, "goal", True, names),
        "stacks": lambda: charts.stacks(rows, width, ["a"]),
        "strips": lambda: charts.strips(rows, width, "plies", False, names),
        "cells": lambda: charts.cells(rows, width, "against"),
    }[kind]()
    drawn = drawing.draw(spec, width, "a")
    assert "…" not in drawn
    words = re.sub(r"<[^>]*>", "", drawn).replace(" ", "")
    for name in names:
        assert words.count(name.replace(" ", "")) == (2 if kind == "cells" else 1), name


def test_a_grid_is_in_the_order_of_its_numbers(program: Program, tmp_path: Path) -> None:
    asked = ["--bots", "random,greedy", "--sweep", "goal=19..23:2", "--sweep", "hand_limit=7..9", "--matches", "360"]
    assert program("balance", "cuttle", *asked, "--lean", "--workers", "0", "--db", "x.duckdb").code == 0
    found = part_of(tmp_path / "x.duckdb", "latest").balance
    figure = next(one for one in of_section(found, "fairness") if "goal and hand_limit" in one.title)
    drawn = re.findall(r">(\d+)</text>", drawing.draw(figure.spec(300), 300, "a"))
    assert drawn[:6] == ["7", "8", "9", "19", "21", "23"]


def test_a_long_table_is_cut() -> None:
    shown = Page().table(Grid(("A", "#B"), [("x", 1)], left_out=1234), "t")
    assert "1,234 more rows" in shown


# ---------------------------------------------------------------- the command


def test_report_writes_a_page_of_several_runs(program: Program, runs: Path, tmp_path: Path) -> None:
    with reading(runs) as store:
        first, *_ = store.runs()
    answer = program("report", "latest", first.id[:8], first.id, "--to", "page.html", "--db", str(runs))
    assert answer.code == 0, answer.err
    assert first.id in answer.err
    assert not answer.out
    reader = read(tmp_path / "page.html")
    assert sum(attributes.get("class") == "facts" for attributes in reader.all("dl")) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_report_takes_a_margin(program: Program, runs: Path, tmp_path: Path) -> None:
    assert program("report", "latest", "--to", "a.html", "--margin", "0.4", "--db", str(runs)).code == 0
    text = (tmp_path / "a.html").read_text("utf-8")
    assert "--margin 0.4" in text
    assert "40.0" in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["latest", "--to", "page.pdf"], "must end in .html"),
        (["latest", "--to", "no/folder/page.html"], "folder does not exist"),
        (["latest", "--to", "folder.html"], "no plain file"),
        (["latest", "--to", "page.html", "--margin", "0.5"], "margin cannot be 0.5"),
        (["nothing", "--to", "page.html"], "no run 'nothing'"),
        (["latest"], "--to"),
        (["--to", "page.html"], "RUN"),
    ],
)
def test_report_refuses_in_one_sentence(
    program: Program, runs: Path, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "folder.html").mkdir()
    answer = program("report", *arguments, "--db", str(runs))
    assert answer.code in (1, 2)
    assert complaint in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_an_old_page_survives_a_report_that_fails(
    program: Program, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    page.write_text("old", "utf-8")
    page.chmod(0o640)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", full)
        answer = program("report", "latest", "--to", "page.html", "--db", str(runs))
    assert answer.code == 1
    assert "no space left" in answer.err
    assert page.read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert program("report", "latest", "--to", "page.html", "--db", str(runs)).code == 0
    assert page.stat().st_mode & 0o777 == 0o640
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_latest_cooperative_run_is_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"game": "jack_and_jill", "players": 2, "variants": [], "bots": [], "seed": 0}
    pair = StoredRun(1, "aa", "jack_and_jill", settings, 1, 1, "", "", None, "matches", 1, 1)  # type: ignore[arg-type]
    solo = dataclasses.replace(pair, number=2, id="bb", settings={**settings, "players": 1})

    class Two:
        def run(self, name: str) -> StoredRun:
            return solo

        def runs(self) -> list[StoredRun]:
            return [pair, solo]

    assert judged_by(Two(), "latest") == pair  # type: ignore[arg-type]
    assert judged_by(Two(), "bb") == solo  # type: ignore[arg-type]


# ---------------------------------------------------------------- the page in a browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    """A browser, for all tests that look at pages."""
    program = browser.find()
    if program is None:
        pytest.skip("there is no Chromium to open the page in; 'apt-get install chromium' gets one")
    with browser.started(program, tmp_path_factory.mktemp("profile")) as started:
        yield started


DRAWN = """
[...document.querySelectorAll('figure')].map(figure => {
  const shown = [...figure.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 0);
  return [figure.id, shown.length, shown[0] ? shown[0].querySelectorAll('path, line, rect').length : 0,
          shown[0] ? shown[0].getBoundingClientRect().width : 0];
})
"""
COLOURS = """
[getComputedStyle(document.body).backgroundColor,
 getComputedStyle(document.querySelector('svg text')).fill,
 ...new Set([...document.querySelectorAll('figure svg path')].map(path => getComputedStyle(path).fill))]
"""
WIDE = """
[...document.querySelectorAll('body *')].filter(part => !part.closest('.scroll, svg') &&
  part.getBoundingClientRect().right > innerWidth + 1).map(part => part.outerHTML.slice(0, 80))
"""


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("kind", KINDS)
def test_browser_draws_every_chart_and_asks_nobody(
    chromium: browser.Browser, pages: dict[str, Path], kind: str, width: int
) -> None:
    chromium.open(pages[kind], width)
    chromium.value("document.querySelectorAll('details').forEach(part => part.open = true)")
    charts = chromium.value(DRAWN)
    assert len(charts) >= 4
    for name, shown, marks, size in charts:
        assert shown == 1, name
        assert marks >= 2, name
        assert 100 < size <= width, name
    assert chromium.value("document.documentElement.scrollWidth") <= width
    assert chromium.value(WIDE) == []
    assert chromium.requests() == [pages[kind].as_uri()]
    assert chromium.complaints() == []


def test_browser_turns_the_page_dark(chromium: browser.Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["single"], DESK)
    light = chromium.value(COLOURS)
    chromium.open(pages["single"], PHONE, dark=True)
    dark = chromium.value(COLOURS)
    assert light[0] == "rgb(253, 252, 250)"
    assert dark[0] == "rgb(22, 25, 29)"
    assert light[1] != dark[1]
    assert "rgb(0, 114, 178)" in light[2:]
    assert "rgb(91, 176, 232)" in dark[2:]
    assert "rgb(0, 114, 178)" not in dark[2:]
    assert chromium.value("document.documentElement.scrollWidth") <= PHONE
    assert chromium.complaints() == []


def test_browser_reads_out_charts_as_pictures(chromium: browser.Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["single"], DESK)
    nodes = chromium.call("Accessibility.getFullAXTree")["nodes"]
    pictures = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") in ("image", "img")]
    assert len(pictures) == chromium.value("document.querySelectorAll('figure').length")
    assert all("%" in name or "to" in name for name in pictures)


def test_browser_prints(chromium: browser.Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["single"], DESK, dark=True)
    chromium.call(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    assert chromium.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert chromium.value("getComputedStyle(document.querySelector('figure details')).display") == "none"
    chromium.call("Emulation.setEmulatedMedia", media="")
