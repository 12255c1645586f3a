"""``hilltop runs``: what is stored."""

from __future__ import annotations

from cli.arguments import DatabaseOption, FormatOption, readable
from cli.output import Column, Format, Table, number, print_tables


def command(db: DatabaseOption = None, form: FormatOption = Format.table) -> None:
    """List the stored runs, oldest first."""
    from storage.store import reading

    path = readable(db)
    with reading(path) as store:
        paces, excluded = store.paces(), store.excluded()
        rows = [
            {
                "run": run.id,
                "game": run.game,
                "variant": " ".join(variant["name"] for variant in run.settings["variants"]),
                "seats": run.settings["players"],
                "bots": len(run.settings["bots"]),
                "seed": run.settings["seed"],
                "stored": run.done,
                "matches": run.matches,
                "state": "complete" if run.complete else "playing" if run.number in paces else "unfinished",
                "rate": None if run.complete else paces.get(run.number),
                "left_out": excluded[run.number][0] if run.number in excluded else None,
                "created": f"{run.created.isoformat()}Z",
                "version": run.version,
            }
            for run in store.runs()
        ]
    columns = [
        Column("run"),
        Column("game"),
        Column("variant"),
        Column("seats", right=True),
        Column("bots", right=True),
        Column("seed", right=True),
        Column("stored", show=number(), right=True),
        Column("matches", show=number(), right=True),
        Column("state"),
        Column("rate", "matches/s", number(), right=True),
        Column("left_out"),
        Column("created", "created (UTC)", lambda moment: moment.rstrip("Z").replace("T", " ")),
        Column("version"),
    ]
    print_tables([Table(f"Runs in {path}", columns, rows)], form)
