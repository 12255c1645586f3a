"""The rows of every table about runs: commands print them under headings, notebooks have them as frames.

Keys, their order and their types are those of ``docs/formats.md``; values are unrounded, None where there is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from storage.store import Store, StoredRun
from tournament.statistics.counted import Counted, Pool
from tournament.statistics.estimate import Estimate, elo_of
from tournament.statistics.rating import Rated
from tournament.statistics.tally import digest
from tournament.statistics.team import TeamSample, standings

if TYPE_CHECKING:
    from tournament.balance.finding import Finding
    from tournament.balance.summary import Balance

Row = dict[str, Any]
Keys = Mapping[str, type]


def _keys(text: str) -> Keys:
    """Names of text, or with ``:i`` whole numbers, ``:f`` numbers, ``:e`` numbers with the ends of their interval."""
    found: dict[str, type] = {}
    for name, _, kind in (word.partition(":") for word in text.split()):
        for key in (name, f"{name}_low", f"{name}_high") if kind == "e" else (name,):
            found[key] = {"": str, "i": int}.get(kind, float)
    return found


_VALUE = "value:f low:f high:f unit matches:i"
_RECORD = "matches:i wins:i draws:i losses:i none:i faults:i withdrawn:i share:e share_first:f"

RUNS = _keys("run game variant seats:i bots:i seed:i stored:i matches:i state rate:f left_out created version")
STANDINGS = _keys(f"bot {_RECORD}")
RATINGS = _keys(f"rank:i rank_worst:i bot mu:e conservative:f sigma:f better:f order:f {_RECORD}")
FAULTS = _keys("bot kind match:i seat:i said command")
TEAMS = _keys("run team variant matches:i wins:i win_rate:e score:e")
PAIRS = _keys("bot against variant deals:i share:e elo:e")
CYCLES = _keys("variant cycle share:e p:f")
ANSWERS = _keys("variant bot value:f low:f high:f")
SUMMARY = _keys("section summary")
FINDINGS = _keys(f"section metric variant group subject {_VALUE} verdict note")
SCORES = _keys(f"variant team score:i {_VALUE}")
DISTRIBUTIONS = _keys("metric variant from:f to:f matches:i share:f")
PIECES = _keys(f"variant piece way cause piece_rate:f piece_uses:f {_VALUE} p:f verdict")
DIFFERENCES = _keys(f"metric variant base group subject {_VALUE} p:f verdict")
MOST_BINS = 16  # classes of a distribution


def ends(name: str, estimate: Estimate) -> Row:
    """An estimate as three cells."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


# ---------------------------------------------------------------- what is stored


def faults(counted: Counted) -> list[Row]:
    """What bots of a run did wrong: the first faults of each, with the command that shows one."""
    names, run = counted.facts.names, counted.run.id
    return [
        {"bot": names[one.entrant], "kind": one.kind, "match": one.match, "seat": one.seat, "said": one.said}
        | {"command": f"hilltop replay {run} {one.match}"}
        for one in counted.faults
    ]


def runs(store: Store) -> list[Row]:
    """What is stored, oldest first."""
    paces, excluded = store.paces(), store.excluded()
    return [
        {
            "run": run.id,
            "game": run.game,
            "variant": " ".join(variant["name"] for variant in run.settings["variants"]),
            "seats": run.settings["players"],
            "bots": len(run.settings["bots"]),
            "seed": run.settings["seed"],
            "stored": run.done,
            "matches": run.matches,
            "state": "complete" if run.complete else "playing" if run.number in paces else "unfinished",
            "rate": None if run.complete else paces.get(run.number),
            "left_out": excluded[run.number][0] if run.number in excluded else None,
            "created": created(run),
            "version": run.version,
        }
        for run in store.runs()
    ]


def run(counted: Counted) -> Row:
    """How a run was made, and what it holds."""
    stored, settings = counted.run, counted.run.settings
    return {
        "id": stored.id,
        "game": stored.game,
        "state": "complete" if stored.complete else "unfinished",
        "stored": stored.done,
        "matches": stored.matches,
        "variants": list(counted.facts.labels),
        "seats": settings["players"],
        "bots": list(counted.facts.names),
        "seed": settings["seed"],
        "created": created(stored),
        "version": stored.version,
        "fingerprint": stored.fingerprint,
        "digest": digest(counted.tally, stored.done),
        "settings": settings,
    }


def created(run: StoredRun) -> str:
    """When a run was begun, in UTC."""
    return f"{run.created.isoformat()}Z"


# ---------------------------------------------------------------- leaderboards


def bots(pool: Pool) -> list[Row]:
    """What each bot achieved; in a cooperative game, its teams."""
    names = [name for name in STANDINGS if not name.startswith("share")]
    return [
        {name: getattr(one, name) for name in names} | ends("share", one.share) | {"share_first": one.first}
        for one in pool.records
    ]


def ratings(pool: Pool, rated: Rated) -> list[Row]:
    """Each bot's rating, and what it achieved; best first."""
    achieved = bots(pool)
    rows = []
    for place in rated.places:
        sigma = float(rated.sigma[place.number])
        row: Row = {"rank": place.rank, "rank_worst": place.worst, "mu": place.mu}
        row |= {"mu_low": place.low, "mu_high": place.high, "conservative": place.low}
        row |= {"sigma": sigma if math.isfinite(sigma) else None}
        row |= {"better": place.ahead, "order": float(rated.order[place.number])}
        rows.append(row | achieved[place.number])
    return rows


def fit(pool: Pool, rated: Rated) -> Row | None:
    """How well the ratings fit; None where that is not asked."""
    found = rated.fit
    if found is None:
        return None
    names = pool.teams[0].bots if pool.facts.cooperative else pool.bots
    one, two = found.worst or (-1, -1)
    return {
        "explained": found.explained,
        "bot": names[one] if found.worst else None,
        "against": names[two] if found.worst else None,
        "predicted": float(found.predicted[one, two]) if found.worst else None,
        "observed": float(found.observed[one, two]) if found.worst else None,
        "log_loss": found.loss,
        "table_log_loss": found.table_loss,
        "even_log_loss": found.even_loss,
    }


def teams(pool: Pool) -> list[Row]:
    """What each team of a cooperative game achieved, by run; of medals and reasons, all that any of them had."""
    found = [(one.run.id, team) for one in pool.runs for team in standings(TeamSample(one.facts, one.tally))]
    some = {f"medal_{medal}": 0 for _, team in found for medal in team.medals}
    some |= {f"ended_{reason}": 0 for _, team in found for reason in team.reasons}
    rows = []
    for run, team in found:
        row: Row = {"run": run, "team": team.team, "variant": team.variant, "matches": team.matches, "wins": team.wins}
        row |= ends("win_rate", team.win_rate) | ends("score", team.score) | some
        row |= {f"medal_{medal}": count for medal, count in team.medals.items()}
        rows.append(row | {f"ended_{reason}": count for reason, count in team.reasons.items()})
    return rows


# ---------------------------------------------------------------- pairs


def pairs(counted: Counted) -> list[Row]:
    """Each bot against each other, by variant: share 1 ahead, 0.5 tied."""
    sample, facts = counted.sample, counted.facts
    deals = ((sample.pair_matches > 0) * sample.deals[:, :, None, None]).sum(axis=0)
    rows = []
    for variant, label in enumerate(facts.labels):
        shares = sample.pair_shares[variant]
        for one, bot in enumerate(facts.names):
            for two, other in enumerate(facts.names):
                played = int(deals[variant, one, two])
                if one == two or not played:
                    continue
                share = shares.estimate(one, two)
                names = {"bot": bot, "against": other, "variant": label, "deals": played}
                rows.append(names | ends("share", share) | ends("elo", elo_of(share)))
    return rows


def cycles(counted: Counted) -> list[Row]:
    """Three bots of which each beats the next, by variant."""
    from tournament.statistics.matrix import cycles as found

    names = counted.facts.names
    return [
        {
            "variant": label,
            "cycle": " > ".join(names[bot] for bot in one.bots),
            **ends("share", one.narrowest),
            "p": one.p,
        }
        for v, label in enumerate(counted.facts.labels)
        for one in found(counted.sample.pair_shares[v])
    ]


def answers(counted: Counted, metric: str) -> list[Row]:
    """Findings on what answers what: ``dominated`` bots, or each bot's ``equilibrium_weight``."""
    from tournament.balance.diversity import diversity

    return [
        {
            "variant": one.variant,
            "bot": one.subject,
            "value": one.estimate.value,
            "low": one.estimate.low,
            "high": one.estimate.high,
        }
        for one in diversity(counted.sample)
        if one.metric == metric
    ]


# ---------------------------------------------------------------- balance


def _value(estimate: Estimate, unit: str) -> Row:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "unit": unit,
        "matches": estimate.n,
    }


def summary(found: Balance) -> list[Row]:
    """What follows from the numbers, a row a sentence."""
    said = [(section.title, sentence) for section in found.sections for sentence in section.sentences]
    said += [("Compared", choice.statement) for choice in found.choices]
    return [{"section": title, "summary": sentence} for title, sentence in said]


def findings(title: str, some: Sequence[Finding]) -> list[Row]:
    """The numbers of a section."""
    from tournament.balance.finding import METRICS

    return [
        {
            "section": title,
            "metric": one.metric,
            "variant": one.variant,
            "group": one.group,
            "subject": one.subject,
            **_value(one.estimate, METRICS[one.metric].unit),
            "verdict": one.verdict,
            "note": one.note,
        }
        for one in some
    ]


def all_findings(found: Balance) -> list[Row]:
    """The numbers of all sections."""
    return [row for section in found.sections for row in findings(section.title, section.findings)]


def scores(found: Balance) -> list[Row]:
    """How often each team won with each score."""
    return [
        {"variant": one.variant, "team": one.team, "score": one.score, **_value(one.estimate, "share")}
        for one in found.scores
    ]


def distributions(found: Balance) -> list[Row]:
    """How matches differ: the part of a variant's matches in each class of a number."""
    rows: list[Row] = []
    for one in found.distributions:
        seen = [place for place in range(len(one.values)) if one.counts[:, place].any()]
        group = max(1, -(-(seen[-1] + 1 - seen[0]) // MOST_BINS)) if seen else 1
        for v, label in enumerate(found.labels):
            total = max(int(one.counts[v].sum()), 1)
            for first in range(seen[0], seen[-1] + 1, group) if seen else ():
                count = int(one.counts[v, first : first + group].sum())
                step = one.values[1] - one.values[0]
                last = one.values[min(first + group, len(one.values)) - 1]
                ends = one.values[first], last if step == 1.0 else last + step  # whole numbers, or parts of 1
                rows.append(
                    {"metric": one.metric, "variant": label, "from": ends[0], "to": ends[1], "matches": count}
                    | {"share": count / total}
                )
    return rows


def pieces(found: Balance) -> list[Row]:
    """Effects of pieces and rule elements, by variant, the largest first."""
    rows: list[Row] = []
    for label in found.labels:
        effects = [one for one in found.pieces if one.variant == label]
        for one in sorted(effects, key=lambda one: -abs(one.effect.value or 0.0)):
            rows.append(
                {"variant": label, "piece": one.piece, "way": one.way, "cause": "chance" if one.chance else "success"}
                | {"piece_rate": one.rate, "piece_uses": one.uses}
                | _value(one.effect, "share")
                | {"p": one.p, "verdict": one.verdict}
            )
    return rows


def differences(found: Balance) -> list[Row]:
    """Each variant against the first."""
    from tournament.balance.finding import METRICS

    return [
        {
            "metric": one.metric,
            "variant": one.variant,
            "base": one.base,
            "group": one.group,
            "subject": one.subject,
            **_value(one.estimate, METRICS[one.metric].unit),
            "p": one.p,
            "verdict": one.verdict,
        }
        for one in found.differences
    ]
