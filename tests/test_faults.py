"""Every fault of ``docs/faults.md`` has a test that exists, or a reason."""

from __future__ import annotations

import re

import pytest

from tests.program import ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "faults.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith(("| report", "|---"))
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_fault_has_its_test(row: list[str]) -> None:
    assert len(row) == 3
    assert all(row)
    named = re.findall(r"`(test_\w+\.py)(?:: (test_\w+))?`", row[2])
    assert named or row[2] == "no such code"
    for file, test in named:
        text = (ROOT / "tests" / file).read_text()
        assert not test or re.search(rf"^def {test}\(", text, re.MULTILINE), f"{file}: {test}"


def test_nothing_is_left_out() -> None:
    assert len(ROWS) >= 50
