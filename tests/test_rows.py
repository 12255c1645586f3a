"""Writing eight numbers in one step: the same compiled and interpreted, and nothing beside them."""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from engine.rows import WIDTH, write_row


@kernel
def compiled(items, first, base, rows, row):
    write_row(items, first, base, rows, row)
    return 0


def test_a_row_goes_to_its_place_and_nowhere_else() -> None:
    rows = np.arange(3 * WIDTH).reshape(3, WIDTH) ** 2
    for first in range(4):
        for row in range(3):
            items = np.full(WIDTH + 4, -1)
            again = items.copy()
            compiled(items, first, 1000, rows, row)
            write_row(again, first, 1000, rows, row)
            assert items.tolist() == again.tolist()
            assert items.tolist() == [-1] * first + (1000 + rows[row]).tolist() + [-1] * (4 - first)
