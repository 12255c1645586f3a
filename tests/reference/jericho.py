"""Slow reference of Jericho (a game by Daniel Schulman), to be read beside its rules page.

Nothing here is clever: lists, sets and one dictionary, one function for each definition of the page. Tests hold the
fast engine against it, so it must not share any code with that engine. Letters and numbers in the comments, such as
"(b) place 2" or "(c) 6", name the paragraphs of the rules page.

:class:`Match` knows the rules; :class:`Reference` around it reads and writes the notation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Card = str  # rank and suit, such as "TH"
Spot = tuple[int, int]  # x grows to the right, y grows upwards
Move = dict[str, Any]

RANKS = "A23456789TJQK"
SUITS = "CDHS"
DECK: list[Card] = [rank + suit for rank in RANKS for suit in SUITS]
BLACK = "CS"
HIDDEN = "??"
SEATS = (0, 1)
CENTRE: Spot = (0, 0)


# (d) Rule options and variants ----------------------------------------------------------------------------------------


class Option(NamedTuple):
    """A rule option: its default, whose type every value must have, and the values it may take."""

    default: bool | int | str
    allowed: Sequence[bool | int | str]


OPTIONS: dict[str, Option] = {
    "hand_size": Option(5, range(1, 21)),
    "points": Option("rank", ("rank", "flat")),
    "ace_points": Option(1, range(51)),
    "face_points": Option(10, range(51)),
    "hand_penalty": Option(False, (False, True)),
    "base_capturable": Option(False, (False, True)),
    "capture_sides": Option(4, range(2, 5)),
    "match_rule": Option("suit_or_rank", ("suit_or_rank", "colour_or_rank")),
    "chain_rule": Option("optional", ("optional", "forced", "none")),
    "cut_off": Option("turn_end", ("turn_end", "at_once")),
    "free_pass": Option(True, (False, True)),
    "end_passes": Option(2, range(1, 7)),
    "start_seat": Option(0, range(2)),
    "turn_cap": Option(0, range(401)),
}

VARIANTS: dict[str, dict[str, bool | int | str]] = {
    "standard": {},
    "big_hand": {"hand_size": 7},
    "small_hand": {"hand_size": 3},
    "flat_points": {"points": "flat"},
}


def complete_rules(rules: dict[str, Any]) -> dict[str, Any]:
    """Every option with its value in force."""
    _require(isinstance(rules, dict), "rules must be an object")
    for name, value in rules.items():
        _require(name in OPTIONS, f"unknown rule option {name!r}")
        # Compared by exact type: to Python True is also the int 1, and 5.0 equals 5.
        right_type = type(value) is type(OPTIONS[name].default)
        _require(right_type and value in OPTIONS[name].allowed, f"{value!r} is not allowed for rule option {name}")
    return {name: rules.get(name, option.default) for name, option in OPTIONS.items()}


# (b) The table, and the match on it -----------------------------------------------------------------------------------


def beside(spot: Spot) -> list[Spot]:
    """The four spots that share a side with this one."""
    x, y = spot
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


@dataclass
class Match:
    """One match under way. The fields are those of (i); rules are complete."""

    rules: dict[str, Any]
    turn: int = 0
    chain: bool = False
    passes: int = 0
    turns_done: int = 0
    base: Card | None = None
    board: dict[Spot, Card] = field(default_factory=dict)  # face-up cards only, the base is not among them
    draw: list[Card] = field(default_factory=list)  # the first is drawn next
    discard: set[Card] = field(default_factory=set)
    hands: list[set[Card]] = field(default_factory=lambda: [set(), set()])
    captured: list[set[Card]] = field(default_factory=lambda: [set(), set()])
    over: str | None = None

    # (b) Definitions

    def occupied(self) -> set[Spot]:
        """Where a face-up card or the base lies. Once the base is captured the centre is empty: (c) 6."""
        base_spots = {CENTRE} if self.base is not None else set()
        return set(self.board) | base_spots

    def open_spots(self) -> set[Spot]:
        """Empty spots that are the centre, beside the centre, or beside a face-up card (linked or not: (c) 11)."""
        reachable = {CENTRE, *beside(CENTRE)}
        for spot in self.board:
            reachable.update(beside(spot))
        return reachable - self.occupied()

    def match(self, one: Card, other: Card) -> bool:
        """Whether two cards may lie side by side."""
        if self.rules["match_rule"] == "suit_or_rank":
            same_suit_or_colour = one[1] == other[1]
        else:
            same_suit_or_colour = (one[1] in BLACK) == (other[1] in BLACK)
        return same_suit_or_colour or one[0] == other[0]

    def fits(self, card: Card, spot: Spot) -> bool:
        """Whether the card matches each face-up card beside the spot. The base matches everything: (c) 4."""
        return all(self.match(card, self.board[near]) for near in beside(spot) if near in self.board)

    def captures(self, placed: Spot) -> list[Spot]:
        """Where cards are captured by a placement on this spot; to be asked before it or with the card just there.

        All are judged on one picture: (c) 7. Which card is placed makes no difference, it only has to fit.
        """
        occupied = self.occupied() | {placed}
        capturable = set(self.board) | {placed}
        if self.base is not None and self.rules["base_capturable"]:
            capturable.add(CENTRE)
        return [spot for spot in [placed, *beside(placed)] if spot in capturable and self.is_surrounded(spot, occupied)]

    def is_surrounded(self, spot: Spot, occupied: set[Spot]) -> bool:
        """Whether enough of the sides of the card on this spot are occupied."""
        sides: int = self.rules["capture_sides"]
        return len([near for near in beside(spot) if near in occupied]) >= sides

    def linked(self) -> set[Spot]:
        """Where the face-up cards lie that can be reached over face-up cards from the centre or a spot beside it."""
        found: set[Spot] = set()
        to_visit = [CENTRE, *beside(CENTRE)]
        while to_visit:
            spot = to_visit.pop()
            if spot in self.board and spot not in found:
                found.add(spot)
                to_visit.extend(beside(spot))
        return found

    # (b) Decision states, and what each move does

    def legal_placements(self) -> list[tuple[Card, Spot]]:
        """Each card in the hand of the seat to move with each open spot that it fits."""
        open_spots = sorted(self.open_spots())
        return [
            (card, spot) for card in in_order(self.hands[self.turn]) for spot in open_spots if self.fits(card, spot)
        ]

    def capturing_placements(self) -> list[tuple[Card, Spot]]:
        """The legal placements with at least one capture."""
        return [(card, spot) for card, spot in self.legal_placements() if self.captures(spot)]

    def legal(self) -> list[Move]:
        """Every legal move of the state the match is in."""
        if self.over is not None:
            return []
        if self.chain:  # CHAIN
            placements = self.capturing_placements()
            others: list[Move] = [] if self.rules["chain_rule"] == "forced" else [{"move": "stop"}]
        else:  # TURN
            placements = self.legal_placements()
            others = [{"move": "pass"}] if self.rules["free_pass"] or not placements else []
        return [{"move": "place", "card": card, "x": x, "y": y} for card, (x, y) in placements] + others

    def place(self, card: Card, spot: Spot) -> None:
        """Lay a card; (b) place 1 to 4."""
        self.passes = 0
        self.hands[self.turn].remove(card)
        self.board[spot] = card

        captures = self.captures(spot)
        for captured in captures:
            self.captured[self.turn].add(self.take_off(captured))  # a base in a capture pile is turned up

        if self.rules["cut_off"] == "at_once":
            self.discard_unlinked()

        # What is cut off but still lies there counts for this question: (c) 11.
        if captures and self.rules["chain_rule"] != "none" and self.capturing_placements():
            self.chain = True
        else:
            self.end_turn()

    def take_off(self, spot: Spot) -> Card:
        """Remove a card from the table: the base, or a face-up card (after the base, one may lie at the centre too)."""
        if spot == CENTRE and self.base is not None:
            base, self.base = self.base, None
            return base
        return self.board.pop(spot)

    def discard_unlinked(self) -> None:
        for spot in set(self.board) - self.linked():
            self.discard.add(self.board.pop(spot))

    def stop(self) -> None:
        """End a chain by choice; (b) stop."""
        self.end_turn()

    def pass_turn(self) -> None:
        """Lay nothing; (b) pass. The last pass ends the match on the spot, before a turn cap could: (f)."""
        self.passes += 1
        if self.passes == self.rules["end_passes"]:
            self.turns_done += 1
            self.over = "passes"
        else:
            self.end_turn()

    def end_turn(self) -> None:
        """(b) END OF TURN 1 to 4."""
        self.chain = False
        self.discard_unlinked()

        hand = self.hands[self.turn]
        while len(hand) < self.rules["hand_size"] and self.draw:
            hand.add(self.draw.pop(0))

        self.turns_done += 1
        if self.cap_reached():
            self.over = "turn_cap"
            return

        self.turn = other_seat(self.turn)

    def cap_reached(self) -> bool:
        """Whether the turns are used up; a cap of 0 is none. "At least", because a loaded position may be beyond it."""
        cap: int = self.rules["turn_cap"]
        return cap > 0 and self.turns_done >= cap

    # (g) Result

    def worth(self, card: Card) -> int:
        """(d) points, ace_points, face_points."""
        rank = card[0]
        if self.rules["points"] == "flat":
            return 1
        if rank == "A":
            return int(self.rules["ace_points"])
        if rank in "JQK":
            return int(self.rules["face_points"])
        return 10 if rank == "T" else int(rank)

    def scores(self) -> list[int]:
        """The worth of each capture pile, less that of the hand if the option says so."""
        scores = [sum(self.worth(card) for card in self.captured[seat]) for seat in SEATS]
        if self.rules["hand_penalty"]:
            for seat in SEATS:
                scores[seat] -= sum(self.worth(card) for card in self.hands[seat])
        return scores

    # (i) Valid positions

    def check_valid(self) -> None:
        """Refuse a position that breaks a sentence of "Valid positions". No card twice: see :func:`read_match`."""
        for spot, card in self.board.items():
            _require(self.fits(card, spot), f"{card} does not match every card beside it")

        occupied = self.occupied()
        for spot, card in self.board.items():
            _require(not self.is_surrounded(spot, occupied), f"{card} is surrounded and would have been captured")
        if self.base is not None and self.rules["base_capturable"]:
            _require(not self.is_surrounded(CENTRE, occupied), "the base is surrounded and would have been captured")

        may_be_cut_off = self.chain and self.rules["cut_off"] == "turn_end"
        _require(may_be_cut_off or self.linked() == set(self.board), "a card is not linked to the centre")

        if self.chain:
            _require(self.over is None, "there is no chain after the end")
            _require(self.rules["chain_rule"] != "none", "these rules have no state CHAIN")
            _require(self.passes == 0, "a chain cannot follow a pass")
            _require(bool(self.capturing_placements()), "a chain needs a capture to be made")

        if self.over is None:
            _require(self.passes < self.rules["end_passes"], "so many passes end the match")
            _require(not self.cap_reached(), "so many turns end the match")


def other_seat(seat: int) -> int:
    return 1 - seat


def in_order(cards: Iterable[Card]) -> list[Card]:
    """A set of cards written as a list: always in the order of the deck, so that the order tells nothing."""
    present = set(cards)
    return [card for card in DECK if card in present]


# (i) Notation, reading ------------------------------------------------------------------------------------------------

POSITION_FIELDS = ["turn", "chain", "passes", "turns_done", "base", "board", "draw", "draw_top", "discard"]
POSITION_FIELDS += ["p0", "p1", "over"]


def read_match(position: dict[str, Any], rules: dict[str, Any]) -> Match:
    """The match of a position, with the page's defaults for what is not given."""
    _check_object(position, "the position", POSITION_FIELDS)
    _require("base" in position, "the base must be given")

    match = Match(rules)
    match.turn = _read_number(position.get("turn", rules["start_seat"]), "turn")
    _require(match.turn in SEATS, "turn must be 0 or 1")
    match.chain = position.get("chain", False)
    _require(isinstance(match.chain, bool), "chain must be true or false")
    match.passes = _read_number(position.get("passes", 0), "passes")
    _require(match.passes >= 0, "passes must not be negative")
    match.turns_done = _read_number(position.get("turns_done", 0), "turns_done")
    _require(match.turns_done >= 0, "turns_done must not be negative")
    match.over = position.get("over")
    _require(match.over in (None, "passes", "turn_cap"), "over must be null or an end reason")

    match.base = position["base"]
    _require(match.base is None or match.base in DECK, "the base must be a card or null")
    match.board = _read_board(position.get("board", []), base_lies_there=match.base is not None)
    discard = _read_cards(position.get("discard", []), "discard")
    hands, captured = [], []
    for seat in SEATS:
        part = position.get(f"p{seat}", {})
        _check_object(part, f"p{seat}", ["hand", "captured"])
        hands.append(_read_cards(part.get("hand", []), f"the hand of p{seat}"))
        captured.append(_read_cards(part.get("captured", []), f"the captured cards of p{seat}"))
    draw_top = _read_cards(position.get("draw_top", []), "draw_top")

    named = [*match.board.values(), *discard, *hands[0], *hands[1], *captured[0], *captured[1], *draw_top]
    if match.base is not None:
        named.append(match.base)
    if position.get("draw", "rest") == "rest":
        under_top = [card for card in DECK if card not in named]
    else:
        under_top = _read_cards(position["draw"], "draw")
    named += under_top
    _require(len(named) == len(set(named)), "a card is named twice")

    match.draw = draw_top + under_top
    match.discard = set(discard)
    match.hands = [set(cards) for cards in hands]
    match.captured = [set(cards) for cards in captured]
    return match


def _read_board(value: Any, *, base_lies_there: bool) -> dict[Spot, Card]:
    _require(isinstance(value, list), "board must be a list")
    board: dict[Spot, Card] = {}
    for entry in value:
        _check_object(entry, "a card on the board", ["card", "x", "y"])
        _require(len(entry) == 3, "a card on the board needs card, x and y")
        [card] = _read_cards([entry["card"]], "board")
        spot = (_read_number(entry["x"], "x"), _read_number(entry["y"], "y"))
        _require(spot not in board, f"two cards lie on {spot}")
        _require(spot != CENTRE or not base_lies_there, "the base lies at the centre")
        board[spot] = card
    return board


def _read_cards(value: Any, what: str) -> list[Card]:
    _require(isinstance(value, list), f"{what} must be a list of cards")
    for card in value:
        _require(card in DECK, f"{card!r} in {what} is not a card")
    return list(value)


def _read_number(value: Any, what: str) -> int:
    # The exact type, because to Python true is an int too.
    _require(type(value) is int, f"{what} must be a whole number")
    return int(value)


def _check_object(value: Any, what: str, names: list[str]) -> None:
    _require(isinstance(value, dict), f"{what} must be an object")
    for name in value:
        _require(name in names, f"{what} has no field {name!r}")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)


# The referee ----------------------------------------------------------------------------------------------------------


class Reference:
    """One match, driven by the notation. ``load`` and ``step`` raise ValueError and change nothing on refusal."""

    unordered = frozenset({"board", "discard", "hand", "captured", "unseen"})

    def __init__(self, rules: dict[str, Any], players: int) -> None:
        self.rules = complete_rules(rules)
        _require(type(players) is int and players == len(SEATS), "Jericho is for exactly 2 players")  # (e)
        self._match = Match(self.rules)  # an empty table until a position is loaded

    def load(self, position: dict[str, Any]) -> None:
        """Go to a position. In a valid one a decision is due, or the match is over: nothing happens by itself."""
        match = read_match(position, self.rules)
        match.check_valid()
        self._match = match

    def position(self) -> dict[str, Any]:
        """The full position. The board is written by x, then y, the other sets in the order of the deck."""
        match = self._match
        return {
            "turn": match.turn,
            "chain": match.chain,
            "passes": match.passes,
            "turns_done": match.turns_done,
            "base": match.base,
            "board": [{"card": card, "x": x, "y": y} for (x, y), card in sorted(match.board.items())],
            "draw": list(match.draw),
            "discard": in_order(match.discard),
            "p0": {"hand": in_order(match.hands[0]), "captured": in_order(match.captured[0])},
            "p1": {"hand": in_order(match.hands[1]), "captured": in_order(match.captured[1])},
            "over": match.over,
        }

    def to_act(self) -> int | None:
        """The seat to decide: the one whose turn it is, in both states; None after the end."""
        return self._match.turn if self._match.over is None else None

    def legal(self) -> list[Move]:
        return self._match.legal()

    def step(self, step: dict[str, Any]) -> None:
        """Take one decision. There are no chance events after the deal, so a chance step is never legal: (b) Set-up."""
        _require(isinstance(step, dict), "a step must be an object")
        # A real action has exactly one notation, of strings and whole numbers. To Python 1, 1.0 and True are equal.
        for name, value in step.items():
            _require(type(value) in (int, str), f"{value!r} cannot be the {name} of a move")
        move = {name: value for name, value in step.items() if name != "by"}
        _require(step.get("by") == self.to_act() and move in self.legal(), f"{step} is not legal here")

        if move["move"] == "place":
            self._match.place(move["card"], (move["x"], move["y"]))
        elif move["move"] == "stop":
            self._match.stop()
        else:
            self._match.pass_turn()

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat knows; (h)."""
        _require(type(seat) is int and seat in SEATS, f"there is no seat {seat!r}")
        match, other = self._match, other_seat(seat)
        view = self.position()
        del view["draw"]
        view["draw_count"] = len(match.draw)
        if match.base is not None:
            view["base"] = HIDDEN
        view[f"p{other}"]["hand"] = [HIDDEN] * len(match.hands[other])
        view["seat"] = seat
        view["to_act"] = self.to_act()
        base = set() if match.base is None else {match.base}
        view["unseen"] = in_order(match.hands[other] | set(match.draw) | base)
        return view

    def result(self) -> dict[str, Any] | None:
        """Ranks, scores, winner and reason once the match is over; (g)."""
        if self._match.over is None:
            return None
        scores = self._match.scores()
        best = max(scores)
        return {
            "ranks": [0 if score == best else 1 for score in scores],
            "scores": scores,
            "winner": None if scores[0] == scores[1] else scores.index(best),
            "reason": self._match.over,
        }
