"""What makes a stored run evidence: its digest."""

from __future__ import annotations

import hashlib

from tournament.statistics.tally import Tally


def digest(tally: Tally, done: int) -> str:
    """A hash of the ``done`` first matches of a run: of their number, and of the results of each line-up.

    The same for the same matches, wherever and in whatever chunks they were played, and how often that was interrupted.
    """
    sums = tally.of("digest").sum(axis=0).astype("<i8")
    return hashlib.sha256(f"{done}\0".encode() + sums.tobytes()).hexdigest()[:16]
