"""One match, step by step: the kernels of a game driven from plain Python, in JSON.

Traces, replays, scenarios, interactive play and bots written without Numba use it. It is a
:class:`engine.scenario.Table`, and it plays exactly what the match loop plays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import CHANCE, NOBODY
from engine.errors import IllegalStep
from engine.game import Game, Options, rules_record
from engine.loop import NEVER, Tools, spare_of
from engine.rng import DEAL, MAX_SEED, seed_stream

Json = dict[str, Any]


class Match:
    """A match of ``game`` under ``options`` (those that differ from the default) with ``players`` seats.

    Deal it or load a position before anything else. Moves and events are JSON as in ``docs/notation.md``.
    """

    def __init__(self, game: Game, options: Mapping[str, Any], players: int) -> None:
        self.game = game
        self.players = players
        self.options: Options = game.settle(options, players)
        self.rules = rules_record(game, self.options, players)
        self.unordered: frozenset[str] = game.notation.UNORDERED
        self._tools = Tools(game)
        self._kernels = game.rules
        self.state = self._tools.state

    def deal(self, seed: int, number: int) -> None:
        """Start deal ``number`` of a seed, as a run deals it."""
        if not 0 <= seed <= MAX_SEED:
            raise ValueError(f"seed {seed} is out of range; allowed: 0 to {MAX_SEED}")
        seed_stream(self._tools.cards, seed, number, DEAL)
        for seat in range(self.players):
            seed_stream(self._tools.luck[seat], seed, number, 1 + seat)
        self._kernels.deal(self.rules, self.state, self._tools.cards)

    def load(self, position: Json) -> None:
        """Set up a position; raises BadPosition (and leaves the match as it was) if it is not a valid one."""
        before = self.state.copy()
        try:
            self.game.notation.read_position(self.rules, self.options, position, self.state)
        except ValueError:
            self._restore(before)
            raise

    def position(self) -> Json:
        """The full position, hidden cards included."""
        return self.game.notation.write_position(self.rules, self.options, self.state)  # type: ignore[no-any-return]

    def view(self, seat: int) -> Json:
        """What ``seat`` may know."""
        self.observe(seat)
        return self.game.notation.write_view(self.rules, self.options, self._tools.view)  # type: ignore[no-any-return]

    def to_act(self) -> int | None:
        """The seat to decide; None when the match is over or a chance event is pending."""
        seat = int(self._kernels.to_act(self.state))
        return seat if seat >= 0 else None

    def chance_pending(self) -> bool:
        """Is it chance's turn?"""
        return int(self._kernels.to_act(self.state)) == CHANCE

    def is_over(self) -> bool:
        """Has the match ended?"""
        return int(self._kernels.to_act(self.state)) == NOBODY

    def legal(self) -> list[Json]:
        """Every legal move of the pending decision, in the engine's order; [] when nobody decides."""
        return [self.write_move(code) for code in self.legal_codes()]

    def step(self, step: Json) -> None:
        """Take a decision or let a chance event happen; raises IllegalStep and changes nothing if it is not allowed."""
        if "chance" in step:
            self._take_event(step)
            return
        if step.get("by") != self.to_act() or isinstance(step.get("by"), bool) or self.to_act() is None:
            raise IllegalStep(f"seat {step.get('by')} is not the one to decide")
        wanted = _text({key: value for key, value in step.items() if key != "by"})
        for code in self.legal_codes():
            if _text(self.write_move(code)) == wanted:
                self._kernels.apply(self.rules, self.state, code)
                return
        self._check_cards(step)
        raise IllegalStep(f"{wanted} is not a legal move here")

    def _check_cards(self, step: Json) -> None:
        """Raises IllegalStep for a word that stands where a card must, and is none."""
        notation = self.game.notation
        for field in notation.CARD_FIELDS & set(step):
            for name in step[field] if isinstance(step[field], list) else [step[field]]:
                if not isinstance(name, str) or not notation.is_card(self.options, name):
                    raise IllegalStep(f"{name!r} is not a card")

    def apply(self, code: int) -> None:
        """Carry out a legal move given by its code."""
        self._kernels.apply(self.rules, self.state, code)

    def draw(self) -> Json:
        """Let chance decide the pending event from the deal's own stream; returns it as a step."""
        self._kernels.draw_event(self.rules, self.state, self._tools.cards, self._tools.event)
        step: Json = self.game.notation.write_event(self.rules, self.options, self.state, self._tools.event)
        self._kernels.apply_event(self.rules, self.state, self._tools.event)
        return step

    def choose(self, decide: Any, params: np.ndarray[Any, Any]) -> int:
        """The code of the move that a bot takes; raises IllegalStep if it is none."""
        choice, count = self.choice(decide, params)
        if not 0 <= choice < count:
            raise IllegalStep(f"the bot in seat {self.to_act()} chose move {choice} of {count}")
        return self.legal_codes(params)[choice]

    def choice(self, decide: Any, params: np.ndarray[Any, Any]) -> tuple[int, int]:
        """What a bot answers, and of how many moves; a seat with one legal move is not asked."""
        seat = self.to_act()
        assert seat is not None
        count = len(self.legal_codes(params))
        if count == 1:
            return 0, 1
        self.observe(seat)
        tools = self._tools
        return int(decide(tools.view, self.rules, tools.moves, count, params, tools.luck[seat])), count

    @property
    def luck(self) -> np.ndarray[Any, Any]:
        """The seats' own streams, int64 (MAX_SEATS, WORDS)."""
        return self._tools.luck

    @property
    def moves(self) -> np.ndarray[Any, Any]:
        """The room that legal moves are written into."""
        return self._tools.moves

    def result(self) -> Json | None:
        """Ranks, scores, winner, reason and the game's own extras; None while the match goes on."""
        if not self.is_over():
            return None
        result = self._tools.result
        self._kernels.outcome(self.rules, self.state, result)
        winner = int(result.winner)
        common: Json = {
            "ranks": [int(rank) for rank in result.ranks[: self.players]],
            "scores": [int(score) for score in result.scores[: self.players]],
            "winner": winner if winner >= 0 else None,
            "reason": self.game.state.REASONS[int(result.reason)],
        }
        extras = getattr(self.game.notation, "write_result_extras", None)
        return common | (extras(self.rules, self.options, self.state, common) if extras else {})

    def _take_event(self, step: Json) -> None:
        if not self.chance_pending():
            raise IllegalStep("no chance event is pending here")
        self.game.notation.read_event(self.rules, self.options, self.state, step, self._tools.event)
        self._kernels.apply_event(self.rules, self.state, self._tools.event)

    def legal_codes(self, params: np.ndarray[Any, Any] | None = None) -> list[int]:
        """The codes of :meth:`legal`; those that a bot of these ``params`` is offered."""
        if self.to_act() is None:
            return []
        moves = self._tools.moves
        count = int(self._kernels.legal(self.rules, self.state, moves))
        if params is not None and params[NEVER]:
            count = int(spare_of(self.game.id)(self.rules, self.state, moves, count, params[NEVER]))
        return [int(code) for code in self._tools.moves[:count]]

    def write_move(self, code: int) -> Json:
        """The JSON of a legal move's code, without ``by``."""
        return self.game.notation.write_move(self.rules, self.options, self.state, code)  # type: ignore[no-any-return]

    def observe(self, seat: int) -> Any:
        """What ``seat`` may know, as the record that bots are shown; written over by the next call."""
        self._kernels.observe(self.rules, self.state, seat, self._tools.view)
        return self._tools.view

    def _restore(self, before: Any) -> None:
        for name in before.dtype.names:
            self.state[name] = before[name]


def _text(value: Json) -> str:
    """Exact comparison: JSON tells 1 from true and 1.0."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
