"""Words of tables and pages that are no metric of their own: one list, which a test owns (see ``hilltop explain``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A word and what it means. ``also``: headings under which it is shown; ``reading``: how to read it."""

    id: str
    definition: str
    formula: str = ""
    reading: str = ""
    unit: str = ""
    also: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The word as it is written."""
        return self.id.replace("_", " ")


_TERMS = (
    Term("game", "One of the games that hilltop plays, with its rules, variants and bots.", also=("title", "credit")),
    Term("variant", "A named set of rule options, with what was changed on top of it.", also=("variants", "base")),
    Term(
        "rules",
        "Rule options that differ from the game's defaults.",
        also=("option", "type", "default", "allowed", "meaning", "parameters", "idea"),
        reading="hilltop games GAME lists a game's options, hilltop bots GAME the parameters of its bots.",
    ),
    Term("seat", "A place at the table.", also=("seats", "played")),
    Term("bot", "An entrant: a strategy with values for its parameters.", also=("bots", "against", "row", "column")),
    Term("team", "Bots in the seats of a cooperative game, who win or lose together."),
    Term("deal", "The shuffled deck or the stream of dice that a match starts from.", also=("deals",)),
    Term(
        "line_up",
        "Bots in seats, under a variant.",
        also=("line-ups", "lineups"),
        reading="Every line-up of a run plays the same deals, so that luck of the deal cancels.",
    ),
    Term(
        "match",
        "One game played out.",
        also=("matches", "stored"),
        reading="A match is a function of seed, deal and line-up; matches on the same deal are not independent.",
    ),
    Term(
        "run",
        "Everything that one command played.",
        also=("runs", "id", "state", "created", "created (UTC)", "version"),
    ),
    Term("seed", "The number from which all deals of a run are made: the same seed gives the same matches."),
    Term("chunk", "A block of matches that is played and stored as one.", also=("chunks",)),
    Term(
        "fingerprint", "A hash of engine, rules and bots: where it is the same, matches are the same.", also=("code",)
    ),
    Term("move", "One decision.", also=("by",)),
    Term("ply", "One move made.", also=("plies",)),
    Term(
        "rank",
        "The ranks that the data leave open to a bot, 1 being the best.",
        "from 1 + the bots that are certainly better, to the number of bots less those that are certainly worse",
        "All ranks of a table hold together with 95 % confidence; rows are sorted by mu.",
    ),
    Term("rank_worst", "The worst rank that the data leave open; rank is the best one. All hold with 95 %."),
    Term(
        "conservative",
        "The lower end of mu's interval: a bot is at least this good, as far as the data tell.",
        unit="mu",
    ),
    Term(
        "better",
        "How sure it is that a bot is better than the next one of the table.",
        unit="share",
        also=("better than next %",),
    ),
    Term("digest", "A hash of a run's matches: where it is the same, every match ended the same."),
    Term("left_out", "Whether, and why, a run is left out of ratings ('hilltop exclude', 'hilltop include')."),
    Term("goes_with", "What a piece is used together with, so that its effect may be that one's."),
    Term("policy", "The bot by whose moves a search plays matches to their end."),
    Term("matches_per_s", "Matches a second."),
    Term("playouts_per_s", "Matches that a search plays to their end, a second of processor time."),
    Term("limit_matches_per_s", "Matches a second of a plain C program of Cuttle's rules.", also=("C matches/s",)),
    Term("limit_share", "The kernel's time for a match in those of the C program.", also=("kernel's time / C's",)),
    Term(
        "mu",
        "The skill of a bot in TrueSkill's model, fitted to all outcomes at once from N(25, (25/3)^2).",
        reading="A bot that is one beta (25/6) ahead wins 76 % of matches of two. --method online goes match by match.",
        unit="mu",
    ),
    Term(
        "sigma",
        "The standard error of mu from the field's mean: how far it may be off.",
        "jackknife over blocks of deals; with --method online the model's own, as if matches were independent",
        unit="mu",
    ),
    Term("beta", "The deviation of a performance from the skill in TrueSkill's model: 25/6.", unit="mu"),
    Term(
        "tau",
        "By how much, in TrueSkill's model, a skill drifts before each match: 0, as bots do not learn.",
        unit="mu",
    ),
    Term(
        "draw_probability",
        "The chance that two bots of equal skill tie, in the model of the ratings.",
        "fitted to all pairs of seats together with the skills, unless --draw-probability is given",
        unit="share",
    ),
    Term(
        "order",
        "By how much a mu depends on the order of the matches.",
        "the most that 20 random orders move mu from where the matches' own order puts it, from the mean of all bots",
        "Only --method online depends on it. Bots do not learn, so order says nothing: where this is not small, mu is "
        "that uncertain.",
        "mu",
    ),
    Term(
        "share",
        "Score share: the part of the other seats that a bot or a seat finished ahead of, ties counting half.",
        "(seats beaten + 0.5 seats tied) / (seats - 1); 0 if nobody won",
        "1 is a win of two and 0 a loss; 0.5 is even, or less in games that nobody may win.",
        "share",
        ("share %", "score share", "effect on score share", "level"),
    ),
    Term(
        "from_seat_0",
        "A bot's score share in the matches in which it sat in seat 0, which usually moves first.",
        reading="Compare it with the bot's share from all seats.",
        unit="share",
        also=("from seat 0 %", "share_first"),
    ),
    Term(
        "interval",
        "A 95 % interval: of a hundred such intervals, about 95 hold the true value.",
        reading="It is computed over deals, since matches on the same deal share their luck.",
        also=("95 %",),
    ),
    Term(
        "elo",
        "A difference in strength on the Elo scale that goes with a score share.",
        "400 log10(share / (1 - share))",
        "0 is even; 100 more is a share of 64 %, 200 more 76 %, 400 more 91 %.",
        "Elo",
    ),
    Term("wins", "Matches in which the bot alone was first.", also=("won",)),
    Term("draws", "Matches in which the bot shared the first place."),
    Term("losses", "Matches in which others finished ahead of the bot."),
    Term("nobody_won", "Matches that ended without a winner; every seat's score share is then 0.", also=("none",)),
    Term(
        "faults",
        "Matches that the bot spoiled: by an illegal choice, an error, too many steps, a change of what it was shown, "
        "or a crash. They count nowhere else.",
        also=("illegal_choice",),
    ),
    Term(
        "withdrawn",
        "Matches that were not played because a bot in them had been withdrawn for its faults; they count nowhere.",
        also=("not played",),
    ),
    Term(
        "win_rate",
        "The share of a team's matches that were won.",
        "wins / matches",
        unit="share",
        also=("won %", "win rate of the best team"),
    ),
    Term("score", "What the rules of the game count; a team's mean score counts a loss as 0.", also=("mean score",)),
    Term(
        "medal",
        "What a cooperative game awards for a score.",
        also=("medals", "gold", "silver", "bronze"),
        reading="The game's page under docs/rules gives their scores.",
    ),
    Term(
        "class",
        "A range of values of which matches are counted together, to show how much they differ.",
        also=("part of the match", "part of the winner's score", "part of matches", "matches there", "after"),
    ),
    Term(
        "ended",
        "Matches that ended for this reason; the game's page under docs/rules defines the reasons.",
        also=("end",),
    ),
    Term("section", "A question that a balance report answers.", also=("summary",)),
    Term(
        "metric",
        "A number of the balance report; 'hilltop explain' lists them.",
        also=("definition", "formula", "reading", "unit", "part"),
    ),
    Term("group", "Line-ups that a number is about: all; best, of the three strongest bots; equals, of like strength."),
    Term("of", "What a number is about: a seat, a bot, a pair, a reason.", also=("subject",)),
    Term("value", "The estimate of a metric, in its unit.", also=("from", "to", "difference")),
    Term(
        "verdict",
        "The decision that the data allow: fair, unfair, undecided, dominated, helps, hurts, higher, lower.",
        reading="undecided and not separated mean that the data do not tell, not that there is nothing.",
        also=("fair?", "note"),
    ),
    Term("margin", "How far from even a seat may be and still be called fair (--margin).", unit="share"),
    Term(
        "p",
        "The chance of data like these if there were no difference, corrected for the number of comparisons (Holm).",
        also=("p (Holm)",),
    ),
    Term("piece", "A card, or a kind of card or die, that telemetry tells apart."),
    Term("way", "How a piece comes to a seat or is used.", reading="hilltop games GAME names the rule elements."),
    Term("rate", "The share of seats' matches in which a piece is used that way.", unit="share"),
    Term("uses", "How often a piece is used that way, a seat and match."),
    Term(
        "effect",
        "How much higher the score share is where a piece is used.",
        reading="Holding a card: what the card is worth. A use: what goes with success, whatever the cause.",
        unit="share",
    ),
    Term("kernel_matches_per_s", "Matches a second of processor time of one core, nothing stored."),
    Term("kernel_decisions_per_s", "Decisions a second of processor time of one core.", also=("decisions/s",)),
    Term("pipeline_matches_per_s", "Matches a second of the whole program, every match stored.", also=("workers",)),
    Term("pipeline_share", "pipeline / (workers x kernel).", also=("of workers x kernel",)),
    Term("interpreted_matches_per_s", "Matches a second without the compiler."),
    Term("rating_updates_per_s", "Two-bot matches that are rated a second.", also=("ratings/s",)),
    Term("package_updates_per_s", "The same by the trueskill package.", also=("package ratings/s",)),
)
TERMS = {term.id: term for term in _TERMS}


def key_of(word: str) -> str:
    """A heading as it is looked up: ``Mean score`` and ``mean_score`` are the same."""
    return word.strip().lower().replace(" ", "_").replace("-", "_").removeprefix("#")


_BY_KEY = {key_of(word): term for term in _TERMS for word in (term.id, *term.also)}


def find(word: str) -> Term | None:
    """The term of that name or heading."""
    key = key_of(word)
    return _BY_KEY.get(key) or _BY_KEY.get(key.replace("/s", "_per_s")) or _BY_KEY.get(key.partition(":")[0])
