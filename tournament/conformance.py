"""Does a user's bot keep to what is asked of bots? It plays under all kinds of rules and is watched at each decision.

Every decision is asked for in plain Python first (``engine/plain.py``), where each mistake has a line; what passes
there is asked for as compiled code. Matches are those of ``hilltop trace`` for the same bots, rules, seed and number.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from bots import registry as bot_registry
from bots.bot import Bot, Entrant, entrant
from engine import registry, userfiles
from engine.compiler import INTERPRETED
from engine.errors import HilltopError, UsageError
from engine.game import Game, Options, rules_record
from engine.loop import blank_view
from engine.match import Match
from engine.plain import Plain
from engine.rng import seed_stream
from tournament.plan import plan_run
from tournament.worker import Worker, compile_part, near, told

OWN = 2  # matches under each set of rules in which it makes its own moves
LEAST, MOST = 2, 16  # matches in which it is asked, and random moves are made, until all kinds of moves have come up
SPEED_SECONDS = 0.5  # of processor time, by which speed is measured
OTHER = "random"  # whom it plays against
LOADS = "loads"
COMPILES = "compiles"
RAISES = "raises nothing"
LEGAL = "chooses legal moves"
REPEATS = "answers the same when asked again"
HONEST = "does not look at what is hidden"
CLEAN = "leaves its arguments alone"
SAME = "plays the same compiled and as plain Python"
CHECKS = {
    LOADS: "the file can be imported, and says what its bot is",
    COMPILES: "(compiled bots) the compiler takes all of it",
    RAISES: "no decision ends in an error",
    LEGAL: "each answer is the place of a legal move",
    REPEATS: "the same view, moves and luck give the same answer: nothing is kept from call to call",
    HONEST: "where what it may not know is otherwise, it does the same",
    CLEAN: "view, rules, moves and parameters are as they were",
    SAME: "(compiled bots) no index out of range, no number that does not fit, no division by zero",
}


@dataclass
class Report:
    """What was found: for each check that was made, what is wrong or ''."""

    bot: str
    kind: str = ""
    found: dict[str, str] = field(default_factory=dict)
    decisions: int = 0
    rules: int = 0  # sets of rules under which it played
    met: dict[str, int] = field(default_factory=dict)  # kinds of moves: in how many of its decisions they were legal
    rate: float = 0.0  # matches a second of processor time

    @property
    def good(self) -> bool:
        """Is there nothing to mend?"""
        return not any(self.found.values())


def check_bot(path: Path, game_id: str = "") -> Report:
    """Try a user's bot. Raises UsageError if the file is not there, or nobody says for which game it is."""
    report = Report(str(path))
    if not path.is_file():
        raise UsageError(f"there is no bot file '{path}'")
    try:
        told_game = bot_registry.game_of(path)
    except UsageError as error:
        report.found[LOADS] = str(error)
        return report
    if not (game_id or told_game):
        raise UsageError(f"the bot file '{path}' does not say for which game it is; write game='...' there, or --game")
    game = registry.game(game_id or told_game)
    try:
        bot = bot_registry.bot(game.id, str(path))
    except UsageError as error:
        report.found[LOADS] = str(error)
        return report
    report.found[LOADS] = ""
    report.bot = bot.title
    plain = isinstance(bot.decide, Plain)
    report.kind = f"a bot of {game.title} in plain Python" if plain else f"a bot of {game.title}, compiled"
    if not plain:
        report.found[COMPILES] = _compiled(game, bot)
    if report.good:
        for check in (
            (RAISES, LEGAL, REPEATS, HONEST, CLEAN) if plain else (RAISES, LEGAL, REPEATS, HONEST, CLEAN, SAME)
        ):
            report.found[check] = ""
        watch = _Watch(game, entrant(bot, {}), report)
        tried = list(cases(game))
        report.rules = len(tried)
        for number in range(MOST):
            if number >= LEAST and not never_met(game.id, report):
                break
            for options, players in tried:
                if number < OWN:
                    watch.play(options, players, number, own=True)
                watch.play(options, players, number, own=False)
            if not report.good:
                break
    if report.good:
        report.rate = _rate(game, bot)
    return report


def _compiled(game: Game, bot: Bot) -> str:
    seats = game.default_seats
    try:
        compile_part(game, rules_record(game, game.settle({}, seats), seats), bot)
    except HilltopError as error:
        return str(error)
    return ""


def cases(game: Game) -> Iterator[tuple[Options, int]]:
    """Rules under which every kind of decision comes up: all variants, numbers of seats and, one at a time, the other
    values of options that are words."""
    tried: list[tuple[Options, int]] = [(dict(options), game.default_seats) for options in game.variants.values()]
    tried += [({}, seats) for seats in game.seats]
    for option in game.options:
        others: tuple[Any, ...] = (not option.default,) if option.kind == "bool" else option.choices
        tried += [({option.name: value}, game.default_seats) for value in others if value != option.default]
    seen = []
    for options, players in tried:
        try:
            settled = game.settle(options, players), players
        except UsageError:
            continue
        if settled not in seen:
            seen.append(settled)
            yield options, players


class _Watch:
    """Plays a bot against random ones, and looks at each of its decisions."""

    def __init__(self, game: Game, bot: Entrant, report: Report) -> None:
        self._game, self._bot, self._report = game, bot, report
        self._plain = bot.bot.decide if isinstance(bot.bot.decide, Plain) else Plain(game, bot.bot.decide)
        self._compiled: Any = None if isinstance(bot.bot.decide, Plain) or INTERPRETED else bot.bot.decide
        self._other = entrant(bot_registry.bot(game.id, OTHER), {})
        self._kinds = _numbers_of_kinds(game)
        self._where = ""

    def play(self, options: Options, players: int, number: int, own: bool) -> None:
        """Match ``number`` of seed 0, the bot in seat ``number`` or as many seats further as there are.

        ``own``: does it make the moves that it chooses? Else they are random too, which leads everywhere.
        """
        match = Match(self._game, options, players)
        match.deal(0, number)
        mine = number % players
        seats = [self._bot.bot.name if own and seat == mine else OTHER for seat in range(players)]
        words = ["hilltop trace", self._game.id, "--bots", shlex.quote(",".join(seats)), "--match", str(number)]
        words += [f"--rule {shlex.quote(f'{name}={_as_text(value)}')}" for name, value in options.items()]
        step = 0
        while not match.is_over():
            step += 1
            seat = match.to_act()
            if seat is None:
                match.draw()
                continue
            codes = match.legal_codes()
            choice = 0
            if len(codes) > 1:
                if seat == mine:
                    self._where = f"seat {mine} at step {step} of what '{' '.join(words)}' plays"
                    choice, luck = self._decision(match, seat, codes)
                if seat == mine and own:
                    if choice < 0:
                        return
                    match._tools.luck[seat] = luck
                else:
                    choice = codes.index(match.choose(self._other.bot.decide, self._other.params))
            match.apply(codes[choice])

    def _decision(self, match: Match, seat: int, codes: list[int]) -> tuple[int, Any]:
        """The bot's choice, -1 if there is none to go on with, and the seat's luck after it."""
        self._report.decisions += 1
        for kind in {int(self._game.state.kind_of(code)) for code in codes}:
            name = self._kinds.get(kind, "")
            self._report.met[name] = self._report.met.get(name, 0) + 1
        asked = _Question(match, seat, codes, self._bot.params)
        try:
            choice, luck = asked.answer(self._plain)
        except Exception as error:
            self._wrong(RAISES, told(error))
            return -1, None
        if choice < 0:
            self._wrong(LEGAL, f"it chose no move of the {len(codes)}{asked.line(self._plain)}")
            return -1, None
        if asked.answer(self._plain)[0] != choice:
            self._wrong(REPEATS, f"it answered otherwise when asked again{asked.line(self._plain)}")
        other = asked.otherwise()
        if other is not None and other.answer(self._plain)[0] != choice:
            self._wrong(HONEST, f"it answered otherwise where only hidden cards differ{asked.line(self._plain)}")
        if self._compiled is not None:
            compiled, after = asked.answer(self._compiled)
            if asked.changed:
                self._wrong(CLEAN, f"it changed its {asked.changed}{asked.line(self._plain)}")
            if compiled != choice or not np.array_equal(luck, after):
                self._wrong(SAME, f"compiled it answered {compiled}, as plain Python {choice}{asked.line(self._plain)}")
        return choice, luck

    def _wrong(self, check: str, what: str) -> None:
        if not self._report.found[check]:
            self._report.found[check] = f"{what}; {self._where}"


class _Question:
    """What a bot is asked in a decision: copies of it for each time that it is asked."""

    def __init__(self, match: Match, seat: int, codes: list[int], params: Any) -> None:
        self._match, self._seat = match, seat
        self._view = match.observe(seat).copy()
        self._moves = np.array(codes, np.int64)
        self._params, self._luck = params, match._tools.luck[seat].copy()
        self.changed = ""  # the argument that the bot has written into when it was asked last

    def answer(self, decide: Callable[..., Any]) -> tuple[int, Any]:
        """The place of a move, or -1; and the seat's luck after it."""
        given = {
            "view": _record(self._match.game, self._view),
            "rules": self._match.rules.copy(),
            "moves": self._moves.copy(),
            "params": self._params.copy(),
        }
        before = {name: value.tobytes() for name, value in given.items()}
        luck = self._luck.copy()
        count = len(self._moves)
        choice = int(decide(given["view"], given["rules"], given["moves"], count, given["params"], luck))
        self.changed = next((name for name, value in given.items() if value.tobytes() != before[name]), "")
        return choice if 0 <= choice < count else -1, luck

    def line(self, decide: Callable[..., Any]) -> str:
        """Where ``decide`` returns its answer: `` (my_idea.py, line 12)``."""
        last: list[tuple[str, int]] = []

        def leave(frame: FrameType, what: str, _: Any) -> Any:
            if what == "return" and userfiles.is_own(Path(frame.f_code.co_filename)):
                last.append((frame.f_code.co_filename, frame.f_lineno))
            return leave

        before = sys.gettrace()
        sys.settrace(leave)
        try:
            self.answer(decide)
        finally:
            sys.settrace(before)
        return f" ({near(last[-1][0])}, line {last[-1][1]})" if last else ""

    def otherwise(self) -> _Question | None:
        """The same view of another match, whose hidden cards lie otherwise."""
        match, game = self._match, self._match.game
        luck = np.zeros_like(self._luck)
        seed_stream(luck, 1, 0, 0)
        other = Match(game, match.options, match.players)
        game.rules.determinize(match.rules, self._view, luck, other.state)
        other._tools.luck[self._seat] = self._luck
        view = other.observe(self._seat)
        if view.tobytes() != self._view.tobytes():
            return None  # a game's own matter, which its tests look after
        return _Question(other, self._seat, self._moves.tolist(), self._params)


def _record(game: Game, view: Any) -> Any:
    """A copy of a view, as a kernel takes it."""
    copy = blank_view(game)
    for name in view.dtype.names:
        copy[name] = view[name]
    return copy


def _numbers_of_kinds(game: Game) -> dict[int, str]:
    shape = game.state
    return {sum(getattr(shape, part) for part in name.split(" + ")): name for name in shape.MOVE_KINDS}


def never_met(game_id: str, report: Report) -> list[str]:
    """The kinds of moves that were legal in none of its decisions."""
    return [name for name in registry.game(game_id).state.MOVE_KINDS if name not in report.met]


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rate(game: Game, bot: Bot) -> float:
    """Matches a second of processor time against random bots."""
    worker = Worker(plan_run(game.id, f"{bot.name},{OTHER}", matches=10**9).settings)
    size, lineups = 1, len(worker.plan.lineups)
    worker.play(0, lineups)  # so that nothing is left to be made ready
    while True:
        begun = time.process_time()
        worker.play(0, size * lineups)
        taken = time.process_time() - begun
        if taken >= SPEED_SECONDS or size > 1 << 16:
            return size * lineups / max(taken, 1e-9)
        size *= 4
