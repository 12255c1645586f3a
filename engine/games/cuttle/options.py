"""Cuttle: its facts, rule options and variants (``docs/rules/cuttle.md``, sections 5 and 6)."""

from __future__ import annotations

from itertools import pairwise

from engine.errors import UsageError
from engine.game import BLIND, RANKS, Game, Option, Options

OPTIONS = (
    Option("goal", 21, "points to win without a King", low=1, high=99),
    Option("kings_goal", [14, 10, 7, 5], "goal with 1, 2, 3, 4 Kings; goal, then these, must not rise", "list", 0, 99),
    Option("first_hand", 5, "cards dealt to seat 0", low=0, high=12),
    Option("second_hand", 6, "cards dealt to seat 1", low=0, high=12),
    Option(
        "hand_limit",
        8,
        "refuse: no draw at or above it, also bounds a Five; discard: most cards at the end of one's turn",
        low=1,
        high=16,
    ),
    Option(
        "hand_limit_rule",
        "refuse",
        "what the limit does: no drawing, or discarding at the end of a turn",
        "text",
        choices=("refuse", "discard"),
    ),
    Option("passes_for_draw", 3, "consecutive passes that end the match", low=1, high=20),
    Option("turn_cap", 500, "turns after which the match is a draw", low=1, high=10000),
    Option("both_win", "mover", "who wins if both reach the goal at once", "text", choices=("mover", "draw")),
    Option("four_discards", 2, "cards a Four costs", low=1, high=3),
    Option("four_random", False, "they are taken at random", "bool"),
    Option("five_draws", 2, "cards a Five draws", low=1, high=5),
    Option("five_discard", False, "a Five first costs one card of one's own choice", "bool"),
    Option("seven_reveals", 2, "cards a Seven reveals", low=1, high=4),
    Option("three_may_take_three", True, "a Three may take another Three", "bool"),
    Option(
        "nine_effect",
        "hand",
        "a Nine puts its target into the hand, on the deck, or two targets into the hand",
        "text",
        choices=("hand", "deck", "two"),
    ),
    Option("nine_freezes", True, "cards returned by a Nine are frozen for a turn (only with nine_effect hand)", "bool"),
    Option("frozen_can_counter", False, "a frozen Two may counter", "bool"),
    Option("twos_counter", True, "counters exist", "bool"),
    Option("queen_stops_counter", True, "Queens protect one-offs and counters", "bool"),
    Option(
        "scuttle_ties",
        "suit",
        "equal ranks: the higher suit scuttles, none does, any does",
        "text",
        choices=("suit", "never", "any"),
    ),
    Option("open_hands", False, "both hands are always seen", "bool"),
)

_MODERN: Options = {
    "kings_goal": [14, 10, 5, 0],
    "five_draws": 3,
    "five_discard": True,
    "three_may_take_three": False,
}
_SITE_2026: Options = {**_MODERN, "hand_limit_rule": "discard"}

VARIANTS: dict[str, Options] = {
    "standard": {},
    "upstream_kings": {"kings_goal": [14, 10, 5, 0]},
    "even_hands": {"second_hand": 5},
    "six_each": {"first_hand": 6},
    "short": {"goal": 14, "kings_goal": [10, 7, 5, 3]},
    "modern": _MODERN,
    "no_three_loop": {"three_may_take_three": False},
    "no_counters": {"twos_counter": False},
    "open": {"open_hands": True},
    "small_hands": {"hand_limit": 6},
    "site_2026": _SITE_2026,
    "trial_deck_nines": {**_SITE_2026, "nine_effect": "deck"},
    "trial_two_nines": {**_SITE_2026, "nine_effect": "two"},
    "trial_random_fours": {**_SITE_2026, "four_random": True},
}


def check(options: Options, _players: int) -> None:
    """More Kings never need more points."""
    goals = [options["goal"], *options["kings_goal"]]
    if any(later > earlier for earlier, later in pairwise(goals)):
        raise UsageError(f"goal {goals[0]} and kings_goal {goals[1:]} must not rise from one to the next")


GAME = Game(
    id="cuttle",
    title="Cuttle",
    idea="Race to 21 points with a deck whose cards also attack, steal, shield and counter.",
    credit="Rules after the game-rules page of the cuttle-cards/cuttle project (MIT licence), "
    "(c) 2016-present Ryan Emberling; its code and tests settled most open points.",
    seats=(2,),
    demo=1_000_000,
    options=OPTIONS,
    variants=VARIANTS,
    check=check,
    pieces=RANKS,
    ways=(
        "dealt",
        "came_later",
        "points",
        "scuttle",
        "royal",
        "jack",
        "one_off",
        "counter",
        "picked",
        "dropped",
        "over_limit",
        BLIND,
    ),
)
