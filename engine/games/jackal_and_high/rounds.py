"""Jackal & High: how a round begins and ends (``docs/rules/jackal_and_high.md``, section 2: Layout, End of the round).

Each step goes on by itself until a seat must decide, dice must be rolled, or the match is over.
"""

from __future__ import annotations

from engine.cards import EMPTY, count, rest
from engine.games.jackal_and_high.state import (
    CONTEST,
    DECK_OUT,
    FEWEST_WIN,
    GUARD,
    HAND,
    LANES,
    LEFT_STARTS,
    LOW_ON_TOP,
    LUCKY_8,
    MOST_DICE,
    MOST_SEATS,
    MOST_WIN,
    NO_CARD,
    ONES,
    OVER,
    OWNER_STACKS,
    ROLL,
    ROUND_CAP,
    STACKING,
    TAKE_2,
    VALLEY_ROLL,
    WORD_CARDS,
    above,
    at_least,
    bag_of,
    card_in_stack,
    dice_at,
    filled,
    first_lane,
    highest_number,
    in_lane,
    in_stack,
    lane,
    lowest_number,
    paws_of,
    top_card,
    total_of,
)
from engine.kernel import inlined, kernel

NO_ROLL = 8 * 64  # above the worth of every roll

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


@inlined
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


@inlined
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


@inlined
def lucky_at(table, row):
    """The position of the Lucky 8 in the row, or -1."""
    for at in range(row):
        if table.card[at] == LUCKY_8:
            return at
    return -1


@inlined
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


@inlined
def full_hands(rules):
    """Lanes: all dice in hand."""
    return rules.dice_per_player * ONES & (in_lane(1, rules.players) - 1)


@inlined
def paws_at(rules, table, at):
    """The paws on a row position, those of its Take 2 included."""
    return paws_of(rules, table.card[at]) + rules.take2_paws * table.take2[at]


@inlined
def next_seat(rules, seat):
    """The seat to the left, clockwise."""
    return seat + 1 if seat + 1 < rules.players else 0


# ---------------------------------------------------------------- end of the round


@inlined
def settle(rules, state):
    """Dice that are not exact go to the valley; the others contend for their cards (End of the round, 1)."""
    table = state.table
    table.turn = -1
    table.row_paws = 0
    for seat in range(rules.players):
        counts = table.counts[seat]
        missed = filled(at_least(counts, 1) & at_least(table.rooms[seat], 1))
        table.valley_dice += in_lane(total_of(counts & missed), seat)
        table.counts[seat] = counts & ~missed
        table.rooms[seat] = 0
    settle_row(rules, state)


@inlined
def take_off(table, seat, at):
    """Take a seat's dice from a position; return how many they were."""
    dice = dice_at(table, seat, at)
    table.counts[seat] -= in_lane(dice, at + 1)
    return dice


@inlined
def contenders(rules, table, at):
    """The set (of lanes) of the seats with dice on a position (all exact by now)."""
    return at_least(dice_on(rules, table, at), 1)


@inlined
def dice_on(rules, table, at):
    """Lanes: each seat's dice on a position."""
    dice = 0
    for seat in range(rules.players):
        dice += in_lane(dice_at(table, seat, at), seat)
    return dice


@kernel
def settle_row(rules, state):
    """Give away position after position, until dice must decide one of them (End of the round, 2)."""
    table = state.table
    table.contest = -1
    while True:
        counts = 0
        for seat in range(MOST_SEATS):  # a fixed number of times, 0 for seats that are not there
            counts |= table.counts[seat]
        if counts == 0:
            break
        at = next_settled(rules, table, at_least(counts, 1))
        seats = contenders(rules, table, at)
        if count(seats) > 1:
            table.phase = CONTEST
            table.contest = at
            return
        win_position(rules, table, first_lane(seats), at)
    stack_cards(rules, state)


@inlined
def next_settled(rules, table, taken):
    """The first position of the set of lanes ``taken``; the Lucky 8 only when no other is left."""
    at = first_lane(taken) - 1
    if table.card[at] == LUCKY_8 and rest(taken):
        return first_lane(rest(taken)) - 1
    return at


@kernel
def win_position(rules, table, seat, at):
    """A seat gets a position; with the Lucky 8 it gets all cards still in the row (End of the round, 2)."""
    table.hands += in_lane(take_off(table, seat, at), seat)
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


@inlined
def roll_key(rules, seat, dice, event):
    """What a seat's roll is worth: the sum, then the number of dice as ``contest_tie`` has it (End of the round, 2)."""
    total = 0
    for i in range(MOST_DICE):
        total += event[MOST_DICE * seat + i]
    if rules.contest_tie == FEWEST_WIN:
        return 8 * total + MOST_DICE - dice
    return 8 * total + dice if rules.contest_tie == MOST_WIN else 8 * total


@inlined
def dice_to_roll(rules, table):
    """Lanes: how many dice each seat rolls in the pending contest or valley event."""
    if table.phase == CONTEST:
        return dice_on(rules, table, table.contest)
    return table.valley_dice & filled(rolling_group(table))


@inlined
def best_and_worst(rules, table, event):
    """Of those who rolled the sets (of lanes) of the best, and of the worst: the lowest sum, ties broken the other way
    round."""
    rolling = dice_to_roll(rules, table)
    best, worst = EMPTY, EMPTY
    top, bottom = -1, NO_ROLL
    seats = at_least(rolling, 1)
    while seats:
        seat = first_lane(seats)
        key = roll_key(rules, seat, lane(rolling, seat), event)
        if key >= top:
            best = in_lane(GUARD, seat) | (best if key == top else EMPTY)
        if key <= bottom:
            worst = in_lane(GUARD, seat) | (worst if key == bottom else EMPTY)
        top, bottom = max(top, key), min(bottom, key)
        seats = rest(seats)
    return best, worst


@kernel
def after_contest_roll(rules, state, event):
    """The dice of beaten seats return to their hands; one seat left wins, several roll again (End of the round, 2)."""
    table = state.table
    at = table.contest
    best, _ = best_and_worst(rules, table, event)
    beaten = contenders(rules, table, at) & ~best
    while beaten:
        seat = first_lane(beaten)
        table.hands += in_lane(take_off(table, seat, at), seat)
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


@inlined
def open_valley(rules, state):
    """Who has dice in the valley takes its card or loses one; several seats roll for it (End of the round, 4)."""
    table = state.table
    seats = at_least(table.valley_dice, 1)
    if count(seats) == 1:
        if table.valley != NO_CARD:
            table.win = seats
        elif rules.valley_loss:
            table.lose = seats
    elif count(seats) > 1:
        table.win = seats if table.valley != NO_CARD else 0
        table.lose = seats if rules.valley_loss else 0
    visit_valley(rules, state)


@inlined
def rolling_group(table):
    """The set (of lanes) of the seats that roll next for the valley: for the card, then for the loss."""
    return table.win if rest(table.win) else table.lose


@inlined
def after_valley_roll(rules, state, event):
    """Fewer seats are left to win the valley's card, to lose one, or both (End of the round, 4)."""
    table = state.table
    group = rolling_group(table)
    best, worst = best_and_worst(rules, table, event)
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
        push(rules, table, first_lane(table.win), table.valley)
        table.valley = NO_CARD
    if table.lose and table.stack_size[first_lane(table.lose)] > 0:
        table.valley = pop(rules, table, first_lane(table.lose))
    table.win = 0
    table.lose = 0
    end_round(rules, state)


@inlined
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


@inlined
def end_round(rules, state):
    """Dice return; the cap, or the next round if its row can be laid out (End of the round, 5)."""
    table = state.table
    table.hands = full_hands(rules)
    table.valley_dice = 0
    for seat in range(rules.players):
        for i in range(LANES):
            table.dice[seat, i] = 0
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
