"""Playing: a person in any seats, bots in the others. The address of the page is the match so far."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from bots import registry as bots
from engine import registry
from engine.errors import HilltopError, UsageError
from engine.rng import MAX_SEED
from service.api import Name, known_game
from service.cards import Wrap, drawn, links
from service.frame import main, page, rule_field, text_field
from tournament.interactive import MOST_CHOICES, PERSON, Interactive, Table, said, table_of
from tournament.page.layout import Html, tag
from tournament.scenes.scene import Card, Zone, move_words, of_card, scene, step_words

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
KEPT = 64  # matches in memory: others are played again from their address
MOST_PLAYOUTS = 1000

Moves = Annotated[str, Query(max_length=4 * MOST_CHOICES)]
Text = Annotated[str | None, Query(max_length=300)]


class Interactives:
    """Matches that were looked at lately, by table and choices: the next choice goes on from there."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Interactive] = OrderedDict()
        self.lock = threading.Lock()

    def at(self, key: str, table: Table, choices: list[int]) -> Interactive:
        """The playing after these choices; hold the lock while it is looked at."""
        found = self._kept.pop(_name(key, choices), None)
        if found is None and choices and (found := self._kept.pop(_name(key, choices[:-1]), None)):
            found.choose(choices[-1])
        found = found or Interactive(table, choices)
        self._kept[_name(key, choices)] = found
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found


def _name(key: str, choices: list[int]) -> str:
    return f"{key} {choices}"


_matches = Interactives()


@router.get("/play")
def which() -> str:
    """Which game?"""
    games = [
        tag("li", tag("a", registry.game(name).title, href=f"/play/{name}"), f": {registry.game(name).idea}")
        for name in registry.GAMES
    ]
    return page("Play", main(tag("h1", "Play"), tag("ul", *games)), "/play")


@router.get("/play/{name}")
def play(
    request: Request, name: Name, moves: Annotated[str, Query(max_length=4 * MOST_CHOICES)] = "", hint: Text = None
) -> Response:
    """The table at which one sits, or the form that lays it."""
    game = known_game(name)
    asked = {key: value for key, value in request.query_params.items() if key not in ("moves", "hint")}
    if "p0" not in asked:
        return HTMLResponse(_form(game, asked))
    try:
        table = _table(game, asked)
        with _matches.lock:  # the kernels of a playing must not run twice at once
            playing = _matches.at(json.dumps([name, asked], sort_keys=True), table, _choices(moves))
            advice = _advice(playing, _bot(game.id, hint)) if hint and playing.seat is not None else ""
            return HTMLResponse(_page(game, asked, playing, advice))
    except HilltopError as error:
        return HTMLResponse(_form(game, asked, tag("p", str(error), class_="notice", role="alert")), 400)


def _advice(playing: Interactive, bot: Any) -> str:
    assert playing.seat is not None
    game = playing.table.game.id
    return f"{bot.label}: {move_words(game, playing.match.view(playing.seat), playing.advice(bot))}"


@router.get("/play/{name}/trace")
def trace(request: Request, name: Name, moves: Moves = "") -> Response:
    """The match so far as a file."""
    game = known_game(name)
    asked = {key: value for key, value in request.query_params.items() if key != "moves"}
    playing = Interactive(_table(game, asked), _choices(moves))
    head = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return Response(json.dumps(playing.trace()), media_type="application/json", headers=head)


def _choices(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(".") if part]
    except ValueError:
        raise UsageError("the moves in this address are not numbers; begin a new match") from None


def _table(game: Any, asked: dict[str, str]) -> Table:
    """The table that an address describes; raises UsageError for the first thing that is wrong."""
    count = sum(1 for seat in range(max(game.seats)) if asked.get(f"p{seat}", "none") != "none")
    seats = [asked.get(f"p{seat}", "none") for seat in range(count)]
    if "none" in seats:
        raise UsageError("the seats must be taken from seat 0 on")
    taken = [None if one == PERSON else _bot(game.id, one) for one in seats]
    rules = {
        key.removeprefix("rule-"): game.option(key.removeprefix("rule-")).from_text(value)
        for key, value in asked.items()
        if key.startswith("rule-") and value.strip()
    }
    return table_of(
        game,
        asked.get("variant", "standard"),
        rules,
        taken,
        _whole(asked, "seed", MAX_SEED),
        _whole(asked, "deal", 10**9),
    )


def _whole(asked: dict[str, str], name: str, most: int) -> int:
    from cli.arguments import whole

    return whole(asked.get(name) or "0", name, 0, most)


def _bot(game: str, spec: str) -> Any:
    """A bot that one may play against here: no file, and no search that thinks for minutes."""
    if ".py" in spec:
        raise UsageError("bots from files cannot be played against here; use 'hilltop play'")
    found = bots.field(game, spec)
    if len(found) != 1:
        raise UsageError("name one bot a seat")
    for parameter, value in zip(found[0].bot.parameters, found[0].values, strict=False):
        if parameter.name == "playouts" and value > MOST_PLAYOUTS:
            raise UsageError(f"playouts cannot be {value:g} here; allowed: up to {MOST_PLAYOUTS}")
    return found[0]


def _page(game: Any, asked: dict[str, str], playing: Interactive, hint: str) -> str:
    names = playing.table.names
    seat = playing.seat

    def to(choices: list[int], **more: str) -> str:
        moves = ".".join(map(str, choices))
        return f"/play/{game.id}?{urlencode({**asked, 'moves': moves, **more})}"

    def start(**more: Any) -> str:
        return f"/play/{game.id}?{urlencode({**asked, **more})}"

    people = [number for number, bot in enumerate(playing.table.seats) if bot is None]
    watch = seat if seat is not None else people[0] if len(people) == 1 else None
    shown = playing.match.position() if watch is None or seat is None else playing.match.view(watch)
    legal = playing.moves if seat is not None else []
    on_cards: dict[str, list[tuple[str, str]]] = {}
    others: list[tuple[str, str]] = []
    for number, move in enumerate(legal):
        entry = move_words(game.id, shown, move), to([*playing.choices, number])
        card = of_card(move)
        (on_cards.setdefault(card, []) if card else others).append(entry)
    laid = scene(game.id, shown, names)
    hand = {card.name for zone in laid.zones if _is_hand(zone, seat) for card in zone.cards}
    for card in [card for card in on_cards if card not in hand]:
        others += on_cards.pop(card)

    def wrap(zone: Zone) -> Wrap | None:
        if not _is_hand(zone, seat):
            return None
        return lambda card, svg: _pressed(card, svg, on_cards.get(card.name, []))

    story = [tag("li", step_words(step, names)) for step in playing.steps[playing.asked :]]
    result = playing.match.result()
    told = said(result, names) if result else f"{names[seat or 0]} to move." if len(people) > 1 else "Your move."
    deal = playing.table.deal
    adviser = next((bot for bot in playing.table.seats if bot), None)
    best = adviser.spec if adviser else bots.names(game.id)[-1]
    kept = f"/play/{game.id}/trace?{urlencode({**asked, 'moves': '.'.join(map(str, playing.choices))})}"
    tools = [
        ("Take back", to(playing.choices[:-1]) if playing.choices else ""),
        ("Hint", to(playing.choices, hint=best) if seat is not None else ""),
        ("New deal", start(deal=deal + 1)),
        ("Other players or rules", f"/play/{game.id}"),
    ]
    pressed = [tag("a", text, href=there, class_="press") for text, there in tools if there]
    pressed.append(tag("a", "Keep this match", href=kept, class_="press", download=f"{game.id}.json"))
    body = main(
        tag("h1", game.title),
        tag("p", told, class_="state", role="status"),
        tag("p", hint, class_="notice") if hint else "",
        tag("section", tag("h3", "Since your last move"), tag("ol", *story, class_="story")) if story else "",
        drawn(laid, wrap),
        links("Moves without a card" if on_cards else "Moves", others) if others else "",
        tag("nav", *pressed, class_="steps", aria_label="This match"),
        _notes(game, playing),
    )
    return page(f"Play {game.title}", body, "/play")


def _is_hand(zone: Zone, seat: int | None) -> bool:
    return seat is not None and zone.seat == seat and zone.title.startswith("Hand")


def _pressed(card: Card, svg: Html, moves: list[tuple[str, str]]) -> Html:
    """A card to press: at once if it has one use, else it opens the list of them."""
    if not moves:
        return svg
    if len(moves) == 1:
        return tag("a", svg, tag("span", moves[0][0], class_="use"), href=moves[0][1], class_="press card")
    uses = tag("ul", *(tag("li", tag("a", text, href=to, class_="press")) for text, to in moves), class_="moves")
    return tag("details", tag("summary", svg, tag("span", f"{len(moves)} uses", class_="use")), uses, class_="uses")


def _notes(game: Any, playing: Interactive) -> Html:
    table = playing.table
    told = f"{table.variant}, seed {table.seed}, deal {table.deal}; the address of this page is the match."
    return tag("p", told, class_="soft")


def _form(game: Any, asked: dict[str, str], trouble: Any = "") -> str:
    from bots.search import SEARCHES

    names = [PERSON, *bots.names(game.id), *(f"{one}(playouts=100)" for one in SEARCHES)]
    seats = []
    best = bots.names(game.id)[-1]
    for seat in range(max(game.seats)):
        allowed = [*names, *(["none"] if seat >= min(game.seats) else [])]
        default = PERSON if seat == 0 else best if seat < game.default_seats else "none"
        chosen = asked.get(f"p{seat}", default)
        choices = [tag("option", one, value=one, selected="selected" if one == chosen else None) for one in allowed]
        seats.append(
            tag("label", tag("span", f"Seat {seat}"), tag("select", *choices, name=f"p{seat}"), class_="field")
        )
    variants = [
        tag("option", one, value=one, selected="selected" if one == asked.get("variant") else None)
        for one in game.variants
    ]
    options = [rule_field(option, asked.get(f"rule-{option.name}", "")) for option in game.options]
    form = tag(
        "form",
        tag("fieldset", tag("legend", "Who plays"), *seats),
        tag("label", tag("span", "Variant"), tag("select", *variants, name="variant"), class_="field"),
        text_field("seed", "Seed", asked.get("seed", "0"), "the same seed deals the same cards"),
        tag("details", tag("summary", "Rule options over the variant"), *options),
        tag("p", tag("button", "Deal", type="submit", class_="main")),
        method="get",
        action=f"/play/{game.id}",
    )
    return page(f"Play {game.title}", main(tag("h1", f"Play {game.title}"), trouble, form), "/play")
