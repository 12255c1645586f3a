// Cuttle under the default options in plain C: how fast one thread can play it, and so what the kernel is measured
// against (hilltop bench). Written from docs/rules/cuttle.md. Moves come in another order than the engine's and random
// numbers from another generator, so matches differ while the game is the same: a test replays traces of this program.
//
//   cuttle [--matches N] [--seed S] [--bots A,B]   play N matches: processor time and results as one JSON object
//   cuttle --trace N [--seed S] [--bots A,B]       N whole matches as JSON Lines (bots: random, greedy)
//
// Match m of seed S is the same match in both modes. A card is a bit of a 64-bit mask, in card order (rank * 4 + suit),
// so "scuttles" is simply "is a lower bit".
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define INLINE static inline __attribute__((always_inline))
#define BIT(c) (1ull << (c))
#define RANK(r) (15ull << (4 * (r)))                 // the four cards of rank r (A = 0)
#define FOR(c, mask) \
    for (u64 m_##c = (mask), c = 0; m_##c && ((c = (u64)__builtin_ctzll(m_##c)), 1); m_##c &= m_##c - 1)
#define COUNT(mask) __builtin_popcountll(mask)
enum { ACE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING };
#define NUMBERS (BIT(40) - 1)
#define ROYALS (RANK(EIGHT) | RANK(QUEEN) | RANK(KING))

// ------------------------------------------------------------------ random numbers: xoshiro256++
typedef struct { u64 s[4]; } Rng;
INLINE u64 rotl(u64 x, int k) { return (x << k) | (x >> (64 - k)); }
INLINE u64 next(Rng *r) {
    u64 *s = r->s, out = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45);
    return out;
}
INLINE u32 below(Rng *r, u32 n) { return (u32)(((next(r) >> 32) * n) >> 32); }
INLINE u64 mix(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
INLINE void seed_rng(Rng *r, u64 seed, u64 match) {
    u64 x = mix(seed + 0x9e3779b97f4a7c15ull) + match * 0xd1342543de82ef95ull;
    for (int i = 0; i < 4; i++) r->s[i] = mix(x += 0x9e3779b97f4a7c15ull);
}

// ------------------------------------------------------------------ state and moves
enum { MAIN, COUNTER, PICK_THREE, DISCARD_FOUR, PLAY_SEVEN, OVER };
enum { POINTS, SCUTTLE, ROYAL, JACKING, ONEOFF, DISCARD,             // also the `as` of a seven_play
       DRAW, PASS, RESOLVE, COUNTERING, THREE_PICK, FOUR_DISCARD };
enum { NONE = 255, FROM_SEVEN = 128 };
enum { BY_POINTS, STALEMATE, TURN_CAP };
enum { GOAL = 21, FIRST_HAND = 5, SECOND_HAND = 6, HAND_LIMIT = 8, PASSES = 3, CAP = 500,
       FIVE_DRAWS = 2, SEVEN_REVEALS = 2, ROOM = 4096 };
static const u8 goals[5] = {GOAL, 14, 10, 7, 5};

typedef struct { u8 kind, card, target, pad; } Move;                 // FOUR_DISCARD: target is the second card
typedef struct {
    u64 hand[2], royal[2], points[2], known[2], frozen[2];
    u64 top[2];                      // the top Jacks of the stacks on each side
    u64 jacks, scrap;                // every Jack lying on a point card; the scrap
    u8 on[4], under[4];              // by suit of Jack: its point card, the Jack's suit just below it or NONE
    u8 deck[52], deck_at;            // the deck is deck[deck_at .. 51]
    u8 deck_known, turn, phase, passes;
    u8 card, target, counters, counter[4];                           // pending
    u8 winner, reason;               // when over; winner NONE is a draw
    u16 turns;
    u8 score[2];
} State;

INLINE int deck_count(const State *s) { return 52 - s->deck_at; }
INLINE int value(u64 card) { return (int)(card >> 2) + 1; }
INLINE int to_act(const State *s) {
    return s->turn ^ (s->phase == COUNTER ? !(s->counters & 1) : s->phase == DISCARD_FOUR);
}

static void deal(State *s, Rng *r) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 52; i++) s->deck[i] = (u8)i;
    for (int i = 0; i < 51; i++) {
        int j = i + (int)below(r, (u32)(52 - i));
        u8 t = s->deck[i]; s->deck[i] = s->deck[j]; s->deck[j] = t;
    }
    for (int i = 0; i < FIRST_HAND; i++) s->hand[0] |= BIT(s->deck[i]);
    for (int i = 0; i < SECOND_HAND; i++) s->hand[1] |= BIT(s->deck[FIRST_HAND + i]);
    s->deck_at = FIRST_HAND + SECOND_HAND;
}

// ------------------------------------------------------------------ legal moves
#define PUT(k, c, t) (out[n++] = (Move){(u8)(k), (u8)(c), (u8)(t), 0})

// One move for each card c of `cards`, four written at a time: how many there are is what a branch predictor
// cannot guess. What is written beyond the last one is overwritten or ignored.
#define PUT_ALL(k, c, t, cards) do { \
    u64 left_ = (cards), c; \
    int at_ = n; \
    n += COUNT(left_); \
    do { \
        for (int i_ = 0; i_ < 4; i_++, left_ &= left_ - 1) { \
            c = (u64)__builtin_ctzll(left_ | BIT(63)); \
            out[at_++] = (Move){(u8)(k), (u8)(c), (u8)(t), 0}; \
        } \
    } while (left_); } while (0)

// Every play of the cards in `cards`, with `left` cards in the deck besides; `flag` marks a Seven's play.
INLINE int plays(const State *s, u64 cards, int left, int flag, Move *out) {
    int n = 0, opp = !s->turn;
    u64 theirs = s->points[opp], queens = s->royal[opp] & RANK(QUEEN);
    PUT_ALL(POINTS | flag, c, NONE, cards & NUMBERS);
    FOR(t, theirs) PUT_ALL(SCUTTLE | flag, c, t, cards & NUMBERS & ~(BIT(t + 1) - 1));
    u64 jacks = queens ? 0 : cards & RANK(JACK);
    if (jacks && theirs) FOR(c, jacks) FOR(t, theirs) PUT(JACKING | flag, c, t);
    PUT_ALL(ROYAL | flag, c, NONE, cards & ROYALS);
    u64 plain = RANK(ACE) | RANK(SIX);
    if (s->scrap) plain |= RANK(THREE);
    if (s->hand[opp]) plain |= RANK(FOUR);
    if (left > 0) plain |= RANK(FIVE) | RANK(SEVEN);
    PUT_ALL(ONEOFF | flag, c, NONE, cards & plain);
    u64 aimed = cards & (RANK(TWO) | RANK(NINE));
    if (aimed) {
        u64 two = s->royal[opp] | s->top[opp], nine = two | theirs;
        if (queens) two = nine = queens & (queens - 1) ? 0 : queens;
        FOR(c, aimed) FOR(t, c >> 2 == TWO ? two : nine) PUT(ONEOFF | flag, c, t);
    }
    return n;
}

static int legal(const State *s, Move *out) {
    int n = 0, seat = to_act(s);
    if (s->phase == MAIN) {
        n = plays(s, s->hand[seat] & ~s->frozen[seat], deck_count(s), 0, out);
        if (deck_count(s)) {
            if (COUNT(s->hand[seat]) < HAND_LIMIT) PUT(DRAW, NONE, NONE);
            if (n == 0) PUT(PASS, NONE, NONE);
        } else {
            PUT(PASS, NONE, NONE);
        }
    } else if (s->phase == COUNTER) {
        PUT(RESOLVE, NONE, NONE);
        if (!(s->royal[!seat] & RANK(QUEEN)))
            FOR(c, s->hand[seat] & ~s->frozen[seat] & RANK(TWO)) PUT(COUNTERING, c, NONE);
    } else if (s->phase == PICK_THREE) {
        FOR(c, s->scrap) PUT(THREE_PICK, c, NONE);
    } else if (s->phase == DISCARD_FOUR) {
        u64 hand = s->hand[seat];
        if (!(hand & (hand - 1))) {
            PUT(FOUR_DISCARD, __builtin_ctzll(hand), NONE);
        } else {
            FOR(c, hand) FOR(d, hand & ~(BIT(c + 1) - 1)) PUT(FOUR_DISCARD, c, d);
        }
    } else if (s->phase == PLAY_SEVEN) {
        int shown = deck_count(s) < SEVEN_REVEALS ? deck_count(s) : SEVEN_REVEALS;
        u64 cards = 0;
        for (int i = 0; i < shown; i++) cards |= BIT(s->deck[s->deck_at + i]);
        n = plays(s, cards, deck_count(s) - 1, FROM_SEVEN, out);
        if (n == 0) FOR(c, cards) PUT(DISCARD | FROM_SEVEN, c, NONE);
    }
    return n;
}

// ------------------------------------------------------------------ carrying out moves
static void end_turn(State *s, int passed) {
    int me = s->turn;
    s->phase = MAIN;
    s->turns++;
    s->passes = passed ? (u8)(s->passes + 1) : 0;
    s->frozen[me] = 0;
    int a = s->score[0] >= goals[COUNT(s->royal[0] & RANK(KING))];
    int b = s->score[1] >= goals[COUNT(s->royal[1] & RANK(KING))];
    if (a | b) {
        s->winner = (u8)(a & b ? me : b);
        s->reason = BY_POINTS;
        s->phase = OVER;
    } else if (s->passes >= PASSES || s->turns >= CAP) {
        s->winner = NONE;
        s->reason = s->passes >= PASSES ? STALEMATE : TURN_CAP;
        s->phase = OVER;
    } else {
        s->turn = (u8)!me;
    }
}

INLINE void leave_hand(State *s, int seat, u64 cards) {
    s->hand[seat] &= ~cards;
    s->known[seat] &= ~cards;
    s->frozen[seat] &= ~cards;
}

INLINE void draw(State *s, int seat) {
    u64 card = BIT(s->deck[s->deck_at++]);
    s->hand[seat] |= card;
    if (s->deck_known) {
        s->deck_known--;
        s->known[seat] |= card;
    }
}

INLINE void move_point(State *s, int from, u64 t) {          // a point card changes sides
    s->points[from] ^= BIT(t);
    s->points[!from] |= BIT(t);
    s->score[from] = (u8)(s->score[from] - value(t));
    s->score[!from] = (u8)(s->score[!from] + value(t));
}

static u64 take_point(State *s, int seat, u64 t) {           // a point card leaves; its Jacks to the scrap
    s->points[seat] ^= BIT(t);
    s->score[seat] = (u8)(s->score[seat] - value(t));
    u64 gone = 0;
    FOR(j, s->jacks) if (s->on[j & 3] == t) gone |= BIT(j);
    s->jacks &= ~gone;
    s->top[seat] &= ~gone;
    s->scrap |= gone;
    return BIT(t);
}

static void take_jack(State *s, int seat, u64 j) {           // a top Jack of `seat` leaves
    int below_it = s->under[j & 3];
    s->jacks ^= BIT(j);
    s->top[seat] ^= BIT(j);
    if (below_it != NONE) s->top[!seat] |= BIT(4 * JACK + below_it);
    move_point(s, seat, s->on[j & 3]);
}

// A card that has left the hand or the deck is played by the seat on turn.
INLINE void play(State *s, int how, u64 c, u64 t) {
    int me = s->turn, opp = !me;
    if (how == ONEOFF) {
        s->card = (u8)c;
        s->target = (u8)t;
        s->counters = 0;
        s->phase = COUNTER;
        return;
    }
    if (how == POINTS) {
        s->points[me] |= BIT(c);
        s->score[me] = (u8)(s->score[me] + value(c));
    } else if (how == ROYAL) {
        s->royal[me] |= BIT(c);
    } else if (how == SCUTTLE) {
        s->scrap |= take_point(s, opp, t) | BIT(c);
    } else {
        u8 below_it = NONE;
        FOR(j, s->top[opp]) if (s->on[j & 3] == t) {
            below_it = j & 3;
            s->top[opp] ^= BIT(j);
            break;
        }
        s->on[c & 3] = (u8)t;
        s->under[c & 3] = below_it;
        s->jacks |= BIT(c);
        s->top[me] |= BIT(c);
        move_point(s, opp, t);
    }
    end_turn(s, 0);
}

static void resolve(State *s) {
    int me = s->turn, opp = !me, countered = s->counters & 1;
    u64 c = s->card, t = s->target;
    for (int i = 0; i < s->counters; i++) s->scrap |= BIT(s->counter[i]);
    s->counters = 0;
    if (c >> 2 == THREE && !countered) {
        s->phase = PICK_THREE;
        return;
    }
    s->scrap |= BIT(c);
    if (!countered) switch (c >> 2) {
    case ACE:
        s->scrap |= s->points[0] | s->points[1] | s->jacks;
        s->points[0] = s->points[1] = s->top[0] = s->top[1] = s->jacks = 0;
        s->score[0] = s->score[1] = 0;
        break;
    case TWO:
        if (s->royal[opp] & BIT(t)) s->royal[opp] ^= BIT(t);
        else take_jack(s, opp, t);
        s->scrap |= BIT(t);
        break;
    case FOUR:
        if (s->hand[opp]) {
            s->phase = DISCARD_FOUR;
            return;
        }
        break;
    case FIVE: {
        int room = HAND_LIMIT - COUNT(s->hand[me]), count = FIVE_DRAWS;
        if (count > room) count = room;
        if (count > deck_count(s)) count = deck_count(s);
        while (count-- > 0) draw(s, me);
        break;
    }
    case SIX: {
        u64 odd = 0;
        FOR(j, s->jacks) odd ^= BIT(s->on[j & 3]);
        s->scrap |= s->royal[0] | s->royal[1] | s->jacks;
        s->royal[0] = s->royal[1] = s->top[0] = s->top[1] = s->jacks = 0;
        FOR(p, odd) move_point(s, s->points[1] >> p & 1, p);
        break;
    }
    case SEVEN: {
        int shown = deck_count(s) < SEVEN_REVEALS ? deck_count(s) : SEVEN_REVEALS;
        if (s->deck_known < shown) s->deck_known = (u8)shown;
        s->phase = PLAY_SEVEN;
        return;
    }
    case NINE:
        if (s->royal[opp] & BIT(t)) s->royal[opp] ^= BIT(t);
        else if (t >> 2 == JACK) take_jack(s, opp, t);
        else take_point(s, opp, t);
        s->hand[opp] |= BIT(t);
        s->known[opp] |= BIT(t);
        s->frozen[opp] = BIT(t);
        break;
    }
    end_turn(s, 0);
}

static void apply(State *s, Move m) {
    int me = s->turn;
    if (m.kind & FROM_SEVEN) {
        if (s->deck[s->deck_at] != m.card) s->deck[s->deck_at + 1] = s->deck[s->deck_at];
        s->deck_at++;
        s->deck_known--;
        if (m.kind == (DISCARD | FROM_SEVEN)) {
            s->scrap |= BIT(m.card);
            end_turn(s, 0);
        } else {
            play(s, m.kind & ~FROM_SEVEN, m.card, m.target);
        }
    } else switch (m.kind) {
    case DRAW:
        draw(s, me);
        end_turn(s, 0);
        break;
    case PASS:
        end_turn(s, 1);
        break;
    case RESOLVE:
        resolve(s);
        break;
    case COUNTERING:
        leave_hand(s, to_act(s), BIT(m.card));
        s->counter[s->counters++] = m.card;
        break;
    case THREE_PICK:
        s->scrap ^= BIT(m.card) | BIT(s->card);
        s->hand[me] |= BIT(m.card);
        s->known[me] |= BIT(m.card);
        end_turn(s, 0);
        break;
    case FOUR_DISCARD: {
        u64 gone = BIT(m.card) | (m.target == NONE ? 0 : BIT(m.target));
        leave_hand(s, !me, gone);
        s->scrap |= gone;
        end_turn(s, 0);
        break;
    }
    default:
        leave_hand(s, me, BIT(m.card));
        play(s, m.kind, m.card, m.target);
    }
    for (int seat = 0; seat < 2; seat++)                             // glasses see the whole other hand
        if (s->royal[!seat] & RANK(EIGHT)) s->known[seat] = s->hand[seat];
}

// ------------------------------------------------------------------ bots
enum { RANDOM, GREEDY };

// A King that wins now, else the highest card for points, else the first royal, else draw, else random.
static int greedy(const State *s, const Move *moves, int n, Rng *r) {
    int best = -1, royal = -1, other = -1, seat = s->turn;
    if (s->phase != MAIN && s->phase != PLAY_SEVEN) return (int)below(r, (u32)n);
    int kings = COUNT(s->royal[seat] & RANK(KING)), wins = kings < 4 && s->score[seat] >= goals[kings + 1];
    for (int i = 0; i < n; i++) {
        int kind = moves[i].kind & ~FROM_SEVEN;
        if (kind == POINTS) {
            if (best < 0 || moves[i].card > moves[best].card) best = i;
        } else if (kind == ROYAL) {
            if (wins && moves[i].card >> 2 == KING) return i;
            if (royal < 0) royal = i;
        } else if (kind == DRAW) {
            other = i;
        }
    }
    return best >= 0 ? best : royal >= 0 ? royal : other >= 0 ? other : (int)below(r, (u32)n);
}

INLINE int choose(const State *s, const Move *moves, int n, Rng *r, int bot) {
    return bot == RANDOM ? (int)below(r, (u32)n) : greedy(s, moves, n, r);
}

// ------------------------------------------------------------------ many matches
static const char *bot_names[2] = {"random", "greedy"};

static double now(void) {                                            // processor time of this thread, in seconds
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct { u64 wins[3], reasons[3], decisions, turns; } Tally;

INLINE void run(u64 seed, u64 matches, int bot0, int bot1, Tally *tally) {
    static Move moves[ROOM];
    const int bots[2] = {bot0, bot1};
    State s;
    Rng r;
    for (u64 m = 0; m < matches; m++) {
        seed_rng(&r, seed, m);
        deal(&s, &r);
        do {
            int n = legal(&s, moves);
            apply(&s, moves[choose(&s, moves, n, &r, bot0 == bot1 ? bot0 : bots[to_act(&s)])]);
            tally->decisions++;
        } while (s.phase != OVER);
        tally->wins[s.winner == NONE ? 2 : s.winner]++;
        tally->reasons[s.reason]++;
        tally->turns += s.turns;
    }
}

// one copy of the loop for each pair of equal bots, so that the choice is inlined
static void many(u64 seed, u64 matches, const int *bots, Tally *t) {
    if (bots[0] != bots[1]) run(seed, matches, bots[0], bots[1], t);
    else if (bots[0] == RANDOM) run(seed, matches, RANDOM, RANDOM, t);
    else run(seed, matches, GREEDY, GREEDY, t);
}

static void measure(u64 seed, u64 matches, const int *bots) {
    Tally warm = {0}, t = {0};
    many(seed + 1, 2000, bots, &warm);
    double start = now();
    many(seed, matches, bots, &t);
    double seconds = now() - start, each = 1.0 / (double)matches;
    printf("{\"bots\": [\"%s\", \"%s\"], \"matches\": %llu, \"cpu_seconds\": %.6f, \"wins\": [%.5f, %.5f], "
           "\"draws\": %.5f, \"turn_caps\": %llu, \"turns\": %.3f, \"decisions\": %.3f}\n", bot_names[bots[0]], bot_names[bots[1]],
           (unsigned long long)matches, seconds, each * (double)t.wins[0], each * (double)t.wins[1],
           each * (double)t.wins[2], (unsigned long long)t.reasons[TURN_CAP], each * (double)t.turns,
           each * (double)t.decisions);
}

// ------------------------------------------------------------------ traces
static void put_card(u64 c) { printf("\"%c%c\"", "A23456789TJQK"[c >> 2], "CDHS"[c & 3]); }
static void put_set(const char *name, u64 cards) {
    const char *gap = "";
    printf("\"%s\": [", name);
    FOR(c, cards) { fputs(gap, stdout); put_card(c); gap = ", "; }
    putchar(']');
}
static void put_result(const State *s) {
    if (s->phase != OVER) { printf("null"); return; }
    printf("{\"ranks\": [%d, %d], \"scores\": [%d, %d], \"winner\": ", s->winner == 1, s->winner == 0, s->score[0],
           s->score[1]);
    if (s->winner == NONE) printf("null"); else printf("%d", s->winner);
    printf(", \"reason\": \"%s\"}", (const char *[]){"points", "stalemate", "turn_cap"}[s->reason]);
}
static void put_position(const State *s) {
    printf("{\"turn\": %d, \"turns\": %d, \"passes\": %d, \"phase\": \"%s\", \"pending\": ", s->turn, s->turns,
           s->passes, (const char *[]){"main", "counter", "three", "four", "seven", "over"}[s->phase]);
    if (s->phase == COUNTER || s->phase == PICK_THREE) {
        printf("{\"card\": ");
        put_card(s->card);
        printf(", \"target\": ");
        if (s->target == NONE) printf("null"); else put_card(s->target);
        printf(", \"counters\": [");
        for (int i = 0; i < s->counters; i++) { if (i) printf(", "); put_card(s->counter[i]); }
        printf("]}");
    } else printf("null");
    for (int seat = 0; seat < 2; seat++) {
        const char *gap = "";
        printf(", \"p%d\": {", seat);
        put_set("hand", s->hand[seat]);
        printf(", \"points\": [");
        FOR(p, s->points[seat]) {
            int stack[4], size = 0, j = NONE;
            FOR(top, s->top[seat]) if (s->on[top & 3] == p) j = (int)(top & 3);
            for (; j != NONE; j = s->under[j]) stack[size++] = j;
            printf("%s\"%c%c", gap, "A23456789T"[p >> 2], "CDHS"[p & 3]);
            while (size) printf("+J%c", "CDHS"[stack[--size]]);
            printf("\"");
            gap = ", ";
        }
        printf("], ");
        put_set("royals", s->royal[seat]);
        printf(", \"frozen\": ");
        if (s->frozen[seat]) put_card((u64)__builtin_ctzll(s->frozen[seat])); else printf("null");
        printf(", ");
        put_set("known", s->known[seat]);
        printf("}");
    }
    printf(", ");
    put_set("scrap", s->scrap);
    printf(", \"deck\": [");
    for (int i = s->deck_at; i < 52; i++) { if (i > s->deck_at) printf(", "); put_card(s->deck[i]); }
    printf("], \"deck_known\": %d, \"result\": ", s->deck_known);
    put_result(s);
    printf("}");
}
static void put_move(Move m) {                                        // without its braces
    static const char *names[] = {"points", "scuttle", "royal", "jack", "oneoff", "discard", "draw", "pass", "resolve",
                                  "counter", "three_pick", "four_discard"};
    if (m.kind & FROM_SEVEN) {
        printf("\"move\": \"seven_play\", \"card\": ");
        put_card(m.card);
        printf(", \"as\": \"%s\"", names[m.kind & ~FROM_SEVEN]);
    } else {
        printf("\"move\": \"%s\"", names[m.kind]);
        if (m.kind == FOUR_DISCARD) {
            printf(", \"cards\": [");
            put_card(m.card);
            if (m.target != NONE) { printf(", "); put_card(m.target); }
            printf("]");
            return;
        }
        if (m.card != NONE) { printf(", \"card\": "); put_card(m.card); }
    }
    if (m.target != NONE) { printf(", \"target\": "); put_card(m.target); }
}

static void trace(u64 seed, u64 count, const int *bots) {
    static Move moves[ROOM];
    for (u64 m = 0; m < count; m++) {
        State s;
        Rng r;
        int steps = 0;
        seed_rng(&r, seed, m);
        deal(&s, &r);
        printf("{\"schema\": \"hilltop-trace/1\", \"game\": \"cuttle\", \"variant\": \"standard\", \"players\": 2, "
               "\"seed\": \"%llu\", \"match\": %llu, \"bots\": [\"%s\", \"%s\"], \"start\": ",
               (unsigned long long)seed, (unsigned long long)m, bot_names[bots[0]], bot_names[bots[1]]);
        put_position(&s);
        printf(", \"steps\": [");
        while (s.phase != OVER) {
            int seat = to_act(&s), n = legal(&s, moves), k = choose(&s, moves, n, &r, bots[seat]);
            printf("%s{\"by\": %d, ", steps++ ? ", " : "", seat);
            put_move(moves[k]);
            printf(", \"legal\": [");
            for (int i = 0; i < n; i++) { printf(i ? ", {" : "{"); put_move(moves[i]); printf("}"); }
            apply(&s, moves[k]);
            printf("], \"after\": ");
            put_position(&s);
            printf("}");
        }
        printf("], \"end\": ");
        put_position(&s);
        printf(", \"result\": ");
        put_result(&s);
        printf("}\n");
    }
}

int main(int argc, char **argv) {
    u64 matches = 1000000, seed = 1, traces = 0;
    int bots[2] = {RANDOM, RANDOM};
    for (int i = 1; i < argc; i += 2) {
        const char *more = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--matches")) matches = strtoull(more, NULL, 10);
        else if (!strcmp(argv[i], "--seed")) seed = strtoull(more, NULL, 10);
        else if (!strcmp(argv[i], "--trace")) traces = strtoull(more, NULL, 10);
        else if (!strcmp(argv[i], "--bots")) {
            const char *comma = strchr(more, ',');
            bots[0] = more[0] == 'g';
            bots[1] = comma ? comma[1] == 'g' : bots[0];
        } else {
            fprintf(stderr, "usage: cuttle [--matches N | --trace N] [--seed S] [--bots A,B]\n");
            return 2;
        }
    }
    if (!matches) return 2;
    if (traces) trace(seed, traces, bots);
    else measure(seed, matches, bots);
    return 0;
}
