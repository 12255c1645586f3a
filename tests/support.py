"""What several test files share: rule sets to play under, and matches checked step by step against a reference."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from typing import Any

from engine.errors import UsageError
from engine.game import Game, Option
from engine.match import Match
from engine.scenario import differences, same

Json = dict[str, Any]


def variant_cases(game: Game) -> Iterator[tuple[str, Json, int]]:
    """Every variant with every number of seats it allows: name, options, seats."""
    for name, options in game.variants.items():
        for players in game.seats:
            try:
                game.settle(options, players)
            except UsageError:
                continue
            yield name, dict(options), players


def spread_cases(game: Game) -> list[tuple[str, Json, int]]:
    """Of those each variant once, with the numbers of seats in turn."""
    found: dict[str, list[tuple[str, Json, int]]] = {}
    for case in variant_cases(game):
        found.setdefault(case[0], []).append(case)
    return [cases[number % len(cases)] for number, cases in enumerate(found.values())]


def random_case(game: Game, dice: random.Random) -> tuple[Json, int]:
    """Some rule options at random values in their ranges (small numbers more often), and a number of seats."""
    while True:
        players = dice.choice(game.seats)
        options = {
            option.name: _random_value(option, dice)
            for option in game.options
            if option.kind != "data" and dice.random() < 0.35
        }
        try:
            game.settle(options, players)
        except UsageError:
            continue
        return options, players


def _random_value(option: Option, dice: random.Random) -> Any:
    if option.kind == "bool":
        return dice.random() < 0.5
    if option.kind == "text":
        return dice.choice(option.choices)
    if option.kind == "list":
        return sorted((dice.randint(option.low, min(option.high, 30)) for _ in option.default), reverse=True)
    high = option.high if dice.random() < 0.3 else min(option.high, max(int(option.default) * 2, option.low + 3))
    return dice.randint(option.low, high)


def reference(game: Game, options: Json, players: int) -> Any:
    """The slow reference of a game, written from the rules page alone."""
    return importlib.import_module(f"tests.reference.{game.id}").Reference(options, players)


def compare_with_reference(game: Game, options: Json, players: int, seed: int, number: int, most: int = 160) -> int:
    """Play a random match in both; raises AssertionError where they differ. Returns the number of steps taken.

    Compared after every step: who is to act, the legal moves, the whole position, every seat's view, the result.
    """
    match = Match(game, options, players)
    match.deal(seed, number)
    slow = reference(game, options, players)
    slow.load(match.position())
    dice = random.Random(f"{seed} {number}")
    steps: list[Json] = []
    for _ in range(most):
        problem = difference(match, slow, players)
        assert problem is None, f"{game.id} {options} {players} seats, after {steps}: {problem}"
        if match.is_over():
            break
        if match.chance_pending():
            step = match.draw()
        else:
            step = {"by": match.to_act(), **dice.choice(match.legal())}
            match.step(step)
        steps.append(step)
        slow.step(step)
    return len(steps)


def difference(match: Match, slow: Any, players: int) -> str | None:
    """The first thing in which engine and reference differ."""
    position = match.position()
    if not same(position, slow.position(), match.unordered):
        found = next(differences(slow, position), "fields differ")
        return f"position: {found}"
    if match.to_act() != slow.to_act():
        return f"to_act: {match.to_act()}, reference {slow.to_act()}"
    moves, wanted = match.legal(), slow.legal()
    if sorted(map(str, map(sorted_items, moves))) != sorted(map(str, map(sorted_items, wanted))):
        return f"legal: {moves}, reference {wanted}"
    for seat in range(players):
        if not same(match.view(seat), slow.view(seat), match.unordered):
            return f"view of seat {seat}: {match.view(seat)}, reference {slow.view(seat)}"
    if not same(match.result(), slow.result(), match.unordered):
        return f"result: {match.result()}, reference {slow.result()}"
    return None


def sorted_items(move: Json) -> list[tuple[str, Any]]:
    """A move as text that does not depend on the order of its fields."""
    return sorted(move.items())
