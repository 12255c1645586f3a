"""Every promise is kept in simulation; and a broken one is noticed."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

import numpy as np
import pytest

from tests.conftest import Program
from tournament import selftest
from tournament.selftest import AROUND, AT_LEAST, AT_MOST, Check
from tournament.statistics import decision
from tournament.statistics.counted import Counted


def test_all_promises_are_kept(program: Program) -> None:
    answer = program("selftest", "--format", "json")
    rows = json.loads(answer.out)
    assert [row["promise"] for row in rows if row["kept"] != "yes"] == []
    assert answer.code == 0
    assert len(rows) > 35


@pytest.mark.soak
def test_all_promises_are_kept_in_ten_times_as_many_runs(program: Program) -> None:
    answer = program("selftest", "--long", "--format", "json")
    assert [row["promise"] for row in json.loads(answer.out) if row["kept"] != "yes"] == []


@pytest.mark.parametrize(
    ("kind", "promised", "happened", "kept"),
    [(AT_MOST, 0.05, 60, False), (AT_MOST, 0.05, 25, True), (AT_LEAST, 0.95, 360, False), (AT_LEAST, 1.0, 400, True),
     (AT_LEAST, 1.0, 399, False), (AROUND, 0.95, 345, False), (AROUND, 0.95, 372, True), (AROUND, 0.95, 400, False)],
)  # fmt: skip
def test_a_broken_promise_is_noticed(kind: str, promised: float, happened: int, kept: bool) -> None:
    assert Check("", kind, promised, happened, 400).kept is kept


def test_a_broken_promise_is_an_error(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "checks", lambda _: iter([Check("the moon is round", AT_LEAST, 1.0, 0, 1)]))
    answer = program("selftest")
    assert answer.code == 1
    assert "1 of 1 promises are broken" in answer.out


def test_matches_that_count_more_than_once_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = "five runs of the same matches"
    monkeypatch.setattr(selftest, "POOLS", {one: selftest.POOLS[one]})
    monkeypatch.setattr(selftest, "DEALT", {"2 seats": selftest.DEALT["2 seats"]})
    real, seeds = selftest._dealt, itertools.count()

    def of_other_deals(*asked: Any) -> Counted:
        found = real(*asked)
        return dataclasses.replace(found, facts=dataclasses.replace(found.facts, seed=next(seeds)))

    monkeypatch.setattr(selftest, "_dealt", of_other_deals)
    assert [check.kept for check in selftest._pools(50)] == [False, False]


def test_many_comparisons_are_worth_less_the_more_they_go_together() -> None:
    rng = np.random.default_rng(5)
    shared = rng.standard_normal((100, 1))
    worth = [
        decision.comparisons(np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal((100, 20)))
        for rho in (0.0, 0.7, 0.999)
    ]
    assert 15.0 < worth[0] <= 20.0
    assert 5.0 < worth[1] < worth[0]
    assert 1.0 <= worth[2] < 2.0
    assert decision.comparisons(np.zeros((100, 5))) == 1.0


def test_what_lies_on_the_margin_cannot_be_decided() -> None:
    assert decision.more_deals(0.02, 0.0001, 100_000, 0.02) is None
    few = decision.more_deals(0.01, 0.05, 100, 0.02)
    assert few is not None
    assert few > 10_000
    assert decision.more_deals(0.0, 0.01, 1000, 0.02) is not None
    assert decision.more_deals(float("nan"), 0.01, 1000, 0.02) is None
    near, far = (decision.more_deals(value, 0.01, 1000, 0.02) for value in (0.012, 0.0))
    assert near is None or (far is not None and near > far)
    assert decision.verdict(0.0, 0.01, 0.02) == decision.FAIR
    assert decision.verdict(0.04, 0.01, 0.02) == decision.UNFAIR
    assert decision.verdict(0.02, 0.01, 0.02) == decision.UNDECIDED
    assert decision.verdict(0.0, float("nan"), 0.02) == decision.UNDECIDED
