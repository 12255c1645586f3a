"""The tables of results: columns, headings and the sentences below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cli.output import Column, Row, Table, number, percent
from storage.store import Store, StoredRun
from tournament.statistics.counted import Counted, Pool, read
from tournament.statistics.estimate import Estimate, elo_of
from tournament.statistics.facts import labels
from tournament.statistics.rating import ELO_SCALE, ONLINE, TRUESKILL, Rated, rate
from tournament.statistics.team import TeamSample, TeamStanding, standings

if TYPE_CHECKING:
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


def run_facts(run: StoredRun, bots: Sequence[str], digest: str) -> Row:
    """What a stored run is, as JSON and CSV have it; ``bots`` as they are listed."""
    settings = run.settings
    return {
        "id": run.id,
        "game": run.game,
        "state": "complete" if run.complete else "unfinished",
        "stored": run.done,
        "matches": run.matches,
        "variants": labels([(variant["name"], variant["rules"]) for variant in settings["variants"]]),
        "seats": settings["players"],
        "bots": list(bots),
        "seed": settings["seed"],
        "created": f"{run.created.isoformat()}Z",
        "version": run.version,
        "fingerprint": run.fingerprint,
        "digest": digest,
        "settings": settings,
    }


def settings_table(run: StoredRun, bots: Sequence[str], digest: str) -> Table:
    """How a stored run was made; ``bots`` as they are listed."""
    facts = run_facts(run, bots, digest)
    return Table("Run", _RUN, [facts], key="run", fields=tuple(facts), record=True)


class Rating(NamedTuple):
    """How bots are rated: see ``statistics.rating.rate`` and ``online.rate``."""

    method: str = TRUESKILL
    seats: bool = True
    draw_probability: float | None = None
    tau: float = 0.0


class Boards(NamedTuple):
    """Tables, and what JSON says beside them."""

    tables: list[Table]
    facts: Row
    runs: tuple[Counted, ...]  # that they are made from


def boards(store: Store, runs: Sequence[StoredRun], how: Rating | None = None, pairs: bool = False) -> Boards:
    """The leaderboard over runs of one game; with ``pairs`` also each bot against each other, of every run."""
    how = how or Rating()
    pool = Pool([read(store, run) for run in runs])
    store.release()  # what follows takes longer
    if how.method == ONLINE:
        from tournament import online

        rated = online.rate(store, pool, how.draw_probability, how.tau)
    else:
        rated = rate(pool, how.draw_probability, how.method, how.seats)
    tables = [_ratings_table(pool, rated)]
    if pool.facts.cooperative:
        tables += _teams_tables(pool)
    for counted in pool.runs if pairs and not pool.facts.cooperative else ():
        tables += pair_tables(counted)
    facts = {
        "game": pool.facts.game,
        "runs": [run.id for run in runs],
        "method": rated.method,
        "model": rated.model,
        "fit": _fit_facts(pool, rated),
        "seats": [{"seat": one.seat, "mu": one.mu, "mu_low": one.low, "mu_high": one.high} for one in rated.seats],
        "notices": list(pool.notices),
        "ratings": [],
        "teams": [],
    }
    return Boards(tables, facts, tuple(pool.runs))


# The keys of a bot's row, whatever the game: a cooperative one leaves some empty or 0.
_RATING_KEYS = (
    "rank", "rank_worst", "bot", "mu", "mu_low", "mu_high", "conservative", "sigma", "better", "order", "matches",
    "wins", "draws", "losses", "none", "faults", "share", "share_low", "share_high", "share_first",
)  # fmt: skip


def _ratings(pool: Pool, rated: Rated) -> list[Row]:
    """A row a bot, best first."""
    rows: list[Row] = []
    for place in rated.places:
        bot = place.number
        sigma = float(rated.sigma[bot]) if math.isfinite(rated.sigma[bot]) else None
        row: Row = {"rank": place.rank, "rank_worst": place.worst, "bot": pool.bots[bot], "mu": place.mu}
        row |= {"mu_low": place.low, "mu_high": place.high, "conservative": place.low, "sigma": sigma}
        row |= {"ranks": str(place.rank) if place.rank == place.worst else f"{place.rank} to {place.worst}"}
        row |= {"better": place.ahead, "order": float(rated.order[bot])}
        rows.append(row | _record(pool, bot))
    return rows


def _record(pool: Pool, place: int) -> Row:
    """What a bot achieved; in a cooperative game, its teams."""
    counts = ("matches", "wins", "draws", "losses", "none", "faults")
    record = pool.records[place]
    row = {name: getattr(record, name) for name in counts} | _with_ends("share", record.share)
    return row | {"share_first": record.first}


def _ratings_table(pool: Pool, rated: Rated) -> Table:
    """The leaderboard."""
    rows = _ratings(pool, rated)
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
    notes = [*_rating_notes(pool, rated), *rated.notes]
    if pool.facts.cooperative:
        notes.append("Teams are compared on each deal by score; a loss counts less than any win.")
    else:
        columns += [
            Column("matches", show=number(), right=True),
            Column("wins", show=number(), right=True),
            Column("draws", show=number(), right=True),
            Column("losses", show=number(), right=True),
            *([Column("none", "nobody won", number(), right=True)] if any(row["none"] for row in rows) else []),
            Column("share", "share %", percent(2), right=True),
            Column("share_low", "95 %", percent(2), right=True, upto="share_high"),
            Column("share_first", "from seat 0 %", percent(2), right=True),
        ]
        notes.append("share: part of the other seats beaten, ties counting half; its interval is over deals.")
        if any(len(set(lineup)) < len(lineup) for one in pool.runs for lineup in one.facts.lineups):
            notes.append("A bot that sits in several seats of a match is counted once a seat.")
        faults = {row["bot"]: row["faults"] for row in rows if row["faults"]}
        if faults:
            spoiled = ", ".join(f"{bot} {count:,}" for bot, count in faults.items())
            notes.append(f"Matches spoiled by an illegal choice, counted nowhere: {spoiled}.")
    title = f"Ratings in {pool.facts.game}, {'run' if len(runs) == 1 else 'runs'} {', '.join(runs)}"
    return Table(title, columns, rows, [*notes, *pool.notices], "ratings", _RATING_KEYS)


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
    found = _fit_facts(pool, rated)
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


def _fit_facts(pool: Pool, rated: Rated) -> Row | None:
    """How well the ratings fit, as JSON has it."""
    fit = rated.fit
    if fit is None:
        return None
    names = pool.teams[0].bots if pool.facts.cooperative else pool.bots
    one, two = fit.worst or (-1, -1)
    return {
        "explained": fit.explained,
        "bot": names[one] if fit.worst else None,
        "against": names[two] if fit.worst else None,
        "predicted": float(fit.predicted[one, two]) if fit.worst else None,
        "observed": float(fit.observed[one, two]) if fit.worst else None,
        "log_loss": fit.loss,
        "table_log_loss": fit.table_loss,
        "even_log_loss": fit.even_loss,
    }


def _teams_tables(pool: Pool) -> list[Table]:
    """What each team of a cooperative game achieved, a table a run."""
    found = [standings(TeamSample(one.facts, one.tally)) for one in pool.runs]
    every = [team for rows in found for team in rows]
    medals = list(dict.fromkeys(f"medal_{medal}" for team in every for medal in team.medals))
    endings = list(dict.fromkeys(f"ended_{reason}" for team in every for reason in team.reasons))
    tables = []
    for one, teams in zip(pool.runs, found, strict=True):
        rows = [_team_row(one, team) for team in teams]
        rows = [dict.fromkeys(medals + endings, 0) | row for row in rows]
        seen = [key for key in medals + endings if any(row[key] for row in rows)]
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
        tables.append(Table(title, columns, rows, notes, "teams", (*_TEAM_FIELDS, *medals, *endings)))
    return tables


def _team_row(one: Counted, team: TeamStanding) -> Row:
    row = {"run": one.run.id} | {key: getattr(team, key) for key in ("team", "variant", "matches", "wins")}
    row |= _with_ends("win_rate", team.win_rate) | _with_ends("score", team.score)
    row |= {f"medal_{medal}": count for medal, count in team.medals.items()}
    return row | {f"ended_{reason}": count for reason, count in team.reasons.items()}


_TEAM_FIELDS = (
    "run", "team", "variant", "matches", "wins", "win_rate", "win_rate_low", "win_rate_high",
    "score", "score_low", "score_high",
)  # fmt: skip


_PAIR_FIELDS = (
    "bot", "against", "variant", "deals", "share", "share_low", "share_high", "elo", "elo_low", "elo_high"
)  # fmt: skip


def pair_tables(counted: Counted) -> list[Table]:
    """Each bot against each other, a table a variant."""
    sample, facts = counted.sample, counted.facts
    deals = (sample.pair_matches > 0) * sample.deals[:, :, None, None]
    tables = []
    for variant, label in enumerate(facts.labels):
        rows = []
        shares = sample.pair_shares[variant]
        for one, bot in enumerate(facts.names):
            for two, other in enumerate(facts.names):
                played = int(deals[:, variant, one, two].sum())
                if one == two or not played:
                    continue
                share = shares.estimate(one, two)
                names = {"bot": bot, "against": other, "variant": label, "deals": played}
                rows.append(names | _with_ends("share", share) | _with_ends("elo", elo_of(share)))
        title = "Each against each" + (f", {label}" if len(facts.variants) > 1 else "")
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


def _with_ends(name: str, estimate: Estimate) -> Row:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
