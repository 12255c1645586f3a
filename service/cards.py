"""The table as SVG and HTML: readable in black and white, at any width, and by a screen reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from tournament.page.layout import Html, join, tag
from tournament.scenes.scene import Card, Scene, Zone, face, is_suited, said

WIDTH, HEIGHT, GAP = 58, 80, 8  # of a card, and between two in a grid
LINE = 11  # pixels that a line of small text takes
Wrap = Callable[[Card, Html], Html]


def drawn(scene: Scene, wrap: Callable[[Zone], Wrap | None] = lambda _: None) -> Html:
    """A scene. ``wrap`` gives for a zone what makes something to press of a card."""
    zones = [_zone(zone, wrap(zone)) for zone in scene.zones]
    return tag("div", tag("p", scene.status, class_="status", role="status"), *zones, class_="scene")


def _zone(zone: Zone, wrap: Wrap | None) -> Html:
    title = tag("h3", zone.title, *([tag("small", f" {zone.note}")] if zone.note else []))
    if zone.places:
        return tag(
            "section",
            title,
            tag("div", _grid(zone), class_="gridded", tabindex="0", role="region", aria_label=zone.title),
            class_="zone",
        )
    if not zone.cards:
        return tag("section", title, class_="zone")
    items = []
    for card in zone.cards:
        shown = _svg("", WIDTH, _height(card), _told(card), _face(card))
        items.append(tag("li", wrap(card, shown) if wrap else shown))
    return tag("section", title, tag("ul", *items, class_="cards"), class_="zone")


def _height(card: Card) -> int:
    return HEIGHT + LINE * len(_lines(card)) + (4 if _lines(card) else 0)


def _lines(card: Card) -> list[str]:
    """What is written below a card."""
    return [*([card.note] if card.note else []), *(face(mark) for mark in card.marks)]


def _told(card: Card) -> str:
    """A card as a screen reader says it."""
    name = said(card.name) + (", face down" if card.down and not card.hidden else "")
    return ", ".join([name, *([card.note] if card.note else []), *(said(mark) for mark in card.marks)])


def _face(card: Card) -> str:
    """A card's face with its upper left corner at 0, 0, and what is written below it."""
    kind = "back" if card.hidden else "empty" if card.name == "-" else "down" if card.down else "card"
    parts = [f'<rect class="{kind}" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="6"/>']
    if card.hidden:
        parts += [f'<path class="weave" d="M8 {y} H{WIDTH - 8}"/>' for y in range(12, HEIGHT - 8, 8)]
    elif card.name != "-":
        parts.append(_name(card.name))
    for number, line in enumerate(_lines(card)):
        y = HEIGHT + 2 + LINE * (number + 1)
        squeeze = f' textLength="{WIDTH}" lengthAdjust="spacingAndGlyphs"' if len(line) > 11 else ""
        parts.append(f'<text class="small" x="{WIDTH // 2}" y="{y}"{squeeze}>{escape(line)}</text>')
    return "".join(parts)


def _name(name: str) -> str:
    """The printed name: rank over suit, or words one below the other."""
    if is_suited(name):
        red = " red" if name[1] in "DH" else ""
        rank, suit = face(name)[:-1], face(name)[-1]
        return (
            f'<text class="rank{red}" x="{WIDTH // 2}" y="32">{rank}</text>'
            f'<text class="suit{red}" x="{WIDTH // 2}" y="64">{suit}</text>'
        )
    words = name.replace("_", " ").split()
    size = "rank" if len(name) <= 3 else "word"
    top = HEIGHT // 2 + 5 - 7 * (len(words) - 1)
    return "".join(
        f'<text class="{size}" x="{WIDTH // 2}" y="{top + 14 * number}"'
        + (f' textLength="{WIDTH - 8}" lengthAdjust="spacingAndGlyphs"' if len(word) > 8 else "")
        + f">{escape(word)}</text>"
        for number, word in enumerate(words)
    )


def _grid(zone: Zone) -> Html:
    """Cards in their places, with the numbers of columns and rows."""
    assert zone.places
    across = sorted({x for x, _ in zone.places})
    up = sorted({y for _, y in zone.places}, reverse=True)
    low, high = across[0], across[-1]
    tall = max(_height(card) for card in zone.cards)
    wide, step, deep = 22, WIDTH + GAP, tall + GAP
    width, height = wide + (high - low + 1) * step, (up[0] - up[-1] + 1) * deep + 18
    parts = []
    for card, (x, y) in zip(zone.cards, zone.places, strict=True):
        parts.append(f'<g transform="translate({wide + (x - low) * step} {(up[0] - y) * deep})">{_face(card)}</g>')
    for x in range(low, high + 1):
        parts.append(f'<text class="small" x="{wide + (x - low) * step + WIDTH // 2}" y="{height - 4}">{x}</text>')
    for y in range(up[-1], up[0] + 1):
        parts.append(f'<text class="small" x="10" y="{(up[0] - y) * deep + HEIGHT // 2}">{y}</text>')
    told = "; ".join(f"{_told(card)} at {x}, {y}" for card, (x, y) in zip(zone.cards, zone.places, strict=True))
    return _svg("grid", width, height, told, "".join(parts))


def _svg(kind: str, width: int, height: int, told: str, drawn: str) -> Html:
    return Html(
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(told)}">{drawn}</svg>'
    )


def links(title: str, shown: Sequence[tuple[str, str]]) -> Html:
    """Things to press, as a list: what they say and where they lead."""
    return join(
        [
            tag("h3", title),
            tag("ul", *(tag("li", tag("a", text, href=to, class_="press")) for text, to in shown), class_="moves"),
        ]
    )
