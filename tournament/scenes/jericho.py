"""Jericho's table: the wall around its base, both hands and captures."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.scenes.scene import HIDDEN, Card, Json, Scene, Zone, cards, count_of, pile, plural, who


def scene(shown: Json, names: Sequence[str]) -> Scene:
    """The table of a position or a view."""
    laid = [(Card(one["card"]), (one["x"], one["y"])) for one in shown["board"]]
    if shown["base"] is not None:
        base = Card(shown["base"], "base", down=shown["base"] != HIDDEN)
        laid.append((base, (0, 0)))
    wall = Zone("Wall", tuple(card for card, _ in laid), places=tuple(place for _, place in laid))
    own = shown.get("seat", 0)
    zones = []
    for seat in (1 - own, own):
        side = shown[f"p{seat}"]
        captured = Zone(
            f"Captured by {who(names, seat)}", cards(side["captured"]), plural(len(side["captured"]), "card"), seat
        )
        zones.append([Zone(f"Hand of {who(names, seat)}", cards(side["hand"]), seat=seat), captured])
    middle = [wall, pile("Draw pile", count_of(shown, "draw")), Zone("Discard", cards(shown["discard"]))]
    told = f"Turn {shown['turns_done'] + 1}, {who(names, shown['turn'])}"
    told += ", a chain goes on" if shown["chain"] else ""
    return Scene(told, (*zones[0], *middle, *zones[1][::-1]))
