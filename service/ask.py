"""What clients may ask to be played, checked: the same plans, limits and sentences as on the command line."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import HilltopError, UsageError
from service.desk import Desk
from service.settings import Settings
from storage.jobs import PLAYING, STOPPED, WAITING, Jobs
from storage.store import StoredRun
from tournament import run as runner
from tournament.plan import Plan, plan_variants

LONGEST_TEXT = 2000


class Refused(HilltopError):
    """What cannot be done now, or by this client; ``status`` is HTTP's."""

    def __init__(self, text: str, status: int = 409) -> None:
        super().__init__(text)
        self.status = status


class NewRun(BaseModel):
    """A run to be played, as ``hilltop run`` or, with ``telemetry`` and several variants, ``hilltop balance`` would."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[str, Field(max_length=100, description="What to play: an id of /api/v1/games.")]
    bots: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]] | None,
        Field(
            max_length=200, description="Bots, with parameters as on the command line; all of the game's if left out."
        ),
    ] = None
    variants: Annotated[
        list[Annotated[str, Field(max_length=100)]],
        Field(min_length=1, max_length=100, description="Named sets of rule options, compared on the same deals."),
    ] = ["standard"]
    rules: Annotated[
        dict[str, Any], Field(max_length=100, description="Rule options over every variant, by their names.")
    ] = {}
    players: Annotated[int | None, Field(description="Seats, where a game allows several.")] = None
    matches: Annotated[int, Field(description="In all; rounded up to whole boards of the last set of bots.")] = 10_000
    seed: Annotated[int, Field(description="The same seed gives the same matches.")] = 0
    telemetry: Annotated[bool, Field(description="Count what happens inside matches, too.")] = False
    keep: Annotated[str, Field(pattern="^(matches|tallies)$", description="Every match, or tallies alone.")] = "matches"
    key: Annotated[
        str | None,
        Field(
            min_length=1, max_length=200, description="Your name for this request: sent again, it starts no second run."
        ),
    ] = None


def plan_of(asked: NewRun, settings: Settings) -> Plan:
    """The plan that a request stands for; raises UsageError with the first thing that is wrong with it."""
    if asked.matches > settings.max_matches:
        raise UsageError(f"matches cannot be {asked.matches}; this service allows 1 to {settings.max_matches}")
    bots = "all" if asked.bots is None else ",".join(asked.bots)
    if not settings.allow_code and ".py" in bots:
        raise UsageError("this service plays no bots from files; it was started without --allow-code")
    from engine import registry

    game = registry.game(asked.game)
    own = {name: _value(game, name, value) for name, value in asked.rules.items()}
    return plan_variants(
        asked.game,
        bots,
        [(name, own) for name in asked.variants],
        asked.players,
        asked.matches,
        asked.seed,
        asked.telemetry,
    )


def _value(game: Any, name: str, value: Any) -> Any:
    """A rule option's value, written as JSON or as on the command line."""
    option = game.option(name)
    return option.from_text(value) if isinstance(value, str) else option.check(value)


def create(asked: NewRun, client: str, desk: Desk, settings: Settings) -> tuple[StoredRun, bool]:
    """Store a run and put it in the queue; the run, and whether it is new (it is not if its key was used before)."""
    plan = plan_of(asked, settings)
    with desk.writing() as store:
        jobs = Jobs(store)
        queue = jobs.all()
        runs = {run.number: run for run in store.runs()}
        for job in queue:
            if asked.key is not None and (job.client, job.key) == (client, asked.key):
                if runs[job.run].settings != plan.settings:
                    raise Refused(f"the key '{asked.key}' was used for another run; give each request its own")
                return runs[job.run], False
        waiting = [job for job in queue if job.state in (WAITING, PLAYING)]
        if len(waiting) >= settings.max_waiting:
            raise Refused(f"{len(waiting)} runs wait already; try again when some of them are played", 503)
        studies = [job for job in waiting if job.client == client and runs[job.run].settings.get("telemetry")]
        if asked.telemetry and studies:
            raise Refused(
                f"run {runs[studies[0].run].id} counts inside matches too; one such study a client at a time", 429
            )
        run = runner.start(plan, store, asked.keep == runner.MATCHES)
        jobs.add(run.number, client, asked.key)
        return run, True


def stop(name: str, desk: Desk) -> StoredRun:
    """A run of the queue is not to be played on; raises Refused if it is none."""
    with desk.writing() as store:
        run = store.run(name)
        job = Jobs(store).of(run.number)
        if run.complete:
            raise Refused(f"run {run.id} is complete")
        if job is None:
            raise Refused(f"run {run.id} is not played by this service")
        if job.state in (WAITING, PLAYING):
            Jobs(store).change(run.number, STOPPED)
    return run


def resume(name: str, client: str, desk: Desk) -> StoredRun:
    """Put a run that is not complete into the queue again."""
    with desk.writing() as store:
        run = store.run(name)
        jobs = Jobs(store)
        job = jobs.of(run.number)
        if run.complete:
            raise Refused(f"run {run.id} is complete")
        if job is None:
            if run.number in store.paces():
                raise Refused(f"run {run.id} is being played by another program")
            jobs.add(run.number, client, None)
        elif job.state not in (WAITING, PLAYING):
            jobs.change(run.number, WAITING)
    return run
