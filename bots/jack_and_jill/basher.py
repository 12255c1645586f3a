"""Basher: strikes whenever it can, as hard as it can; shows what overshooting costs."""

from __future__ import annotations

from bots.bot import Bot
from engine.games.jack_and_jill.hill import sum_of
from engine.games.jack_and_jill.state import MELEE, MOVE_JACK, MOVE_JILL, RANGED, REST, attack_of, cards_of, kind_of
from engine.kernel import kernel
from engine.rng import random_below


@kernel
def decide(view, _rules, moves, count, _params, luck):
    """The attack with the highest sum, or any Move or Rest."""
    hand = view.hand[view.seat]
    best = -1
    most = -1
    others = 0
    for i in range(count):
        kind = kind_of(moves[i])
        if kind == MELEE or kind == RANGED:
            total = sum_of(cards_of(hand, attack_of(moves[i])))
            if total > most:
                best, most = i, total
        elif kind == MOVE_JACK or kind == MOVE_JILL or kind == REST:
            others += 1
    if best >= 0:
        return best
    if others == 0:
        return random_below(luck, count)
    wanted = random_below(luck, others)
    for i in range(count):
        kind = kind_of(moves[i])
        if kind == MOVE_JACK or kind == MOVE_JILL or kind == REST:
            if wanted == 0:
                return i
            wanted -= 1
    return 0


BOT = Bot("basher", "Strikes whenever it can, as hard as it can; otherwise walks or rests at random.", decide)
