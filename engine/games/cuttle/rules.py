"""Cuttle: the rules of ``docs/rules/cuttle.md``, whose section numbers stand beside the code that enforces them.

First the functions that every game has (``engine/contract.py``), then the steps that moves and turns are made of;
which moves are legal stands in ``moves.py``. All luck is in the deal, but for a Four that takes cards at random.
"""

from __future__ import annotations

from engine.cards import (
    ACE,
    ALL_CARDS,
    EMPTY,
    FIVE,
    FOUR,
    NINE,
    NO_CARD,
    SEVEN,
    SIX,
    THREE,
    TWO,
    count,
    has,
    lowest,
    one,
    pick,
    place,
    rank,
    rest,
    suit,
)
from engine.contract import CHANCE, NOBODY
from engine.games.cuttle.moves import (
    legal_counters,
    legal_drops,
    legal_turn,
    list_cards,
    lost_to_four,
    over_limit,
    pickable,
)
from engine.games.cuttle.state import (
    BY_POINTS,
    COUNTER,
    COUNTERING,
    DISCARDS,
    DRAW,
    DROPPING_FIVE,
    DROPPING_FOUR,
    EIGHTS,
    FIVE_DROP,
    FOUR_DROP,
    FROM_SEVEN,
    JACK_ON,
    KINGS,
    LIMIT_DROP,
    LIMITING,
    MAIN,
    MOST_EVENT,
    MOVER_WINS,
    ON_DECK,
    ONEOFF,
    OVER,
    PASS,
    PICKING,
    POINTS,
    REFUSES,
    RESOLVE,
    REVEALING,
    ROYAL,
    SCUTTLE,
    SEATS,
    STALEMATE,
    TAKING_FOUR,
    THREE_PICK,
    TO_HAND,
    TURN_CAP,
    WORTH_1,
    WORTH_2,
    WORTH_4,
    WORTH_8,
    card_of,
    code,
    dropped_by,
    kind_of,
    on_turn,
    target_of,
    third_of,
)
from engine.kernel import inlined, kernel
from engine.rng import random_below, shuffle


@kernel
def deal(rules, state, rng):
    """Shuffle and deal a match (section 2)."""
    clear(state)
    for card in range(52):
        state.deck[card] = card
    shuffle(rng, state.deck, 52)
    state.table.deck_count = 52
    state.in_deck = ALL_CARDS
    for seat in range(SEATS):
        size = rules.first_hand if seat == 0 else rules.second_hand
        for _ in range(size):
            draw(state, seat)
    see_hands(rules, state)


@kernel
def to_act(state):
    """The seat to decide, or NOBODY, or CHANCE when a Four takes cards at random."""
    phase = state.table.phase
    if phase >= OVER:
        return NOBODY if phase == OVER else CHANCE
    if phase == COUNTERING:
        return on_turn(state) ^ 1 ^ (state.table.counters & 1)
    return on_turn(state) ^ 1 if phase == DROPPING_FOUR else on_turn(state)


@kernel
def legal(rules, state, moves):
    """Write every legal move into ``moves``, ascending; return their number (0 only when the match is over)."""
    phase = state.table.phase
    if phase == COUNTERING:
        return legal_counters(rules, state, to_act(state), moves)
    if phase == MAIN or phase == REVEALING:
        return legal_turn(rules, state, moves)
    if phase == PICKING:
        return list_cards(moves, 0, THREE_PICK, pickable(rules, state))
    if phase == DROPPING_FOUR:
        return legal_drops(state.hand[on_turn(state) ^ 1], lost_to_four(rules, state), FOUR_DROP, moves)
    if phase == DROPPING_FIVE:
        return list_cards(moves, 0, FIVE_DROP, state.hand[on_turn(state)])
    if phase == LIMITING:
        over = over_limit(rules, state)
        return legal_drops(state.hand[on_turn(state)], over if over <= 3 else 1, LIMIT_DROP, moves)
    return 0


@kernel
def apply(rules, state, move):
    """Carry out a legal move and everything that follows of itself."""
    me = on_turn(state)
    kind = kind_of(move)
    card = card_of(move)
    ends = True  # does the move end the turn?
    if kind == RESOLVE:
        ends = resolve(rules, state)
    elif kind == DRAW:
        draw(state, me)
    elif kind == PASS:
        pass
    elif kind == COUNTER:
        state.hand[to_act(state)] &= ~one(card)
        state.table.counter[place(state.table.counters)] = card
        state.table.counters += 1
        ends = False
    elif kind == THREE_PICK:
        state.table.scrap = state.table.scrap & ~one(card) | one(state.table.card)
        state.table.card = NO_CARD
        state.hand[me] |= one(card)
        state.table.known[me] |= one(card)
    elif kind == FOUR_DROP:
        scrap_from_hand(state, me ^ 1, dropped_by(move))
    elif kind == FIVE_DROP:
        scrap_from_hand(state, me, one(card))
        draw_for_five(rules, state)
    elif kind == LIMIT_DROP:
        scrap_from_hand(state, me, dropped_by(move))
    elif kind >= FROM_SEVEN:
        take_revealed(state, card)
        ends = play(state, kind - FROM_SEVEN, card, target_of(move), third_of(move))
    else:
        state.hand[me] &= ~one(card)
        ends = play(state, kind, card, target_of(move), third_of(move))
    if ends:
        end_turn(rules, state, kind == PASS)
    see_hands(rules, state)


@kernel
def draw_event(rules, state, rng, event):
    """Take at random what a Four costs the other seat, any set of its cards alike; return how many."""
    hand = state.hand[on_turn(state) ^ 1]
    size = lost_to_four(rules, state)
    left = hand
    for i in range(size):
        left &= ~one(pick(left, random_below(rng, count(hand) - i)))
    taken = hand & ~left
    for i in range(MOST_EVENT):
        event[i] = NO_CARD
    for i in range(size):
        event[i] = lowest(taken)
        taken = rest(taken)
    return size


@kernel
def apply_event(rules, state, event):
    """The cards of ``event`` go, as if the seat that is not on turn had chosen them (Resolving, 4)."""
    apply(rules, state, code(FOUR_DROP, event[0], event[1], event[2]))


@kernel
def observe(_rules, state, seat, view):
    """Write into ``view`` what ``seat`` may know of ``state`` (section 7), and nothing else."""
    other = seat ^ 1
    # Only these entries of the view before this one can differ from NO_CARD.
    for i in range(state.table.deck_known, view.table.deck_known):
        view.top[i] = NO_CARD
    known_top = EMPTY
    for i in range(state.table.deck_known):
        view.top[i] = state.deck[state.table.deck_count - 1 - i]
        known_top |= one(view.top[i])
    view.table = state.table
    view.seat = seat
    view.to_act = to_act(state)
    view.hand[seat] = state.hand[seat]
    view.hand_count[0] = count(state.hand[0])
    view.hand_count[1] = count(state.hand[1])
    if state.table.deck_known == state.table.deck_count:  # nothing of the deck is hidden: the other hand can be deduced
        view.hand[other] = state.hand[other]
        view.unseen = EMPTY
    else:
        view.hand[other] = state.table.known[other]
        view.unseen = state.in_deck & ~known_top | state.hand[other] & ~state.table.known[other]


@kernel
def outcome(_rules, state, result):
    """Write ranks, scores, winner and reason of a match that is over (section 6)."""
    result.reason = state.table.reason
    result.winner = state.table.winner
    for seat in range(SEATS):
        result.scores[seat] = score_of(state.table.points[seat])
        result.ranks[seat] = 1 if state.table.winner == seat ^ 1 else 0


@kernel
def determinize(_rules, view, rng, state):
    """Fill ``state`` with a random possibility that fits ``view``, hidden cards drawn from ``unseen``."""
    clear(state)
    seat = view.seat
    other = seat ^ 1
    state.table = view.table
    state.hand[seat] = view.hand[seat]
    state.hand[other] = view.hand[other]
    # The hidden cards in random order: the first ones are the rest of the other hand, then comes the deck from below.
    hidden = view.hand_count[other] - count(view.hand[other])
    cards = view.unseen
    size = count(cards)
    for i in range(size):
        state.deck[i] = lowest(cards)
        cards = rest(cards)
    shuffle(rng, state.deck, size)
    for i in range(size - hidden, size):
        state.hand[other] |= one(state.deck[i])
    for i in range(view.table.deck_known):
        state.deck[view.table.deck_count - 1 - i] = view.top[i]
    for i in range(view.table.deck_count):
        state.in_deck |= one(state.deck[i])


@kernel
def score_of(points):
    """The worth of a set of point cards (section 1)."""
    ones, twos = count(points & WORTH_1), count(points & WORTH_2)
    fours, eights = count(points & WORTH_4), count(points & WORTH_8)
    return ones + 2 * twos + 4 * fours + 8 * eights


@kernel
def goal_of(rules, royals):
    """The points that a side with these royals needs (End of turn, 2)."""
    kings = count(royals & KINGS)
    return rules.goal if kings == 0 else rules.kings_goal[kings - 1]


# ---------------------------------------------------------------- steps of apply


@inlined
def play(state, kind, card, target, target2):
    """Play a card that has left the hand or the deck (section 3, Main moves); does that end the turn?"""
    me = on_turn(state)
    if kind == ONEOFF:
        state.table.card = card
        state.table.target = target
        state.table.target2 = target2
        state.table.phase = COUNTERING
        return False
    if kind == POINTS:
        state.table.points[me] |= one(card)
    elif kind == SCUTTLE:
        scrap_point_card(state, me ^ 1, target)
        state.table.scrap |= one(card)
    elif kind == ROYAL:
        state.table.royals[me] |= one(card)
    elif kind == JACK_ON:
        state.table.jack_on[suit(card)] = target
        state.table.jack_height[suit(card)] = jacks_over(state, target)
        state.table.jacks |= one(card)
        move_point_card(state, target, me)
    else:  # SEVEN_SCRAP: a revealed Jack that cannot be played
        state.table.scrap |= one(card)
    return True


@inlined
def resolve(rules, state):
    """Nobody counters any more: the one-off takes effect, or an odd number of Twos has cancelled it (Resolving).

    Does that end the turn?
    """
    me = on_turn(state)
    card = state.table.card
    target = state.table.target
    target2 = state.table.target2
    cancelled = state.table.counters % 2 == 1
    for i in range(state.table.counters):
        state.table.scrap |= one(state.table.counter[i])
        state.table.counter[i] = NO_CARD
    state.table.counters = 0
    state.table.target = NO_CARD
    state.table.target2 = NO_CARD
    one_off = rank(card)
    if one_off == THREE and not cancelled:
        state.table.phase = PICKING  # the Three itself is scrapped after the pick
        return False
    state.table.card = NO_CARD
    state.table.scrap |= one(card)
    if not cancelled:
        if one_off == FOUR and state.hand[me ^ 1]:
            state.table.phase = TAKING_FOUR if rules.four_random else DROPPING_FOUR
            return False
        if one_off == FIVE and rules.five_discard and state.hand[me]:
            state.table.phase = DROPPING_FIVE
            return False
        if one_off == SEVEN:
            state.table.phase = REVEALING
            state.table.deck_known = max(state.table.deck_known, min(rules.seven_reveals, state.table.deck_count))
            return False
        if one_off == ACE:
            scrap_all_points(state)
        elif one_off == TWO:
            take_off_table(state, target)
            state.table.scrap |= one(target)
        elif one_off == FIVE:
            draw_for_five(rules, state)
        elif one_off == SIX:
            scrap_all_royals(state)
        elif one_off == NINE:
            hit_by_nine(rules, state, target, target2)
    return True


@kernel
def scrap_all_points(state):
    """Ace: the point cards of both sides, with their Jacks."""
    state.table.scrap |= state.table.points[0] | state.table.points[1] | state.table.jacks
    state.table.points[0] = EMPTY
    state.table.points[1] = EMPTY
    forget_jacks(state, state.table.jacks)


@kernel
def scrap_all_royals(state):
    """Six: all royals and Jacks; a point card under an odd number of Jacks changes sides."""
    odd = EMPTY
    left = state.table.jacks
    while left:
        odd ^= one(state.table.jack_on[suit(lowest(left))])
        left = rest(left)
    for side in range(SEATS):
        state.table.scrap |= state.table.royals[side]
        state.table.royals[side] = EMPTY
        state.table.points[side] ^= odd
    state.table.scrap |= state.table.jacks
    forget_jacks(state, state.table.jacks)


@kernel
def hit_by_nine(rules, state, target, target2):
    """Nine: its target goes back to the other hand, seen and (nine_freezes) frozen there; or on the deck; or two do.

    Of two targets the first may be a point card that takes the second, its top Jack, off the table with it.
    """
    opp = on_turn(state) ^ 1
    take_off_table(state, target)
    if rules.nine_effect == ON_DECK:
        state.deck[place(state.table.deck_count)] = target
        state.table.deck_count += 1
        state.table.deck_known += 1
        state.in_deck |= one(target)
        return
    returned = one(target)
    if rules.nine_effect == TO_HAND and rules.nine_freezes:
        state.table.frozen[opp] = one(target)
    if target2 != NO_CARD:
        take_off_table(state, target2)
        returned |= one(target2)
    state.hand[opp] |= returned
    state.table.known[opp] |= returned


@kernel
def take_off_table(state, target):
    """The target of a Two or Nine leaves the other side, and is nowhere until it is put somewhere.

    A point card leaves its Jacks in the scrap; a top Jack leaves its point card, with those below, to the seat on turn.
    """
    opp = on_turn(state) ^ 1
    if has(state.table.points[opp], target):
        scrap_point_card(state, opp, target)
    elif has(state.table.jacks, target):
        lift_jack(state, target)
    else:
        state.table.royals[opp] &= ~one(target)
    state.table.scrap &= ~one(target)


@kernel
def lift_jack(state, jack):
    """A top Jack of the other side leaves: its point card, with the Jacks below, comes to the seat on turn."""
    move_point_card(state, state.table.jack_on[suit(jack)], on_turn(state))
    forget_jacks(state, one(jack))


@kernel
def move_point_card(state, card, side):
    """A point card changes to ``side``."""
    state.table.points[side ^ 1] &= ~one(card)
    state.table.points[side] |= one(card)


@kernel
def scrap_point_card(state, side, card):
    """A point card goes to the scrap with all its Jacks."""
    state.table.points[side] &= ~one(card)
    state.table.scrap |= one(card)
    left = state.table.jacks
    while left:
        jack = lowest(left)
        if state.table.jack_on[suit(jack)] == card:
            state.table.scrap |= one(jack)
            forget_jacks(state, one(jack))
        left = rest(left)


@inlined
def scrap_from_hand(state, seat, cards):
    """Cards of a hand go to the scrap."""
    state.hand[seat] &= ~cards
    state.table.scrap |= cards


@kernel
def forget_jacks(state, jacks):
    """These Jacks lie on no point card any more."""
    state.table.jacks &= ~jacks
    while jacks:
        state.table.jack_on[suit(lowest(jacks))] = NO_CARD
        state.table.jack_height[suit(lowest(jacks))] = 0
        jacks = rest(jacks)


@kernel
def jacks_over(state, card):
    """How many Jacks lie on a point card."""
    n = 0
    left = state.table.jacks
    while left:
        if state.table.jack_on[suit(lowest(left))] == card:
            n += 1
        left = rest(left)
    return n


@inlined
def draw(state, seat):
    """The top card of the deck goes to a hand; a known one stays known (section 7)."""
    state.table.deck_count -= 1
    card = state.deck[place(state.table.deck_count)]
    state.in_deck &= ~one(card)
    state.hand[seat] |= one(card)
    if state.table.deck_known > 0:
        state.table.deck_known -= 1
        state.table.known[seat] |= one(card)


@kernel
def draw_for_five(rules, state):
    """Five: as many cards as it draws, the deck has and the hand limit, where it refuses, leaves room for."""
    me = on_turn(state)
    draws = min(rules.five_draws, state.table.deck_count)
    if rules.hand_limit_rule == REFUSES:
        draws = min(draws, rules.hand_limit - count(state.hand[me]))
    for _ in range(draws):
        draw(state, me)


@kernel
def take_revealed(state, card):
    """A revealed card leaves the deck; those above it keep their places on top."""
    state.table.deck_count -= 1
    at = state.table.deck_count
    while state.deck[at] != card:
        at -= 1
    for i in range(at, state.table.deck_count):
        state.deck[i] = state.deck[i + 1]
    state.in_deck &= ~one(card)
    state.table.deck_known = max(state.table.deck_known - 1, 0)


@inlined
def end_turn(rules, state, passed):
    """End of turn, 1 to 5, in this order; where the rule is so, cards above the hand limit go first."""
    me = on_turn(state)
    if rules.hand_limit_rule == DISCARDS and must_discard(rules, state, passed):
        state.table.passes = 0
        state.table.phase = LIMITING
        return
    state.table.turns += 1
    state.table.passes = state.table.passes + 1 if passed else 0
    state.table.frozen[me] = EMPTY
    reached_me, reached_opp = reached(rules, state, me), reached(rules, state, me ^ 1)
    if reached_me or reached_opp:
        if not reached_opp or (reached_me and rules.both_win == MOVER_WINS):
            finish(state, BY_POINTS, me)
        else:
            finish(state, BY_POINTS, -1 if reached_me else me ^ 1)
    elif state.table.passes >= rules.passes_for_draw:
        finish(state, STALEMATE, -1)
    elif state.table.turns >= rules.turn_cap:
        finish(state, TURN_CAP, -1)
    else:
        state.table.turn = me ^ 1
        state.table.phase = MAIN


@inlined
def reached(rules, state, seat):
    """Has the seat the points it needs?"""
    return score_of(state.table.points[seat]) >= goal_of(rules, state.table.royals[seat])


@kernel
def must_discard(rules, state, passed):
    """Are there cards above the hand limit, and neither goal nor stalemate ends the match with them still in hand?"""
    if over_limit(rules, state) <= 0 or (passed and state.table.passes + 1 >= rules.passes_for_draw):
        return False
    return not (reached(rules, state, 0) or reached(rules, state, 1))


@kernel
def finish(state, reason, winner):
    """The match is over; ``turn`` stays with the seat that made the last turn."""
    state.table.phase = OVER
    state.table.reason = reason
    state.table.winner = winner


@inlined
def see_hands(rules, state):
    """After every step: what left a hand is not known or frozen there; glasses show the other hand (section 7)."""
    for seat in range(SEATS):
        state.table.known[seat] &= state.hand[seat]
        state.table.frozen[seat] &= state.hand[seat]
        if rules.open_hands or state.table.royals[seat ^ 1] & EIGHTS:
            state.table.known[seat] |= state.hand[seat]


@kernel
def clear(state):
    """An empty table: no card anywhere, seat 0 on turn."""
    state.table.turn = 0
    state.table.turns = 0
    state.table.passes = 0
    state.table.phase = MAIN
    state.table.card = NO_CARD
    state.table.target = NO_CARD
    state.table.target2 = NO_CARD
    state.table.counters = 0
    state.table.jacks = EMPTY
    state.table.scrap = EMPTY
    state.table.deck_count = 0
    state.table.deck_known = 0
    state.in_deck = EMPTY
    state.table.winner = -1
    state.table.reason = 0
    for i in range(4):
        state.table.counter[i] = NO_CARD
        state.table.jack_on[i] = NO_CARD
        state.table.jack_height[i] = 0
    for seat in range(SEATS):
        state.hand[seat] = EMPTY
        state.table.points[seat] = EMPTY
        state.table.royals[seat] = EMPTY
        state.table.known[seat] = EMPTY
        state.table.frozen[seat] = EMPTY


@kernel
def blank(view):
    """A view before its first use: no known card on top of the deck."""
    for i in range(52):
        view.top[i] = NO_CARD
