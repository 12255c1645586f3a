"""Telemetry against a plain recount: the same matches played step by step, everything counted with lists and sets."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from bots import registry as bots
from engine import registry
from engine.games.queen_of_the_hill import deck
from engine.loop import NEVER
from engine.match import Match
from engine.telemetry import PARTS, SUMS
from tournament.plan import plan_run
from tournament.worker import Worker

DEALS = 6
SEATS = [("cuttle", 2), ("jericho", 2), ("jack_and_jill", 1), ("jack_and_jill", 2), ("jackal_and_high", 3),
         ("queen_of_the_hill", 4)]  # fmt: skip


class Recount:
    """One match after the other, counted in plain Python."""

    def __init__(self, game_id: str, players: int) -> None:
        self.game = registry.game(game_id)
        self.players = players
        self.sums = {name: np.zeros(SUMS[name].shape, np.int64) for name in SUMS.names or ()}
        self.cells: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(players)]  # uses, units of a match
        self.units: list[list[int]] = [[] for _ in range(players)]

    def play(self, entrants: Any, options: Any, seed: int, deal: int) -> None:
        telemetry = self.game.telemetry
        match = Match(self.game, options, self.players)
        match.deal(seed, deal)
        kernels = self.game.rules
        standings = [(0, self._standing(match))]  # ply and standing of every position
        plies = [0] * self.players
        uses: list[list[int]] = [[] for _ in range(self.players)]
        had: list[set[int]] = [set() for _ in range(self.players)]
        dealt = [self._held(match, seat) for seat in range(self.players)]
        blind: set[int] = set()
        forced = legal = 0
        while not match.is_over():
            seat = match.to_act()
            if seat is None:
                match.draw()
                standings.append((sum(plies), self._standing(match)))
                continue
            count = len(match.legal())
            legal += count
            forced += count == 1
            had[seat] |= self._held(match, seat)
            code = match.choose(entrants[seat].bot.decide, entrants[seat].params)
            cell = int(telemetry.used(match.rules, match.state, code))
            if cell >= 0:
                uses[seat].append(cell)
            card = int(telemetry.drawn(match.rules, match.state, seat, code))
            if card >= 0 and seat not in blind:
                blind.add(seat)
                uses[seat].append(card)
            match.apply(code)
            plies[seat] += 1
            standings.append((sum(plies), self._standing(match)))
        result = match.result()
        assert result is not None
        for seat in range(self.players):
            had[seat] |= self._held(match, seat)
        self._add(match, result, plies, forced, legal, standings, uses, dealt, had)
        assert kernels.to_act(match.state) == -1

    def _standing(self, match: Match) -> list[int]:
        return [int(self.game.telemetry.standing(match.rules, match.state, seat)) for seat in range(self.players)]

    def _held(self, match: Match, seat: int) -> set[int]:
        cards = int(self.game.telemetry.held(match.rules, match.state, seat))
        return {bit for bit in range(63) if cards >> bit & 1}

    def _add(
        self,
        match: Match,
        result: Any,
        plies: list[int],
        forced: int,
        legal: int,
        standings: list[tuple[int, list[int]]],
        uses: list[list[int]],
        dealt: list[set[int]],
        had: list[set[int]],
    ) -> None:
        sums, game = self.sums, self.game
        total = sum(plies)
        rounds = int(game.telemetry.rounds(match.rules, match.state))
        for name, value in (("matches", 1), ("plies", total), ("forced", forced), ("legal", legal), ("rounds", rounds)):
            sums[name] += value
        sums["rounds_hist"][min(rounds, 63)] += 1
        sums["reasons"][game.state.REASONS.index(result["reason"])] += 1
        leader, since, changes = None, 0, 0
        for ply, points in standings:
            if self.players > 1 and points.count(max(points)) == 1 and points.index(max(points)) != leader:
                changes += leader is not None
                leader, since = points.index(max(points)), ply
        if leader is not None:
            sums["led"] += 1
            sums["lead_changes"] += changes
            sums["changes_hist"][min(changes, 15)] += 1
            sums["last_lead"] += 1000 * since // total
            sums["last_hist"][min(1000 * since // total * PARTS // 1000, PARTS - 1)] += 1
        winner = result["winner"]
        if winner is not None and self.players > 1:
            scores = result["scores"]
            margin = scores[winner] - max(score for seat, score in enumerate(scores) if seat != winner)
            sums["decided"] += 1
            sums["margin"] += margin
            sums["margin_hist"][min(max(PARTS * margin // max(scores[winner], 1), 0), PARTS - 1)] += 1
            behind = max(max(points) - points[winner] for _, points in standings)
            sums["comebacks"] += behind > 0
            sums["deficit"] += behind
            sums["curve_matches"] += 1
            for part in range(PARTS + 1):
                points = [entry for ply, entry in standings if ply * PARTS <= total * part][-1]
                sums["curve"][part] += points[winner] - max(p for seat, p in enumerate(points) if seat != winner)
        for seat in range(self.players):
            sums["seat_plies"][seat] += plies[seat]
            units = self._units(result, seat)
            sums["units"][seat] += units
            self.units[seat].append(units)
            # The first two ways: dealt, and came later.
            came = [(bit, 0) for bit in dealt[seat]] + [(bit, 1) for bit in had[seat] - dealt[seat]]
            cells = uses[seat] + [int(game.telemetry.piece_held(1 << bit)) + way for bit, way in came]
            for cell in set(cells):
                self.cells[seat].setdefault(cell, []).append((cells.count(cell), units))

    def _units(self, result: Any, seat: int) -> Any:
        if self.game.won:
            return max(2 * (self.players - 1), 1) * (result["reason"] == self.game.won)
        if result["reason"] in self.game.none_wins:
            return 0
        ranks = result["ranks"]
        others = [rank for other, rank in enumerate(ranks) if other != seat]
        return sum(2 * (rank > ranks[seat]) + (rank == ranks[seat]) for rank in others)


@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_telemetry_is_what_a_plain_recount_says(game_id: str, players: int) -> None:
    game = registry.game(game_id)
    name = bots.names(game_id)[2]
    plan = plan_run(game_id, name, players=players, matches=DEALS, seed=5, telemetry=True)
    assert len(plan.lineups) == 1
    results = Worker(plan.settings).play(0, plan.matches)
    recount = Recount(game_id, players)
    for deal in range(DEALS):
        recount.play([plan.entrants[0]] * players, plan.variants[0].options, plan.seed, deal)
    tally = results.tally
    for field, wanted in recount.sums.items():
        assert tally.inside_of(field).sum(axis=(0, 1)).tolist() == wanted.tolist(), field
    used, uses, gained = (tally.inside_of(name).sum(axis=(0, 1)) for name in ("used", "uses", "gained"))
    assert used.shape == (players, game.cells)
    for cell in range(game.cells):
        lists = [seat.get(cell, []) for seat in recount.cells]
        assert used[:, cell].tolist() == [len(one) for one in lists], cell
        assert uses[cell] == sum(count for one in lists for count, _ in one), cell
        assert gained[cell] == sum(units for one in lists for _, units in one), cell
    assert used.any()


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_telemetry_does_not_change_results(game_id: str) -> None:
    name = bots.names(game_id)[1]
    plain, watched = (plan_run(game_id, f"random,{name}", matches=8, seed=2, telemetry=on) for on in (False, True))
    assert (
        Worker(plain.settings).play(0, plain.matches).rows == Worker(watched.settings).play(0, watched.matches).rows
    ).all()
    assert Worker(plain.settings).play(0, plain.matches).tally.inside.size == 0


@pytest.mark.parametrize("game_id", registry.GAMES)
def test_ways_and_pieces_have_names_and_numbers(game_id: str) -> None:
    game = registry.game(game_id)
    assert len({*game.ways, *game.pieces}) == len(game.ways) + len(game.pieces)
    assert len(game.ways) <= 16
    assert len(game.ways) + len(game.pieces) < 53  # a float64 holds the set


@pytest.mark.parametrize(
    ("game_id", "never"),
    [("cuttle", "counter"), ("cuttle", "Q"), ("jericho", "chained"), ("jack_and_jill", "joker"),
     ("jackal_and_high", "9"), ("queen_of_the_hill", "stop")],
)  # fmt: skip
def test_what_a_bot_must_never_use_it_does_not_use(game_id: str, never: str) -> None:
    game = registry.game(game_id)
    uses = []
    for spec in ("random", f"random(never={never})", f"{bots.names(game_id)[1]}(never={never})"):
        plan = plan_run(game_id, spec, matches=100, seed=4, telemetry=True)
        assert plan.entrants[0].spec == spec
        tally = Worker(plan.settings).play(0, plan.matches).tally
        pieces = tally.inside_of("uses").sum(axis=(0, 1)).reshape(-1, len(game.ways))
        at = [game.ways.index(way) for way in game.elements]
        did = pieces[:, game.ways.index(never)] if never in game.ways else pieces[1 + game.pieces.index(never)][at]
        uses.append(int(did.sum()))
    # Where it is left no other move it uses it all the same: that is allowed, and rare.
    assert uses[0] > 10 * max(uses[1:])
    assert plan.entrants[0].params[NEVER] == plan.entrants[0].forbidden > 0


def test_a_trace_forbids_what_a_run_forbids() -> None:
    from tournament.trace import trace

    game = registry.game("cuttle")
    (entrant,) = bots.field("cuttle", "greedy(never=points+scuttle)")
    for number in range(5):
        document = trace(game, "standard", game.settle({}, 2), [entrant, entrant], 3, number)
        plan = plan_run("cuttle", entrant.spec, matches=5, seed=3)
        rows = Worker(plan.settings).play_lineup(0, number, 1)
        assert rows[3:, 0].tolist() == document["result"]["scores"]
        assert rows[2, 0] == len(document["steps"])


# What each move is, by its JSON: the way it uses a piece. Attacks of Jack and Jill and a Joker in them: see below.
WAYS: dict[str, dict[str, str | None]] = {
    "cuttle": {
        "points": "points", "scuttle": "scuttle", "royal": "royal", "jack": "jack", "oneoff": "one_off",
        "counter": "counter", "three_pick": "picked", "four_discard": "dropped", "five_discard": "dropped",
        "discard": "dropped", "draw": None, "pass": None, "resolve": None,
    },
    "jericho": {"place": "placed", "stop": "stop", "pass": "pass"},
    "jack_and_jill": {
        "move": "move", "rest": "rest", "trade": "trade", "melee": "melee", "ranged": "ranged", "pass": "pass"
    },
    "jackal_and_high": {"place": "aimed", "stack": "stacked", "reroll": "reroll", "valley": "valley"},
    "queen_of_the_hill": {
        "form": "formed", "keep": "kept", "play": "played", "discard": "discarded", "draw": "draw", "stop": "stop",
        "pass": "pass",
    },
}  # fmt: skip
SEEN_RARELY = {"cuttle": {"pass"}, "jack_and_jill": {"pass"}, "queen_of_the_hill": {"kept"}}


def use(game_id: str, match: Match, move: dict[str, Any]) -> tuple[str | None, str]:
    """The way and the piece of a move, told from the position and the move's JSON alone; '' for no piece."""
    way = WAYS[game_id][move.get("as", move["move"])]
    card = str(move.get("card", move.get("give", (move.get("cards") or [""])[0])))
    position = match.position()
    if game_id == "jericho" and position["chain"] and way == "placed":
        way = "chained"
    if game_id == "jack_and_jill" and move.get("jokers"):
        way = "joker"
    if game_id == "jackal_and_high":
        if way == "aimed":
            card = position["row"][next(at for _, at in move["put"])]["card"]
        return way, {"T2": "take_2", "L8": "lucky_8"}.get(card, card)
    if game_id == "queen_of_the_hill":
        return way, position["drawn"] if way in ("formed", "kept") else card
    return way, "" if way in ("pass", "stop", "melee", "ranged", "joker", None) else card[:1]


@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_moves_count_for_the_way_and_piece_that_they_are(game_id: str, players: int) -> None:
    game = registry.game(game_id)
    match = Match(game, {}, players)
    names = [game.piece_name(match.options, piece) for piece in range(len(game.pieces))]
    if game_id == "queen_of_the_hill":
        names = deck.ids_of("standin")
    dice = random.Random(players)
    seen = set()
    for number in range(12 if game_id == "jackal_and_high" else 60):  # which has more moves than all others
        match.deal(9, number)
        while not match.is_over():
            if match.chance_pending():
                match.draw()
                continue
            codes = match.legal_codes()
            for code in dice.sample(codes, min(len(codes), 8)):
                move = match.write_move(code)
                cell = int(game.telemetry.used(match.rules, match.state, code))
                piece, way = divmod(cell, len(game.ways))
                counted = (None, "") if cell < 0 else (game.ways[way], names[piece - 1] if piece else "")
                assert counted == use(game_id, match, move), move
                seen.add(counted[0])
            match.apply(dice.choice(codes))
    known = {*WAYS[game_id].values(), *(["chained"] if game_id == "jericho" else [])}
    assert seen | SEEN_RARELY.get(game_id, set()) | ({"trade"} if players == 1 else set()) >= known


def test_dealt_effects_of_cuttles_cards_are_those_recomputed_from_traces() -> None:
    from tournament.balance.inside import inside_of, piece_effects
    from tournament.describe import describe
    from tournament.trace import trace

    deals = 60
    plan = plan_run("cuttle", "warden,greedy", matches=2 * deals, seed=8, telemetry=True)
    within = inside_of(describe(plan), Worker(plan.settings).play(0, plan.matches).tally)
    assert within is not None
    rows = []  # line-up, seat, ranks dealt, share
    for match in range(plan.matches):
        deal, lineup = plan.locate(match)
        seats = [plan.entrants[bot] for bot in lineup.entrants]
        document = trace(plan.game, "standard", plan.variants[0].options, seats, plan.seed, deal, positions=True)
        ranks = document["result"]["ranks"]
        for seat in (0, 1):
            hand = document["start"][f"p{seat}"]["hand"]
            share = (1.0 + (ranks[1 - seat] > ranks[seat]) - (ranks[1 - seat] < ranks[seat])) / 2.0
            rows.append((lineup.entrants, seat, {card[:-1] for card in hand}, share))
    checked = 0
    for effect in piece_effects(within):
        if effect.way != "dealt" or effect.effect.value is None:
            continue
        gain = weight = 0.0
        for stratum in {row[:2] for row in rows}:
            shares = [(effect.piece in dealt, share) for *at, dealt, share in rows if tuple(at) == stratum]
            with_it = [share for has, share in shares if has]
            mean = sum(share for _, share in shares) / len(shares)
            gain += sum(with_it) - len(with_it) * mean
            weight += len(with_it) * (len(shares) - len(with_it)) / len(shares)
        assert effect.effect.value == pytest.approx(gain / weight, abs=1e-12)
        checked += 1
    assert checked == 13


@pytest.mark.parametrize(
    ("game_id", "bots"), [("cuttle", "warden,greedy"), ("queen_of_the_hill", "counter,random,threshold")]
)
def test_effects_of_the_first_card_drawn_blind_are_those_recomputed_from_traces(game_id: str, bots: str) -> None:
    from tournament.balance.inside import inside_of, piece_effects
    from tournament.describe import describe
    from tournament.trace import trace

    players = len(bots.split(","))
    plan = plan_run(game_id, bots, players=players, matches=480 if players == 2 else 240, seed=8, telemetry=True)
    within = inside_of(describe(plan), Worker(plan.settings).play(0, plan.matches).tally)
    assert within is not None
    if game_id == "cuttle":
        pieces = {rank + suit: rank for rank in plan.game.pieces for suit in "CDHS"}
    else:
        from engine.games.queen_of_the_hill.deck import ids_of

        options = plan.variants[0].options
        pieces = {card: plan.game.piece_name(options, kind) for kind, card in enumerate(ids_of(options["deck"]))}
    rows = []  # line-up and seat, the piece drawn first without having been seen, share
    for match in range(plan.matches):
        deal, lineup = plan.locate(match)
        seats = [plan.entrants[bot] for bot in lineup.entrants]
        document = trace(plan.game, "standard", plan.variants[0].options, seats, plan.seed, deal, positions=True)
        ranks = document["result"]["ranks"]
        none = document["result"]["reason"] in plan.game.none_wins
        first: dict[int, str] = {}
        before = document["start"]
        for step in document["steps"]:
            seat = step.get("by")
            if step.get("move") == "draw" and seat not in first:
                seen = before[f"p{seat}"].get("peek", 0) if players > 2 else before["deck_known"]
                if not seen and before["deck"]:
                    first[seat] = pieces[before["deck"][0]]
            before = step["after"]
        for seat in range(players):
            others = [rank for other, rank in enumerate(ranks) if other != seat]
            share = sum((rank > ranks[seat]) + (rank == ranks[seat]) / 2.0 for rank in others) / (players - 1)
            rows.append(((lineup.entrants, seat), first.get(seat), 0.0 if none else share))
    mean = {at: np.mean([share for row, _, share in rows if row == at]) for at, _, _ in rows}
    drew = [(piece, share - mean[at]) for at, piece, share in rows if piece]
    assert len(drew) > 0.5 * len(rows)
    checked = 0
    for effect in piece_effects(within):
        if effect.way == "drawn_blind" and effect.effect.value is not None:
            assert effect.chance
            have = [gain for piece, gain in drew if piece == effect.piece]
            others = [gain for piece, gain in drew if piece != effect.piece]
            assert effect.effect.value == pytest.approx(np.mean(have) - np.mean(others), abs=1e-12)
            checked += 1
    assert checked >= 5
