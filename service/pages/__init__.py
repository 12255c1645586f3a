"""Pages for people. Each says what a command would, from the same tables."""

from fastapi import APIRouter

from service.pages import games, leaderboards, matches, new, play, runs, sign_in

router = APIRouter()
for module in (leaderboards, matches, runs, new, play, games, sign_in):
    router.include_router(module.router)
