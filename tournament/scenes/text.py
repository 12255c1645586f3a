"""The table as text, in plain ASCII if need be."""

from __future__ import annotations

from tournament.scenes.scene import Card, Scene, Zone, face


def lines(scene: Scene, plain: bool = False) -> list[str]:
    """A line a zone, several for one that is laid out in two directions; ``plain`` for terminals without suit signs."""
    found = [scene.status]
    width = max((len(zone.title) for zone in scene.zones), default=0)
    for zone in scene.zones:
        if zone.places:
            found += [f"{zone.title}:", *_grid(zone, plain)]
            continue
        shown = "  ".join(_card(card, plain) for card in zone.cards)
        note = f"({zone.note})" if zone.note else ""
        found.append(f"{zone.title + ':':<{width + 1}} {'  '.join(filter(None, (shown, note)))}")
    return found


def _card(card: Card, plain: bool) -> str:
    name = "[]" if card.hidden else card.name if plain else face(card.name)
    if card.down:
        name = f"[{name}]"
    notes = [*([card.note] if card.note else []), *card.marks]
    return f"{name} ({', '.join(notes)})" if notes else name


def _grid(zone: Zone, plain: bool) -> list[str]:
    assert zone.places
    across, up = zip(*zone.places, strict=True)
    cells = {place: _card(card, plain) for place, card in zip(zone.places, zone.cards, strict=True)}
    width = max(map(len, cells.values())) + 2
    found = []
    for y in range(max(up), min(up) - 1, -1):
        row = "".join(f"{cells.get((x, y), '.'):^{width}}" for x in range(min(across), max(across) + 1))
        found.append(f"{y:>5} {row}".rstrip())
    found.append(" " * 6 + "".join(f"{x:^{width}}" for x in range(min(across), max(across) + 1)).rstrip())
    return found
