"""Jackal & High: the rules of ``docs/rules/jackal_and_high.md``; its section numbers stand beside the code.

First the functions that every game has (``engine/contract.py``), then legal placements, then the steps of section 2
in its order: layout, turns, end of the round.
"""

from __future__ import annotations

from engine.cards import count, has, lowest, one, rest
from engine.contract import CHANCE, NOBODY
from engine.games.jackal_and_high.state import (
    CONTEST,
    DECK_OUT,
    DECK_SIZE,
    FEWEST_WIN,
    HAND,
    HIGH_CARD,
    LEFT_STARTS,
    LOW_MAX,
    LOW_ON_TOP,
    LUCKY_8,
    MOST_DICE,
    MOST_ROW,
    MOST_SEATS,
    MOST_WIN,
    NO_CARD,
    OVER,
    OWNER_STACKS,
    PLACE,
    PLACING,
    REROLL,
    ROLL,
    ROUND_CAP,
    ROW_GUARDS,
    SENDS_ONE,
    STACK,
    STACK_WORDS,
    STACKING,
    TAKE_2,
    VALLEY,
    VALLEY_ROLL,
    WORD_CARDS,
    above,
    at_least,
    bag_of,
    card_in_stack,
    code,
    dice_at,
    digit,
    digit_of,
    faces,
    first_lane,
    highest_number,
    in_lane,
    in_lanes,
    in_stack,
    kind_of,
    lowest_number,
    paws_of,
    stacked_card,
    top_card,
)
from engine.kernel import kernel
from engine.rng import random_below, shuffle


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


@kernel
def to_act(state):
    """The seat to decide, NOBODY, or CHANCE."""
    phase = state.table.phase
    if phase in (PLACING, STACKING):
        return state.table.turn
    return NOBODY if phase == OVER else CHANCE


@kernel
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


@kernel
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


@kernel
def draw_event(rules, state, rng, event):
    """Roll the dice that are to be rolled, ascending for each seat; return the room used in ``event``."""
    table = state.table
    if table.phase == ROLL:
        roll(rules, rng, event, 0, table.hand[table.turn])
        return table.hand[table.turn]
    for seat in range(rules.players):
        roll(rules, rng, event, MOST_DICE * seat, dice_to_roll(table, seat))
    return MOST_DICE * rules.players


@kernel
def apply_event(rules, state, event):
    """The dice show ``event``: carry out everything that follows without decision or chance."""
    table = state.table
    if table.phase == ROLL:
        for i in range(table.hand[table.turn]):
            table.rolled[i] = event[i]
        table.attempt += 1
        after_roll(rules, state)
    elif table.phase == CONTEST:
        after_contest_roll(rules, state, event)
    else:
        after_valley_roll(rules, state, event)


@kernel
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


@kernel
def worth(rules, table, seat):
    """By what seats are ranked: paws, then (high_card) the highest animal (section 5)."""
    return 32 * table.paws[seat] + (table.high[seat] if rules.tie_break == HIGH_CARD else 0)


# ---------------------------------------------------------------- legal placements (Turns, 2)


@kernel
def legal_placements(rules, table, moves):
    """Every way to put one or more of the rolled dice on the row, ascending; return their number."""
    row = rules.players + rules.row_extra
    rooms = table.rooms[table.turn]
    dice = table.hand[table.turn]
    a, b, c, d = table.rolled
    if dice == 1:
        return place_one(rooms, a, row, 0, moves, 0)
    if dice == 2:
        return place_two(rooms, row, a, b, row, 0, moves, 0)
    if dice == 3:
        return place_three(rooms, row, a, b, c, row, 0, moves, 0)
    return place_four(rooms, row, a, b, c, d, moves)


# The dice are brought to every lane in turn, the highest die in the outermost loop. Of equal dice the lower one goes
# no further than the other, its ``last`` lane, so that every placement comes once. ``placed``: the part of the move
# that says where the higher dice went.


@kernel
def place_one(rooms, a, last, placed, moves, n):
    """Bring the lowest die to every lane (not to the hand if all others stay there)."""
    fits = at_least(rooms, a)
    for to in range(1 if placed == 0 else 0, last + 1):
        moves[n] = code(PLACE, placed + to)  # each is written, but only those that fit are kept: the quickest way
        if in_lanes(fits, to):
            n += 1
    return n


@kernel
def place_two(rooms, row, a, b, last, placed, moves, n):
    """Bring the lowest two dice to every lane."""
    fits = at_least(rooms, b)
    for to in range(last + 1):
        if in_lanes(fits, to):
            left = rooms - in_lane(b, to)
            n = place_one(left, a, to if a == b else row, placed + digit(to, 1), moves, n)
    return n


@kernel
def place_three(rooms, row, a, b, c, last, placed, moves, n):
    """Bring the lowest three dice to every lane."""
    fits = at_least(rooms, c)
    for to in range(last + 1):
        if in_lanes(fits, to):
            left = rooms - in_lane(c, to)
            n = place_two(left, row, a, b, to if b == c else row, placed + digit(to, 2), moves, n)
    return n


@kernel
def place_four(rooms, row, a, b, c, d, moves):
    """Bring four dice to every lane."""
    n = 0
    fits = at_least(rooms, d)
    for to in range(row + 1):
        if in_lanes(fits, to):
            left = rooms - in_lane(d, to)
            n = place_three(left, row, a, b, c, to if c == d else row, digit(to, 3), moves, n)
    return n


@kernel
def reroll_possible(rules, table):
    """Turns, 2: only a last die, while rolls are left."""
    return table.hand[table.turn] == 1 and table.attempt < rules.rolls_for_last_die


# ---------------------------------------------------------------- layout


@kernel
def layout(rules, state):
    """Fill the row; False if the deck ran out, which leaves what has been laid as it lies (Layout, 1 to 4)."""
    table = state.table
    row = rules.players + rules.row_extra
    for at in range(row):
        if table.card[at] == NO_CARD and table.take2[at] == 0 and not draw_onto(state, row, at):
            return False
    for at in range(row):
        while table.card[at] == NO_CARD:
            if not draw_onto(state, row, at):
                return False
    return True


@kernel
def draw_onto(state, row, at):
    """Draw a card onto a position; a Lucky 8 beside another leaves the game and is replaced (Layout, 3)."""
    table = state.table
    while state.table.deck_count > 0:
        card = draw(state)
        if card == TAKE_2:
            table.take2[at] += 1
            return True
        if card != LUCKY_8 or lucky_at(table, row) < 0:
            table.card[at] = card
            return True
        table.out += 1
    return False


@kernel
def draw(state):
    """Take the top card of a deck that is not empty."""
    table = state.table
    state.table.deck_count -= 1
    card = state.deck[state.table.deck_count]
    state.deck[state.table.deck_count] = NO_CARD
    if card == TAKE_2:
        table.deck_take2 -= 1
    elif card == LUCKY_8:
        table.deck_lucky8 -= 1
    else:
        table.deck_animals -= bag_of(card)
    return card


@kernel
def lucky_at(table, row):
    """The position of the Lucky 8 in the row, or -1."""
    for at in range(row):
        if table.card[at] == LUCKY_8:
            return at
    return -1


@kernel
def start_round(rules, state):
    """The row lies complete: the starter is to roll."""
    table = state.table
    rooms = HAND
    table.row_paws = 0
    for at in range(rules.players + rules.row_extra):
        rooms += in_lane(table.card[at], at + 1)
        table.row_paws += in_lane(paws_at(rules, table, at), at + 1)
    for seat in range(rules.players):
        table.rooms[seat] = rooms
    table.phase = ROLL
    table.turn = table.starter
    table.attempt = 0


@kernel
def paws_at(rules, table, at):
    """The paws on a row position, those of its Take 2 included."""
    return paws_of(rules, table.card[at]) + rules.take2_paws * table.take2[at]


# ---------------------------------------------------------------- turns


@kernel
def roll(rules, rng, event, start, dice):
    """Roll ``dice`` dice into ``event[start:]``, ascending."""
    for i in range(start, start + dice):
        event[i] = 1 + random_below(rng, rules.die_sides)
    for end in range(start + dice - 1, start, -1):
        for i in range(start, end):
            event[i], event[i + 1] = min(event[i], event[i + 1]), max(event[i], event[i + 1])


@kernel
def after_roll(rules, state):
    """Turns, 2: leave the seat a decision, or do the only thing there is to do."""
    table = state.table
    seat = table.turn
    table.phase = PLACING
    if at_least(table.rooms[seat], table.rolled[0]) & ROW_GUARDS:
        return
    if reroll_possible(rules, table):
        if not rules.keep_unplaceable:
            pick_up(table)
        return
    send_to_valley(table, 1 if rules.unplaceable_dice == SENDS_ONE else table.hand[seat])
    end_turn(rules, state)


@kernel
def put_dice(table, move):
    """The dice of a placement lie on the row (Turns, 3)."""
    seat = table.turn
    rooms = table.rooms[seat]
    counts = table.counts[seat]
    for die in range(table.hand[seat]):
        to = digit_of(move, die)
        if to > 0:
            face = table.rolled[die]
            rooms -= in_lane(face, to)
            counts += in_lane(1, to)
            table.dice[seat, to - 1] += faces(face)
            table.hand[seat] -= 1
    table.rooms[seat] = rooms
    table.counts[seat] = counts


@kernel
def pick_up(table):
    """Re-roll: the die is picked up, in the same turn (Turns, 3)."""
    table.rolled[0] = 0
    table.phase = ROLL


@kernel
def send_to_valley(table, dice):
    """So many dice go from the hand to the valley."""
    table.hand[table.turn] -= dice
    table.valley_dice[table.turn] += dice


@kernel
def end_turn(rules, state):
    """The next seat clockwise with dice takes a turn, the same seat last; without dice the round ends (Turns, 4)."""
    table = state.table
    for i in range(MOST_DICE):
        table.rolled[i] = 0
    table.attempt = 0
    seat = table.turn
    for _ in range(rules.players):
        seat = next_seat(rules, seat)
        if table.hand[seat] > 0:
            table.turn = seat
            table.phase = ROLL
            return
    settle(rules, state)


@kernel
def next_seat(rules, seat):
    """The seat to the left, clockwise."""
    return seat + 1 if seat + 1 < rules.players else 0


# ---------------------------------------------------------------- end of the round


@kernel
def settle(rules, state):
    """Dice that are not exact go to the valley; the others contend for their cards (End of the round, 1)."""
    table = state.table
    table.turn = -1
    table.row_paws = 0
    for seat in range(rules.players):
        missed = at_least(table.counts[seat], 1) & at_least(table.rooms[seat], 1)
        while missed:
            to = first_lane(missed)
            table.valley_dice[seat] += take_off(table, seat, to - 1)
            missed = rest(missed)
        table.rooms[seat] = 0
    settle_row(rules, state)


@kernel
def take_off(table, seat, at):
    """Take a seat's dice from a position; return how many they were."""
    dice = dice_at(table, seat, at)
    table.counts[seat] -= in_lane(dice, at + 1)
    table.dice[seat, at] = 0
    return dice


@kernel
def contenders(rules, table, at):
    """The set of seats with dice on a position (all exact by now)."""
    seats = 0
    for seat in range(rules.players):
        if dice_at(table, seat, at) > 0:
            seats |= one(seat)
    return seats


@kernel
def settle_row(rules, state):
    """Give away position after position, until dice must decide one of them (End of the round, 2)."""
    table = state.table
    table.contest = -1
    while True:
        counts = 0
        for seat in range(rules.players):
            counts |= table.counts[seat]
        if counts == 0:
            break
        at = next_settled(rules, table, at_least(counts, 1))
        seats = contenders(rules, table, at)
        if count(seats) > 1:
            table.phase = CONTEST
            table.contest = at
            return
        win_position(rules, table, lowest(seats), at)
    stack_cards(rules, state)


@kernel
def next_settled(rules, table, taken):
    """The first position of the set of lanes ``taken``; the Lucky 8 only when no other is left."""
    at = first_lane(taken) - 1
    if table.card[at] == LUCKY_8 and rest(taken):
        return first_lane(rest(taken)) - 1
    return at


@kernel
def win_position(rules, table, seat, at):
    """A seat gets a position; with the Lucky 8 it gets all cards still in the row (End of the round, 2)."""
    table.hand[seat] += take_off(table, seat, at)
    if table.card[at] == LUCKY_8:
        table.card[at] = NO_CARD
        table.out += 1
        for other in range(rules.players + rules.row_extra):
            gain(rules, table, seat, other)
    else:
        gain(rules, table, seat, at)


@kernel
def gain(rules, table, seat, at):
    """The animal of a position, if there is one, and its Take 2 go to a seat."""
    if table.card[at] != NO_CARD:
        table.won[seat] += bag_of(table.card[at])
        table.card[at] = NO_CARD
    table.own_take2[seat] += table.take2[at]
    table.paws[seat] += rules.take2_paws * table.take2[at]
    table.take2[at] = 0


@kernel
def roll_key(rules, table, seat, event):
    """What a seat's roll is worth: the sum, then the number of dice as ``contest_tie`` has it (End of the round, 2)."""
    dice = dice_to_roll(table, seat)
    total = 0
    for i in range(MOST_DICE * seat, MOST_DICE * seat + dice):
        total += event[i]
    if rules.contest_tie == FEWEST_WIN:
        return 8 * total + MOST_DICE - dice
    return 8 * total + dice if rules.contest_tie == MOST_WIN else 8 * total


@kernel
def dice_to_roll(table, seat):
    """How many dice a seat rolls in the pending contest or valley event."""
    if table.phase == CONTEST:
        return dice_at(table, seat, table.contest)
    return table.valley_dice[seat] if has(rolling_group(table), seat) else 0


@kernel
def best_of(rules, table, seats, event):
    """The set of those of ``seats`` who rolled best."""
    best = 0
    top = -1
    while seats:
        seat = lowest(seats)
        key = roll_key(rules, table, seat, event)
        if key > top:
            best = 0
            top = key
        if key == top:
            best |= one(seat)
        seats = rest(seats)
    return best


@kernel
def worst_of(rules, table, seats, event):
    """The set of those of ``seats`` who rolled worst: the lowest sum, ties broken the other way round."""
    worst = 0
    bottom = 8 * 64
    while seats:
        seat = lowest(seats)
        key = roll_key(rules, table, seat, event)
        if key < bottom:
            worst = 0
            bottom = key
        if key == bottom:
            worst |= one(seat)
        seats = rest(seats)
    return worst


@kernel
def after_contest_roll(rules, state, event):
    """The dice of beaten seats return to their hands; one seat left wins, several roll again (End of the round, 2)."""
    table = state.table
    at = table.contest
    seats = contenders(rules, table, at)
    beaten = seats & ~best_of(rules, table, seats, event)
    while beaten:
        seat = lowest(beaten)
        table.hand[seat] += take_off(table, seat, at)
        beaten = rest(beaten)
    settle_row(rules, state)


@kernel
def stack_cards(rules, state):
    """Lay the cards won on the stacks; ask the owner while there is a choice (End of the round, 3)."""
    table = state.table
    seat = table.starter
    for _ in range(rules.players):
        cards = table.won[seat]
        if cards:
            if rules.stack_order == OWNER_STACKS and above(cards, lowest_number(cards)):
                table.phase = STACKING
                table.turn = seat
                return
            table.won[seat] = 0
            while cards:
                card = highest_number(cards) if rules.stack_order == LOW_ON_TOP else lowest_number(cards)
                push(rules, table, seat, card)
                cards -= bag_of(card)
        seat = next_seat(rules, seat)
    table.turn = -1
    open_valley(rules, state)


@kernel
def open_valley(rules, state):
    """Who has dice in the valley takes its card or loses one; several seats roll for it (End of the round, 4)."""
    table = state.table
    seats = 0
    for seat in range(rules.players):
        if table.valley_dice[seat] > 0:
            seats |= one(seat)
    if count(seats) == 1:
        if table.valley != NO_CARD:
            table.win = seats
        elif rules.valley_loss:
            table.lose = seats
    elif count(seats) > 1:
        table.win = seats if table.valley != NO_CARD else 0
        table.lose = seats if rules.valley_loss else 0
    visit_valley(rules, state)


@kernel
def rolling_group(table):
    """The set of seats that roll next for the valley: for the card, then for the loss."""
    return table.win if rest(table.win) else table.lose


@kernel
def after_valley_roll(rules, state, event):
    """Fewer seats are left to win the valley's card, to lose one, or both (End of the round, 4)."""
    table = state.table
    group = rolling_group(table)
    best = best_of(rules, table, group, event)
    worst = worst_of(rules, table, group, event)
    if table.win == group:
        table.win = best
    if table.lose == group:
        table.lose = worst
    visit_valley(rules, state)


@kernel
def visit_valley(rules, state):
    """Roll while it is open who wins or who loses; then first the win, then the loss."""
    table = state.table
    if rest(table.win) or rest(table.lose):
        table.phase = VALLEY_ROLL
        return
    if table.win:
        push(rules, table, lowest(table.win), table.valley)
        table.valley = NO_CARD
    if table.lose and table.stack_size[lowest(table.lose)] > 0:
        table.valley = pop(rules, table, lowest(table.lose))
    table.win = 0
    table.lose = 0
    end_round(rules, state)


@kernel
def push(rules, table, seat, card):
    """An animal goes on top of a seat's stack."""
    i = table.stack_size[seat]
    table.stack[seat, i // WORD_CARDS] += in_stack(card, i)
    table.stack_size[seat] = i + 1
    table.high[seat] = max(card, table.high[seat])
    table.paws[seat] += paws_of(rules, card)


@kernel
def pop(rules, table, seat):
    """Take the top animal of a seat's stack, which is not empty."""
    card = top_card(table, seat)
    i = table.stack_size[seat] - 1
    table.stack[seat, i // WORD_CARDS] -= in_stack(card, i)
    table.stack_size[seat] = i
    table.paws[seat] -= paws_of(rules, card)
    if card == table.high[seat]:
        table.high[seat] = highest(table, seat)
    return card


@kernel
def highest(table, seat):
    """The highest animal of a seat's stack, 0 without one."""
    high = 0
    for i in range(table.stack_size[seat]):
        high = max(high, card_in_stack(table, seat, i))
    return high


@kernel
def end_round(rules, state):
    """Dice return; the cap, or the next round if its row can be laid out (End of the round, 5)."""
    table = state.table
    for seat in range(rules.players):
        table.hand[seat] = rules.dice_per_player
        table.valley_dice[seat] = 0
    if table.round_number >= rules.round_cap:
        finish(state, ROUND_CAP)
    elif layout(rules, state):
        table.round_number += 1
        if rules.next_starter == LEFT_STARTS:
            table.starter = next_seat(rules, table.starter)
        start_round(rules, state)
    else:
        finish(state, DECK_OUT)


@kernel
def finish(state, reason):
    """The match is over."""
    state.table.phase = OVER
    state.table.reason = reason
    state.table.turn = -1


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
    table.valley = NO_CARD
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
        table.hand[seat] = rules.dice_per_player if seat < rules.players else 0
        table.valley_dice[seat] = 0
        table.stack_size[seat] = 0
        table.high[seat] = 0
        table.won[seat] = 0
        table.own_take2[seat] = 0
        table.paws[seat] = 0
        for at in range(MOST_ROW):
            table.dice[seat, at] = 0
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
