"""Queen of the Hill, slowly: a literal transcript of the rules page, the oracle of the compiled engine in tests.

Hold it beside ``docs/rules/queen_of_the_hill.md``: comments name its sections (a to k) and the steps T1 to T7 of
section b. Nothing here is fast and nothing is shared with the engine. Both built-in decks are stand-ins of our own,
not the published card list (section a).
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

Move = dict[str, Any]
Party = int | str  # a seat, or DARK
DARK = "dark"  # the Dark One: the robot, not a card
HIDDEN = "??"


# ---------------------------------------------------------------------------------------------- d. Rule options


class Option(NamedTuple):
    """A rule option: its default (whose type is the option's type) and the values allowed."""

    default: bool | int | str
    allowed: range | tuple[bool | int | str, ...]


OPTIONS: dict[str, Option] = {
    "rounds_to_win": Option(2, range(1, 11)),
    "round_cap": Option(50, range(1, 1001)),
    "dark_one_player": Option(False, (False, True)),
    "dark_one_points": Option(8, range(51)),
    "dark_one_extra": Option(0, range(-10, 11)),
    "abilities": Option(True, (False, True)),
    "ready_limit": Option(5, range(21)),
    "keep_limit": Option(250, range(251)),
    "min_draws": Option(0, range(11)),
    "draw_cap": Option(100, range(1, 251)),
    "harmless_when": Option("both_empty", ("both_empty", "battle_empty", "never")),
    "harmless_turn": Option("continue", ("continue", "end")),
    "busted_can_win": Option(True, (False, True)),
    "tie_starter": Option("same", ("same", "left")),
    "windows": Option("each_draw", ("each_draw", "turn_end")),
    "deck": Option("standin", ("standin", "standin_plus")),  # or deck data (section k)
}

VARIANTS: dict[str, dict[str, Any]] = {
    "standard": {},
    "dark_one": {"dark_one_player": True},
    "no_abilities": {"abilities": False},
    "no_abilities_dark_one": {"abilities": False, "dark_one_player": True},
}


def read_rules(rules: dict[str, Any], players: int) -> dict[str, Any]:
    """All options in force, defaults included; ValueError if one is unknown or out of its range (d, e)."""
    require(isinstance(rules, dict), "the rules are not an object")
    full: dict[str, Any] = {name: option.default for name, option in OPTIONS.items()}
    for name, value in rules.items():
        require(name in OPTIONS, f"unknown rule option {name!r}")
        option = OPTIONS[name]
        if not (name == "deck" and isinstance(value, dict)):
            right_type = type(value) is type(option.default)  # exactly: a bool is not an int
            require(right_type and value in option.allowed, f"rule option {name} cannot be {value!r}")
        full[name] = value
    require(full["min_draws"] <= full["draw_cap"], "min_draws is more than draw_cap")
    require(is_int(players, 2, 6), "there must be 2 to 6 players")
    require(players > 2 or full["dark_one_player"], "2 players need the Dark One")
    return full


# ------------------------------------------------------------------------------------------------- k. Deck file


EFFECTS_WITH_AMOUNT = {"discard_battle", "discard_ready", "peek", "mill", "bonus", "penalty"}
EFFECTS = EFFECTS_WITH_AMOUNT | {"escape", "cancel"}
PROACTIVE = EFFECTS - {"escape", "cancel"}  # b, "Proactive plays"
TARGETED = {"discard_battle", "discard_ready", "penalty"}  # i, "Moves": only these have a target
TIMINGS = {"drawing", "tally", "own_turn", "any"}

DECK_FILES = {"standin": "queen_of_the_hill_deck.toml", "standin_plus": "queen_of_the_hill_deck_plus.toml"}


@dataclass(frozen=True)
class Kind:
    """All copies of one card."""

    id: str
    type: str
    count: int
    points: int
    effect: str | None = None
    timing: str | None = None
    amount: int = 0
    target: str = "any"


def read_deck(deck: str | dict[str, Any]) -> dict[str, Kind]:
    """The kinds of a built-in deck or of deck data, by id."""
    if isinstance(deck, str):
        deck = tomllib.loads((Path(__file__).parent / DECK_FILES[deck]).read_text(encoding="utf-8"))
    check_keys(deck, {"kind"}, {"schema", "id", "title", "stand_in"}, "the deck")
    require(deck.get("schema", "hilltop-queen-deck/1") == "hilltop-queen-deck/1", "unknown schema of the deck")
    require(isinstance(deck.get("id", ""), str) and isinstance(deck.get("title", ""), str), "deck id or title: no text")
    require(isinstance(deck.get("stand_in", True), bool), "the deck's stand_in is neither true nor false")
    require(isinstance(deck["kind"], list) and len(deck["kind"]) <= 32, "a deck is a list of at most 32 kinds")
    kinds = [read_kind(data) for data in deck["kind"]]
    require(len({kind.id for kind in kinds}) == len(kinds), "two kinds of the deck have the same id")
    require(10 <= sum(kind.count for kind in kinds) <= 250, "a deck has 10 to 250 cards")
    return {kind.id: kind for kind in kinds}


def read_kind(data: Any) -> Kind:
    """One [[kind]] of a deck file, each key as the comment at the top of the file says."""
    check_keys(data, {"id", "type", "count", "points"}, {"name", "effect", "timing", "amount", "target"}, "a kind")
    require(isinstance(data["id"], str) and re.fullmatch("[a-z0-9_]+", data["id"]), f"bad card id {data['id']!r}")
    kind = f"kind {data['id']}"
    require(isinstance(data.get("name", ""), str), f"{kind}: its name is no text")
    require(one_of(data["type"], {"dark_one", "warrior", "item"}), f"{kind}: unknown type")
    require(is_int(data["count"], 1, 100), f"{kind}: count is not 1 to 100")
    require(is_int(data["points"], 0, 20 if data["type"] == "warrior" else 0), f"{kind}: points out of range")
    effect = None
    if "effect" in data:
        effect = data["effect"]
        require(one_of(effect, EFFECTS), f"{kind}: unknown effect")
        require(data["type"] != "dark_one", f"{kind}: a Dark One has no effect")
        require(one_of(data.get("timing"), TIMINGS), f"{kind}: an effect needs a timing")
        require(not (effect == "escape" and data["timing"] == "tally"), f"{kind}: no escape at the tally")
    else:
        require("timing" not in data, f"{kind}: a timing without an effect")
    if effect in EFFECTS_WITH_AMOUNT:
        require(is_int(data.get("amount"), 1, 20), f"{kind}: needs an amount from 1 to 20")
    else:
        require("amount" not in data, f"{kind}: an amount without use")
    if "target" in data:
        require(effect == "discard_battle", f"{kind}: a target without use")
        require(one_of(data["target"], {"others", "any"}), f"{kind}: unknown target")
    return Kind(**{key: value for key, value in data.items() if key != "name"})


# --------------------------------------------------------------------------------- small checks of foreign data


def require(condition: object, message: str) -> None:
    if not condition:
        raise ValueError(message)


def is_int(value: object, low: int | None = None, high: int | None = None) -> bool:
    """Whether this is a whole number (a bool is not) from ``low`` to ``high``."""
    return type(value) is int and (low is None or value >= low) and (high is None or value <= high)


def one_of(value: object, texts: Iterable[str]) -> bool:
    return isinstance(value, str) and value in texts


def check_keys(data: Any, needed: set[str], optional: set[str], what: str) -> None:
    require(isinstance(data, dict), f"{what} is not an object")
    for key in data:
        require(key in needed | optional, f"{what} has an unknown field {key!r}")
    for key in needed:
        require(key in data, f"{what} has no field {key!r}")


def alike(one: object, other: object) -> bool:
    """Equal, and of the same type throughout: neither true nor 1.0 is a seat 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


# -------------------------------------------------------------------------------------- i. Fields of a position


class Seen(NamedTuple):
    """A card that a seat knows in a zone of somebody else (h)."""

    of: Party
    zone: str
    card: str


@dataclass
class Lap:
    """Who is asked next in a window or for a reply, and how many are still to be asked, that one included."""

    next: int
    left: int


@dataclass
class Play:
    by: int
    card: str
    target: Party | None

    def as_written(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"by": self.by, "card": self.card}
        if self.target is not None:
            entry["target"] = self.target
        return entry


@dataclass
class Hit:
    of: Party
    zone: str
    left: int


@dataclass
class Side:
    """What lies before one party. The Dark One has only ``battle``, ``bonus``, ``wins`` and ``due``."""

    battle: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    ready: list[str] = field(default_factory=list)
    draws: int = 0
    busted: bool = False
    bonus: int = 0
    wins: int = 0
    peek: int = 0
    seen: list[Seen] = field(default_factory=list)
    due: int = 0

    def zone(self, name: str) -> list[str]:
        return {"battle": self.battle, "keep": self.keep, "ready": self.ready}[name]


@dataclass
class State:
    sides: dict[Party, Side]  # the seats in order, then the Dark One if he plays
    round: int = 1
    starter: int = 0
    active: Party | None = 0
    stage: str = "turn"
    deck: list[str] = field(default_factory=list)  # the first one is the top
    discards: list[str] = field(default_factory=list)
    drawn: str | None = None
    drawn_known: list[int] = field(default_factory=list)
    chain: list[Play] = field(default_factory=list)
    reply: Lap | None = None
    window: Lap | None = None
    hit: Hit | None = None


WINDOWS = {"mid_window", "end_window", "tally"}
STAGES = WINDOWS | {"turn", "draw", "place", "escape", "dark_draw", "discard", "over"}
FIELDS = {"round", "starter", "active", "stage", "deck", "deck_top", "discards", "drawn", "drawn_known"}
FIELDS |= {"chain", "reply", "window", "hit", "dark"}
SEAT_FIELDS = {"battle", "keep", "ready", "draws", "busted", "bonus", "wins", "peek", "seen"}
DARK_FIELDS = {"battle", "bonus", "wins", "due"}


class Reference:
    """One match. The public methods are those of the scenario runner's ``Table``, and ``chance``."""

    unordered = frozenset({"discards", "drawn_known", "battle", "keep", "ready", "seen"})

    def __init__(self, rules: dict[str, Any], players: int) -> None:
        self.rules = read_rules(rules, players)
        self.kinds = read_deck(self.rules["deck"])
        self.seats = list(range(players))
        self.players = players
        self.now: State
        self.load({})  # until a shuffled position is loaded: the first one, with the deck in the file's order

    # ------------------------------------------------------------------------------------------ public interface

    def load(self, position: dict[str, Any]) -> None:
        """Begin from this position, and do at once what needs no decision (b, "Forced moves")."""
        state = self._read(position)
        self._check(state)
        self.now = state
        self._go_on()

    def to_act(self) -> int | None:
        """b, table of stages; the overlays ``hit`` and ``chain`` come before the stage."""
        now = self.now
        if self.chance() is not None or now.stage == "over":
            return None
        if now.reply is not None:
            return now.reply.next
        if now.window is not None:
            return now.window.next
        if now.stage == "discard":
            return self._too_many_ready()[0]
        return self._active_seat()  # turn, place, escape

    def chance(self) -> dict[str, Any] | None:
        """The pending chance event: ``cards`` are those to be put in a random order, or to pick one of at random."""
        now = self.now
        if now.hit is not None:
            return {"chance": "hit", "cards": sorted(now.sides[now.hit.of].zone(now.hit.zone))}
        if now.stage in ("draw", "dark_draw"):
            return {"chance": "reshuffle", "cards": sorted(now.discards)}
        return None

    def legal(self) -> list[Move]:
        seat = self.to_act()
        return [] if seat is None else self._moves(seat)

    def step(self, step: dict[str, Any]) -> None:
        """Take a decision or a chance event, then go on to the next one."""
        require(isinstance(step, dict), "a step is an object")
        if "chance" in step:
            self._chance_step(step)
        else:
            seat = self.to_act()
            require(seat is not None, "nobody has to decide")
            require(alike(step.get("by"), seat), f"it is seat {seat}'s decision")
            move = {key: value for key, value in step.items() if key != "by"}
            require(any(alike(move, other) for other in self.legal()), f"{move} is not a legal move")
            self._make(step["by"], move)
        self._go_on()

    def result(self) -> dict[str, Any] | None:
        """f and g: the reasons in the order in which they are tested."""
        now = self.now
        if now.stage != "over":
            return None
        scores = [now.sides[seat].wins for seat in self.seats]
        ranks = [0 for _ in self.seats]
        winner = None
        reason = self._end_reason(now)
        if reason == "rounds_won":
            winner = scores.index(self.rules["rounds_to_win"])
            ranks = [sum(other > score for other in scores) for score in scores]
        dark_wins = now.sides[DARK].wins if DARK in now.sides else 0
        extras = {"rounds": now.round, "dark_wins": dark_wins}
        return {"ranks": ranks, "scores": scores, "winner": winner, "reason": reason, **extras}

    def position(self) -> dict[str, Any]:
        """i: every field; sets are sorted."""
        now = self.now
        position: dict[str, Any] = {
            "round": now.round,
            "starter": now.starter,
            "active": now.active,
            "stage": now.stage,
            "deck": list(now.deck),
            "discards": sorted(now.discards),
            "drawn": now.drawn,
            "drawn_known": sorted(now.drawn_known),
            "chain": [play.as_written() for play in now.chain],
            "reply": None if now.reply is None else asdict(now.reply),
            "window": None if now.window is None else asdict(now.window),
            "hit": None if now.hit is None else asdict(now.hit),
        }
        for seat in self.seats:
            side = now.sides[seat]
            position[f"p{seat}"] = {
                "battle": sorted(side.battle),
                "keep": sorted(side.keep),
                "ready": sorted(side.ready),
                "draws": side.draws,
                "busted": side.busted,
                "bonus": side.bonus,
                "wins": side.wins,
                "peek": side.peek,
                "seen": [seen._asdict() for seen in sorted(side.seen, key=lambda seen: (str(seen.of), *seen[1:]))],
            }
        position["dark"] = None
        if DARK in now.sides:
            dark = now.sides[DARK]
            battle = sorted(dark.battle)
            position["dark"] = {"battle": battle, "bonus": dark.bonus, "wins": dark.wins, "due": dark.due}
        return position

    def view(self, seat: int) -> dict[str, Any]:
        """h: what this seat may know."""
        require(is_int(seat, 0, self.players - 1), f"there is no seat {seat}")
        now = self.now
        own = now.sides[seat]
        view = self.position()
        view["seat"] = seat
        view["deck"] = now.deck[: own.peek] + [HIDDEN for _ in now.deck[own.peek :]]
        if now.drawn is not None and seat != now.active and seat not in now.drawn_known and now.stage != "escape":
            view["drawn"] = HIDDEN
        view["drawn_known"] = [seat] if seat in now.drawn_known else []
        for other in now.sides:
            if other == seat:
                continue
            part = view[DARK if other == DARK else f"p{other}"]
            for zone in ("battle", "keep", "ready"):
                if zone in part and not (zone == "battle" and now.stage == "tally"):
                    known = [seen.card for seen in own.seen if (seen.of, seen.zone) == (other, zone)]
                    part[zone] = sorted(known) + [HIDDEN for _ in range(len(part[zone]) - len(known))]
            part.pop("seen", None)
        return view

    # ------------------------------------------------------------------------------------- b. What happens by itself

    def _go_on(self) -> None:
        """Do everything that needs neither a real decision nor chance."""
        now = self.now
        while True:
            if now.hit is not None:
                if now.sides[now.hit.of].zone(now.hit.zone):
                    return
                now.hit = None  # a hit ends early when the zone is empty
            elif now.stage == "dark_draw" and self._dark_one_draws():  # else a reshuffle is pending
                self._open_window("end_window", next_asked=now.starter, left=self.players)
            elif now.stage == "discard" and not self._too_many_ready():
                now.stage = "turn"
                now.active = now.starter
            else:
                moves = self.legal()
                if len(moves) != 1:
                    return
                seat = self.to_act()
                assert seat is not None
                self._make(seat, moves[0])  # forced

    # ------------------------------------------------------------------------------------------- b. Legal moves

    def _moves(self, seat: int) -> list[Move]:
        """The column "legal moves" of the table of stages, the overlay ``chain`` first."""
        now = self.now
        side = now.sides[seat]
        may_pass: list[Move] = [{"move": "pass"}]
        if now.chain:
            return may_pass + self._plays(seat, {"cancel"})
        if now.stage == "turn":
            moves: list[Move] = []
            if self._can_draw(now):
                moves.append({"move": "draw"})
            if side.draws >= self.rules["min_draws"] or not self._can_draw(now):
                moves.append({"move": "stop"})
            return moves + self._plays(seat, PROACTIVE)
        if now.stage == "place":
            moves = [{"move": "form"}]
            if self.rules["abilities"] and len(side.keep) < self.rules["keep_limit"]:
                moves.append({"move": "keep"})
            return moves
        if now.stage == "escape":
            return may_pass + self._plays(seat, {"escape"})
        if now.stage == "discard":
            return [{"move": "discard", "card": card} for card in sorted(set(side.ready))]
        return may_pass + self._plays(seat, PROACTIVE)  # the three windows

    def _can_draw(self, state: State) -> bool:
        """T1: when the active seat can draw."""
        has_draws = state.active is not None and state.sides[state.active].draws < self.rules["draw_cap"]
        return has_draws and bool(state.deck or state.discards)

    def _plays(self, seat: int, effects: set[str]) -> list[Move]:
        """b, "Proactive plays", for cards with one of these effects."""
        moves: list[Move] = []
        if not self.rules["abilities"]:
            return moves
        for card in sorted(set(self.now.sides[seat].ready)):
            kind = self.kinds[card]
            if kind.effect not in effects or not self._timing_fits(self.now, kind, seat):
                continue
            if kind.effect in TARGETED:
                moves += [{"move": "play", "card": card, "target": party} for party in self._targets(kind, seat)]
            elif self._has_use(kind, seat):
                moves.append({"move": "play", "card": card})
        return moves

    def _timing_fits(self, state: State, kind: Kind, seat: int) -> bool:
        """The table of timings. It binds ``escape`` and ``cancel`` too."""
        if kind.timing == "drawing":
            return state.stage in ("turn", "escape", "mid_window", "end_window")
        if kind.timing == "tally":
            return state.stage == "tally"
        if kind.timing == "own_turn":
            return seat == state.active and state.stage in ("turn", "escape", "mid_window")
        return True  # any

    def _targets(self, kind: Kind, seat: int) -> list[Party]:
        """The table of effects, column "legal use", for the effects that need a target."""
        sides = self.now.sides
        if kind.effect == "discard_battle":
            return [party for party in sides if sides[party].battle and (party != seat or kind.target == "any")]
        if kind.effect == "discard_ready":
            return [party for party in sides if sides[party].ready and party != seat]  # the Dark One never has one
        return [party for party in sides if party != seat]  # penalty

    def _has_use(self, kind: Kind, seat: int) -> bool:
        """The same for those without. ``escape`` and ``cancel`` are only asked for where they have one."""
        now = self.now
        if kind.effect == "peek":
            return min(kind.amount, len(now.deck)) > now.sides[seat].peek
        if kind.effect == "mill":
            return bool(now.deck)
        return True

    # ---------------------------------------------------------------------------------------- b. Making a move

    def _make(self, seat: int, move: Move) -> None:
        """Carry out a legal move of a seat."""
        side = self.now.sides[seat]
        name = move["move"]
        if name == "draw":
            self._draw(side)
        elif name == "stop":
            self._end_turn(by_choice=True)
        elif name == "form":
            self._place("battle", side.battle)
        elif name == "keep":
            self._place("keep", side.keep)
        elif name == "play":
            self._play(seat, move["card"], move.get("target"))
        elif name == "discard":
            self._discard_one(seat, "ready", move["card"])
        elif self.now.chain:
            self._pass_reply()
        elif self.now.stage == "escape":
            self._bust(side)
        else:
            self._pass_window()

    def _draw(self, side: Side) -> None:
        """T1."""
        now = self.now
        if not now.deck:
            now.stage = "draw"  # the reshuffle comes first
            return
        card, knowers = self._take_top(by=now.active)
        side.draws += 1  # Dark Ones count
        if not self._is_dark_one(card):
            now.drawn = card
            now.drawn_known = knowers
            now.stage = "place"
        elif not self._harmless(side):
            now.drawn = card  # public, so nobody is noted in drawn_known
            now.stage = "escape"
        else:
            now.discards.append(card)
            if self.rules["harmless_turn"] == "end":
                self._end_turn(by_choice=False)
            else:
                self._draw_dealt_with()

    def _harmless(self, side: Side) -> bool:
        if self.rules["harmless_when"] == "both_empty":
            return not side.battle and not side.keep
        if self.rules["harmless_when"] == "battle_empty":
            return not side.battle
        return False  # never

    def _take_top(self, by: Party | None) -> tuple[str, list[int]]:
        """Take the top card off the deck; with it the seats that know it, apart from who draws it (h)."""
        now = self.now
        knowers = [seat for seat in self.seats if seat != by and now.sides[seat].peek > 0]
        for seat in self.seats:
            now.sides[seat].peek = max(0, now.sides[seat].peek - 1)
        return now.deck.pop(0), knowers

    def _place(self, name: str, zone: list[str]) -> None:
        """Stage ``place``: the drawn card goes into a zone, and who knew it knows it there (h)."""
        now = self.now
        assert now.drawn is not None
        zone.append(now.drawn)
        for seat in now.drawn_known:
            now.sides[seat].seen.append(Seen(self._active_seat(), name, now.drawn))
        now.drawn = None
        now.drawn_known = []
        self._draw_dealt_with()

    def _end_turn(self, by_choice: bool) -> None:
        """T2. Who stops has just declined to play."""
        left = self.players - 1 if by_choice else self.players
        self._open_window("end_window", next_asked=self._seat_after(self._active_seat()), left=left)

    def _draw_dealt_with(self) -> None:
        """T3."""
        if self.rules["windows"] == "each_draw":
            next_asked = self._seat_after(self._active_seat())
            self._open_window("mid_window", next_asked=next_asked, left=self.players - 1)
        else:
            self.now.stage = "turn"

    def _bust(self, side: Side) -> None:
        """T4, ``pass``: the Dark One strikes."""
        self._discard_drawn()
        self._discard_battle(self._active_seat())
        side.busted = True
        self._end_turn(by_choice=False)

    def _next_turn(self) -> None:
        """T5, when an ``end_window`` closes."""
        now = self.now
        if now.active == DARK:
            self._reveal()
            return
        seat = self._seat_after(self._active_seat())
        if seat != now.starter:
            now.active = seat
            now.stage = "turn"
        elif DARK in now.sides:
            now.active = DARK
            now.stage = "dark_draw"
            most = max(now.sides[seat].draws for seat in self.seats)
            now.sides[DARK].due = max(0, most + self.rules["dark_one_extra"])
        else:
            self._reveal()

    def _dark_one_draws(self) -> bool:
        """T6: as far as possible without a reshuffle; whether he is done."""
        now = self.now
        dark = now.sides[DARK]
        while dark.due > 0 and now.deck:
            card, knowers = self._take_top(by=DARK)
            dark.battle.append(card)  # face-down, Dark Ones included
            dark.due -= 1
            for seat in knowers:
                now.sides[seat].seen.append(Seen(DARK, "battle", card))
        if dark.due > 0 and now.discards:
            return False
        dark.due = 0  # with both piles empty he stops
        return True

    def _reveal(self) -> None:
        """T6."""
        self.now.active = None
        self._open_window("tally", next_asked=self.now.starter, left=self.players)

    def _score(self) -> None:
        """T7."""
        now = self.now
        totals = {party: self._total(party) for party in now.sides}
        best = [party for party in totals if totals[party] == max(totals.values())]
        if len(best) == 1:
            now.sides[best[0]].wins += 1
            if best[0] != DARK:
                now.starter = int(best[0])
        elif self.rules["tie_starter"] == "left":
            now.starter = self._seat_after(now.starter)
        for party, side in now.sides.items():
            self._discard_battle(party)
            side.bonus = 0
            side.draws = 0
            side.busted = False
        if self._end_reason(now) is not None:
            now.stage = "over"  # right here, Keep and Ready Zones as they are
            return
        now.round += 1
        for seat in self.seats:
            side = now.sides[seat]
            side.ready += side.keep
            side.keep = []
            side.seen = [seen._replace(zone="ready") if seen.zone == "keep" else seen for seen in side.seen]
        now.stage = "discard"

    def _total(self, party: Party) -> int:
        side = self.now.sides[party]
        if side.busted and not self.rules["busted_can_win"]:
            return 0
        points = 0
        for card in side.battle:
            # Only the Dark One can have formed Dark Ones.
            points += self.rules["dark_one_points"] if self._is_dark_one(card) else self.kinds[card].points
        return max(0, points + side.bonus)

    def _end_reason(self, state: State) -> str | None:
        """f, in this order."""
        if any(state.sides[seat].wins == self.rules["rounds_to_win"] for seat in self.seats):
            return "rounds_won"
        if DARK in state.sides and state.sides[DARK].wins == self.rules["rounds_to_win"]:
            return "dark_one"
        if state.round == self.rules["round_cap"]:
            return "round_cap"
        return None

    def _too_many_ready(self) -> list[int]:
        """The seats above the Ready Zone's limit, from ``starter`` on."""
        now = self.now
        from_starter = self.seats[now.starter :] + self.seats[: now.starter]
        return [seat for seat in from_starter if len(now.sides[seat].ready) > self.rules["ready_limit"]]

    # -------------------------------------------------------------------------------------------- b. Windows

    def _open_window(self, stage: str, next_asked: int, left: int) -> None:
        self.now.stage = stage
        self.now.window = Lap(next_asked, left)

    def _asked_after(self, seat: int) -> int:
        """Clockwise, skipping the active seat in ``mid_window``."""
        after = self._seat_after(seat)
        if self.now.stage == "mid_window" and after == self.now.active:
            after = self._seat_after(after)
        return after

    def _pass_window(self) -> None:
        now = self.now
        assert now.window is not None
        now.window = Lap(self._asked_after(now.window.next), now.window.left - 1)
        if now.window.left > 0:
            return
        now.window = None  # it closes
        if now.stage == "mid_window":
            now.stage = "turn"
        elif now.stage == "end_window":
            self._next_turn()
        else:
            self._score()

    # ----------------------------------------------------------------------------------------- b. Playing a card

    def _play(self, seat: int, card: str, target: Party | None) -> None:
        now = self.now
        self._leaves(seat, "ready", card)
        if not now.chain and now.window is not None:
            # A play restarts the lap, whatever becomes of it. A cancel only answers: it is no play of this window.
            all_asked = self.players - 1 if now.stage == "mid_window" else self.players
            now.window = Lap(self._asked_after(seat), all_asked)
        now.chain.append(Play(seat, card, target))
        now.reply = Lap(self._seat_after(seat), self.players - 1)

    def _pass_reply(self) -> None:
        now = self.now
        assert now.reply is not None
        now.reply = Lap(self._seat_after(now.reply.next), now.reply.left - 1)
        if now.reply.left > 0:
            return
        first, *cancels = now.chain
        now.discards += [play.card for play in now.chain]
        now.chain = []
        now.reply = None
        if len(cancels) % 2 == 0:
            self._take_effect(first)

    def _take_effect(self, play: Play) -> None:
        """The table of effects, column "what it does"."""
        now = self.now
        kind = self.kinds[play.card]
        own = now.sides[play.by]
        if kind.effect == "discard_battle" and play.target is not None:
            now.hit = Hit(play.target, "battle", kind.amount)
        elif kind.effect == "discard_ready" and play.target is not None:
            now.hit = Hit(play.target, "ready", kind.amount)
        elif kind.effect == "penalty" and play.target is not None:
            now.sides[play.target].bonus -= kind.amount
        elif kind.effect == "peek":
            own.peek = max(own.peek, min(kind.amount, len(now.deck)))
        elif kind.effect == "mill":
            for _ in range(min(kind.amount, len(now.deck))):
                card, _ = self._take_top(by=None)
                now.discards.append(card)
        elif kind.effect == "bonus":
            own.bonus += kind.amount
        elif kind.effect == "escape":
            self._discard_drawn()  # T4: the turn goes on
            self._draw_dealt_with()

    # ------------------------------------------------------------------------------------------ b, i. Chance events

    def _chance_step(self, step: dict[str, Any]) -> None:
        now = self.now
        pending = self.chance()
        require(pending is not None and alike(step["chance"], pending["chance"]), f"no {step['chance']!r} is pending")
        if now.hit is not None:
            check_keys(step, {"chance", "card"}, set(), "a hit")
            hit = now.hit
            require(one_of(step["card"], now.sides[hit.of].zone(hit.zone)), f"no {step['card']!r} in that zone")
            self._discard_one(hit.of, hit.zone, step["card"])
            now.hit = Hit(hit.of, hit.zone, hit.left - 1) if hit.left > 1 else None
            return
        check_keys(step, {"chance", "deck"}, set(), "a reshuffle")
        cards = step["deck"]
        texts = isinstance(cards, list) and all(isinstance(card, str) for card in cards)
        require(texts and sorted(cards) == sorted(now.discards), "a reshuffle takes exactly the discards")
        now.deck = list(cards)
        now.discards = []
        if now.stage == "draw":
            self._draw(now.sides[self._active_seat()])  # the draw that found the deck empty

    # ------------------------------------------------------------------------------------------------ small steps

    def _active_seat(self) -> int:
        active = self.now.active
        assert isinstance(active, int)
        return active

    def _seat_after(self, seat: int) -> int:
        return (seat + 1) % self.players

    def _is_dark_one(self, card: str) -> bool:
        return self.kinds[card].type == "dark_one"

    def _leaves(self, party: Party, zone: str, card: str) -> None:
        """A card leaves a zone face-up: who knew such a card there has one less to know (h)."""
        self.now.sides[party].zone(zone).remove(card)
        for seat in self.seats:
            seen = self.now.sides[seat].seen
            if Seen(party, zone, card) in seen:
                seen.remove(Seen(party, zone, card))

    def _discard_one(self, party: Party, zone: str, card: str) -> None:
        self._leaves(party, zone, card)
        self.now.discards.append(card)

    def _discard_battle(self, party: Party) -> None:
        """A whole Battle Zone; nothing is left to know of it (h)."""
        side = self.now.sides[party]
        self.now.discards += side.battle
        side.battle = []
        for seat in self.seats:
            own = self.now.sides[seat]
            own.seen = [seen for seen in own.seen if (seen.of, seen.zone) != (party, "battle")]

    def _discard_drawn(self) -> None:
        assert self.now.drawn is not None
        self.now.discards.append(self.now.drawn)
        self.now.drawn = None

    # ------------------------------------------------------------------------------------------ i. Reading a position

    def _read(self, position: dict[str, Any]) -> State:
        """The position with its defaults; ValueError for what is no position at all."""
        parts = {f"p{seat}" for seat in self.seats}
        check_keys(position, set(), FIELDS | parts, "the position")
        stage = position.get("stage", "turn")
        require(one_of(stage, STAGES), f"unknown stage {stage!r}")
        starter = self._seat(position.get("starter", 0))
        default_active: Party | None = starter
        if stage == "dark_draw":
            default_active = DARK
        elif stage in ("tally", "discard", "over"):
            default_active = None
        active = position.get("active", default_active)
        sides: dict[Party, Side] = {seat: self._read_side(position.get(f"p{seat}", {}), seat) for seat in self.seats}
        if self.rules["dark_one_player"]:
            sides[DARK] = self._read_dark(position.get("dark", {}))
        else:
            require(position.get("dark") is None, "the Dark One does not play")
        drawn = position.get("drawn")
        known = position.get("drawn_known", [])
        require(isinstance(known, list), "drawn_known is not a list")
        chain = position.get("chain", [])
        require(isinstance(chain, list), "the chain is not a list")
        state = State(
            sides=sides,
            round=self._number(position.get("round", 1), 1, self.rules["round_cap"]),
            starter=starter,
            active=None if active is None else self._party(active),
            stage=stage,
            discards=self._cards(position.get("discards", [])),
            drawn=None if drawn is None else self._card(drawn),
            drawn_known=[self._seat(seat) for seat in known],
            chain=[self._read_play(play) for play in chain],
            reply=self._read_lap(position.get("reply"), "reply"),
            window=self._read_lap(position.get("window"), "window"),
            hit=self._read_hit(position.get("hit")),
        )
        self._read_deck_pile(state, position)
        return state

    def _read_deck_pile(self, state: State, position: dict[str, Any]) -> None:
        """``deck_top`` lies on ``deck``, which may be "rest": all cards that are named nowhere else."""
        state.deck = self._cards(position.get("deck_top", []))
        deck = position.get("deck", "rest")
        if deck != "rest":
            state.deck = state.deck + self._cards(deck)
        named = Counter(state.deck + state.discards + [play.card for play in state.chain])
        if state.drawn is not None:
            named[state.drawn] += 1
        for side in state.sides.values():
            named.update(side.battle + side.keep + side.ready)
        for card, count in named.items():
            require(count <= self.kinds[card].count, f"the deck has fewer copies of {card}")
        if deck == "rest":
            for kind in self.kinds.values():
                state.deck += [kind.id] * (kind.count - named[kind.id])

    def _read_side(self, data: Any, seat: int) -> Side:
        check_keys(data, set(), SEAT_FIELDS, f"p{seat}")
        busted = data.get("busted", False)
        require(isinstance(busted, bool), "busted is neither true nor false")
        seen = data.get("seen", [])
        require(isinstance(seen, list), "seen is not a list")
        for entry in seen:
            check_keys(entry, {"of", "zone", "card"}, set(), "an entry of seen")
            require(one_of(entry["zone"], {"battle", "keep", "ready"}), f"unknown zone {entry['zone']!r}")
        return Side(
            battle=self._cards(data.get("battle", [])),
            keep=self._cards(data.get("keep", [])),
            ready=self._cards(data.get("ready", [])),
            draws=self._number(data.get("draws", 0), 0, self.rules["draw_cap"]),
            busted=busted,
            bonus=self._number(data.get("bonus", 0), None, None),
            wins=self._number(data.get("wins", 0), 0, self.rules["rounds_to_win"]),
            peek=self._number(data.get("peek", 0), 0, None),
            seen=[Seen(self._party(entry["of"]), entry["zone"], self._card(entry["card"])) for entry in seen],
        )

    def _read_dark(self, data: Any) -> Side:
        check_keys(data, set(), DARK_FIELDS, "dark")
        most = max(0, self.rules["draw_cap"] + self.rules["dark_one_extra"])  # T6
        return Side(
            battle=self._cards(data.get("battle", [])),
            bonus=self._number(data.get("bonus", 0), None, None),
            wins=self._number(data.get("wins", 0), 0, self.rules["rounds_to_win"]),
            due=self._number(data.get("due", 0), 0, most),
        )

    def _read_play(self, data: Any) -> Play:
        check_keys(data, {"by", "card"}, {"target"}, "a card of the chain")
        target = self._party(data["target"]) if "target" in data else None
        return Play(self._seat(data["by"]), self._card(data["card"]), target)

    def _read_lap(self, data: Any, what: str) -> Lap | None:
        if data is None:
            return None
        check_keys(data, {"next", "left"}, set(), what)
        return Lap(self._seat(data["next"]), self._number(data["left"], 1, self.players))

    def _read_hit(self, data: Any) -> Hit | None:
        if data is None:
            return None
        check_keys(data, {"of", "zone", "left"}, set(), "hit")
        require(one_of(data["zone"], {"battle", "ready"}), f"no hit on zone {data['zone']!r}")
        return Hit(self._party(data["of"]), data["zone"], self._number(data["left"], 1, 20))  # amounts go to 20 (k)

    def _seat(self, value: Any) -> int:
        return self._number(value, 0, self.players - 1)

    def _party(self, value: Any) -> Party:
        if value == DARK and self.rules["dark_one_player"]:
            return DARK
        return self._seat(value)

    def _number(self, value: Any, low: int | None, high: int | None) -> int:
        require(is_int(value, low, high), f"{value!r} is not a number from {low} to {high}")
        return int(value)

    def _card(self, value: Any) -> str:
        require(one_of(value, self.kinds), f"unknown card {value!r}")
        return str(value)

    def _cards(self, value: Any) -> list[str]:
        require(isinstance(value, list), f"{value!r} is not a list of cards")
        return [self._card(card) for card in value]

    # ------------------------------------------------------------------------------ b, i. Refusing impossible positions

    def _check(self, state: State) -> None:
        """What belongs together must be there together. How the position came about is not asked."""
        self._check_stage(state)
        self._check_zones(state)
        self._check_knowledge(state)
        self._check_plays(state)

    def _check_stage(self, state: State) -> None:
        stage = state.stage
        if stage in ("tally", "discard", "over"):
            require(state.active is None, f"nobody is active at {stage}")
        elif stage == "dark_draw":
            require(state.active == DARK, "only the Dark One is active at dark_draw")
        else:
            require(state.active is not None, f"{stage} without an active seat")
            require(state.active != DARK or stage == "end_window", f"the Dark One is never at {stage}")
        if stage == "draw":
            # A reshuffle is waited for only where the deck is empty and a draw is possible (T1).
            require(not state.deck and self._can_draw(state), "draw: no reshuffle is possible")
        if stage == "place":
            require(state.drawn is not None and not self._is_dark_one(state.drawn), "place without a card to place")
        elif stage == "escape":
            require(state.drawn is not None and self._is_dark_one(state.drawn), "escape without a Dark One")
        else:
            require(state.drawn is None, f"nothing is drawn at {stage}")
        if stage in WINDOWS:
            require(state.window is not None, f"{stage} without its window")
        else:
            require(state.window is None, f"{stage} has no window")
        if stage == "mid_window" and state.window is not None:
            require(self.rules["windows"] == "each_draw", "the rules have no mid_window")
            require(state.window.next != state.active, "the active seat is not in a mid_window")
            require(state.window.left < self.players, "too many are left in a mid_window")
        winners = [party for party in state.sides if state.sides[party].wins == self.rules["rounds_to_win"]]
        if stage == "over":
            require(len(winners) <= 1 and self._end_reason(state) is not None, "the match cannot be over")
        else:
            require(not winners, "the match is already won")

    def _check_zones(self, state: State) -> None:
        for seat in self.seats:
            side = state.sides[seat]
            dark_ones = [card for card in side.battle + side.keep + side.ready if self._is_dark_one(card)]
            require(not dark_ones, f"a Dark One before seat {seat}")
            require(len(side.keep) <= self.rules["keep_limit"], f"seat {seat} has kept too many cards")
            if state.stage == "discard":
                require(not side.keep, "at discard the kept cards are ready already")
            else:
                require(len(side.ready) <= self.rules["ready_limit"], f"seat {seat} has too many ready cards")
        for side in state.sides.values():
            require(side.due == 0 or state.stage == "dark_draw", "the Dark One is due to draw only at dark_draw")
            if state.stage in ("discard", "over"):
                cleared = not side.battle and side.bonus == 0 and side.draws == 0 and not side.busted
                require(cleared, f"at {state.stage} the last round is cleared away")

    def _check_knowledge(self, state: State) -> None:
        known = state.drawn_known
        require(not known or state.stage == "place", "drawn_known without a card that is being placed")
        require(len(set(known)) == len(known) and state.active not in known, "drawn_known: a seat twice, or active")
        for seat in self.seats:
            side = state.sides[seat]
            require(side.peek <= len(state.deck), f"seat {seat} knows more cards than the deck has")
            for entry, count in Counter(side.seen).items():
                require(entry.of != seat, f"seat {seat} has seen an own card")
                there = state.sides[entry.of].zone(entry.zone).count(entry.card)
                require(count <= there, f"seat {seat} has seen a card that is not there")

    def _check_plays(self, state: State) -> None:
        hit, chain, reply = state.hit, state.chain, state.reply
        if hit is not None:
            require(self.rules["abilities"] and not chain, "a hit while cards are played, or without abilities")
            require(state.stage == "turn" or state.stage in WINDOWS, f"no hit at {state.stage}")
            require(hit.of != DARK or hit.zone == "battle", "the Dark One has only a Battle Zone")
        require((reply is None) == (not chain), "chain and reply are present together")
        if not chain or reply is None:
            return
        require(self.rules["abilities"], "a chain without abilities")
        first = chain[0]
        if state.stage in ("turn", "escape"):
            require(first.by == state.active, f"only the active seat plays at {state.stage}")
        if state.stage == "mid_window":
            require(first.by != state.active, "the active seat is not in a mid_window")
        require(state.stage in ("turn", "escape") or state.stage in WINDOWS, f"no plays at {state.stage}")
        effects = {"escape"} if state.stage == "escape" else PROACTIVE
        before: Play | None = None
        for play in chain:
            kind = self.kinds[play.card]
            require(kind.effect in effects, f"{play.card} cannot be at this place of the chain")
            require(self._timing_fits(state, kind, play.by), f"{play.card} cannot be played at {state.stage}")
            require((kind.effect in TARGETED) == (play.target is not None), f"{play.card}: target missing or too many")
            if kind.effect == "discard_ready":
                require(play.target != DARK, f"{play.card} cannot aim at the Dark One")
            if kind.effect in TARGETED and not (kind.effect == "discard_battle" and kind.target == "any"):
                require(play.target != play.by, f"{play.card} cannot aim at its own player")
            require(before is None or before.by != play.by, "nobody answers the own card")
            before = play
            effects = {"cancel"}
        # The lap of replies begins behind the last player and has everybody else in it.
        asked = [(chain[-1].by + place) % self.players for place in range(1, self.players)]
        require(reply.left < self.players and reply.next == asked[-reply.left], "this reply is not in the lap")
