"""Jack and Jill Reclaim the Hill: its facts, rule options and variants (``docs/rules/jack_and_jill.md``, section 3)."""

from __future__ import annotations

from engine.game import RANKS, Game, Option, Options

OPTIONS = (
    Option("hand_size", 5, "hand dealt and refilled to", low=3, high=7),
    Option("first_seat", 0, "two players: who begins", low=0, high=1),
    Option("king_of_the_hill", False, "one King is crowned and beaten last", "bool"),
    Option("order", "rank", "monsters fall by rank or freely", "text", choices=("rank", "any")),
    Option("defense_jack", 10, "Defense of a Jack", low=1, high=40),
    Option("defense_queen", 15, "Defense of a Queen", low=1, high=40),
    Option("defense_king", 20, "Defense of a King", low=1, high=40),
    Option("defense_crown", 20, "Defense of the crowned King", low=1, high=40),
    Option("jokers", 2, "Jokers of one player, for either character", low=0, high=4),
    Option("jokers_jack", 1, "two players: Jokers of Jack", low=0, high=4),
    Option("jokers_jill", 1, "two players: Jokers of Jill", low=0, high=4),
    Option("joker_cards", 1, "own-suit cards that a Joker lets into a Melee Attack", low=1, high=3),
    Option("joker_shift", 1, "how far a Joker bends an Aim", low=1, high=3),
    Option("jokers_per_action", 4, "most Jokers in one action", low=0, high=4),
    Option(
        "aim_distance",
        "steps",
        "an Aim counts the steps to the monster, or the spots between",
        "text",
        choices=("steps", "between"),
    ),
    Option("min_aim", 1, "least cards of an Aim", low=0, high=1),
    Option("exact_margin", 0, "an attack over by this much still scores", low=0, high=5),
    Option("exact_scores_aim", True, "Aim cards of an exact attack score", "bool"),
    Option("leftover_scores", True, "cards left at a win score", "bool"),
    Option("move_draw", 1, "cards drawn after a Move", low=0, high=1),
    Option("rest_draw", 1, "cards drawn after a Rest", low=0, high=1),
    Option("trade_range", 1, "steps between the pawns for Trades and open hands; -1 never", low=-1, high=6),
    Option("open_hands", "range", "hands are open in trading range, or always", "text", choices=("range", "always")),
    Option("stall_limit", 4, "passes or Trades in a row that lose", low=2, high=200),
    Option(
        "loss_checks",
        "sound",
        "C1 to C4 with Jokers, without them in C2 and C3, or none of the four",
        "text",
        choices=("sound", "literal", "off"),
    ),
    Option("c4_search", True, "the search for a win once the Well is empty (C4)", "bool"),
    Option("medal_gold", 20, "least score for gold", low=0, high=40),
    Option("medal_silver", 15, "least score for silver", low=0, high=40),
    Option("medal_bronze", 10, "least score for bronze", low=0, high=40),
)

VARIANTS: dict[str, Options] = {
    "standard": {},
    "king_of_the_hill": {"king_of_the_hill": True},
    "big_hand": {"hand_size": 6},
    "three_jokers": {"jokers": 3, "jokers_jack": 2, "jokers_jill": 1},
    "no_jokers": {"jokers": 0, "jokers_jack": 0, "jokers_jill": 0},
    "soft_kings": {"defense_king": 18, "defense_crown": 18},
    "free_order": {"order": "any"},
    "open_hands": {"open_hands": "always"},
    "far_trade": {"trade_range": 2},
    "literal": {"loss_checks": "literal"},
    "play_on": {"loss_checks": "off"},
    "patient": {"stall_limit": 200},
}

MEDALS = ("gold", "silver", "bronze")


def medal(options: Options, score: int) -> str | None:
    """The best medal whose least score a win has reached (section 5)."""
    return next((name for name in MEDALS if score >= options[f"medal_{name}"]), None)


GAME = Game(
    id="jack_and_jill",
    title="Jack and Jill Reclaim the Hill",
    idea="Alone or as a team of two: defeat ten monsters on a ring of twelve spots before the cards run out.",
    credit="Rules after the rules page of the game's web version, which names no designer.",
    seats=(1, 2),
    options=OPTIONS,
    variants=VARIANTS,
    cooperative=True,
    won="won",
    medal=medal,
    default_seats=1,
    pieces=RANKS[:10],
    ways=("dealt", "came_later", "move", "rest", "trade", "melee", "ranged", "joker", "pass"),
    block=1 << 14,
)
