"""Jackal & High: positions, views, moves and events to and from JSON (``docs/rules/jackal_and_high.md``, section 7)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.errors import BadPosition, IllegalStep
from engine.fields import only, whole
from engine.game import Options
from engine.games.jackal_and_high import rounds
from engine.games.jackal_and_high import state as s
from engine.games.jackal_and_high.rules import after_roll, clear, end_turn

Json = dict[str, Any]

UNORDERED = frozenset({"rolled", "dice[]", "won", "win", "lose", "unseen"})
CARD_FIELDS = frozenset({"card"})  # of moves

_ANIMALS = {str(number): number for number in range(1, s.NUMBER_MAX + 1) if number != s.LUCKY_8}
_CARDS = {**_ANIMALS, "T2": s.TAKE_2, "L8": s.LUCKY_8}  # in the order of the page: animals, T2, L8
_NAMES = {number: name for name, number in _CARDS.items()}
_ROW_CARDS = {name: number for name, number in _CARDS.items() if name != "T2"}

_POSITION_FIELDS = {
    "phase", "round", "starter", "turn", "rolled", "attempt", "contest", "valley_roll",
    "row", "valley", "deck", "deck_top", "out", "reason",
}  # fmt: skip
_SEAT_FIELDS = {"dice", "stack", "take2", "won"}
_START_PHASES = (*s.PHASES, "layout", "settle")
_FULL_ROW = ("roll", "place", "settle")


def _name(number: int) -> str | None:
    return None if number == s.NO_CARD else _NAMES[number]


def _bag(bag: int) -> list[str]:
    """The animals of a bag, by number."""
    return [name for name, number in _ANIMALS.items() for _ in range(int(s.copies(bag, number)))] if bag else []


def _members(seats: int) -> list[int]:
    return [seat for seat in range(s.MOST_SEATS) if s.in_lanes(seats, seat)]


# ---------------------------------------------------------------- moves and events


def is_card(_options: Options, name: str) -> bool:
    """Does a move name a card so?"""
    return name in _CARDS


def write_move(_rules: Any, _options: Options, state: Any, code: int) -> Json:
    """A move code as JSON, without ``by``."""
    kind = int(s.kind_of(code))
    if kind == s.REROLL:
        return {"move": "reroll"}
    if kind == s.VALLEY:
        return {"move": "valley"}
    if kind == s.STACK:
        return {"move": "stack", "card": _NAMES[int(s.stacked_card(code))]}
    lanes = [int(s.digit_of(code, die)) for die in range(s.MOST_DICE)]
    put = [[die, lane - 1] for die, lane in zip(state.table.rolled.tolist(), lanes, strict=True) if lane]
    return {"move": "place", "put": put}


def write_event(rules: Any, _options: Options, state: Any, event: Any) -> Json:
    """The pending chance event with the dice of ``event``."""
    table = state.table
    phase = int(table.phase)
    if phase == s.ROLL:
        seat = int(table.turn)
        return {"chance": "roll", "seat": seat, "dice": [int(die) for die in event[: int(s.hand_of(table, seat))]]}
    dice = []
    rolling = rounds.dice_to_roll(rules, table)
    for seat in range(int(rules.players)):
        start = s.MOST_DICE * seat
        dice.append([int(die) for die in event[start : start + int(s.lane(rolling, seat))]])
    if phase == s.CONTEST:
        return {"chance": "contest", "at": int(table.contest), "dice": dice}
    return {"chance": "valley", "dice": dice}


def read_event(rules: Any, options: Options, state: Any, step: Json, event: Any) -> None:
    """Read the outcome of the pending chance event into ``event``; raises IllegalStep for an impossible one."""
    table = state.table
    wanted = write_event(rules, options, state, event)
    if _exact(step) != _exact(wanted):
        raise IllegalStep(f"the pending chance event is {wanted['chance']}, with {_fixed(wanted)}")
    if int(table.phase) == s.ROLL:
        _read_dice(rules, step.get("dice"), int(s.hand_of(table, table.turn)), event, 0)
        return
    per_seat = step.get("dice")
    if not isinstance(per_seat, list) or len(per_seat) != int(rules.players):
        raise IllegalStep(f"dice must be a list of {int(rules.players)} lists, one a seat")
    rolling = rounds.dice_to_roll(rules, table)
    for seat, dice in enumerate(per_seat):
        _read_dice(rules, dice, int(s.lane(rolling, seat)), event, s.MOST_DICE * seat)


def _exact(event: Json) -> dict[str, Any]:
    """All but the dice, with types: JSON tells 1 from true and 1.0."""
    return {name: (type(value), value) for name, value in event.items() if name != "dice"}


def _fixed(event: Json) -> str:
    fixed = [f"{name} {value}" for name, value in event.items() if name not in ("chance", "dice")]
    return " and ".join([*fixed, "its dice"])


def _read_dice(rules: Any, dice: Any, size: int, event: Any, start: int) -> None:
    sides = int(rules.die_sides)
    if not isinstance(dice, list) or len(dice) != size or not all(_is_face(die, sides) for die in dice):
        raise IllegalStep(f"the dice cannot be {dice!r}; allowed: {size} numbers, each 1 to {sides}")
    if dice != sorted(dice):
        raise IllegalStep(f"the dice {dice!r} must be ascending")
    event[start : start + s.MOST_DICE] = 0
    event[start : start + size] = dice


def _is_face(die: Any, sides: int) -> bool:
    return isinstance(die, int) and not isinstance(die, bool) and 1 <= die <= sides


def write_result_extras(rules: Any, _options: Options, state: Any, _common: Json) -> Json:
    """``high``: each seat's highest animal."""
    return {"high": [int(high) for high in state.table.high[: int(rules.players)]]}


# ---------------------------------------------------------------- positions and views out


def write_position(rules: Any, _options: Options, state: Any) -> Json:
    """The full position."""
    deck = [_NAMES[card] for card in state.deck[: int(state.table.deck_count)][::-1].tolist()]
    return _write_table(rules, state.table, deck)


def write_view(rules: Any, _options: Options, view: Any) -> Json:
    """What a seat may know."""
    table = view.table
    unseen = _bag(int(table.deck_animals)) + ["T2"] * int(table.deck_take2) + ["L8"] * int(table.deck_lucky8)
    return _write_table(rules, table, ["??"] * len(unseen)) | {"unseen": unseen}


def _write_table(rules: Any, table: Any, deck: list[str]) -> Json:
    phase, players = int(table.phase), int(rules.players)
    valley_roll = None
    if phase == s.VALLEY_ROLL:
        valley_roll = {"win": _members(int(table.win)), "lose": _members(int(table.lose))}
    cards, take2 = table.card.tolist(), table.take2.tolist()
    row = [
        {"card": _name(cards[at]), "take2": take2[at], "dice": [_dice_on(table, seat, at) for seat in range(players)]}
        for at in range(players + int(rules.row_extra))
    ]
    position = {
        "phase": s.PHASES[phase],
        "round": int(table.round_number),
        "starter": int(table.starter),
        "turn": int(table.turn) if int(table.turn) >= 0 else None,
        "rolled": [die for die in table.rolled.tolist() if die],
        "attempt": int(table.attempt),
        "contest": int(table.contest) if int(table.contest) >= 0 else None,
        "valley_roll": valley_roll,
        "row": row,
        "valley": {
            "card": _name(int(table.valley)),
            "dice": [int(s.lane(table.valley_dice, seat)) for seat in range(players)],
        },
        "deck": deck,
        "out": int(table.out),
        "reason": s.REASONS[int(table.reason)] if phase == s.OVER else None,
    }
    return position | {f"p{seat}": _write_seat(table, seat) for seat in range(players)}


def _dice_on(table: Any, seat: int, at: int) -> list[int]:
    """The dice of a seat on a row position."""
    dice = int(table.dice[seat, at + 1]) if s.dice_at(table, seat, at) else 0
    return [face for face in range(1, dice.bit_length() // 4 + 2) for _ in range(dice // int(s.faces(face)) % 16)]


def _write_seat(table: Any, seat: int) -> Json:
    stack = [_NAMES[int(s.card_in_stack(table, seat, i))] for i in range(int(table.stack_size[seat]))]
    return {
        "dice": int(s.hand_of(table, seat)),
        "stack": stack[::-1],
        "take2": int(table.own_take2[seat]),
        "won": _bag(int(table.won[seat])),
    }


# ---------------------------------------------------------------- positions in


def read_position(rules: Any, _options: Options, position: Json, state: Any) -> None:
    """Load a position into ``state`` and do what is automatic; raises BadPosition with the first thing wrong."""
    players = int(rules.players)
    seats = [f"p{seat}" for seat in range(players)]
    only(position, _POSITION_FIELDS | set(seats), "a position")
    clear(rules, state)
    table = state.table
    phase = _choice(position.get("phase", "roll"), _START_PHASES, "phase")
    table.round_number = whole(position.get("round", 1), "round", 1, int(rules.round_cap))
    table.starter = whole(position.get("starter", 0), "starter", 0, players - 1)
    table.out = whole(position.get("out", 0), "out", 0, int(rules.lucky8_count))
    _read_reason(position.get("reason"), phase, table)
    cards = _Cards(rules)
    cards.used["L8"] += int(table.out)
    _read_row(rules, position.get("row"), phase, table, cards)
    _read_valley(rules, position.get("valley", {}), table, cards)
    for seat, name in enumerate(seats):
        _read_seat(rules, position.get(name, {}), seat, table, cards)
    _read_deck(position, state, cards)
    _check_zones(rules, phase, table)
    _read_turn(rules, position, phase, table)
    _read_contest(rules, position.get("contest"), phase, table)
    _read_valley_roll(rules, position.get("valley_roll"), phase, table)
    _go_on(rules, phase, state)


class _Cards:
    """Makes sure that no card is there more often than the game has it (section 1)."""

    def __init__(self, rules: Any) -> None:
        self.used: Counter[str] = Counter()
        self.all = {name: 1 for name, number in _ANIMALS.items() if number <= int(rules.high_max)}
        self.all |= {name: int(rules.low_copies) for name, number in _ANIMALS.items() if number <= s.LOW_MAX}
        self.all |= {"T2": int(rules.take2_count), "L8": int(rules.lucky8_count)}

    def take(self, name: Any, zone: str, allowed: dict[str, int]) -> int:
        if not isinstance(name, str) or name not in allowed or name not in self.all:
            raise BadPosition(f"{name!r} is not a card that can lie in {zone}")
        self.add(name, 1)
        return allowed[name]

    def take_list(self, names: Any, zone: str, allowed: dict[str, int]) -> list[int]:
        return [self.take(name, zone, allowed) for name in _list(names, zone)]

    def add(self, name: str, number: int) -> None:
        self.used[name] += number
        if self.used[name] > self.all[name]:
            raise BadPosition(f"the position has too many cards {name}; allowed: {self.all[name]}")

    def rest(self) -> list[int]:
        return [_CARDS[name] for name, number in self.all.items() for _ in range(number - self.used[name])]


def _read_reason(reason: Any, phase: str, table: Any) -> None:
    if phase == "over":
        table.reason = s.REASONS.index(_choice(reason, s.REASONS, "reason"))
    elif reason is not None:
        raise BadPosition("reason must be given exactly in phase over")


def _read_row(rules: Any, row: Any, phase: str, table: Any, cards: _Cards) -> None:
    players, size = int(rules.players), int(rules.players + rules.row_extra)
    for at, given in enumerate(_list(row, "row", size)):
        where = f"position {at} of the row"
        only(given, {"card", "take2", "dice"}, where)
        card = given.get("card")
        table.card[at] = s.NO_CARD if card is None else cards.take(card, where, _ROW_CARDS)
        table.take2[at] = whole(given.get("take2", 0), f"take2 of {where}", 0, int(rules.take2_count))
        cards.add("T2", int(table.take2[at]))
        for seat, dice in enumerate(_list(given.get("dice", [[]] * players), f"dice of {where}", players)):
            for die in _faces(rules, dice, f"dice of {where}"):
                table.dice[seat, at + 1] += s.faces(die)
                table.counts[seat] += s.in_lane(1, at + 1)
        _check_row_position(phase, table, at, int(rules.players))
    if sum(int(card) == s.LUCKY_8 for card in table.card) > 1:
        raise BadPosition("the row holds a second Lucky 8")


def _check_row_position(phase: str, table: Any, at: int, players: int) -> None:
    number = int(table.card[at])
    if number == s.NO_CARD and phase in _FULL_ROW:
        raise BadPosition(f"position {at} of the row must have a card in phase {phase}")
    for seat in range(players):
        total = sum(_dice_on(table, seat, at))
        if total > number:
            raise BadPosition(f"the dice of seat {seat} on position {at} of the row exceed its number")
        if phase == "contest" and 0 < total < number:
            raise BadPosition(f"in phase contest the dice of seat {seat} on position {at} of the row must be exact")


def _read_valley(rules: Any, valley: Any, table: Any, cards: _Cards) -> None:
    only(valley, {"card", "dice"}, "valley")
    card = valley.get("card")
    table.valley = s.NO_CARD if card is None else cards.take(card, "the valley", _ANIMALS)
    players, most = int(rules.players), int(rules.dice_per_player)
    for seat, dice in enumerate(_list(valley.get("dice", [0] * players), "dice of the valley", players)):
        table.valley_dice += s.in_lane(whole(dice, "a number of dice in the valley", 0, most), seat)


def _read_seat(rules: Any, given: Any, seat: int, table: Any, cards: _Cards) -> None:
    only(given, _SEAT_FIELDS, f"p{seat}")
    placed = sum(int(s.dice_at(table, seat, at)) for at in range(s.MOST_ROW))
    hand = int(rules.dice_per_player) - placed - int(s.lane(table.valley_dice, seat))
    if hand < 0:
        raise BadPosition(f"seat {seat} has more than {int(rules.dice_per_player)} dice")
    hand = whole(given.get("dice", hand), f"dice of p{seat}", hand, hand)
    table.hands += s.in_lane(hand - int(s.hand_of(table, seat)), seat)
    for card in reversed(cards.take_list(given.get("stack", []), f"the stack of p{seat}", _ANIMALS)):
        rounds.push(rules, table, seat, card)
    table.own_take2[seat] = whole(given.get("take2", 0), f"take2 of p{seat}", 0, int(rules.take2_count))
    cards.add("T2", int(table.own_take2[seat]))
    table.paws[seat] += rules.take2_paws * table.own_take2[seat]
    for card in cards.take_list(given.get("won", []), f"won of p{seat}", _ANIMALS):
        table.won[seat] += s.bag_of(card)


def _read_deck(position: Json, state: Any, cards: _Cards) -> None:
    deck = cards.take_list(position.get("deck_top", []), "deck_top", _CARDS)
    under = position.get("deck", "rest")
    deck += cards.rest() if under == "rest" else cards.take_list(under, "the deck", _CARDS)
    table = state.table
    state.table.deck_count = len(deck)
    for place, card in enumerate(reversed(deck)):
        state.deck[place] = card
        if card == s.TAKE_2:
            table.deck_take2 += 1
        elif card == s.LUCKY_8:
            table.deck_lucky8 += 1
        else:
            table.deck_animals += s.bag_of(card)


def _check_zones(rules: Any, phase: str, table: Any) -> None:
    """What lies in hands, in the valley and on the row must fit the phase."""
    seats = range(int(rules.players))
    if phase in ("layout", "stack", "valley", "over") and any(int(table.counts[seat]) for seat in seats):
        raise BadPosition(f"no dice can lie on the row in phase {phase}")
    if phase in ("layout", "over") and table.valley_dice:
        raise BadPosition(f"no dice can lie in the valley in phase {phase}")
    if phase == "settle" and table.hands:
        raise BadPosition("in phase settle no seat can have dice in hand")
    if phase not in ("contest", "stack") and any(int(table.won[seat]) for seat in seats):
        raise BadPosition(f"no seat can have cards in won in phase {phase}")
    bare_allowed = phase == "layout" or (phase == "over" and int(table.reason) == s.DECK_OUT)
    bare = any(int(table.take2[at]) and not int(table.card[at]) for at in range(s.MOST_ROW))
    if bare and not bare_allowed:
        raise BadPosition(f"no Take 2 can lie bare in phase {phase}")


def _read_turn(rules: Any, position: Json, phase: str, table: Any) -> None:
    seats = int(rules.players)
    turn, rolled, attempt = position.get("turn"), position.get("rolled", []), position.get("attempt")
    if phase not in ("roll", "place"):
        if rolled != [] or attempt not in (None, 0) or (turn is not None and phase != "stack"):
            raise BadPosition(f"turn, rolled and attempt do not fit the phase {phase}")
        if turn is not None:
            _check_stacking_turn(rules, whole(turn, "turn", 0, seats - 1), table)
        return
    table.turn = whole(int(table.starter) if turn is None else turn, "turn", 0, seats - 1)
    hand = int(s.hand_of(table, table.turn))
    dice = sorted(_faces(rules, rolled, "rolled"))
    if len(dice) != (hand if phase == "place" else 0) or (phase == "place" and not dice):
        raise BadPosition(f"rolled cannot be {rolled!r}; it is all dice of the turn's seat in phase place, else []")
    for place, die in enumerate(dice):
        table.rolled[place] = die
    most = int(rules.rolls_for_last_die) if hand == 1 else 1
    least = 1 if phase == "place" else 0
    table.attempt = whole(least if attempt is None else attempt, "attempt", least, most - 1 + least)


def _check_stacking_turn(rules: Any, turn: int, table: Any) -> None:
    """The next seat with cards to stack, or the next that has a choice."""
    order = [(int(table.starter) + i) % int(rules.players) for i in range(int(rules.players))]
    first = [seat for seat in order if int(table.won[seat])][:1]
    choosing = [seat for seat in order if len(set(_bag(int(table.won[seat])))) > 1][:1]
    if turn not in first + choosing:
        raise BadPosition(f"seat {turn} is not the one to stack")


def _read_contest(rules: Any, contest: Any, phase: str, table: Any) -> None:
    """If given, the position that is settled next; one with a single contender is settled by itself."""
    if contest is None:
        return
    if phase != "contest":
        raise BadPosition("contest must be null outside phase contest")
    row = int(rules.players + rules.row_extra)
    at = whole(contest, "contest", 0, row - 1)
    rivals = {other: int(rounds.contenders(rules, table, other)).bit_count() for other in range(row)}
    contested = sorted(
        (other for other in rivals if rivals[other] > 1),
        key=lambda other: (int(table.card[other]) == s.LUCKY_8, other),
    )
    if rivals[at] == 0 or (at in contested and at != contested[0]):
        raise BadPosition(f"position {at} of the row is not contested now")


def _read_valley_roll(rules: Any, valley_roll: Any, phase: str, table: Any) -> None:
    if valley_roll is None:
        return
    if phase != "valley":
        raise BadPosition("valley_roll must be null outside phase valley")
    only(valley_roll, {"win", "lose"}, "valley_roll")
    there = int(s.at_least(table.valley_dice, 1))
    win = _read_seats(rules, valley_roll.get("win"), "win")
    lose = _read_seats(rules, valley_roll.get("lose"), "lose")
    if there.bit_count() < 2 or (win | lose) & ~there:
        raise BadPosition("valley_roll must name seats with dice in the valley, which are several")
    if (win != 0) != (int(table.valley) != s.NO_CARD) or (lose != 0) != bool(rules.valley_loss):
        raise BadPosition("valley_roll does not fit the valley's card or the option valley_loss")
    if win & lose and not win == lose == there:
        raise BadPosition("after a roll that parts them no seat can both win and lose")
    table.win = win
    table.lose = lose


def _read_seats(rules: Any, given: Any, where: str) -> int:
    seats = [whole(seat, f"a seat of {where}", 0, int(rules.players) - 1) for seat in _list(given, where)]
    if len(set(seats)) != len(seats):
        raise BadPosition(f"{where} names a seat twice")
    return sum(int(s.in_lane(s.GUARD, seat)) for seat in seats)


def _go_on(rules: Any, phase: str, state: Any) -> None:
    """Enter the phase, and do what is automatic there (section 7)."""
    table = state.table
    if phase == "layout":
        if rounds.layout(rules, state):
            rounds.start_round(rules, state)
        else:
            rounds.finish(state, s.DECK_OUT)
        return
    if phase in _FULL_ROW:
        _fill_rooms(rules, table)
    if phase == "settle":
        rounds.settle(rules, state)
    elif phase == "contest":
        rounds.settle_row(rules, state)
    elif phase == "stack":
        rounds.stack_cards(rules, state)
    elif phase == "valley" and not table.win and not table.lose:
        rounds.open_valley(rules, state)
    elif phase == "valley":
        rounds.visit_valley(rules, state)
    else:
        table.phase = s.PHASES.index(phase)
        if phase == "place":
            after_roll(rules, state)
        elif phase == "roll" and not s.hand_of(table, table.turn):
            end_turn(rules, state)


def _fill_rooms(rules: Any, table: Any) -> None:
    """What the dice of each seat leave of the numbers in the row, and the paws there."""
    for at in range(int(rules.players + rules.row_extra)):
        table.row_paws += s.in_lane(rounds.paws_at(rules, table, at), at + 1)
    for seat in range(int(rules.players)):
        table.rooms[seat] = s.HAND
        for at in range(int(rules.players + rules.row_extra)):
            left = int(table.card[at]) - sum(_dice_on(table, seat, at))
            table.rooms[seat] += s.in_lane(left, at + 1)


# ---------------------------------------------------------------- reading values


def _choice(value: Any, allowed: tuple[str, ...], name: str) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise BadPosition(f"{name} cannot be {value!r}; allowed: {', '.join(allowed)}")
    return value


def _list(value: Any, name: str, size: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (size is not None and len(value) != size):
        raise BadPosition(f"{name} must be a list" + ("" if size is None else f" of {size} entries"))
    return value


def _faces(rules: Any, dice: Any, name: str) -> list[int]:
    return [whole(die, f"a die in {name}", 1, int(rules.die_sides)) for die in _list(dice, name)]
