"""A run's facts, from the rules and bots that it is begun with: the last time that these are asked what they mean."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from bots.bot import Entrant
from engine.cache import ROOT, source_hash
from tournament.plan import Plan, Variant, lineup_array, own_file, own_files, sources
from tournament.rerun import command
from tournament.statistics.code import file_hash, name_of
from tournament.statistics.facts import BotFacts, Facts, VariantFacts

_MOST_SCORE = 1000  # medals for scores above are none of their own


def describe(plan: Plan) -> Facts:
    """All that a report must know of a run of this plan."""
    game = plan.game
    program = source_hash(path for path in sources(game.id, ()) if ROOT / "tournament" not in path.parents)[:16]
    return Facts(
        game=game.id,
        title=game.title,
        credit=game.credit,
        cooperative=game.cooperative,
        players=plan.players,
        seed=plan.seed,
        matches=plan.matches,
        bots=tuple(_bot(entrant, name, program) for entrant, name in zip(plan.entrants, plan.names, strict=True)),
        variants=tuple(_variant(plan, variant) for variant in plan.variants),
        lineups=tuple(tuple(row) for row in lineup_array(plan)[: plan.board].tolist()),
        reasons=tuple(game.state.REASONS),
        nobody=tuple(sorted(game.none_wins)),
        won=game.won,
        ways=tuple(game.ways),
        meanings={option.name: option.meaning for option in game.options},
        notices=plan.notices,
        again=command(plan) or "",
        code=hashes(plan),
        layout=plan.layout,
    )


def hashes(plan: Plan) -> dict[str, str]:
    """The files that decide the results of a plan, with hashes of what they hold."""
    return {name_of(path): file_hash(path) for path in sorted(sources(plan.game.id, plan.settings["bots"]))}


def _bot(entrant: Entrant, name: str, program: str) -> BotFacts:
    own = [path for path in (own_file(part.name) for part in entrant.parts) if path]
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in own) if own else None
    return BotFacts(
        spec=entrant.spec,
        base=replace(entrant, never=(), forbidden=0).spec,
        idea=entrant.bot.idea,
        parameters={
            parameter.name: value for parameter, value in zip(entrant.bot.parameters, entrant.values, strict=True)
        },
        never=entrant.never,
        code=program if not own else hashlib.sha256(f"{program}\0{_own(own)}".encode()).hexdigest()[:16],
        source=text,
        label=name if name != entrant.spec else "",
    )


def _own(files: list[Path]) -> str:
    """A hash of a user's bot, or policy, and all that it draws on."""
    return source_hash(dict.fromkeys(own_files([str(file) for file in files])))


def _variant(plan: Plan, variant: Variant) -> VariantFacts:
    game = plan.game
    medals: list[tuple[int, str]] = []
    if game.medal:
        for score in range(_MOST_SCORE):
            name = game.medal(variant.options, score) or ""
            if name != (medals[-1][1] if medals else ""):
                medals.append((score, name))
    return VariantFacts(
        label=variant.label,
        name=variant.name,
        given=dict(variant.given),
        options=dict(variant.options),
        pieces=tuple(game.piece_name(variant.options, piece) for piece in range(len(game.pieces))),
        medals=tuple(medals),
    )
