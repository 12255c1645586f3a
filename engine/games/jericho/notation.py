"""Jericho: positions, views and moves to and from JSON (``docs/rules/jericho.md``, section i)."""

from __future__ import annotations

from typing import Any

from engine import cards
from engine.cards import NUMBERS
from engine.contract import NOBODY
from engine.errors import BadPosition
from engine.fields import number, only
from engine.game import Options
from engine.games.jericho import rules as kernels
from engine.games.jericho import spots
from engine.games.jericho import state as s

Json = dict[str, Any]

UNORDERED = frozenset({"board", "discard", "hand", "captured", "unseen"})
CARD_FIELDS = frozenset({"card"})  # of moves

_HIDDEN = "??"
_POSITION_FIELDS = {
    "turn", "chain", "passes", "turns_done", "base", "board", "draw", "draw_top", "discard", "p0", "p1", "over"
}  # fmt: skip
_SEAT_FIELDS = {"hand", "captured"}
_BOARD_FIELDS = {"card", "x", "y"}
_MOST = 10**9  # of what a position may count


# ---------------------------------------------------------------- moves


def is_card(_options: Options, name: str) -> bool:
    """Does a move name a card so?"""
    return name in NUMBERS


def write_move(_rules: Any, _options: Options, _state: Any, code: int) -> Json:
    """A move code as JSON, without ``by``."""
    if code == s.PASS:
        return {"move": "pass"}
    if code == s.STOP:
        return {"move": "stop"}
    x, y = _coordinates(int(s.spot_of(code)))
    return {"move": "place", "card": cards.NAMES[int(s.card_of(code))], "x": x, "y": y}


def _coordinates(at: int) -> tuple[int, int]:
    x, y = divmod(at, s.STRIDE)
    return x - s.STRIDE // 2, y - s.STRIDE // 2


def _spot(x: int, y: int) -> int:
    return s.CENTRE + x * s.STRIDE + y


# ---------------------------------------------------------------- positions and views out


def write_position(_rules: Any, _options: Options, state: Any) -> Json:
    """The full position."""
    table = state.table
    position = _write_table(table)
    position["base"] = cards.NAMES[int(state.base_card)] if table.base_down else None
    position["draw"] = [cards.NAMES[int(card)] for card in state.draw[: int(table.draw_count)][::-1]]
    for seat in range(s.SEATS):
        position[f"p{seat}"] = _write_seat(table, seat, cards.names(int(state.hand[seat])))
    return position


def write_view(_rules: Any, _options: Options, view: Any) -> Json:
    """What a seat may know."""
    table = view.table
    position = _write_table(table)
    position["base"] = _HIDDEN if table.base_down else None
    for seat in range(s.SEATS):
        own = seat == int(view.seat)
        hand = cards.names(int(view.hand)) if own else [_HIDDEN] * int(view.hand_count[seat])
        position[f"p{seat}"] = _write_seat(table, seat, hand)
    actor = int(view.to_act)
    return position | {
        "draw_count": int(table.draw_count),
        "seat": int(view.seat),
        "to_act": None if actor == NOBODY else actor,
        "unseen": cards.names(int(view.unseen)),
    }


def _write_table(table: Any) -> Json:
    board = []
    for name in cards.names(int(table.face_up)):
        x, y = _coordinates(int(table.at[NUMBERS[name]]))
        board.append({"card": name, "x": x, "y": y})
    reason = int(table.reason)
    return {
        "turn": int(table.turn),
        "chain": bool(table.chain),
        "passes": int(table.passes),
        "turns_done": int(table.turns),
        "board": board,
        "discard": cards.names(int(table.discard)),
        "over": None if reason == s.NOT_OVER else s.REASONS[reason],
    }


def _write_seat(table: Any, seat: int, hand: list[str]) -> Json:
    return {"hand": hand, "captured": cards.names(int(table.captured[seat]))}


# ---------------------------------------------------------------- positions in


def read_position(rules: Any, _options: Options, position: Json, state: Any) -> None:
    """Load a position into ``state``; raises BadPosition with the first thing that is wrong."""
    only(position, _POSITION_FIELDS, "a position")
    kernels.clear(state)
    table = state.table
    table.turn = number(position, "turn", int(rules.start_seat), 0, 1)
    table.passes = number(position, "passes", 0, 0, _MOST)
    table.turns = number(position, "turns_done", 0, 0, _MOST)
    chain = position.get("chain", False)
    if not isinstance(chain, bool):
        raise BadPosition(f"chain cannot be {chain!r}; allowed: true or false")
    over = position.get("over")
    if over is not None and over not in s.REASONS:
        raise BadPosition(f"over cannot be {over!r}; allowed: null, {', '.join(s.REASONS)}")
    table.reason = s.NOT_OVER if over is None else s.REASONS.index(over)
    zones = _Zones()
    _read_base(rules, position, state, zones)
    _read_board(rules, position.get("board", []), state, zones)
    table.discard = zones.take_set(position.get("discard", []), "the discard pile")
    for seat in range(s.SEATS):
        _read_seat(position.get(f"p{seat}", {}), seat, state, zones)
    _read_draw(position, state, zones)
    table.deck = sum(1 << NUMBERS[name] for name in zones.used)
    table.chain = int(chain)
    _check_table(rules, state)
    _check_turn(rules, state)


class _Zones:
    """Makes sure that no card lies in two places."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def take(self, name: Any, zone: str) -> int:
        if not isinstance(name, str) or name not in NUMBERS:
            raise BadPosition(f"{name!r} in {zone} is not a card")
        if name in self.used:
            raise BadPosition(f"{name} is in two places, one of them {zone}")
        self.used.add(name)
        return NUMBERS[name]

    def take_list(self, names: Any, zone: str) -> list[int]:
        if not isinstance(names, list):
            raise BadPosition(f"{zone} must be a list of cards")
        return [self.take(name, zone) for name in names]

    def take_set(self, names: Any, zone: str) -> int:
        return sum(1 << card for card in self.take_list(names, zone))


def _read_base(rules: Any, position: Json, state: Any, zones: _Zones) -> None:
    if "base" not in position:
        raise BadPosition("the base must be given: a card, or null if it has been captured")
    if position["base"] is not None:
        kernels.lay_base(rules, state, zones.take(position["base"], "the base"))


def _read_board(rules: Any, board: Any, state: Any, zones: _Zones) -> None:
    """Lay the face-up cards, in the order given: each must match those that lie beside it already."""
    if not isinstance(board, list):
        raise BadPosition("board must be a list of cards with x and y")
    taken = {s.CENTRE} if state.table.base_down else set()
    for entry in board:
        if not isinstance(entry, dict) or set(entry) != _BOARD_FIELDS:
            raise BadPosition(f"{entry!r} on the board must be an object with card, x and y")
        card = zones.take(entry["card"], "the board")
        x, y = (number(entry, axis, 0, -s.FARTHEST, s.FARTHEST) for axis in ("x", "y"))
        at = _spot(x, y)
        if at in taken:
            raise BadPosition(f"{entry['card']} lies on ({x},{y}), where something else lies")
        taken.add(at)
        spots.lay(rules, state, card, at)
        if not int(spots.fitting(rules, int(s.neighbours(int(state.table.beside[card]))))) >> card & 1:
            raise BadPosition(f"{entry['card']} on ({x},{y}) does not match every card beside it")


def _read_seat(given: Any, seat: int, state: Any, zones: _Zones) -> None:
    if not isinstance(given, dict):
        raise BadPosition(f"p{seat} must be an object")
    only(given, _SEAT_FIELDS, f"p{seat}")
    state.hand[seat] = zones.take_set(given.get("hand", []), f"the hand of seat {seat}")
    state.table.captured[seat] = zones.take_set(given.get("captured", []), f"the capture pile of seat {seat}")


def _read_draw(position: Json, state: Any, zones: _Zones) -> None:
    top = zones.take_list(position.get("draw_top", []), "draw_top")
    under = position.get("draw", "rest")
    if under == "rest":
        below = zones.take_list([name for name in cards.NAMES if name not in zones.used], "the draw pile")
    else:
        below = zones.take_list(under, "the draw pile")
    pile = top + below
    state.table.draw_count = len(pile)
    for place, card in enumerate(reversed(pile)):
        state.draw[place] = card


def _check_table(rules: Any, state: Any) -> None:
    """Nothing that the last turn would have taken off may lie there (section i, Valid positions)."""
    table = state.table
    for name in cards.names(int(table.face_up)):
        if int(s.sides(int(table.beside[NUMBERS[name]]))) >= int(rules.capture_sides):
            raise BadPosition(f"{name} on the board is surrounded and would have been captured")
    if rules.base_capturable and int(s.sides(int(table.beside[s.BASE]))) >= int(rules.capture_sides):
        raise BadPosition("the base is surrounded and would have been captured")
    cut_off = cards.names(int(table.face_up) & ~int(kernels.linked(state)))
    if cut_off and not (table.chain and int(rules.cut_off) == s.AT_TURN_END):
        raise BadPosition(f"{cut_off[0]} on the board is not linked to the centre")


def _check_turn(rules: Any, state: Any) -> None:
    """A chain needs a capture to be made, and a match that goes on must not have ended."""
    table = state.table
    over = int(table.reason) != s.NOT_OVER
    if table.chain:
        if over or table.passes:
            raise BadPosition("a chain cannot follow a pass or the end of the match")
        if int(rules.chain_rule) == s.ONE_PLACEMENT:
            raise BadPosition("there are no chains under these rules")
        if not kernels.can_capture(rules, state):
            raise BadPosition(f"seat {int(table.turn)} has no capture to make, so there is no chain")
    if not over and int(table.passes) >= int(rules.end_passes):
        raise BadPosition(f"passes cannot be {int(table.passes)}; the match ends with {int(rules.end_passes)}")
    if not over and 0 < int(rules.turn_cap) <= int(table.turns):
        raise BadPosition(f"turns_done cannot be {int(table.turns)}; the match ends after {int(rules.turn_cap)}")
