"""Scenario files: rules as data, run against anything that plays a game step by step.

A scenario loads a position, takes steps (decisions, chance events, checks, steps that must be refused)
and compares what the game then says with what the file expects. The format is described in
``docs/notation.md``. The runner knows no game: it drives a :class:`Table`, which the compiled engine
(:class:`engine.match.Match`) and the slow references under ``tests`` both are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.errors import HilltopError
from engine.text import read_text

SCHEMA = "hilltop-scenarios/1"


class Table(Protocol):
    """One match under way, driven by JSON. ``load`` and ``step`` raise ValueError and change nothing on refusal."""

    unordered: frozenset[str]  # names of the lists that are sets

    def load(self, position: dict[str, Any]) -> None: ...
    def step(self, step: dict[str, Any]) -> None: ...
    def position(self) -> dict[str, Any]: ...
    def view(self, seat: int) -> dict[str, Any]: ...
    def to_act(self) -> int | None: ...
    def legal(self) -> list[dict[str, Any]]: ...
    def result(self) -> dict[str, Any] | None: ...


@dataclass(frozen=True)
class Failure:
    """Why one scenario failed: its id, the step (None for loading and the final expectations), what differed."""

    scenario: str
    step: int | None
    what: str

    def __str__(self) -> str:
        where = "at the end" if self.step is None else f"at step {self.step}"
        return f"{self.scenario}: {where}: {self.what}"


def read_scenarios(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """The game and the scenarios of a file; raises HilltopError with what is wrong with it."""
    try:
        document = json.loads(read_text(path))
    except OSError as error:
        raise HilltopError(f"cannot read {path}: {(error.strerror or 'unknown trouble').lower()}") from error
    except ValueError as error:  # no text, no JSON, or a number of thousands of digits
        raise HilltopError(f"{path} is not JSON: {error}") from error
    except RecursionError:
        raise HilltopError(f"{path} is nested too deeply to be a scenario file") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise HilltopError(f"{path} is not a scenario file; its schema must be {SCHEMA}")
    scenarios = document.get("scenarios")
    if not isinstance(scenarios, list) or not isinstance(document.get("game"), str):
        raise HilltopError(f"{path} must name a game and hold a list of scenarios")
    if not scenarios:
        raise HilltopError(f"{path} holds no scenarios; write one or more, or leave the file out")
    for number, scenario in enumerate(scenarios):
        missing = {"id", "players", "start", "steps"} - set(scenario if isinstance(scenario, dict) else ())
        if missing:
            raise HilltopError(f"scenario {number} of {path} has no {sorted(missing)[0]}")
        if not isinstance(scenario["id"], str) or not scenario["id"].strip():
            raise HilltopError(f"scenario {number} of {path} has the id {_text(scenario['id'])}; write a text")
    return document["game"], scenarios


def run_scenario(scenario: dict[str, Any], make_table: Callable[[dict[str, Any], int], Table]) -> Failure | None:
    """Play one scenario on ``make_table(rules, players)``; None if everything held."""
    name = scenario["id"]
    odd = _odd_shape(scenario)
    if odd:
        return Failure(name, 0, odd)
    try:
        table = make_table(scenario.get("rules", {}), scenario["players"])
        table.load(scenario["start"])
    except ValueError as error:
        return Failure(name, 0, f"the start was refused: {error}")
    for number, step in enumerate(scenario["steps"], start=1):
        trouble = _take(table, step)
        if trouble:
            return Failure(name, number, trouble)
    for trouble in differences(table, scenario.get("expect", {})):
        return Failure(name, None, trouble)
    return None


def _odd_shape(scenario: dict[str, Any]) -> str | None:
    """What of a scenario's parts is no object or list where it must be one."""
    for key, kind in (("rules", dict), ("start", dict), ("steps", list), ("expect", dict)):
        if not isinstance(scenario.get(key, kind()), kind):
            return f"{key} must be {'an object' if kind is dict else 'a list'}, not {_text(scenario[key])}"
    for number, step in enumerate(scenario["steps"], start=1):
        if not isinstance(step, dict):
            return f"step {number} must be an object, not {_text(step)}"
        if not isinstance(step.get("check", {}), dict):
            return f"check of step {number} must be an object, not {_text(step['check'])}"
    for wanted in (scenario.get("expect", {}), *(step.get("check", {}) for step in scenario["steps"])):
        for key, value in wanted.items():
            if key.startswith("legal") and not isinstance(value, list):
                return f"{key} must be a list of moves, not {_text(value)}"
            if key.startswith("view") and key[4:].isdigit() and int(key[4:]) >= scenario["players"]:
                return f"there is no {key}: seats are 0 to {scenario['players'] - 1}"
    return None


def _take(table: Table, step: dict[str, Any]) -> str | None:
    if "check" in step:
        return next(differences(table, step["check"]), None)
    plain = {key: value for key, value in step.items() if key not in ("illegal", "why")}
    before = table.position()
    try:
        table.step(plain)
    except ValueError as error:
        if not step.get("illegal"):
            return f"{_text(plain)} was refused: {error}"
        return None if table.position() == before else f"refusing {_text(plain)} changed the position"
    return (
        f"{_text(plain)} was accepted, but is illegal ({step.get('why', 'no reason given')})"
        if step.get("illegal")
        else None
    )


def differences(table: Table, wanted: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each field of ``wanted`` that does not hold at ``table``."""
    position = table.position()
    for key, value in wanted.items():
        if key == "to_act":
            got: Any = table.to_act()
        elif key == "result":
            got = table.result()
        elif key == "legal":
            missing, extra = _compare_moves(table.legal(), value)
            if missing or extra:
                yield f"legal: missing {_text(missing)}, unexpected {_text(extra)}"
            continue
        elif key == "legal_includes":
            missing, _ = _compare_moves(table.legal(), value)
            if missing:
                yield f"legal_includes: missing {_text(missing)}"
            continue
        elif key == "legal_excludes":
            missing, _ = _compare_moves(table.legal(), value)
            present = [move for move in value if move not in missing]
            if present:
                yield f"legal_excludes: {_text(present)} is legal"
            continue
        elif key.startswith("view") and key[4:].isdigit():
            yield from _mismatches(key, table.view(int(key[4:])), value, table.unordered)
            continue
        elif key in position:
            got = position[key]
        else:
            got = _of_pile(position, key, value)
        yield from _mismatches(key, got, value, table.unordered)


def _of_pile(position: dict[str, Any], key: str, value: Any) -> Any:
    """``deck_top`` and ``deck_count`` of a pile ``deck`` (any pile of the position)."""
    pile, _, part = key.rpartition("_")
    if pile in position and part == "count":
        return len(position[pile])
    if pile in position and part == "top" and isinstance(value, list):
        return position[pile][: len(value)]
    return None


def _compare_moves(got: list[Any], wanted: list[Any]) -> tuple[list[Any], list[Any]]:
    got_texts, wanted_texts = [_text(move) for move in got], [_text(move) for move in wanted]
    missing = [move for move, text in zip(wanted, wanted_texts, strict=True) if text not in got_texts]
    extra = [move for move, text in zip(got, got_texts, strict=True) if text not in wanted_texts]
    if not missing and not extra and len(set(got_texts)) != len(got_texts):
        extra = [move for move, text in zip(got, got_texts, strict=True) if got_texts.count(text) > 1]
    return missing, extra


def _mismatches(path: str, got: Any, wanted: Any, unordered: frozenset[str]) -> Iterator[str]:
    """Objects are compared by the fields that ``wanted`` names, all else exactly (sets without order)."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key, value in wanted.items():
            inner = got[key] if key in got else _of_pile(got, key, value)
            if inner is None and key not in got:
                yield f"{path}.{key} is missing"
            else:
                yield from _mismatches(f"{path}.{key}", inner, value, unordered)
        return
    name = path.rpartition(".")[2]
    if _text(_canonical(got, name, unordered)) != _text(_canonical(wanted, name, unordered)):
        yield f"{path} is {_text(got)}, expected {_text(wanted)}"


def _canonical(value: Any, name: str, unordered: frozenset[str]) -> Any:
    """Sets in a fixed order. ``dice[]`` among the unordered names: the lists inside ``dice`` are sets, it is not."""
    if isinstance(value, dict):
        return {key: _canonical(inner, key, unordered) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    plain = [_canonical(inner, f"{name}[]", unordered) for inner in value]
    return sorted(plain, key=_text) if name in unordered else plain


def same(one: Any, other: Any, unordered: frozenset[str]) -> bool:
    """Are two positions or views equal, sets without order?"""
    return _text(_canonical(one, "", unordered)) == _text(_canonical(other, "", unordered))


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
