"""Jack and Jill: C4, the exhaustive search for a win once the Well is empty (``docs/rules/jack_and_jill.md``, 4).

Nothing is drawn any more, so a plan is a choice of cards for each step. The search is exact; it is small because

* **The pawns are apart.** A Move, an attack and their cards concern one character. Whatever order of monsters each of
  them needs for himself (``due_of`` of his own monsters), two such orders always fit together: stage by stage, the
  Crown last. So first all of Jack's monsters are beaten, then, with what is left, all of Jill's.
* **Pool.** Once the pawns are in trading range and both hands hold a card, Trades reach every split of all cards that
  keeps the sizes of the hands. The split can be chosen with hindsight: from then on Jack uses at most ``most0`` cards
  of the pool and Jill at most ``most1``, wherever they stand. One player is the same with the whole hand for both.
* **Apart.** Until then two players act with their own hands only. If they would lose even with pooled hands, they
  lose; if each wins alone, they win; otherwise every action of either is tried (``meet``).
* Only **minimal attacks**: without its smallest card it is too weak. If Jack stands under a due monster, he attacks.
* **Cuts** (``jack_slack``, ``jill_slack``) and a **memo** of lost situations.

The cards are numbered 0.. in rising order of their values, sets of them are masks; ``end`` (END) holds their values.
"""

from __future__ import annotations

from engine.cards import EMPTY, count, has, highest, lower, lowest, one, rest
from engine.games.jack_and_jill.hill import (
    aim_jokers,
    black_spots,
    ceil_div,
    due_of,
    melee_jokers,
    need_of,
    needs_of,
    red_spots,
    shorter_way,
    spot_after,
    suit_at,
)
from engine.games.jack_and_jill.state import (
    BETWEEN,
    MEMO,
    MOST_CARDS,
    OF_SUIT,
    SPOTS,
    SUITS,
    part_of,
    value,
)
from engine.kernel import kernel

PROBES = 8  # places that a situation may have
_LOW = (1 << 31) - 1
_MIX_LOW, _MIX_HIGH = 0x2545F491, 0x5BD1E995

# The first part of a situation's code.
JACKS_TURN, JILLS_TURN, MEETING = 1, 2, 3

# How far a situation has been tried: FRAME's stage.
FRESH, MELEES, SHOTS, MOVES = range(4)
NO_LIMIT = 1 << 20


@kernel
def can_win(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """Can the monsters ``up`` of a Hill be beaten with these hands, pawns and Jokers, the Well being empty (C4)?

    One player has ``hand0`` and ``jokers0`` for both characters.
    """
    both = hand0 | hand1
    lay_out(end, both)
    cards0, cards1 = part_of(both, hand0), part_of(both, hand1)
    if rules.players == 1:
        size = count(hand0)
        won = pool_wins(rules, table, end, cards0, size, size, jack, jill, up, jokers0, jokers0, 0)
    else:
        won = team_wins(rules, table, end, cards0, cards1, jack, jill, up, jokers0, jokers1)
    forget(end)
    return won


@kernel
def can_win_in(rules, table, ends, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """The same for a bot, which brings its own room: an array of one END (``engine.kernel.records``)."""
    return can_win(rules, table, ends[0], hand0, hand1, jack, jill, up, jokers0, jokers1)


@kernel
def can_win_apart(rules, table, ends, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """The same for two players who do not trade any more."""
    end = ends[0]
    both = hand0 | hand1
    lay_out(end, both)
    cards0, cards1 = part_of(both, hand0), part_of(both, hand1)
    size0, size1 = count(hand0), count(hand1)
    won = jack_wins(rules, table, end, cards0, cards1, size0, size1, jack, jill, up, jokers0, jokers1, 0)
    forget(end)
    return won


@kernel
def lay_out(end, cards):
    """Number the cards from 0 on and prepare all sums; their sets are then what ``part_of`` gives."""
    size = 0
    for i in range(SUITS):
        end.of_suit[i] = part_of(cards, OF_SUIT[i])
    while cards:
        end.value[size] = value(lowest(cards))
        size += 1
        cards = rest(cards)
    add_up(end.value, end.sum_low, 0, min(size, 7))
    add_up(end.value, end.sum_high, 7, max(size - 7, 0))


@kernel
def forget(end):
    """Empty the memo."""
    if end.stored > 0:
        end.memo[:] = 0
        end.stored = 0


@kernel
def add_up(values, sums, first, size):
    """The sum of every set of ``size`` cards from card ``first`` on."""
    sums[0] = 0
    for cards in range(1, 1 << size):
        sums[cards] = sums[rest(cards)] + values[first + lowest(cards)]


@kernel
def total(end, cards):
    """The sum of a set of cards."""
    return end.sum_low[cards & 127] + end.sum_high[cards >> 7]


@kernel
def team_wins(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """Two players who hold these cards: do they win?"""
    size0, size1 = count(hand0), count(hand1)
    if not pool_wins(rules, table, end, hand0 | hand1, size0, size1, jack, jill, up, jokers0, jokers1, 0):
        return False
    if hand0 and hand1 and shorter_way(jack, jill) <= rules.trade_range:
        return True
    if jack_wins(rules, table, end, hand0, hand1, size0, size1, jack, jill, up, jokers0, jokers1, 0):
        return True
    return rules.trade_range >= 0 and meet(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1)


@kernel
def pool_wins(rules, table, end, pool, most0, most1, jack, jill, up, jokers0, jokers1, first):
    """Do they win if Jack may use any ``most0`` cards of the pool, and Jill any ``most1`` others?

    As in all searches below, the frames from ``first`` on are free.
    """
    # Jill must be able to do her part even if Jack uses nothing.
    if not jill_wins(rules, table, end, pool, most1, jill, up & red_spots(table), jokers1, first):
        return False
    return jack_wins(rules, table, end, pool, pool, most0, most1, jack, jill, up, jokers0, jokers1, first)


@kernel
def jack_wins(rules, table, end, cards0, cards1, most0, most1, jack, jill, up, jokers0, jokers1, first):
    """Can Jack beat his monsters, with at most ``most0`` of ``cards0``, and Jill hers with what is left for her?"""
    begin(end.frames[first], cards0, cards1, most0, most1, jack, jill, up, jokers0, jokers1)
    depth = first
    while depth >= first:
        now = end.frames[depth]
        if now.stage == FRESH and not now.up & black_spots(table):
            if jill_wins(rules, table, end, now.cards1, now.most1, now.jill, now.up, now.jokers1, depth + 1):
                return True
            depth -= 1
        elif now.stage == FRESH and not open_jack(rules, table, end, now):
            depth -= 1
        elif next_of_jack(rules, table, end, now, end.frames[depth + 1]):
            depth += 1
        else:
            note_lost(end, now.key)
            depth -= 1
    return False


@kernel
def open_jack(rules, table, end, now):
    """Prepare a situation of Jack's part for its first action; False if it is lost for certain."""
    now.slack = jack_slack(rules, table, end, now)
    if now.slack < 0:
        return False
    key = (((JACKS_TURN * SPOTS + now.jack) * SPOTS + now.jill) * 8 + now.jokers0) * 8 + now.jokers1
    now.key = (((key << MOST_CARDS | now.cards0) << MOST_CARDS | now.cards1) << 4 | now.most0) << SPOTS | now.up
    if is_lost(end, now.key):
        return False
    if has(due_of(rules, table, now.up & black_spots(table)), now.jack):
        now.stage = MELEES
        now.part = EMPTY
    else:
        start_moves(now, up_to(end, now.cards0, now.slack))
    return True


@kernel
def next_of_jack(rules, table, end, now, then):
    """The next action of Jack's part: True with the situation after it in ``then``, or False if there is none left."""
    if now.stage == MELEES:
        if not next_melee(rules, table, end, now):
            return False
        follow(now, then)
        beat_black(then)
        then.cards1 = now.cards1 & ~now.spent
        if rules.players == 1:
            then.jokers1 = now.jokers1 - now.flipped
        return True
    card = next_move(end, now)
    if card == EMPTY:
        return False
    follow(now, then)
    then.cards0 = now.cards0 & ~card
    then.cards1 = now.cards1 & ~card
    then.most0 = now.most0 - 1
    then.jack = spot_after(now.jack, now.steps)
    return True


@kernel
def jill_wins(rules, table, end, cards, most, jill, red, jokers, first):
    """Can Jill beat the ``red`` monsters with at most ``most`` of these cards?"""
    begin(end.frames[first], EMPTY, cards, 0, most, 0, jill, red, 0, jokers)
    depth = first
    while depth >= first:
        now = end.frames[depth]
        if now.stage == FRESH and not now.up:
            return True
        if now.stage == FRESH and not open_jill(rules, table, end, now):
            depth -= 1
        elif next_of_jill(rules, table, end, now, end.frames[depth + 1]):
            depth += 1
        else:
            note_lost(end, now.key)
            depth -= 1
    return False


@kernel
def open_jill(rules, table, end, now):
    """Prepare a situation of Jill's part for its first action; False if it is lost for certain."""
    now.slack = jill_slack(rules, table, end, now.cards1, now.most1, now.jill, now.up, now.jokers1)
    if now.slack < 0:
        return False
    key = ((JILLS_TURN * SPOTS + now.jill) * 8 + now.jokers1) << MOST_CARDS | now.cards1
    now.key = (key << 4 | now.most1) << SPOTS | now.up
    if is_lost(end, now.key):
        return False
    start_shots(now, due_of(rules, table, now.up) & ~one(now.jill))
    return True


@kernel
def next_of_jill(rules, table, end, now, then):
    """The next action of Jill's part: True with the situation after it in ``then``, or False if there is none left."""
    if now.stage == SHOTS:
        if next_shot(rules, table, end, now):
            follow(now, then)
            beat_red(then)
            return True
        start_moves(now, up_to(end, now.cards1, now.slack - rules.min_aim))
    card = next_move(end, now)
    if card == EMPTY:
        return False
    follow(now, then)
    then.cards1 = now.cards1 & ~card
    then.most1 = now.most1 - 1
    then.jill = spot_after(now.jill, now.steps)
    return True


@kernel
def meet(rules, table, end, hand0, hand1, jack, jill, up, jokers0, jokers1):
    """Can two players whose pawns are apart come into trading range and win with the cards then pooled?"""
    begin(end.frames[0], hand0, hand1, count(hand0), count(hand1), jack, jill, up, jokers0, jokers1)
    depth = 0
    while depth >= 0:
        now = end.frames[depth]
        if now.stage == FRESH and not (now.cards0 and now.cards1 and would_win(rules, table, end, now, depth + 1)):
            depth -= 1
        elif now.stage == FRESH and shorter_way(now.jack, now.jill) <= rules.trade_range:
            return True
        elif now.stage == FRESH and not open_meeting(rules, table, end, now):
            depth -= 1
        elif next_of_both(rules, table, end, now, end.frames[depth + 1]):
            depth += 1
        else:
            note_lost(end, now.key)
            depth -= 1
    return False


@kernel
def would_win(rules, table, end, now, first):
    """Would two players win if they could trade where they are?"""
    pool = now.cards0 | now.cards1
    return pool_wins(
        rules, table, end, pool, now.most0, now.most1, now.jack, now.jill, now.up, now.jokers0, now.jokers1, first
    )


@kernel
def open_meeting(rules, table, end, now):
    """Prepare a situation of two who are apart for its first action; False if it is known to be lost."""
    key = (((MEETING * SPOTS + now.jack) * SPOTS + now.jill) * 8 + now.jokers0) * 8 + now.jokers1
    now.key = ((key << MOST_CARDS | now.cards0) << MOST_CARDS | now.cards1) << SPOTS | now.up
    if is_lost(end, now.key):
        return False
    due = due_of(rules, table, now.up)
    now.slack = NO_LIMIT
    start_shots(now, due & red_spots(table) & ~one(now.jill))
    if has(due & black_spots(table), now.jack):
        now.stage = MELEES
        now.part = EMPTY
    return True


@kernel
def next_of_both(rules, table, end, now, then):
    """The next action of either: True with the situation after it in ``then``, or False if there is none left."""
    if now.stage == MELEES:
        if next_melee(rules, table, end, now):
            follow(now, then)
            beat_black(then)
            return True
        start_shots(now, due_of(rules, table, now.up) & red_spots(table) & ~one(now.jill))
    if now.stage == SHOTS:
        if next_shot(rules, table, end, now):
            follow(now, then)
            beat_red(then)
            return True
        start_moves(now, now.cards0 | now.cards1)
    card = next_move(end, now)
    if card == EMPTY:
        return False
    follow(now, then)
    if card & now.cards0:
        then.cards0 = now.cards0 & ~card
        then.most0 = now.most0 - 1
        then.jack = spot_after(now.jack, now.steps)
    else:
        then.cards1 = now.cards1 & ~card
        then.most1 = now.most1 - 1
        then.jill = spot_after(now.jill, now.steps)
    return True


# ---------------------------------------------------------------- situations, and the actions in them one by one
#
# A search keeps the situations between its start and where it is now in frames (FRAME), each with a cursor to its next
# action. Functions that call themselves would be shorter, but Numba cannot load those from its disk cache (its issue
# 9129): the next process would abort.


@kernel
def begin(now, cards0, cards1, most0, most1, jack, jill, up, jokers0, jokers1):
    """A situation at which no action has been tried."""
    now.cards0 = cards0
    now.cards1 = cards1
    now.most0 = most0
    now.most1 = most1
    now.jack = jack
    now.jill = jill
    now.up = up
    now.jokers0 = jokers0
    now.jokers1 = jokers1
    now.stage = FRESH


@kernel
def follow(now, then):
    """The situation that follows, before the action that leads there changes it."""
    begin(then, now.cards0, now.cards1, now.most0, now.most1, now.jack, now.jill, now.up, now.jokers0, now.jokers1)
    then.spent = now.spent
    then.flipped = now.flipped
    then.spot = now.spot


@kernel
def beat_black(then):
    """Jack's attack has cost its cards and Jokers, and its monster is down."""
    then.cards0 &= ~then.spent
    then.most0 -= count(then.spent)
    then.jokers0 -= then.flipped
    then.up &= ~one(then.spot)


@kernel
def beat_red(then):
    """Jill's attack has cost its cards and Jokers, and its monster is down."""
    then.cards1 &= ~then.spent
    then.most1 -= count(then.spent)
    then.jokers1 -= then.flipped
    then.up &= ~one(then.spot)


@kernel
def next_melee(rules, table, end, now):
    """The next minimal attack on the monster over Jack: True with ``spent``, ``flipped`` and ``spot`` set."""
    need = need_of(rules, table, now.jack)
    own = end.of_suit[suit_at(table, now.jack)]
    allowed = min(now.jokers0, rules.jokers_per_action)
    while True:
        now.part = next_attack(end, now.cards0, now.part, need)
        if now.part == EMPTY:
            return False
        used = melee_jokers(rules, count(now.part & own))
        over = total(end, now.part) - need
        if used <= allowed and count(now.part) <= now.most0 and over <= now.slack:
            now.spent = now.part
            now.flipped = used
            now.spot = now.jack
            return True


@kernel
def start_shots(now, targets):
    """Put the cursor before Jill's first attack on one of ``targets``."""
    now.stage = SHOTS
    now.targets = targets
    now.aim = EMPTY
    now.part = EMPTY


@kernel
def next_shot(rules, table, end, now):
    """Jill's next attack (an Aim and a minimal attack): True with ``spent``, ``flipped`` and ``spot`` set."""
    allowed = min(now.jokers1, rules.jokers_per_action)
    while now.targets:
        spot = lowest(now.targets)
        need = need_of(rules, table, spot)
        foreign = now.cards1 & ~end.of_suit[suit_at(table, spot)]
        way = shorter_way(now.jill, spot)
        most = min(now.slack, SPOTS - way + allowed * rules.joker_shift)
        while True:
            used = aim_jokers(rules, way, total(end, now.aim))
            if used <= allowed and (now.aim or rules.min_aim == 0):
                now.part = next_attack(end, foreign & ~now.aim, now.part, need)
                while now.part:
                    over = total(end, now.part) - need
                    if over + total(end, now.aim) <= now.slack and count(now.aim | now.part) <= now.most1:
                        now.spent = now.aim | now.part
                        now.flipped = used
                        now.spot = spot
                        return True
                    now.part = next_attack(end, foreign & ~now.aim, now.part, need)
            now.aim = next_aim(end, now.cards1, now.aim, most)
            if now.aim == EMPTY:
                break
        start_shots(now, rest(now.targets))
    return False


@kernel
def start_moves(now, cards):
    """Put the cursor before the first Move with one of ``cards``."""
    now.stage = MOVES
    now.part = cards
    now.aim = 0


@kernel
def next_move(end, now):
    """The card (as a set) of the next Move, its way in ``steps``; EMPTY when every card has gone both ways."""
    if now.part == EMPTY:
        return EMPTY
    card = lowest(now.part)
    now.steps = end.value[card] if now.aim == 0 else -end.value[card]
    if now.aim == 0:
        now.aim = 1
    else:
        now.aim = 0
        now.part = rest(now.part)
    return one(card)


@kernel
def up_to(end, cards, most):
    """Those of some cards that are worth at most ``most``."""
    while cards and end.value[highest(cards)] > most:
        cards &= lower(highest(cards))
    return cards


@kernel
def next_aim(end, cards, aim, most):
    """The next of all sets of cards of a sum up to ``most`` after ``aim`` (EMPTY: the first), or EMPTY at the end.

    Cards are added in rising order; when the next one is too much, so are all others.
    """
    above = cards
    if aim:
        above = cards & ~lower(highest(aim) + 1)
    while not above or total(end, aim) + end.value[lowest(above)] > most:
        if aim == EMPTY:
            return EMPTY
        last = highest(aim)  # go on with a higher card in place of the last one
        aim ^= one(last)
        above = cards & ~lower(last + 1)
    return aim | one(lowest(above))


@kernel
def next_attack(end, cards, part, need):
    """The next of all minimal attacks after ``part`` (EMPTY: the first one), or EMPTY if that was the last one.

    Cards are chosen in falling order until they reach ``need``: then none of them can be spared.
    """
    below = cards
    reached = total(end, part)
    while True:
        if part:  # go on with a lower card in place of the last one
            last = lowest(part)
            part = rest(part)
            reached -= end.value[last]
            below = cards & lower(last)
        while reached + total(end, below) >= need:
            last = highest(below)
            part |= one(last)
            reached += end.value[last]
            if reached >= need:
                return part
            below &= lower(last)
        if part == EMPTY:
            return EMPTY


# ---------------------------------------------------------------- cuts: what every win needs


@kernel
def jack_slack(rules, table, end, now):
    """What the cards are worth beyond all Defenses and Jill's Aims; -1 if there are too few or too low ones."""
    black = now.up & black_spots(table)
    red = now.up & red_spots(table)
    # Cards: no card is worth more than 10, and Jack moves to each monster that he does not stand under.
    walks = count(black & ~one(now.jack))
    cards_jack = walks
    farthest = 0
    left = black
    while left:
        spot = lowest(left)
        left = rest(left)
        cards_jack += ceil_div(need_of(rules, table, spot), 10)
        farthest = max(farthest, shorter_way(now.jack, spot))
    if cards_jack > min(now.most0, count(now.cards0)):
        return -1
    # Value: a card brings the pawn at most its value nearer.
    slack = total(end, now.cards0) - needs_of(rules, table, black)
    if slack < max(walks, farthest):
        return -1
    for i in range(SUITS):
        monsters = black & table.suit_spots[i]
        if monsters:
            need = needs_of(rules, table, monsters) - total(end, now.cards0 & ~end.of_suit[i])
            if need > 0 and need > 10 * now.jokers0 * rules.joker_cards:
                return -1
    if red:
        cards_jill = 0
        left = red
        while left:
            cards_jill += ceil_div(need_of(rules, table, lowest(left)), 10) + rules.min_aim
            left = rest(left)
        if cards_jill > now.most1 or cards_jack + cards_jill > count(now.cards0 | now.cards1):
            return -1
        needs_jill = needs_of(rules, table, red) + least_aims(rules, red, now.jill, now.jokers1)
        both = total(end, now.cards0 | now.cards1) - needs_of(rules, table, black)
        if needs_jill > total(end, now.cards1) or both - needs_jill < max(walks, farthest):
            return -1
        slack = min(slack, both - needs_jill)
    return slack


@kernel
def jill_slack(rules, table, end, cards, most, jill, red, jokers):
    """What the cards are worth beyond the Defenses and the Aims after the first one; -1 if she cannot win."""
    least = 0
    left = red
    while left:
        least += ceil_div(need_of(rules, table, lowest(left)), 10) + rules.min_aim
        left = rest(left)
    if least > min(most, count(cards)):
        return -1
    for i in range(SUITS):
        monsters = red & table.suit_spots[i]
        if monsters and needs_of(rules, table, monsters) > total(end, cards & ~end.of_suit[i]):
            return -1
    slack = total(end, cards) - needs_of(rules, table, red)
    if slack < least_aims(rules, red, jill, jokers):
        return -1
    return slack - rules.min_aim * (count(red) - 1)


@kernel
def least_aims(rules, red, jill, jokers):
    """The least sum of all Aims and of the Moves between them: a card brings Jill at most its value nearer."""
    bend = min(jokers, rules.jokers_per_action) * rules.joker_shift
    if rules.aim_distance == BETWEEN:
        bend += 1
    farthest = 0
    left = red
    while left:
        farthest = max(farthest, shorter_way(jill, lowest(left)))
        left = rest(left)
    return max(rules.min_aim, farthest - bend) + rules.min_aim * (count(red) - 1)


# ---------------------------------------------------------------- the memo


@kernel
def place_of(key):
    """Where a situation is looked for first."""
    return (((key & _LOW) * _MIX_LOW ^ (key >> 31) * _MIX_HIGH) >> 20) & (MEMO - 1)


@kernel
def is_lost(end, key):
    """Is the situation known to be lost?"""
    place = place_of(key)
    for _ in range(PROBES):
        if end.memo[place] == key:
            return True
        if end.memo[place] == 0:
            return False
        place = (place + 1) & (MEMO - 1)
    return False


@kernel
def note_lost(end, key):
    """Remember that a situation is lost, if there is a place for it."""
    place = place_of(key)
    for _ in range(PROBES):
        if end.memo[place] == 0:
            end.memo[place] = key
            end.stored += 1
            return
        place = (place + 1) & (MEMO - 1)
