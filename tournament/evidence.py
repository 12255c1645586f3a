"""What makes a stored run evidence: its digest, an audit of what is stored, and matches played again.

An audit needs no rules and no bots: it compares what is stored with what was planned and with itself. Every result is
covered three times: by the hash of its chunk's rows, by the sums of its block, and by its own line-up's digest.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence

import numpy as np

from engine.errors import HilltopError
from engine.loop import ROW_PLIES, ROW_RANKS, ROW_REASON
from engine.text import plural
from storage.store import Store, StoredRun
from tournament.apart import worker_of
from tournament.counting import Array, counter
from tournament.execution import Executor
from tournament.plan import Plan
from tournament.run import knowing
from tournament.statistics.counted import Counted, read
from tournament.statistics.tally import FAULTS, Tally, digest

SLICE = 1 << 19  # matches looked at together
SAMPLE = 1_000  # matches that are played again unless more are asked for


# ---------------------------------------------------------------- what is stored


def audit(store: Store, run: StoredRun) -> list[str]:
    """What is wrong with a stored run, a sentence each. Trouble in reading it is a finding too."""
    found: list[str] = []
    try:
        for part in (_identity, _chunks, _results):
            found += part(store, run)
    except HilltopError as error:
        found.append(str(error))
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, ArithmeticError) as error:
        found.append(f"what is stored cannot be read ({type(error).__name__}: {error})")
    except Exception as error:  # of a damaged part of the file, which may be anything
        if type(error).__name__ != "error":  # zlib has no better name for its own
            raise
        found.append(f"sums cannot be read ({error})")
    return found


def _identity(store: Store, run: StoredRun) -> Iterator[str]:
    """Is it the run that its id says?"""
    stored, made = store.names()[run.number]
    if stored != made:
        yield f"its id should be {made}: settings, fingerprint or id were changed"
    bots, seatings = store.seatings(run)
    facts = read(store, run).facts
    if facts.trusted and list(facts.names) != bots and [bot.spec for bot in facts.bots] != bots:
        yield f"its bots are {', '.join(bots)}, but {', '.join(facts.names)} were described"
    planned = [(variant, list(seats)) for variant in range(len(facts.variants)) for seats in facts.lineups]
    if seatings != planned:
        wrong = next(
            (place for place, pair in enumerate(zip(seatings, planned, strict=False)) if pair[0] != pair[1]), 0
        )
        yield f"its line-ups are not those that were described (line-up {wrong})"
    if facts.seed != run.settings["seed"] or facts.players != run.settings["players"] or facts.matches != run.matches:
        yield "its settings are not those that were described"


def _chunks(store: Store, run: StoredRun) -> Iterator[str]:
    """Do its chunks hold its first matches, each once?"""
    end = 0
    for first, matches, _ in store.chunks(run):
        if first != end or matches < 1:
            yield f"a chunk of {plural(matches, 'match')} begins at match {first}, not at {end}"
        end = first + matches
    if end > run.matches:
        yield f"its chunks hold {plural(end, 'match')}, but {run.matches:,} were planned"


def _results(store: Store, run: StoredRun) -> Iterator[str]:
    """Are its results and its sums those of its chunks, its line-ups and each other?"""
    counted = read(store, run)
    yield from _planned(counted)
    count, different, first, last = store.matches(run)
    if run.keep != "matches":
        if count:
            yield f"{count} results are stored, but none should be kept"
        return
    if count != different:
        yield f"{plural(count - different, 'match is', 'matches are')} stored more than once"
    if (count, first, last) != (run.done, 0, run.done - 1):
        yield f"{count} results are stored, of the matches {first} to {last}; its chunks say 0 to {run.done - 1}"
    if count != run.done or count != different:
        return  # what follows compares by place
    facts = counted.facts
    counts = counter(facts.layout, facts.reasons, facts.nobody, facts.won)
    found = Tally(facts.layout, counted.tally.first, counted.tally.blocks)
    for first, rows in _slices(store, run, facts.layout.lineups * facts.layout.variants):
        yield from _possible(first, rows, len(facts.reasons))
        part = counts.count(first, rows)
        if not (found.first <= part.first and part.end <= found.end):
            yield "its sums have no place for all of its matches"
            return
        found.add(part)
    for first, matches, stored in store.chunks(run):
        # Chunks of versions before this one have no hash: their results have been in the sums ever since.
        if stored and hashlib.sha256(store.rows(run, first, first + matches).tobytes()).digest() != stored:
            yield f"the results of the matches {first} to {first + matches - 1} are not those that were played"
    for name, mine, theirs in (
        ("line-ups", found.lineups, counted.tally.lineups),
        ("variants", found.variants, counted.tally.variants),
    ):
        wrong = np.argwhere((mine != theirs).reshape(len(mine), -1).any(axis=1)).ravel()
        if len(wrong):
            block = counted.tally.first + int(wrong[0])
            deals = block << facts.layout.shift, ((block + 1) << facts.layout.shift) - 1
            yield f"the sums over {name} of the deals {deals[0]} to {deals[1]} are not those of the results"
    if digest(found, run.done) != digest(counted.tally, run.done):
        yield f"its digest should be {digest(found, run.done)}, not {digest(counted.tally, run.done)}"


def _planned(counted: Counted) -> Iterator[str]:
    """Has every line-up played every deal that it should have by now?"""
    done, tally = counted.run.done, counted.tally
    held = tally.of("matches").sum(axis=0) + tally.of("faults").reshape(*tally.lineups.shape[:3], -1).sum(axis=(0, 3))
    held = held.ravel()
    wanted = (done - np.arange(len(held)) + len(held) - 1) // len(held)
    for lineup in np.flatnonzero(held != wanted)[:5]:
        told = plural(int(held[lineup]), "match")
        yield f"line-up {lineup} has {told} in the sums; planned until match {done}: {wanted[lineup]}"


def _slices(store: Store, run: StoredRun, lineups: int) -> Iterator[tuple[int, Array]]:
    """Stored rows of whole deals."""
    size = max(SLICE // lineups, 1) * lineups
    for first in range(0, run.done, size):
        yield first, store.rows(run, first, min(first + size, run.done))


def _possible(first: int, rows: Array, reasons: int) -> Iterator[str]:
    """Are these results that a match can have?"""
    seats = len(rows) - 3
    ranks, reason, plies = (rows[place].astype(np.int64) for place in (ROW_RANKS, ROW_REASON, ROW_PLIES))
    digits = ranks[:, None] // 10 ** np.arange(seats) % 10
    wrong = (plies < 0) | (reason < -FAULTS) | (reason >= reasons) | (ranks < 0) | (ranks >= 10**seats)
    wrong |= np.where(reason < 0, ranks >= seats, (digits >= max(seats, 2)).any(axis=1))
    for place in np.flatnonzero(wrong)[:5]:
        yield f"match {first + place} has a result that no match can have"


# ---------------------------------------------------------------- played again


def verify(
    store: Store, run: StoredRun, plan: Plan, executor: Executor | None, sample: int, seed: int = 0
) -> list[str]:
    """Matches played again that end otherwise than stored, a sentence each.

    All of them on ``executor``, if there is one, else ``sample`` chosen by ``seed``. Of a run that keeps no matches the
    chunks that hold the chosen ones are played.
    """
    plan = knowing(plan, store, run)
    if run.keep != "matches":
        return _verify_chunks(store, run, plan, None if executor else _chosen(run, sample, seed))
    if executor is None:
        stored = {match: store.rows(run, match, match + 1) for match in _chosen(run, sample, seed)}
        store.release()
        worker = worker_of(plan.settings)
        return [
            sentence
            for match, rows in stored.items()
            for sentence in _compared(match, worker.play(match, match + 1).rows, rows)
        ]
    found: list[str] = []
    for results in executor.results(plan, 0, run.done):
        found += _compared(results.first, results.rows, store.rows(run, results.first, results.end))
        store.release()
    return found


def _chosen(run: StoredRun, sample: int, seed: int) -> list[int]:
    return sorted(random.Random(seed).sample(range(run.done), min(sample, run.done)))


def _compared(first: int, played: Array, stored: Array) -> list[str]:
    if played.shape != stored.shape:
        return [f"match {first} is not stored"]
    wrong = np.flatnonzero((played != stored).any(axis=0))
    return [
        f"match {first + place} was stored as {stored[:, place].tolist()}, and is {played[:, place].tolist()} now"
        for place in wrong
    ]


def _verify_chunks(store: Store, run: StoredRun, plan: Plan, chosen: Sequence[int] | None) -> list[str]:
    worker = worker_of(plan.settings, keep=False)
    found = []
    chunks = store.chunks(run)
    store.release()
    for first, matches, stored in chunks:
        if chosen is not None and not any(first <= match < first + matches for match in chosen):
            continue
        if worker.play(first, first + matches).hash != stored:
            found.append(f"the matches {first} to {first + matches - 1} do not end as they did")
    return found
