"""Tier 2: the streams of random numbers of parallel loops: NumPy's ``Philox``, which numbers follow from a key and a
place alone, so that each iteration begins at a place of its own.

A stream is a tensor of words. Those of a ``bitgen_t`` come first, and are 0.
"""

from __future__ import annotations

from tscript.dialect import Ptr, TensorImpl, i64, memset, pointer_cast, stack, unsigned_high, unsigned_shr
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.tensor import tensor_alloc

NEXT_64 = 1
"""The word of a ``bitgen_t`` that has the function for 64 bits."""
COUNTER, KEY, DRAWN, BUFFER, HAS_32, REST_32, WORDS = 5, 9, 11, 12, 16, 17, 18
"""Where parts of a stream begin: four words, two words, how many of the numbers in the buffer were drawn, four words,
whether half of a number is left over, that half."""

LOW_32 = 0xFFFFFFFF
FIRST_FACTOR = -0x2D18B8F11EB3936D
SECOND_FACTOR = -0x35A57D9C6AEDEEA9
FIRST_STEP = -0x61C8864680B583EB
SECOND_STEP = -0x4498517A7B3558C5
ROUNDS = 10


def make_stream() -> Ptr[TensorImpl]:
    """A stream; `begin_stream` comes next."""
    size = stack(1, i64)
    size[0] = WORDS
    out = tensor_alloc(codes.INT64, 1, size)
    memset(out.data, 0, WORDS * 8)
    return out


def begin_stream(rng: Ptr[TensorImpl], low: i64, high: i64, place: i64) -> None:
    """Put a stream to where an iteration begins.

    Args:
        rng: The stream.
        low, high: The key.
        place: The number of the iteration.
    """
    words = pointer_cast(rng.data, i64)
    if words[NEXT_64] != 0:
        raise RuntimeError("a generator of NumPy is no stream of a parallel loop")
    words[COUNTER] = 0
    words[COUNTER + 1] = place
    words[COUNTER + 2] = 0
    words[COUNTER + 3] = 0
    words[KEY] = low
    words[KEY + 1] = high
    words[DRAWN] = 4
    words[HAS_32] = 0


def stream_64(words: Ptr[i64]) -> i64:
    """64 random bits of a stream."""
    drawn = words[DRAWN]
    if drawn == 4:
        refill(words)
        drawn = 0
    words[DRAWN] = drawn + 1
    return words[BUFFER + drawn]


def stream_32(words: Ptr[i64]) -> i64:
    """32 random bits of a stream, from 0 on."""
    if words[HAS_32] != 0:
        words[HAS_32] = 0
        return words[REST_32]
    found = stream_64(words)
    words[HAS_32] = 1
    words[REST_32] = unsigned_shr(found, 32)
    return found & LOW_32


def refill(words: Ptr[i64]) -> None:
    """Make four more numbers."""
    words[COUNTER] = words[COUNTER] + 1
    a = words[COUNTER]
    b = words[COUNTER + 1]
    c = words[COUNTER + 2]
    d = words[COUNTER + 3]
    first = words[KEY]
    second = words[KEY + 1]
    for _ in range(ROUNDS):
        above_a = unsigned_high(a, FIRST_FACTOR)
        above_c = unsigned_high(c, SECOND_FACTOR)
        below_a = a * FIRST_FACTOR
        below_c = c * SECOND_FACTOR
        a = above_c ^ b ^ first
        b = below_c
        c = above_a ^ d ^ second
        d = below_a
        first = first + FIRST_STEP
        second = second + SECOND_STEP
    words[BUFFER] = a
    words[BUFFER + 1] = b
    words[BUFFER + 2] = c
    words[BUFFER + 3] = d
