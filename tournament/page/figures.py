"""The charts of a report, by section: each with its numbers as a table and what it shows in words."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from tournament.balance import fairness
from tournament.balance.finding import METRICS, Finding
from tournament.balance.summary import Balance
from tournament.balance.words import interval, number, percent
from tournament.page import charts
from tournament.page.choose import CHARTED, DETAILED, Shown, findings, telling
from tournament.page.layout import MOST_ROWS, Figure, Grid, chip
from tournament.statistics.estimate import Estimate
from tournament.statistics.facts import worded
from tournament.statistics.strengths import MU

SPOKEN = 8  # numbers that an alternative text reads out
MOST_BOTS = 16
MOST_VALUES = 60  # of a swept option in a heat map
MOST_TIPS = 400  # cells that get a tooltip each
_GROUPS = {"all": "all bots", "best": "best three", "equals": "equals"}


def of_section(found: Balance, name: str) -> list[Figure]:
    """The charts of a section."""
    made = {
        "fairness": _fairness,
        "skill": _skill,
        "diversity": _diversity,
        "restricted": _restricted,
        "team": _team,
    }.get(name)
    return made(found) if made else []


# ---------------------------------------------------------------- fairness


def _fairness(found: Balance) -> list[Figure]:
    figures = _sweep_figures(found)
    shown = telling(found, CHARTED)
    if found.facts.players < 2 or any("seat_share" in one.metrics for one in figures):
        return figures  # a line a seat says more than a row a variant
    deep = len(found.labels) <= 3
    section = found.section("fairness")
    rows, grid, zones = [], [], []
    evens: dict[str, list[float]] = {}
    for one in section.findings if section else ():
        if one.metric != "seat_share" or one.variant not in shown.labels or not (deep or one.group == fairness.ALL):
            continue
        row = row_of(found, one.variant, _GROUPS.get(one.group, one.group) if deep else "")
        rows.append(point(row, one.subject, one.estimate, "share"))
        grid.append(
            (one.variant, _GROUPS.get(one.group, one.group), one.subject, *estimate_cells(one.estimate, "share"))
        )
        evens.setdefault(row, []).append(one.estimate.value or 0.0)
    for row, values in evens.items():
        even = sum(values) / len(values)
        zones.append({"row": row, "from": even - found.margin, "to": even + found.margin})
    names = names_of(rows)
    reading = f"Shaded: within {percent(found.margin)} of even. Fair if both ends of every interval lie in it."
    return [
        *figures,
        Figure(
            "Score share of each seat",
            says("Score share of each seat with its 95 % interval", rows),
            lambda width: charts.dots(rows, width, "score share", True, names, zones),
            grid_of(("Variant", "Bots", "Seat", *ESTIMATE), grid),
            ("seat_share", "seat_spread"),
            told(reading, shown),
        ),
    ]


def _sweep_figures(found: Balance) -> list[Figure]:
    """Charts against the options that were swept."""
    options = found.facts.swept
    numeric = {
        name: values
        for name, values in options.items()
        if all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    }
    named = list(dict.fromkeys(variant.name for variant in found.facts.variants))
    if len(options) == 1 and numeric and len(named) <= len(charts.SHAPES):
        (option,) = numeric
        return _along(found, option, named)
    if len(options) == 2 and len(named) == 1 and max(map(len, options.values())) <= MOST_VALUES:
        return [
            _map(found, list(options), metric)
            for metric in ("seat_spread", "bot_share", "team_win_rate")
            if findings(found, metric)
        ]
    return []


def _along(found: Balance, option: str, named: Sequence[str]) -> list[Figure]:
    """Metrics against one swept option; a line for each seat, or for each named variant."""
    place = dict(zip(found.labels, found.facts.variants, strict=True))
    seats = found.facts.players
    figures = []
    for metric in ("seat_share", "seat_spread", "team_win_rate", "bot_share", "rating_span", "match_plies"):
        chosen = findings(found, metric)
        by_seat = metric == "seat_share"
        if (by_seat and len(named) > 1) or (metric == "seat_spread" and len(named) == 1 and seats == 2):
            continue  # two seats mirror each other, and many lines hide one another
        if metric == "team_win_rate":
            best = max(chosen, key=lambda one: one.estimate.value or 0.0, default=None)
            chosen = [one for one in chosen if best and one.subject == best.subject]
        unit = METRICS[metric].unit
        rows, grid = [], []
        for one in chosen:
            variant = place[one.variant]
            series = one.subject if by_seat else variant.name
            if one.estimate.value is None:
                continue
            spot = point(series, series, one.estimate, unit) | {"x": variant.given[option]}
            spot["tip"] = f"{option} {variant.given[option]}, {series}: {interval(one.estimate, unit)}"
            rows.append(spot)
            grid.append((variant.given[option], series, *estimate_cells(one.estimate, unit)))
        if len({row["x"] for row in rows}) < 2:
            continue
        names = names_of(rows)
        zone = None
        reading = f"In {unit}. Band: 95 % interval." if not unit.startswith("share") else "Band: 95 % interval."
        if by_seat:
            even = sum(row["value"] for row in rows) / len(rows)
            zone = (even - found.margin, even + found.margin)
            reading = f"Bands: 95 % intervals. Shaded: within {percent(found.margin)} of even."
        elif metric == "seat_spread":
            zone = (0.0, found.margin)
            reading = f"Bands: 95 % intervals. Shaded: the margin of {percent(found.margin)}."
        title = METRICS[metric].title
        if metric == "team_win_rate":
            title = f"Win rate of {chosen[0].subject}"
        figures.append(
            Figure(
                f"{title} by {option}",
                says(f"{title} against rule option {option}, with 95 % intervals", rows),
                _lines(rows, option, unit.startswith("share"), names, zone),
                grid_of((f"#{option}", "Seat" if by_seat else "Variant", *ESTIMATE), grid),
                (metric,),
                reading,
                wide=metric in ("seat_share", "seat_spread", "team_win_rate"),
            )
        )
    return figures


def _lines(rows: list[dict[str, Any]], option: str, share: bool, names: list[str], zone: Any) -> Any:
    few = len({row["x"] for row in rows}) <= 40
    return lambda width: charts.lines(
        rows, width, option, share, names, zone, points=few, height=280 if width > 500 else 220
    )


def _map(found: Balance, options: Sequence[str], metric: str) -> Figure:
    """A metric against two swept options; of teams the best one in each cell."""
    given = [variant.given for variant in found.facts.variants]
    shown = [
        [one[name] if type(one[name]) is int else words[name] for name in options]
        for one, words in zip(given, worded(given), strict=True)
    ]
    place = dict(zip(found.labels, shown, strict=True))
    down, across = options
    best: dict[str, Finding] = {}
    for one in findings(found, metric):
        if one.variant not in best or (one.estimate.value or 0.0) > (best[one.variant].estimate.value or 0.0):
            best[one.variant] = one
    unit = METRICS[metric].unit
    rows: list[dict[str, Any]] = []
    grid = []
    for label, one in best.items():
        row, column = place[label]
        value = one.estimate.value
        rows.append(
            {
                "row": row,
                "column": column,
                "value": value,
                "text": "" if value is None else f"{100 * value:.1f}",
                "tip": f"{down} {row}, {across} {column}: {interval(one.estimate, unit)}",
            }
        )
        grid.append((row, column, *estimate_cells(one.estimate, unit), chip(one.verdict)))
    for key in ("column", "row"):
        if all(type(one[key]) is int for one in rows):
            rows.sort(key=operator.itemgetter(key))
    title = f"{METRICS[metric].title} by {down} and {across}"
    spoken = says(f"{title}, per cent", rows)
    known = [row["value"] for row in rows if row["value"] is not None] or [0.0]
    if len(rows) > MOST_TIPS:
        rows = [{**row, "tip": ""} for row in rows]
    return Figure(
        title,
        spoken,
        lambda width: charts.cells(rows, width, across),
        grid_of((f"#{down}", f"#{across}", *ESTIMATE, "Verdict"), grid),
        (metric,),
        f"Per cent, {down} downwards; from {number(min(known), unit)} (palest) to {number(max(known), unit)}.",
    )


# ---------------------------------------------------------------- skill, diversity, restricted play


def _skill(found: Balance) -> list[Figure]:
    figures = []
    shown = telling(found, CHARTED)
    parts = {
        "bot_share": "bots",
        "seat_effect_share": "seat",
        "deal_share": "deal",
        "rest_share": "the rest",
    }
    rows, grid = [], []
    for label in shown.labels:
        for metric, name in parts.items():
            for one in findings(found, metric, [label]):
                rows.append(point(row_of(found, label), name, one.estimate, "share"))
                grid.append((label, name, *estimate_cells(one.estimate, "share")))
    if rows:
        figures.append(
            Figure(
                "What explains the outcome",
                says("Parts of the variance of the score share", rows),
                lambda width: charts.stacks(rows, width, list(parts.values())),
                grid_of(("Variant", "Part", *ESTIMATE), grid),
                tuple(parts),
                told("Skill is what the bots explain; seat and deal are what players can do nothing about.", shown),
            )
        )
    figures += _by_bot(found, "rating", "Rating of each bot", "mu", MU)
    figures += _pairs(found)
    return figures


def _by_bot(found: Balance, metric: str, title: str, x_title: str, zero: float | None = None) -> list[Figure]:
    """A line for each bot, the variants side by side in it."""
    shown = telling(found, DETAILED)
    unit = METRICS[metric].unit
    rows, grid = [], []
    chosen = findings(found, metric, shown.labels)
    best = dict.fromkeys(
        one.subject
        for one in sorted(chosen, key=lambda one: -(one.estimate.value or 0.0))
        if one.estimate.value is not None
    )
    for subject in list(best)[:MOST_BOTS]:
        for one in chosen:
            if one.subject == subject and one.estimate.value is not None:
                rows.append(point(subject, one.variant, one.estimate, unit))
                grid.append((subject, one.variant, *estimate_cells(one.estimate, unit)))
    if not rows:
        return []
    names = names_of(rows)
    return [
        Figure(
            title,
            says(f"{title} with its 95 % interval", rows),
            lambda width: charts.dots(rows, width, x_title, unit.startswith("share"), names, zero=zero),
            grid_of(("Bot", "Variant", *ESTIMATE), grid),
            (metric,),
            told(METRICS[metric].reading, shown),
        )
    ]


def _pairs(found: Balance) -> list[Figure]:
    if found.pairs is None:
        return []
    figures = []
    shown = telling(found, 3)
    bots = found.bots
    strength = {one.subject: one.estimate.value or 0.0 for one in findings(found, "rating", found.labels[:1])}
    order = sorted(range(len(bots)), key=lambda bot: -strength.get(bots[bot], 0.0))[:MOST_BOTS]
    for label in shown.labels:
        pairs = found.pairs[found.labels.index(label)]
        rows, grid = [], []
        for one in order:
            for two in order:
                estimate = pairs.estimate(one, two) if one != two else Estimate(None, None, None, 0)
                value = estimate.value
                rows.append(
                    {
                        "row": bots[one],
                        "column": bots[two],
                        "value": value,
                        "text": "" if value is None else f"{100 * value:.0f}",
                        "tip": f"{bots[one]} against {bots[two]}: {interval(estimate, 'share')}",
                    }
                )
                if value is not None:
                    grid.append((bots[one], bots[two], *estimate_cells(estimate, "share")))
        if not grid:
            continue
        name = titled("Each bot against each other", found, label)
        spoken = [{"tip": row["tip"]} for row in rows if row["value"] is not None]
        figures.append(
            Figure(
                name,
                says(f"{name}: score share of the row's bot in per cent", spoken),
                _cells_of(rows),
                grid_of(("Bot", "Against", *ESTIMATE), grid),
                ("level_share",),
                told("Score share of the row's bot against the column's, in per cent.", shown),
                wide=len(order) > 4,
            )
        )
    return figures


def _cells_of(rows: list[dict[str, Any]]) -> Any:
    return lambda width: charts.cells(rows, width, "against", 0.5)


def _diversity(found: Balance) -> list[Figure]:
    weights = findings(found, "equilibrium_weight")
    if all((one.estimate.value or 0.0) in (0.0, 1.0) for one in weights):
        return []  # one bot under each variant: the sentence says it all
    return _by_bot(found, "equilibrium_weight", "Weight of each bot in equilibrium", "weight")


def _restricted(found: Balance) -> list[Figure]:
    return _by_bot(found, "restriction_cost", "Cost of never using a rule element", "score share lost", 0.0)


# ---------------------------------------------------------------- the cooperative game


def _team(found: Balance) -> list[Figure]:
    figures = _sweep_figures(found)
    figures += _by_bot(found, "team_win_rate", "Win rate of each team", "deals won")
    figures += _ends(found)
    figures += _scores(found)
    for metric, title, x_title in (
        ("solo_gap_wins", "Wins short of a solo player", "share of deals"),
        ("solo_gap_score", "Points short of a solo player", "points"),
    ):
        figures += _by_bot(found, metric, title, x_title, 0.0)
    return figures


def _ends(found: Balance) -> list[Figure]:
    """How the best teams' deals ended, medals and reasons of loss."""
    shown = telling(found, 1 if len(found.labels) > CHARTED else DETAILED)
    rates = findings(found, "team_win_rate", shown.labels)
    best = [one.subject for one in sorted(rates, key=lambda one: -(one.estimate.value or 0.0))]
    teams = list(dict.fromkeys(best))[: 10 if len(shown.labels) < 2 else 3]
    parts = [one for metric in ("medal_share", "loss_reason_share") for one in findings(found, metric, shown.labels)]
    ends = list(dict.fromkeys(one.subject.partition(", ")[0] for one in parts))
    figures = []
    for label in shown.labels:
        rows, grid = [], []
        for one in parts:
            end, _, team = one.subject.partition(", ")
            if one.variant == label and team in teams:
                rows.append(point(team, end, one.estimate, "share"))
        rows.sort(key=lambda row: teams.index(row["row"]))
        for one in parts:
            end, _, team = one.subject.partition(", ")
            if one.variant == label and team in teams:
                grid.append((team, end, *estimate_cells(one.estimate, "share")))
        if not rows:
            continue
        title = titled("How deals end: medals and reasons of loss", found, label)
        figures.append(
            Figure(
                title,
                says(f"{title}, best teams first", rows),
                _stack_of(rows, ends),
                grid_of(("Team", "End", *ESTIMATE), grid),
                ("medal_share", "loss_reason_share"),
                told("The teams that win most.", shown),
            )
        )
    return figures


def _stack_of(rows: list[dict[str, Any]], names: list[str]) -> Any:
    return lambda width: charts.stacks(rows, width, names)


def _scores(found: Balance) -> list[Figure]:
    """The scores of each variant's best team."""
    shown = telling(found, DETAILED)
    rows, grid, order = [], [], []
    for label in shown.labels:
        rates = findings(found, "team_win_rate", [label])
        if not rates:
            continue
        team = max(rates, key=lambda one: one.estimate.value or 0.0).subject
        name = team if len(found.labels) < 2 else f"{label}: {team}"
        scores = [one for one in found.scores if (one.variant, one.team) == (label, team) and one.estimate.value]
        if not scores:
            continue
        order.append(name)
        for one in scores:
            value = one.estimate.value or 0.0
            tip = f"{name}, score {one.score}: {interval(one.estimate, 'share')} of deals"
            rows.append({"row": name, "from": one.score - 0.5, "to": one.score + 0.5, "part": value, "tip": tip})
            grid.append((label, team, one.score, *estimate_cells(one.estimate, "share")))
    if not rows:
        return []
    return [
        Figure(
            "Scores of won deals",
            says("Scores of the deals that each variant's best team won", rows),
            lambda width: charts.strips(rows, width, "score", False, order),
            grid_of(("Variant", "Team", "#Score", *ESTIMATE), grid),
            ("team_score",),
            told("Of the best team; its other deals were lost.", shown),
            wide=False,
        )
    ]


# ---------------------------------------------------------------- what all charts share

ESTIMATE = ("#Value", "#95 %", "#Matches")


def estimate_cells(estimate: Estimate, unit: str) -> tuple[Any, ...]:
    """An estimate in the columns ``ESTIMATE``."""
    ends = ""
    if estimate.low is not None and estimate.high is not None:
        ends = f"{number(estimate.low, unit).removesuffix(' %')} to {number(estimate.high, unit)}"
    return number(estimate.value, unit), ends, f"{estimate.n:,}"


def point(row: str, series: str, estimate: Estimate, unit: str) -> dict[str, Any]:
    name = row if row == series else f"{row}, {series}" if row else series
    return {
        "row": row,
        "series": series,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "tip": f"{name}: {interval(estimate, unit)}",
    }


def grid_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """The rows as a table, without columns that say the same everywhere or nothing at all."""
    kept = rows[:MOST_ROWS]
    places = [
        place
        for place, column in enumerate(columns)
        if column in ESTIMATE or (place == 0 and len(columns) < 5) or len({str(row[place]) for row in rows}) > 1
    ]
    return Grid(
        tuple(columns[place] for place in places),
        [[row[place] for place in places] for row in kept],
        len(rows) - len(kept),
    )


def row_of(found: Balance, label: str, group: str = "") -> str:
    if len(found.labels) < 2:
        return group or label
    return f"{label}, {group}" if group and group != _GROUPS["all"] else label


def titled(title: str, found: Balance, label: str) -> str:
    return title if len(found.labels) < 2 else f"{title}, {label}"


def told(text: str, shown: Shown) -> str:
    return f"{text} {shown.note}".strip()


def names_of(rows: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["series"] for row in rows))


def says(what: str, rows: Sequence[dict[str, Any]]) -> str:
    """The alternative text: what is shown, and the first numbers."""
    tips = [row["tip"] for row in rows[:SPOKEN]]
    more = f"; and {len(rows) - SPOKEN} more, see the table below" if len(rows) > SPOKEN else ""
    return f"{what}. {'; '.join(tips)}{more}."
