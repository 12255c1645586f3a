"""Cuttle: positions, views and moves to and from JSON (``docs/rules/cuttle.md``, section 8)."""

from __future__ import annotations

from typing import Any

from engine import cards
from engine.cards import NO_CARD, NUMBERS, suit
from engine.contract import CHANCE, NOBODY
from engine.errors import BadPosition, IllegalStep
from engine.fields import number, only
from engine.game import Options
from engine.games.cuttle import moves
from engine.games.cuttle import rules as kernels
from engine.games.cuttle import state as s

Json = dict[str, Any]

UNORDERED = frozenset({"hand", "royals", "known", "points", "scrap", "unseen"})
CARD_FIELDS = frozenset({"card", "cards", "target"})  # of moves

_KIND_NAMES = {
    s.DRAW: "draw",
    s.PASS: "pass",
    s.POINTS: "points",
    s.SCUTTLE: "scuttle",
    s.ROYAL: "royal",
    s.JACK_ON: "jack",
    s.ONEOFF: "oneoff",
    s.RESOLVE: "resolve",
    s.COUNTER: "counter",
    s.THREE_PICK: "three_pick",
    s.FOUR_DROP: "four_discard",
    s.FIVE_DROP: "five_discard",
    s.LIMIT_DROP: "limit_discard",
}
_POSITION_FIELDS = {
    "turn", "turns", "passes", "phase", "pending", "p0", "p1", "scrap", "deck", "deck_top", "deck_known", "result"
}  # fmt: skip
_SEAT_FIELDS = {"hand", "royals", "known", "points", "frozen"}
_PENDING_PHASES = (s.COUNTERING, s.PICKING)
_ALL_NAMES = set(NUMBERS)


def _card(number: int) -> str | None:
    return None if number == NO_CARD else cards.NAMES[number]


# ---------------------------------------------------------------- moves


def is_card(_options: Options, name: str) -> bool:
    """Does a move name a card so?"""
    return name in NUMBERS


def write_move(_rules: Any, _options: Options, _state: Any, code: int) -> Json:
    """A move code as JSON, without ``by``."""
    kind = int(s.kind_of(code))
    card, target, third = (_card(int(part(code))) for part in (s.card_of, s.target_of, s.third_of))
    if kind in (s.FOUR_DROP, s.LIMIT_DROP):
        return {"move": _KIND_NAMES[kind], "cards": [name for name in (card, target, third) if name]}
    if kind >= s.FROM_SEVEN:
        move: Json = {
            "move": "seven_play",
            "card": card,
            "as": "discard" if kind == s.SEVEN_SCRAP else _KIND_NAMES[kind - s.FROM_SEVEN],
        }
    else:
        move = {"move": _KIND_NAMES[kind]}
        if card:
            move["card"] = card
    if target:
        move["target"] = target
    if third:
        move["target2"] = third
    return move


# ---------------------------------------------------------------- chance events


def write_event(_rules: Any, _options: Options, _state: Any, event: Any) -> Json:
    """The cards that a Four takes at random."""
    return {"chance": "four", "cards": [cards.NAMES[int(card)] for card in event if int(card) != NO_CARD]}


def read_event(rules: Any, _options: Options, state: Any, step: Json, event: Any) -> None:
    """Read the cards that a Four takes into ``event``; raises IllegalStep for ones that it cannot take."""
    hand = cards.names(int(state.hand[int(state.table.turn) ^ 1]))
    size = int(moves.lost_to_four(rules, state))
    taken: Any = step.get("cards")
    possible = isinstance(taken, list) and len(taken) == size and taken == [name for name in hand if name in taken]
    if step != {"chance": "four", "cards": taken} or not possible:
        raise IllegalStep(f"the pending chance event is four, with {size} of {', '.join(hand)} in card order")
    for place in range(s.MOST_EVENT):
        event[place] = NUMBERS[taken[place]] if place < size else NO_CARD


# ---------------------------------------------------------------- positions and views out


def write_position(_rules: Any, _options: Options, state: Any) -> Json:
    """The full position."""
    table = state.table
    deck = [cards.NAMES[int(card)] for card in state.deck[: int(table.deck_count)][::-1]]
    position = _write_table(table)
    position |= {f"p{seat}": _write_seat(table, seat, cards.names(int(state.hand[seat]))) for seat in range(s.SEATS)}
    position |= {"deck": deck, "result": None}
    if int(table.phase) == s.OVER:
        position["result"] = _write_result(state)
    return position


def write_view(_rules: Any, _options: Options, view: Any) -> Json:
    """What a seat may know."""
    table = view.table
    position = _write_table(table)
    for seat in range(s.SEATS):
        known = cards.names(int(view.hand[seat]))
        hidden = int(view.hand_count[seat]) - len(known)
        position[f"p{seat}"] = _write_seat(table, seat, known + ["??"] * hidden)
    actor = int(view.to_act)
    return position | {
        "deck_top": [cards.NAMES[int(card)] for card in view.top[: int(table.deck_known)]],
        "deck_count": int(table.deck_count),
        "unseen": cards.names(int(view.unseen)),
        "seat": int(view.seat),
        "to_act": None if actor in (NOBODY, CHANCE) else actor,
        "result": _write_result(view) if int(table.phase) == s.OVER else None,
    }


def _write_table(table: Any) -> Json:
    phase = int(table.phase)
    pending = None
    if phase in _PENDING_PHASES:
        twos = [cards.NAMES[int(card)] for card in table.counter[: int(table.counters)]]
        pending = {"card": _card(int(table.card)), "target": _card(int(table.target)), "counters": twos}
        if int(table.target2) != NO_CARD:
            pending["target2"] = _card(int(table.target2))
    return {
        "turn": int(table.turn),
        "turns": int(table.turns),
        "passes": int(table.passes),
        "phase": s.PHASES[phase],
        "pending": pending,
        "scrap": cards.names(int(table.scrap)),
        "deck_known": int(table.deck_known),
    }


def _write_seat(table: Any, seat: int, hand: list[str]) -> Json:
    frozen = cards.names(int(table.frozen[seat]))
    return {
        "hand": hand,
        "royals": cards.names(int(table.royals[seat])),
        "known": cards.names(int(table.known[seat])),
        "points": ["+".join([name, *_stack(table, NUMBERS[name])]) for name in cards.names(int(table.points[seat]))],
        "frozen": frozen[0] if frozen else None,
    }


def _stack(table: Any, card: int) -> list[str]:
    """The Jacks on a point card, bottom to top."""
    jacks = [NUMBERS[name] for name in cards.names(int(table.jacks))]
    over = [jack for jack in jacks if int(table.jack_on[int(suit(jack))]) == card]
    over.sort(key=lambda jack: int(table.jack_height[int(suit(jack))]))
    return [cards.NAMES[jack] for jack in over]


def _write_result(record: Any) -> Json:
    winner = int(record.table.winner)
    return {
        "ranks": [1 if winner == seat ^ 1 else 0 for seat in range(s.SEATS)],
        "scores": [int(kernels.score_of(int(record.table.points[seat]))) for seat in range(s.SEATS)],
        "winner": None if winner < 0 else winner,
        "reason": s.REASONS[int(record.table.reason)],
    }


# ---------------------------------------------------------------- positions in


def read_position(rules: Any, _options: Options, position: Json, state: Any) -> None:
    """Load a position into ``state``; raises BadPosition with the first thing that is wrong."""
    only(position, _POSITION_FIELDS, "a position")
    kernels.clear(state)
    table = state.table
    table.turn = number(position, "turn", 0, 0, 1)
    table.turns = number(position, "turns", 0, 0, 10**9)
    table.passes = number(position, "passes", 0, 0, 10**9)
    phase = position.get("phase", "main")
    if phase not in s.PHASES:
        raise BadPosition(f"phase cannot be {phase!r}; allowed: {', '.join(dict.fromkeys(s.PHASES))}")
    table.phase = s.TAKING_FOUR if phase == "four" and rules.four_random else s.PHASES.index(phase)
    zones = _Zones()
    for seat in range(s.SEATS):
        _read_seat(position.get(f"p{seat}", {}), seat, state, zones)
    table.scrap = zones.take_set(position.get("scrap", []), "the scrap", _ALL_NAMES)
    _read_pending(position.get("pending"), table, zones)
    _read_deck(position, state, zones)
    table.deck_known = number(position, "deck_known", 0, 0, int(table.deck_count))
    if int(table.phase) == s.REVEALING:
        table.deck_known = max(int(table.deck_known), min(int(rules.seven_reveals), int(table.deck_count)))
    _read_result(position.get("result"), state)
    _check_phase(rules, state)
    kernels.see_hands(rules, state)


class _Zones:
    """Makes sure that no card lies in two places."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def take(self, name: Any, zone: str, allowed: set[str]) -> int:
        if not isinstance(name, str) or name not in NUMBERS:
            raise BadPosition(f"{name!r} in {zone} is not a card")
        if name not in allowed:
            raise BadPosition(f"{name} cannot lie in {zone}")
        if name in self.used:
            raise BadPosition(f"{name} is in two places, one of them {zone}")
        self.used.add(name)
        return NUMBERS[name]

    def take_list(self, names: Any, zone: str, allowed: set[str]) -> list[int]:
        if not isinstance(names, list):
            raise BadPosition(f"{zone} must be a list of cards")
        return [self.take(name, zone, allowed) for name in names]

    def take_set(self, names: Any, zone: str, allowed: set[str]) -> int:
        return sum(1 << card for card in self.take_list(names, zone, allowed))


def _named(mask: int) -> set[str]:
    return set(cards.names(mask))


def _read_seat(given: Any, seat: int, state: Any, zones: _Zones) -> None:
    if not isinstance(given, dict):
        raise BadPosition(f"p{seat} must be an object")
    only(given, _SEAT_FIELDS, f"p{seat}")
    table = state.table
    state.hand[seat] = zones.take_set(given.get("hand", []), f"the hand of seat {seat}", _ALL_NAMES)
    table.royals[seat] = zones.take_set(given.get("royals", []), f"the royals of seat {seat}", _named(s.ROYAL_CARDS))
    points = given.get("points", [])
    if not isinstance(points, list):
        raise BadPosition(f"the points of seat {seat} must be a list")
    for text in points:
        if not isinstance(text, str):
            raise BadPosition(f"{text!r} in the points of seat {seat} is not a card")
        name, *jacks = text.split("+")
        card = zones.take(name, f"the points of seat {seat}", _named(s.NUMBER_CARDS))
        table.points[seat] |= 1 << card
        for height, jack_name in enumerate(jacks):
            jack = zones.take(jack_name, "a stack on a point card", _named(s.JACKS))
            table.jacks |= 1 << jack
            table.jack_on[int(suit(jack))] = card
            table.jack_height[int(suit(jack))] = height
    hand = set(cards.names(int(state.hand[seat])))
    known = given.get("known", [])
    if not isinstance(known, list) or any(name not in hand for name in known) or len(set(known)) != len(known):
        raise BadPosition(f"known of seat {seat} must be a set of cards of its hand")
    frozen = given.get("frozen")
    if frozen is not None and (not isinstance(frozen, str) or frozen not in hand):
        raise BadPosition(f"the frozen card {frozen!r} of seat {seat} is not in its hand")
    table.frozen[seat] = 0 if frozen is None else 1 << NUMBERS[frozen]
    table.known[seat] = sum(1 << NUMBERS[name] for name in known) | int(table.frozen[seat])


def _read_pending(pending: Any, table: Any, zones: _Zones) -> None:
    if (pending is not None) != (int(table.phase) in _PENDING_PHASES):
        raise BadPosition(f"pending does not fit the phase {s.PHASES[int(table.phase)]}")
    if pending is None:
        return
    if not isinstance(pending, dict) or "card" not in pending:
        raise BadPosition("pending must be an object with a card")
    only(pending, {"card", "target", "target2", "counters"}, "pending")
    allowed = _named(s.UNTARGETED | s.TARGETED) if int(table.phase) == s.COUNTERING else _named(s.THREES)
    table.card = zones.take(pending["card"], "pending", allowed)
    table.target = NO_CARD if pending.get("target") is None else _target(pending["target"])
    table.target2 = _target(pending["target2"]) if "target2" in pending else NO_CARD
    twos = zones.take_list(pending.get("counters", []), "the counters", _named(s.TWOS))
    if int(table.phase) == s.PICKING and (twos or not int(table.target) == int(table.target2) == NO_CARD):
        raise BadPosition("a Three that picks has neither counters nor targets")
    table.counters = len(twos)
    for place, two in enumerate(twos):
        table.counter[place] = two


def _target(name: Any) -> int:
    if not isinstance(name, str) or name not in NUMBERS:
        raise BadPosition(f"the target {name!r} is not a card")
    return NUMBERS[name]


def _read_deck(position: Json, state: Any, zones: _Zones) -> None:
    top = zones.take_list(position.get("deck_top", []), "deck_top", _ALL_NAMES)
    under = position.get("deck", "rest")
    if under == "rest":
        below = [NUMBERS[name] for name in cards.NAMES if name not in zones.used]
    else:
        below = zones.take_list(under, "the deck", _ALL_NAMES)
    deck = top + below
    state.table.deck_count = len(deck)
    for place, card in enumerate(reversed(deck)):
        state.deck[place] = card
    state.in_deck = sum(1 << card for card in deck)


def _read_result(result: Any, state: Any) -> None:
    over = int(state.table.phase) == s.OVER
    if (result is not None) != over:
        raise BadPosition("result must be given exactly in phase over")
    if result is None:
        return
    if not isinstance(result, dict) or result.get("reason") not in s.REASONS:
        raise BadPosition(f"the result needs a reason; allowed: {', '.join(s.REASONS)}")
    winner = result.get("winner")
    if winner not in (None, 0, 1) or isinstance(winner, bool):
        raise BadPosition(f"the winner cannot be {winner!r}; allowed: 0, 1 or null")
    state.table.winner = -1 if winner is None else winner
    state.table.reason = s.REASONS.index(result["reason"])
    if _write_result(state) != result:
        raise BadPosition("the result does not fit the position")


def _check_phase(rules: Any, state: Any) -> None:
    """A phase must fit pending, the deck and the hands: what is being decided must be possible."""
    table = state.table
    phase, me = int(table.phase), int(table.turn)
    if phase == s.PICKING and not int(moves.pickable(rules, state)):
        raise BadPosition("in phase three the scrap must hold a card that may be taken")
    if phase in (s.DROPPING_FOUR, s.TAKING_FOUR) and not int(state.hand[me ^ 1]):
        raise BadPosition("in phase four the other hand must hold a card")
    if phase == s.DROPPING_FIVE and not (rules.five_discard and int(state.hand[me])):
        raise BadPosition("phase five needs five_discard and a card in the hand of the seat on turn")
    if phase == s.REVEALING and not int(table.deck_count):
        raise BadPosition("in phase seven the deck must hold a card")
    if phase == s.LIMITING and (rules.hand_limit_rule != s.DISCARDS or int(moves.over_limit(rules, state)) <= 0):
        raise BadPosition("phase limit needs hand_limit_rule discard and a hand of the seat on turn above the limit")
    if phase == s.COUNTERING:
        _check_pending(rules, state)


def _check_pending(rules: Any, state: Any) -> None:
    """The condition of the one-off held when it was played; since then only Twos have left the hands."""
    table = state.table
    me, card = int(table.turn), int(table.card)
    name, given = cards.NAMES[card], [int(target) for target in (table.target, table.target2) if target != NO_CARD]
    aims = cards.names(int(moves.aims_of(state, card, me ^ 1))) if s.TARGETED >> card & 1 else []
    if s.TARGETED >> card & 1 and not aims:
        raise BadPosition(f"{name} in pending has nothing to aim at")
    wanted = min(len(aims), 2 if s.NINES >> card & 1 and rules.nine_effect == s.TWO_TO_HAND else 1)
    if len(given) != wanted or given != sorted(set(given)):
        raise BadPosition(f"{name} in pending needs {('no target', 'a target', 'two targets in card order')[wanted]}")
    for target in given:
        if cards.NAMES[target] not in aims:
            raise BadPosition(f"{cards.NAMES[target]} is no target for {name}")
    if s.FIVES_SEVENS >> card & 1 and not int(table.deck_count):
        raise BadPosition(f"{name} cannot be pending with an empty deck")
    if s.THREES >> card & 1 and not (int(moves.pickable(rules, state)) or int(table.counters)):
        raise BadPosition(f"{name} cannot be pending when the scrap holds nothing that it may take")
    if s.FOURS >> card & 1 and not (int(state.hand[me ^ 1]) or int(table.counters)):
        raise BadPosition(f"{name} cannot be pending against an empty hand")
    if int(table.counters) and not rules.twos_counter:
        raise BadPosition("there are no counters under these rules")


def status(position: Json) -> str:
    """The points of both sides, for a replay's margin."""
    points = [sum(cards.RANKS.index(text[0]) + 1 for text in position[f"p{seat}"]["points"]) for seat in range(s.SEATS)]
    return f"{points[0]} : {points[1]}"
