"""Everything that is said about the balance of a run: findings by section, each begun by sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import HilltopError
from storage.store import StoredRun
from tournament.balance import compare, diversity, fairness, inside, restricted, skill, team
from tournament.balance.compare import Choice, Difference
from tournament.balance.finding import Finding, Series, by_variant
from tournament.balance.inside import Distribution, PieceEffect
from tournament.balance.words import interval, percent
from tournament.statistics.counted import Counted, notices
from tournament.statistics.decision import UNDECIDED
from tournament.statistics.estimate import HIGHER, LOWER, Jackknifed
from tournament.statistics.facts import Facts
from tournament.statistics.sample import Sample
from tournament.statistics.team import TeamSample, pair_and_solo

FEW = 8  # variants that sentences speak of one by one
TOLD_PIECES = 5  # of each variant


@dataclass(frozen=True)
class Section:
    """One question that a designer asks, with its answers in words and in numbers."""

    id: str
    title: str
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Balance:
    """The report on one run. ``sections`` come in the order in which they are read."""

    counted: Counted
    margin: float
    labels: tuple[str, ...]  # of the variants
    sections: tuple[Section, ...]
    pieces: tuple[PieceEffect, ...]
    differences: tuple[Difference, ...]
    choices: tuple[Choice, ...]
    distributions: tuple[Distribution, ...]
    curve: Jackknifed | None
    pairs: Jackknifed | None  # (V, B, B): the row's share against the column
    scores: tuple[team.ScoreRow, ...]
    notices: tuple[str, ...]

    @property
    def bots(self) -> tuple[str, ...]:
        """The entrants' names."""
        return self.facts.names

    @property
    def run(self) -> StoredRun:
        """The run as it is stored."""
        return self.counted.run

    @property
    def facts(self) -> Facts:
        """What the run was begun with."""
        return self.counted.facts

    def section(self, name: str) -> Section | None:
        """The section of that id."""
        return next((section for section in self.sections if section.id == name), None)


def gather(
    counted: Counted,
    margin: float = fairness.MARGIN,
    solo: Counted | None = None,
    without: Counted | None = None,
) -> Balance:
    """The balance of a run; ``solo``: a run of one player on the same deals, for a cooperative pair; ``without``: a run
    of strong bots with and without pieces (``restricted.field_without``)."""
    run, facts = counted.run, counted.facts
    if not run.done:
        raise HilltopError(f"run {run.id} holds no matches yet; 'hilltop run --resume {run.id}' plays them")
    within = inside.inside_of(facts, counted.tally)
    if facts.cooperative:
        return _cooperative(counted, margin, within, solo)
    sample = counted.sample
    labels = sample.design.variants
    series: list[Series] = list(compare.all_series(sample))
    sections = [_fairness(sample, margin)]
    if within:
        sections += _within(within, labels)
        series += inside.series(within)
    sections.append(_skill(sample))
    if len(facts.bots) > 1:
        sections.append(_diversity(sample))
    costs = restricted.series(facts, sample)
    series += costs
    apart = restricted.series(without.facts, without.sample) if without else []
    if costs or apart:
        sections.append(_restricted([*costs, *apart], labels))
    pieces = inside.piece_effects(within) if within else []
    if pieces:
        sections.append(Section("pieces", "What are the pieces worth?", _piece_sentences(pieces, apart, labels), ()))
    choices: list[Choice | None] = []
    differences = compare.differences(series, labels) if len(labels) > 1 else []
    if len(labels) > 1:
        sections.append(Section("compared", "Compared", _joined(series, differences, labels), ()))
        choices = [compare.fairest(sample), compare.most_skilful(sample)]
    return Balance(
        counted,
        margin,
        labels,
        tuple(section for section in sections if section.findings or section.sentences),
        tuple(pieces),
        tuple(differences),
        tuple(choice for choice in choices if choice),
        tuple(inside.distributions(within)) if within else (),
        inside.lead_curve(within) if within else None,
        sample.pair_shares if len(facts.bots) > 1 else None,
        (),
        tuple(notices(counted)),
    )


def confirmed(found: Balance, fresh: Balance) -> Balance:
    """The report with what fresh deals say of one variant's fairness: it was not chosen for how it did on these."""
    said = fresh.section("fairness")
    told = tuple(f"On fresh deals (seed {fresh.facts.seed}) {one}" for one in (said.sentences if said else ()))
    return replace(found, sections=(*found.sections, Section("confirmed", "Confirmed?", told, ())))


def _cooperative(counted: Counted, margin: float, within: inside.Inside | None, solo: Counted | None) -> Balance:
    sample = TeamSample(counted.facts, counted.tally)
    alone = None
    partners = sample
    if solo is not None:
        partners, alone = pair_and_solo(sample, TeamSample(solo.facts, solo.tally))
    labels = sample.variants
    series = team.series(sample) + (team.solo_gaps(partners, alone) if alone else [])
    sections = [
        Section("team", "How hard is it?", _team_sentences(series[0], labels), tuple(by_variant(series, labels)))
    ]
    if within:
        sections += _within(within, labels)
        series += inside.series(within)
    return Balance(
        counted,
        margin,
        labels,
        tuple(section for section in sections if section.findings),
        tuple(inside.piece_effects(within)) if within else (),
        tuple(compare.differences(series, labels)) if len(labels) > 1 else (),
        (),
        tuple(inside.distributions(within)) if within else (),
        None,
        None,
        tuple(team.score_table(sample)),
        tuple(notices(counted)),
    )


# ---------------------------------------------------------------- sections


def _fairness(sample: Sample, margin: float) -> Section:
    findings = fairness.fairness(sample, margin)
    strong = fairness.strong(sample)
    # Designers ask about strong play; that of the whole field stands beside it.
    verdicts = [one for one in findings if one.metric == "seat_spread"]
    heads = [one for one in verdicts if one.group == (fairness.BEST if strong else fairness.ALL)]
    told = [_verdict(one, findings, margin, strong) for one in heads[:FEW]]
    if len(heads) > FEW:
        counts = {word: sum(one.verdict == word for one in heads) for word in ("fair", "unfair", UNDECIDED)}
        shown = ", ".join(f"{count} {word}" for word, count in counts.items())
        told = [f"Of {len(heads)} variants at a margin of {percent(margin)}{_in_play(strong)}: {shown}."]
        told.append(_verdict(heads[0], findings, margin, strong))
    return Section("fairness", "Is it fair?", tuple(told), tuple(findings))


def _in_play(strong: Sequence[str]) -> str:
    return f" in strong play ({', '.join(strong)})" if strong else ""


def _verdict(one: Finding, findings: Sequence[Finding], margin: float, strong: Sequence[str]) -> str:
    value = f"{one.variant} is {one.verdict} at a margin of {percent(margin)}{_in_play(strong)}"
    shown = f"{value}: {_who(one)}."
    more = next(
        (
            other
            for other in findings
            if other.metric == "matches_to_decide" and (other.variant, other.group) == (one.variant, one.group)
        ),
        None,
    )
    if more and more.estimate.value:
        shown += f" About {more.estimate.value:,.0f} more matches would decide."
    elif more and one.estimate.value is not None:
        shown += " It cannot be decided at this margin."
    rest = []
    for group, where in ((fairness.EQUALS, "between equals"), (fairness.ALL, "over all matches")):
        for other in findings:
            if (other.metric, other.variant, other.group) == ("seat_spread", one.variant, group) and other is not one:
                rest.append(f"{where} it is {other.verdict} ({_who(other)})")
    if rest:
        told = "; ".join(rest)
        shown += f" {told[0].upper()}{told[1:]}."
    return shown


def _who(one: Finding) -> str:
    """Which player is furthest from even, and how far."""
    found = re.match(r"seat (\d+) gets (more|less)", one.note)
    apart = interval(one.estimate, "share")
    if not found:
        return f"a seat is {apart} from even"
    number = int(found[1])
    ordinal = ("first", "second", "third", "fourth", "fifth", "sixth")[number]
    return f"the {ordinal} player gets {apart} {found[2]} than an even share"


def _within(within: inside.Inside, labels: Sequence[str]) -> list[Section]:
    sections = []
    for name, title, series in (
        ("pace", "How long, and how much to decide?", inside.pace(within)),
        ("drama", "Is it exciting?", inside.drama(within)),
    ):
        findings = by_variant(series, labels)
        sections.append(Section(name, title, tuple(_facts(findings, name, labels)), tuple(findings)))
    return sections


def _facts(findings: Sequence[Finding], name: str, labels: Sequence[str]) -> list[str]:
    told = []
    for label in labels[:FEW]:
        found = {
            one.metric: one.estimate.value for one in findings if one.variant == label and one.metric != "ending_share"
        }
        if name == "pace":
            forced, legal = found.get("forced_share"), found.get("legal_moves")
            if forced is not None and legal is not None:
                told.append(f"{label}: {legal:.1f} legal moves on average, {percent(forced)} of moves forced.")
        else:
            changes, last, back = (found.get(key) for key in ("lead_changes", "last_lead", "comeback_share"))
            if changes is not None and last is not None and back is not None:
                told.append(
                    f"{label}: the lead changes {changes:.1f} times, the last time after {percent(last)} of a match; "
                    f"{percent(back)} of winners had been behind."
                )
    return told


def _skill(sample: Sample) -> Section:
    findings = skill.skill(sample)
    told = []
    for label in sample.design.variants[:FEW]:
        found = {one.metric: one.estimate.value for one in findings if one.variant == label}
        parts = [found.get(key) for key in ("bot_share", "seat_effect_share", "deal_share", "rest_share")]
        if all(part is not None for part in parts):
            bots, seat, deal, rest = (percent(part or 0.0) for part in parts)
            told.append(
                f"{label}: the bots explain {bots} of the outcome, the seat {seat}, the deal {deal}, the rest {rest}."
            )
    return Section("skill", "Skill or luck?", tuple(told), tuple(findings))


def _diversity(sample: Sample) -> Section:
    findings = diversity.diversity(sample)
    told = []
    for label in sample.design.variants[:FEW]:
        weights = [one for one in findings if one.variant == label and one.metric == "equilibrium_weight"]
        used = [
            f"{one.subject} {percent(one.estimate.value or 0.0)}"
            for one in weights
            if (one.estimate.value or 0) > 0.001
        ]
        if used:
            told.append(f"{label}: in equilibrium play {', '.join(used)}.")
    return Section("diversity", "Is there more than one good way to play?", tuple(told), tuple(findings))


def _restricted(costs: Sequence[Series], labels: Sequence[str]) -> Section:
    findings = by_variant(costs, labels)
    told = [
        f"{one.variant}: {one.subject} loses {interval(one.estimate, 'share')} of score share."
        for one in findings[: 2 * FEW]
    ]
    return Section("restricted", "What are the rules' elements worth?", tuple(told), tuple(findings))


# What is compared in one sentence: metric, in words, and how a value of it is said to rise or fall.
_JOINED = (
    ("match_plies", "", ("longer", "shorter")),
    ("deal_share", "the luck of the deal explains", ("more", "less")),
    ("bot_share", "the better bot", ("explains more", "explains less")),
)


def _joined(series: Sequence[Series], differences: Sequence[Difference], labels: Sequence[str]) -> tuple[str, ...]:
    """Length, luck and skill of each variant against the first, in a sentence each: what the data separate."""
    values = {one.metric: one.values.value[:, 0] for one in series if len(one.subjects) == 1 and not one.group}
    known = {(one.metric, one.variant): one for one in differences if not one.group and not one.subject}
    told = []
    for v, label in enumerate(labels[1 : FEW + 1], start=1):
        parts = []
        for metric, words, (up, down) in _JOINED:
            gap = known.get((metric, label))
            if gap is None or gap.verdict not in (HIGHER, LOWER) or gap.estimate.value is None:
                continue
            way = up if gap.verdict == HIGHER else down
            if metric == "match_plies":
                parts.append(f"{way} by {abs(gap.estimate.value):.1f} plies")
            else:
                before, after = percent(values[metric][0]), percent(values[metric][v])
                parts.append(f"{words} {way} ({before} to {after})")
        said = ", and ".join(parts) if parts else "no difference in length, luck or skill that the data separate"
        told.append(f"{label} against {labels[0]}: {said}.")
    return tuple(told)


def _piece_sentences(pieces: Sequence[PieceEffect], apart: Sequence[Series], labels: Sequence[str]) -> tuple[str, ...]:
    """One answer a piece: what it is worth to be dealt it, and what a strong bot loses without it."""
    told = []
    for v, label in enumerate(labels[:FEW]):
        for one in inside.telling_pieces([piece for piece in pieces if piece.variant == label], TOLD_PIECES):
            effect = interval(one.effect, "share")
            if one.chance:
                got = "being dealt" if one.way == inside.DEALT else "drawing blind, first,"
                sentence = f"{label}: {got} {one.piece} is worth {effect} of score share, by chance alone"
            else:
                way = one.way.replace("_", " ")
                sentence = f"{label}: {one.piece}, {way}, goes with {effect} of score share, whatever the cause"
            for series in apart:
                if series.subjects[0].endswith(f"never={one.piece})"):
                    base = series.subjects[0].partition("(")[0]
                    lost = interval(series.values.estimate(v, 0), "share")
                    sentence += f"; {base} loses {lost} if it never uses it"
            told.append(f"{sentence}.")
    return tuple(told)


def _team_sentences(rates: Series, labels: Sequence[str]) -> tuple[str, ...]:
    told = []
    for v, label in enumerate(labels[:FEW]):
        values = rates.values.value[v]
        best = int(values.argmax())
        estimate = rates.values.estimate(v, best)
        told.append(f"{label}: the best team, {rates.subjects[best]}, wins {interval(estimate, 'share')} of deals.")
    return tuple(told)
