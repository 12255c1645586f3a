"""Jack and Jill: the rules of ``docs/rules/jack_and_jill.md``, whose section numbers stand beside the code.

First the functions that every game has (``engine/contract.py``), then how legal moves are found, then the steps of
an action and the end tests. The game has no chance events: all its luck is in the deal (section 1).
"""

from __future__ import annotations

from engine.cards import EMPTY, count, lowest, one, rank, rest, suit
from engine.contract import NOBODY
from engine.games.jack_and_jill.hill import (
    aim_jokers,
    black_spots,
    due_of,
    in_trade_range,
    lacks_hand,
    lacks_suit,
    lacks_sum,
    melee_jokers,
    need_of,
    red_spots,
    shorter_way,
    spot_after,
    suit_at,
    sum_of,
    undefeated,
)
from engine.games.jack_and_jill.search import can_win
from engine.games.jack_and_jill.state import (
    ALWAYS,
    C1,
    C2,
    C3,
    C4,
    FIRST_RANK,
    JACK,
    JILL,
    LITERAL,
    MELEE,
    MOST_SEATS,
    MOVE_JACK,
    MOVE_JILL,
    OF_SUIT,
    OFF,
    OPEN,
    PASS,
    RANGED,
    RANKS,
    REST,
    SPOTS,
    STALLED,
    STUCK,
    SUITS,
    TRADE,
    WELL_CARDS,
    WON,
    aim_of,
    attack_of,
    card_of,
    cards_of,
    code,
    jokers_of,
    kind_of,
    part_of,
    part_sum,
    spot_of,
    taken_of,
    to_of,
    value,
    values_of,
)
from engine.kernel import kernel
from engine.rng import shuffle


@kernel
def deal(rules, state, rng):
    """Shuffle Hill and Well, lay the Hill and deal the hands (section 1)."""
    clear(rules, state)
    table = state.table
    for spot in range(SPOTS):
        table.hill[spot] = FIRST_RANK * SUITS + spot
    shuffle(rng, table.hill, SPOTS)
    lay_hill(table)
    for red in range(2):
        jacks = table.rank_spots[0] & (red_spots(table) if red else black_spots(table))
        table.pawn[red] = lowest(jacks)
        table.down |= one(lowest(jacks))
    if rules.king_of_the_hill:
        table.crown = one(lowest(table.rank_spots[RANKS - 1]))
    for card in range(40):
        state.well[card] = card
    shuffle(rng, state.well, 40)
    state.in_well = WELL_CARDS
    table.well_count = 40
    for seat in range(rules.players):
        draw(state, seat, rules.hand_size)
    table.turn = rules.first_seat if rules.players == 2 else 0
    see_hands(rules, state)
    judge(rules, state, True)


@kernel
def to_act(state):
    """The seat to decide, or NOBODY."""
    return state.table.turn if state.table.reason == OPEN else NOBODY


@kernel
def legal(rules, state, moves):
    """Write every legal move into ``moves``, ascending; return their number (section 2)."""
    table = state.table
    if table.reason != OPEN:
        return 0
    seat = table.turn
    hand = state.hand[seat]
    alone = rules.players == 1
    due = due_of(rules, table, undefeated(table))
    n = 0
    if alone or seat == JACK:
        n = legal_moves(MOVE_JACK, hand, table.pawn[JACK], moves, n)
    if alone or seat == JILL:
        n = legal_moves(MOVE_JILL, hand, table.pawn[JILL], moves, n)
    if (alone or seat == JACK) and due & black_spots(table) & one(table.pawn[JACK]):
        n = legal_melee(rules, table, hand, moves, n)
    if alone or seat == JILL:
        targets = due & red_spots(table) & ~one(table.pawn[JILL])
        while targets:
            n = legal_ranged(rules, table, hand, lowest(targets), moves, n)
            targets = rest(targets)
    cards = hand
    while cards:
        moves[n] = code(REST, lowest(cards))
        n += 1
        cards = rest(cards)
    if not alone:
        moves[n] = code(PASS)
        n += 1
        if in_trade_range(rules, table):
            n = legal_trades(hand, state.hand[seat ^ 1], moves, n)
    return n


@kernel
def apply(rules, state, move):
    """Carry out a legal action and what the engine does after it (section 2, steps 1 to 6)."""
    table = state.table
    seat = table.turn
    kind = kind_of(move)
    drawn = 0
    if kind == MOVE_JACK or kind == MOVE_JILL:
        table.pawn[JACK if kind == MOVE_JACK else JILL] = to_of(move)
        discard(state, seat, one(card_of(move)))
        drawn = rules.move_draw
    elif kind == MELEE or kind == RANGED:
        attack(rules, state, move)
        drawn = rules.hand_size - count(state.hand[seat])
    elif kind == REST:
        discard(state, seat, one(card_of(move)))
        drawn = rules.rest_draw
    elif kind == TRADE:
        swapped = one(card_of(move)) | one(taken_of(move))
        state.hand[seat] ^= swapped
        state.hand[seat ^ 1] ^= swapped
    if undefeated(table):
        draw(state, seat, drawn)
    else:  # the last monster is down: no draw (2)
        score_leftovers(rules, state)
    idle = kind == PASS or kind == TRADE
    table.stall = table.stall + 1 if idle else 0
    if rules.players == 2:
        table.turn = seat ^ 1
    see_hands(rules, state)
    judge(rules, state, not idle)


@kernel
def observe(_rules, state, seat, view):
    """Write into ``view`` what ``seat`` may know of ``state`` (section 6), and nothing else."""
    view.table = state.table
    view.seat = seat
    other = seat ^ 1
    view.hand[seat] = state.hand[seat]
    view.hand[other] = state.table.shown[other]
    view.unseen = state.in_well | state.hand[other] & ~state.table.shown[other]


@kernel
def determinize(_rules, view, rng, state):
    """Fill ``state`` with a random possibility that fits ``view``, hidden cards drawn from ``unseen``."""
    state.table = view.table
    other = view.seat ^ 1
    for seat in range(MOST_SEATS):
        state.hand[seat] = view.hand[seat]
    # The hidden cards in random order: first the Well from below, then the rest of the partner's hand.
    cards = view.unseen
    size = 0
    while cards:
        state.well[size] = lowest(cards)
        size += 1
        cards = rest(cards)
    shuffle(rng, state.well, size)
    state.in_well = view.unseen
    for i in range(view.table.well_count, size):
        state.hand[other] |= one(state.well[i])
        state.in_well ^= one(state.well[i])


@kernel
def outcome(rules, state, result):
    """Write ranks, scores, winner and reason of a match that is over (section 5)."""
    result.reason = state.table.reason
    result.winner = -1
    for seat in range(rules.players):
        result.ranks[seat] = 0
        result.scores[seat] = score_of(state.table)


@kernel
def score_of(table):
    """The score of a match that is over: the score pile of a win (section 5)."""
    return count(table.scored) if table.reason == WON else 0


# ---------------------------------------------------------------- legal moves, in the order of section 2


@kernel
def legal_moves(kind, hand, spot, moves, n):
    """Each card moves the pawn its value either way; a Six lands on one spot both ways (section 7)."""
    while hand:
        card = lowest(hand)
        back = spot_after(spot, -value(card))
        ahead = spot_after(spot, value(card))
        moves[n] = code(kind, card, min(back, ahead))
        moves[n + 1] = code(kind, card, max(back, ahead))
        n += 2 if back != ahead else 1
        hand = rest(hand)
    return n


@kernel
def legal_melee(rules, table, hand, moves, n):
    """Every Melee Attack on the due monster under Jack."""
    spot = table.pawn[JACK]
    need = need_of(rules, table, spot)
    if sum_of(hand) < need:
        return n
    allowed = min(table.jokers[JACK], rules.jokers_per_action)  # alone the pool is the first entry, too
    own = part_of(hand, OF_SUIT[suit_at(table, spot)])
    values = values_of(hand)
    for part in range(1, 1 << count(hand)):
        jokers = melee_jokers(rules, count(part & own))
        # Here and below each move is written, but only one that is legal is kept: quicker than to branch.
        moves[n] = code(MELEE, spot, 0, part, jokers)
        n += 1 if part_sum(values, part) >= need and jokers <= allowed else 0
    return n


@kernel
def legal_ranged(rules, table, hand, spot, moves, n):
    """Every Ranged Attack on the due monster on a spot that is not Jill's."""
    foreign_cards = hand & ~OF_SUIT[suit_at(table, spot)]
    need = need_of(rules, table, spot)
    if sum_of(foreign_cards) < need:
        return n
    allowed = min(table.jokers[rules.players - 1], rules.jokers_per_action)
    foreign = part_of(hand, foreign_cards)
    values = values_of(hand)
    way = shorter_way(table.pawn[JILL], spot)
    for aim in range(rules.min_aim, 1 << count(hand)):
        usable = foreign & ~aim
        if part_sum(values, usable) < need:
            continue
        jokers = aim_jokers(rules, way, part_sum(values, aim))
        if jokers > allowed:
            continue
        part = -usable & usable
        while part:
            moves[n] = code(RANGED, spot, aim, part, jokers)
            n += 1 if part_sum(values, part) >= need else 0
            part = (part - usable) & usable
    return n


@kernel
def legal_trades(hand, partners, moves, n):
    """Any card of the hand for any of the partner's."""
    while hand:
        takes = partners
        while takes:
            moves[n] = code(TRADE, lowest(hand), lowest(takes))
            n += 1
            takes = rest(takes)
        hand = rest(hand)
    return n


# ---------------------------------------------------------------- steps of an action


@kernel
def attack(rules, state, move):
    """The monster is turned down; the cards score if the attack is exact (section 2, Attack)."""
    table = state.table
    seat = table.turn
    spot = spot_of(move)
    cards = cards_of(state.hand[seat], attack_of(move))
    aim = cards_of(state.hand[seat], aim_of(move))
    over = sum_of(cards) - need_of(rules, table, spot)
    table.down |= one(spot)
    table.jokers[seat] -= jokers_of(move)
    if over > rules.exact_margin:
        discard(state, seat, cards | aim)
        return
    table.scored |= cards
    state.hand[seat] &= ~cards
    if rules.exact_scores_aim:
        table.scored |= aim
        state.hand[seat] &= ~aim
    else:
        discard(state, seat, aim)


@kernel
def discard(state, seat, cards):
    """Cards of a hand go to the discard pile."""
    state.hand[seat] &= ~cards
    state.table.discard |= cards


@kernel
def draw(state, seat, number):
    """Draw from the top of the Well, as many cards as it has (section 2, step 3)."""
    for _ in range(min(number, state.table.well_count)):
        state.table.well_count -= 1
        card = one(state.well[state.table.well_count])
        state.in_well ^= card
        state.hand[seat] |= card


@kernel
def score_leftovers(rules, state):
    """After a win all hands and the Well go to the score pile (section 2, step 2)."""
    if rules.leftover_scores:
        state.table.scored |= cards_left(state)
        state.hand[0] = EMPTY
        state.hand[1] = EMPTY
        state.in_well = EMPTY
        state.table.well_count = 0


@kernel
def see_hands(rules, state):
    """What a partner knows of each hand (section 6), and the sizes of the hands."""
    table = state.table
    is_open = in_trade_range(rules, table) or rules.open_hands == ALWAYS or table.well_count == 0
    for seat in range(rules.players):
        table.hand_count[seat] = count(state.hand[seat])
        if rules.players == 2:
            table.shown[seat] = state.hand[seat] if is_open else table.shown[seat] & state.hand[seat]


@kernel
def judge(rules, state, used):
    """The end tests, in their order (section 4); ``used``: could the cards left have changed?"""
    table = state.table
    if not undefeated(table):
        table.reason = WON
    elif rules.players == 2 and table.stall >= rules.stall_limit:
        table.reason = STALLED
    elif used:  # a Pass or a Trade leaves the verdict of the other tests as it was
        table.reason = lost(rules, state)


@kernel
def lost(rules, state):
    """Why a match with monsters left is lost, or OPEN: C1 to C4 and stuck (section 4)."""
    table = state.table
    if rules.loss_checks != OFF:
        left = cards_left(state)
        jokers = 0 if rules.loss_checks == LITERAL else table.jokers[0]
        if lacks_sum(rules, table, left):
            return C1
        if lacks_suit(rules, table, left, jokers):
            return C2
        if lacks_hand(rules, table, left, jokers):
            return C3
        if rules.c4_search and table.well_count == 0 and not can_still_win(rules, state):
            return C4
    if rules.players == 1 and state.hand[0] == EMPTY:
        return STUCK
    return OPEN


@kernel
def can_still_win(rules, state):
    """The search of C4 from here."""
    table = state.table
    jack, jill = table.pawn[JACK], table.pawn[JILL]
    hand0, hand1 = state.hand[0], state.hand[1]
    up = undefeated(table)
    return can_win(rules, table, state.end, hand0, hand1, jack, jill, up, table.jokers[0], table.jokers[1])


@kernel
def cards_left(state):
    """L of section 4: the cards in all hands and the Well."""
    return state.hand[0] | state.hand[1] | state.in_well


@kernel
def lay_hill(table):
    """Where each suit and each rank of the Hill lie."""
    for spot in range(SPOTS):
        card = table.hill[spot]
        table.suit_spots[suit(card)] |= one(spot)
        table.rank_spots[rank(card) - FIRST_RANK] |= one(spot)


@kernel
def clear(rules, state):
    """An empty table: no card anywhere, all Jokers unused."""
    table = state.table
    table.turn = 0
    table.down = EMPTY
    table.crown = EMPTY
    for i in range(SUITS):
        table.suit_spots[i] = EMPTY
    for i in range(RANKS):
        table.rank_spots[i] = EMPTY
    for seat in range(MOST_SEATS):
        table.shown[seat] = EMPTY
        table.hand_count[seat] = 0
        state.hand[seat] = EMPTY
    table.jokers[0] = rules.jokers if rules.players == 1 else rules.jokers_jack
    table.jokers[1] = 0 if rules.players == 1 else rules.jokers_jill
    table.well_count = 0
    table.discard = EMPTY
    table.scored = EMPTY
    table.stall = 0
    table.reason = OPEN
    state.in_well = EMPTY
