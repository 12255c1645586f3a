"""Guards: a bot is asked through one that no bot can do any harm to others with.

A guard is itself a bot. It hands copies of all that it was handed to the bot that it guards, allows it so many steps,
and looks at the copies afterwards: whoever has changed them has done something wrong, and with it nothing. What comes
of errors, of too many steps and of meddling is a number that no move has (``engine/faults.py``).

Compiled bots are called by the address of their code, whose indices are checked and whose steps are counted
(``engine/compiler.py``) if the bot is not trusted; bots in plain Python are called as they are.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from engine.calls import arrays_at
from engine.compiler import INTERPRETED, Kernel, Overload, call_alone, put_word, same_record, word_at
from engine.errors import HilltopError
from engine.faults import FAULT, MEDDLED, OVER_BUDGET, RAISED
from engine.game import Game, rules_dtype
from engine.kernel import bind, sources_of
from engine.limits import BUDGET, LINE, OutOfLines, in_time
from engine.loop import GUARD, NUMBERS, bot_arguments

# Places in a guard's words.
ADDRESS, STEPS, ALLOWED, BUSY, SEEN, INNER = range(6)  # SEEN: the fault that the bot has last done, or 0
WORDS_OF_GUARD = 6


def guard_dtype(game: Game) -> np.dtype[Any]:
    """What a guard of a game works with."""
    shape = game.state
    return np.dtype(
        [
            ("views", shape.VIEW, 1),
            ("options", rules_dtype(game), 1),
            ("moves", np.int64, shape.MOST_MOVES),
            ("params", np.float64, NUMBERS),
            ("words", np.int64, WORDS_OF_GUARD),
        ]
    )


def guarded(view, rules, moves, count, params, luck):
    """``decide`` of a guard: the choice of the bot that it guards, or what it did wrong."""
    views, options, listed, numbers, words = arrays_at(np.int64(params[GUARD]), MEMORY)
    views[0] = view
    options[0] = rules
    for i in range(count):
        listed[i] = moves[i]
    for i in range(len(numbers)):
        numbers[i] = params[i]
    numbers[GUARD] = 0.0
    if words[STEPS] != 0:
        put_word(words[STEPS], words[ALLOWED])
    if words[INNER] != 0:
        put_word(words[INNER], 0)
    words[BUSY] = 1
    choice = call_alone(words[ADDRESS], views[0], options[0], listed, count, numbers, luck)
    words[BUSY] = 0
    if words[STEPS] != 0 and word_at(words[STEPS]) < 0:
        choice = FAULT - OVER_BUDGET
    elif choice != FAULT - RAISED:
        same = same_record(views[0], view) and same_record(options[0], rules)
        for i in range(count):
            same = same and listed[i] == moves[i]
        for i in range(len(numbers)):
            same = same and (i == GUARD or numbers[i] == params[i])
        if not same:
            choice = FAULT - MEDDLED
    if words[INNER] != 0 and word_at(words[INNER]) != 0:
        choice = word_at(words[INNER])
    if choice < 0 or choice >= count:
        words[SEEN] = choice if choice <= FAULT else -1
    return choice


@functools.cache
def guarded_of(game_id: str) -> Any:
    """:func:`guarded` for a game."""
    from engine.registry import game as find

    game = find(game_id)
    return bind(guarded, {"MEMORY": guard_dtype(game)}, sources_of(Path(game.rules.__file__)))


class Guard:
    """The guard of one bot in one process.

    ``decide`` and ``params`` are what the match loop is given in place of the bot's own. ``trusted``: are its indices
    unchecked and its steps uncounted? ``budget``: the steps of a decision. ``inner``: the guard of a search's policy,
    whose faults are those of the search. ``memory``: where the guard works, bytes that last as long as it.
    """

    def __init__(
        self, game: Game, decide: Any, params: np.ndarray[Any, Any],
        trusted: bool = False, budget: int = BUDGET, inner: Guard | None = None, memory: Any = None,
    ) -> None:  # fmt: skip
        dtype = guard_dtype(game)
        whole = np.zeros(1, dtype) if memory is None else np.frombuffer(memory, dtype, 1)
        found: Any = whole.view(np.recarray)
        self.memory = found
        self._words = self.memory.words[0]
        self._words[ALLOWED] = budget
        self._words[INNER] = inner._words[SEEN:].ctypes.data if inner else 0
        self._inner = inner
        self.holds: Any = None  # what must live as long as the guard
        self.params = params.copy()
        self.plain = INTERPRETED
        self._code: Overload | None = None
        self._bot = decide
        self.decide: Any
        if self.plain:
            self.decide = Interpreted(self, decide, budget)
            return
        rules = np.zeros(1, rules_dtype(game)).view(np.recarray)[0]
        self._arguments = bot_arguments(game, rules)
        if isinstance(decide, Kernel):
            self._code = code_of(decide, self._arguments, trusted)
            self._words[ADDRESS], self._words[STEPS] = self._code.address, self._code.steps
        else:
            decide.lines = budget // LINE
            self._words[ADDRESS] = decide.address(self._arguments)
        self.params[GUARD] = self.memory.ctypes.data
        self.decide = guarded_of(game.id)

    @property
    def busy(self) -> bool:
        """Is the bot deciding? Else a process that has ended was not ended by it."""
        return bool(self._words[BUSY])

    def error(self, view: Any, rules: Any, moves: Any, count: int, params: Any, luck: Any) -> BaseException | None:
        """What the bot raises when it is asked this, if it does."""
        if self._inner and (found := self._inner.error(view, rules, moves, count, self._inner.params, luck)):
            return found
        if self.plain:
            return self.decide.raised  # type: ignore[no-any-return]
        if self._code is None:
            return self._bot.failed  # type: ignore[no-any-return]
        if self._code.steps:
            ctypes.c_int64.from_address(self._code.steps).value = int(self._words[ALLOWED])
        try:
            self._code.entry_point(view.copy(), rules.copy(), moves.copy(), count, params.copy(), luck.copy())
        except Exception as error:
            return error
        return None

    def changed(self, view: Any, rules: Any, moves: Any, count: int) -> list[str]:
        """What the bot has changed of all that it was shown last, which was this."""
        memory = self.memory
        found = [
            f"{name}.{field}"
            for name, shown, given in (("view", view, memory.views[0][0]), ("rules", rules, memory.options[0][0]))
            for field in shown.dtype.names
            if given[field].tobytes() != shown[field].tobytes()
        ]
        return [*found, "moves"] if (memory.moves[0][:count] != moves[:count]).any() else found or ["params"]


def code_of(decide: Any, arguments: tuple[Any, ...], trusted: bool) -> Overload:
    """A bot's code, compiled or loaded. Raises HilltopError if it does not answer with the number of a move."""
    if trusted:
        decide.compile(arguments)
    code: Overload = decide.overloads[arguments] if trusted else decide.guard(arguments)
    answer = types.unliteral(code.signature.return_type)
    if answer != types.int64:
        raise HilltopError(f"returns {answer}; decide must return the number of a move, an int64")
    return code


class Interpreted:
    """The guard of a bot that is called as Python, called like the bot. ``raised``: what it raised last."""

    def __init__(self, guard: Guard, decide: Callable[..., Any], budget: int) -> None:
        self._memory, self._words, self._inner = guard.memory, guard._words, guard._inner
        self._decide, self._lines = decide, budget // LINE
        self.raised: BaseException | None = None

    def __call__(self, view: Any, rules: Any, moves: Any, count: int, params: Any, luck: Any) -> int:
        """The choice of the bot, or what it did wrong."""
        before = luck.copy()

        def ask() -> Any:
            memory = self._memory
            memory.views[0][0], memory.options[0][0] = view, rules
            memory.moves[0][:count] = moves[:count]
            memory.params[0] = params
            luck[:] = before
            given = memory.views[0][0], memory.options[0][0], memory.moves[0], count, memory.params[0], luck
            return self._decide(*given)

        self._words[BUSY], self.raised = 1, None
        if self._inner:
            self._inner._words[SEEN] = 0
        try:
            choice = self._choice(in_time(ask, self._lines), view, rules, moves, count, params)
        except OutOfLines as error:
            self.raised, choice = error, FAULT - OVER_BUDGET
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.raised, choice = error, FAULT - RAISED
        self._words[BUSY] = 0
        if self._inner and self._inner._words[SEEN]:
            choice = int(self._inner._words[SEEN])
        if not 0 <= choice < count:
            self._words[SEEN] = choice
        return choice

    def _choice(self, answer: Any, view: Any, rules: Any, moves: Any, count: int, params: Any) -> int:
        memory = self._memory
        same = memory.views[0][0].tobytes() == view.tobytes() and memory.options[0][0].tobytes() == rules.tobytes()
        same = same and (memory.moves[0][:count] == moves[:count]).all() and (memory.params[0] == params).all()
        if not same:
            return FAULT - MEDDLED
        if isinstance(answer, (int, np.integer)) and not isinstance(answer, bool) and 0 <= answer < count:
            return int(answer)
        return -1
