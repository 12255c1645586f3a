"""The command that plays a stored run again."""

from __future__ import annotations

import itertools
import shlex
from typing import Any

from engine.errors import HilltopError
from engine.game import Option
from tournament.plan import Plan, compared
from tournament.statistics.facts import swept


def command(plan: Plan) -> str | None:
    """``hilltop balance ...`` with the settings of a plan; None if its variants are none that the options can name."""
    settings = plan.settings
    asked = _variants(plan)
    if asked is None:
        return None
    words = ["hilltop", "balance", plan.game.id, *asked]
    words += ["--bots", ",".join(settings["bots"])]
    if plan.players != plan.game.default_seats:
        words += ["--players", str(plan.players)]
    words += ["--matches", str(settings["matches"]), "--seed", str(plan.seed)]
    if not plan.telemetry:
        words.append("--lean")
    return shlex.join(words)


def _variants(plan: Plan) -> list[str] | None:
    """``--variants``, ``--rule`` and ``--sweep`` that make the plan's variants in their order."""
    wanted = [(variant.name, variant.given) for variant in plan.variants]
    names = list(dict.fromkeys(name for name, _ in wanted))
    several = swept([given for _, given in wanted])
    fixed = {name: value for name, value in wanted[0][1].items() if name not in several}
    rules = []
    for name, value in fixed.items():
        text = _text(plan.game.option(name), value)
        if text is None:
            return None
        rules.append(f"{name}={text}")
    texts = {name: _values(plan.game.option(name), values) for name, values in several.items()}
    for order in itertools.islice(itertools.permutations(several), 120):
        sweeps = [f"{name}={texts[name]}" for name in order]
        try:
            if compared(plan.game.id, names, rules, sweeps) == wanted:
                return (
                    ["--variants", ",".join(names)]
                    + [word for rule in rules for word in ("--rule", rule)]
                    + [word for sweep in sweeps for word in ("--sweep", sweep)]
                )
        except HilltopError:
            continue
    return None


def _values(option: Option, values: list[Any]) -> str:
    """Values as a sweep writes them."""
    if option.kind == "int" and len(values) > 2:
        steps = {high - low for low, high in itertools.pairwise(values)}
        if len(steps) == 1 and min(steps) > 0:
            step = steps.pop()
            return f"{values[0]}..{values[-1]}" + (f":{step}" if step > 1 else "")
    return "|".join(_text(option, value) or "" for value in values)


def _text(option: Option, value: Any) -> str | None:
    """A value as the command line takes it; None if there is no such text."""
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    try:
        return text if option.from_text(text) == value else None
    except (HilltopError, OSError):
        return None
