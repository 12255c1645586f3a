"""What all pages have in common, and tables as HTML."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import Any

from cli.output import Table
from tournament.page.layout import Html, join, tag, unbroken

FILES = {  # that pages load: the package that holds each, and its kind
    "page.css": ("tournament.page", "text/css"),
    "service.css": ("service", "text/css"),
    "live.js": ("service", "text/javascript"),
    "keys.js": ("service", "text/javascript"),
    "icon.svg": ("service", "image/svg+xml"),
}
PLACES = (("/", "Leaderboards"), ("/runs", "Runs"), ("/new", "New run"), ("/play", "Play"), ("/games", "Games"))


def page(title: str, body: Html, here: str = "", live: bool = False, keys: bool = False) -> str:
    """A whole page. ``here`` is the place in the navigation that it belongs to, ``live`` if parts of it change,
    ``keys`` if it has steps that arrow keys take."""
    links = [
        tag("li", tag("a", name, href=path, aria_current="page" if path == here else None)) for path, name in PLACES
    ]
    top = tag(
        "header", tag("p", tag("a", "hilltop", href="/"), class_="brand"), tag("nav", tag("ul", *links)), class_="bar"
    )
    names = [*(["live"] if live else []), *(["keys"] if keys else [])]
    script = "".join(f'<script type="module" src="{static(f"{name}.js")}"></script>\n' for name in names)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)} - hilltop</title>\n"
        f'<link rel="stylesheet" href="{static("page.css")}">\n<link rel="stylesheet" href="{static("service.css")}">\n'
        f'<link rel="icon" href="{static("icon.svg")}">\n{script}</head>\n'
        f"<body>\n{top}\n{body}\n</body>\n</html>\n"
    )


@functools.cache
def file(name: str) -> bytes:
    """One of the files that pages load; raises KeyError for any other name."""
    package, _ = FILES[name]
    folder = resources.files(package)
    return (folder / "static" / name if package == "service" else folder / name).read_bytes()


def static(name: str) -> str:
    """The address of a file: another one whenever its content is."""
    return f"/static/{name}?{hashlib.sha256(file(name)).hexdigest()[:12]}"


def main(*parts: Any) -> Html:
    """What a page is about."""
    return tag("main", *parts)


def text_field(name: str, text: str, value: str, hint: str = "", **more: str) -> Html:
    """A line to write in, with what it is for and what may be written."""
    entry = tag("input", name=name, value=value, autocomplete="off", **more)
    return tag("label", tag("span", text), entry, tag("small", hint) if hint else "", class_="field")


def rule_field(option: Any, value: str) -> Html:
    """A rule option over what a variant says."""
    hint = f"{option.meaning} ({option.range})"
    return text_field(f"rule-{option.name}", option.name, value, hint, placeholder="as the variant says")


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def table(shown: Table, links: dict[str, Any] | None = None) -> Html:
    """A table of the command line. ``links``: for some columns, what makes an address of a row."""
    shown = shown.upright
    numbers = " ".join(f"n{place}" for place, column in enumerate(shown.columns, 1) if column.right)
    head = [tag("th", column.title.strip(), scope="col") for column in shown.columns]
    rows = [tag("tr", *(tag("td", _cell(column, row, links or {})) for column in shown.columns)) for row in shown.rows]
    body = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_=numbers or None)
    return join(
        [
            tag("h3", shown.title),
            tag("div", body, class_="scroll", tabindex="0", role="region", aria_label=f"Table: {shown.title}"),
            notes(shown.notes),
        ]
    )


def _cell(column: Any, row: dict[str, Any], links: dict[str, Any]) -> Any:
    text = column.text(row)
    return tag("a", text, href=links[column.key](row)) if column.key in links and text else text


def notes(texts: Sequence[str]) -> Html:
    """The sentences below a table."""
    return tag("div", *(tag("p", unbroken(text)) for text in texts), class_="soft") if texts else Html("")
