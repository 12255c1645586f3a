"""The tables of results: columns, headings and the sentences below."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from cli.output import Column, Row, Table, number, percent
from engine.registry import game
from storage.store import Store, StoredRun
from tournament import teams
from tournament.intervals import Interval, elo_interval
from tournament.plan import Plan, restore
from tournament.standings import Leaderboard, Standing, Tally, bot_names, leaderboard, one_game, tally
from tournament.trueskill import Model

MOST_ELO = 9999.0  # shown for a bot that won everything, whose Elo is beyond all numbers


_PLAN = (
    Column("game"),
    Column("variants", show=", ".join),
    Column("seats"),
    Column("bots", show=", ".join),
    Column("lineups", "line-ups", number()),
    Column("deals", show=number()),
    Column("matches", show=number()),
    Column("chunks", show=number()),
    Column("seed"),
    Column("fingerprint"),
)


def plan_table(plan: Plan, key: str = "plan") -> Table:
    """What a run would play."""
    facts = {
        "game": plan.game.id,
        "variants": [variant.label for variant in plan.variants],
        "seats": plan.players,
        "bots": [entrant.spec for entrant in plan.entrants],
        "lineups": len(plan.lineups),
        "deals": plan.deals,
        "matches": plan.matches,
        "chunks": plan.chunks,
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
    Column("created", "created (UTC)", lambda moment: moment.rstrip("Z").replace("T", " ")),
)


def run_facts(run: StoredRun) -> Row:
    """What a stored run is, as JSON and CSV have it."""
    settings = run.settings
    variants = [
        variant["name"] + "".join(f" {key}={json.dumps(value)}" for key, value in variant["rules"].items())
        for variant in settings["variants"]
    ]
    return {
        "id": run.id,
        "game": run.game,
        "state": "complete" if run.complete else "unfinished",
        "stored": run.done,
        "matches": run.matches,
        "variants": variants,
        "seats": settings["players"],
        "bots": settings["bots"],
        "seed": settings["seed"],
        "created": f"{run.created.isoformat()}Z",
        "version": run.version,
        "fingerprint": run.fingerprint,
        "settings": settings,
    }


def settings_table(run: StoredRun) -> Table:
    """How a stored run was made."""
    facts = run_facts(run)
    return Table("Run", _RUN, [facts], key="run", fields=tuple(facts), record=True)


class Boards(NamedTuple):
    """Tables, and what JSON says beside them."""

    tables: list[Table]
    facts: Row


def boards(
    store: Store,
    runs: Sequence[StoredRun],
    draw_probability: float | None = None,
    tau: float = 0.0,
    pairs: bool = False,
) -> Boards:
    """The leaderboard over runs of one game; with ``pairs`` also each bot against each other, of every run."""
    one_game(runs)
    if game(runs[0].game).cooperative:
        names = bot_names(runs)
        model, ratings = teams.rate(store, runs, names, draw_probability, tau)
        tables = [
            _bots_table(runs, model, ratings),
            *_teams_tables(runs, [teams.standings(store, run) for run in runs]),
        ]
        return Boards(tables, _facts(runs, model))
    tallies = [tally(store, run) for run in runs]
    board = leaderboard(store, runs, tallies, draw_probability, tau)
    tables = [_rating_table(board)]
    for counted in tallies if pairs else []:
        tables += pair_tables(counted)
    return Boards(tables, _facts(runs, board.model))


def _facts(runs: Sequence[StoredRun], model: Model) -> Row:
    parts = ("mu", "sigma", "beta", "tau", "draw_probability")
    return {
        "game": runs[0].game,
        "runs": [run.id for run in runs],
        "model": {part: float(getattr(model, part)) for part in parts},
        "notices": notices(runs),
        "ratings": [],
        "teams": [],
    }


# The keys of a bot's row, whatever the game: a cooperative one leaves some empty or 0.
_RATING_KEYS = (
    "rank", "bot", "rating", "mu", "mu_low", "mu_high", "sigma", "order", "matches", "wins", "draws", "losses", "none",
    "faults", "share", "share_low", "share_high", "share_first",
)  # fmt: skip
_SKILL = (
    Column("rank", right=True),
    Column("bot"),
    Column("rating", show=number(2), right=True),
    Column("mu", show=number(2), right=True),
    Column("sigma", show=number(3), right=True),
    Column("order", show=number(3), right=True),
)


def _ratings(standings: Sequence[Standing] | Sequence[teams.BotRating]) -> list[Row]:
    """A row a bot; equal ratings share a rank, 1 being the best."""
    return [
        {
            "rank": 1 + sum(other.conservative > standing.conservative for other in standings),
            "rating": standing.conservative,
            "share_low": standing.interval[0] if standing.interval else None,
            "share_high": standing.interval[1] if standing.interval else None,
        }
        | {key: getattr(standing, key) for key in _RATING_KEYS if hasattr(standing, key)}
        for standing in standings
    ]


def _rating_table(board: Leaderboard) -> Table:
    """Bots that play against each other."""
    columns = [
        *_SKILL,
        Column("matches", show=number(), right=True),
        Column("wins", show=number(), right=True),
        Column("draws", show=number(), right=True),
        Column("losses", show=number(), right=True),
        Column("share", "share %", percent(2), right=True),
        Column("share_low", "95 %", percent(2), right=True, upto="share_high"),
        Column("share_first", "from seat 0 %", percent(2), right=True),
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
    return _ratings_table(runs, columns, _ratings(board.standings), notes)


def _ratings_table(
    runs: Sequence[StoredRun], columns: Sequence[Column], rows: Sequence[Row], notes: Sequence[str]
) -> Table:
    title = f"Ratings in {runs[0].game}, {'run' if len(runs) == 1 else 'runs'} {', '.join(run.id for run in runs)}"
    return Table(title, columns, rows, [*notes, *notices(runs)], "ratings", _RATING_KEYS)


def _model_notes(model: Model) -> list[str]:
    return [
        f"TrueSkill: rating = mu - 3 sigma; mu {model.mu:g}, sigma {model.sigma:.4g}, beta {model.beta:.4g}, "
        f"tau {model.tau:g}, draw probability {model.draw_probability:.4f}.",
        "order: change of mu, from the mean of all bots, if the same matches are taken in reverse.",
    ]


def _bots_table(runs: Sequence[StoredRun], model: Model, ratings: Sequence[teams.BotRating]) -> Table:
    """Bots of a cooperative game, rated by what their teams score on the same deals."""
    notes = [*_model_notes(model), "Bots are ranked on each deal by score; a loss counts less than any win."]
    return _ratings_table(runs, _SKILL, _ratings(ratings), notes)


def _teams_tables(runs: Sequence[StoredRun], found: Sequence[Sequence[teams.TeamStanding]]) -> list[Table]:
    """What each team of a cooperative game achieved, a table a run."""
    every = [standing for standings in found for standing in standings]
    medals = list(dict.fromkeys(f"medal_{medal}" for team in every for medal in team.medals))
    endings = list(dict.fromkeys(f"ended_{reason}" for team in every for reason in team.reasons))
    tables = []
    for run, standings in zip(runs, found, strict=True):
        rows = []
        for team in standings:
            row = {"run": run.id} | {key: getattr(team, key) for key in _TEAM_KEYS}
            for name, ends in (("win_rate", team.win_interval), ("score", team.score_interval)):
                row[f"{name}_low"], row[f"{name}_high"] = ends or (None, None)
            row |= dict.fromkeys(medals + endings, 0)
            row |= {f"medal_{medal}": count for medal, count in team.medals.items()}
            rows.append(row | {f"ended_{reason}": count for reason, count in team.reasons.items()})
        seen = [key for key in medals + endings if any(row[key] for row in rows)]
        columns = [
            Column("team"),
            *([Column("variant")] if len({standing.variant for standing in standings}) > 1 else []),
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
        title = f"Teams in {run.game}, run {run.id}"
        tables.append(Table(title, columns, rows, notes, "teams", (*_TEAM_FIELDS, *medals, *endings)))
    return tables


_TEAM_KEYS = ("team", "variant", "matches", "wins", "win_rate", "score")
_TEAM_FIELDS = (
    "run", "team", "variant", "matches", "wins", "win_rate", "win_rate_low", "win_rate_high",
    "score", "score_low", "score_high",
)  # fmt: skip


def notices(runs: Sequence[StoredRun]) -> list[str]:
    """What must be said wherever results of these runs are shown (guessed rules, stand-in decks)."""
    return list(dict.fromkeys(text for run in runs for text in restore(run.settings).notices))


_PAIR_FIELDS = (
    "bot", "against", "variant", "deals", "share", "share_low", "share_high", "elo", "elo_low", "elo_high"
)  # fmt: skip


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
                level = elo_interval(share, limit=MOST_ELO)
                names = {"bot": bot.spec, "against": other.spec, "variant": rules.label, "deals": deals}
                rows.append(names | _with_ends("share", share) | _with_ends("elo", level))
        title = "Each against each" + (f", {rules.label}" if len(plan.variants) > 1 else "")
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
        tables.append(Table(title, columns, rows, notes, "pairs", _PAIR_FIELDS))
    return tables


def _with_ends(name: str, value: Interval) -> Row:
    return {name: float(value.estimate), f"{name}_low": float(value.low), f"{name}_high": float(value.high)}
