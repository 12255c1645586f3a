"""Jericho: its facts, rule options and variants (``docs/rules/jericho.md``, sections d and e)."""

from __future__ import annotations

from engine.game import RANKS, Game, Option, Options

OPTIONS = (
    Option("hand_size", 5, "cards dealt to each seat, and size of a full hand", low=1, high=20),
    Option("points", "rank", "what a card is worth: its rank, or 1", "text", choices=("rank", "flat")),
    Option("ace_points", 1, "worth of an ace", low=0, high=50),
    Option("face_points", 10, "worth of a jack, queen, king", low=0, high=50),
    Option("hand_penalty", False, "cards left in a hand cost their worth", "bool"),
    Option("base_capturable", False, "the base can be captured like any card", "bool"),
    Option("capture_sides", 4, "occupied sides needed for a capture", low=2, high=4),
    Option(
        "match_rule",
        "suit_or_rank",
        "what cards side by side must share",
        "text",
        choices=("suit_or_rank", "colour_or_rank"),
    ),
    Option(
        "chain_rule",
        "optional",
        "going on after a capture: at will, as long as possible, never",
        "text",
        choices=("optional", "forced", "none"),
    ),
    Option(
        "cut_off",
        "turn_end",
        "when cards not linked to the base are discarded",
        "text",
        choices=("turn_end", "at_once"),
    ),
    Option("free_pass", True, "may pass although a placement is possible", "bool"),
    Option("end_passes", 2, "passes in a row that end the match", low=1, high=6),
    Option("start_seat", 0, "seat of the first turn", low=0, high=1),
    Option("turn_cap", 0, "the match ends after this many turns; 0 = no cap", low=0, high=400),
)

VARIANTS: dict[str, Options] = {
    "standard": {},
    "big_hand": {"hand_size": 7},
    "small_hand": {"hand_size": 3},
    "flat_points": {"points": "flat"},
}

GAME = Game(
    id="jericho",
    title="Jericho",
    idea="Lay cards around a face-down base so that neighbours match; close the last side of a card to take it.",
    credit="Jericho is an original card game by Daniel Schulman, freely available for any use as long as credit is "
    "given.",
    seats=(2,),
    options=OPTIONS,
    variants=VARIANTS,
    block=1 << 14,
    pieces=RANKS,
    ways=("dealt", "came_later", "placed", "chained", "stop", "pass"),
)
