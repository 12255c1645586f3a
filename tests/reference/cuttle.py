"""The slow reference of Cuttle: the rules page told once more in plain Python, as an independent oracle for tests.

It follows ``docs/rules/cuttle.md`` paragraph by paragraph with lists and strings and shares no code with the
engine. "§3 Resolving" in a comment names the place on that page. Speed is no aim; being read beside the page is.

Words as on the page: *me* is the seat on turn, *opp* the other seat. Every list that is a set in the notation is kept
in card order between steps, so moves come out in a fixed order and positions need no sorting when written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Json = dict[str, Any]

# §1 Words
RANKS = "A23456789TJQK"
SUITS = "CDHS"
CARDS = [rank + suit for rank in RANKS for suit in SUITS]  # in card order: by rank, then suit
ORDER = {card: place for place, card in enumerate(CARDS)}
NUMBER_RANKS = "A23456789T"
ROYAL_RANKS = "KQ8"
ONE_OFF_RANKS = "A2345679"
AIMED_RANKS = "29"  # the one-offs that name a target

PHASES = ("main", "counter", "three", "four", "five", "seven", "limit", "over")  # §3
REASONS = ("points", "stalemate", "turn_cap")  # §6

# §5 Rule options: name -> (default, allowed values). For kings_goal the values are those of each entry.
OPTIONS: dict[str, tuple[Any, Sequence[Any]]] = {
    "goal": (21, range(1, 100)),
    "kings_goal": ([14, 10, 7, 5], range(100)),
    "first_hand": (5, range(13)),
    "second_hand": (6, range(13)),
    "hand_limit": (8, range(1, 17)),
    "hand_limit_rule": ("refuse", ("refuse", "discard")),
    "passes_for_draw": (3, range(1, 21)),
    "turn_cap": (500, range(1, 10001)),
    "both_win": ("mover", ("mover", "draw")),
    "four_discards": (2, range(1, 4)),
    "four_random": (False, (False, True)),
    "five_draws": (2, range(1, 6)),
    "five_discard": (False, (False, True)),
    "seven_reveals": (2, range(1, 5)),
    "three_may_take_three": (True, (False, True)),
    "nine_effect": ("hand", ("hand", "deck", "two")),
    "nine_freezes": (True, (False, True)),
    "frozen_can_counter": (False, (False, True)),
    "twos_counter": (True, (False, True)),
    "queen_stops_counter": (True, (False, True)),
    "scuttle_ties": ("suit", ("suit", "never", "any")),
    "open_hands": (False, (False, True)),
}

MODERN: Json = {"kings_goal": [14, 10, 5, 0], "five_draws": 3, "five_discard": True, "three_may_take_three": False}
SITE_2026: Json = MODERN | {"hand_limit_rule": "discard"}

VARIANTS: dict[str, Json] = {
    "standard": {},
    "upstream_kings": {"kings_goal": [14, 10, 5, 0]},
    "even_hands": {"second_hand": 5},
    "six_each": {"first_hand": 6},
    "short": {"goal": 14, "kings_goal": [10, 7, 5, 3]},
    "modern": MODERN,
    "no_three_loop": {"three_may_take_three": False},
    "no_counters": {"twos_counter": False},
    "open": {"open_hands": True},
    "small_hands": {"hand_limit": 6},
    "site_2026": SITE_2026,
    "trial_deck_nines": SITE_2026 | {"nine_effect": "deck"},
    "trial_two_nines": SITE_2026 | {"nine_effect": "two"},
    "trial_random_fours": SITE_2026 | {"four_random": True},
}

POSITION_FIELDS = ("turn", "turns", "passes", "phase", "pending", "p0", "p1", "scrap", "deck", "deck_known", "result")
SEAT_FIELDS = ("hand", "points", "royals", "frozen", "known")
PENDING_FIELDS = ("card", "target", "target2", "counters")
RESULT_FIELDS = ("ranks", "scores", "winner", "reason")


@dataclass
class Side:
    """One seat's part of the position. A point card is the list of it and its Jacks, bottom to top."""

    hand: list[str]
    points: list[list[str]]
    royals: list[str]
    frozen: str | None
    known: list[str]  # cards of the hand that the other seat has seen there (§7)


@dataclass
class Pending:
    """A one-off on its way: waiting to be countered, or a Three whose pick is not made yet."""

    card: str
    targets: list[str]  # none, one, or the two of a Nine for two, in card order
    counters: list[str]


class Reference:
    """One match of Cuttle, driven by the JSON of the notation."""

    unordered = frozenset({"hand", "points", "royals", "known", "scrap", "unseen"})

    # The position (§8), always as the last load or step left it.
    turn: int
    turns: int
    passes: int
    phase: str
    pending: Pending | None
    sides: list[Side]
    scrap: list[str]
    deck: list[str]  # top first
    deck_known: int
    outcome: tuple[int | None, str] | None  # winner and reason

    def __init__(self, rules: Json, players: int) -> None:
        if type(players) is not int or players != 2:  # §6; a bool is no number
            raise ValueError(f"Cuttle is for two players, not {players!r}")
        self.rules = _all_rules(rules)
        self.load({})

    # ---- what the table shows -------------------------------------------------------------------------------------

    def position(self) -> Json:
        """The full position, every field present (§8)."""
        pending = self.pending
        return {
            "turn": self.turn,
            "turns": self.turns,
            "passes": self.passes,
            "phase": self.phase,
            "pending": None if pending is None else _pending_fields(pending),
            "p0": self._seat_fields(0),
            "p1": self._seat_fields(1),
            "scrap": list(self.scrap),
            "deck": list(self.deck),
            "deck_known": self.deck_known,
            "result": self.result(),
        }

    def _seat_fields(self, seat: int) -> Json:
        side = self.sides[seat]
        return {
            "hand": list(side.hand),
            "points": ["+".join(stack) for stack in side.points],
            "royals": list(side.royals),
            "frozen": side.frozen,
            "known": list(side.known),
        }

    def view(self, seat: int) -> Json:
        """What ``seat`` sees (§7): the position without the deck, the other hand as far as it is known."""
        if type(seat) is not int or seat not in (0, 1):
            raise ValueError(f"no such seat: {seat!r}")
        other = self.sides[1 - seat]
        hidden_in_deck = self.deck[self.deck_known :]
        # If nothing in the deck is hidden, the other hand can be deduced; `known` itself stays as it is.
        hidden_in_hand = [card for card in other.hand if card not in other.known] if hidden_in_deck else []
        seen_in_hand = [card for card in other.hand if card not in hidden_in_hand]

        view = self.position()
        del view["deck"]
        view[f"p{1 - seat}"]["hand"] = seen_in_hand + ["??"] * len(hidden_in_hand)
        view["deck_top"] = self.deck[: self.deck_known]
        view["deck_count"] = len(self.deck)
        view["unseen"] = _in_card_order(hidden_in_deck + hidden_in_hand)
        view["seat"] = seat
        view["to_act"] = self.to_act()
        return view

    def to_act(self) -> int | None:
        """The seat that decides, by the table of §3."""
        me, opp = self.turn, 1 - self.turn
        if self.phase == "over" or self._chance_is_due():
            return None
        if self.phase == "four":
            return opp
        if self.phase == "counter":
            assert self.pending is not None
            return opp if len(self.pending.counters) % 2 == 0 else me
        return me

    def _chance_is_due(self) -> bool:
        """With ``four_random`` nobody decides what a Four takes."""
        return self.phase == "four" and bool(self.rules["four_random"])

    def result(self) -> Json | None:
        """Ranks, scores, winner and reason (§6), or None while the match goes on."""
        if self.outcome is None:
            return None
        winner, reason = self.outcome
        return _result(self.sides, winner, reason)

    # ---- legal moves ----------------------------------------------------------------------------------------------

    def legal(self) -> list[Json]:
        """Every legal move of the decision to be made, without ``by``."""
        me, opp = self.sides[self.turn], self.sides[1 - self.turn]
        if self.phase == "main":
            return self._main_moves()
        if self.phase == "counter":
            return [{"move": "resolve"}, *({"move": "counter", "card": card} for card in self._usable_twos())]
        if self.phase == "three":
            return [{"move": "three_pick", "card": card} for card in self._takeable(self.scrap)]
        if self.phase == "four":
            if self._chance_is_due():
                return []
            return [
                {"move": "four_discard", "cards": list(cards)} for cards in combinations(opp.hand, self._four_takes())
            ]
        if self.phase == "limit":
            # One, two or three too many go together; of four or more, one at a time.
            over = len(me.hand) - self.rules["hand_limit"]
            together = over if over in (1, 2, 3) else 1
            return [{"move": "limit_discard", "cards": list(cards)} for cards in combinations(me.hand, together)]
        if self.phase == "five":
            return [{"move": "five_discard", "card": card} for card in me.hand]
        if self.phase == "seven":
            return self._seven_moves()
        return []

    def _main_moves(self) -> list[Json]:
        """§3 Main moves."""
        me = self.sides[self.turn]
        moves: list[Json] = []
        if self.deck and (self.rules["hand_limit_rule"] == "discard" or len(me.hand) < self.rules["hand_limit"]):
            moves.append({"move": "draw"})
        for card in me.hand:
            if card == me.frozen:  # a frozen card cannot be played at all
                continue
            for how, targets in self._plays(card, len(self.deck)):
                moves.append(_with_targets({"move": how, "card": card}, targets))
        if not self.deck or not moves:
            moves.append({"move": "pass"})
        return moves

    def _four_takes(self) -> int:
        """§3 Resolving, 4: how many cards opp loses."""
        cost: int = self.rules["four_discards"]
        return min(cost, len(self.sides[1 - self.turn].hand))

    def _plays(self, card: str, deck_left: int) -> list[tuple[str, list[str]]]:
        """The ways me may play ``card``, each with its targets. ``deck_left`` is the deck without that card."""
        opp = self.sides[1 - self.turn]
        rank = card[0]
        plays: list[tuple[str, list[str]]] = []
        if rank in NUMBER_RANKS:
            plays.append(("points", []))
            plays += [("scuttle", [stack[0]]) for stack in opp.points if self._scuttles(card, stack[0])]
        if rank in ROYAL_RANKS:
            plays.append(("royal", []))
        if rank == "J" and _queens(opp) == 0:
            plays += [("jack", [stack[0]]) for stack in opp.points]
        if (
            rank in "A6"
            or (rank == "3" and self._takeable(self.scrap))
            or (rank == "4" and opp.hand)
            or (rank in "57" and deck_left > 0)
        ):
            plays.append(("oneoff", []))
        if rank in AIMED_RANKS:
            plays += [("oneoff", aim) for aim in self._aims(opp, rank)]
        return plays

    def _aims(self, opp: Side, rank: str) -> list[list[str]]:
        """§3 Main moves, Targets and Two targets: everything that a Two or Nine may name."""
        targets = _in_card_order(_targets(opp, rank))
        if rank == "9" and self.rules["nine_effect"] == "two" and len(targets) > 1:
            return [list(pair) for pair in combinations(targets, 2)]  # one alone would be illegal
        return [[target] for target in targets]

    def _scuttles(self, card: str, target: str) -> bool:
        """§3 Main moves, scuttle: a lower rank, or an equal one as ``scuttle_ties`` says; Queens do not help."""
        if card[0] != target[0]:
            return RANKS.index(card[0]) > RANKS.index(target[0])
        if self.rules["scuttle_ties"] == "suit":
            return SUITS.index(card[1]) > SUITS.index(target[1])
        return bool(self.rules["scuttle_ties"] == "any")

    def _takeable(self, scrap: Iterable[str]) -> list[str]:
        """The cards a Three may take; the Three itself is not in the scrap while it is being played."""
        return [card for card in scrap if card[0] != "3" or self.rules["three_may_take_three"]]

    def _usable_twos(self) -> list[str]:
        """§3 Countering: the Twos with which the seat asked may counter."""
        asked = self.to_act()
        assert asked is not None
        mine, other = self.sides[asked], self.sides[1 - asked]
        if not self.rules["twos_counter"]:
            return []
        if self.rules["queen_stops_counter"] and _queens(other) > 0:
            return []
        twos = [card for card in mine.hand if card[0] == "2"]
        return [card for card in twos if card != mine.frozen or self.rules["frozen_can_counter"]]

    def _seven_moves(self) -> list[Json]:
        """§3 Resolving, 7: each revealed card, judged as if it were out of the deck already."""
        revealed = self._revealed()
        moves = [
            _with_targets({"move": "seven_play", "card": card, "as": how}, targets)
            for card in revealed
            for how, targets in self._plays(card, len(self.deck) - 1)
        ]
        # Only if no revealed card has any legal play may one be scrapped.
        return moves or [{"move": "seven_play", "card": card, "as": "discard"} for card in revealed]

    # ---- taking a step --------------------------------------------------------------------------------------------

    def step(self, step: Json) -> None:
        """Carry out a decision or chance event. Whatever is not exactly possible is refused before anything changes."""
        if not isinstance(step, dict):
            raise ValueError(f"not a step: {step!r}")
        if "chance" in step:
            self._chance(step)
            return
        if "by" not in step:
            raise ValueError(f"not a decision: {step!r}")
        by = step["by"]
        if type(by) is not int or by != self.to_act():
            raise ValueError(f"seat {by!r} is not to decide")
        move = {field: value for field, value in step.items() if field != "by"}
        if move not in self.legal():
            raise ValueError(f"not a legal move: {move!r}")

        name = move["move"]
        me = self.turn
        if name == "draw":
            self._draw()
            self._end_turn()
        elif name == "pass":
            self._end_turn(passed=True)
        elif name in ("points", "scuttle", "royal", "jack", "oneoff"):
            self._leave_hand(me, move["card"])
            self._play(move["card"], name, _named_targets(move))
        elif name == "counter":
            assert self.pending is not None
            self._leave_hand(by, move["card"])
            self.pending.counters.append(move["card"])
        elif name == "resolve":
            self._resolve()
        elif name == "three_pick":
            assert self.pending is not None
            self.scrap.remove(move["card"])
            self._come_to_hand_in_the_open(me, move["card"])
            self.scrap.append(self.pending.card)
            self.pending = None
            self._end_turn()
        elif name == "four_discard":
            for card in move["cards"]:
                self._leave_hand(1 - me, card)
                self.scrap.append(card)
            self._end_turn()
        elif name == "limit_discard":
            for card in move["cards"]:
                self._leave_hand(me, card)
                self.scrap.append(card)
            self._end_turn()
        elif name == "five_discard":
            self._leave_hand(me, move["card"])
            self.scrap.append(move["card"])
            self._five_draws()
            self._end_turn()
        elif name == "seven_play":
            self.deck.remove(move["card"])  # the cards not chosen keep their places
            self._deck_lost_a_card()
            self._play(move["card"], move["as"], _named_targets(move))
        self._settle()

    def _chance(self, event: Json) -> None:
        """§8: the cards that a random Four takes: some of opp's hand, as many as it costs, in card order."""
        if not self._chance_is_due():
            raise ValueError(f"no chance event is due: {event!r}")
        hand = self.sides[1 - self.turn].hand
        if event not in [{"chance": "four", "cards": list(taken)} for taken in combinations(hand, self._four_takes())]:
            raise ValueError(f"not a possible chance event: {event!r}")
        for card in event["cards"]:
            self._leave_hand(1 - self.turn, card)
            self.scrap.append(card)
        self._end_turn()
        self._settle()

    def _play(self, card: str, how: str, targets: list[str]) -> None:
        """§3 Main moves: ``card`` has left the hand (or the deck, by a Seven) and is now played."""
        me, opp = self.sides[self.turn], self.sides[1 - self.turn]
        if how == "oneoff":
            self.pending = Pending(card, targets, [])
            self.phase = "counter"
            return
        if how == "points":
            me.points.append([card])
        elif how == "royal":
            me.royals.append(card)
        elif how == "scuttle":
            stack = _stack_of(opp, targets[0])
            opp.points.remove(stack)
            self.scrap += [card, *stack]
        elif how == "jack":
            stack = _stack_of(opp, targets[0])
            opp.points.remove(stack)
            me.points.append([*stack, card])
        elif how == "discard":
            self.scrap.append(card)
        self._end_turn()

    def _resolve(self) -> None:
        """§3 Resolving."""
        assert self.pending is not None
        card, targets, counters = self.pending.card, self.pending.targets, self.pending.counters
        self.scrap += counters
        if len(counters) % 2 == 1:
            self.scrap.append(card)
            self.pending = None
            self._end_turn()
        elif card[0] == "3":  # it stays pending, so that it cannot take itself
            self.pending = Pending(card, [], [])
            self.phase = "three"
        else:
            self.scrap.append(card)
            self.pending = None
            self._effect(card[0], targets)

    def _effect(self, rank: str, targets: list[str]) -> None:
        """What a one-off does that was not countered, all but a Three."""
        me, opp = self.sides[self.turn], self.sides[1 - self.turn]
        if rank == "A":
            for side in self.sides:
                for stack in side.points:
                    self.scrap += stack
                side.points = []
        elif rank == "6":
            self._six()
        elif rank == "2":
            self._take_off_the_table(targets)
            self.scrap += targets
        elif rank == "9":
            self._take_off_the_table(targets)
            if self.rules["nine_effect"] == "deck":
                self.deck = targets + self.deck
                self.deck_known += 1
            else:
                for target in targets:
                    self._come_to_hand_in_the_open(1 - self.turn, target)  # also beyond the hand limit
            if self.rules["nine_effect"] == "hand" and self.rules["nine_freezes"]:
                opp.frozen = targets[0]
        elif rank == "4":
            if opp.hand:  # else the last card went for a counter: end of turn at once
                self.phase = "four"
                return
        elif rank == "5":
            if self.rules["five_discard"] and me.hand:
                self.phase = "five"
                return
            self._five_draws()
        elif rank == "7":
            self.deck_known = max(self.deck_known, len(self._revealed()))
            self.phase = "seven"
            return
        self._end_turn()

    def _six(self) -> None:
        """All royals and all Jacks to the scrap; an odd number of Jacks means the point card goes back."""
        stacks = [self.sides[0].points, self.sides[1].points]
        for side in self.sides:
            self.scrap += side.royals
            side.royals = []
            side.points = []
        for seat in (0, 1):
            for point_card, *jacks in stacks[seat]:
                self.scrap += jacks
                owner = 1 - seat if len(jacks) % 2 == 1 else seat
                self.sides[owner].points.append([point_card])

    def _take_off_the_table(self, targets: list[str]) -> None:
        """Remove the targets of a Two or Nine, all at once, from opp's side; the caller says where they go."""
        me, opp = self.sides[self.turn], self.sides[1 - self.turn]
        opp.royals = [card for card in opp.royals if card not in targets]
        for stack in list(opp.points):
            point_card, *jacks = stack
            if point_card in targets:  # its Jacks stay behind in the scrap, but for one that is a target too
                opp.points.remove(stack)
                self.scrap += [jack for jack in jacks if jack not in targets]
            elif jacks and jacks[-1] in targets:  # the point card, with the Jacks below the top one, changes sides
                opp.points.remove(stack)
                me.points.append(stack[:-1])

    def _revealed(self) -> list[str]:
        """§3 Resolving, 7: the cards that are face up; they stay in the deck."""
        return self.deck[: self.rules["seven_reveals"]]

    def _five_draws(self) -> None:
        """§3 Resolving, 5: as many as the option, the deck and the room in the hand allow, perhaps none."""
        draws = min(self.rules["five_draws"], len(self.deck))
        if self.rules["hand_limit_rule"] == "refuse":
            draws = min(draws, max(0, self.rules["hand_limit"] - len(self.sides[self.turn].hand)))
        for _ in range(draws):
            self._draw()

    # ---- hands and deck, and who knows what (§7) ------------------------------------------------------------------

    def _draw(self) -> None:
        """Draw the top card for me; the other seat knows it if it was known on the deck."""
        card = self.deck.pop(0)
        if self.deck_known > 0:
            self._come_to_hand_in_the_open(self.turn, card)
        else:
            self.sides[self.turn].hand.append(card)
        self._deck_lost_a_card()

    def _deck_lost_a_card(self) -> None:
        self.deck_known = max(0, self.deck_known - 1)

    def _come_to_hand_in_the_open(self, seat: int, card: str) -> None:
        self.sides[seat].hand.append(card)
        self.sides[seat].known.append(card)

    def _leave_hand(self, seat: int, card: str) -> None:
        """A card that leaves the hand is known there no more, nor frozen (§3 End of turn, 1)."""
        side = self.sides[seat]
        side.hand.remove(card)
        if card in side.known:
            side.known.remove(card)
        if card == side.frozen:
            side.frozen = None

    def _settle(self) -> None:
        """After every step and on loading: glasses see the other hand (§7), and the sets go into card order (§8)."""
        for side, other in ((self.sides[0], self.sides[1]), (self.sides[1], self.sides[0])):
            glasses = any(card[0] == "8" for card in other.royals)
            if glasses or self.rules["open_hands"]:
                side.known = list(side.hand)
        for side in self.sides:
            side.hand = _in_card_order(side.hand)
            side.points = sorted(side.points, key=lambda stack: ORDER[stack[0]])
            side.royals = _in_card_order(side.royals)
            side.known = _in_card_order(side.known)
        self.scrap = _in_card_order(self.scrap)

    # ---- end of turn ----------------------------------------------------------------------------------------------

    def _end_turn(self, passed: bool = False) -> None:
        """§3 End of turn, in the order of the page."""
        me, opp = self.turn, 1 - self.turn
        if self._must_discard(passed):
            self.passes = 0
            self.phase = "limit"
            return
        # 1. Count, and thaw me's frozen card.
        self.turns += 1
        self.passes = self.passes + 1 if passed else 0
        self.sides[me].frozen = None
        # 2. The goal, tested here only.
        me_there, opp_there = self._reached_goal(me), self._reached_goal(opp)
        if me_there and opp_there:
            self._end_match(me if self.rules["both_win"] == "mover" else None, "points")
        elif me_there or opp_there:
            self._end_match(me if me_there else opp, "points")
        # 3. Passes.
        elif self.passes >= self.rules["passes_for_draw"]:
            self._end_match(None, "stalemate")
        # 4. The cap.
        elif self.turns >= self.rules["turn_cap"]:
            self._end_match(None, "turn_cap")
        # 5. The next turn.
        else:
            self.turn = opp
            self.phase = "main"

    def _must_discard(self, passed: bool) -> bool:
        """§3 Hand limit: me holds too many cards, and the end of turn would not end the match by goal or stalemate."""
        if self.rules["hand_limit_rule"] != "discard" or len(self.sides[self.turn].hand) <= self.rules["hand_limit"]:
            return False
        stalemate = passed and self.passes + 1 >= self.rules["passes_for_draw"]
        return not (stalemate or self._reached_goal(0) or self._reached_goal(1))

    def _reached_goal(self, seat: int) -> bool:
        side = self.sides[seat]
        kings = sum(card[0] == "K" for card in side.royals)
        goal: int = self.rules["goal"] if kings == 0 else self.rules["kings_goal"][kings - 1]
        return _score(side) >= goal

    def _end_match(self, winner: int | None, reason: str) -> None:
        """``turn`` stays with the seat that made the last turn."""
        self.outcome = (winner, reason)
        self.phase = "over"

    # ---- loading --------------------------------------------------------------------------------------------------

    def load(self, position: Json) -> None:
        """Set up a position (§8). Everything is read and checked first, so a refusal changes nothing."""
        _check_fields(position, (*POSITION_FIELDS, "deck_top"), "position")
        turn = _read_int(position.get("turn", 0), "turn", range(2))
        turns = _read_int(position.get("turns", 0), "turns")
        passes = _read_int(position.get("passes", 0), "passes")
        phase = position.get("phase", "main")
        if phase not in PHASES:
            raise ValueError(f"no such phase: {phase!r}")
        pending = _read_pending(position.get("pending"))
        sides = [_read_side(position.get(name, {}), name) for name in ("p0", "p1")]
        scrap = _read_cards(position.get("scrap", []), "scrap")

        deck_top = _read_cards(position.get("deck_top", []), "deck_top")
        named = [*deck_top, *scrap]
        for side in sides:
            named += [*side.hand, *side.royals, *(card for stack in side.points for card in stack)]
        if pending is not None:
            named += [pending.card, *pending.counters]  # the target lies on the table and is named there
        deck_given = position.get("deck", "rest")
        rest = [card for card in CARDS if card not in named]
        under = rest if deck_given == "rest" else _read_cards(deck_given, "deck")  # may leave cards out of the game
        _refuse_twice([*named, *under], "position")
        deck = deck_top + under
        deck_known = _read_int(position.get("deck_known", 0), "deck_known", range(len(deck) + 1))

        outcome = self._read_outcome(position.get("result"), sides)
        if (outcome is not None) != (phase == "over"):
            raise ValueError("there is a result exactly in phase over")
        self._check_phase(phase, pending, sides[turn], sides[1 - turn], scrap, deck)

        self.turn, self.turns, self.passes = turn, turns, passes
        self.phase, self.pending, self.outcome = phase, pending, outcome
        self.sides, self.scrap, self.deck, self.deck_known = sides, scrap, deck, deck_known
        if phase == "seven":
            self.deck_known = max(deck_known, len(self._revealed()))
        self._settle()

    def _check_phase(
        self, phase: str, pending: Pending | None, me: Side, opp: Side, scrap: list[str], deck: list[str]
    ) -> None:
        """§8: refuse a phase that does not fit ``pending``, the deck or the hands: no match could have come there."""
        if (pending is not None) != (phase in ("counter", "three")):
            raise ValueError(f"phase {phase} does not fit pending")
        if phase == "counter":
            assert pending is not None
            self._check_counter(pending, opp, scrap, deck)
        if phase == "three":
            assert pending is not None
            if pending.card[0] != "3" or pending.targets or pending.counters:
                raise ValueError("phase three does not fit pending: it needs a Three alone, its counters are scrapped")
            if not self._takeable(scrap):
                raise ValueError("phase three, but the scrap holds nothing to take")
        if phase == "four" and not opp.hand:
            raise ValueError("phase four, but the hand that should discard is empty")
        if phase == "five" and not (me.hand and self.rules["five_discard"]):
            raise ValueError("phase five, but there is no card, or no rule, to discard")
        if phase == "limit" and not (
            self.rules["hand_limit_rule"] == "discard" and len(me.hand) > self.rules["hand_limit"]
        ):
            raise ValueError("phase limit, but the hand is within the limit, or no rule asks for a discard")
        if phase == "seven" and not deck:
            raise ValueError("phase seven, but the deck is empty")

    def _check_counter(self, pending: Pending, opp: Side, scrap: list[str], deck: list[str]) -> None:
        """The condition of the one-off held when it was played; since then only Twos have left the hands."""
        rank = pending.card[0]
        if rank not in ONE_OFF_RANKS:
            raise ValueError(f"{pending.card} has no one-off")
        if rank in AIMED_RANKS and pending.targets not in self._aims(opp, rank):
            raise ValueError(f"{pending.card} cannot be aimed at {pending.targets}")
        if rank not in AIMED_RANKS and pending.targets:
            raise ValueError(f"{pending.card} has no target")
        if pending.counters and not self.rules["twos_counter"]:
            raise ValueError("there are counters, but the rules have none")
        if rank == "3" and not self._takeable([*scrap, *pending.counters]):
            raise ValueError("a Three is pending, but the scrap holds nothing to take")
        if rank == "4" and not opp.hand and not pending.counters:
            raise ValueError("a Four is pending against an empty hand")
        if rank in "57" and not deck:
            raise ValueError(f"{pending.card} is pending, but the deck is empty")

    def _read_outcome(self, value: Any, sides: list[Side]) -> tuple[int | None, str] | None:
        """A result must be one that §6 could give for this table."""
        if value is None:
            return None
        _check_fields(value, RESULT_FIELDS, "result")
        reason = value.get("reason")
        if reason not in REASONS:
            raise ValueError(f"no such reason: {reason!r}")
        winner = value.get("winner")
        if winner is not None:
            winner = _read_int(winner, "winner", range(2))
        drawn = reason != "points" or (self.rules["both_win"] == "draw" and winner is None)
        if drawn != (winner is None):
            raise ValueError(f"winner {winner!r} does not fit reason {reason}")
        # Compared as text, since True and 1.0 would equal 1.
        if repr(sorted(value.items())) != repr(sorted(_result(sides, winner, reason).items())):
            raise ValueError("the result does not fit its winner and the points on the table")
        return winner, reason


# ---- the table, small questions -----------------------------------------------------------------------------------


def _in_card_order(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=lambda card: ORDER[card])


def _score(side: Side) -> int:
    """§1: only the point card itself counts, and it counts for the side it lies on."""
    return sum(RANKS.index(stack[0][0]) + 1 for stack in side.points)


def _queens(side: Side) -> int:
    return sum(card[0] == "Q" for card in side.royals)


def _stack_of(side: Side, point_card: str | None) -> list[str]:
    return next(stack for stack in side.points if stack[0] == point_card)


def _targets(opp: Side, rank: str) -> list[str]:
    """§3 Main moves, Targets: what a Two or a Nine may be aimed at."""
    queens = [card for card in opp.royals if card[0] == "Q"]
    if len(queens) == 1:
        return queens
    if len(queens) > 1:
        return []
    targets = [*opp.royals, *(stack[-1] for stack in opp.points if len(stack) > 1)]
    if rank == "9":
        targets += [stack[0] for stack in opp.points]
    return targets


def _with_targets(move: Json, targets: list[str]) -> Json:
    """§8 Moves: the fields ``target`` and ``target2`` are there only where the play needs them."""
    return move | dict(zip(("target", "target2"), targets, strict=False))


def _named_targets(move: Json) -> list[str]:
    return [move[field] for field in ("target", "target2") if field in move]


def _pending_fields(pending: Pending) -> Json:
    """§8: ``target`` is always there, ``target2`` only for a Nine aimed at two cards."""
    fields = _with_targets({"card": pending.card, "target": None}, pending.targets)
    return fields | {"counters": list(pending.counters)}


def _result(sides: list[Side], winner: int | None, reason: str) -> Json:
    """§6: a draw has equal ranks, whatever the points."""
    return {
        "ranks": [0, 0] if winner is None else [int(seat != winner) for seat in (0, 1)],
        "scores": [_score(side) for side in sides],
        "winner": winner,
        "reason": reason,
    }


# ---- reading rules and positions: whatever is not as the page says is a ValueError ----------------------------------


def _all_rules(given: Json) -> Json:
    """§5: every option in force, those not given at their defaults."""
    _check_fields(given, tuple(OPTIONS), "rules")
    rules: Json = {}
    for name, (default, allowed) in OPTIONS.items():
        value = given.get(name, default)
        if type(value) is not type(default):  # exactly: a bool is not an int
            raise ValueError(f"option {name} cannot be {value!r}")
        if name == "kings_goal":
            if len(value) != len(default):
                raise ValueError(f"option {name} needs {len(default)} entries, not {value!r}")
            rules[name] = [_read_int(entry, name, allowed) for entry in value]
        elif value not in allowed:
            raise ValueError(f"option {name} cannot be {value!r}")
        else:
            rules[name] = value
    goals = [rules["goal"], *rules["kings_goal"]]
    if goals != sorted(goals, reverse=True):
        raise ValueError(f"the goal must not rise with the number of Kings: {goals}")
    return rules


def _check_fields(value: Any, fields: Sequence[str], what: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object, not {value!r}")
    for field in value:
        if field not in fields:
            raise ValueError(f"{what} has no field {field!r}")


def _read_int(value: Any, what: str, allowed: Sequence[int] | None = None) -> int:
    """A whole number in ``allowed``, or not below 0 if nothing is said. A bool is not an int."""
    if type(value) is not int or value < 0 or (allowed is not None and value not in allowed):
        raise ValueError(f"{what} cannot be {value!r}")
    return value


def _read_card(value: Any, what: str, ranks: str = RANKS) -> str:
    if not isinstance(value, str) or value not in ORDER or value[0] not in ranks:
        raise ValueError(f"{value!r} is not a card for {what}")
    return value


def _read_cards(value: Any, what: str, ranks: str = RANKS) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(f"{what} must be a list of cards, not {value!r}")
    return [_read_card(card, what, ranks) for card in value]


def _refuse_twice(cards: list[str], what: str) -> None:
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{card} is in {what} twice")


def _read_stack(value: Any, what: str) -> list[str]:
    """A point card and its Jacks, bottom to top, from a text such as ``TH+JC+JD``."""
    if not isinstance(value, str):
        raise ValueError(f"{what} cannot hold {value!r}")
    point_card, *jacks = value.split("+")
    return [_read_card(point_card, what, NUMBER_RANKS), *(_read_card(jack, what, "J") for jack in jacks)]


def _read_side(value: Any, name: str) -> Side:
    _check_fields(value, SEAT_FIELDS, name)
    hand = _read_cards(value.get("hand", []), f"{name}.hand")
    points = value.get("points", [])
    if not isinstance(points, list):
        raise ValueError(f"{name}.points must be a list, not {points!r}")
    stacks = [_read_stack(text, f"{name}.points") for text in points]
    royals = _read_cards(value.get("royals", []), f"{name}.royals", ROYAL_RANKS)
    known = _read_cards(value.get("known", []), f"{name}.known")
    _refuse_twice(known, f"{name}.known")
    frozen = value.get("frozen")
    if frozen is not None:
        frozen = _read_card(frozen, f"{name}.frozen")
        if frozen not in known:  # a frozen card is always known: all saw the Nine return it
            known.append(frozen)
    for card in known:
        if card not in hand:
            raise ValueError(f"{card} is frozen or known, but not in the hand of {name}")
    return Side(hand, stacks, royals, frozen, known)


def _read_pending(value: Any) -> Pending | None:
    if value is None:
        return None
    _check_fields(value, PENDING_FIELDS, "pending")
    targets = [] if value.get("target") is None else [_read_card(value["target"], "pending.target")]
    if "target2" in value:
        if not targets:
            raise ValueError("pending has a target2 but no target")
        targets.append(_read_card(value["target2"], "pending.target2"))
    counters = _read_cards(value.get("counters", []), "pending.counters", "2")
    return Pending(_read_card(value.get("card"), "pending.card"), targets, counters)
