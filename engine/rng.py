"""Random numbers inside kernels: Chris Doty-Humphrey's sfc32 (PractRand), in 32-bit arithmetic held in int64.

A generator is an int64 array of four words, part of a game's state or one a seat for a bot's own luck. It is seeded
by (run seed, deal, stream) and by nothing else, so results do not depend on workers, chunks or order. Streams are
apart: what a bot draws never changes the cards. Compiled and interpreted code give the same numbers.
"""

from __future__ import annotations

from engine.kernel import inlined, kernel

WORDS = 4
MASK = 0xFFFFFFFF
WARM_UP = 15  # rounds after seeding, as PractRand does it for three seed words

DEAL = 0  # the stream of a deal's shuffles and dice; stream 1 + seat is that seat's luck
MAX_SEED = (1 << 63) - 1


@kernel
def seed_stream(rng, seed, deal, stream):
    """Start ``rng`` (int64[4]) at (seed, deal, stream); all three >= 0, seed < 2^63, deal < 2^58, stream < 2^6."""
    words = (seed & MASK, seed >> 32, deal & MASK, ((deal >> 32) << 6) + stream + 1)
    for _ in range(WARM_UP):
        _, words = stepped(words)
    keep(rng, words)


@inlined
def stepped(words):
    """The next 32 random bits, and the generator after them."""
    a, b, c, counter = words
    word = (a + b + counter) & MASK
    turned = (c << 21) & MASK | (c >> 11)
    return word, (b ^ (b >> 9), (c + (c << 3)) & MASK, (turned + word) & MASK, (counter + 1) & MASK)


@inlined
def below(words, n):
    """A uniform integer in 0..n-1, 1 <= n < 2^31, without bias (Lemire 2019, algorithm 5), and the generator after."""
    word, words = stepped(words)
    product = word * n
    if product & MASK < n:
        least = (MASK + 1 - n) % n
        while product & MASK < least:
            word, words = stepped(words)
            product = word * n
    return product >> 32, words


@inlined
def words_of(rng):
    """The generator that an array holds: as a value it stays in the processor's registers through a loop."""
    return rng[0], rng[1], rng[2], rng[3]


@inlined
def keep(rng, words):
    """Put a generator back into its array."""
    rng[0], rng[1], rng[2], rng[3] = words


@kernel
def next_word(rng):
    """The next 32 random bits."""
    word, words = stepped(words_of(rng))
    keep(rng, words)
    return word


@kernel
def random_below(rng, n):
    """A uniform integer in 0..n-1, 1 <= n < 2^31, without bias."""
    number, words = below(words_of(rng), n)
    keep(rng, words)
    return number


@kernel
def random_unit(rng):
    """A uniform float in [0, 1) with 32 bits."""
    return next_word(rng) * (1.0 / 4294967296.0)


@kernel
def shuffle(rng, items, n):
    """Put the first ``n`` entries of the array ``items`` in a uniformly random order (Fisher and Yates)."""
    words = words_of(rng)
    for last in range(n - 1, 0, -1):
        other, words = below(words, last + 1)
        items[last], items[other] = items[other], items[last]
    keep(rng, words)
