"""What a bot can do wrong in a decision. Its match then counts for nobody; what it was is stored apart."""

from __future__ import annotations

ILLEGAL, RAISED, OVER_BUDGET, MEDDLED, CRASHED, WITHDRAWN = range(6)
KINDS = {  # by their numbers: what they are called, and in words
    "illegal": "chose no legal move",
    "raised": "raised an error",
    "over_budget": "took more steps than a decision may",
    "meddled": "changed what it was shown",
    "crashed": "ended the process that it played in",
    "withdrawn": "not played, as the bot was withdrawn",
}
NAMES = tuple(KINDS)
FAULT = -(2**40)  # what a call of a bot comes to that has gone wrong: FAULT - kind
