"""The tables of results: columns, headings and the sentences below."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cli.output import Column, Table, interval, number, percent
from engine.registry import game
from storage.store import Store, StoredRun
from tournament import teams
from tournament.intervals import elo_interval
from tournament.plan import Plan, restore
from tournament.standings import Leaderboard, Standing, Tally, bot_names, leaderboard, one_game, tally
from tournament.trueskill import Model


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


def boards(
    store: Store,
    runs: Sequence[StoredRun],
    draw_probability: float | None = None,
    tau: float = 0.0,
    pairs: bool = False,
) -> list[Table]:
    """The leaderboard over runs of one game; with ``pairs`` also each bot against each other, of every run."""
    one_game(runs)
    if game(runs[0].game).cooperative:
        names = bot_names(runs)
        model, ratings = teams.rate(store, runs, names, draw_probability, tau)
        return [
            _bots_table(runs, model, ratings),
            *(_teams_table(run, teams.standings(store, run)) for run in runs),
        ]
    tallies = [tally(store, run) for run in runs]
    tables = [_rating_table(leaderboard(store, runs, tallies, draw_probability, tau))]
    for counted in tallies if pairs else []:
        tables += pair_tables(counted)
    return tables


def _rating_table(board: Leaderboard) -> Table:
    """Bots that play against each other."""
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
    notes = [
        *_model_notes(model),
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
    return Table(_title(runs), columns, rows, notes + notices(runs))


def _title(runs: Sequence[StoredRun]) -> str:
    return f"Ratings in {runs[0].game}, {'run' if len(runs) == 1 else 'runs'} {', '.join(run.id for run in runs)}"


def _model_notes(model: Model) -> list[str]:
    return [
        f"TrueSkill: rating = mu - 3 sigma; mu {model.mu:g}, sigma {model.sigma:.4g}, beta {model.beta:.4g}, "
        f"tau {model.tau:g}, draw probability {model.draw_probability:.4f}.",
        "order: change of mu, from the mean of all bots, if the same matches are taken in reverse.",
    ]


def _bots_table(runs: Sequence[StoredRun], model: Model, ratings: Sequence[teams.BotRating]) -> Table:
    """Bots of a cooperative game, rated by what their teams score on the same deals."""
    rows = [
        {
            "rank": 1 + sum(other.conservative > bot.conservative for other in ratings),
            "bot": bot.bot,
            "rating": bot.conservative,
            "mu": bot.mu,
            "sigma": bot.sigma,
            "order": bot.order,
        }
        for bot in ratings
    ]
    columns = [
        Column("rank", right=True),
        Column("bot"),
        Column("rating", show=number(2), right=True),
        Column("mu", show=number(2), right=True),
        Column("sigma", show=number(3), right=True),
        Column("order", show=number(3), right=True),
    ]
    notes = [*_model_notes(model), "Bots are ranked on each deal by score; a loss counts less than any win."]
    return Table(_title(runs), columns, rows, notes + notices(runs))


def _teams_table(run: StoredRun, standings: Sequence[teams.TeamStanding]) -> Table:
    """What each team of a cooperative game achieved."""
    medals = list(dict.fromkeys(medal for team in standings for medal in team.medals))
    lost = list(dict.fromkeys(reason for team in standings for reason in team.reasons))
    rows = []
    for standing in standings:
        row = {key: getattr(standing, key) for key in _TEAM_KEYS}
        row |= {medal: standing.medals.get(medal, 0) for medal in medals}
        rows.append(row | {f"ended_{reason}": standing.reasons.get(reason, 0) for reason in lost})
    columns = [
        Column("team"),
        *([Column("variant")] if len({standing.variant for standing in standings}) > 1 else []),
        Column("matches", show=number(), right=True),
        Column("win_rate", "won %", percent(2), right=True),
        Column("win_interval", "95 %", interval(2), right=True),
        Column("score", "mean score", number(2), right=True),
        Column("score_interval", "95 %", _plain_interval, right=True),
        *(Column(medal, show=number(), right=True) for medal in medals),
        *(Column(f"ended_{reason}", f"ended: {reason}", number(), right=True) for reason in lost),
    ]
    notes = ["mean score counts a loss as 0; intervals are over deals, which all teams share."]
    return Table(f"Teams in {run.game}, run {run.id}", columns, rows, notes)


_TEAM_KEYS = ("team", "variant", "matches", "won", "win_rate", "win_interval", "score", "score_interval")


def _plain_interval(ends: Any) -> str:
    return "" if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}"


_STANDING_KEYS = (
    "bot", "mu", "sigma", "order", "matches", "wins", "draws", "losses", "none", "share", "interval", "first", "faults"
)  # fmt: skip


def _ranks(standings: Sequence[Standing]) -> list[int]:
    """1 for the best; equal ratings share a rank."""
    ratings = [standing.conservative for standing in standings]
    return [1 + sum(other > rating for other in ratings) for rating in ratings]


def notices(runs: Sequence[StoredRun]) -> list[str]:
    """What must be said wherever results of these runs are shown (guessed rules, stand-in decks)."""
    return list(dict.fromkeys(text for run in runs for text in restore(run.settings).notices))


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
