"""Slow reference of *Jack and Jill Reclaim the Hill*, written straight from docs/rules/jack_and_jill.md.

Meant to be read beside that page, whose paragraphs the comments name ("2" is section 2 of the page). Cards are
strings, hands and piles are sets and lists; nothing here is made fast except the C4 search, and that only as far
as tests need it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

Move = dict[str, Any]
Hand = tuple[str, ...]

# 1 Components. This is also the order of all sorted lists (7).
SUITS = "CDHS"
BLACK = "CS"
VALUES = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "T": 10}
WELL_CARDS = [rank + suit for suit in SUITS for rank in VALUES]
HILL_CARDS = [rank + suit for suit in SUITS for rank in "JQK"]
SPOTS = 12


class Option(NamedTuple):
    """A rule option: its default and every value it may have (3)."""

    default: int | bool | str
    allowed: Container[int | bool | str]


YES_NO = (False, True)

OPTIONS: dict[str, Option] = {
    "hand_size": Option(5, range(3, 8)),
    "first_seat": Option(0, range(2)),
    "king_of_the_hill": Option(False, YES_NO),
    "order": Option("rank", ("rank", "any")),
    "defense_jack": Option(10, range(1, 41)),
    "defense_queen": Option(15, range(1, 41)),
    "defense_king": Option(20, range(1, 41)),
    "defense_crown": Option(20, range(1, 41)),
    "jokers": Option(2, range(5)),
    "jokers_jack": Option(1, range(5)),
    "jokers_jill": Option(1, range(5)),
    "joker_cards": Option(1, range(1, 4)),
    "joker_shift": Option(1, range(1, 4)),
    "jokers_per_action": Option(4, range(5)),
    "aim_distance": Option("steps", ("steps", "between")),
    "min_aim": Option(1, range(2)),
    "exact_margin": Option(0, range(6)),
    "exact_scores_aim": Option(True, YES_NO),
    "leftover_scores": Option(True, YES_NO),
    "move_draw": Option(1, range(2)),
    "rest_draw": Option(1, range(2)),
    "trade_range": Option(1, range(-1, 7)),
    "open_hands": Option("range", ("range", "always")),
    "stall_limit": Option(4, range(2, 201)),
    "loss_checks": Option("sound", ("sound", "literal", "off")),
    "c4_search": Option(True, YES_NO),
    "medal_gold": Option(20, range(41)),
    "medal_silver": Option(15, range(41)),
    "medal_bronze": Option(10, range(41)),
}

VARIANTS: dict[str, dict[str, int | bool | str]] = {
    "standard": {},
    "king_of_the_hill": {"king_of_the_hill": True},
    "big_hand": {"hand_size": 6},
    "three_jokers": {"jokers": 3, "jokers_jack": 2, "jokers_jill": 1},
    "no_jokers": {"jokers": 0, "jokers_jack": 0, "jokers_jill": 0},
    "soft_kings": {"defense_king": 18, "defense_crown": 18},
    "free_order": {"order": "any"},
    "open_hands": {"open_hands": "always"},
    "far_trade": {"trade_range": 2},
    "literal": {"loss_checks": "literal"},
    "play_on": {"loss_checks": "off"},
    "patient": {"stall_limit": 200},
}

POSITION_FIELDS = {"turn", "hill", "down", "jack", "jill", "crown", "well", "well_top", "discard", "scored", "stall"}


# ---------------------------------------------------------------------------------------------------- small helpers


def value(card: str) -> int:
    """What a Well card is worth (1)."""
    return VALUES[card[0]]


def suit(card: str) -> str:
    return card[1]


def is_black(card: str) -> bool:
    return suit(card) in BLACK


def total(cards: Iterable[str]) -> int:
    return sum(value(card) for card in cards)


def best(cards: Iterable[str], number: int) -> int:
    """Sum of the `number` highest cards, or of all if there are fewer."""
    return sum(sorted((value(card) for card in cards), reverse=True)[:number])


def in_order(cards: Collection[str]) -> list[str]:
    """The card order of the page (7)."""
    return [card for card in WELL_CARDS if card in cards]


def steps(a: int, b: int) -> int:
    """Steps from spot a to spot b in the direction of laying (1)."""
    return (b - a) % SPOTS


def shorter_way(a: int, b: int) -> int:
    return min(steps(a, b), steps(b, a))


def round_up(number: int, divisor: int) -> int:
    return -(-number // divisor)


def subsets(cards: Collection[str], least: int, most: int) -> Iterator[Hand]:
    """Every choice of least..most cards, small choices first, each in the order of `cards`."""
    for size in range(least, min(most, len(cards)) + 1):
        yield from combinations(cards, size)


def distinct(hands: Iterable[Hand]) -> list[Hand]:
    """Each choice once, in order of appearance (equal cards exist only in the C4 search)."""
    return list(dict.fromkeys(hands))


def without(cards: Iterable[str], taken: Iterable[str]) -> Hand:
    """`cards` without one copy of each card taken."""
    left = list(cards)
    for card in taken:
        left.remove(card)
    return tuple(left)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three different values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)


def read_number(number: Any, allowed: range, name: str) -> int:
    demand(type(number) is int and number in allowed, f"{name} must be one of {allowed}, not {number!r}")
    return int(number)


def read_cards(cards: Any, deck: list[str], name: str) -> list[str]:
    demand(isinstance(cards, list), f"{name} must be a list of cards")
    demand(all(type(card) is str and card in deck for card in cards), f"{name} holds something that is no such card")
    demand(len(set(cards)) == len(cards), f"{name} holds a card twice")
    return list(cards)


# ----------------------------------------------------------------------------------------------------------- states


@dataclass
class State:
    """The fields of a position (7), per-seat ones as lists."""

    turn: int
    hill: list[str]
    down: set[int]
    jack: int
    jill: int
    crown: int | None
    hands: list[set[str]]
    jokers: list[int]
    shown: list[set[str]]
    well: list[str]
    discard: set[str]
    scored: set[str]
    stall: int

    def undefeated(self) -> list[str]:
        return [card for spot, card in enumerate(self.hill) if spot not in self.down]

    def cards_left(self) -> list[str]:
        """L of section 4."""
        return [*self.well, *(card for hand in self.hands for card in hand)]


class End(NamedTuple):
    """A search state of C4 (4). Hands are sorted, `left` = M; for `pooled` see `_tidy`, for `walker` `_end_steps`."""

    hands: tuple[Hand, ...]
    pooled: bool
    walker: str
    jack: int
    jill: int
    left: frozenset[str]
    jokers: tuple[int, ...]


class Reference:
    """One match. `load` and `step` raise ValueError on anything invalid and then change nothing."""

    unordered = frozenset({"down", "hand", "shown", "discard", "scored", "unseen"})

    def __init__(self, rules: dict[str, Any], players: int) -> None:
        demand(type(players) is int and players in (1, 2), f"one or two players, not {players!r}")
        demand(isinstance(rules, dict), "rules must be an object")
        self.players = players
        self.rules: dict[str, Any] = {name: option.default for name, option in OPTIONS.items()}
        for name, setting in rules.items():
            demand(name in OPTIONS, f"unknown option {name!r}")
            default, allowed = OPTIONS[name]
            # The exact type, because a bool is not an int.
            demand(type(setting) is type(default) and setting in allowed, f"{name} cannot be {setting!r}")
            self.rules[name] = setting
        self._reason: str | None = None
        self._verdicts: dict[End, bool] = {}
        self._state: State

    # ------------------------------------------------------------------------------------- positions and views (6, 7)

    def load(self, position: dict[str, Any]) -> None:
        self._state = self._read(position)
        self._verdicts = {}
        self._collect_leftovers()
        self._update_shown()
        self._reason = self._end_reason()

    def _read(self, position: dict[str, Any]) -> State:
        """The position with all defaults of section 7 filled in."""
        demand(isinstance(position, dict), "a position is an object")
        seats = range(self.players)
        fields = POSITION_FIELDS | {f"p{seat}" for seat in seats}
        demand(all(name in fields for name in position), f"unknown field among {list(position)}")

        demand("hill" in position, "the Hill is required")
        hill = read_cards(position["hill"], HILL_CARDS, "hill")
        demand(len(hill) == SPOTS, "the Hill is all twelve court cards")
        ring = range(SPOTS)
        black_jacks = [spot for spot in ring if hill[spot] in ("JC", "JS")]
        red_jacks = [spot for spot in ring if hill[spot] in ("JD", "JH")]
        kings = [spot for spot in ring if hill[spot][0] == "K"]

        down = position.get("down", [black_jacks[0], red_jacks[0]])
        demand(isinstance(down, list), "down must be a list of spots")
        down = [read_number(spot, ring, "down") for spot in down]
        demand(len(set(down)) == len(down), "down holds a spot twice")
        demand(any(spot in down for spot in black_jacks), "no black Jack is down")
        demand(any(spot in down for spot in red_jacks), "no red Jack is down")

        crowned = self.rules["king_of_the_hill"]
        crown = position.get("crown", kings[0] if crowned else None)
        demand((crown is not None) == crowned, "there is a Crown exactly with king_of_the_hill")
        if crown is not None:
            demand(read_number(crown, ring, "crown") in kings, "the Crown lies on a King")

        # Alone first_seat is an option of the other player count, and stall is always 0.
        first_seat = self.rules["first_seat"] if self.players == 2 else 0
        stalls = range(self.rules["stall_limit"] + 1) if self.players == 2 else range(1)

        hands, jokers, shown = [], [], []
        for seat in seats:
            part = position.get(f"p{seat}", {})
            demand(isinstance(part, dict), f"p{seat} must be an object")
            known = {"hand", "jokers", "shown"} if self.players == 2 else {"hand", "jokers"}
            demand(all(name in known for name in part), f"unknown field among {list(part)} of p{seat}")
            # The page gives no default for a hand, so it may not be left out.
            demand("hand" in part, f"p{seat} has no hand")
            hand = read_cards(part["hand"], WELL_CARDS, "hand")
            demand(len(hand) <= self.rules["hand_size"], f"the hand of seat {seat} is too large")
            hands.append(set(hand))
            all_jokers = self._jokers_at_start(seat)
            jokers.append(read_number(part.get("jokers", all_jokers), range(all_jokers + 1), "jokers"))
            seen = read_cards(part.get("shown", []), WELL_CARDS, "shown")
            demand(set(seen) <= set(hand), f"shown of seat {seat} is not part of its hand")
            shown.append(set(seen))

        well, discard, scored = self._read_piles(position, [card for hand in hands for card in hand])
        return State(
            turn=read_number(position.get("turn", first_seat), range(self.players), "turn"),
            hill=hill,
            down=set(down),
            jack=read_number(position.get("jack", black_jacks[0]), ring, "jack"),
            jill=read_number(position.get("jill", red_jacks[0]), ring, "jill"),
            crown=crown,
            hands=hands,
            jokers=jokers,
            shown=shown,
            well=well,
            discard=set(discard),
            scored=set(scored),
            stall=read_number(position.get("stall", 0), stalls, "stall"),
        )

    def _jokers_at_start(self, seat: int) -> int:
        if self.players == 1:
            return int(self.rules["jokers"])
        return int(self.rules[("jokers_jack", "jokers_jill")[seat]])

    def _read_piles(self, position: dict[str, Any], in_hands: list[str]) -> tuple[list[str], list[str], list[str]]:
        """Well, discard and score pile; "rest" stands for all cards named nowhere else (7)."""
        piles = {"discard": position.get("discard", []), "scored": position.get("scored", [])}
        piles["well"] = position.get("well", [] if "rest" in piles.values() else "rest")
        top = read_cards(position.get("well_top", []), WELL_CARDS, "well_top")
        named = in_hands + top
        resting = [name for name, cards in piles.items() if cards == "rest"]
        for name, cards in piles.items():
            if name not in resting:
                named += read_cards(cards, WELL_CARDS, name)
        demand(len(resting) <= 1, "only one pile can be the rest")
        demand(len(set(named)) == len(named), "a card has two places")
        rest = [card for card in WELL_CARDS if card not in named]
        if resting:
            piles[resting[0]] = rest
        else:
            demand(not rest, f"cards without a place: {rest}")
        return top + piles["well"], piles["discard"], piles["scored"]

    def position(self) -> dict[str, Any]:
        state = self._state
        seats = {}
        for seat in range(self.players):
            seats[f"p{seat}"] = {"hand": in_order(state.hands[seat]), "jokers": state.jokers[seat]}
            if self.players == 2:
                seats[f"p{seat}"]["shown"] = in_order(state.shown[seat])
        return {
            "turn": state.turn,
            "hill": list(state.hill),
            "down": sorted(state.down),
            "jack": state.jack,
            "jill": state.jill,
            "crown": state.crown,
            **seats,
            "well": list(state.well),
            "discard": in_order(state.discard),
            "scored": in_order(state.scored),
            "stall": state.stall,
        }

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat knows (6): of the partner's hand only the shown cards, of the Well only its size."""
        demand(type(seat) is int and seat in range(self.players), f"no seat {seat!r}")
        state = self._state
        view = {"seat": seat, **self.position()}
        del view["well"]
        view["well_count"] = len(state.well)
        known = state.hands[seat] | state.discard | state.scored
        if self.players == 2:
            partner = 1 - seat
            hidden = len(state.hands[partner]) - len(state.shown[partner])
            view[f"p{partner}"]["hand"] = in_order(state.shown[partner]) + ["??"] * hidden
            known |= state.shown[partner]
        view["unseen"] = [card for card in WELL_CARDS if card not in known]
        return view

    def _hands_open(self) -> bool:
        """Open hands, or hands that can be deduced because the Well is empty (6)."""
        state = self._state
        return self._in_range(state.jack, state.jill) or self.rules["open_hands"] == "always" or not state.well

    def _update_shown(self) -> None:
        """Step 5 of section 2, and on loading (6)."""
        state = self._state
        for seat in range(self.players):
            state.shown[seat] = set(state.hands[seat]) if self._hands_open() else state.shown[seat] & state.hands[seat]

    # ------------------------------------------------------------------------------------- rules of single actions (2)

    def _in_range(self, jack: int, jill: int) -> bool:
        return bool(shorter_way(jack, jill) <= self.rules["trade_range"])

    def _is_crowned(self, monster: str) -> bool:
        return self._state.crown is not None and self._state.hill[self._state.crown] == monster

    def _need(self, monster: str) -> int:
        """Defense of a monster."""
        if self._is_crowned(monster):
            return int(self.rules["defense_crown"])
        return int(self.rules[{"J": "defense_jack", "Q": "defense_queen", "K": "defense_king"}[monster[0]]])

    def _due(self, undefeated: Collection[str]) -> list[str]:
        """The monsters that may be attacked now. The crowned King comes after all others under any order."""
        common = [monster for monster in undefeated if not self._is_crowned(monster)]
        if not common:
            return list(undefeated)
        if self.rules["order"] == "any":
            return common
        lowest = min("JQK".index(monster[0]) for monster in common)
        return [monster for monster in common if "JQK".index(monster[0]) == lowest]

    def _allowed_jokers(self, unused: int) -> int:
        return min(unused, int(self.rules["jokers_per_action"]))

    def _melee_jokers(self, monster: str, attack: Iterable[str]) -> int:
        """u of a Melee Attack: what lets the cards of the monster's own suit in."""
        own_suit = [card for card in attack if suit(card) == suit(monster)]
        return round_up(len(own_suit), self.rules["joker_cards"])

    def _aim_jokers(self, aim: Iterable[str], jill: int, spot: int) -> int:
        """u of a Ranged Attack from spot `jill`: what bends the Aim to the nearer of both ways."""
        ways = [steps(jill, spot), steps(spot, jill)]
        if self.rules["aim_distance"] == "between":
            ways = [way - 1 for way in ways]
        off = min(abs(total(aim) - way) for way in ways)
        return round_up(off, self.rules["joker_shift"])

    # ------------------------------------------------------------------------------------------- legal moves (2, 7)

    def to_act(self) -> int | None:
        return None if self._reason else self._state.turn

    def legal(self) -> list[Move]:
        return [] if self._reason else list(self._moves())

    def _moves(self) -> Iterator[Move]:
        """The table of section 2 for the seat in turn."""
        state, seat = self._state, self._state.turn
        hand = in_order(state.hands[seat])
        pawns = {"jack": state.jack, "jill": state.jill}
        own_pawns = ["jack", "jill"] if self.players == 1 else [("jack", "jill")[seat]]
        allowed = self._allowed_jokers(state.jokers[seat])
        due = self._due(state.undefeated())

        for pawn in own_pawns:
            for card in hand:
                # A set, because a Six lands on the same spot both ways (7).
                for to in sorted({(pawns[pawn] + value(card)) % SPOTS, (pawns[pawn] - value(card)) % SPOTS}):
                    yield {"move": "move", "pawn": pawn, "card": card, "to": to}

        monster = state.hill[state.jack]
        if "jack" in own_pawns and is_black(monster) and monster in due:
            for attack in subsets(hand, 1, len(hand)):
                jokers = self._melee_jokers(monster, attack)
                if total(attack) >= self._need(monster) and jokers <= allowed:
                    yield {"move": "melee", "monster": monster, "attack": list(attack), "jokers": jokers}

        for monster in due:
            spot = state.hill.index(monster)
            if "jill" not in own_pawns or is_black(monster) or spot == state.jill:
                continue
            for aim in subsets(hand, self.rules["min_aim"], len(hand)):
                jokers = self._aim_jokers(aim, state.jill, spot)
                if jokers > allowed:
                    continue
                others = [card for card in hand if card not in aim and suit(card) != suit(monster)]
                for attack in subsets(others, 1, len(others)):
                    if total(attack) >= self._need(monster):
                        ranged = {"move": "ranged", "monster": monster, "aim": list(aim), "attack": list(attack)}
                        yield {**ranged, "jokers": jokers}

        for card in hand:
            yield {"move": "rest", "card": card}

        if self.players == 2:
            yield {"move": "pass"}
            if self._in_range(state.jack, state.jill):
                for give in hand:
                    for take in in_order(state.hands[1 - seat]):
                        yield {"move": "trade", "give": give, "take": take}

    # -------------------------------------------------------------------------------------------------- playing (2)

    def step(self, step: dict[str, Any]) -> None:
        demand(isinstance(step, dict), "a step is an object")
        demand("chance" not in step, "there are no chance events")
        demand(same(step.get("by"), self.to_act()), "this seat is not to act")
        move = {name: field for name, field in step.items() if name != "by"}
        demand(any(same(move, legal) for legal in self.legal()), f"not a legal move: {move}")
        self._take(move)
        self._reason = self._end_reason()

    def _take(self, move: Move) -> None:
        state, seat = self._state, self._state.turn
        hand = state.hands[seat]
        draw = 0

        # 1. Cards leave the hand, Jokers are flipped, pawn or monster changes.
        match move["move"]:
            case "move":
                hand.remove(move["card"])
                state.discard.add(move["card"])
                if move["pawn"] == "jack":
                    state.jack = move["to"]
                else:
                    state.jill = move["to"]
                draw = self.rules["move_draw"]
            case "rest":
                hand.remove(move["card"])
                state.discard.add(move["card"])
                draw = self.rules["rest_draw"]
            case "melee" | "ranged":
                attack, aim = set(move["attack"]), set(move.get("aim", []))
                hand -= attack | aim
                state.jokers[seat] -= move["jokers"]
                state.down.add(state.hill.index(move["monster"]))
                over = total(attack) - self._need(move["monster"])
                exact = over <= self.rules["exact_margin"]
                aim_scores = exact and self.rules["exact_scores_aim"]
                (state.scored if exact else state.discard).update(attack)
                (state.scored if aim_scores else state.discard).update(aim)
                draw = self.rules["hand_size"] - len(hand)
            case "trade":
                hand.remove(move["give"])
                state.hands[1 - seat].remove(move["take"])
                hand.add(move["take"])
                state.hands[1 - seat].add(move["give"])

        # 2 and 3. With the last monster down nobody draws; otherwise as many cards as the Well has.
        if state.undefeated():
            hand.update(state.well[:draw])
            state.well = state.well[draw:]
        self._collect_leftovers()

        # 4 and 5.
        state.stall = state.stall + 1 if move["move"] in ("pass", "trade") else 0
        state.turn = (seat + 1) % self.players
        self._update_shown()

    def _collect_leftovers(self) -> None:
        """Cards left at a win score. Also on loading: with leftover_scores a win scores 40 - discards (5)."""
        state = self._state
        if not state.undefeated() and self.rules["leftover_scores"]:
            state.scored.update(state.cards_left())
            state.well = []
            state.hands = [set() for _ in state.hands]

    # ---------------------------------------------------------------------------------------- end of the match (4, 5)

    def _end_reason(self) -> str | None:
        """The first end test that holds (4). It looks only at position and rules."""
        state = self._state
        left, cards = state.undefeated(), state.cards_left()
        if not left:
            return "won"
        if self.players == 2 and state.stall >= self.rules["stall_limit"]:
            return "stalled"
        if self.rules["loss_checks"] != "off":
            jokers = 0 if self.rules["loss_checks"] == "literal" else state.jokers[0]
            if self._c1(cards, left):
                return "c1"
            if self._c2(cards, left, jokers):
                return "c2"
            most = self.rules["hand_size"]
            if self._c3(cards, left, jokers, most, most):
                return "c3"
            if self.rules["c4_search"] and not state.well and not self._can_win(self._end_of(state)):
                return "c4"
        return None if any(True for _ in self._moves()) else "stuck"

    def _c1(self, cards: Collection[str], left: Collection[str]) -> bool:
        """The cards left add up to too little."""
        return total(cards) < sum(self._need(monster) for monster in left)

    def _c2(self, cards: Collection[str], left: Collection[str], jokers: int) -> bool:
        """The cards that may attack some suit's monsters add up to too little; `jokers` = q."""
        let_in = jokers * self.rules["joker_cards"] if self.rules["jokers_per_action"] else 0
        for own in SUITS:
            need = sum(self._need(monster) for monster in left if suit(monster) == own)
            reach = total(card for card in cards if suit(card) != own)
            if own in BLACK:
                reach += best([card for card in cards if suit(card) == own], let_in)
            if reach < need:
                return True
        return False

    def _c3(self, cards: Collection[str], left: Collection[str], jokers: int, jack_most: int, jill_most: int) -> bool:
        """No hand of cards can beat some monster; a hand of Jack's or Jill's has at most `..._most` cards."""
        let_in = self._allowed_jokers(jokers) * self.rules["joker_cards"]
        for monster in left:
            usable = [card for card in cards if suit(card) != suit(monster)]
            if is_black(monster):
                own = sorted((card for card in cards if suit(card) == suit(monster)), key=value, reverse=True)
                reach = best(usable + own[:let_in], jack_most)
            else:
                reach = best(usable, jill_most - self.rules["min_aim"])
            if reach < self._need(monster):
                return True
        return False

    def result(self) -> dict[str, Any] | None:
        if self._reason is None:
            return None
        won = self._reason == "won"
        score = len(self._state.scored) if won else 0
        medals = [medal for medal in ("gold", "silver", "bronze") if won and score >= self.rules[f"medal_{medal}"]]
        return {
            "ranks": [0] * self.players,
            "scores": [score] * self.players,
            "winner": None,
            "reason": self._reason,
            "won": won,
            "score": score,
            "medal": medals[0] if medals else None,
            "defeated": 10 - len(self._state.undefeated()),
        }

    # ------------------------------------------------------------------------------------------------ C4 search (4)
    #
    # The definition searches over Moves, attacks and Trades of either seat with an empty Well. Four things make it
    # small without changing the verdict; what they rest on is said where they are done: Trades are no steps of their
    # own (`_tidy`, `_reach`), Moves are made right before the attack they are for (`_end_steps`), of two attacks where
    # one holds the other only the smaller is tried (`_least_attacks`), and states that plainly lack cards are given
    # up at once (`_hopeless`).

    def _end_of(self, state: State) -> End:
        hands = tuple(tuple(in_order(hand)) for hand in state.hands)
        left = frozenset(state.undefeated())
        return self._tidy(End(hands, False, "", state.jack, state.jill, left, tuple(state.jokers)))

    def _can_win(self, end: End) -> bool:
        """Whether some sequence of steps defeats all monsters. Every verdict is kept, since play revisits them."""
        if not end.left:
            return True
        if end not in self._verdicts:
            self._verdicts[end] = not self._hopeless(end) and any(map(self._can_win, self._end_steps(end)))
        return self._verdicts[end]

    def _tidy(self, end: End) -> End:
        """One way to write states that differ in nothing that matters for the search.

        A suit matters only while a monster of it is left; other cards get the suit "-".

        Where a Trade is possible, Trades reach every split of the cards of both hands that keeps the hands' sizes:
        the hands become one pool. They stay one for good, also when the pawns part: as the split was free, it can
        be chosen with hindsight so that each seat has what it will use until the pawns meet again. So only the
        cards of the pool and the two sizes count, and the split that is first in order stands for all.
        """
        living = {suit(monster) for monster in end.left}
        hands = [sorted(card if suit(card) in living else card[0] + "-" for card in hand) for hand in end.hands]
        pooled = end.pooled or (len(hands) == 2 and all(hands) and self._in_range(end.jack, end.jill))
        if pooled:
            pool, size = sorted(hands[0] + hands[1]), len(hands[0])
            hands = [pool[:size], pool[size:]]
        return end._replace(hands=tuple(map(tuple, hands)), pooled=pooled)

    def _reach(self, end: End, seat: int) -> tuple[Hand, int]:
        """The cards a seat can have in its hand for its next action, and how many of them at once."""
        cards = end.hands[0] + end.hands[1] if end.pooled else end.hands[seat]
        return cards, len(end.hands[seat])

    def _after(self, end: End, seat: int, used: Hand, jokers: int = 0) -> End:
        """The state after `seat` used these cards and Jokers; what the action did is still to be entered."""
        hands = list(end.hands)
        if end.pooled:
            pool = without(end.hands[0] + end.hands[1], used)
            size = len(end.hands[0]) - (len(used) if seat == 0 else 0)
            hands = [pool[:size], pool[size:]]
        else:
            hands[seat] = without(end.hands[seat], used)
        left_over = list(end.jokers)
        left_over[seat] -= jokers
        return end._replace(hands=tuple(hands), jokers=tuple(left_over))

    def _end_steps(self, end: End) -> Iterator[End]:
        """Every state that has to be tried after one attack or Move of either seat, with any Trades before it.

        Where a pawn stands matters for its own attacks and for Trades. Once Trades no longer matter (alone, or with
        a pool), a Move can be put off until right before the attack it is for. So there a pawn that moved goes on
        (`walker`) until it attacks, and does not move while none of its monsters is due.
        """
        due = self._due(end.left)
        black_due = [monster for monster in due if is_black(monster)]
        red_due = [monster for monster in due if not is_black(monster)]
        if end.walker != "jill":
            yield from self._melees(end, black_due)
        if end.walker != "jack":
            yield from self._ranged_attacks(end, red_due)
        trades_matter = self.players == 2 and not end.pooled
        if trades_matter or (black_due and end.walker != "jill"):
            yield from self._walks(end, "jack", "" if trades_matter else "jack")
        if trades_matter or (red_due and end.walker != "jack"):
            yield from self._walks(end, "jill", "" if trades_matter else "jill")

    def _melees(self, end: End, due: list[str]) -> Iterator[End]:
        cards, most = self._reach(end, 0)
        for monster in due:
            if self._state.hill.index(monster) == end.jack:
                for attack in self._least_attacks(monster, cards, most):
                    jokers = self._melee_jokers(monster, attack)
                    if jokers <= self._allowed_jokers(end.jokers[0]):
                        after = self._after(end, 0, attack, jokers)
                        yield self._tidy(after._replace(left=end.left - {monster}, walker=""))

    def _ranged_attacks(self, end: End, due: list[str]) -> Iterator[End]:
        seat = self.players - 1
        cards, most = self._reach(end, seat)
        for monster in due:
            spot = self._state.hill.index(monster)
            usable = [card for card in cards if suit(card) != suit(monster)]
            for attack in self._least_attacks(monster, usable, most) if spot != end.jill else []:
                others = without(cards, attack)
                for aim in distinct(subsets(others, self.rules["min_aim"], most - len(attack))):
                    jokers = self._aim_jokers(aim, end.jill, spot)
                    if jokers <= self._allowed_jokers(end.jokers[seat]):
                        after = self._after(end, seat, attack + aim, jokers)
                        yield self._tidy(after._replace(left=end.left - {monster}, walker=""))

    def _walks(self, end: End, pawn: str, walker: str) -> Iterator[End]:
        seat, spot = (0, end.jack) if pawn == "jack" else (self.players - 1, end.jill)
        cards, most = self._reach(end, seat)
        for card in sorted(set(cards)) if most else []:
            after = self._after(end, seat, (card,))._replace(walker=walker)
            for way in (value(card), -value(card)):
                to = (spot + way) % SPOTS
                yield self._tidy(after._replace(jack=to) if pawn == "jack" else after._replace(jill=to))

    def _least_attacks(self, monster: str, cards: Collection[str], most: int) -> list[Hand]:
        """Attacks that beat the monster and no longer do so without their smallest card.

        A card that can be spared is better kept: whatever wins with fewer cards and Jokers wins with more.
        """
        need = self._need(monster)
        enough = (attack for attack in distinct(subsets(cards, 1, most)) if total(attack) >= need)
        return [attack for attack in enough if total(attack) - min(map(value, attack)) < need]

    def _hopeless(self, end: End) -> bool:
        """Conditions without which nobody can win (method 5 of section 4); the search would find the same, later."""
        cards = [card for hand in end.hands for card in hand]
        black = [monster for monster in end.left if is_black(monster)]
        red = [monster for monster in end.left if not is_black(monster)]
        spot_of = self._state.hill.index
        min_aim = self.rules["min_aim"]

        # Cards: no card is worth more than 10, Jack needs a Move to each monster that is not on his spot, Jill an Aim.
        walks = sum(spot_of(monster) != end.jack for monster in black)
        jack_cards = sum(round_up(self._need(monster), 10) for monster in black) + walks
        jill_cards = sum(round_up(self._need(monster), 10) + min_aim for monster in red)
        jack_most, jill_most = len(end.hands[0]), len(end.hands[-1])
        if self.players == 1 and jack_cards + jill_cards > len(cards):
            return True
        if self.players == 2 and (jack_cards > jack_most or jill_cards > jill_most):
            return True

        # Value: a card brings a pawn, or an Aim, at most its value nearer to the farthest monster.
        jack_way = max((shorter_way(end.jack, spot_of(monster)) for monster in black), default=0)
        jill_way = max((shorter_way(end.jill, spot_of(monster)) for monster in red), default=0)
        bend = self._allowed_jokers(end.jokers[-1]) * self.rules["joker_shift"]
        if self.rules["aim_distance"] == "between":
            bend += 1
        aims = max(min_aim, jill_way - bend) + min_aim * (len(red) - 1) if red else 0
        needs = sum(self._need(monster) for monster in end.left)
        if needs + max(walks, jack_way) + aims > total(cards):
            return True

        jokers = end.jokers[0]
        return self._c2(cards, end.left, jokers) or self._c3(cards, end.left, jokers, jack_most, jill_most)
