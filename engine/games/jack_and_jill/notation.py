"""Jack and Jill: positions, views and moves to and from JSON (``docs/rules/jack_and_jill.md``, sections 6 and 7)."""

from __future__ import annotations

from typing import Any

from engine import cards
from engine.cards import NUMBERS
from engine.errors import BadPosition
from engine.fields import number, only, whole
from engine.game import Options
from engine.games.jack_and_jill import rules as kernels
from engine.games.jack_and_jill import state as s

Json = dict[str, Any]

UNORDERED = frozenset({"down", "hand", "shown", "discard", "scored", "unseen"})
CARD_FIELDS = frozenset({"card", "give", "take", "monster", "aim", "attack"})  # of moves

# In the order of all sorted lists (section 7).
_WELL_NAMES = tuple(rank + suit for suit in cards.SUITS for rank in cards.RANKS[: s.FIRST_RANK])
_HILL_NAMES = frozenset(rank + suit for suit in cards.SUITS for rank in cards.RANKS[s.FIRST_RANK :])
_PILES = ("well", "discard", "scored")
_POSITION_FIELDS = {"turn", "hill", "down", "jack", "jill", "crown", "well_top", "stall", *_PILES}


def _names(mask: int) -> list[str]:
    return [name for name in _WELL_NAMES if mask >> NUMBERS[name] & 1]


def _spots(mask: int) -> list[int]:
    return [spot for spot in range(s.SPOTS) if mask >> spot & 1]


# ---------------------------------------------------------------- moves


def is_card(_options: Options, name: str) -> bool:
    """Does a move name a card so?"""
    return name in NUMBERS


def write_move(_rules: Any, _options: Options, state: Any, code: int) -> Json:
    """A move code as JSON, without ``by``."""
    kind = int(s.kind_of(code))
    if kind in (s.MOVE_JACK, s.MOVE_JILL):
        pawn = "jack" if kind == s.MOVE_JACK else "jill"
        return {"move": "move", "pawn": pawn, "card": _card(s.card_of(code)), "to": int(s.to_of(code))}
    if kind == s.REST:
        return {"move": "rest", "card": _card(s.card_of(code))}
    if kind == s.PASS:
        return {"move": "pass"}
    if kind == s.TRADE:
        return {"move": "trade", "give": _card(s.card_of(code)), "take": _card(s.taken_of(code))}
    hand = int(state.hand[int(state.table.turn)])
    monster = cards.NAMES[int(state.table.hill[int(s.spot_of(code))])]
    move: Json = {"move": "melee" if kind == s.MELEE else "ranged", "monster": monster}
    if kind == s.RANGED:
        move["aim"] = _names(int(s.cards_of(hand, int(s.aim_of(code)))))
    move["attack"] = _names(int(s.cards_of(hand, int(s.attack_of(code)))))
    return move | {"jokers": int(s.jokers_of(code))}


def _card(number: Any) -> str:
    return cards.NAMES[int(number)]


# ---------------------------------------------------------------- positions, views and results out


def write_position(rules: Any, _options: Options, state: Any) -> Json:
    """The full position."""
    well = [_card(card) for card in state.well[: int(state.table.well_count)][::-1]]
    hands = [_names(int(hand)) for hand in state.hand]
    return _write_table(state.table) | _write_seats(rules, state.table, hands) | {"well": well}


def write_view(rules: Any, _options: Options, view: Any) -> Json:
    """What a seat may know."""
    hands = [_names(int(hand)) for hand in view.hand]
    for seat, hand in enumerate(hands):
        hand += ["??"] * (int(view.table.hand_count[seat]) - len(hand))
    return (
        {"seat": int(view.seat)}
        | _write_table(view.table)
        | _write_seats(rules, view.table, hands)
        | {"well_count": int(view.table.well_count), "unseen": _names(int(view.unseen))}
    )


def _write_table(table: Any) -> Json:
    crown = _spots(int(table.crown))
    return {
        "turn": int(table.turn),
        "hill": [_card(card) for card in table.hill],
        "down": _spots(int(table.down)),
        "jack": int(table.pawn[s.JACK]),
        "jill": int(table.pawn[s.JILL]),
        "crown": crown[0] if crown else None,
        "discard": _names(int(table.discard)),
        "scored": _names(int(table.scored)),
        "stall": int(table.stall),
    }


def _write_seats(rules: Any, table: Any, hands: list[list[str]]) -> Json:
    seats: Json = {}
    for seat in range(int(rules.players)):
        seats[f"p{seat}"] = {"hand": hands[seat], "jokers": int(table.jokers[seat])}
        if rules.players == 2:
            seats[f"p{seat}"]["shown"] = _names(int(table.shown[seat]))
    return seats


def write_result_extras(_rules: Any, options: Options, state: Any, common: Json) -> Json:
    """What the result of this game adds: won, score, medal, monsters defeated (section 5)."""
    won = common["reason"] == s.REASONS[s.WON]
    score = common["scores"][0]
    reached = [medal for medal in ("gold", "silver", "bronze") if won and score >= options[f"medal_{medal}"]]
    defeated = s.MONSTERS - len(_spots(s.ALL_SPOTS & ~int(state.table.down)))
    return {"won": won, "score": score, "medal": reached[0] if reached else None, "defeated": defeated}


# ---------------------------------------------------------------- positions in


def read_position(rules: Any, _options: Options, position: Json, state: Any) -> None:
    """Load a position into ``state``; raises BadPosition with the first thing that is wrong."""
    players = int(rules.players)
    only(position, _POSITION_FIELDS | {f"p{seat}" for seat in range(players)}, "a position")
    kernels.clear(rules, state)
    table = state.table
    table.turn = number(position, "turn", int(rules.first_seat) if players == 2 else 0, 0, players - 1)
    table.stall = number(position, "stall", 0, 0, int(rules.stall_limit) if players == 2 else 0)
    _read_hill(rules, position, table)
    for seat in range(players):
        _read_seat(rules, position, seat, state)
    _read_piles(rules, position, state)
    if not _spots(s.ALL_SPOTS & ~int(table.down)):
        kernels.score_leftovers(rules, state)
    kernels.see_hands(rules, state)
    kernels.judge(rules, state, True)


def _read_hill(rules: Any, position: Json, table: Any) -> None:
    if "hill" not in position:
        raise BadPosition("a position needs a hill")
    hill = position["hill"]
    if not isinstance(hill, list) or any(not isinstance(name, str) for name in hill):
        raise BadPosition("hill must be a list of cards")
    if len(hill) != s.SPOTS or set(hill) != _HILL_NAMES:
        raise BadPosition("hill must hold each of the twelve court cards once")
    for spot, name in enumerate(hill):
        table.hill[spot] = NUMBERS[name]
    kernels.lay_hill(table)
    jacks = {
        "black": [spot for spot, name in enumerate(hill) if name in ("JC", "JS")],
        "red": [spot for spot, name in enumerate(hill) if name in ("JD", "JH")],
    }
    down = position.get("down", [jacks["black"][0], jacks["red"][0]])
    if not isinstance(down, list):
        raise BadPosition("down must be a list of spots")
    for spot in down:
        whole(spot, "a spot in down", 0, s.SPOTS - 1)
    if len(set(down)) != len(down):
        raise BadPosition("down names a spot twice")
    for color, spots in jacks.items():
        if not set(spots) & set(down):
            raise BadPosition(f"down must hold a {color} Jack")
    table.down = sum(1 << spot for spot in down)
    table.pawn[s.JACK] = number(position, "jack", jacks["black"][0], 0, s.SPOTS - 1)
    table.pawn[s.JILL] = number(position, "jill", jacks["red"][0], 0, s.SPOTS - 1)
    kings = [spot for spot, name in enumerate(hill) if name[0] == "K"]
    crown = position.get("crown", kings[0] if rules.king_of_the_hill else None)
    if (crown is not None) != bool(rules.king_of_the_hill):
        raise BadPosition("there is a crown exactly with king_of_the_hill")
    if crown is not None:
        whole(crown, "crown", 0, s.SPOTS - 1)
        if crown not in kings:
            raise BadPosition(f"the crown cannot lie on spot {crown}: there is no King")
        table.crown = 1 << crown


def _read_seat(rules: Any, position: Json, seat: int, state: Any) -> None:
    given = position.get(f"p{seat}", {})
    if not isinstance(given, dict):
        raise BadPosition(f"p{seat} must be an object")
    only(given, {"hand", "jokers", "shown"} if rules.players == 2 else {"hand", "jokers"}, f"p{seat}")
    if "hand" not in given:
        raise BadPosition(f"p{seat} needs a hand")
    hand = _cards(given["hand"], f"the hand of seat {seat}")
    if len(hand) > rules.hand_size:
        raise BadPosition(f"the hand of seat {seat} holds {len(hand)} cards; allowed: {int(rules.hand_size)}")
    shown = _cards(given.get("shown", []), f"shown of seat {seat}")
    if not set(shown) <= set(hand):
        raise BadPosition(f"shown of seat {seat} must be part of its hand")
    at_start = int(state.table.jokers[seat])
    state.hand[seat] = _mask(hand)
    state.table.shown[seat] = _mask(shown)
    state.table.jokers[seat] = number(given, "jokers", at_start, 0, at_start)


def _read_piles(rules: Any, position: Json, state: Any) -> None:
    """Every card has exactly one place; ``rest`` stands for the cards named nowhere else."""
    given = {"discard": position.get("discard", []), "scored": position.get("scored", [])}
    given["well"] = position.get("well", [] if "rest" in [_text(pile) for pile in given.values()] else "rest")
    resting = [name for name in _PILES if _text(given[name]) == "rest"]
    if len(resting) > 1:
        raise BadPosition(f"only one pile can be the rest, not {' and '.join(resting)}")
    piles = {name: _cards(given[name], name) for name in _PILES if name not in resting}
    top = _cards(position.get("well_top", []), "well_top")
    named = [name for seat in range(int(rules.players)) for name in position[f"p{seat}"]["hand"]]
    named += [*top, *(name for pile in piles.values() for name in pile)]
    for name in named:
        if named.count(name) > 1:
            raise BadPosition(f"{name} is in two places")
    others = [name for name in _WELL_NAMES if name not in set(named)]
    if resting:
        piles[resting[0]] = others
    elif others:
        raise BadPosition(f"{', '.join(others)}: in no place")
    well = top + piles["well"]
    state.table.well_count = len(well)
    for place, name in enumerate(reversed(well)):
        state.well[place] = NUMBERS[name]
    state.in_well = _mask(well)
    state.table.discard = _mask(piles["discard"])
    state.table.scored = _mask(piles["scored"])


def _text(pile: Any) -> str:
    return pile if isinstance(pile, str) else ""


def _cards(given: Any, where: str) -> list[str]:
    if not isinstance(given, list):
        raise BadPosition(f"{where} must be a list of cards")
    for name in given:
        if not isinstance(name, str) or name not in _WELL_NAMES:
            raise BadPosition(f"{name!r} in {where} is not a card of the Well")
    if len(set(given)) != len(given):
        raise BadPosition(f"{where} names a card twice")
    return list(given)


def _mask(given: list[str]) -> int:
    return sum(1 << NUMBERS[name] for name in given)
