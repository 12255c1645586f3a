"""Whole matches in JSON, and stored matches played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bots.bot import Entrant
from engine.errors import HilltopError, listed
from engine.faults import ILLEGAL, KINDS, MEDDLED, NAMES, RAISED, WITHDRAWN
from engine.game import Game, Options
from engine.guard import Guard
from engine.limits import BUDGET
from engine.loop import fault_of
from engine.match import Match
from storage.store import StoredRun
from tournament.plan import Lineup, Plan
from tournament.worker import compile_bot, told

SCHEMA = "hilltop-trace/1"
Json = dict[str, Any]


def trace(
    game: Game,
    variant: str,
    options: Options,
    bots: Sequence[Entrant],
    seed: int,
    number: int,
    legal: bool = False,
    positions: bool = False,
    trusted: bool = False,
    budget: int = BUDGET,
    guards: Sequence[Guard] | None = None,
) -> Json:
    """Match ``number`` of a seed as a trace (``docs/notation.md``): deal ``number``, ``bots`` in seat order.

    With ``legal`` each decision lists the legal moves, with ``positions`` each step the position after it.
    """
    match = Match(game, options, len(bots))
    match.deal(seed, number)
    document = opening(match, variant, seed, number, [bot.spec for bot in bots])
    for bot in bots:
        compile_bot(game, match.rules, bot, trusted)
    guards = guards or [bot.guard(game, trusted, budget) for bot in bots]
    while not match.is_over():
        seat = match.to_act()
        if seat is None:
            step = match.draw()
        else:
            code = choice_of(match, bots[seat].spec, guards[seat])
            step = {"by": seat, **match.write_move(code)}
            if legal:
                step["legal"] = match.legal()
            match.apply(code)
        if positions:
            step["after"] = match.position()
        document["steps"].append(step)
    return document | {"end": match.position(), "result": match.result()}


def opening(match: Match, variant: str, seed: int, number: int, bots: Sequence[str]) -> Json:
    """The trace of a match that has just been dealt, without steps."""
    return {
        "schema": SCHEMA,
        "game": match.game.id,
        "variant": variant,
        "rules": match.options,
        "players": match.players,
        "seed": str(seed),
        "match": number,
        "bots": list(bots),
        "start": match.position(),
        "steps": [],
    }


def choice_of(match: Match, bot: str, guard: Guard) -> int:
    """The move that a bot takes; raises HilltopError if it does something wrong."""
    luck = match.luck.copy()
    choice, count = match.choice(guard.decide, guard.params)
    if 0 <= choice < count:
        return match.legal_codes(guard.params)[choice]
    seat = match.to_act()
    assert seat is not None
    kind = fault_of(choice)
    what, error = KINDS[NAMES[kind]], None
    match.legal_codes(guard.params)
    view = match.observe(seat)
    if kind == ILLEGAL:
        what += f": {choice} of {count}"
    elif kind == RAISED:
        error = guard.error(view, match.rules, match.moves, count, guard.params, luck[seat])
        what += f": {told(error) if error else 'but not when asked again'}"
    elif kind == MEDDLED:
        what += f": {listed(guard.changed(view, match.rules, match.moves, count))}"
    raise Spoiled(bot, seat, what) from error


class Spoiled(HilltopError):
    """A bot has spoiled the match; ``what``: how."""

    def __init__(self, bot: str, seat: int, what: str) -> None:
        super().__init__(f"bot {bot} in seat {seat} {what}")
        self.what = what


def spoiled(plan: Plan, lineup: Lineup, deal: int, guards: Sequence[Guard]) -> str:
    """What goes wrong in a match, from when a bot spoils it."""
    match = Match(plan.game, plan.variants[lineup.variant].options, plan.players)
    match.deal(plan.seed, deal)
    while not match.is_over():
        seat = match.to_act()
        if seat is None:
            match.draw()
            continue
        try:
            code = choice_of(match, plan.names[lineup.entrants[seat]], guards[seat])
        except Spoiled as error:
            return error.what
        match.apply(code)
    return "not when played again"


def traced(plan: Plan, number: int, positions: bool, guards: Sequence[Guard] | None = None) -> Json:
    """The trace of a match of a plan."""
    deal, lineup = plan.locate(number)
    variant = plan.variants[lineup.variant]
    bots = [plan.entrants[entrant] for entrant in lineup.entrants]
    document = trace(
        plan.game, variant.name, variant.options, bots, plan.seed, deal,
        positions=positions, trusted=plan.trusts, budget=plan.budget, guards=guards,
    )  # fmt: skip
    return document | {"match": number}


def replay(plan: Plan, run: StoredRun, row: Json, number: int, positions: bool = False) -> Json:
    """The trace of a stored match, played again from its seed; raises HilltopError if it ends differently."""
    if -1 - row["reason"] == WITHDRAWN:
        raise HilltopError(f"match {number} of run {run.id} was not played: a bot in it had been withdrawn")
    if plan.apart:
        from tournament.apart import Apart

        document: Json = Apart(plan.settings).trace(number, positions)
    else:
        document = traced(plan, number, positions)
    result = document["result"]
    packed = sum(rank * 10**seat for seat, rank in enumerate(result["ranks"]))
    scores = [row[f"score{seat}"] for seat in range(plan.players)]
    reason = plan.game.state.REASONS[row["reason"]] if row["reason"] >= 0 else None
    if (packed, result["scores"], result["reason"]) != (row["ranks"], scores, reason):
        raise HilltopError(
            f"match {number} of run {run.id} ends differently when played again: it was stored as {scores} by "
            f"{reason or 'an illegal choice'} and is now {result['scores']} by {result['reason']}"
        )
    return document


def as_text(document: Json, status: Callable[[Json], str] | None = None) -> list[str]:
    """A trace as lines for people; ``status`` tells what matters of a position."""
    rules = ", ".join(f"{name} {plain(value)}" for name, value in document["rules"].items())
    lines = [
        f"{document['game']}, {document['variant']}, match {document['match']} of seed {document['seed']}",
        *(f"seat {seat}: {bot}" for seat, bot in enumerate(document["bots"])),
        f"rules: {rules}",
        "start:",
        *(f"  {name}: {plain(value)}" for name, value in document["start"].items()),
        "",
    ]
    width = max(len(bot) for bot in document["bots"])
    for number, step in enumerate(document["steps"], start=1):
        after = step.get("after")
        note = f"   [{status(after)}]" if status and after else ""
        if "chance" in step:
            lines.append(f"{number:4}.  {'chance'.ljust(width + 3)} {action(step, 'chance')}{note}")
        else:
            who = f"{step['by']}: {document['bots'][step['by']].ljust(width)}"
            lines.append(f"{number:4}.  {who} {action(step, 'move')}{note}")
    result = document["result"]
    lines += ["", f"result: {', '.join(f'{name} {plain(value)}' for name, value in result.items())}"]
    return lines


def action(step: Json, key: str) -> str:
    """A move or a chance event in words."""
    shown = {name: value for name, value in step.items() if name not in ("by", key, "legal", "after")}
    return " ".join([str(step[key]), *(f"{name} {plain(value)}" for name, value in shown.items())])


def plain(value: Any) -> str:
    """JSON without its punctuation."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "[" + " ".join(plain(entry) for entry in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} {plain(entry)}" for name, entry in value.items()) + "}"
    return str(value)
