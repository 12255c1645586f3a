"""Parts of the page as HTML. Whatever text comes in is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from typing import Any

from engine.text import plural
from tournament.balance.finding import METRICS
from tournament.page.drawing import Spec, draw

MOST_ROWS = 300  # of a table; a page of everything would be too large to open
FULL, HALF = 760, 360  # pixels: a chart over the whole column, and one of two side by side or on a phone
_VERDICTS = {"fair": "good", "unfair": "bad", "helps": "good", "hurts": "bad"}


class Html(str):
    """A text that is HTML already."""


def html(value: Any) -> Html:
    """A value as HTML: escaped, unless it is HTML."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def tag(name: str, /, *content: Any, **attributes: str | None) -> Html:
    """An element; attributes without a value are left out, ``class_`` and ``aria_label`` stand for what they say."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{shown}>{''.join(html(part) for part in content)}</{name}>")


def join(parts: Iterable[Any]) -> Html:
    """Parts of HTML one after the other."""
    return Html("".join(html(part) for part in parts))


@dataclass(frozen=True)
class Grid:
    """A table: ``columns`` are headings, those of numbers begin with ``#``. ``left_out`` rows are not shown."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    left_out: int = 0


@dataclass(frozen=True)
class Figure:
    """A chart: ``spec`` gives it for a width, ``says`` what it shows, ``grid`` its numbers, ``reading`` how to read
    it."""

    title: str
    says: str
    spec: Callable[[int], Spec]
    grid: Grid
    metrics: tuple[str, ...]
    reading: str = ""
    wide: bool = True


@dataclass
class Page:
    """What is known while a page is put together: which metrics it mentions, and how many charts it has."""

    metrics: dict[str, None] = field(default_factory=dict)
    charts: int = 0

    def metric(self, name: str, text: str = "", brief: bool = False) -> Html:
        """A metric's title, or a shorter ``text``, as a link to its explanation: its tooltip, too, unless ``brief``."""
        self.metrics[name] = None
        metric = METRICS[name]
        return tag("a", text or metric.title, href=f"#metric-{name}", title=None if brief else metric.definition)

    def figure(self, figure: Figure) -> Html:
        """A chart with its title, its alternative text and its table."""
        self.charts += 1
        name = f"chart-{self.charts}"
        sizes = [("wide", FULL), ("narrow", HALF)] if figure.wide else [("", HALF)]
        drawn = [
            Html(
                draw(figure.spec(width), width, f"{name}{kind}").replace(
                    "<svg",
                    f'<svg role="img" aria-label="{escape(figure.says)}"' + (f' class="{kind}"' if kind else ""),
                    1,
                )
            )
            for kind, width in sizes
        ]
        meaning = join([Html("What it means: "), _listed([self.metric(metric) for metric in figure.metrics])])
        return tag(
            "figure",
            tag("figcaption", tag("h4", figure.title), tag("p", unbroken(figure.reading)) if figure.reading else ""),
            tag("div", *drawn, class_="chart"),
            tag(
                "details",
                tag("summary", "Numbers"),
                self.table(figure.grid, figure.title),
                tag("p", meaning, class_="means"),
            ),
            class_="wide" if figure.wide else None,
            id=name,
        )

    def table(self, grid: Grid, name: str) -> Html:
        """A table that scrolls inside itself if there is no room."""
        right = [column.startswith("#") for column in grid.columns]
        head = [tag("th", column.removeprefix("#"), scope="col") for column in grid.columns]
        rows = [join([tag("tr", *(tag("td", cell) for cell in row)), "\n"]) for row in grid.rows]
        numbers = " ".join(f"n{place}" for place, number in enumerate(right, 1) if number)  # shorter than one a cell
        more = plural(grid.left_out, "more row is", "more rows are")
        left_out = f"{more} not shown; 'hilltop balance RUN' with --format csv prints all."
        return join(
            [
                tag(
                    "div",
                    tag(
                        "table", tag("thead", tag("tr", *head)), Html("\n"), tag("tbody", *rows), class_=numbers or None
                    ),
                    class_="scroll",
                    tabindex="0",
                    role="region",
                    aria_label=f"Table: {name}",
                ),
                tag("p", left_out, class_="soft") if grid.left_out else "",
            ]
        )

    def glossary(self) -> Html:
        """What each metric that the page mentions means."""
        return tag(
            "dl",
            *(
                join(
                    [
                        tag("dt", METRICS[name].title, id=f"metric-{name}"),
                        tag(
                            "dd",
                            tag("p", METRICS[name].definition, " ", unbroken(METRICS[name].reading)),
                            tag(
                                "p",
                                f"Unit: {METRICS[name].unit}. Formula: ",
                                tag("span", METRICS[name].formula, class_="formula"),
                            ),
                        ),
                    ]
                )
                for name in METRICS
                if name in self.metrics
            ),
        )


def _listed(parts: Sequence[Html]) -> Html:
    return join(part if number == 0 else join([", ", part]) for number, part in enumerate(parts))


def chip(verdict: str) -> Html:
    """A verdict as a small label."""
    return tag("span", verdict, class_=f"chip {_VERDICTS.get(verdict, 'open')}") if verdict else Html("")


def unbroken(text: str) -> str:
    """Numbers stay in one line with their per cent sign."""
    return text.replace(" %", "\u00a0%")


def facts(pairs: Iterable[tuple[str, Any]]) -> Html:
    """Names and values."""
    return tag("dl", *(join([tag("dt", name), tag("dd", value)]) for name, value in pairs), class_="facts")


def sentences(texts: Sequence[str], most: int = 4) -> Html:
    """One sentence as a paragraph, several as a list; more than ``most`` are folded away."""
    kept = list(map(unbroken, texts))
    if len(kept) < 2:
        return join(tag("p", text) for text in kept)
    said = tag("ul", *(tag("li", text) for text in kept), class_="said")
    return said if len(kept) <= most else tag("details", tag("summary", f"In words: {len(kept)} sentences"), said)


def document(title: str, body: Html) -> str:
    """The whole page."""
    style = resources.files("tournament.page").joinpath("page.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Whatever slipped into the page could load and run nothing.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
