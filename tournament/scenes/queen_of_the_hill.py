"""Queen of the Hill's table: each player's battle, keep and ready zones, the Dark One, and the piles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tournament.scenes.scene import HIDDEN, Card, Json, Scene, Zone, cards, pile, plural, who

ZONES = (("battle", "Battle"), ("keep", "Keep"), ("ready", "Ready"))


def scene(shown: Json, names: Sequence[str]) -> Scene:
    """The table of a position or a view."""
    zones = []
    known = shown["deck"][: shown[f"p{shown['seat']}"]["peek"]] if "seat" in shown else []
    if known:
        zones.append(Zone("Top of the deck", cards(known)))
    zones += [pile("Deck", len(shown["deck"])), Zone("Discards", _kinds(shown["discards"]))]
    if shown["drawn"]:
        zones.append(Zone(f"Drawn by {_name(names, shown['active'])}", cards([shown["drawn"]])))
    chain = [
        Card(
            one["card"],
            f"by {_name(names, one['by'])}",
            (f"at {_name(names, one['target'])}",) if "target" in one else (),
        )
        for one in shown["chain"]
    ]
    zones.append(Zone("Played, last one first to happen", tuple(chain)))
    if shown["dark"]:
        dark = shown["dark"]
        zones.append(
            Zone("Dark One", cards(dark["battle"]), f"{plural(dark['wins'], 'round')} won, bonus {dark['bonus']}")
        )
    for seat in range(len(names)):
        side = shown[f"p{seat}"]
        said = f"{plural(side['wins'], 'round')} won, bonus {side['bonus']}, {plural(side['draws'], 'card')} drawn"
        zones.append(Zone(who(names, seat), (), said + (", busted" if side["busted"] else ""), seat))
        zones += [
            Zone(f"{title} of {names[seat]}", cards(side[zone]), seat=seat) for zone, title in ZONES if side[zone]
        ]
    told = f"Round {shown['round']}, {_name(names, shown['active'])}: {shown['stage'].replace('_', ' ')}"
    return Scene(told, tuple(zones))


def _kinds(names: Sequence[str]) -> tuple[Card, ...]:
    """A card a kind, with how many there are."""
    counts = Counter(names)
    return tuple(Card(name, f"x{count}" if count > 1 else "") for name, count in counts.items() if name != HIDDEN)


def _name(names: Sequence[str], seat: int | str | None) -> str:
    return "the Dark One" if seat == "dark" else who(names, seat) if isinstance(seat, int) else "all"
