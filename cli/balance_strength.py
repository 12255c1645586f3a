"""``hilltop balance --strength``: does the verdict on fairness hold as play gets better?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.arguments import readable, whole
from cli.output import Column, Format, Table, number, percent, print_tables

if TYPE_CHECKING:
    from tournament.balance.strength import Level
    from tournament.execution import Executor
    from tournament.plan import Plan


def play(
    game: str,
    chosen: list[tuple[str, Any]],
    players: int | None,
    matches: int,
    seed: int,
    margin: float,
    asked: tuple[str, str, str],
    executor: Executor,
    db: Path | None,
    dry_run: bool,
    form: Format,
) -> None:
    """The verdict on fairness at each strength of play."""
    from cli.balance import played
    from cli.tables import plan_table
    from engine.errors import UsageError, listed
    from engine.playouts import MOST_PLAYOUTS
    from storage.store import writing
    from tournament import run as runner
    from tournament.balance import strength
    from tournament.plan import MAX_MATCHES, plan_variants

    seconds, given = strength.seconds_of(asked[0]), [word for word in asked[2].split(",") if word.strip()]
    bots = strength.bots(game, whole(asked[1], "playouts", 1, MOST_PLAYOUTS))
    if given and len(given) != len(bots):
        raise UsageError(f"deals cannot be '{asked[2]}'; write one number for each of {listed(strength.STRENGTHS)}")
    fixed = [whole(word, "deals", 1, MAX_MATCHES) for word in given]
    plans = [plan_variants(game, bot, chosen, players, matches, seed) for bot in bots]
    if not fixed:
        for plan in plans:
            runner.prepare(plan)
        fixed = strength.plan_deals(plans, seconds, max(1, executor.workers))
    plans = [
        plan_variants(game, bot, chosen, players, deals * len(plan.lineups), seed)
        for bot, deals, plan in zip(bots, fixed, plans, strict=True)
    ]
    if dry_run:
        print_tables([plan_table(plan, name) for plan, name in zip(plans, strength.STRENGTHS, strict=True)], form, {})
        return
    found = []
    with writing(readable(db)) as store:
        for name, bot, plan in zip(strength.STRENGTHS, bots, plans, strict=True):
            found += strength.levels(name, bot, played(store, plan, executor).counted, margin)
    print_tables(_tables(plans[0], found, fixed), form, {"game": game, "margin": margin, "deals": fixed})


def _tables(plan: Plan, found: Sequence[Level], deals: Sequence[int]) -> list[Table]:
    """What each variant comes to from random to searching play, and the numbers behind it."""
    from tournament.balance.strength import sentence

    by_variant = {one.variant: [other for other in found if other.variant == one.variant] for one in found}
    said = [{"variant": name, "summary": sentence(name, levels)} for name, levels in by_variant.items()]
    rows = [
        {
            "variant": one.variant,
            "strength": one.strength,
            "bot": one.bot,
            "deals": one.deals,
            "value": one.estimate.value,
            "low": one.estimate.low,
            "high": one.estimate.high,
            "verdict": one.verdict,
            "note": one.note,
            "run": one.run,
        }
        for levels in by_variant.values()
        for one in levels
    ]
    together = plan.game.cooperative
    columns = [
        *([Column("variant")] if len(by_variant) > 1 else []),
        Column("strength"),
        Column("bot"),
        Column("deals", show=number(), right=True),
        Column("value", "won %" if together else "from even %", percent(2), right=True),
        Column("low", "95 %", percent(2), right=True, upto="high"),
        *([] if together else [Column("verdict"), Column("note")]),
    ]
    notes = [f"To repeat: --deals {','.join(map(str, deals))}; how many deals was planned before the first match."]
    title = "Deals won" if together else "Furthest seat from even"
    return [
        Table(
            f"Balance of {plan.game.title} as play gets better",
            [Column("summary")],
            said,
            [],
            "summary",
            ("variant", "summary"),
        ),
        Table(title, columns, rows, [*notes, *plan.notices], "levels", tuple(rows[0])),
    ]
