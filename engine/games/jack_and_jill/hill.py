"""Jack and Jill: what rules, search and bots alike ask about the Hill, the Jokers and sets of cards.

Spots are 0..11, sets of spots masks; sections are those of ``docs/rules/jack_and_jill.md``.
"""

from __future__ import annotations

from engine.cards import EMPTY, count, has, rest
from engine.games.jack_and_jill.state import (
    ALL_SPOTS,
    ANY_ORDER,
    BETWEEN,
    CLUBS,
    DIAMONDS,
    HEARTS,
    OF_RANK,
    OF_SUIT,
    RANKS,
    SPADES,
    SPOTS,
    SUITS,
    WORTH_1,
    WORTH_2,
    WORTH_4,
    WORTH_8,
)
from engine.kernel import kernel


@kernel
def undefeated(table):
    """The spots of all monsters: M of section 4."""
    return ALL_SPOTS & ~table.down


@kernel
def black_spots(table):
    """The spots of clubs and spades, face down or not."""
    return table.suit_spots[CLUBS] | table.suit_spots[SPADES]


@kernel
def red_spots(table):
    """The spots of diamonds and hearts, face down or not."""
    return table.suit_spots[DIAMONDS] | table.suit_spots[HEARTS]


@kernel
def due_of(rules, table, monsters):
    """Those of ``monsters`` that may be attacked first: the crowned King after all others, the rest by ``order``."""
    common = monsters & ~table.crown
    if not common:
        return monsters
    if rules.order == ANY_ORDER:
        return common
    for rank in range(RANKS - 1):
        if common & table.rank_spots[rank]:
            return common & table.rank_spots[rank]
    return common


@kernel
def need_of(rules, table, spot):
    """The Defense of the monster on a spot."""
    if has(table.crown, spot):
        return rules.defense_crown
    if has(table.rank_spots[0], spot):
        return rules.defense_jack
    return rules.defense_queen if has(table.rank_spots[1], spot) else rules.defense_king


@kernel
def needs_of(rules, table, monsters):
    """The sum of the Defenses of some monsters."""
    common = monsters & ~table.crown
    need = count(common & table.rank_spots[0]) * rules.defense_jack
    need += count(common & table.rank_spots[1]) * rules.defense_queen
    need += count(common & table.rank_spots[2]) * rules.defense_king
    return need + rules.defense_crown if monsters & table.crown else need


@kernel
def greatest_need(rules, table, monsters):
    """The highest Defense among some monsters, 0 if there are none."""
    common = monsters & ~table.crown
    need = rules.defense_crown if monsters & table.crown else 0
    if common & table.rank_spots[0]:
        need = max(need, rules.defense_jack)
    if common & table.rank_spots[1]:
        need = max(need, rules.defense_queen)
    if common & table.rank_spots[2]:
        need = max(need, rules.defense_king)
    return need


@kernel
def suit_at(table, spot):
    """The suit of the court card on a spot."""
    return table.hill[spot] & 3


@kernel
def shorter_way(a, b):
    """Steps between two spots, the shorter way."""
    way = abs(a - b)
    return min(way, SPOTS - way)


@kernel
def spot_after(spot, steps):
    """The spot ``steps`` (-12 to 12) on."""
    spot += steps
    return spot + SPOTS * (spot < 0) - SPOTS * (spot >= SPOTS)


@kernel
def in_trade_range(rules, table):
    """May the two players trade, and see each other's hands?"""
    return shorter_way(table.pawn[0], table.pawn[1]) <= rules.trade_range


@kernel
def ceil_div(number, by):
    """``number / by``, rounded up."""
    return number if by == 1 else (number + by - 1) // by


@kernel
def melee_jokers(rules, own):
    """The Jokers that let ``own`` cards of the monster's suit into a Melee Attack."""
    return ceil_div(own, rules.joker_cards)


@kernel
def aim_jokers(rules, way, aim):
    """The Jokers that bend an Aim of sum ``aim`` to a monster that is ``way`` steps off, either way round."""
    if rules.aim_distance == BETWEEN:
        aim += 1
    return ceil_div(min(abs(aim - way), abs(aim - (SPOTS - way))), rules.joker_shift)


@kernel
def sum_of(cards):
    """The sum of a set of Well cards."""
    ones, twos = count(cards & WORTH_1), count(cards & WORTH_2)
    fours, eights = count(cards & WORTH_4), count(cards & WORTH_8)
    return ones + 2 * twos + 4 * fours + 8 * eights


@kernel
def reaches(cards, number, need):
    """Do the ``number`` highest of a set of Well cards, or all if there are fewer, add up to ``need``?"""
    for rank in range(9, -1, -1):
        here = min(count(cards & OF_RANK[rank]), number)
        need -= here * (rank + 1)
        number -= here
        if need <= 0 or number == 0:
            break
    return need <= 0


@kernel
def highest(cards, number):
    """The ``number`` highest of a set of Well cards of one suit, or all if there are fewer."""
    for _ in range(count(cards) - number):
        cards = rest(cards)
    return cards


# ---------------------------------------------------------------- losses that the cards alone make certain (section 4)


@kernel
def lacks_sum(rules, table, left):
    """C1: the cards left add up to too little."""
    return sum_of(left) < needs_of(rules, table, undefeated(table))


@kernel
def lacks_suit(rules, table, left, jokers):
    """C2: what may attack the monsters of some suit adds up to too little; ``jokers`` is q."""
    let_in = jokers * rules.joker_cards if rules.jokers_per_action > 0 else 0
    for suit in range(SUITS):
        monsters = undefeated(table) & table.suit_spots[suit]
        if monsters:
            need = needs_of(rules, table, monsters) - sum_of(left & ~OF_SUIT[suit])
            if need > 0 and (is_red(suit) or sum_of(highest(left & OF_SUIT[suit], let_in)) < need):
                return True
    return False


@kernel
def lacks_hand(rules, table, left, jokers):
    """C3: no hand reaches the Defense of some monster; ``jokers`` is q."""
    let_in = min(jokers, rules.jokers_per_action) * rules.joker_cards
    for suit in range(SUITS):
        monsters = undefeated(table) & table.suit_spots[suit]
        if monsters:
            need = greatest_need(rules, table, monsters)
            others = left & ~OF_SUIT[suit]
            if is_red(suit):
                if not reaches(others, rules.hand_size - rules.min_aim, need):
                    return True
            elif not reaches(others, rules.hand_size, need):
                own = highest(left & OF_SUIT[suit], let_in)
                if own == EMPTY or not reaches(others | own, rules.hand_size, need):
                    return True
    return False


@kernel
def is_red(suit):
    """Diamonds or hearts?"""
    return suit == DIAMONDS or suit == HEARTS
