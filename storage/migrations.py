"""The database schema, as numbered steps from nothing to today's version (see ``docs/schema.md``).

Never change a step that has been released: add the next one.
"""

from __future__ import annotations

# One row a seat and match, for people who ask in SQL.
_SEATS = """CREATE VIEW seats AS
    SELECT runs.id AS run, runs.game, results.match, results.match // runs.lineups AS deal,
           lineups.lineup, lineups.variant, place.seat AS seat, entrants.bot,
           CASE WHEN reason >= 0 THEN (results.ranks // (10 ** place.seat)::BIGINT) % 10 END AS rank,
           [score0, score1, score2, score3, score4, score5][place.seat + 1] AS score,
           results.reason, results.plies
    FROM results JOIN runs USING (run)
    JOIN lineups ON lineups.run = results.run AND lineups.lineup = results.match % runs.lineups
    JOIN (SELECT unnest(range(6)) AS seat) AS place ON place.seat < len(lineups.entrants)
    JOIN entrants ON entrants.run = results.run AND entrants.entrant = lineups.entrants[place.seat + 1]"""

_SCORES = [", ".join(f"score{seat}" for seat in range(seats)) for seats in range(1, 7)]

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
            run INTEGER PRIMARY KEY, id VARCHAR NOT NULL UNIQUE, game VARCHAR NOT NULL, settings VARCHAR NOT NULL,
            matches BIGINT NOT NULL, lineups INTEGER NOT NULL, version VARCHAR NOT NULL, fingerprint VARCHAR NOT NULL,
            created TIMESTAMP NOT NULL)""",
        "CREATE TABLE entrants (run INTEGER, entrant INTEGER, bot VARCHAR NOT NULL, PRIMARY KEY (run, entrant))",
        """CREATE TABLE lineups (
            run INTEGER, lineup INTEGER, team INTEGER NOT NULL, variant INTEGER NOT NULL, entrants INTEGER[] NOT NULL,
            PRIMARY KEY (run, lineup))""",
        """CREATE TABLE chunks (
            run INTEGER, chunk INTEGER, first BIGINT NOT NULL, matches INTEGER NOT NULL, PRIMARY KEY (run, chunk))""",
        """CREATE TABLE results (
            run INTEGER NOT NULL, match BIGINT NOT NULL, ranks INTEGER NOT NULL, reason TINYINT NOT NULL,
            plies INTEGER NOT NULL, score0 INTEGER, score1 INTEGER, score2 INTEGER, score3 INTEGER,
            score4 INTEGER, score5 INTEGER)""",
        _SEATS,
    ),
    (
        # Sums over the matches of a chunk under each variant; the layout of counts is engine/telemetry.py's.
        """CREATE TABLE telemetry (
            run INTEGER, chunk INTEGER, variant INTEGER, counts BIGINT[] NOT NULL,
            PRIMARY KEY (run, chunk, variant))""",
    ),
    (
        # A table for each number of seats: columns that hold nothing cost as much time to write as the others.
        "DROP VIEW seats",
        "ALTER TABLE results RENAME TO old_results",
        *(
            f"""CREATE TABLE results{seats} (
                run INTEGER NOT NULL, match BIGINT NOT NULL, ranks INTEGER NOT NULL, reason TINYINT NOT NULL,
                plies INTEGER NOT NULL, {scores.replace(",", " INTEGER,")} INTEGER)"""
            for seats, scores in enumerate(_SCORES, start=1)
        ),
        *(
            f"""INSERT INTO results{seats} SELECT run, match, ranks, reason, plies, {scores} FROM old_results
                WHERE run IN (SELECT run FROM lineups WHERE len(entrants) = {seats}) ORDER BY run, match"""
            for seats, scores in enumerate(_SCORES, start=1)
        ),
        "DROP TABLE old_results",
        f"CREATE VIEW results AS {' UNION ALL BY NAME '.join(f'FROM results{seats}' for seats in range(6, 0, -1))}",
        _SEATS,
    ),
    (
        # What a run's numbers mean, and the sums that all reports are made of (docs/schema.md). Runs of older files get
        # both from ``tournament.upgrade``, which can count their matches.
        "ALTER TABLE runs ADD COLUMN facts VARCHAR",
        "ALTER TABLE runs ADD COLUMN keep VARCHAR DEFAULT 'matches'",
        "ALTER TABLE chunks ADD COLUMN hash BLOB",
        "ALTER TABLE chunks ADD COLUMN held BLOB",
        "CREATE TABLE tallies (run INTEGER NOT NULL, part INTEGER NOT NULL, block BIGINT NOT NULL, sums BLOB NOT NULL)",
    ),
    (
        # When chunks were stored: so a run that is being played is known from one that was left.
        "ALTER TABLE chunks ADD COLUMN stored TIMESTAMP",
        # Runs that are left out of ratings, and taken back; the latest word counts.
        """CREATE TABLE exclusions (
            run INTEGER NOT NULL, excluded BOOLEAN NOT NULL, reason VARCHAR NOT NULL, decided TIMESTAMP NOT NULL)""",
    ),
    (
        # Which programs play a run: when one began to, and when it ended in order; its latest row counts.
        """CREATE TABLE sittings (
            run INTEGER NOT NULL, program VARCHAR NOT NULL, playing BOOLEAN NOT NULL, told TIMESTAMP NOT NULL)""",
    ),
    (
        # A team wins or loses together; this is a set of bots in all its seatings.
        "ALTER TABLE lineups RENAME COLUMN team TO bot_set",
    ),
    (
        # What bots did wrong: the first faults of each, and after which match one was withdrawn.
        """CREATE TABLE faults (
            run INTEGER NOT NULL, match BIGINT NOT NULL, entrant INTEGER NOT NULL, seat INTEGER NOT NULL,
            kind VARCHAR NOT NULL, said VARCHAR NOT NULL)""",
    ),
    (
        # Runs that clients of the service asked for.
        """CREATE TABLE jobs (
            run INTEGER NOT NULL, state VARCHAR NOT NULL, client VARCHAR NOT NULL, key VARCHAR, told VARCHAR,
            created TIMESTAMP NOT NULL, turn TIMESTAMP NOT NULL)""",
    ),
)
