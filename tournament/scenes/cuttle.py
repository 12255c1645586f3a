"""Cuttle's table: each side's points with the Jacks on them, its royals, its hand."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.scenes.scene import HIDDEN, Card, Json, Scene, Zone, cards, count_of, pile, plural, said, who


def scene(shown: Json, names: Sequence[str]) -> Scene:
    """The table of a position or a view."""
    zones = []
    order = [1 - shown.get("seat", 0), shown.get("seat", 0)]
    for place, seat in enumerate(order):
        side = shown[f"p{seat}"]
        hand = Zone(f"Hand of {who(names, seat)}", _hand(side), seat=seat)
        points = Zone(
            f"Points of {who(names, seat)}", tuple(_point(text) for text in side["points"]), _worth(side), seat
        )
        royals = Zone(f"Royals of {who(names, seat)}", cards(side["royals"]), seat=seat)
        zones += [points, royals, hand] if place else [hand, royals, points]
        if not place:
            zones += [*_deck(shown), Zone("Scrap", cards(shown["scrap"]))]
    return Scene(_status(shown, names), tuple(zones))


def _hand(side: Json) -> tuple[Card, ...]:
    known = list(side["known"]) if HIDDEN in side["hand"] else []
    hidden = side["hand"].count(HIDDEN)
    plain = [name for name in side["hand"] if name != HIDDEN]
    found = [Card(name, "frozen" if name == side["frozen"] else "") for name in dict.fromkeys([*plain, *known])]
    return (*found, *([Card(HIDDEN)] * max(0, hidden - len([name for name in known if name not in plain]))))


def _point(text: str) -> Card:
    name, *jacks = text.split("+")
    return Card(name, marks=tuple(jacks))


def _worth(side: Json) -> str:
    worth = sum(1 if text[0] == "A" else 10 if text[0] == "T" else int(text[0]) for text in side["points"])
    return plural(worth, "point")


def _deck(shown: Json) -> list[Zone]:
    revealed = shown["deck"][: shown["deck_known"]] if "deck" in shown else shown["deck_top"]
    top = [Zone("Top of the deck", cards(revealed))] if revealed else []
    return [*top, pile("Deck", count_of(shown, "deck"))]


def _status(shown: Json, names: Sequence[str]) -> str:
    told = f"Turn {shown['turns'] + 1}, {who(names, shown['turn'])}"
    pending = shown.get("pending")
    if pending:
        aim = f" at the {said(pending['target'])}" if pending.get("target") else ""
        counters = f", countered by {plural(len(pending['counters']), 'Two')}" if pending.get("counters") else ""
        told += f"; the {said(pending['card'])} as a one-off{aim}{counters}"
    return told
