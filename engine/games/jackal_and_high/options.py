"""Jackal & High: its facts, rule options and variants (``docs/rules/jackal_and_high.md``, sections 3 to 5)."""

from __future__ import annotations

from engine.errors import UsageError
from engine.game import Game, Option, Options
from engine.text import plural

OPTIONS = (
    Option("dice_per_player", 3, "dice of each seat", low=1, high=4),
    Option("die_sides", 8, "sides of every die (paws do not change with it)", low=4, high=12),
    Option("row_extra", 1, "row positions beyond the number of players", low=0, high=2),
    Option("low_copies", 2, "copies of each animal 1-7", low=1, high=3),
    Option("high_max", 21, "animals 9 to high_max, once each", low=16, high=24),
    Option("take2_count", 4, "Take 2 cards", low=0, high=8),
    Option("lucky8_count", 4, "Lucky 8 cards", low=0, high=8),
    Option("take2_paws", 2, "paws of a Take 2 (the default is a guess)", low=0, high=5),
    Option("paws_low", 1, "paws of 1-7", low=0, high=9),
    Option("paws_mid", 2, "paws of 9-16", low=0, high=9),
    Option("paws_high", 3, "paws of 17 and up", low=0, high=9),
    Option("rolls_for_last_die", 3, "rolls in a turn that begins with one die", low=1, high=5),
    Option("keep_unplaceable", True, "may stop on a last die that fits nowhere", "bool"),
    Option(
        "unplaceable_dice",
        "one",
        "dice sent to the valley when several are rolled and none fits",
        "text",
        choices=("one", "all"),
    ),
    Option(
        "contest_tie",
        "fewest",
        "who wins a tied roll: the fewest dice, the most dice, or another roll",
        "text",
        choices=("fewest", "most", "reroll"),
    ),
    Option("valley_start", True, "an animal lies in the valley at the start (false: it stays in the deck)", "bool"),
    Option("valley_loss", True, "cards can be lost in the valley", "bool"),
    Option(
        "stack_order",
        "choice",
        "order of cards won in one round: the owner's choice, or the lowest or the highest on top",
        "text",
        choices=("choice", "low_top", "high_top"),
    ),
    Option("first_seat", -1, "seat that starts round 1; -1 = by lot; below the number of seats", low=-1, high=4),
    Option(
        "next_starter",
        "left",
        "starter of the next round: the next seat, or the same",
        "text",
        choices=("left", "same"),
    ),
    Option(
        "tie_break",
        "high_card",
        "equal paws: the highest card decides, or the place is shared",
        "text",
        choices=("high_card", "none"),
    ),
    Option("round_cap", 200, "the match ends after this round", low=1, high=1000),
)

VARIANTS: dict[str, Options] = {
    "standard": {},
    "no_luck": {"lucky8_count": 0},
    "take2_1": {"take2_paws": 1},
    "take2_0": {"take2_paws": 0},
    "four_dice": {"dice_per_player": 4},
    "gentle_valley": {"valley_loss": False},
}


def check(options: Options, players: int) -> None:
    """The first seat is one that plays (section 4)."""
    if options["first_seat"] >= players:
        allowed = f"-1 to {players - 1} with {players} seats"
        raise UsageError(f"rule option first_seat cannot be {options['first_seat']}; allowed: {allowed}")


def notice(options: Options) -> str | None:
    """What readers of results must be told (section 3): nobody knows what a Take 2 is worth."""
    if not options["take2_count"]:
        return None
    worth = plural(options["take2_paws"], "paw")
    return (
        f"A Take 2 counts {worth} here. Its worth is a guess: the rulebook does not give it. "
        "Compare the variants standard (2 paws), take2_1 and take2_0 before relying on a result."
    )


GAME = Game(
    id="jackal_and_high",
    title="Jackal & High",
    idea="Roll dice, make the numbers of animal cards exactly, press your luck, and stay out of Vulture Valley.",
    credit="Jackal & High by Andreas Schmidt, art by Ben (Benedikt) Beck, published by Zoch Verlag, 2012.",
    seats=(2, 3, 4, 5),
    block=1 << 14,
    default_seats=4,
    options=OPTIONS,
    variants=VARIANTS,
    check=check,
    notice=notice,
    pieces=(*(str(number) for number in range(1, 8)), "lucky_8", *(str(number) for number in range(9, 25)), "take_2"),
    ways=("dealt", "won", "aimed", "stacked", "reroll", "valley"),
)
