"""``hilltop trace``: whole matches as JSON Lines."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cli.arguments import RuleOption, SeedOption, VariantOption, whole


def command(
    game: Annotated[str, typer.Argument(help="What to play.")],
    bots: Annotated[str, typer.Option("--bots", help="One bot a seat, in seat order: a,b.")],
    seed: SeedOption = "0",
    match: Annotated[str, typer.Option("--match", help="Number of the first match.")] = "0",
    count: Annotated[str, typer.Option("--count", help="How many matches from there on.")] = "1",
    variant: VariantOption = "standard",
    rule: RuleOption = None,
    legal: Annotated[bool, typer.Option("--legal", help="List the legal moves of each decision.")] = False,
    positions: Annotated[bool, typer.Option("--positions", help="Give the position after each step.")] = False,
) -> None:
    """Play matches and print each as one line of JSON (docs/notation.md)."""
    from bots import registry as bot_registry
    from engine import registry
    from engine.rng import MAX_SEED
    from tournament.plan import MAX_MATCHES
    from tournament.trace import trace

    facts = registry.game(game)
    seats = bot_registry.field(game, bots)
    options = facts.settle_text(variant, rule or [], len(seats))
    run_seed = whole(seed, "seed", 0, MAX_SEED)
    start = whole(match, "match", 0, MAX_MATCHES - 1)
    for number in range(start, start + whole(count, "count", 1, MAX_MATCHES - start)):
        print(json.dumps(trace(facts, variant, options, seats, run_seed, number, legal, positions)))
