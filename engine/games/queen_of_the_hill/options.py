"""Queen of the Hill: its facts, rule options and variants (``docs/rules/queen_of_the_hill.md``, sections d and e)."""

from __future__ import annotations

from engine.errors import UsageError
from engine.game import BLIND, Game, Option, Options
from engine.games.queen_of_the_hill import deck

OPTIONS = (
    Option("rounds_to_win", 2, "round wins that win the match, for seats and the Dark One", low=1, high=10),
    Option("round_cap", 50, "rounds after which the match is a draw", low=1, high=1000),
    Option("dark_one_player", False, "the Dark One plays; must be true with 2 seats", "bool"),
    Option("dark_one_points", 8, "battle points of a Dark One in his Battle Zone", low=0, high=50),
    Option("dark_one_extra", 0, "added to the number of cards he draws", low=-10, high=10),
    Option("abilities", True, "false: no plays, no keeping", "bool"),
    Option("ready_limit", 5, "largest Ready Zone", low=0, high=20),
    Option("keep_limit", 250, "most cards a seat may keep per round (250 = no limit)", low=0, high=250),
    Option("min_draws", 0, "draws before stop is allowed, if a draw is possible; at most draw_cap", low=0, high=10),
    Option("draw_cap", 100, "most draws per seat and round", low=1, high=250),
    Option(
        "harmless_when",
        "both_empty",
        "when a drawn Dark One is harmless",
        "text",
        choices=("both_empty", "battle_empty", "never"),
    ),
    Option("harmless_turn", "continue", "what a harmless one does to the turn", "text", choices=("continue", "end")),
    Option("busted_can_win", True, "false: a busted seat's total is 0", "bool"),
    Option("tie_starter", "same", "who starts after a tied round", "text", choices=("same", "left")),
    Option(
        "windows",
        "each_draw",
        "when others may play: after each draw and each turn, or after each turn only",
        "text",
        choices=("each_draw", "turn_end"),
    ),
    Option(
        "deck",
        "standin",
        "the cards: a built-in stand-in deck, or the path of a deck file (in JSON also its content)",
        "data",
        choices=(*deck.BUILT_IN, "FILE.toml"),
        parse=deck.parse,
    ),
)

VARIANTS: dict[str, Options] = {
    "standard": {},
    "dark_one": {"dark_one_player": True},
    "no_abilities": {"abilities": False},
    "no_abilities_dark_one": {"abilities": False, "dark_one_player": True},
}


def check(options: Options, players: int) -> None:
    """Two seats need the Dark One (section e); nobody must draw more often than is possible."""
    if players == 2 and not options["dark_one_player"]:
        raise UsageError("queen_of_the_hill with 2 seats needs the Dark One: set dark_one_player=true, or take 3 to 6")
    if options["min_draws"] > options["draw_cap"]:
        raise UsageError(
            f"min_draws {options['min_draws']} is too large; allowed: 0 to draw_cap, which is {options['draw_cap']}"
        )


def notice(options: Options) -> str | None:
    """The published cards are not known: results with a stand-in deck say nothing about the real game (section a)."""
    value = options["deck"]
    if not deck.is_stand_in(value):
        return None
    name = value if isinstance(value, str) else value.get("id", "given")
    return (
        f"Played with the stand-in deck '{name}', not with the published card list of Queen of the Hill, which is not "
        "available: the results say nothing about the published game."
    )


def name_piece(options: Options, kind: int) -> str:
    """The id of a kind in the deck that is played with; '' for kinds that it does not have."""
    ids = deck.ids_of(options["deck"])
    return ids[kind] if kind < len(ids) else ""


GAME = Game(
    id="queen_of_the_hill",
    title="Queen of the Hill",
    idea="Push your luck for the strongest party on the hill, or keep cards back for their abilities.",
    credit="Designed by Dominic (Michael) Huang, published by Medieval Lords (Kickstarter 2016); rules after the "
    "rulebook. The built-in decks are stand-ins of our own, not the published card list.",
    seats=(2, 3, 4, 5, 6),
    demo=200_000,
    options=OPTIONS,
    variants=VARIANTS,
    block=1 << 15,
    default_seats=4,
    check=check,
    notice=notice,
    none_wins=frozenset({"dark_one"}),
    pieces=tuple(f"kind_{kind}" for kind in range(deck.MOST_KINDS)),
    name_piece=name_piece,
    ways=("dealt", "came_later", "formed", "kept", "played", "discarded", "draw", "stop", "pass", BLIND),
)
