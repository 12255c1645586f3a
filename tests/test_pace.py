"""Chunks by time: sized by the speed, shared at the end, played again when lost, delivered once and in order."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tournament.pace import CHUNK_SECONDS, GIVES_UP_AFTER, GROWTH, Chunk, Pace, Schedule, cut


@pytest.mark.parametrize("each", [1e-6, 1e-4, 0.01, 0.3, 1.0, 20.0])
def test_chunks_come_to_take_half_a_second(each: float) -> None:
    pace = Pace()
    assert pace.size == 1
    for _ in range(12):
        size = pace.size
        pace.learn(size, size * each)
        assert 1 <= pace.size <= GROWTH * size
    assert pace.size == max(1, int(CHUNK_SECONDS / each)) or pace.size == pytest.approx(CHUNK_SECONDS / each, rel=0.01)


def test_a_slow_stretch_makes_chunks_small_again() -> None:
    pace = Pace()
    for _ in range(10):
        pace.learn(pace.size, pace.size * 1e-5)
    large = pace.size
    pace.learn(large, 60.0)
    assert pace.size <= large / 50


def test_cuts_lie_between_boards_where_there_is_room() -> None:
    assert cut(0, 5, 6, 100) == 5
    assert cut(5, 7, 6, 100) == 12
    assert cut(12, 1000, 6, 100) == 108
    assert cut(10, 0, 6, 100) == 11
    for first in range(40):
        for wanted in range(1, 40):
            end = cut(first, wanted, 7, 1 << 20)
            assert first < end <= first + wanted
            assert wanted < 7 or end % 7 == 0


def play(schedule: Schedule, seed: int, workers: int, each: float, loses: float) -> list[Chunk]:
    """Workers that return, or are lost with all they have, at random; what was delivered."""
    dice = random.Random(seed)
    hands: list[list[Chunk]] = [[] for _ in range(workers)]
    delivered: list[Chunk] = []
    while not schedule.complete:
        for hand in hands:
            if any(map(schedule.suspect, hand)):
                continue
            if len(hand) < 2 and (chunk := schedule.hand_out(workers, not hand)):
                hand.append(chunk)
        busy = [hand for hand in hands if hand]
        assert busy, "nothing under way, and not complete"
        hand = dice.choice(busy)
        if dice.random() < loses:
            for chunk in hand:
                schedule.lose(chunk, guilty=dice.random() < 0.2)
            hand.clear()
        else:
            chunk = hand.pop(0)
            schedule.finish(chunk, (chunk[1] - chunk[0]) * each)
            while one := schedule.deliver():
                delivered.append(one)
    return delivered


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("loses", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_all_is_delivered_once_and_in_order(workers: int, loses: float, seed: int) -> None:
    delivered = play(Schedule(5, 7000, 6, 1 << 20), seed, workers, 1e-3, loses)
    assert delivered[0][0] == 5
    assert delivered[-1][1] == 7000
    assert all(one[1] == other[0] for one, other in pairwise(delivered))


def test_slow_matches_are_spread_over_all_workers() -> None:
    schedule = Schedule(0, 100, 6, 1 << 20)
    chunks = play(schedule, 1, 2, 1.0, 0.0)
    assert [end - first for first, end in chunks] == [1] * 100


def test_the_last_chunks_are_shared() -> None:
    schedule = Schedule(0, 100_000, 1, 1 << 20)
    for _ in range(10):
        schedule.pace.learn(schedule.pace.size, schedule.pace.size * 1e-5)
    assert schedule.pace.size == pytest.approx(50_000, abs=1)
    first = schedule.hand_out(4)
    assert first == (0, 12_500)


def test_no_more_than_the_window_runs_ahead() -> None:
    schedule = Schedule(0, 10_000, 1, 1 << 20, most=10)
    taken = [schedule.hand_out(1) for _ in range(10)]
    assert None not in taken
    assert schedule.hand_out(1) is None
    first = taken[0]
    assert first is not None
    schedule.finish(first, 1.0)
    assert schedule.deliver() == first
    assert schedule.hand_out(1) is not None


def test_stopped() -> None:
    schedule = Schedule(0, 100, 1, 1 << 20)
    schedule.stopped = True
    assert schedule.hand_out(2) is None


def test_a_chunk_that_ends_its_workers_is_halved_down_to_the_match() -> None:
    bad = 777
    schedule = Schedule(0, 1024, 1, 1 << 20)
    schedule.pace.learn(1 << 12, 1e-9)
    found = None
    lost = 0
    while found is None:
        hand = [schedule.hand_out(1)]
        if hand[0] and not schedule.suspect(hand[0]):
            hand.append(schedule.hand_out(1, idle=False))
        chunks = [chunk for chunk in hand if chunk]
        if any(first <= bad < end for first, end in chunks):
            lost += 1
            for chunk in chunks:  # nobody knows which of them it was
                found = schedule.lose(chunk, guilty=True) or found
        else:
            for chunk in chunks:
                schedule.finish(chunk, 0.1)
    assert found == bad
    assert lost <= 12 + GIVES_UP_AFTER


def test_a_lost_node_is_no_fault_of_the_chunk() -> None:
    schedule = Schedule(0, 1, 1, 1)
    for _ in range(10):
        chunk = schedule.hand_out(1)
        assert chunk == (0, 1)
        assert schedule.lose(chunk, guilty=False) is None


def test_what_was_lost_goes_to_who_was_there_before() -> None:
    schedule = Schedule(0, 100, 1, 1)
    lost = schedule.hand_out(2, worker=2, oldest=1)
    assert lost == (0, 1)
    schedule.lose(lost, guilty=False, worker=2)
    assert schedule.hand_out(2, worker=3, oldest=1) == (1, 2)  # it came after the one that lost it
    assert schedule.hand_out(2, worker=1, oldest=1) == lost
    schedule.lose(lost, guilty=False, worker=1)
    assert schedule.hand_out(2, worker=4, oldest=3) == lost  # nobody is left who was there before
    schedule.finish(lost, 1.0)
    assert schedule.deliver() == lost
