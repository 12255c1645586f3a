"""Signing in with a token."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.api import service_of
from service.ask import Refused
from service.frame import main, page
from service.safety import cookie, same
from tournament.page.layout import tag

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/sign-in")
def sign_in() -> str:
    """Where a browser gives its token."""
    form = tag(
        "form",
        tag(
            "label",
            tag("span", "Token"),
            tag("input", type="password", name="token", required="required", autocomplete="off"),
            class_="field",
        ),
        tag("p", tag("button", "Sign in", type="submit", class_="main")),
        method="post",
        action="/sign-in",
    )
    return page("Sign in", main(tag("h1", "Sign in"), form))


@router.post("/sign-in")
async def signed_in(request: Request) -> Response:
    """A session for whoever knows a token."""
    given = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=5).get("token", [""])[0]
    settings = service_of(request).settings
    writes = settings.token is not None and same(given, settings.token)
    if not writes and not (settings.read_token is not None and same(given, settings.read_token)):
        raise Refused("this is not the service's token", 401)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(**cookie(request.app.state.sessions.begin(writes), request.url.scheme == "https"))
    return answer
