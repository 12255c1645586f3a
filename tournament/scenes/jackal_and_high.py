"""Jackal & High's table: the row of animals with everybody's dice, the valley, and what each has won."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.scenes.scene import Card, Json, Scene, Zone, cards, count_of, pile, plural, who, words


def scene(shown: Json, names: Sequence[str]) -> Scene:
    """The table of a position or a view."""
    row = []
    for place, one in enumerate(shown["row"]):
        marks = tuple(f"{names[seat]}: {' '.join(map(str, dice))}" for seat, dice in enumerate(one["dice"]) if dice)
        twos = f", Take 2 x{one['take2']}" if one["take2"] else ""
        row.append(Card(one["card"] or "-", f"place {place}{twos}", marks))
    zones = [Zone("Row", tuple(row))]
    valley = shown["valley"]
    counts = [f"{names[seat]}: {count}" for seat, count in enumerate(valley["dice"]) if count]
    if valley["card"] or counts:
        zones.append(Zone("Valley", (Card(valley["card"] or "-", "", tuple(counts)),)))
    zones.append(pile("Deck", count_of(shown, "deck")))
    if shown["rolled"]:
        dice = " ".join(map(str, shown["rolled"]))
        zones.append(Zone(f"Rolled by {who(names, shown['turn'])}", (), dice, shown["turn"]))
    for seat in range(len(names)):
        side = shown[f"p{seat}"]
        dice = plural(side["dice"], "die", "dice") + " in hand"
        twos = f", {side['take2']} Take 2" if side["take2"] else ""
        won = f", won this round: {' '.join(side['won'])}" if side["won"] else ""
        zones.append(Zone(f"Stack of {who(names, seat)}", cards(side["stack"]), dice + twos + won, seat))
    return Scene(f"Round {shown['round']}, {_phase(shown, names)}", tuple(zones))


def _phase(shown: Json, names: Sequence[str]) -> str:
    if shown["phase"] in ("roll", "place", "stack"):
        return f"{who(names, shown['turn'])} to {shown['phase']}"
    if shown["phase"] == "contest":
        return f"a contest at place {shown['contest']}"
    return "a contest in the valley" if shown["phase"] == "valley" else str(shown["phase"])


def move_words(shown: Json, move: Json) -> str:
    """A placement with the cards that dice go to."""
    if move.get("move") != "place":
        return words(move)
    names = [one["card"] or "the empty place" for one in shown["row"]]
    return ", ".join(f"{die} on {names[place]} (place {place})" for die, place in move["put"])
