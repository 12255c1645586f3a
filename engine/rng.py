"""Random numbers inside kernels: Chris Doty-Humphrey's sfc32 (PractRand), in 32-bit arithmetic held in int64.

A generator is an int64 array of four words, part of a game's state or one a seat for a bot's own luck. It is seeded
by (run seed, deal, stream) and by nothing else, so results do not depend on workers, chunks or order. Streams are
apart: what a bot draws never changes the cards. Compiled and interpreted code give the same numbers.
"""

from __future__ import annotations

from engine.kernel import kernel

WORDS = 4
MASK = 0xFFFFFFFF
WARM_UP = 15  # rounds after seeding, as PractRand does it for three seed words

DEAL = 0  # the stream of a deal's shuffles and dice; stream 1 + seat is that seat's luck
MAX_SEED = (1 << 63) - 1


@kernel
def seed_stream(rng, seed, deal, stream):
    """Start ``rng`` (int64[4]) at (seed, deal, stream); all three >= 0, seed < 2^63, deal < 2^58, stream < 2^6."""
    rng[0] = seed & MASK
    rng[1] = seed >> 32
    rng[2] = deal & MASK
    rng[3] = ((deal >> 32) << 6) + stream + 1
    for _ in range(WARM_UP):
        next_word(rng)


@kernel
def next_word(rng):
    """The next 32 random bits."""
    word = (rng[0] + rng[1] + rng[3]) & MASK
    rng[3] = (rng[3] + 1) & MASK
    rng[0] = rng[1] ^ (rng[1] >> 9)
    rng[1] = (rng[2] + (rng[2] << 3)) & MASK
    rng[2] = ((((rng[2] << 21) & MASK) | (rng[2] >> 11)) + word) & MASK
    return word


@kernel
def random_below(rng, n):
    """A uniform integer in 0..n-1, 1 <= n < 2^31, without bias (Lemire 2019, algorithm 5)."""
    product = next_word(rng) * n
    if product & MASK < n:
        least = (MASK + 1 - n) % n
        while product & MASK < least:
            product = next_word(rng) * n
    return product >> 32


@kernel
def random_unit(rng):
    """A uniform float in [0, 1) with 32 bits."""
    return next_word(rng) * (1.0 / 4294967296.0)


@kernel
def shuffle(rng, items, n):
    """Put the first ``n`` entries of the array ``items`` in a uniformly random order (Fisher and Yates)."""
    for last in range(n - 1, 0, -1):
        other = random_below(rng, last + 1)
        items[last], items[other] = items[other], items[last]
