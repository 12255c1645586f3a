"""``hilltop play``: sit down against bots in the terminal."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from cli.arguments import RuleOption, SeedOption, VariantOption, whole

HELP = "a number plays that move; u takes back, h asks for a hint, q ends"


def command(
    game: Annotated[str, typer.Argument(help="What to play.")],
    against: Annotated[str, typer.Option("--against", help="Bots of the other seats; one sits in all of them.")] = "",
    seat: Annotated[int, typer.Option("--seat", help="Where you sit.")] = 0,
    variant: VariantOption = "standard",
    rule: RuleOption = None,
    seed: SeedOption = "0",
    deal: Annotated[str, typer.Option("--deal", help="Number of the deal.")] = "0",
) -> None:
    """Play a match against bots: the table as your seat sees it, and your moves by number."""
    from engine import registry
    from engine.errors import UsageError
    from engine.rng import MAX_SEED
    from tournament.interactive import Interactive, said, table_of

    facts = registry.game(game)
    seats = _seats(facts, against, seat)
    own = facts.read_rules(rule or ())
    table = table_of(facts, variant, own, seats, whole(seed, "seed", 0, MAX_SEED), whole(deal, "deal", 0, 10**12))
    playing = Interactive(table)
    plain = not _can_show(sys.stdout)
    told = 0
    while (mover := playing.seat) is not None:
        _tell(playing, told)
        told = len(playing.steps)
        _show(playing, mover, plain)
        answer = _ask()
        if answer == "q":
            return
        if answer == "u":
            if playing.choices:
                playing = Interactive(table, playing.choices[:-1])
                told = len(playing.steps)
        elif answer == "h":
            from tournament.scenes.scene import move_words

            adviser = next((bot for bot in seats if bot), None) or _entrants(facts, "")[-1]
            print(f"{adviser.label}: {move_words(facts.id, playing.match.view(mover), playing.advice(adviser))}")
        else:
            try:
                playing.choose(whole(answer, "move", 1, len(playing.moves)) - 1)
            except UsageError as error:
                print(error)
    _tell(playing, told)
    result: Any = playing.match.result()
    print(said(result, table.names))


def _entrants(game: Any, text: str) -> list[Any]:
    from bots import registry

    return registry.field(game.id, text or registry.names(game.id)[-1])


def _seats(game: Any, against: str, seat: int) -> list[Any]:
    """Who sits where: None is the person."""
    from engine.errors import UsageError

    bots = _entrants(game, against)
    sizes = [count for count in game.seats if count > 1]
    players = len(bots) + 1 if len(bots) > 1 else max(game.default_seats, min(sizes))
    if players not in game.seats:
        raise UsageError(
            f"{game.id} is not for {players} seats; name {min(sizes) - 1} to {max(sizes) - 1} bots, or one"
        )
    if not 0 <= seat < players:
        raise UsageError(f"seat cannot be {seat}; allowed: 0 to {players - 1}")
    others = bots if len(bots) == players - 1 else bots * (players - 1)
    return [*others[:seat], None, *others[seat:]]


def _can_show(stream: Any) -> bool:
    """Can a stream show suit signs?"""
    try:
        "\u2660".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _tell(playing: Any, first: int) -> None:
    from tournament.scenes.scene import step_words

    names = playing.table.names
    for step in playing.steps[first:]:
        print(f"  {step_words(step, names)}")


def _show(playing: Any, seat: int, plain: bool) -> None:
    from tournament.scenes.scene import move_words, scene
    from tournament.scenes.text import lines

    game, view = playing.table.game.id, playing.match.view(seat)
    print()
    print("\n".join(lines(scene(game, view, playing.table.names), plain)))
    print()
    for number, move in enumerate(playing.moves, 1):
        print(f"{number:>4}  {move_words(game, view, move)}")
    print(HELP)


def _ask() -> str:
    """What the person answers; the end of the input ends the match."""
    try:
        return input("> ").strip().lower()
    except EOFError:
        return "q"
