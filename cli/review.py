"""``hilltop review``: stored matches as search sees them: errors and luck told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.arguments import DatabaseOption, FormatOption, database, whole
from cli.output import Column, Format, Row, Table, number, percent, print_tables, say

if TYPE_CHECKING:
    from tournament.review import Decision, Reviewed

FIELDS = (
    "match", "ply", "seat", "bot", "verdict", "error", "error_se", "lost", "before", "before_se", "after", "after_se",
    "skill", "skill_se", "luck", "moves", "played", "best", "own", "view",
)  # fmt: skip


def command(
    run: Annotated[str, typer.Argument(help="A run's id, its beginning, or latest.")],
    match: Annotated[str | None, typer.Argument(help="Number of the match, from 0.", show_default=False)] = None,
    bot: Annotated[str | None, typer.Option("--bot", help="Review matches of this bot instead of one match.")] = None,
    worst: Annotated[str, typer.Option("--worst", help="With --bot: how many of its worst decisions to show.")] = "20",
    matches: Annotated[str, typer.Option("--matches", help="With --bot: how many of its matches.")] = "50",
    playouts: Annotated[str, typer.Option("--playouts", help="To find the best move, and again to judge it.")] = "1000",
    policy: Annotated[
        str, typer.Option("--policy", help="The bot that plays on.  [default: the game's best]", show_default=False)
    ] = "",
    db: DatabaseOption = None,
    form: FormatOption = Format.table,
) -> None:
    """Judge each decision of a stored match, or of many matches of a bot, by playouts from what the seat could know.

    A worth is the share of the other seats that a seat may expect to finish ahead of; of a team, the chance to win.
    """
    from cli.progress import Compiling
    from engine.errors import UsageError
    from engine.playouts import MOST_PLAYOUTS
    from engine.text import plural
    from storage.store import reading
    from tournament import review
    from tournament.plan import MAX_MATCHES
    from tournament.run import resume

    if (match is None) == (bot is None):
        raise UsageError("a review is of a match or of a bot; write hilltop review RUN MATCH, or RUN --bot BOT")
    most, shown = whole(matches, "matches", 1, MAX_MATCHES), whole(worst, "worst", 1, 10_000)
    tries = whole(playouts, "playouts", 10, MOST_PLAYOUTS)
    one = None if match is None else whole(match, "match", 0, MAX_MATCHES - 1)
    with reading(database(db)) as store:
        stored = store.run(run)
        if one is not None and one >= stored.done:
            raise stored.missing(one)
        plan = resume(store, stored)
    numbers = [one] if one is not None else list(review.matches_of(plan, bot or "", most))
    facts = {
        "run": stored.id,
        "game": plan.game.id,
        "policy": review.policy_of(plan.game, policy),
        "playouts": tries,
        "notices": list(plan.notices),
    }
    with Compiling(plan.game.title) as tell:
        review.prepare(plan, policy, tell)
    say(f"reviewing {plural(len(numbers), 'match')} of {plan.game.title}, {tries} playouts twice a decision")
    reviews = list(review.review(plan, numbers, policy, tries))
    told = [decision for each in reviews for decision in each.decisions]
    title = f"Decisions of match {one} of run {stored.id}"
    if bot is not None:
        told = review.worst(reviews, bot, shown)
        title = f"Worst decisions of {bot} in {plural(len(numbers), 'match')} of run {stored.id}"
    print_tables([_bots(reviews), *_seats(reviews, one), _decisions(title, told, bot is not None)], form, facts)


def _bots(reviews: list[Reviewed]) -> Table:
    from tournament.review import summary

    columns = [
        Column("bot"),
        Column("matches", show=number(), right=True),
        Column("decisions", show=number(), right=True),
        Column("error", "lost a decision %", percent(2), right=True),
        Column("mistakes", show=number(), right=True),
        Column("blunders", show=number(), right=True),
        Column("result", "result %", percent(), right=True),
        Column("result_se", "+-", percent(), right=True),
        Column("adjusted", "without luck %", percent(), right=True),
        Column("adjusted_se", "+-", percent(), right=True),
    ]
    notes = [
        "without luck: what the result would be on average, from what each decision was worth more or less than the "
        "policy's own; +- is a standard error over matches."
    ]
    return Table("Bots", columns, summary(reviews), notes, key="bots")


def _seats(reviews: list[Reviewed], one: int | None) -> list[Table]:
    rows: list[Row] = [
        {
            "match": told.match,
            "seat": seat,
            "bot": bot,
            "base": told.base[seat],
            "luck": told.luck[seat],
            "skill": told.skill[seat],
            "result": told.result[seat],
            "adjusted": told.adjusted[seat],
        }
        for told in reviews
        for seat, bot in enumerate(told.bots)
    ]
    columns = [Column("match", right=True), Column("seat", right=True), Column("bot")]
    columns += [
        Column(key, f"{key} %", percent(), right=True) for key in ("base", "luck", "skill", "result", "adjusted")
    ]
    notes = ["base + luck + skill = result. luck: the deal, draws, dice, and what others did. adjusted: without luck."]
    return [Table("Seats" if one is not None else "Matches", columns, rows, notes, key="seats")]


def _decisions(title: str, told: list[Decision], words: bool) -> Table:
    from tournament.review import in_words, move_in_words

    rows = [{key: getattr(one, key) for key in FIELDS} for one in told]
    columns = [Column("match", right=True)] if words else []
    columns += [
        Column("ply", right=True),
        Column("seat", right=True),
        *([] if words else [Column("bot"), Column("luck", "luck %", percent(), right=True)]),
        Column("before", "before %", percent(), right=True),
        Column("after", "after %", percent(), right=True),
        Column("error", "error %", percent(), right=True),
        Column("error_se", "+-", percent(), right=True),
        Column("verdict", show=lambda verdict: verdict or ""),
        Column("played", show=move_in_words),
        Column("best", "best found", move_in_words),
        *([Column("view", "what the seat knew", in_words)] if words else []),
    ]
    notes = [
        "before: worth of the best move found; after: of the move played; error: the difference, and its standard "
        "error. The best is found and judged on different playouts; what may be a mistake is judged on four times as "
        "many more."
    ]
    return Table(title, columns, rows, notes, key="decisions", fields=FIELDS)
