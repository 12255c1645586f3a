"""What README, CONTRIBUTING and docs/ show is so: commands run or at least parse, lists are those of the code."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from bots import registry as bots
from bots.starters import starter
from cli.main import app
from engine import registry
from engine.game import Game
from tests.conftest import Program
from tests.program import ROOT
from tests.test_cli import COMMANDS

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
GROUP: Any = typer.main.get_command(app)
OPTIONS = {
    name for command in GROUP.commands.values() for one in command.params for name in one.opts + one.secondary_opts
}
OPTIONS |= {name for one in GROUP.params for name in one.opts} | {"--help"}
# What stands for a run, a game, ... in a sentence.
STANDS_FOR = {"RUN": "latest", "MATCH": "17", "GAME": "cuttle", "METRIC": "deal_share", "FILE.html": "page.html",
              "A": "random", "B": "greedy", "m": "17", "N": "2", "FILE": "x.duckdb"}  # fmt: skip
PARSED_ONLY = {"bench", "selftest", "tune", "watch", "check-bot", "play", "serve"}  # take their time
ELSEWHERE = {"--address", "--workers"}  # a cluster and Ray, which other tests start


def blocks(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def spans(text: str) -> list[str]:
    prose = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def shown_commands() -> list[tuple[str, str]]:
    """Every command line of the program that a page shows, with the page's name."""
    found: dict[tuple[str, str], None] = {}
    for page in PAGES:
        text = page.read_text()
        lines = [line for block in blocks(text) for line in block.splitlines()]
        for line in [*lines, *spans(text)]:
            match = re.match(r"(?:\w+=\S+ )*hilltop ([a-z].*)", line.strip().removeprefix("$ "))
            if match:
                found[page.name, match[1]] = None
    return list(found)


SHOWN = shown_commands()


def words_of(line: str) -> list[str]:
    """The arguments of a command line, without what a shell does with them."""
    words = shlex.split(line, comments=True)
    if ">" in words:
        words = words[: words.index(">")]
    plain = [word.removesuffix("...") for word in words]
    return [STANDS_FOR.get(word, word) for word in plain if word]


def test_pages_show_commands() -> None:
    assert {"README.md", "CONTRIBUTING.md", "cluster.md"} <= {page for page, _ in SHOWN}
    assert {words_of(line)[0] for page, line in SHOWN if page == "README.md"} == set(COMMANDS)


@pytest.mark.parametrize(("page", "line"), SHOWN, ids=[f"{page}: {line[:60]}" for page, line in SHOWN])
def test_a_shown_command(program: Program, played: Path, page: str, line: str) -> None:
    name, *words = words_of(line)
    command = GROUP.commands[name]
    missing = [one for one in command.params if one.required]
    if not words and missing:  # named, not called
        return
    command.make_context(name, list(words))  # raises for what does not parse
    if name in PARSED_ONLY or ELSEWHERE & set(words):
        return
    Path("hilltop.duckdb").write_bytes(played.read_bytes())
    for own in ("my_idea", "my_first", "my_second"):
        if name != "new-bot":
            Path(f"{own}.py").write_text(starter("cuttle", own, plain=own == "my_second"))
    scenarios = sorted((ROOT / "tests" / "scenarios").glob("*.json"))
    words = [part for word in words for part in (map(str, scenarios) if word.endswith("*.json") else [word])]
    words = [word if word != "my_idea,greedy,all_rounder" else f"my_idea.py,{word.partition(',')[2]}" for word in words]
    options = {one for param in command.params for one in param.opts}
    if "--dry-run" in options and "--resume" not in words and words != ["latest"]:
        if not words:
            return
        words.append("--dry-run")
    if name == "duel":
        words += ["--max", "20"]
    if name == "include":
        assert program("exclude", "latest", "--reason", "to be taken back").code == 0
    answer = program(name, *words)
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_files_and_targets_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text()
    words = {
        word
        for span in [*spans(text), *blocks(text)]
        for word in re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r"^ *ray .*", "", span, flags=re.MULTILINE))
    }
    assert not words - OPTIONS
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:`|^)make (\w+)", text, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
    for path in re.findall(r"`((?:bots|cli|docs|engine|storage|tests|tournament)/[\w/.-]+)`", text):
        assert (ROOT / path).exists() or "my_idea" in path or "cuttle-cards/cuttle" in text, path
    for link in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", text):
        assert (page.parent / link).exists(), link
    source = "".join(
        path.read_text()
        for folder in ("cli", "engine", "tournament", "storage")
        for path in (ROOT / folder).rglob("*.py")
    )
    for variable in re.findall(r"\bHILLTOP_[A-Z_]+", text):
        assert variable in source, variable


def test_every_command_and_option_has_a_place_in_the_readme_or_docs() -> None:
    text = "".join(page.read_text() for page in PAGES if page.name != "CHANGELOG.md")
    for name in COMMANDS:
        assert re.search(rf"hilltop {name}\b", text), name
    (line,) = re.findall(r"^- Command line: `([^`]*)`\.$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert line.split() == COMMANDS


def table(text: str, heading: str) -> list[list[str]]:
    """Rows of each table whose first heading is this."""
    rows = []
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        cells = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in block.splitlines()
        ]
        if cells[0][0].lower() == heading:
            rows += [dict(zip([key.lower() for key in cells[0]], row, strict=True)) for row in cells[2:]]
    return rows  # type: ignore[return-value]


def test_the_readme_lists_games_seats_and_bots() -> None:
    rows: Any = table((ROOT / "README.md").read_text(), "game")
    listed = [row for row in rows if "bots, besides `random`" in row]
    assert [row["game"].strip("`") for row in listed] == list(registry.GAMES)
    for row in listed:
        game = registry.game(row["game"].strip("`"))
        numbers = [int(number) for number in re.findall(r"\d", row["seats"])]
        assert (numbers[0], numbers[-1]) == (game.seats[0], game.seats[-1])
        assert ("random", *row["bots, besides `random`"].split(", ")) == bots.names(game.id)


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_a_rules_page_lists_options_and_variants(game_id: str) -> None:
    game = registry.game(game_id)
    text = (ROOT / "docs" / "rules" / f"{game_id}.md").read_text()
    found: dict[str, tuple[str, str]] = {}
    rows: Any = table(text, "option")
    for row in rows:
        names = re.findall(r"`(\w+)`", row["option"])
        default = row["default"].replace("`", "").replace('"', "")
        for number, name in enumerate(names):
            allowed = row.get("range", row.get("allowed", ""))
            found[name] = (default.split(", ")[number] if len(names) > 1 else default, allowed)
    assert list(found) == [option.name for option in game.options]
    for option in game.options:
        default, allowed = found[option.name]
        told = option.default if isinstance(option.default, str) else json.dumps(option.default)
        assert default == told, option.name
        if option.kind == "int":
            ends = re.match(r"(-?\d+)(?:-|\.\.| to )(-?\d+|\w+)", allowed)
            assert ends, option.name
            assert int(ends[1]) == option.low, option.name
            assert not ends[2].isdigit() or int(ends[2]) == option.high, option.name
        elif option.kind == "text":
            assert tuple(allowed.replace("`", "").split(", ")) == option.choices, option.name
    assert variants_of(text) == variants_told(game)


def variants_of(text: str) -> dict[str, dict[str, str]]:
    """The variants that a page names, with their options as text."""
    _, _, part = text.partition("Variants: ")
    part = part.split("\n\n")[0]
    found: dict[str, dict[str, str]] = {}
    base = ""
    for under, name, inside in re.findall(r"on top of (?:all of )?`(\w+)`|`(\w+)`(?: =)? \{([^}]*)\}", part):
        base = under or base
        if name:
            plain = inside.replace("`", "").replace('"', "").replace(":", "")
            pairs = [pair.split(" ", 1) for pair in re.split(r", (?=[a-z])", plain) if pair]
            found[name] = found.get(base, {}) | {key: value.replace(" ", "") for key, value in pairs}
    return found


def variants_told(game: Game) -> dict[str, dict[str, str]]:
    return {
        name: {
            key: value if isinstance(value, str) else json.dumps(value).replace(" ", "")
            for key, value in changes.items()
        }
        for name, changes in game.variants.items()
    }


def test_exit_codes_are_told_as_the_program_has_them() -> None:
    import cli.ending
    import cli.main

    (told,) = re.findall(
        r"^- Exit codes: (.*?)\. `--debug`", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert re.findall(r"\b\d+\b", told) == re.findall(r"\b\d+\b", inspect.getdoc(cli.main) or "")
    assert {cli.ending.INTERRUPTED, cli.main.CLOSED, cli.ending.TERMINATED} == {130, 141, 143}
