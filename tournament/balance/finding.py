"""The common shape of results, and what each metric means: one list, which a test owns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tournament.statistics.estimate import Estimate, Jackknifed


@dataclass(frozen=True)
class Finding:
    """One number of the report.

    metric    id in :data:`METRICS`
    variant   the variant's label
    subject   what of it: a seat, a bot, a pair; empty if the metric has one value
    estimate  value, interval and matches
    verdict   the decision, if there is one: fair, unfair, undecided, dominated, ...
    group     the line-ups it is about (see ``fairness.groups``); empty if all
    note      what must be said with it, one sentence without its full stop
    """

    metric: str
    variant: str
    subject: str
    estimate: Estimate
    verdict: str = ""
    group: str = ""
    note: str = ""


@dataclass(frozen=True)
class Series:
    """A metric of all variants, with what is needed to compare them: ``values`` is of shape (V, subjects)."""

    metric: str
    subjects: tuple[str, ...]
    values: Jackknifed
    group: str = ""

    def findings(self, variants: Sequence[str]) -> list[Finding]:
        """A finding for each variant and subject."""
        estimates = iter(self.values.estimates())
        return [
            Finding(self.metric, variant, subject, next(estimates), group=self.group)
            for variant in variants
            for subject in self.subjects
        ]


def by_variant(series: Sequence[Series], variants: Sequence[str]) -> list[Finding]:
    """All findings of several metrics, those of the first variant first."""
    rows = [(one.findings(variants), len(one.subjects)) for one in series]
    return [finding for v in range(len(variants)) for row, size in rows for finding in row[v * size : (v + 1) * size]]


@dataclass(frozen=True)
class Metric:
    """What a metric is: ``unit`` of its values, one-sentence ``definition``, ``formula``, and how to read it."""

    id: str
    title: str
    unit: str
    definition: str
    formula: str
    reading: str


_METRICS = (
    Metric(
        "seat_share",
        "Score share of a seat",
        "share",
        "The mean score share of whoever sits there, over all seatings of the same bots.",
        "mean over deals and line-ups of (seats beaten + 0.5 seats tied) / (seats - 1); 0 if nobody won",
        "Even is the mean of all seats: 0.5, or less in games that nobody may win. Groups: all line-ups; best, the "
        "three strongest bots among themselves; equals, the quarter of all sets of bots that are closest in strength.",
    ),
    Metric(
        "seat_spread",
        "Largest deviation of a seat from even",
        "share",
        "How far the score share of the seat that is furthest from even is away from it, in matches that somebody won.",
        "max over seats |seat_share / (2 mean seat_share) - 0.5|; intervals of all seats hold together (Bonferroni)",
        "Fair if the interval ends below the margin, unfair if it begins above it, else undecided. Being a maximum, "
        "the value itself is a little high while data are few.",
    ),
    Metric(
        "matches_to_decide",
        "More matches that would decide",
        "matches",
        "How many matches of this variant, on top of those played, would decide what is undecided.",
        "n ((1.43 h / |margin - value|)^2 - 1), h the interval's half-width",
        "A projection: it holds with a chance of 80 % if the deviation stays what it is. Missing if the deviation "
        "is on the edge of the margin.",
    ),
    Metric(
        "draw_share",
        "Draws",
        "share",
        "The share of matches with more than one winner.",
        "matches with several seats of rank 0 / matches",
        "Draws may be part of the game; in most they tell of stalling.",
    ),
    Metric(
        "nobody_share",
        "Matches that nobody won",
        "share",
        "The share of matches that ended without a winner among the seats, and not as a draw.",
        "matches that ended for one of the game's reasons of that kind / matches",
        "Every seat scores 0 in them, so an even score share lies below 0.5 by half of this.",
    ),
    Metric(
        "match_plies",
        "Length of a match",
        "plies",
        "The mean number of moves made in a match, by all seats.",
        "plies / matches",
        "Multiply by the time of a move to get the time at the table.",
    ),
    Metric(
        "seat_effect_share",
        "Outcome explained by the seat",
        "share of variance",
        "The part of the variance of a seat's score share that comes from which seat it is.",
        "mean over seats (seat mean - mean)^2, less what noise adds, / total variance",
        "0 if all seats are alike. A seat advantage of 0.51 to 0.49 explains 0.0004 of a game of wins and losses.",
    ),
    Metric(
        "bot_share",
        "Outcome explained by the bots",
        "share of variance",
        "The part of the variance of a seat's score share that comes from which bots sit where.",
        "variance of the line-ups' means around the seat's mean, less what noise adds, / total variance",
        "The share of skill, in this field of bots: a wider field has more of it. If bots decide a share q of matches "
        "and luck the rest, it is q^2.",
    ),
    Metric(
        "deal_share",
        "Outcome explained by the deal",
        "share of variance",
        "The part of the variance of a seat's score share that all line-ups have in common on the same deal.",
        "(mean square of deals - mean square of the rest) / line-ups / total variance (two-way analysis of variance, "
        "deal by line-up): the mean covariance of two line-ups on a deal",
        "The luck of the cards that no choice of bots changes.",
    ),
    Metric(
        "rest_share",
        "Outcome explained by neither",
        "share of variance",
        "What is left of the variance: bots' own luck, chance during play, and how deals and line-ups suit each other.",
        "mean square of the rest / total variance",
        "High where small things decide; with one match for each deal and line-up its parts cannot be told apart.",
    ),
    Metric(
        "rating",
        "Rating",
        "mu",
        "A bot's skill under this variant, as 'hilltop rate' has it: TrueSkill of all outcomes at once.",
        "mu of the performances N(mu + effect of the seat, beta^2), ahead by more than the fitted draw margin, skills "
        "N(25, (25/3)^2) a priori, beta = 25/6",
        "A lead of one beta, 4.17, wins 76 % of matches.",
    ),
    Metric(
        "rating_span",
        "Rating span",
        "beta",
        "How far the best bot is above the random one.",
        "(rating of the best - rating of random) / beta, beta = 25/6",
        "How much there is to be good at: each beta is a class of players that beats the one below in 76 % of matches. "
        "If the field has no bot called random, the span starts at its weakest and says so.",
    ),
    Metric(
        "level_share",
        "Share of a level against the next",
        "share",
        "The score share of each bot against the one below it, bots sorted by their overall share.",
        "(matches ahead + 0.5 tied) / matches in which the two met and somebody won",
        "0.5: no difference between the two levels.",
    ),
    Metric(
        "equilibrium_weight",
        "Weight in equilibrium",
        "share",
        "How often a player who may choose among these bots should choose this one, if the opponent chooses as well.",
        "maximin strategy of the symmetric zero-sum game with payoffs share - 0.5 (exact with two seats); interval: "
        "bootstrap over batches of deals",
        "A single bot of weight 1 beats all others: nothing is left to choose. Several with weight: each has its "
        "counter.",
    ),
    Metric(
        "equilibrium_support",
        "Chance of a place in equilibrium",
        "share",
        "In what share of resamplings of the deals the bot has any weight in equilibrium.",
        "bootstrap over batches of deals",
        "Near 0 or 1 the data tell; between, they do not.",
    ),
    Metric(
        "effective_strategies",
        "Effective number of strategies",
        "strategies",
        "How many equally used strategies would be as varied as the equilibrium.",
        "exp(-sum w log w) over equilibrium weights w",
        "1: there is one best way to play, as far as these bots know.",
    ),
    Metric(
        "dominated",
        "Dominated strategy",
        "share",
        "By how much another bot does better against whichever opponent it gains least on.",
        "min over opponents k of share(j, k) - share(i, k), for bot i and the j that has the most; all opponents "
        "significantly (Holm over all pairs i, j)",
        "Dominated: there is never a reason to prefer it to the other.",
    ),
    Metric(
        "cycle",
        "Cycle of three",
        "share",
        "Three bots each of which beats the next, and the last the first.",
        "share of the narrowest of the three wins; all three significant (Holm over all pairs)",
        "Strategies that counter each other, like rock, paper, scissors.",
    ),
    Metric(
        "cycle_count",
        "Cycles of three",
        "cycles",
        "How many sets of three bots beat each other in a ring, each significantly.",
        "number of cycles in the graph of significant wins (Holm over all pairs)",
        "None: bots stand in one order of strength, as far as the data tell.",
    ),
    Metric(
        "team_win_rate",
        "Win rate of a team",
        "share",
        "The share of deals that the team wins.",
        "matches won / matches",
        "The difficulty of the variant for players like these.",
    ),
    Metric(
        "team_score",
        "Score of a team",
        "points",
        "The mean score of the team, a loss counting 0.",
        "sum of scores of won matches / matches",
        "Combines winning at all with winning well.",
    ),
    Metric(
        "medal_share",
        "Medals",
        "share",
        "The share of deals for which the team earns this medal as its best.",
        "matches won with a score in the medal's range / matches",
        "A medal that nearly all or none earn tells players little.",
    ),
    Metric(
        "loss_reason_share",
        "Reasons of loss",
        "share",
        "The share of deals that the team loses for this reason.",
        "matches that ended for the reason / matches",
        "What to change first if the game is too hard. The game's rules page defines the reasons: in Jack and Jill, c1 "
        "to c4 are the checks that the monsters left can still be beaten.",
    ),
    Metric(
        "solo_gap_wins",
        "Wins short of a solo player",
        "share",
        "How much less often partners win than the same bots do alone with the same deck in the same order.",
        "mean win rate of the two bots alone - win rate of the pair, on the same deals",
        "The price of not seeing each other's cards, less what a second hand is worth; below 0 partners do better.",
    ),
    Metric(
        "solo_gap_score",
        "Points short of a solo player",
        "points",
        "How much lower partners score than the same bots do alone with the same deck in the same order.",
        "mean score of the two bots alone - score of the pair, on the same deals, losses counting 0",
        "As wins short of a solo player, with how well they win.",
    ),
    Metric(
        "match_rounds",
        "Rounds",
        "rounds",
        "The mean number of rounds of a match; in games of single turns, a turn of each seat.",
        "rounds / matches",
        "Its distribution tells more: a long tail means that some matches drag on.",
    ),
    Metric(
        "seat_plies",
        "Decisions of a seat",
        "plies",
        "The mean number of moves that the seat makes in a match, forced ones included.",
        "moves of the seat / matches",
        "How busy a player is; seats should not differ much.",
    ),
    Metric(
        "forced_share",
        "Forced decisions",
        "share",
        "The share of moves made when there was only one.",
        "plies with one legal move / plies",
        "High: players often only carry out what the rules dictate.",
    ),
    Metric(
        "legal_moves",
        "Legal moves",
        "moves",
        "The mean number of legal moves to choose from, forced moves included.",
        "sum of legal moves / plies",
        "Few: little to think about; very many: hard to oversee.",
    ),
    Metric(
        "ending_share",
        "How matches end",
        "share",
        "The share of matches that end for this reason.",
        "matches that ended for the reason / matches",
        "Caps (reasons called cap) should be rare: they stop matches that do not end of themselves.",
    ),
    Metric(
        "lead_changes",
        "Lead changes",
        "changes",
        "How often, in a match, the lead goes from one seat to another; ties change nothing.",
        "lead changes / matches in which anyone ever led",
        "None: the first to lead wins. Many: the lead means little.",
    ),
    Metric(
        "last_lead",
        "Moment of the last lead change",
        "share",
        "When the seat that leads at the end took the lead, as a share of the match's plies.",
        "mean of (ply at which the last leader took the lead / plies)",
        "Near 0 matches are decided early, near 1 only at the very end.",
    ),
    Metric(
        "comeback_share",
        "Comebacks",
        "share",
        "The share of decided matches whose winner had been behind at some time.",
        "matches won by a seat that was behind once / matches with one winner",
        "0: whoever is behind has lost. 0.5 and more: nothing is lost early.",
    ),
    Metric(
        "comeback_points",
        "Size of comebacks",
        "points",
        "How far the winners of these matches had been behind at most, in the game's standing.",
        "sum of the winners' largest deficits / comebacks",
        "Compare with the margin at the end and the goal.",
    ),
    Metric(
        "margin_points",
        "Margin at the end",
        "points",
        "By how much the winner's score exceeds the best other one.",
        "sum of margins / matches with one winner",
        "Small: close matches. In Cuttle and the like points go on counting beyond the goal.",
    ),
    Metric(
        "margin_share",
        "Margin as a share of the winner's score",
        "share",
        "The winner's margin over the best other seat divided by the winner's score.",
        "(winner's score - best other score) / winner's score, cut to 0..1",
        "Shown as a distribution: near 0 matches are close, near 1 the other had next to nothing.",
    ),
    Metric(
        "lead_curve",
        "Lead over time",
        "points",
        "How far the later winner leads the best other seat, on average, as the match goes on.",
        "mean of the winner's standing less the best other, after each twentieth of the plies",
        "A line that stays near 0 until late is suspense; one that rises early means that early leads decide.",
    ),
    Metric(
        "piece_rate",
        "Use of a piece",
        "share",
        "In what share of a seat's matches it uses (or holds) the piece in this way at least once.",
        "seats' matches with such a use / seats' matches",
        "A way that is hardly used may be too weak, too costly or too rarely possible - or unknown to these bots.",
    ),
    Metric(
        "piece_uses",
        "Uses of a piece",
        "uses",
        "How often a seat uses (or holds) the piece in this way in a match.",
        "uses / seats' matches",
        "What is dealt or comes later counts once for each card.",
    ),
    Metric(
        "piece_effect",
        "Effect of a piece",
        "share",
        "The score share of seats that were dealt, got or used the piece in this way less that of seats that did not.",
        "sum over line-ups and seats of n p (1 - p) (mean with - mean without) / sum of n p (1 - p), p the part of the "
        "seat's n matches with such a use: the coefficient of a regression with a constant for each bot and seat; "
        "verdict by Holm over all pieces and ways",
        "What is dealt is chance, and so is which card a seat draws first without having seen it (drawn_blind, among "
        "those who drew): such an effect is caused by the piece, is what it is worth. What came later or was used "
        "had a choice before it: winners may have drawn more or use a piece because they are winning, so read such an "
        "effect as a companion of success, not as its cause; see restriction_cost.",
    ),
    Metric(
        "restriction_cost",
        "Cost of never using it",
        "share",
        "How much score share a bot loses, against the same opponents on the same deals, if it never uses a rule "
        "element or piece.",
        "mean share of the bot against all unrestricted others - the same of the bot with never=...",
        "What the element is worth to a player of this style; near 0 it could be taken out unnoticed.",
    ),
)

METRICS = {metric.id: metric for metric in _METRICS}
