"""Jackal & High: the rules of ``docs/rules/jackal_and_high.md``; its section numbers stand beside the code.

First the functions that every game has (``engine/contract.py``), then the turns and the set-up of section 2. Which
moves are legal stands in ``moves.py``, how a round begins and ends in ``rounds.py``.
"""

from __future__ import annotations

from engine.cards import place
from engine.contract import CHANCE, NOBODY
from engine.games.jackal_and_high.moves import legal_placements, reroll_possible
from engine.games.jackal_and_high.rounds import (
    after_contest_roll,
    after_valley_roll,
    dice_to_roll,
    finish,
    full_hands,
    layout,
    push,
    settle,
    stack_cards,
    start_round,
)
from engine.games.jackal_and_high.state import (
    CONTEST,
    DECK_OUT,
    DECK_SIZE,
    HAND,
    HIGH_CARD,
    LANES,
    LOW_MAX,
    LUCKY_8,
    MOST_DICE,
    MOST_ROW,
    MOST_SEATS,
    NO_CARD,
    OVER,
    PLACE,
    PLACING,
    REROLL,
    ROLL,
    ROW_GUARDS,
    SENDS_ONE,
    STACK,
    STACK_WORDS,
    STACKING,
    TAKE_2,
    VALLEY,
    above,
    at_least,
    bag_of,
    code,
    digit_of,
    faces,
    first_lane,
    hand_of,
    in_lane,
    kind_of,
    lane,
    lowest_number,
    stacked_card,
    up_to,
)
from engine.kernel import inlined, kernel
from engine.rng import below, keep, random_below, shuffle, words_of


@kernel
def deal(rules, state, rng):
    """Set up a match and lay out the first row (section 2, Set-up)."""
    clear(rules, state)
    table = state.table
    n = fill_deck(rules, state)
    if rules.valley_start:  # the animals come first in the ordered deck: one of them, each alike, leaves it
        chosen = random_below(rng, n - rules.take2_count - rules.lucky8_count)
        table.valley = state.deck[chosen]
        table.deck_animals -= bag_of(table.valley)
        n -= 1
        state.deck[chosen] = state.deck[n]
        state.deck[n] = NO_CARD
    state.table.deck_count = n
    shuffle(rng, state.deck, n)
    table.starter = random_below(rng, rules.players) if rules.first_seat < 0 else rules.first_seat
    if layout(rules, state):
        start_round(rules, state)
    else:
        finish(state, DECK_OUT)


@inlined
def to_act(state):
    """The seat to decide, NOBODY, or CHANCE."""
    phase = state.table.phase
    if phase == PLACING or phase == STACKING:  # a tuple would be looked through in a loop
        return state.table.turn
    return NOBODY if phase == OVER else CHANCE


@inlined
def legal(rules, state, moves):
    """Write every legal move into ``moves``, ascending; return their number (0 unless a seat decides)."""
    table = state.table
    if table.phase == PLACING:  # Turns, 2
        n = legal_placements(rules, table, moves)
        fits = n > 0
        if reroll_possible(rules, table):
            moves[n] = code(REROLL)
            n += 1
        if not fits:
            moves[n] = code(VALLEY)
            n += 1
        return n
    n = 0
    if table.phase == STACKING:  # End of the round, 3
        cards = table.won[table.turn]
        while cards:
            card = lowest_number(cards)
            moves[n] = code(STACK, card)
            n += 1
            cards = above(cards, card)
    return n


@inlined
def apply(rules, state, move):
    """Carry out a legal move and everything that follows without decision or chance."""
    table = state.table
    me = table.turn
    kind = kind_of(move)
    if kind == PLACE:
        put_dice(table, move)
        end_turn(rules, state)
    elif kind == REROLL:
        pick_up(table)
    elif kind == VALLEY:
        send_to_valley(table, 1)
        end_turn(rules, state)
    else:
        card = stacked_card(move)
        table.won[me] -= bag_of(card)
        push(rules, table, me, card)
        stack_cards(rules, state)


@inlined
def draw_event(rules, state, rng, event):
    """Roll the dice that are to be rolled, ascending for each seat; return the room used in ``event``."""
    table = state.table
    if table.phase == ROLL:
        dice = hand_of(table, table.turn)
        roll(rules, rng, event, 0, dice)
        return dice
    rolling = dice_to_roll(rules, table)
    for seat in range(rules.players):
        dice = lane(rolling, seat)
        if dice > 0:
            roll(rules, rng, event, MOST_DICE * seat, dice)
    return MOST_DICE * rules.players


@inlined
def apply_event(rules, state, event):
    """The dice show ``event``: carry out everything that follows without decision or chance."""
    table = state.table
    if table.phase == ROLL:
        for i in range(MOST_DICE):
            table.rolled[i] = event[i]
        table.attempt += 1
        after_roll(rules, state)
    elif table.phase == CONTEST:
        after_contest_roll(rules, state, event)
    else:
        after_valley_roll(rules, state, event)


@inlined
def observe(_rules, state, seat, view):
    """Write into ``view`` what ``seat`` may know of ``state``: all but the order of the deck (section 6)."""
    view.table = state.table
    view.seat = seat
    view.to_act = to_act(state)


@kernel
def determinize(_rules, view, rng, state):
    """Fill ``state`` with a random possibility that fits ``view``: the deck in any order."""
    state.table = view.table
    n = 0
    cards = view.table.deck_animals
    while cards:
        state.deck[n] = lowest_number(cards)
        cards -= bag_of(state.deck[n])
        n += 1
    for _ in range(view.table.deck_take2):
        state.deck[n] = TAKE_2
        n += 1
    for _ in range(view.table.deck_lucky8):
        state.deck[n] = LUCKY_8
        n += 1
    state.table.deck_count = n
    shuffle(rng, state.deck, n)
    for i in range(n, DECK_SIZE):
        state.deck[i] = NO_CARD


@kernel
def outcome(rules, state, result):
    """Write ranks, scores, winner and reason of a match that is over (section 5)."""
    table = state.table
    result.reason = table.reason
    result.winner = -1
    winners = 0
    for seat in range(rules.players):
        result.scores[seat] = table.paws[seat]
        rank = 0
        for other in range(rules.players):
            if worth(rules, table, other) > worth(rules, table, seat):
                rank += 1
        result.ranks[seat] = rank
        if rank == 0:
            winners += 1
            result.winner = seat
    if winners > 1:
        result.winner = -1


@inlined
def worth(rules, table, seat):
    """By what seats are ranked: paws, then (high_card) the highest animal (section 5)."""
    return 32 * table.paws[seat] + (table.high[seat] if rules.tie_break == HIGH_CARD else 0)


# ---------------------------------------------------------------- turns


@inlined
def roll(rules, rng, event, start, dice):
    """Roll ``dice`` dice (1 to MOST_DICE) into ``event[start:]``, ascending, then 0 up to MOST_DICE."""
    words = words_of(rng)
    a, words = die(rules, words)
    b, c, d = 0, 0, 0
    if dice > 1:
        b, words = die(rules, words)
        a, b = min(a, b), max(a, b)
    if dice > 2:
        c, words = die(rules, words)
        b, c = min(b, c), max(b, c)
        a, b = min(a, b), max(a, b)
    if dice > 3:
        d, words = die(rules, words)
        c, d = min(c, d), max(c, d)
        b, c = min(b, c), max(b, c)
        a, b = min(a, b), max(a, b)
    keep(rng, words)
    event[start], event[start + 1], event[start + 2], event[start + 3] = a, b, c, d


@inlined
def die(rules, words):
    """A die's face, and the generator after."""
    face, words = below(words, rules.die_sides)
    return 1 + face, words


@inlined
def after_roll(rules, state):
    """Turns, 2: leave the seat a decision, or do the only thing there is to do."""
    table = state.table
    table.phase = PLACING
    if at_least(table.rooms[place(table.turn)], table.rolled[0]) & ROW_GUARDS:
        return
    if reroll_possible(rules, table):
        if not rules.keep_unplaceable:
            pick_up(table)
        return
    send_to_valley(table, 1 if rules.unplaceable_dice == SENDS_ONE else hand_of(table, table.turn))
    end_turn(rules, state)


@inlined
def put_dice(table, move):
    """The dice of a placement lie on the row (Turns, 3).

    All are brought to their lanes, those that stay and those that are not there too, to lane 0, and what that does to
    the lane is undone: quicker than branches that nobody can predict.
    """
    seat = place(table.turn)
    rooms, counts = table.rooms[seat], table.counts[seat]
    for die in range(MOST_DICE):
        to = digit_of(move, die)
        face = table.rolled[die]
        rooms -= in_lane(face, to)
        counts += in_lane(1, to)
        table.dice[seat, place(to)] += faces(face)
    placed = MOST_DICE - lane(counts, 0)
    table.rooms[seat] = rooms | HAND
    table.counts[seat] = counts - lane(counts, 0)
    table.hands -= in_lane(placed, table.turn)


@inlined
def pick_up(table):
    """Re-roll: the die is picked up, in the same turn (Turns, 3)."""
    table.rolled[0] = 0
    table.phase = ROLL


@inlined
def send_to_valley(table, dice):
    """So many dice go from the hand to the valley."""
    table.hands -= in_lane(dice, table.turn)
    table.valley_dice += in_lane(dice, table.turn)


@inlined
def end_turn(rules, state):
    """The next seat clockwise with dice takes a turn, the same seat last; without dice the round ends (Turns, 4)."""
    table = state.table
    for i in range(MOST_DICE):
        table.rolled[i] = 0
    table.attempt = 0
    seats = at_least(table.hands, 1)
    if seats:
        later = seats & ~up_to(table.turn)
        table.turn = first_lane(later if later else seats)
        table.phase = ROLL
    else:
        settle(rules, state)


# ---------------------------------------------------------------- set-up


@kernel
def clear(rules, state):
    """An empty table: no card anywhere, all dice in hand, round 1, seat 0 starts."""
    table = state.table
    table.phase = ROLL
    table.round_number = 1
    table.starter = 0
    table.turn = -1
    table.attempt = 0
    table.row_paws = 0
    table.contest = -1
    table.win = 0
    table.lose = 0
    table.hands = full_hands(rules)
    table.valley = NO_CARD
    table.valley_dice = 0
    table.deck_animals = 0
    table.deck_take2 = 0
    table.deck_lucky8 = 0
    table.out = 0
    table.reason = 0
    for i in range(MOST_DICE):
        table.rolled[i] = 0
    for at in range(MOST_ROW):
        table.card[at] = NO_CARD
        table.take2[at] = 0
    for seat in range(MOST_SEATS):
        table.rooms[seat] = 0
        table.counts[seat] = 0
        table.stack_size[seat] = 0
        table.high[seat] = 0
        table.won[seat] = 0
        table.own_take2[seat] = 0
        table.paws[seat] = 0
        for i in range(LANES):
            table.dice[seat, i] = 0
        for i in range(STACK_WORDS):
            table.stack[seat, i] = 0
    state.table.deck_count = 0
    for i in range(DECK_SIZE):
        state.deck[i] = NO_CARD


@kernel
def fill_deck(rules, state):
    """All cards in order, animals first (section 1); return their number."""
    table = state.table
    n = 0
    for card in range(1, rules.high_max + 1):
        if card != LUCKY_8:
            for _ in range(rules.low_copies if card <= LOW_MAX else 1):
                state.deck[n] = card
                table.deck_animals += bag_of(card)
                n += 1
    for _ in range(rules.take2_count):
        state.deck[n] = TAKE_2
        n += 1
    for _ in range(rules.lucky8_count):
        state.deck[n] = LUCKY_8
        n += 1
    table.deck_take2 = rules.take2_count
    table.deck_lucky8 = rules.lucky8_count
    return n
