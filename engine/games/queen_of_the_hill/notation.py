"""Queen of the Hill: positions, views, moves and events to and from JSON (section i of the rules page).

Cards are written as the ids of the deck in force; sets in the order of its kinds.
"""

from __future__ import annotations

from typing import Any

from engine.cards import NO_CARD
from engine.contract import NOBODY
from engine.errors import BadPosition, IllegalStep, listed
from engine.fields import an_object, is_whole, number, only
from engine.game import Options
from engine.games.queen_of_the_hill import bags, deck, plays, scoring, zones
from engine.games.queen_of_the_hill import rules as kernels
from engine.games.queen_of_the_hill import state as s

Json = dict[str, Any]

UNORDERED = frozenset({"discards", "drawn_known", "battle", "keep", "ready", "seen"})
CARD_FIELDS = frozenset({"card"})  # of moves

_POSITION_FIELDS = {
    "round", "starter", "active", "stage", "deck", "deck_top", "discards", "drawn", "drawn_known", "chain", "reply",
    "window", "hit", "dark",
}  # fmt: skip
_SEAT_FIELDS = {"battle", "keep", "ready", "draws", "busted", "bonus", "wins", "peek", "seen"}
_DARK_FIELDS = {"battle", "bonus", "wins", "due"}
_WINDOWS = (s.MID_WINDOW, s.END_WINDOW, s.TALLY)
_WITHOUT_ACTIVE = (s.TALLY, s.DISCARDING, s.OVER)
_ANY_BONUS = 10**6


def fill_rules(record: Any, options: Options, _players: int) -> None:
    """The deck's part of the rules record."""
    kinds = deck.content_of(options["deck"])["kind"]
    record.kinds = len(kinds)
    record.cards = sum(kind["count"] for kind in kinds)
    record.dark_ones = sum(1 << card for card, kind in enumerate(kinds) if kind["type"] == "dark_one")
    for card, kind in enumerate(kinds):
        record.copies[card] = kind["count"]
        record.points[card] = kind["points"]
        if "effect" in kind:
            record.effect[card] = 1 + deck.EFFECTS.index(kind["effect"])
            record.timing[card] = 1 + deck.TIMINGS.index(kind["timing"])
            record.amount[card] = kind.get("amount", 0)
            record.own_zone[card] = kind.get("target", "any") == "any"
    plays.prepare(record)


# ---------------------------------------------------------------- moves and events


def is_card(options: Options, name: str) -> bool:
    """Does a move name a card so?"""
    return name in deck.ids_of(options["deck"])


def write_move(_rules: Any, options: Options, _state: Any, code: int) -> Json:
    """A move code as JSON, without ``by``."""
    move: Json = {"move": s.MOVES[int(s.kind_of(code))]}
    card, target = int(s.card_of(code)), int(s.target_of(code))
    if card != NO_CARD:
        move["card"] = deck.ids_of(options["deck"])[card]
    if target != NOBODY:
        move["target"] = _party(target)
    return move


def write_event(_rules: Any, options: Options, state: Any, event: Any) -> Json:
    """An outcome of the pending chance event as a step."""
    ids = deck.ids_of(options["deck"])
    if int(state.table.hit_left) > 0:
        return {"chance": "hit", "card": ids[int(event[0])]}
    return {"chance": "reshuffle", "deck": [ids[int(card)] for card in event[: int(state.table.discard_count)]]}


def read_event(_rules: Any, options: Options, state: Any, step: Json, event: Any) -> None:
    """The outcome that a step names, into ``event``; raises IllegalStep if it is not a possible one."""
    table = state.table
    numbers = {name: card for card, name in enumerate(deck.ids_of(options["deck"]))}
    if int(table.hit_left) > 0:
        card = step.get("card")
        if step.get("chance") != "hit" or set(step) != {"chance", "card"}:
            raise IllegalStep("a hit is pending: it has the fields chance and card")
        if not isinstance(card, str) or card not in numbers:
            raise IllegalStep(f"{card!r} is not a card")
        if not _counts(state.zone[int(table.hit_of), int(table.hit_zone)])[numbers[card]]:
            raise IllegalStep(f"there is no {card} in the zone that is hit")
        event[0] = numbers[card]
        return
    cards = step.get("deck")
    if step.get("chance") != "reshuffle" or set(step) != {"chance", "deck"}:
        raise IllegalStep("a reshuffle is pending: it has the fields chance and deck")
    if not isinstance(cards, list) or any(not isinstance(card, str) or card not in numbers for card in cards):
        raise IllegalStep("the new deck must be a list of cards")
    found = [numbers[card] for card in cards]
    if [found.count(card) for card in range(s.KINDS)] != _counts(table.discards):
        raise IllegalStep("the new deck must be exactly the discards")
    event[: len(found)] = found


def write_result_extras(_rules: Any, _options: Options, state: Any, _common: Json) -> Json:
    """What a result of this game has beyond the common fields (section g)."""
    return {"rounds": int(state.table.round_number), "dark_wins": int(state.table.wins[s.DARK])}


# ---------------------------------------------------------------- positions and views out


def write_position(rules: Any, options: Options, state: Any) -> Json:
    """The full position."""
    ids = deck.ids_of(options["deck"])
    table = state.table
    players = int(rules.players)
    drawn = int(state.drawn)
    chain = _write_chain(rules, table, state, ids)
    position = _write_table(table, ids) | {
        "deck": [ids[int(card)] for card in state.deck[: int(table.deck_count)][::-1]],
        "drawn": None if drawn == NO_CARD else ids[drawn],
        "drawn_known": [seat for seat in range(players) if int(state.drawn_known) >> seat & 1],
        "chain": chain,
    }
    for seat in range(players):
        position[f"p{seat}"] = {
            name: _write_cards(state.zone[seat, zone], ids) for zone, name in enumerate(s.ZONE_NAMES)
        } | _write_counters(table, seat)
        mine = [int(state.seen[i]) for i in range(int(state.seen_count)) if int(state.seen_by[i]) >> seat & 1]
        position[f"p{seat}"]["seen"] = [_write_seen(place, ids) for place in sorted(mine)]
    position["dark"] = _write_dark(rules, table, _write_cards(state.zone[s.DARK, s.BATTLE], ids))
    return position


def write_view(rules: Any, options: Options, view: Any) -> Json:
    """What a seat may know."""
    ids = deck.ids_of(options["deck"])
    table = view.table
    me, drawn, known = int(view.seat), int(view.drawn), int(table.peek[int(view.seat)])
    top = [ids[int(card)] for card in view.top[:known]]
    position = _write_table(table, ids) | {
        "seat": me,
        "deck": top + ["??"] * (int(table.deck_count) - known),
        "drawn": {NO_CARD: None, s.HIDDEN: "??"}.get(drawn) if drawn < 0 else ids[drawn],
        "drawn_known": [me] if int(view.drawn_known) else [],
        "chain": _write_chain(rules, table, view, ids),
    }
    for seat in range(int(rules.players)):
        part = {name: _write_zone(view, seat, zone, ids) for zone, name in enumerate(s.ZONE_NAMES)}
        position[f"p{seat}"] = part | _write_counters(table, seat)
    places = [(party, zone) for party in range(s.PARTIES) for zone in range(s.ZONES)]
    position[f"p{me}"]["seen"] = [
        _write_seen(int(s.seen_code(*place, card)), ids)
        for place in places
        for card, copies in enumerate(_counts(view.known[place]))
        for _ in range(copies)
    ]
    position["dark"] = _write_dark(rules, table, _write_zone(view, s.DARK, s.BATTLE, ids))
    return position


def _write_table(table: Any, ids: list[str]) -> Json:
    stage, active, hit = int(table.stage), int(table.active), int(table.hit_left)
    return {
        "round": int(table.round_number),
        "starter": int(table.starter),
        "active": None if active == NOBODY else _party(active),
        "stage": s.STAGES[stage],
        "discards": _write_cards(table.discards, ids),
        "reply": _write_lap(table.reply_next, table.reply_left),
        "window": _write_lap(table.window_next, table.window_left),
        "hit": {"of": _party(int(table.hit_of)), "zone": s.ZONE_NAMES[int(table.hit_zone)], "left": hit}
        if hit
        else None,
    }


def _write_chain(_rules: Any, table: Any, record: Any, ids: list[str]) -> list[Json]:
    chain: list[Json] = [
        {"by": int(record.chain_by[i]), "card": ids[int(record.chain_card[i])]} for i in range(int(table.chain_count))
    ]
    if int(table.chain_target) != NOBODY:
        chain[0]["target"] = _party(int(table.chain_target))
    return chain


def _write_lap(seat: Any, left: Any) -> Json | None:
    return {"next": int(seat), "left": int(left)} if int(left) else None


def _write_counters(table: Any, seat: int) -> Json:
    return {
        "draws": int(table.draws[seat]),
        "busted": bool(table.busted[seat]),
        "bonus": int(table.bonus[seat]),
        "wins": int(table.wins[seat]),
        "peek": int(table.peek[seat]),
    }


def _write_dark(rules: Any, table: Any, battle: list[str]) -> Json | None:
    if not rules.dark_one_player:
        return None
    bonus, wins = int(table.bonus[s.DARK]), int(table.wins[s.DARK])
    return {"battle": battle, "bonus": bonus, "wins": wins, "due": int(table.due)}


def _counts(bag: Any) -> list[int]:
    """How many cards of each kind a bag holds."""
    return [int(bags.copies_in(bag[bags.word_of(card)], card)) for card in range(s.KINDS)]


def _write_cards(bag: Any, ids: list[str]) -> list[str]:
    return [name for name, copies in zip(ids, _counts(bag), strict=False) for _ in range(copies)]


def _write_zone(view: Any, party: int, zone: int, ids: list[str]) -> list[str]:
    """The cards of a zone as far as the view knows them, the others as ``??``."""
    bag = view.known[party, zone]
    if party == int(view.seat):
        bag = view.own[zone]
    elif zone == s.BATTLE and int(view.table.stage) == s.TALLY:
        bag = view.shown[party]
    known = _write_cards(bag, ids)
    return known + ["??"] * (int(view.table.held[party, zone]) - len(known))


def _write_seen(place: int, ids: list[str]) -> Json:
    zone, card = divmod(place, s.KINDS)
    return {"of": _party(zone // s.ZONES), "zone": s.ZONE_NAMES[zone % s.ZONES], "card": ids[card]}


def _party(party: int) -> Any:
    return "dark" if party == s.DARK else party


# ---------------------------------------------------------------- positions in


def read_position(rules: Any, options: Options, position: Json, state: Any) -> None:
    """Load a position into ``state`` and make the forced moves; raises BadPosition with the first thing wrong."""
    reader = _Reader(rules, deck.ids_of(options["deck"]))
    seats = range(int(rules.players))
    only(position, _POSITION_FIELDS | {f"p{seat}" for seat in seats}, "a position")
    zones.clear(state)
    table = state.table
    stage = position.get("stage", "turn")
    if not isinstance(stage, str) or stage not in s.STAGES:
        raise BadPosition(f"stage cannot be {stage!r}; allowed: {listed(s.STAGES)}")
    table.stage = s.STAGES.index(stage)
    table.round_number = number(position, "round", 1, 1, int(rules.round_cap))
    table.starter = reader.seat(position.get("starter", 0), "starter")
    table.active = reader.active(position, table)
    for seat in seats:
        reader.read_seat(position.get(f"p{seat}", {}), seat, state)
    reader.read_dark(position.get("dark", {} if rules.dark_one_player else None), state)
    reader.read_table(position, state)
    reader.read_seen(position, state)
    _check_stage(rules, state)
    _check_zones(rules, state)
    _check_knowledge(rules, state)
    _check_plays(rules, state, reader.ids)
    kernels.advance(rules, state)


class _Reader:
    """Reads the parts of a position and counts the cards that they name."""

    def __init__(self, rules: Any, ids: list[str]) -> None:
        self.rules = rules
        self.ids = ids
        self.numbers = {name: card for card, name in enumerate(ids)}
        self.left = [int(copies) for copies in rules.copies[: len(ids)]]

    def seat(self, value: Any, where: str) -> int:
        if not is_whole(value, 0, int(self.rules.players) - 1):
            raise BadPosition(f"{where} cannot be {value!r}; allowed: 0 to {int(self.rules.players) - 1}")
        return int(value)

    def party(self, value: Any, where: str) -> int:
        if value == "dark" and self.rules.dark_one_player:
            return s.DARK
        return self.seat(value, where)

    def active(self, position: Json, table: Any) -> int:
        stage = int(table.stage)
        if stage in _WITHOUT_ACTIVE:
            default: Any = None
        else:
            default = "dark" if stage == s.DARK_DRAWING else int(table.starter)
        active = position.get("active", default)
        return NOBODY if active is None else self.party(active, "active")

    def number_of(self, name: Any, where: str) -> int:
        """The number of a card."""
        if not isinstance(name, str) or name not in self.numbers:
            raise BadPosition(f"{name!r} in {where} is not a card")
        return self.numbers[name]

    def take(self, name: Any, where: str) -> int:
        """The number of a card that lies there; the deck has one copy less to give."""
        card = self.number_of(name, where)
        self.left[card] -= 1
        if self.left[card] < 0:
            raise BadPosition(f"there are more copies of {name} than the deck has, one of them in {where}")
        return card

    def take_list(self, names: Any, where: str) -> list[int]:
        if not isinstance(names, list):
            raise BadPosition(f"{where} must be a list of cards")
        return [self.take(name, where) for name in names]

    def take_zone(self, names: Any, party: int, zone: int, state: Any) -> None:
        for card in self.take_list(names, f"the {s.ZONE_NAMES[zone]} zone of {_named(party)}"):
            if party != s.DARK and int(self.rules.dark_ones) >> card & 1:
                raise BadPosition(f"a Dark One cannot lie in the {s.ZONE_NAMES[zone]} zone of seat {party}")
            zones.put_into(self.rules, state, party, zone, card)

    def read_seat(self, given: Any, seat: int, state: Any) -> None:
        where = f"p{seat}"
        only(given, _SEAT_FIELDS, where)
        table, rules = state.table, self.rules
        for zone, name in enumerate(s.ZONE_NAMES):
            self.take_zone(given.get(name, []), seat, zone, state)
        table.draws[seat] = number(given, "draws", 0, 0, int(rules.draw_cap))
        table.bonus[seat] = number(given, "bonus", 0, -_ANY_BONUS, _ANY_BONUS)
        table.wins[seat] = number(given, "wins", 0, 0, int(rules.rounds_to_win))
        table.peek[seat] = number(given, "peek", 0, 0, s.MOST_CARDS)
        table.peekers |= (int(table.peek[seat]) > 0) << seat
        busted = given.get("busted", False)
        if not isinstance(busted, bool):
            raise BadPosition(f"busted of seat {seat} must be true or false, not {busted!r}")
        table.busted[seat] = busted

    def read_dark(self, given: Any, state: Any) -> None:
        table, rules = state.table, self.rules
        if not rules.dark_one_player:
            if given is not None:
                raise BadPosition("dark must be null: the Dark One does not play")
            return
        only(given, _DARK_FIELDS, "dark")
        self.take_zone(given.get("battle", []), s.DARK, s.BATTLE, state)
        table.bonus[s.DARK] = number(given, "bonus", 0, -_ANY_BONUS, _ANY_BONUS)
        table.wins[s.DARK] = number(given, "wins", 0, 0, int(rules.rounds_to_win))
        table.due = number(given, "due", 0, 0, max(0, int(rules.draw_cap) + int(rules.dark_one_extra)))

    def read_table(self, position: Json, state: Any) -> None:
        """What lies on the table: discards, the drawn card, the chain, who is asked, and the deck, last of all."""
        table = state.table
        for card in self.take_list(position.get("discards", []), "the discards"):
            zones.discard(self.rules, state, card)
        drawn = position.get("drawn")
        state.drawn = NO_CARD if drawn is None else self.take(drawn, "drawn")
        known = position.get("drawn_known", [])
        if not isinstance(known, list):
            raise BadPosition("drawn_known must be a list of seats")
        seats = [self.seat(seat, "drawn_known") for seat in known]
        if len(set(seats)) != len(seats):
            raise BadPosition("drawn_known names a seat twice")
        state.drawn_known = sum(1 << seat for seat in seats)
        self.read_chain(position.get("chain", []), state)
        table.reply_next, table.reply_left = self.lap(position.get("reply"), "reply")
        table.window_next, table.window_left = self.lap(position.get("window"), "window")
        self.read_hit(position.get("hit"), table)
        self.read_deck(position, state)

    def read_chain(self, chain: Any, state: Any) -> None:
        if not isinstance(chain, list):
            raise BadPosition("the chain must be a list of plays")
        for place, play in enumerate(chain):
            only(play, {"by", "card", "target"}, "a play of the chain")
            if "by" not in play or "card" not in play:
                raise BadPosition("a play of the chain needs by and card")
            card = self.take(play["card"], "the chain")
            state.chain_by[place] = self.seat(play["by"], "by of a play of the chain")
            state.chain_card[place] = card
            if ("target" in play) != bool(plays.is_aimed(int(self.rules.effect[card]))):
                raise BadPosition(f"{play['card']} in the chain {'has no' if 'target' in play else 'needs a'} target")
            if "target" in play and not place:
                state.table.chain_target = self.party(play["target"], "the target of the chain")
        state.table.chain_count = len(chain)

    def lap(self, given: Any, where: str) -> tuple[int, int]:
        if given is None:
            return NOBODY, 0
        an_object(given, where)
        if set(given) != {"next", "left"}:
            raise BadPosition(f"{where} must have exactly the fields next and left")
        return self.seat(given["next"], f"next of {where}"), number(given, "left", 0, 1, int(self.rules.players))

    def read_hit(self, hit: Any, table: Any) -> None:
        if hit is None:
            return
        an_object(hit, "hit")
        if set(hit) != {"of", "zone", "left"}:
            raise BadPosition("hit must have exactly the fields of, zone and left")
        if hit["zone"] not in ("battle", "ready"):
            raise BadPosition(f"the zone of hit cannot be {hit['zone']!r}; allowed: battle, ready")
        table.hit_of = self.party(hit["of"], "of of hit")
        table.hit_zone = s.ZONE_NAMES.index(hit["zone"])
        table.hit_left = number(hit, "left", 0, 1, deck.MOST_AMOUNT)
        if int(table.hit_of) == s.DARK and int(table.hit_zone) != s.BATTLE:
            raise BadPosition("the Dark One has only a Battle Zone to hit")

    def read_deck(self, position: Json, state: Any) -> None:
        cards = self.take_list(position.get("deck_top", []), "deck_top")
        under = position.get("deck", "rest")
        if under == "rest":
            cards += [card for card, copies in enumerate(self.left) for _ in range(copies)]
        else:
            cards += self.take_list(under, "the deck")
        state.table.deck_count = len(cards)
        for place, card in enumerate(reversed(cards)):
            state.deck[place] = card

    def read_seen(self, position: Json, state: Any) -> None:
        """What the seats know of each other's zones: one row a card that somebody knows there."""
        counts: dict[int, list[int]] = {}
        for seat in range(int(self.rules.players)):
            seen = position.get(f"p{seat}", {}).get("seen", [])
            if not isinstance(seen, list):
                raise BadPosition(f"seen of seat {seat} must be a list")
            for entry in seen:
                where = f"seen of seat {seat}"
                an_object(entry, f"an entry of {where}")
                if set(entry) != {"of", "zone", "card"}:
                    raise BadPosition(f"an entry of {where} must have exactly the fields of, zone and card")
                party, card = self.party(entry["of"], f"of in {where}"), self.number_of(entry["card"], where)
                if entry["zone"] not in s.ZONE_NAMES:
                    raise BadPosition(f"zone in {where} cannot be {entry['zone']!r}; allowed: {listed(s.ZONE_NAMES)}")
                zone = s.ZONE_NAMES.index(entry["zone"])
                place = int(s.seen_code(party, zone, card))
                counts.setdefault(place, [0] * s.MOST_SEATS)[seat] += 1
                if party == seat:
                    raise BadPosition(f"{where} names an own card")
                if counts[place][seat] > _counts(state.zone[party, zone])[card]:
                    raise BadPosition(f"{where} names a {entry['card']} that is not there")
        for place, known in counts.items():
            for copy in range(max(known)):
                zones.see(state, place, sum(1 << seat for seat, number in enumerate(known) if number > copy))


def _check_stage(rules: Any, state: Any) -> None:
    """A stage must fit who is active, the drawn card, the deck and the window."""
    table = state.table
    stage, active, drawn = int(table.stage), int(table.active), int(state.drawn)
    name = s.STAGES[stage]
    if (active == NOBODY) != (stage in _WITHOUT_ACTIVE):
        raise BadPosition(f"stage {name} needs {'no' if stage in _WITHOUT_ACTIVE else 'an'} active seat")
    if (active == s.DARK and stage not in (s.DARK_DRAWING, s.END_WINDOW)) or (
        stage == s.DARK_DRAWING and active != s.DARK
    ):
        raise BadPosition(f"active cannot be {_party(active)!r} at stage {name}")
    if stage == s.DRAWING and (int(table.deck_count) or not plays.can_draw(rules, state)):
        raise BadPosition("stage draw needs an empty deck and a draw that is still possible")
    is_dark_one = drawn != NO_CARD and bool(int(rules.dark_ones) >> drawn & 1)
    if stage == s.PLACING and (drawn == NO_CARD or is_dark_one):
        raise BadPosition("stage place needs a drawn card that is not a Dark One")
    if stage == s.ESCAPING and not is_dark_one:
        raise BadPosition("stage escape needs a Dark One as drawn card")
    if drawn != NO_CARD and stage not in (s.PLACING, s.ESCAPING):
        raise BadPosition(f"no card can be drawn at stage {name}")
    if bool(int(table.window_left)) != (stage in _WINDOWS):
        raise BadPosition(f"stage {name} needs {'a' if stage in _WINDOWS else 'no'} window")
    if stage == s.MID_WINDOW:
        if int(rules.windows) != s.EACH_DRAW:
            raise BadPosition("there is no mid_window under these rules")
        if int(table.window_next) == active or int(table.window_left) >= int(rules.players):
            raise BadPosition("the active seat cannot be asked in a mid_window")
    won = [party for party in range(s.PARTIES) if int(table.wins[party]) == int(rules.rounds_to_win)]
    if stage != s.OVER and won:
        raise BadPosition(f"the match is already won by {_named(won[0])}, so the stage must be over")
    if stage == s.OVER and (len(won) > 1 or int(scoring.end_reason(rules, state)) == NOBODY):
        raise BadPosition("the match cannot be over: one party must have won, or the rounds be used up")


def _check_zones(rules: Any, state: Any) -> None:
    table = state.table
    stage = int(table.stage)
    for seat in range(int(rules.players)):
        kept, ready = int(table.held[seat, s.KEPT]), int(table.held[seat, s.READY])
        if kept > int(rules.keep_limit):
            raise BadPosition(f"seat {seat} has kept {kept} cards; allowed: at most {int(rules.keep_limit)}")
        if stage == s.DISCARDING and kept:
            raise BadPosition(f"at stage discard the Keep Zone of seat {seat} must be empty")
        if stage != s.DISCARDING and ready > int(rules.ready_limit):
            raise BadPosition(f"seat {seat} has {ready} ready cards; allowed: at most {int(rules.ready_limit)}")
    if int(table.due) and stage != s.DARK_DRAWING:
        raise BadPosition("due must be 0 except at stage dark_draw")
    if stage in (s.DISCARDING, s.OVER):
        battle = sum(int(size) for size in table.held[:, s.BATTLE])
        if battle or any(int(n) for counts in (table.bonus, table.draws, table.busted) for n in counts):
            raise BadPosition(f"at stage {s.STAGES[stage]} the last round must be cleared away")


def _check_knowledge(rules: Any, state: Any) -> None:
    table = state.table
    known = int(state.drawn_known)
    if known and int(table.stage) != s.PLACING:
        raise BadPosition("drawn_known must be empty except at stage place")
    if known and known >> int(table.active) & 1:
        raise BadPosition("drawn_known must not name the active seat")
    for seat in range(int(rules.players)):
        if int(table.peek[seat]) > int(table.deck_count):
            raise BadPosition(f"seat {seat} cannot know {int(table.peek[seat])} of {int(table.deck_count)} cards")


def _check_plays(rules: Any, state: Any, ids: list[str]) -> None:
    """A hit, the chain and the reply must fit each other, the stage, and what may be played there."""
    table = state.table
    stage, count = int(table.stage), int(table.chain_count)
    name = s.STAGES[stage]
    if int(table.hit_left):
        if count or not rules.abilities:
            raise BadPosition("a hit cannot be pending with a chain, or without abilities")
        if stage != s.TURN and stage not in _WINDOWS:
            raise BadPosition(f"a hit cannot be pending at stage {name}")
    if bool(count) != bool(int(table.reply_left)):
        raise BadPosition("chain and reply must be given together")
    if not count:
        return
    first, active = int(state.chain_by[0]), int(table.active)
    if stage not in (s.TURN, s.ESCAPING) and stage not in _WINDOWS:
        raise BadPosition(f"nothing can be played at stage {name}")
    if stage in (s.TURN, s.ESCAPING) and first != active:
        raise BadPosition(f"only the active seat plays at stage {name}")
    if stage == s.MID_WINDOW and first == active:
        raise BadPosition("the active seat cannot play in a mid_window")
    for place in range(count):
        seat, card = int(state.chain_by[place]), int(state.chain_card[place])
        is_active = int(seat == active)
        fitting = int(rules.cancels[is_active, stage])
        if not place:
            fitting = int(rules.escapes) if stage == s.ESCAPING else int(rules.proactive[is_active, stage])
        elif seat == int(state.chain_by[place - 1]):
            raise BadPosition(f"seat {seat} cannot answer its own card in the chain")
        if not fitting >> card & 1:
            raise BadPosition(f"{ids[card]} cannot be at this place of the chain at stage {name}")
    _check_target(rules, state, ids)
    answers = [(int(state.chain_by[count - 1]) + place) % int(rules.players) for place in range(1, int(rules.players))]
    left = int(table.reply_left)
    if left > len(answers) or int(table.reply_next) != answers[-left]:
        raise BadPosition("this reply does not fit the chain")


def _check_target(rules: Any, state: Any, ids: list[str]) -> None:
    card, target = int(state.chain_card[0]), int(state.table.chain_target)
    if target == NOBODY:
        return
    effect = int(rules.effect[card])
    if effect == s.DISCARD_READY and target == s.DARK:
        raise BadPosition(f"{ids[card]} cannot be aimed at the Dark One")
    may_hit_own = effect == s.DISCARD_BATTLE and bool(rules.own_zone[card])
    if target == int(state.chain_by[0]) and not may_hit_own:
        raise BadPosition(f"{ids[card]} cannot be aimed at its own player")


def _named(party: int) -> str:
    return "the Dark One" if party == s.DARK else f"seat {party}"
