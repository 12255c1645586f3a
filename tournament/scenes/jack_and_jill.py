"""Jack and Jill's table: the Hill's twelve spots with who stands there, hands and piles."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.scenes.scene import Card, Json, Scene, Zone, cards, count_of, pile, plural, who

# The Hill is a ring of twelve spots; on the table it is a rectangle walked clockwise from its upper left corner.
RING = ((0, 3), (1, 3), (2, 3), (3, 3), (3, 2), (3, 1), (3, 0), (2, 0), (1, 0), (0, 0), (0, 1), (0, 2))


def scene(shown: Json, names: Sequence[str]) -> Scene:
    """The table of a position or a view."""
    spots = []
    for spot, name in enumerate(shown["hill"]):
        marks = [text for text, where in (("Jack", shown["jack"]), ("Jill", shown["jill"])) if where == spot]
        marks += ["crown"] if shown["crown"] == spot else []
        spots.append(Card(name, f"spot {spot}", tuple(marks), spot in shown["down"]))
    zones = [Zone("Hill", tuple(spots), places=RING)]
    for seat in range(len(names)):
        side = shown[f"p{seat}"]
        hand = list(side["hand"])
        zones.append(Zone(f"Hand of {who(names, seat)}", cards(hand), plural(side["jokers"], "Joker"), seat))
    zones += [
        pile("Well", count_of(shown, "well")),
        Zone("Scored", cards(shown["scored"]), plural(len(shown["scored"]), "card")),
        Zone("Discard", cards(shown["discard"])),
    ]
    left = len(shown["hill"]) - len(shown["down"])
    return Scene(f"{who(names, shown['turn'])} to move, {plural(left, 'monster')} left", tuple(zones))
