"""The tables of results: columns, headings and the sentences below."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cli.output import Column, Table, interval, number, percent
from storage.store import StoredRun
from tournament.intervals import elo_interval
from tournament.plan import Plan, restore
from tournament.standings import Leaderboard, Standing, Tally


def plan_table(plan: Plan) -> Table:
    """What a run would play."""
    facts = {
        "game": plan.game.id,
        "variants": ", ".join(variant.label for variant in plan.variants),
        "seats": plan.players,
        "bots": ", ".join(entrant.spec for entrant in plan.entrants),
        "line-ups": len(plan.lineups),
        "deals": plan.deals,
        "matches": plan.matches,
        "chunks": plan.chunks,
        "seed": plan.seed,
        "fingerprint": plan.fingerprint,
    }
    return _facts("Plan", facts)


def settings_table(run: StoredRun) -> Table:
    """How a stored run was made."""
    settings = run.settings
    variants = [
        variant["name"] + "".join(f" {key}={json.dumps(value)}" for key, value in variant["rules"].items())
        for variant in settings["variants"]
    ]
    facts = {
        "run": run.id,
        "game": run.game,
        "variants": ", ".join(variants),
        "seats": settings["players"],
        "bots": ", ".join(settings["bots"]),
        "seed": settings["seed"],
        "matches": run.matches,
        "stored": run.done,
        "version": run.version,
        "fingerprint": run.fingerprint,
        "created": f"{run.created.isoformat(' ')} UTC",
    }
    return _facts("Run", facts)


def _facts(title: str, facts: dict[str, Any]) -> Table:
    show = Column("value", " ", show=lambda value: f"{value:,}" if isinstance(value, int) else str(value))
    rows = [{"what": name, "value": value} for name, value in facts.items()]
    return Table(title, [Column("what", " "), show], rows)


def rating_table(board: Leaderboard) -> Table:
    """The leaderboard over one or more runs."""
    rows = [
        {"rank": rank, "rating": standing.conservative} | {key: getattr(standing, key) for key in _STANDING_KEYS}
        for rank, standing in zip(_ranks(board.standings), board.standings, strict=True)
    ]
    columns = [
        Column("rank", right=True),
        Column("bot"),
        Column("rating", show=number(2), right=True),
        Column("mu", show=number(2), right=True),
        Column("sigma", show=number(3), right=True),
        Column("order", show=number(3), right=True),
        Column("matches", show=number(), right=True),
        Column("wins", show=number(), right=True),
        Column("draws", show=number(), right=True),
        Column("losses", show=number(), right=True),
        Column("share", "share %", percent(2), right=True),
        Column("interval", "95 %", interval(2), right=True),
        Column("first", "from seat 0 %", percent(2), right=True),
    ]
    if any(standing.none for standing in board.standings):
        columns.insert(-3, Column("none", "nobody won", number(), right=True))
    runs, model = board.runs, board.model
    title = f"Ratings in {runs[0].game}, {'run' if len(runs) == 1 else 'runs'} {', '.join(run.id for run in runs)}"
    notes = [
        f"TrueSkill: rating = mu - 3 sigma; mu {model.mu:g}, sigma {model.sigma:.4g}, beta {model.beta:.4g}, "
        f"tau {model.tau:g}, draw probability {model.draw_probability:.4f}.",
        "order: change of mu, from the mean of all bots, if the same matches are taken in reverse.",
        "share: part of the other seats beaten, ties counting half; its interval is over deals.",
    ]
    if any(
        len(set(lineup.entrants)) < len(lineup.entrants) for run in runs for lineup in restore(run.settings).lineups
    ):
        notes.append("A bot that sits in several seats of a match is counted once a seat.")
    faults = {standing.bot: standing.faults for standing in board.standings if standing.faults}
    if faults:
        spoiled = ", ".join(f"{bot} {count:,}" for bot, count in faults.items())
        notes.append(f"Matches spoiled by an illegal choice, counted nowhere: {spoiled}.")
    return Table(title, columns, rows, notes + notices(runs))


_STANDING_KEYS = (
    "bot", "mu", "sigma", "order", "matches", "wins", "draws", "losses", "none", "share", "interval", "first", "faults"
)  # fmt: skip


def _ranks(standings: Sequence[Standing]) -> list[int]:
    """1 for the best; equal ratings share a rank."""
    ratings = [standing.conservative for standing in standings]
    return [1 + sum(other > rating for other in ratings) for rating in ratings]


def notices(runs: Sequence[StoredRun]) -> list[str]:
    """What must be said wherever results of these runs are shown (guessed rules, stand-in decks)."""
    said = []
    for run in runs:
        plan = restore(run.settings)
        said += [plan.game.notice(variant.options) for variant in plan.variants if plan.game.notice]
    return list(dict.fromkeys(text for text in said if text))


def pair_tables(tally: Tally) -> list[Table]:
    """Each bot against each other, a table a variant."""
    plan = tally.plan
    tables = []
    for variant, rules in enumerate(plan.variants):
        rows = []
        for one, bot in enumerate(plan.entrants):
            for two, other in enumerate(plan.entrants):
                deals = int(tally.pairs[variant, one, two, 0])
                if one == two or not deals:
                    continue
                share = tally.pair_share(variant, one, two)
                level = elo_interval(share, limit=9999.0)
                rows.append(
                    {
                        "bot": bot.spec,
                        "against": other.spec,
                        "deals": deals,
                        "share": float(share.estimate),
                        "interval": [float(share.low), float(share.high)],
                        "elo": float(level.estimate),
                        "elo_interval": [float(level.low), float(level.high)],
                    }
                )
        title = "Each against each" + (f", {rules.label}" if len(plan.variants) > 1 else "")
        columns = [
            Column("bot"),
            Column("against"),
            Column("deals", show=number(), right=True),
            Column("share", "share %", percent(2), right=True),
            Column("interval", "95 %", interval(2), right=True),
            Column("elo", "Elo", number(), right=True),
            Column("elo_interval", "95 %", lambda ends: f"{ends[0]:,.0f} to {ends[1]:,.0f}", right=True),
        ]
        notes = ["share: ahead 1, tied 1/2, behind 0; intervals over deals, each played from all seatings."]
        tables.append(Table(title, columns, rows, notes))
    return tables
