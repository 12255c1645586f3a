"""The page: what was played, what must be known, what follows, and all charts; a part for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.text import plural
from tournament.balance.finding import METRICS, Finding
from tournament.balance.summary import Balance, Section
from tournament.balance.words import percent
from tournament.page import figures, inside_figures
from tournament.page.choose import CHARTED, cut, findings, named, telling
from tournament.page.figures import estimate_cells
from tournament.page.layout import MOST_ROWS, Figure, Grid, Html, Page, chip, document, facts, join, sentences, tag
from tournament.statistics.estimate import Array
from tournament.statistics.tally import lengths

_GLANCE = (  # metric, its name in short, for one value of each variant
    ("seat_spread", "Largest deviation of a seat"),
    ("team_win_rate", "Win rate of the best team"),
    ("match_plies", "Length of a match"),
    ("bot_share", "Explained by the bots"),
    ("comeback_share", "Comebacks"),
    ("deal_share", "Explained by the deal"),
    ("last_lead", "Last lead change"),
    ("forced_share", "Forced decisions"),
)


_LEAN = "Pace, drama and pieces were not counted in this run; 'hilltop balance' without --lean counts them."


@dataclass(frozen=True)
class Part:
    """What the page says about one run: ``plies`` int64 (V, plies), how many matches took so many."""

    balance: Balance
    plies: Array

    @classmethod
    def of(cls, found: Balance) -> Part:
        """All that the page needs of a run."""
        return cls(named(found), lengths(found.counted.tally))


def page(parts: Sequence[Part]) -> str:
    """The report on runs as one HTML file."""
    made = Page()
    games = list(dict.fromkeys(part.balance.facts.title for part in parts))
    title = f"{' and '.join(games) if len(games) < 3 else 'Games'}: balance report"
    bodies = [_part(made, part, number, len(parts) > 1) for number, part in enumerate(parts, 1)]
    if len(parts) > 1:
        links = [
            tag("li", tag("a", _name(part.balance), href=f"#run-{number}")) for number, part in enumerate(parts, 1)
        ]
        contents = tag("nav", tag("ul", *links), aria_label="Runs")
        lead = f"{len(parts)} runs"
    else:
        contents, lead = Html(""), _name(parts[0].balance, False)
    body = [
        tag("header", tag("h1", title), tag("p", lead, class_="sub"), contents, class_="top"),
        tag("main", *bodies),
        tag(
            "footer",
            tag("h2", "What the numbers mean"),
            tag(
                "p",
                "Every interval is a 95 % one, clustered on deals: all line-ups that share a deal count as one "
                "observation. Variants are compared on the same deals. The same numbers, unrounded and complete, come "
                "from 'hilltop balance RUN' with --format csv or json.",
            ),
            made.glossary(),
        ),
    ]
    return document(title, join(body))


def _name(found: Balance, with_game: bool = True) -> str:
    many = len(found.labels)
    variants = found.labels[0] if many == 1 else f"{many:,} variants"
    name = f"{variants}, {plural(len(found.bots), 'bot')}, {plural(found.run.done, 'match')}"
    return f"{found.facts.title}: {name}" if with_game else name


def _part(made: Page, part: Part, place: int, several: bool) -> Html:
    found = part.balance
    anchor = f"run-{place}"
    sections = [section for section in found.sections if section.findings]
    charts: dict[str, list[Figure]] = {section.id: figures.of_section(found, section.id) for section in sections}
    if "pace" in charts:
        charts["pace"] += inside_figures.pace(found, part.plies)
    elif sections:  # played without telemetry, but lengths are stored
        charts[sections[0].id] += inside_figures.pace(found, part.plies)
    if "drama" in charts:
        charts["drama"] += inside_figures.drama(found)
    parts = [
        _section(made, found, one, charts[one.id], number == 0, f"{anchor}-{one.id}")
        for number, one in enumerate(sections)
    ]
    if found.pieces:
        parts.append(_pieces(made, found, f"{anchor}-pieces"))
    if found.differences:
        parts.append(_differences(made, found, f"{anchor}-compared"))
    links = [(f"{anchor}-{section.id}", section.title) for section in sections]
    links += [(f"{anchor}-pieces", "What are the pieces worth?")] if found.pieces else []
    links += [(f"{anchor}-compared", "Compared")] if found.differences else []
    links.append((f"{anchor}-played", "What was played"))
    contents = tag(
        "nav", tag("ul", *(tag("li", tag("a", text, href=f"#{to}")) for to, text in links)), aria_label="Contents"
    )
    body = [
        tag("h2", _name(found)) if several else "",
        _notices(found),
        tag("div", sentences(_summary(found), len(found.labels) + 3), class_="lead"),
        _glance(made, found),
        tag("p", _LEAN, class_="soft") if found.section("pace") is None else "",
        contents,
        *parts,
        tag("h3", "What was played", id=f"{anchor}-played"),
        _played(found),
    ]
    return tag("section", *body, id=anchor)


def _notices(found: Balance) -> Html:
    """What must be known before any number is read."""
    said = list(found.notices)
    run = found.run
    if not run.complete:
        said.append(f"The run is not finished: {run.done:,} of {plural(run.matches, 'match')} are played.")
    if not said:
        return Html("")
    return tag(
        "div",
        *(tag("p", tag("strong", "Note: ") if number == 0 else "", text) for number, text in enumerate(said)),
        class_="notice",
        role="note",
    )


def _summary(found: Balance) -> list[str]:
    said = [*(found.sections[0].sentences if found.sections else ()), *(choice.statement for choice in found.choices)]
    joined = found.section("compared")
    said += joined.sentences if joined else ()
    skill = found.section("skill")
    if skill and len(found.labels) == 1:
        said += skill.sentences
    return [_plain(found, text) for text in said]


def _glance(made: Page, found: Balance) -> Html:
    """The numbers that matter most: tiles for one variant, a table for several."""
    shown = telling(found, CHARTED)
    best: dict[tuple[str, str], Finding] = {}
    for metric, _ in _GLANCE:
        for one in findings(found, metric, shown.labels):
            other = best.get((metric, one.variant))
            if other is None or (one.estimate.value or 0.0) > (other.estimate.value or 0.0):
                best[metric, one.variant] = one
    metrics = [(metric, name) for metric, name in _GLANCE if any(key[0] == metric for key in best)]
    if len(found.labels) == 1:
        return _tiles(made, [(name, best[metric, found.labels[0]]) for metric, name in metrics])
    metrics = metrics[:4]
    verdicts = any(one.verdict for one in best.values())
    rows = []
    for label in shown.labels:
        cells: list[Any] = [label]
        if verdicts:
            spread = best.get(("seat_spread", label))
            cells.append(chip(spread.verdict) if spread else "")
        for metric, _ in metrics:
            known = best.get((metric, label))
            cells.append(_two_lines(known) if known else "")
        rows.append(cells)
    columns = ("Variant", *(("Fair?",) if verdicts else ()), *(f"#{name}" for _, name in metrics))
    table = made.table(Grid(columns, rows), "Variants at a glance")
    note = tag("p", shown.note, class_="soft") if shown.note else ""
    return tag("div", table, note, class_="glance")


def _two_lines(one: Finding) -> Html:
    value, ends, _ = estimate_cells(one.estimate, METRICS[one.metric].unit)
    return join([value, tag("span", ends, class_="ends") if ends else ""])


def _tiles(made: Page, chosen: Sequence[tuple[str, Finding]]) -> Html:
    tiles = []
    for name, one in chosen:
        value, ends, _ = estimate_cells(one.estimate, METRICS[one.metric].unit)
        verdict = tag("small", chip(one.verdict)) if one.verdict else ""
        tiles.append(
            tag(
                "div",
                tag("dt", made.metric(one.metric, name)),
                tag("dd", value, tag("small", ends) if ends else "", verdict),
            )
        )
    return tag("dl", *tiles, class_="tiles")


def _section(made: Page, found: Balance, section: Section, charts: Sequence[Figure], first: bool, anchor: str) -> Html:
    said = () if first else section.sentences  # the first section's are the page's summary
    return tag(
        "section",
        tag("h3", section.title, id=anchor),
        sentences([_plain(found, text) for text in said]),
        tag("div", *(made.figure(one) for one in charts), class_="figures") if charts else "",
        tag("details", tag("summary", "All numbers of this section"), _all(made, found, section)),
    )


def _plain(found: Balance, text: str) -> str:
    """A sentence without the name of the only variant at its head."""
    if len(found.labels) > 1 or not text.startswith(f"{found.labels[0]}: "):
        return text
    rest = text.removeprefix(f"{found.labels[0]}: ")
    return rest[:1].upper() + rest[1:]


def _all(made: Page, found: Balance, section: Section) -> Html:
    shown = telling(found, CHARTED)
    rows, left_out = cut(section.findings, shown, MOST_ROWS)
    several = len(found.labels) > 1
    groups, verdicts, notes = (any(getattr(one, name) for one in rows) for name in ("group", "verdict", "note"))
    columns = [
        "Metric",
        *(["Variant"] if several else []),
        *(["Bots"] if groups else []),
        "Of",
        "#Value",
        "#95 %",
        "#Matches",
        *(["Verdict"] if verdicts else []),
        *(["Note"] if notes else []),
    ]
    body = []
    for one in rows:
        body.append(
            [
                made.metric(one.metric, brief=True),
                *([one.variant] if several else []),
                *([one.group] if groups else []),
                one.subject,
                *estimate_cells(one.estimate, METRICS[one.metric].unit),
                *([chip(one.verdict)] if verdicts else []),
                *([one.note] if notes else []),
            ]
        )
    return made.table(Grid(tuple(columns), body, left_out), section.title)


def _pieces(made: Page, found: Balance, anchor: str) -> Html:
    shown = telling(found, CHARTED)
    several = len(found.labels) > 1
    ordered = sorted(found.pieces, key=lambda one: -abs(one.effect.value or 0.0))
    if len(ordered) > MOST_ROWS:
        ordered = [one for one in ordered if one.variant in shown.labels]
    rows = [
        [
            *([one.variant] if several else []),
            one.piece or "-",
            one.way.replace("_", " "),
            percent(one.rate),
            f"{one.uses:.2f}",
            *estimate_cells(one.effect, "share"),
            chip(one.verdict) if one.effect.value is not None else "too rare",
        ]
        for one in ordered[:MOST_ROWS]
    ]
    columns = ("Variant",) * several + ("Piece", "Way", "#Rate", "#Uses", "#Effect", "#95 %", "#Matches", "Verdict")
    return tag(
        "section",
        tag("h3", "What are the pieces worth?", id=anchor),
        tag(
            "p",
            "What a piece is worth to whoever is dealt it, which is chance, and what goes with getting it later and "
            "with using it. Verdicts are corrected for the number of pieces and ways.",
        ),
        tag("div", *(made.figure(one) for one in inside_figures.pieces(found)), class_="figures"),
        tag(
            "details",
            tag("summary", "All pieces and ways"),
            made.table(Grid(columns, rows, len(found.pieces) - len(rows)), "Pieces and ways"),
        ),
    )


def _differences(made: Page, found: Balance, anchor: str) -> Html:
    ordered = [*(one for one in found.differences if one.verdict != "not separated")]
    ordered += [one for one in found.differences if one.verdict == "not separated"]
    shown = telling(found, CHARTED)
    if len(ordered) > MOST_ROWS:
        ordered = [one for one in ordered if one.variant in shown.labels]
    rows = [
        [
            made.metric(one.metric, brief=True),
            one.variant,
            one.group,
            one.subject,
            *estimate_cells(one.estimate, METRICS[one.metric].unit)[:2],
            "< 0.0001" if one.p < 0.0001 else f"{one.p:.4f}",
            one.verdict,
        ]
        for one in ordered[:MOST_ROWS]
    ]
    apart = sum(one.verdict != "not separated" for one in found.differences)
    columns = ("Metric", "Variant", "Bots", "Of", "#Difference", "#95 %", "#p", "Verdict")
    return tag(
        "section",
        tag("h3", "Compared", id=anchor),
        tag(
            "p",
            f"Differences to {found.labels[0]}, paired on deals: {apart:,} of {len(found.differences):,} are separated "
            "from 0 after correction for their number (Holm, within each metric).",
        ),
        tag(
            "details",
            tag("summary", "All differences, the separated ones first"),
            made.table(Grid(columns, rows, len(found.differences) - len(rows)), "Differences"),
        ),
    )


def _played(found: Balance) -> Html:
    """What was played and how to play it again."""
    run, known = found.run, found.facts
    variants = [tag("li", variant.label) for variant in known.variants[:CHARTED]]
    if len(known.variants) > CHARTED:
        variants.append(tag("li", f"and {len(known.variants) - CHARTED:,} more, up to {known.variants[-1].label}"))
    deals = plural(-(-run.done // run.lineups), "deal")
    matches = f"{run.done:,} on {deals}, each played by {plural(run.lineups, 'line-up')}"
    again = known.again
    lines = [again] if again else []
    lines.append(
        f"hilltop report {run.id} --to report.html" + ("" if found.margin == 0.01 else f" --margin {found.margin:g}")
    )
    note = (
        "These commands play the same matches and write this page:"
        if again
        else "The run's rules cannot be written on a command line; its database has them. This writes the page again:"
    )
    return join(
        [
            facts(
                [
                    ("Game", known.title),
                    ("Credit", known.credit),
                    ("Variants", tag("ul", *variants) if len(variants) > 1 else known.variants[0].label),
                    ("Bots", ", ".join(found.bots)),
                    ("Seats", str(known.players)),
                    ("Matches", matches),
                    *([] if known.cooperative else [("Margin", f"{percent(found.margin)} of score share")]),
                    ("Seed", str(known.seed)),
                    ("Run", run.id),
                    ("Played", f"{run.created.isoformat(' ', 'minutes')} UTC"),
                    ("Version", f"hilltop {run.version}, code {run.fingerprint}"),
                ]
            ),
            tag("p", note),
            tag("pre", tag("code", "\n".join(lines)), tabindex="0"),
        ]
    )
