"""The tables of results: columns, headings and the sentences below."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from cli.output import Column, Row, Table, number, percent
from hilltop import rows
from tournament.statistics.counted import Pool
from tournament.statistics.question import Decision, standing
from tournament.statistics.rating import ELO_SCALE, ONLINE, TRUESKILL, Rated

if TYPE_CHECKING:
    from hilltop.api import Leaderboard, Run
    from tournament.plan import Plan

_PLAN = (
    Column("game"),
    Column("variants", show=", ".join),
    Column("seats"),
    Column("bots", show=", ".join),
    Column("lineups", "line-ups", number()),
    Column("deals", show=number()),
    Column("matches", show=number()),
    Column("seed"),
    Column("fingerprint"),
)


def plan_table(plan: Plan, key: str = "plan") -> Table:
    """What a run would play."""
    facts = {
        "game": plan.game.id,
        "variants": [variant.label for variant in plan.variants],
        "seats": plan.players,
        "bots": list(plan.names),
        "lineups": len(plan.lineups),
        "deals": plan.deals,
        "matches": plan.matches,
        "seed": plan.seed,
        "fingerprint": plan.fingerprint,
    }
    return Table("Plan", _PLAN, [facts], key=key, record=True)


_RUN = (
    Column("id", "run"),
    Column("game"),
    Column("variants", show=", ".join),
    Column("seats"),
    Column("bots", show=", ".join),
    Column("seed"),
    Column("matches", show=number()),
    Column("stored", show=number()),
    Column("version"),
    Column("fingerprint"),
    Column("digest"),
    Column("created", "created (UTC)", lambda moment: moment.rstrip("Z").replace("T", " ")),
)


def run_table(run: Run) -> Table:
    """How a stored run was made."""
    facts = rows.run(run.counted)
    return Table("Run", _RUN, [facts], key="run", fields=tuple(facts), record=True)


_FAULTS = (
    Column("bot"),
    Column("kind"),
    Column("match", show=number(), right=True),
    Column("seat", right=True),
    Column("said", "what happened"),
    Column("command"),
)


_NOT_PLAYED = Column("withdrawn", "not played", number(), right=True)


def faults_table(run: Run) -> Table:
    """What bots of a run did wrong: the first faults of each, with the command that shows one."""
    return Table("Faults", _FAULTS, rows.faults(run.counted), key="faults", fields=tuple(rows.FAULTS))


class Boards(NamedTuple):
    """Tables, and what JSON says beside them."""

    tables: list[Table]
    facts: Row


def boards(board: Leaderboard) -> Boards:
    """The leaderboard over runs of one game."""
    pool, rated = board
    asked = standing(pool.runs[0]) if len(pool.runs) == 1 else None
    tables = [_ratings_table(pool, rated, asked)]
    if pool.facts.cooperative:
        tables += _teams_tables(pool)
    facts = {
        "game": pool.facts.game,
        "runs": [one.run.id for one in pool.runs],
        "method": rated.method,
        "model": rated.model,
        "fit": rows.fit(pool, rated),
        "seats": [{"seat": one.seat, "mu": one.mu, "mu_low": one.low, "mu_high": one.high} for one in rated.seats],
        "until": None if asked is None else asdict(asked) | {"answer": list(asked.answer)},
        "notices": list(pool.notices),
        "ratings": [],
        "teams": [],
    }
    return Boards(tables, facts)


def _ratings_table(pool: Pool, rated: Rated, asked: Decision | None = None) -> Table:
    """The leaderboard."""
    found = [row | {"ranks": _ranks(row)} for row in rows.ratings(pool, rated)]
    runs = [one.run.id for one in pool.runs]
    places = 0 if rated.method == ELO_SCALE else 2
    columns = [
        Column("ranks", "rank", right=True),
        Column("bot"),
        Column("mu", "Elo" if rated.method == ELO_SCALE else "mu", number(places), right=True),
        Column("mu_low", "95 %", number(places), right=True, upto="mu_high"),
    ]
    if rated.method == ONLINE:
        columns += [Column("sigma", show=number(3), right=True), Column("order", show=number(3), right=True)]
    else:
        columns.append(Column("better", "better than next %", _certainty, right=True))
    columns.append(Column("conservative", show=number(places), right=True))
    notes = [*([asked.sentence] if asked else []), *_rating_notes(pool, rated), *rated.notes]
    if pool.facts.cooperative:
        notes.append("Teams are compared on each deal by score; a loss counts less than any win.")
    else:
        columns += [
            Column("matches", show=number(), right=True),
            Column("wins", show=number(), right=True),
            Column("draws", show=number(), right=True),
            Column("losses", show=number(), right=True),
            *([Column("none", "nobody won", number(), right=True)] if any(row["none"] for row in found) else []),
            *([Column("faults", show=number(), right=True)] if any(row["faults"] for row in found) else []),
            *([_NOT_PLAYED] if any(row["withdrawn"] for row in found) else []),
            Column("share", "share %", percent(2), right=True),
            Column("share_low", "95 %", percent(2), right=True, upto="share_high"),
            Column("share_first", "from seat 0 %", percent(2), right=True),
        ]
        notes.append("share: part of the other seats beaten, ties counting half; its interval is over deals.")
        if any(len(set(lineup)) < len(lineup) for one in pool.runs for lineup in one.facts.lineups):
            notes.append("A bot that sits in several seats of a match is counted once a seat.")
    title = f"Ratings in {pool.facts.game}, {'run' if len(runs) == 1 else 'runs'} {', '.join(runs)}"
    return Table(title, columns, found, [*notes, *pool.notices], "ratings", tuple(rows.RATINGS))


def _ranks(row: Row) -> str:
    """The ranks that the data leave open."""
    best, worst = row["rank"], row["rank_worst"]
    return f"{best}" if best == worst else f"{best} to {worst}"


def _certainty(chance: float | None) -> str:
    """A probability in per cent, never rounded to certainty."""
    if chance is None:
        return ""
    return "> 99.9" if chance > 0.999 else "< 0.1" if chance < 0.001 else f"{100 * chance:.1f}"


def _rating_notes(pool: Pool, rated: Rated) -> list[str]:
    """What the numbers are, and how well they fit."""
    model = rated.model
    drawn = f"draw probability {model['draw_probability']:.4f}"
    if rated.method == ELO_SCALE:
        notes = [f"Elo by Davidson's model over all outcomes at once, the field's mean at {model['mu']:g}; {drawn}."]
    else:
        word = "over all outcomes at once" if rated.method == TRUESKILL else "match by match, in their order"
        numbers = f"mu {model['mu']:g}, sigma {model['sigma']:.4g}, beta {model['beta']:.4g}, tau {model['tau']:g}"
        notes = [f"TrueSkill {word}: {numbers}, {drawn}."]
    if rated.method != ONLINE:
        notes.append(
            "rank: the ranks that the data leave open, all together with 95 % confidence; conservative: the lower end "
            "of the 95 % interval, which is over deals."
        )
    if rated.seats:
        shown = ", ".join(
            f"seat {one.seat} {one.mu:+.2f}" + ("" if one.low is None else f" ({one.low:+.2f} to {one.high:+.2f})")
            for one in rated.seats
        )
        notes.append(f"Worth of a seat, beside the bot's rating: {shown}.")
    return notes + _fit_notes(pool, rated)


def _fit_notes(pool: Pool, rated: Rated) -> list[str]:
    found = rows.fit(pool, rated)
    if not found or found["explained"] is None:
        return []
    told = f"Fit: one number a bot explains {100 * found['explained']:.1f} % of what a table of pairs does"
    if found["bot"]:
        told += (
            f"; the largest misfit is {found['bot']} against {found['against']}, predicted "
            f"{100 * found['predicted']:.1f} %, observed {100 * found['observed']:.1f} %"
        )
    notes = [f"{told}."]
    if found["log_loss"] is not None:
        notes.append(
            f"Log loss on held-out deals: {found['log_loss']:.4f}; of a table of pairs {found['table_log_loss']:.4f}, "
            f"of even odds {found['even_log_loss']:.4f}."
        )
    return notes


def _teams_tables(pool: Pool) -> list[Table]:
    """What each team of a cooperative game achieved, a table a run."""
    every = rows.teams(pool)
    more = [key for key in every[0] if key not in rows.TEAMS] if every else []
    tables = []
    for one in pool.runs:
        found = [row for row in every if row["run"] == one.run.id]
        seen = [key for key in more if any(row[key] for row in found)]
        columns = [
            Column("team"),
            *([Column("variant")] if len(one.facts.variants) > 1 else []),
            Column("matches", show=number(), right=True),
            Column("win_rate", "won %", percent(2), right=True),
            Column("win_rate_low", "95 %", percent(2), right=True, upto="win_rate_high"),
            Column("score", "mean score", number(2), right=True),
            Column("score_low", "95 %", number(2), right=True, upto="score_high"),
            *(
                Column(key, key.removeprefix("medal_").replace("ended_", "ended: "), number(), right=True)
                for key in seen
            ),
        ]
        notes = ["mean score counts a loss as 0; intervals are over deals, which all teams share."]
        title = f"Teams in {one.facts.game}, run {one.run.id}"
        tables.append(Table(title, columns, found, notes, "teams", (*rows.TEAMS, *more)))
    return tables


def pair_tables(run: Run) -> list[Table]:
    """Each bot against each other, a table a variant."""
    every, labels = rows.pairs(run.counted), run.counted.facts.labels
    columns = [
        Column("bot"),
        Column("against"),
        Column("deals", show=number(), right=True),
        Column("share", "share %", percent(2), right=True),
        Column("share_low", "95 %", percent(2), right=True, upto="share_high"),
        Column("elo", "Elo", number(), right=True),
        Column("elo_low", "95 %", number(), right=True, upto="elo_high"),
    ]
    notes = ["share: ahead 1, tied 1/2, behind 0; intervals over deals, each played from all seatings."]
    return [
        Table(
            "Each against each" + (f", {label}" if len(labels) > 1 else ""),
            columns,
            [row for row in every if row["variant"] == label],
            notes,
            "pairs",
            tuple(rows.PAIRS),
        )
        for label in labels
    ]
