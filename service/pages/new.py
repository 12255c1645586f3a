"""The form for a new run or study."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from engine.errors import HilltopError, listed
from service import ask
from service.api import client_of, known_game, service_of
from service.ask import NewRun
from service.frame import duration, main, page, rule_field, table, text_field
from tournament.page.layout import Html, join, tag

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/new")
def new(request: Request, game: Annotated[str | None, Query(max_length=100)] = None) -> str:
    """The form for a run or a study; first of all, of which game."""
    from engine import registry

    if game is None:
        games = [
            tag("li", tag("a", registry.game(name).title, href=f"/new?game={name}"), f": {registry.game(name).idea}")
            for name in registry.GAMES
        ]
        return page("New run", main(tag("h1", "New run"), tag("p", "Of which game?"), tag("ul", *games)), "/new")
    return _form(known_game(game), {})


@router.post("/new")
async def asked(request: Request) -> Response:
    """Show what was asked for as a plan, or begin it."""
    given = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=500)
    game = known_game(given.get("game", [""])[0])
    service = service_of(request)
    try:
        wanted = _wanted(game, given)
        if given.get("do", ["check"])[0] == "start":
            run, _ = ask.create(wanted, client_of(request), service.desk, service.settings)
            service.player.wake()
            return RedirectResponse(f"/runs/{run.id}", 303)
        said = _plan(ask.plan_of(wanted, service.settings))
    except HilltopError as error:
        return HTMLResponse(_form(game, given, tag("p", str(error), class_="notice", role="alert")), 400)
    return HTMLResponse(_form(game, given, said))


def _wanted(game: Any, given: dict[str, list[str]]) -> NewRun:
    """What the fields of the form ask for; raises UsageError."""
    from cli.arguments import whole
    from engine.rng import MAX_SEED
    from tournament.plan import MAX_MATCHES

    def one(name: str, otherwise: str) -> str:
        return (given.get(name, [""])[0] or otherwise).strip()

    rules = {
        option.name: given[f"rule-{option.name}"][0].strip()
        for option in game.options
        if given.get(f"rule-{option.name}", [""])[0].strip()
    }
    bots = [*given.get("bot", []), *filter(None, (line.strip() for line in one("more", "").splitlines()))]
    study = one("kind", "run") == "study"
    return NewRun(
        game=game.id,
        bots=bots or None,
        variants=given.get("variant") or ["standard"],
        rules=rules,
        players=whole(one("players", str(game.default_seats)), "seats", 1, 6),
        matches=whole(one("matches", "10_000"), "matches", 1, MAX_MATCHES),
        seed=whole(one("seed", "0"), "seed", 0, MAX_SEED),
        telemetry=study,
        key=one("key", "") or None,
    )


def _plan(plan: Any) -> Html:
    """What would be played, about how long it takes, and the command that does the same."""
    from cli.tables import plan_table
    from tournament.rerun import command

    seconds = plan.matches / plan.game.block * 0.5
    again = command(plan)
    return tag(
        "section",
        table(plan_table(plan)),
        tag("p", f"About {duration(seconds)} on one core with scripted bots; bots that search take much longer."),
        tag("pre", tag("code", again)) if again else "",
        class_="notice",
        role="status",
    )


def _form(game: Any, given: dict[str, list[str]], said: Any = "") -> str:
    from bots import registry
    from bots.search import SEARCHES

    def one(name: str, otherwise: str = "") -> str:
        return given.get(name, [otherwise])[0]

    def box(name: str, value: str, text: Any, otherwise: bool, kind: str = "checkbox") -> Html:
        on = value in given[name] if name in given else otherwise and (not given or kind == "radio")
        field = tag("input", type=kind, name=name, value=value, checked="checked" if on else None)
        return tag("label", field, " ", text, class_="box")

    def button(text: str, does: str, kind: str | None = None) -> Html:
        return tag("button", text, name="do", value=does, type="submit", class_=kind)

    variants = [box("variant", name, name, name == "standard") for name in game.variants]
    names = registry.names(game.id)
    shown = [box("bot", name, join([name, tag("small", registry.bot(game.id, name).idea)]), True) for name in names]
    options = [rule_field(option, one(f"rule-{option.name}")) for option in game.options]
    changed = any(one(f"rule-{option.name}") for option in game.options)
    more = tag(
        "label",
        tag("span", "More bots, one a line"),
        tag(
            "textarea",
            one("more"),
            name="more",
            rows="3",
            placeholder=f"{names[-1]}(never=...)  {SEARCHES[0]}(playouts=100)",
        ),
        class_="field",
    )
    title = f"New run of {game.title}"
    form = tag(
        "form",
        tag("input", type="hidden", name="game", value=game.id),
        tag(
            "fieldset",
            tag("legend", "What for"),
            box("kind", "run", "A tournament: who is strongest?", True, "radio"),
            box("kind", "study", "A balance study: is it fair, what decides, which pieces tell?", False, "radio"),
        ),
        tag("fieldset", tag("legend", "Variants, on the same deals"), *variants),
        tag("fieldset", tag("legend", "Bots"), *shown, more),
        tag(
            "fieldset",
            tag("legend", "How much"),
            text_field("matches", "Matches", one("matches", "10_000"), "1000, 1_000_000 or 1e6"),
            text_field("seed", "Seed", one("seed", "0"), "the same seed gives the same matches"),
            text_field("players", "Seats", one("players", str(game.default_seats)), f"allowed: {listed(game.seats)}"),
        ),
        tag("details", tag("summary", "Rule options over the variants"), *options, open="open" if changed else None),
        tag("p", button("Show what would be played", "check"), " ", button("Start", "start", "main")),
        method="post",
        action="/new",
    )
    return page(title, main(tag("h1", title), said, form), "/new")
