"""The balance report on a toy with planted truths, from the match loop to the verdict; and on a real game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storage.store import Store, writing
from tests import toy
from tournament import run as runner
from tournament.balance import inside
from tournament.balance.summary import Balance, gather
from tournament.execution import InProcess
from tournament.plan import compared, guarding, plan_variants
from tournament.statistics.counted import read

LEVEL = Path(toy.__file__).with_name("level.py")
FIELD = ",".join(f"{LEVEL}(level={level})" for level in range(4))


@pytest.fixture(scope="module", autouse=True)
def toy_game() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with writing(tmp_path / "toy.duckdb") as opened:
        yield opened


def played(store: Store, *rules: str, matches: int = 24_000, bots: str = FIELD, margin: float = 0.01) -> Balance:
    """The report on a run of the toy under these rules (given twice: compared)."""
    chosen = compared("toy", ["standard"], rules)
    # The toy is a game in this process only: its bots must not play in one of their own.
    plan = plan_variants("toy", bots, chosen, 2, matches, 3, telemetry=True, guard=guarding(trust=True))
    run = runner.start(plan, store)
    runner.play(plan, store, run, InProcess())
    return gather(read(store, store.run(run.id)), margin)


def value(found: Balance, metric: str, subject: str = "", variant: int = 0, group: str = "") -> Any:
    """The one finding of that kind."""
    label = found.labels[variant]
    wanted = (metric, label, subject, group)
    hits = [
        one
        for section in found.sections
        for one in section.findings
        if (one.metric, one.variant, one.subject, one.group) == wanted
    ]
    assert len(hits) == 1, wanted
    return hits[0]


def holds(estimate: Any, truth: float) -> bool:
    """Is the planted truth within the interval, and is the interval worth having?"""
    assert estimate.low < estimate.high < estimate.low + 0.1
    return bool(estimate.low <= truth <= estimate.high)


def test_a_planted_seat_bias_is_recovered_and_judged(store: Store) -> None:
    found = played(store, "bias=60", matches=72_000)
    assert holds(value(found, "seat_share", "seat 0", group="all").estimate, 0.56)
    spread = value(found, "seat_spread", group="all")
    assert spread.verdict == "unfair"
    assert holds(spread.estimate, 0.06)
    assert "unfair at a margin of 1.00 %" in found.sections[0].sentences[0]


def test_a_symmetric_toy_is_fair(store: Store) -> None:
    # Every deal is one coin here, so about (1.96 / 2 / 0.02)^2 deals decide at a margin of 2 %.
    found = played(store, matches=240_000, margin=0.02)
    assert value(found, "seat_spread", group="all").verdict == "fair"
    assert "fair at a margin of 2.00 %" in found.sections[0].sentences[0]
    (card,) = [piece for piece in found.pieces if piece.piece == "X"]
    assert card.verdict == "not separated"
    few = played(store, matches=1_200, margin=0.01)
    assert value(few, "seat_spread", group="all").verdict == "undecided"
    assert value(few, "matches_to_decide", group="all").estimate.value > 1_000


def test_a_planted_card_is_recovered(store: Store) -> None:
    found = played(store, "card=80", matches=60_000)
    (card,) = [piece for piece in found.pieces if piece.piece == "X"]
    assert (card.way, card.verdict) == ("dealt", "helps")
    assert holds(card.effect, 0.08)
    assert abs(card.rate - 0.5) < 0.02
    harmful = played(store, "card=-80", matches=60_000)
    assert [piece.verdict for piece in harmful.pieces if piece.piece == "X"] == ["hurts"]


def test_a_strong_card_that_is_only_taken_by_choice_is_not_called_strong_by_chance(store: Store) -> None:
    found = played(store, "card=80", "shop=1", matches=60_000)
    cards = [piece for piece in found.pieces if piece.piece == "X"]
    assert [(card.way, card.chance, card.verdict) for card in cards] == [("came_later", False, "helps")]
    section = found.section("pieces")
    assert section is not None
    assert "X, came later, goes with" in section.sentences[0]
    dealt = played(store, "card=80", matches=60_000)
    assert [piece.chance for piece in dealt.pieces if piece.piece == "X"] == [True]
    section = dealt.section("pieces")
    assert section is not None
    assert "being dealt X is worth" in section.sentences[0]


@pytest.mark.parametrize("luck", [250, 700])
def test_a_planted_luck_share_is_recovered(store: Store, luck: int) -> None:
    """Chance decides a part q of deals, the same way for all line-ups. A seat's share has a variance of 1/4. The means
    of line-ups, q/2 and 1 - q/2, explain (1 - q)^2 of it. Two line-ups that the same seat wins by level have a
    covariance of q/2 - q^2/4 on a deal, others q^2/4; of the 132 pairs of the twelve line-ups 60 are of the first kind.
    """
    found = played(store, f"luck={luck}", matches=48_000)
    q = luck / 1000
    bots = (1 - q) ** 2
    deal = 4 * (60 * (q / 2 - q * q / 4) + 72 * q * q / 4) / 132
    assert holds(value(found, "bot_share").estimate, bots)
    assert holds(value(found, "deal_share").estimate, deal)
    assert holds(value(found, "rest_share").estimate, 1 - bots - deal)
    assert value(found, "seat_effect_share").estimate.value < 0.001


def test_variants_are_compared_on_the_same_deals(store: Store) -> None:
    found = played(store, "bias=0", "bias=60", "bias=120", matches=240_000)
    gaps = {
        one.variant: one
        for one in found.differences
        if (one.metric, one.subject, one.group) == ("seat_share", "seat 0", "all")
    }
    assert len(gaps) == 2
    for variant, truth in zip(found.labels[1:], (0.06, 0.12), strict=True):
        assert holds(gaps[variant].estimate, truth)
        assert gaps[variant].verdict == "higher"
        # Paired on deals: of the deals only those between the two chances differ, so the gap has variance g (1 - g), a
        # share alone 1/4: their widths are as 0.47 and 0.65 to 1 (no bound of 0.6 can hold for both), told to 10 %.
        gap: Any = gaps[variant].estimate
        width = gap.high - gap.low
        alone = value(found, "seat_share", "seat 0", group="all").estimate
        assert width / (alone.high - alone.low) == pytest.approx(2.0 * (truth * (1.0 - truth)) ** 0.5, rel=0.25)
    fairest = found.choices[0]
    assert (fairest.metric, fairest.variant, fairest.rivals) == ("seat_spread", found.labels[0], ())
    assert "The data separate it" in fairest.statement
    again = played(store, "bias=0", "bias=1", matches=4_000)
    assert again.choices[0].rivals
    assert "do not separate" in again.choices[0].statement


def test_what_a_bot_loses_without_a_rule_element(tmp_path: Path) -> None:
    with writing(tmp_path / "x.duckdb") as store:
        bots = "greedy,points_rush,greedy(never=points)"
        plan = plan_variants("cuttle", bots, [("standard", {})], 2, 1_800, 3, telemetry=True)
        run = runner.start(plan, store)
        runner.play(plan, store, run, InProcess())
        found = gather(read(store, store.run(run.id)))
    cost = value(found, "restriction_cost", "greedy(never=points)")
    assert cost.estimate.low > 0.1  # it can hardly win without points
    section = found.section("restricted")
    assert section is not None
    assert "greedy(never=points) loses" in section.sentences[0]


def test_telemetry_sums_to_what_is_stored(tmp_path: Path) -> None:
    with writing(tmp_path / "x.duckdb") as store:
        chosen = compared("cuttle", ["standard", "short"])
        plan = plan_variants("cuttle", "random,greedy", chosen, 2, 6_000, 3, telemetry=True)
        run = runner.start(plan, store)
        runner.play(plan, store, run, InProcess())
        run = store.run(run.id)
        counted = read(store, run)
        within = inside.inside_of(counted.facts, counted.tally)
        assert within is not None
        assert within.of("matches").sum() == run.done
        frame = store._polars("SELECT sum(plies) AS plies, count(*) AS n FROM results WHERE run = ?", [run.number])
        assert within.of("plies").sum() == frame["plies"][0]
        assert within.of("matches").shape[1] == 2
        assert (within.of("rounds_hist").sum(axis=2) == within.of("matches")).all()
        curve = inside.lead_curve(within)
        assert curve is not None
        assert np.isfinite(curve.value).all()
        for one in inside.distributions(within):
            assert one.counts.shape == (2, len(one.values))


def test_a_lean_run_says_what_is_missing(tmp_path: Path) -> None:
    with writing(tmp_path / "x.duckdb") as store:
        plan = plan_variants("cuttle", "random,greedy", [("standard", {})], 2, 400, 3)
        run = runner.start(plan, store)
        runner.play(plan, store, run, InProcess())
        found = gather(read(store, store.run(run.id)))
    assert found.pieces == ()
    assert [section.id for section in found.sections] == ["fairness", "skill", "diversity"]


def test_sentences_are_about_strong_play_and_join_what_differs(store: Store) -> None:
    found = played(store, "luck=200", "luck=800", matches=48_000)
    first = found.sections[0].sentences[0]
    assert "the first player gets" in first or "the second player gets" in first
    section = found.section("compared")
    assert section is not None
    (joined,) = section.sentences
    assert joined.startswith(f"{found.labels[1]} against {found.labels[0]}: the luck of the deal explains more (")
    assert ", and the better bot explains less (" in joined
