"""A match in which people sit at the table too: replayed from its seed and what they chose.

All luck comes from seed and deal, as in a run; bots choose as they do there. So the numbers of the people's choices are
the whole match, and it is played again exactly from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bots.bot import Entrant
from engine.errors import UsageError
from engine.game import Game, Options
from engine.guard import Guard
from engine.match import Match
from tournament.trace import choice_of, opening
from tournament.worker import compile_bot

Json = dict[str, Any]
PERSON = "person"
MOST_CHOICES = 5000


@dataclass(frozen=True)
class Table:
    """Who plays what: ``seats`` hold an entrant each, or None for a person."""

    game: Game
    variant: str
    options: Options
    seats: tuple[Entrant | None, ...]
    seed: int = 0
    deal: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """What the seats are called."""
        people = sum(bot is None for bot in self.seats)
        names = []
        for seat, bot in enumerate(self.seats):
            names.append(bot.label if bot else "you" if people == 1 else f"person {seat}")
        return tuple(names)


@dataclass
class Interactive:
    """A table and what has been done at it: moves of a seat that has only one are made without asking."""

    table: Table
    choices: list[int] = field(default_factory=list)
    steps: list[Json] = field(default_factory=list)
    asked: int = 0  # steps that had been taken when the last choice was made

    def __post_init__(self) -> None:
        made, self.choices = self.choices, []
        table = self.table
        self.match = Match(table.game, table.options, len(table.seats))
        self.match.deal(table.seed, table.deal)
        bots = [bot.spec if bot else PERSON for bot in table.seats]
        self._opening = opening(self.match, table.variant, table.seed, table.deal, bots)
        self._guards = {seat: self._guard(bot) for seat, bot in enumerate(table.seats) if bot}
        self._go_on()
        for choice in made:
            self.choose(choice)

    @property
    def seat(self) -> int | None:
        """The person's seat that is to decide; None when the match is over."""
        return self.match.to_act()

    @property
    def moves(self) -> list[Json]:
        """What the person may do; a choice is the place in this list."""
        return self.match.legal()

    def choose(self, choice: int) -> None:
        """Make a person's move, and all that follows until a person must decide; raises UsageError for none of them."""
        codes = self.match.legal_codes()
        if self.seat is None or not 0 <= choice < len(codes):
            allowed = f"allowed: 0 to {len(codes) - 1}" if codes else "the match is over"
            raise UsageError(f"there is no move {choice} here; {allowed}")
        if len(self.choices) >= MOST_CHOICES:
            raise UsageError(f"a match can have at most {MOST_CHOICES} choices here")
        self.asked = len(self.steps)
        self.choices.append(choice)
        self._take(self.seat, codes[choice])
        self._go_on()

    def advice(self, bot: Entrant) -> Json:
        """What a bot would do in the person's place."""
        return self.match.write_move(choice_of(self.match, bot.spec, self._guard(bot)))

    def trace(self) -> Json:
        """The match so far, as ``docs/notation.md`` has it."""
        return self._opening | {"steps": self.steps, "end": self.match.position(), "result": self.match.result()}

    def _guard(self, bot: Entrant) -> Guard:
        compile_bot(self.table.game, self.match.rules, bot)
        return bot.guard(self.table.game)

    def _take(self, seat: int, code: int) -> None:
        self.steps.append({"by": seat, **self.match.write_move(code)})
        self.match.apply(code)

    def _go_on(self) -> None:
        """Chance, bots, and moves without a choice."""
        while not self.match.is_over():
            seat = self.match.to_act()
            if seat is None:
                self.steps.append(self.match.draw())
                continue
            bot, codes = self.table.seats[seat], self.match.legal_codes()
            if bot:
                self._take(seat, choice_of(self.match, bot.spec, self._guards[seat]))
            elif len(codes) == 1:
                self._take(seat, codes[0])
            else:
                return


def table_of(
    game: Game, variant: str, rules: Options, seats: Sequence[Entrant | None], seed: int = 0, deal: int = 0
) -> Table:
    """A table under a variant and options over it; raises UsageError for what cannot be."""
    options = game.settle(game.variant(variant) | rules, len(seats))
    return Table(game, variant, options, tuple(seats), seed, deal)


def said(result: Json, names: Sequence[str]) -> str:
    """How a match ended, in a sentence."""
    reason = str(result["reason"]).replace("_", " ")
    if "won" in result:
        return f"{'Won' if result['won'] else 'Lost'}: {reason}, score {result['score']}"
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, result["scores"], strict=True))
    winner = result["winner"]
    first = "No single winner" if winner is None else "You win" if names[winner] == "you" else f"{names[winner]} wins"
    return f"{first} by {reason}: {scores}"
