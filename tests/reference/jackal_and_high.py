"""Slow reference of Jackal & High: the rules page once more, in lists and sets.

Tests compare the compiled engine with this file, so it shares no code with it. It is meant to be read beside
the rules page (``jackal_and_high.md``); "page 2" in a comment is paragraph 2 of that page, "notation" is the
page on positions, moves and scenarios that all games share.

The game is by Andreas Schmidt, with art by Ben (Benedikt) Beck, published by Zoch Verlag in 2012.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Rule = int | bool | str
Json = dict[str, Any]
Put = list[list[int]]


class Option(NamedTuple):
    """A rule option: its default, and the range of an int or the choices of a string."""

    default: Rule
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()


# Page 4. ``first_seat`` ends at the last seat, so its upper end also depends on the number of players.
OPTIONS: dict[str, Option] = {
    "dice_per_player": Option(3, 1, 4),
    "die_sides": Option(8, 4, 12),
    "row_extra": Option(1, 0, 2),
    "low_copies": Option(2, 1, 3),
    "high_max": Option(21, 16, 24),
    "take2_count": Option(4, 0, 8),
    "lucky8_count": Option(4, 0, 8),
    "take2_paws": Option(2, 0, 5),
    "paws_low": Option(1, 0, 9),
    "paws_mid": Option(2, 0, 9),
    "paws_high": Option(3, 0, 9),
    "rolls_for_last_die": Option(3, 1, 5),
    "keep_unplaceable": Option(True),
    "unplaceable_dice": Option("one", choices=("one", "all")),
    "contest_tie": Option("fewest", choices=("fewest", "most", "reroll")),
    "valley_start": Option(True),
    "valley_loss": Option(True),
    "stack_order": Option("choice", choices=("choice", "low_top", "high_top")),
    "first_seat": Option(-1, -1, 4),
    "next_starter": Option("left", choices=("left", "same")),
    "tie_break": Option("high_card", choices=("high_card", "none")),
    "round_cap": Option(200, 1, 1000),
}
VARIANTS: dict[str, dict[str, Rule]] = {
    "standard": {},
    "no_luck": {"lucky8_count": 0},
    "take2_1": {"take2_paws": 1},
    "take2_0": {"take2_paws": 0},
    "four_dice": {"dice_per_player": 4},
    "gentle_valley": {"valley_loss": False},
}

LEAST_PLAYERS, MOST_PLAYERS = 2, 5  # page 5
TAKE_2, LUCKY_8 = "T2", "L8"  # page 1
PHASES = ("roll", "place", "contest", "stack", "valley", "over")  # page 2
START_PHASES = (*PHASES, "layout", "settle")  # page 7: the last two are worked off at once
REASONS = ("deck_out", "round_cap")  # page 5
FIELDS = (
    *("phase", "round", "starter", "turn", "rolled", "attempt", "contest", "valley_roll"),
    *("row", "valley", "deck", "out", "reason"),
)


@dataclass
class RowPosition:
    """A place of the row: its card, the Take 2 under it, and on it the dice of each seat (page 1)."""

    card: str | None
    take2: int
    dice: list[list[int]]


@dataclass
class Seat:
    """What one seat owns (page 1): dice in hand, its stack (first = top), its Take 2, and what it won this round."""

    dice: int
    stack: list[str] = field(default_factory=list)
    take2: int = 0
    won: list[str] = field(default_factory=list)


def number(card: str) -> int:
    """The number of an animal or a Lucky 8 (page 1)."""
    return 8 if card == LUCKY_8 else int(card)


class Reference:
    """One match, driven by JSON: ``load`` a position, then ``step`` after ``step``."""

    unordered = frozenset({"rolled", "dice[]", "won", "win", "lose", "unseen"})

    phase: str
    round: int
    starter: int
    turn: int | None
    rolled: list[int]
    attempt: int
    contest: int | None
    valley_roll: dict[str, set[int]] | None
    row: list[RowPosition]
    valley_card: str | None
    valley_dice: list[int]
    deck: list[str]
    out: int
    reason: str | None
    seats: list[Seat]

    def __init__(self, rules: dict[str, Any], players: int) -> None:
        self.players = whole(players, LEAST_PLAYERS, MOST_PLAYERS, "players")
        self.rules = rules_in_force(rules, players)
        self.copies = copies_of_cards(self.rules)

    # ---- Positions (page 7) ----------------------------------------------------------------------------------

    def load(self, position: dict[str, Any]) -> None:
        """Take over a start position and do everything automatic; a refused one changes nothing."""
        fresh = Reference({}, self.players)  # read into a second table, so that a refusal leaves this one alone
        fresh.rules, fresh.copies = self.rules, self.copies
        fresh._read(position)
        fresh._start()
        self.__dict__.update(fresh.__dict__)

    def position(self) -> Json:
        """The full position, every field in the page's order."""
        position: Json = {
            "phase": self.phase,
            "round": self.round,
            "starter": self.starter,
            "turn": self.turn,
            "rolled": sorted(self.rolled),
            "attempt": self.attempt,
            "contest": self.contest,
            "valley_roll": None,
            "row": [
                {"card": spot.card, "take2": spot.take2, "dice": [sorted(dice) for dice in spot.dice]}
                for spot in self.row
            ],
            "valley": {"card": self.valley_card, "dice": list(self.valley_dice)},
            "deck": list(self.deck),
            "out": self.out,
            "reason": self.reason,
        }
        if self.valley_roll is not None:
            position["valley_roll"] = {name: sorted(self.valley_roll[name]) for name in ("win", "lose")}
        for seat, owner in enumerate(self.seats):
            position[f"p{seat}"] = {
                "dice": owner.dice,
                "stack": list(owner.stack),
                "take2": owner.take2,
                "won": self._sorted(owner.won),
            }
        return position

    def view(self, seat: int) -> Json:
        """Page 6: all is open but the order of the deck, so every seat has the same view."""
        whole(seat, 0, self.players - 1, "seat")
        return {**self.position(), "deck": ["??"] * len(self.deck), "unseen": self._sorted(self.deck)}

    def to_act(self) -> int | None:
        return self.turn if self.phase in ("place", "stack") else None

    def chance(self) -> Json | None:
        """The pending chance event, with a number of dice wherever the event itself names their values."""
        sides = self.rules["die_sides"]
        if self.phase == "roll":
            return {"chance": "roll", "seat": self.turn, "dice": self._own().dice, "sides": sides}
        if self.phase == "contest":
            return {"chance": "contest", "at": self.contest, "dice": self._contest_dice(), "sides": sides}
        if self.phase == "valley":
            return {"chance": "valley", "dice": self._valley_dice_to_roll(), "sides": sides}
        return None

    def result(self) -> Json | None:
        """Page 5: more paws are better; equal paws are parted by the highest animal, if the rules say so."""
        if self.phase != "over":
            return None
        scores = [
            sum(self._paws(card) for card in owner.stack) + owner.take2 * self.rules["take2_paws"]
            for owner in self.seats
        ]
        high = [max((number(card) for card in owner.stack), default=0) for owner in self.seats]
        if self.rules["tie_break"] == "high_card":
            worth = list(zip(scores, high, strict=True))
        else:
            worth = [(score, 0) for score in scores]
        ranks = [sum(other > own for other in worth) for own in worth]
        winner = ranks.index(0) if ranks.count(0) == 1 else None
        return {"ranks": ranks, "scores": scores, "winner": winner, "reason": self.reason, "high": high}

    def _paws(self, card: str) -> int:
        """Page 1, with the numbers of page 4."""
        if number(card) <= 7:
            paws = self.rules["paws_low"]
        elif number(card) <= 16:
            paws = self.rules["paws_mid"]
        else:
            paws = self.rules["paws_high"]
        return int(paws)

    # ---- Steps -----------------------------------------------------------------------------------------------

    def legal(self) -> list[Json]:
        """Every legal move of the pending decision, [] if nobody decides."""
        if self.phase == "place":  # page 2, turns 2
            moves: list[Json] = [{"move": "place", "put": put} for put in self._placements()]
            if not moves:
                moves.append({"move": "valley"})  # only ever asked together with a re-roll
            if self._reroll_possible():
                moves.append({"move": "reroll"})
            return moves
        if self.phase == "stack":  # page 2, end of the round 3
            return [{"move": "stack", "card": card} for card in self._sorted(set(self._own().won))]
        return []

    def step(self, step: dict[str, Any]) -> None:
        """Take a decision or a chance event. All checks come first: what is refused changes nothing."""
        if not isinstance(step, dict):
            raise ValueError("a step is an object")
        if "chance" in step:
            self._take_chance(step)
        else:
            self._take_decision(step)

    def _take_decision(self, step: Json) -> None:
        move = {name: value for name, value in step.items() if name != "by"}
        if self.to_act() is None or not same(step.get("by"), self.to_act()):
            raise ValueError("it is not for this seat to decide")
        if not any(same(move, legal) for legal in self.legal()):
            raise ValueError("the move is not legal")
        own = self._own()
        if move["move"] == "place":
            for die, at in move["put"]:
                self.row[at].dice[self._seat()].append(die)
                own.dice -= 1
            self._end_turn()
        elif move["move"] == "valley":
            self._to_valley(1)
            self._end_turn()
        elif move["move"] == "reroll":
            self._reroll()
        else:
            own.won.remove(move["card"])
            own.stack.insert(0, move["card"])
            self._stacking()

    def _take_chance(self, step: Json) -> None:
        pending = self.chance()
        if pending is None or not same(step["chance"], pending["chance"]):
            raise ValueError("no such chance event is pending")
        wanted = {name: value for name, value in pending.items() if name not in ("dice", "sides")}
        if "dice" not in step or not same({name: step[name] for name in step if name != "dice"}, wanted):
            raise ValueError("a different chance event is pending")
        if self.phase == "roll":
            self._check_dice(step["dice"], pending["dice"])
            self.rolled = list(step["dice"])
            self.attempt += 1
            self.phase = "place"
            self._after_roll()
            return
        per_seat = items(step["dice"], "the dice", self.players)
        for dice, count in zip(per_seat, pending["dice"], strict=True):
            self._check_dice(dice, count)
        if self.phase == "contest":
            self._after_contest_roll(per_seat)
        else:
            self._after_valley_roll(per_seat)

    def _check_dice(self, dice: Any, count: int) -> None:
        """Page 7, chance events: the right number of real faces, ascending."""
        values = [whole(die, 1, self.rules["die_sides"], "a die") for die in items(dice, "the dice", count)]
        if values != sorted(values):
            raise ValueError("dice are written in ascending order")

    # ---- Layout (page 2) -------------------------------------------------------------------------------------

    def _layout(self) -> bool:
        """Fill the row; False if the deck ran out, which leaves what has been laid as it lies."""
        for spot in self.row:  # 1: every empty position gets one card, a Take 2 stays bare for now
            if spot.card is None and spot.take2 == 0 and not self._draw_onto(spot):
                return False
        for spot in self.row:  # 2: bare Take 2 are covered, however many cards that takes
            while spot.card is None:
                if not self._draw_onto(spot):
                    return False
        return True  # 4: with nothing to draw, an empty deck does no harm

    def _draw_onto(self, spot: RowPosition) -> bool:
        while self.deck:
            card = self.deck.pop(0)
            if card == LUCKY_8 and any(other.card == LUCKY_8 for other in self.row):
                self.out += 1  # 3: a second Lucky 8 leaves the game, the next card replaces it
            elif card == TAKE_2:
                spot.take2 += 1
                return True
            else:
                spot.card = card
                return True
        return False  # 4

    def _begin_round(self) -> None:
        self.phase, self.turn, self.attempt = "roll", self.starter, 0

    def _end_match(self, reason: str) -> None:
        self.phase, self.turn, self.reason = "over", None, reason

    # ---- Turns (page 2) --------------------------------------------------------------------------------------

    def _placements(self) -> list[Put]:
        """Every way to put one or more of the rolled dice on the row, equal dice counted once."""
        room = self._room()
        found: set[tuple[tuple[int, int], ...]] = {()}
        for die in self.rolled:  # each die in turn joins, or does not join, what has been put so far
            for put in sorted(found):
                for at in range(len(self.row)):
                    if die + sum(other for other, there in put if there == at) <= room[at]:
                        found.add(tuple(sorted((*put, (die, at)))))
        return [[[die, at] for die, at in put] for put in sorted(found) if put]

    def _room(self) -> list[int]:
        """What still fits on each position: only the seat's own dice count, those of earlier turns included."""
        own = [sum(spot.dice[self._seat()]) for spot in self.row]
        return [0 if spot.card is None else number(spot.card) - mine for spot, mine in zip(self.row, own, strict=True)]

    def _reroll_possible(self) -> bool:
        return self._own().dice == 1 and self.attempt < self.rules["rolls_for_last_die"]

    def _after_roll(self) -> None:
        """Turns 2: leave the seat a decision, or do the only thing there is to do."""
        if min(self.rolled) <= max(self._room()):
            return  # some placement exists
        if self._reroll_possible():
            if not self.rules["keep_unplaceable"]:
                self._reroll()
            return
        self._to_valley(1 if self.rules["unplaceable_dice"] == "one" else self._own().dice)
        self._end_turn()

    def _reroll(self) -> None:
        """The die is picked up; same turn, so ``attempt`` stays."""
        self.phase, self.rolled = "roll", []

    def _to_valley(self, dice: int) -> None:
        self._own().dice -= dice
        self.valley_dice[self._seat()] += dice

    def _end_turn(self) -> None:
        """Turns 4: the next seat clockwise with dice in hand, the same seat last."""
        self.rolled, self.attempt = [], 0
        for seat in self._clockwise_from(self._seat() + 1):
            if self.seats[seat].dice:
                self.phase, self.turn = "roll", seat
                return
        self._settle()

    # ---- End of the round (page 2) ---------------------------------------------------------------------------

    def _settle(self) -> None:
        """1: dice that are not exact go to the valley."""
        self.turn = None
        for spot in self.row:
            for seat in range(self.players):
                if spot.card is not None and sum(spot.dice[seat]) != number(spot.card):
                    self.valley_dice[seat] += len(spot.dice[seat])
                    spot.dice[seat] = []
        self._contests()

    def _contests(self) -> None:
        """2: position by position, until dice must be rolled or no contender is left."""
        self.contest = None
        for at in self._settling_order():
            contenders = self._contenders(at)
            if len(contenders) > 1:
                self.phase, self.contest = "contest", at
                return
            if contenders:
                self._win(contenders[0], at)
        self._stacking()

    def _settling_order(self) -> list[int]:
        """By rising index, but a Lucky 8 only when no other position is left."""
        return sorted(range(len(self.row)), key=lambda at: (self.row[at].card == LUCKY_8, at))

    def _contenders(self, at: int) -> list[int]:
        """After step 1 all dice on the row are exact, so whoever has dice on a position is a contender."""
        return [seat for seat in range(self.players) if self.row[at].dice[seat]]

    def _contest_dice(self) -> list[int]:
        return [len(dice) for dice in self.row[self._contested()].dice]

    def _after_contest_roll(self, dice: list[list[int]]) -> None:
        at = self._contested()
        contenders = set(self._contenders(at))
        for seat in contenders - self._best(contenders, dice):
            self._take_back(seat, at)
        self._contests()  # the same position again: one seat left wins it, several roll again

    def _best(self, group: set[int], dice: list[list[int]]) -> set[int]:
        """The highest sum; among equals the fewest dice (``contest_tie``: the most dice, or all of them)."""
        top = max(sum(dice[seat]) for seat in group)
        tied = {seat for seat in group if sum(dice[seat]) == top}
        if self.rules["contest_tie"] == "reroll":
            return tied
        counts = [len(dice[seat]) for seat in tied]
        wanted = min(counts) if self.rules["contest_tie"] == "fewest" else max(counts)
        return {seat for seat in tied if len(dice[seat]) == wanted}

    def _worst(self, group: set[int], dice: list[list[int]]) -> set[int]:
        """4, the mirror image: the lowest sum; among equals the most dice (``most``: the fewest; or all of them)."""
        bottom = min(sum(dice[seat]) for seat in group)
        tied = {seat for seat in group if sum(dice[seat]) == bottom}
        if self.rules["contest_tie"] == "reroll":
            return tied
        counts = [len(dice[seat]) for seat in tied]
        wanted = max(counts) if self.rules["contest_tie"] == "fewest" else min(counts)
        return {seat for seat in tied if len(dice[seat]) == wanted}

    def _take_back(self, seat: int, at: int) -> None:
        self.seats[seat].dice += len(self.row[at].dice[seat])
        self.row[at].dice[seat] = []

    def _win(self, seat: int, at: int) -> None:
        """The seat gets the position; a Lucky 8 leaves the game and brings all cards still in the row."""
        self._take_back(seat, at)
        if self.row[at].card == LUCKY_8:
            self.row[at].card = None
            self.out += 1
            gained = self.row
        else:
            gained = [self.row[at]]
        for spot in gained:
            if spot.card is not None:
                self.seats[seat].won.append(spot.card)
            self.seats[seat].take2 += spot.take2
            spot.card, spot.take2 = None, 0

    def _stacking(self) -> None:
        """3: clockwise from the starter, asking a seat only while it holds different numbers."""
        for seat in self._clockwise_from(self.starter):
            owner = self.seats[seat]
            if self.rules["stack_order"] == "choice" and len(set(owner.won)) > 1:
                self.phase, self.turn = "stack", seat
                return
            cards = self._sorted(owner.won)  # laid in this order, so the last one ends on top
            if self.rules["stack_order"] == "low_top":
                cards.reverse()
            owner.stack = cards[::-1] + owner.stack
            owner.won = []
        self.turn = None
        self._valley()

    def _valley(self) -> None:
        """4: nobody there, one seat there, or several that roll."""
        there = self._in_valley()
        if len(there) == 1:
            (seat,) = there
            if self.valley_card is not None:
                self._take_from_valley(seat)
            elif self.rules["valley_loss"]:
                self._lose_to_valley(seat)
        elif len(there) > 1:
            win = there if self.valley_card is not None else set()
            lose = there if self.rules["valley_loss"] else set()
            if win or lose:
                self.valley_roll = {"win": set(win), "lose": set(lose)}
                self._valley_rolls()
                return
        self._end_round()

    def _in_valley(self) -> set[int]:
        return {seat for seat in range(self.players) if self.valley_dice[seat]}

    def _valley_rolls(self) -> None:
        """4: wait for a roll while winner or loser is open, then first the win, then the loss."""
        win, lose = self._valley_groups()
        if len(win) > 1 or len(lose) > 1:
            self.phase = "valley"
            return
        self.valley_roll = None
        for seat in win:
            self._take_from_valley(seat)
        for seat in lose:
            self._lose_to_valley(seat)
        self._end_round()

    def _valley_groups(self) -> tuple[set[int], set[int]]:
        assert self.valley_roll is not None
        return self.valley_roll["win"], self.valley_roll["lose"]

    def _rolling_group(self) -> set[int]:
        win, lose = self._valley_groups()
        return win if len(win) > 1 else lose

    def _valley_dice_to_roll(self) -> list[int]:
        group = self._rolling_group()
        return [self.valley_dice[seat] if seat in group else 0 for seat in range(self.players)]

    def _after_valley_roll(self, dice: list[list[int]]) -> None:
        win, lose = self._valley_groups()
        group = self._rolling_group()
        self.valley_roll = {
            "win": self._best(group, dice) if win == group else win,
            "lose": self._worst(group, dice) if lose == group else lose,
        }
        self._valley_rolls()

    def _take_from_valley(self, seat: int) -> None:
        assert self.valley_card is not None
        self.seats[seat].stack.insert(0, self.valley_card)
        self.valley_card = None

    def _lose_to_valley(self, seat: int) -> None:
        """The top animal of the stack, if there is one; a Take 2 is never lost (page 3)."""
        if self.seats[seat].stack:
            self.valley_card = self.seats[seat].stack.pop(0)

    def _end_round(self) -> None:
        """5: dice return, then the cap, then the layout of the next round."""
        for owner in self.seats:
            owner.dice = self.rules["dice_per_player"]
        self.valley_dice = [0] * self.players
        if self.round == self.rules["round_cap"]:
            self._end_match("round_cap")
        elif self._layout():
            self.round += 1
            if self.rules["next_starter"] == "left":
                self.starter = (self.starter + 1) % self.players
            self._begin_round()
        else:
            self._end_match("deck_out")  # ``round`` and ``starter`` stay those of the last round (page 7)

    # ---- Small helpers ---------------------------------------------------------------------------------------

    def _seat(self) -> int:
        assert self.turn is not None
        return self.turn

    def _own(self) -> Seat:
        """What the seat in turn owns."""
        return self.seats[self._seat()]

    def _contested(self) -> int:
        assert self.contest is not None
        return self.contest

    def _clockwise_from(self, seat: int) -> list[int]:
        return [(seat + step) % self.players for step in range(self.players)]

    def _sorted(self, cards: list[str] | set[str]) -> list[str]:
        """Page 6 and 7: animals by number, then Take 2, then Lucky 8."""
        return sorted(cards, key=list(self.copies).index)

    # ---- Reading a start position (page 7) -------------------------------------------------------------------

    def _start(self) -> None:
        """Go on from a start position: work off ``layout`` and ``settle``, and whatever is automatic elsewhere."""
        if self.phase == "layout":  # begins the given round, so neither round nor starter moves
            if self._layout():
                self._begin_round()
            else:
                self._end_match("deck_out")
        elif self.phase == "settle":
            self._settle()
        elif self.phase == "roll" and self._own().dice == 0:
            self._end_turn()  # nothing to roll: no turn of this seat (turns 4)
        elif self.phase == "place":
            self._after_roll()
        elif self.phase == "contest":
            self._contests()
        elif self.phase == "stack":
            self._stacking()
        elif self.phase == "valley":
            if self.valley_roll is None:
                self._valley()
            else:
                self._valley_rolls()

    def _read(self, position: Any) -> None:
        """Fill in what a start position leaves out, and refuse what cannot be."""
        names = [f"p{seat}" for seat in range(self.players)]
        given = fields(position, (*FIELDS, "deck_top", *names), "the position")
        self.phase = one_of(given.get("phase", "roll"), START_PHASES, "phase")
        self.round = whole(given.get("round", 1), 1, self.rules["round_cap"], "round")
        self.starter = whole(given.get("starter", 0), 0, self.players - 1, "starter")
        self.out = whole(given.get("out", 0), 0, self.rules["lucky8_count"], "out")
        self._read_reason(given.get("reason"))
        self._read_row(given.get("row"))
        self._read_valley(given.get("valley", {}))
        self.seats = [self._read_seat(seat, given.get(name, {})) for seat, name in enumerate(names)]
        self._read_deck(given.get("deck_top", []), given.get("deck", "rest"))
        self._check_row()
        self._check_where_dice_lie()
        self._check_won()
        self._read_turn(given)
        self._read_contest(given.get("contest"))
        self._read_valley_roll(given.get("valley_roll"))

    def _read_reason(self, reason: Any) -> None:
        self.reason = None
        if self.phase == "over":
            self.reason = one_of(reason, REASONS, "reason")
        elif reason is not None:
            raise ValueError("there is a reason only when the match is over")

    def _read_row(self, row: Any) -> None:
        self.row = []
        for value in items(row, "row", self.players + self.rules["row_extra"]):
            given = fields(value, ("card", "take2", "dice"), "a position of the row")
            card = given.get("card")
            if card is not None and card != LUCKY_8:
                self._animal(card)
            take2 = whole(given.get("take2", 0), 0, self.rules["take2_count"], "take2")
            dice = [
                self._faces(own, "dice on the row")
                for own in items(given.get("dice", [[]] * self.players), "dice on the row", self.players)
            ]
            self.row.append(RowPosition(card, take2, dice))

    def _read_valley(self, valley: Any) -> None:
        given = fields(valley, ("card", "dice"), "valley")
        card = given.get("card")
        self.valley_card = None if card is None else self._animal(card)
        most = self.rules["dice_per_player"]
        counts = items(given.get("dice", [0] * self.players), "dice in the valley", self.players)
        self.valley_dice = [whole(count, 0, most, "dice in the valley") for count in counts]

    def _read_seat(self, seat: int, value: Any) -> Seat:
        """Row and valley come first: the dice in hand are by default those that lie nowhere else."""
        given = fields(value, ("dice", "stack", "take2", "won"), f"p{seat}")
        elsewhere = sum(len(spot.dice[seat]) for spot in self.row) + self.valley_dice[seat]
        in_hand = self.rules["dice_per_player"] - elsewhere
        if in_hand < 0 or not same(given.get("dice", in_hand), in_hand):
            raise ValueError(f"seat {seat} has a wrong number of dice")
        return Seat(
            dice=in_hand,
            stack=[self._animal(card) for card in items(given.get("stack", []), "stack")],
            take2=whole(given.get("take2", 0), 0, self.rules["take2_count"], "take2"),
            won=[self._animal(card) for card in items(given.get("won", []), "won")],
        )

    def _read_deck(self, deck_top: Any, deck: Any) -> None:
        """Notation, piles: the given cards on top, below them an exact list or the rest."""
        self.deck = [self._card(card) for card in items(deck_top, "deck_top")]
        if not same(deck, "rest"):
            self.deck += [self._card(card) for card in items(deck, "deck")]
        named = Counter(self.deck)
        named.update(spot.card for spot in self.row if spot.card is not None)
        named.update([] if self.valley_card is None else [self.valley_card])
        for owner in self.seats:
            named.update(owner.stack + owner.won)
        named[TAKE_2] += sum(spot.take2 for spot in self.row) + sum(owner.take2 for owner in self.seats)
        named[LUCKY_8] += self.out
        for card, copies in self.copies.items():
            if named[card] > copies:
                raise ValueError(f"there are too many cards {card}")
            if same(deck, "rest"):
                self.deck += [card] * (copies - named[card])

    def _check_row(self) -> None:
        if sum(spot.card == LUCKY_8 for spot in self.row) > 1:
            raise ValueError("a second Lucky 8 lies in the row")
        for spot in self.row:
            if spot.card is None and self.phase in ("roll", "place", "settle"):
                raise ValueError("the row has a gap")
            if spot.card is None and spot.take2 and self.phase != "layout" and self.reason != "deck_out":
                raise ValueError("a Take 2 is bare only during a layout and after one that could not be completed")
            for dice in spot.dice:
                if sum(dice) > (0 if spot.card is None else number(spot.card)):
                    raise ValueError("the dice exceed the number of their card")
                if self.phase == "contest" and dice and spot.card is not None and sum(dice) != number(spot.card):
                    raise ValueError("in a contest only exact dice are left on the row")

    def _check_where_dice_lie(self) -> None:
        on_row = any(dice for spot in self.row for dice in spot.dice)
        if on_row and self.phase in ("layout", "stack", "valley", "over"):
            raise ValueError("there are no dice on the row at this time")
        if any(self.valley_dice) and self.phase in ("layout", "over"):
            raise ValueError("there are no dice in the valley at this time")
        if any(owner.dice for owner in self.seats) and self.phase == "settle":
            raise ValueError("the round ends when all dice are placed")

    def _check_won(self) -> None:
        """Cards wait to be stacked only between the first card won and the end of stacking (end of the round 2, 3)."""
        if any(owner.won for owner in self.seats) and self.phase not in ("contest", "stack"):
            raise ValueError("there are no cards to be stacked at this time")

    def _read_turn(self, given: Json) -> None:
        """Turn, dice on the table and number of rolls, for the phases that have them."""
        turn = given.get("turn", self.starter if self.phase in ("roll", "place") else None)
        self.turn = None
        if self.phase in ("roll", "place"):
            self.turn = whole(turn, 0, self.players - 1, "turn")
        elif self.phase == "stack" and turn is not None:
            self._check_stacking_turn(whole(turn, 0, self.players - 1, "turn"))
        elif turn is not None:
            raise ValueError("no seat is in turn at this time")

        self.rolled = self._faces(given.get("rolled", []), "rolled")
        if self.phase == "place" and (not self.rolled or len(self.rolled) != self._own().dice):
            raise ValueError("the seat has rolled all of its dice")
        if self.phase != "place" and self.rolled:
            raise ValueError("dice are on the table only in the phase place")

        # A turn that begins with more than one die has one roll only. In ``place`` the pending roll is counted.
        least, most = 0, 0
        if self.phase in ("roll", "place"):
            most = self.rules["rolls_for_last_die"] if self._own().dice == 1 else 1
        if self.phase == "place":
            least = 1
        elif self.phase == "roll":
            most -= 1
        self.attempt = whole(given.get("attempt", least), least, most, "attempt")

    def _check_stacking_turn(self, turn: int) -> None:
        """The seat must be the next to decide, or the first with cards at all (which may be laid automatically)."""
        order = self._clockwise_from(self.starter)
        first = [seat for seat in order if self.seats[seat].won][:1]
        decides = [seat for seat in order if len(set(self.seats[seat].won)) > 1][:1]
        if turn not in first + decides:
            raise ValueError("it is not for this seat to stack")

    def _read_contest(self, contest: Any) -> None:
        """If given, it must be the position whose turn it is; one with a single contender is then settled."""
        self.contest = None
        if contest is None:
            return
        if self.phase != "contest":
            raise ValueError("no position is contested at this time")
        at = whole(contest, 0, len(self.row) - 1, "contest")
        contested = [other for other in self._settling_order() if len(self._contenders(other)) > 1]
        if not self._contenders(at) or (at in contested and at != contested[0]):
            raise ValueError("this position is not contested now")

    def _read_valley_roll(self, valley_roll: Any) -> None:
        """If given, both groups must be possible for the dice in the valley, its card and the rules."""
        self.valley_roll = None
        if valley_roll is None:
            return
        if self.phase != "valley":
            raise ValueError("nobody rolls for the valley at this time")
        given = fields(valley_roll, ("win", "lose"), "valley_roll")
        groups: dict[str, set[int]] = {}
        for name in ("win", "lose"):
            seats = [whole(seat, 0, self.players - 1, name) for seat in items(given.get(name), name)]
            groups[name] = set(seats)
            if len(seats) != len(groups[name]):
                raise ValueError(f"a seat is named twice in {name}")
        win, lose, there = groups["win"], groups["lose"], self._in_valley()
        if len(there) < 2 or not win | lose <= there:
            raise ValueError("only several seats with dice in the valley roll for it")
        if bool(win) != (self.valley_card is not None) or bool(lose) != self.rules["valley_loss"]:
            raise ValueError("there is a card to win, or one to lose, exactly if valley_roll says so")
        if win & lose and not win == lose == there:
            raise ValueError("after the first roll that parts them nobody can both win and lose")
        self.valley_roll = groups

    def _card(self, card: Any) -> str:
        if not isinstance(card, str) or card not in self.copies:
            raise ValueError(f"{card!r} is no card")
        return card

    def _animal(self, card: Any) -> str:
        if self._card(card) in (TAKE_2, LUCKY_8):
            raise ValueError(f"{card} is no animal")
        return str(card)

    def _faces(self, dice: Any, what: str) -> list[int]:
        """Values of dice in any order (they are a set), kept ascending."""
        return sorted(whole(die, 1, self.rules["die_sides"], what) for die in items(dice, what))


def rules_in_force(rules: Any, players: int) -> dict[str, Any]:
    """Page 4: the defaults, with the given options instead where they are known, of the right type and in range."""
    fields(rules, tuple(OPTIONS), "the rules")
    in_force: dict[str, Any] = {name: option.default for name, option in OPTIONS.items()}
    for name, value in rules.items():
        option = OPTIONS[name]
        if isinstance(option.default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false")
        elif isinstance(option.default, str):
            one_of(value, option.choices, name)
        else:
            whole(value, option.low, players - 1 if name == "first_seat" else option.high, name)
        in_force[name] = value
    return in_force


def copies_of_cards(rules: dict[str, Any]) -> dict[str, int]:
    """Page 1: how many of each card there are, animals by number, then Take 2, then Lucky 8."""
    copies = {str(low): int(rules["low_copies"]) for low in range(1, 8)}
    copies.update({str(high): 1 for high in range(9, rules["high_max"] + 1)})
    copies[TAKE_2] = rules["take2_count"]
    copies[LUCKY_8] = rules["lucky8_count"]
    return copies


def whole(value: Any, low: int, high: int, what: str) -> int:
    """An int in a range; a bool is not an int."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what} must be a whole number from {low} to {high}")
    return value


def one_of(value: Any, choices: tuple[str, ...], what: str) -> str:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{what} must be one of {', '.join(choices)}")
    return value


def items(value: Any, what: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ValueError(f"{what} must be a list" + ("" if length is None else f" of length {length}"))
    return value


def fields(value: Any, names: tuple[str, ...], what: str) -> Json:
    if not isinstance(value, dict) or not set(value) <= set(names):
        raise ValueError(f"{what} must be an object with no other fields than {', '.join(names)}")
    return value


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: Python also takes True for 1 and 1.0 for 1."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return set(left) == set(right) and all(same(left[name], right[name]) for name in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right, strict=True))
    return bool(left == right)
