"""Answers about runs: the tables of the command line and their JSON, kept while a run holds as many matches."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from cli.output import Row, Table, document
from service.ask import Refused
from service.desk import Desk
from storage.store import StoredRun

Json = Any


@dataclass(frozen=True)
class Answer:
    """Tables for people, and the same for programs."""

    tables: Sequence[Table]
    document: Json


def _stamp(runs: Sequence[StoredRun]) -> Hashable:
    return tuple((run.number, run.done) for run in runs)


def standings(desk: Desk, run: StoredRun) -> Answer:
    """What ``hilltop show`` says of a run."""

    def make() -> Answer:
        from cli.show import tables_of

        tables, facts = tables_of(desk.load(run))
        return Answer(tables, document(tables, facts))

    return desk.kept(("standings", run.number), _stamp([run]), make)


def leaderboard(desk: Desk, runs: Sequence[StoredRun], method: str) -> Answer:
    """What ``hilltop rate`` says of runs of one game."""

    def make() -> Answer:
        from cli.tables import boards
        from hilltop.api import leaderboard

        tables, facts = boards(leaderboard([desk.load(run) for run in runs], method))
        return Answer(tables, document(tables, facts))

    return desk.kept(("rate", method, tuple(run.number for run in runs)), _stamp(runs), make)


def matrix(desk: Desk, run: StoredRun) -> Answer:
    """What ``hilltop matrix`` says of a run."""

    def make() -> Answer:
        from cli.matrix import tables_of

        found = desk.load(run)
        return Answer(tables_of(found, squares=True)[0], document(*tables_of(found, squares=False)))

    return desk.kept(("matrix", run.number), _stamp([run]), make)


def balance(desk: Desk, run: StoredRun) -> Answer:
    """What ``hilltop balance`` says of a run."""

    def make() -> Answer:
        from cli.balance_tables import facts, tables

        found = desk.judged(run)
        return Answer(tables(found, True), document(tables(found, False), facts(found)))

    return desk.kept(("balance", run.number), _stamp([run]), make)


def report(desk: Desk, run: StoredRun) -> str:
    """The page that ``hilltop report`` writes."""

    def make() -> str:
        from tournament.page.report import Part, page

        return page([Part.of(desk.judged(run))])

    return desk.kept(("report", run.number), _stamp([run]), make)


def trace(desk: Desk, run: StoredRun, number: int) -> Row:
    """A stored match, played again, with the position after each step; raises Refused (404) if there is none."""

    def make() -> Row:
        from tournament import again
        from tournament.run import resume
        from tournament.trace import replay

        with desk.reading() as store:
            stored = store.run(run.id)
            plan = resume(store, stored)
            row = again.row(plan, store, stored, number)
        return replay(plan, stored, row, number, positions=True)

    if not 0 <= number < run.done:
        raise Refused(str(run.missing(number)), 404)
    return desk.kept(("trace", run.number, number), 0, make)
