"""``python -m tests.pages`` writes ``docs/bots/<game>.md``: what a bot sees and may do, from the records themselves.

Meanings are the comments beside the fields, the docstrings of what reads a move, and the games' own tables.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import re
import tokenize
from pathlib import Path
from typing import Any

import numpy as np

from bots import registry as bots
from bots.bot import entrant
from engine import registry
from engine.game import Game, rules_dtype
from engine.kernel import is_kernel
from engine.match import Match

ROOT = Path(__file__).resolve().parent.parent
READERS = ("state", "bags")  # of a game, where it has them
FOLDER = ROOT / "docs" / "bots"
DECISIONS, MOST_SHOWN = 60, 14  # of the match from which the example is taken; legal moves of it

HEAD = """# Bots of {title}: what they see and may do

*Written by `python -m tests.pages` from the records of `engine/games/{id}/state.py`; the rules are in
[rules/{id}.md](../rules/{id}.md), the steps in [CONTRIBUTING](../../CONTRIBUTING.md#adding-a-bot).*

`hilltop new-bot {id} my_idea.py` writes a bot to begin with; `hilltop check-bot my_idea.py` says what is wrong with it.

`decide(view, rules, moves, count, params, luck)` returns the place in `moves` of the move that is made, 0 to
`count` - 1. Compiled (`@kernel`) and in plain Python all of this reads the same.

- `params[0]`, `params[1]`, ... are the values of the bot's parameters, in their order.
- `luck` is the seat's own stream of random numbers: `random_below(luck, n)`, `random_unit(luck)` of `engine/rng.py`.
- All other numbers are whole. A *set* of cards (or of seats, spots) is one number, whose bits are its members:
  `has(cards, card)`, `count(cards)`, `lowest(cards)`, `rest(cards)`, `one(card)` of `engine/cards.py`.{cards}
"""
CARDS = """
  A card is `4 * rank + suit`; `rank(card)` is 0 for the ace to 12 for the King, `suit(card)` 0 to 3 for clubs,
  diamonds, hearts and spades."""


def page(game: Game) -> str:
    """The page of a game."""
    shape = game.state
    source = Path(shape.__file__).read_text("utf-8")
    usual = "of_rank" in source
    parts = [HEAD.format(title=game.title, id=game.id, cards=CARDS if usual else "")]
    parts.append("## view: what the seat may know\n\n" + _fields(source, "VIEW", shape.VIEW, "view"))
    for name in shape.VIEW.names:
        inner = shape.VIEW[name]
        if inner.names:
            parts.append(f"### view.{name}\n\n" + _fields(source, name.upper(), inner, f"view.{name}"))
    parts.append("## rules: the rule options\n\n" + _rules(game, source))
    parts.append("## moves\n\n" + _moves(game))
    parts.append("## What reads them\n\n" + _readers(game))
    parts.append("## Named numbers\n\n" + _constants(source))
    parts.append("## An example\n\n" + _example(game))
    return "\n".join(parts)


def _fields(source: str, block: str, dtype: np.dtype[Any], prefix: str) -> str:
    meanings = comments(source, block)
    rows = ["| field | numbers | meaning |", "|---|---|---|"]
    for name in dtype.names or ():
        kind = dtype[name]
        size = "record" if kind.names else " x ".join(map(str, kind.shape)) or "1"
        meaning = meanings.get(name) or ("its fields are below" if kind.names else "")
        assert meaning, f"a comment beside {name} in {block} is missing"
        rows.append(f"| `{prefix}.{name}` | {size} | {meaning.replace('|', '/')} |")
    return "\n".join(rows) + "\n"


def comments(source: str, block: str) -> dict[str, str]:
    """The comment beside each field of a record type, and the one above it if it has none."""
    found = re.search(rf"^{block} = np\.dtype\(\n.*?^\)", source, flags=re.MULTILINE | re.DOTALL)
    assert found, block
    names: dict[str, str] = {}
    last = above = ""
    line = 0
    for token in tokenize.generate_tokens(io.StringIO(found[0]).readline):
        if token.type == tokenize.STRING and re.match(r"\s*\(?$", token.line[: token.start[1]]):
            last, line = token.string.strip('"'), token.start[0]
            names[last], above = above, ""
        elif token.type == tokenize.COMMENT:
            text = token.string.lstrip("# ")
            if token.line.strip().startswith("#"):
                above = f"{above} {text}".strip()
            elif last:
                names[last] = text
    assert line
    return names


def _rules(game: Game, source: str) -> str:
    rows = ["| field | numbers | meaning |", "|---|---|---|", "| `rules.players` | 1 | seats that play |"]
    known = {"players"}
    for option in game.options:
        if option.kind == "data":
            continue
        known.add(option.name)
        values = ""
        if option.kind == "text":
            values = " (" + ", ".join(f"{place} {choice}" for place, choice in enumerate(option.choices)) + ")"
        length = len(option.default) if option.kind == "list" else 1
        rows.append(f"| `rules.{option.name}` | {length} | {option.meaning}{values} |")
    dtype = rules_dtype(game)
    others = [name for name in dtype.names or () if name not in known]
    meanings = comments(source, "RULES") if others else {}
    for name in others:
        size = " x ".join(map(str, dtype[name].shape)) or "1"
        assert meanings[name], f"a comment beside {name} in RULES is missing"
        rows.append(f"| `rules.{name}` | {size} | {meanings[name]} |")
    return "\n".join(rows) + "\n"


def _moves(game: Game) -> str:
    shape = game.state
    rows = [
        "`moves[i]` is a number. `move_of(moves[i])` has its parts by name; in plain Python so has `moves[i]` itself.",
        "",
        "| part | meaning |",
        "|---|---|",
    ]
    for name in shape.Move._fields:
        told = (getattr(shape, f"{name}_of").__doc__ or "").split("\n\n")[0]
        rows.append(f"| `move.{name}` | {' '.join(told.split()).replace('``', '`')} |")
    rows += ["", "| `move.kind` | number | meaning |", "|---|--:|---|"]
    for name, meaning in shape.MOVE_KINDS.items():
        number = sum(getattr(shape, part) for part in name.split(" + "))
        rows.append(f"| `{name}` | {number} | {meaning.replace('``', '`')} |")
    return "\n".join(rows) + "\n"


def _readers(game: Game) -> str:
    """The kernels beside the records, with what they say of themselves."""
    rows = ["| kernel | of | what it gives |", "|---|---|---|"]
    for file in READERS:
        name = f"engine.games.{game.id}.{file}"
        if not (ROOT / f"{name.replace('.', '/')}.py").is_file():
            continue
        for value in vars(importlib.import_module(name)).values():
            if not is_kernel(value) or value.__module__ != name or value.__name__ == "move_of":
                continue
            function = getattr(value, "py_func", value)
            taken = str(inspect.signature(function))
            told = (function.__doc__ or "").split("\n\n")[0]
            rows.append(f"| `{value.__name__}{taken}` | `{file}.py` | {' '.join(told.split()).replace('``', '`')} |")
    return "\n".join(rows) + "\n"


def _constants(source: str) -> str:
    """The lines that give names to phases, kinds, reasons and values of options, with the comments above them."""
    lines: list[str] = []
    for found in re.finditer(r"((?:^#[^\n]*\n)*)^([A-Z][A-Z0-9_, ]*) = range\((.*)\).*$", source, flags=re.MULTILINE):
        bounds = [int(number) for number in re.findall(r"\d+", found[3])]
        numbers = range(*bounds)
        names = [name.strip() for name in found[2].split(",")]
        if len(names) != len(numbers):
            continue
        values = ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))
        lines.append(f"- `{values}`")
    return "From the game's `state.py`:\n\n" + "\n".join(lines) + "\n"


def _example(game: Game) -> str:
    match, seat, codes = _decision(game)
    shape = game.state
    view = json.dumps(match.view(seat), indent=None)
    rows = [
        f"Seat {seat} is to decide. What it may know, as `hilltop trace` writes it:",
        "",
        "```json",
        *_wrapped(view),
        "```",
        "",
        "Its moves:",
        "",
        "| i | `" + "` | `".join(f"move.{name}" for name in shape.Move._fields) + "` | as `hilltop trace` writes it |",
        "|--:|" + "--:|" * len(shape.Move._fields) + "---|",
    ]
    for place, move in enumerate(codes):
        parts = " | ".join(str(int(part)) for part in shape.move_of(move))
        rows.append(f"| {place} | {parts} | `{json.dumps(match.write_move(move))}` |")
    return "\n".join(rows) + "\n"


def _decision(game: Game) -> tuple[Match, int, list[int]]:
    """The decision of a match of random bots that offers most kinds of moves, and few moves."""
    best = (-1, 0, 0)
    for wanted in (None, best):
        match = Match(game, {}, game.default_seats)
        match.deal(5, 0)
        other = entrant(bots.bot(game.id, "random"), {})
        for number in range(DECISIONS):
            while not match.is_over() and (match.chance_pending() or len(match.legal_codes()) == 1):
                if match.chance_pending():
                    match.draw()
                else:
                    match.apply(match.legal_codes()[0])
            if match.is_over():
                break
            codes = match.legal_codes()
            seat = match.to_act()
            assert seat is not None
            if wanted is not None and number == -best[2]:
                return match, seat, codes
            if wanted is None and len(codes) <= MOST_SHOWN:
                best = max(best, (len({int(game.state.kind_of(code)) for code in codes}), len(codes), -number))
            match.apply(match.choose(other.bot.decide, other.params))
    raise AssertionError(game.id)


def _wrapped(text: str, width: int = 116) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game_id in registry.GAMES:
        (FOLDER / f"{game_id}.md").write_text(page(registry.game(game_id)), encoding="utf-8")
