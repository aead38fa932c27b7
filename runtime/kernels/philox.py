"""Tier 3: random tensors: the counter-based generator Philox4x32-10 of Salmon and others, "Parallel Random Numbers: As
Easy as 1, 2, 3" (2011), doi:10.1145/2063384.2063405.

A generator is a seed and how many blocks of four words were drawn. A call takes as many blocks as it needs in one step,
so each element follows from the seed, the calls before and its place alone, on however many threads.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.generator import BLOCKS, DEFAULT_SEED, KIND, MARK, SEED, WORDS
from tscript.abi.tables import RANDOM_WORDS
from tscript.dialect import (
    Ptr,
    TensorImpl,
    address,
    atomic_add_relaxed,
    context,
    f32,
    f64,
    function,
    i32,
    i64,
    memset,
    pointer,
    pointer_cast,
    sqrt,
    stack,
    symbol,
    u8,
    unsigned_shr,
)
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import bump_version
from tscript.runtime.kernels.streams import COUNTER, DRAWN, HAS_32
from tscript.runtime.kernels.streams import KEY as KEY_OF_STREAM
from tscript.runtime.kernels.tensor import begin_work, tensor_alloc, tensor_retain

LOW: Final = 0xFFFFFFFF
FACTOR_0: Final = 0xD2511F53
FACTOR_1: Final = 0xCD9E8D57
STEP_0: Final = 0x9E3779B9
STEP_1: Final = 0xBB67AE85
UNIT_22: Final = 2.0**-22
UNIT_32: Final = 2.0**-24
UNIT_64: Final = 2.0**-53
GRAIN: Final = 1 << 13
"""Blocks that are worth another thread."""
TURN: Final = 6.283185307179586
CHUNK: Final = 64
"""Blocks whose words are made at once."""
TO, DTYPE, KEY, FIRST, NORMAL = range(5)
"""Cells of the task of a fill."""


def random_words(generator: Ptr[TensorImpl]) -> Ptr[i64]:
    """The words of a generator; those of the default one for null."""
    if address(generator) == 0:
        return pointer(symbol(RANDOM_WORDS, i64)[0], i64)
    words = pointer_cast(generator.data, i64)
    if words[KIND] != MARK:
        raise RuntimeError("expected a tscript.Generator, not a generator of NumPy")
    return words


def philox(words: Ptr[i32], key: i64, first: i64, blocks: i64) -> None:
    """The four words of each of some blocks, whose counters begin at `first`."""
    for i in range(blocks):
        c0 = (first + i) & LOW
        c1 = unsigned_shr(first + i, 32)
        c2 = 0
        c3 = 0
        k0 = key & LOW
        k1 = unsigned_shr(key, 32)
        for _ in range(10):
            p0 = FACTOR_0 * c0
            p1 = FACTOR_1 * c2
            c0 = unsigned_shr(p1, 32) ^ c1 ^ k0
            c1 = p1 & LOW
            c2 = unsigned_shr(p0, 32) ^ c3 ^ k1
            c3 = p0 & LOW
            k0 = (k0 + STEP_0) & LOW
            k1 = (k1 + STEP_1) & LOW
        words[4 * i] = i32(c0)
        words[4 * i + 1] = i32(c1)
        words[4 * i + 2] = i32(c2)
        words[4 * i + 3] = i32(c3)


def part_24(word: i32) -> f32:
    """The upper 24 bits of a word."""
    return f32((word >> 8) & 0xFFFFFF)


def part_53(high: i32, low: i32) -> f64:
    """53 bits of two words."""
    return f64((high >> 5) & 0x7FFFFFF) * 67108864.0 + f64((low >> 6) & 0x3FFFFFF)


def units_32(to: Ptr[f32], words: Ptr[i32], n: i64) -> None:
    """Numbers from 0 to below 1, with 24 bits."""
    for i in range(n):
        to[i] = part_24(words[i]) * f32(UNIT_32)


def units_64(to: Ptr[f64], words: Ptr[i32], n: i64) -> None:
    """Numbers from 0 to below 1, with 53 bits."""
    for i in range(n):
        to[i] = part_53(words[2 * i], words[2 * i + 1]) * UNIT_64


def whole_64(to: Ptr[i64], words: Ptr[i32], n: i64) -> None:
    """Ints of 63 bits."""
    for i in range(n):
        to[i] = unsigned_shr((i64(words[2 * i]) << 32) | (i64(words[2 * i + 1]) & LOW), 1)


def normals_32(to: Ptr[f32], words: Ptr[i32], n: i64) -> None:
    """Numbers of the standard normal distribution, two from two words: the cosine and the sine of an angle, of which
    two bits are the quarter and the others the place from its middle; series of S. Moshier's Cephes library."""
    for i in range(n):
        radius = sqrt(f32(-2.0) * vm.log((part_24(words[2 * i]) + f32(1)) * f32(UNIT_32)))
        drawn = words[2 * i + 1]
        x = (f32((drawn >> 8) & 0x3FFFFF) * f32(UNIT_22) - f32(0.5)) * f32(TURN * 0.25)
        z = x * x
        sine = ((f32(-1.9515295891e-4) * z + f32(8.3321608736e-3)) * z - f32(1.6666654611e-1)) * z * x + x
        cosine = ((f32(2.443315711809948e-5) * z - f32(1.388731625493765e-3)) * z + f32(4.166664568298827e-2)) * z * z
        cosine = cosine - f32(0.5) * z + f32(1)
        if drawn & 0x40000000 != 0:
            first = -sine
            sine = cosine
            cosine = first
        if drawn < 0:
            radius = -radius
        to[2 * i] = radius * cosine
        to[2 * i + 1] = radius * sine


def normals_64(to: Ptr[f64], words: Ptr[i32], n: i64) -> None:
    """The same, two from four words."""
    for i in range(n):
        radius = sqrt(-2.0 * vm.log((part_53(words[4 * i], words[4 * i + 1]) + 1.0) * UNIT_64))
        angle = part_53(words[4 * i + 2], words[4 * i + 3]) * (UNIT_64 * TURN)
        to[2 * i] = radius * vm.cos(angle)
        to[2 * i + 1] = radius * vm.sin(angle)


def converted(task: Ptr[i64], to: i64, words: Ptr[i32], blocks: i64) -> None:
    """The numbers that the words of some blocks make."""
    if task[NORMAL] != 0:
        if task[DTYPE] == codes.FLOAT32:
            normals_32(pointer(to, f32), words, 2 * blocks)
        else:
            normals_64(pointer(to, f64), words, blocks)
    elif task[DTYPE] == codes.FLOAT32:
        units_32(pointer(to, f32), words, 4 * blocks)
    elif task[DTYPE] == codes.FLOAT64:
        units_64(pointer(to, f64), words, 2 * blocks)
    else:
        whole_64(pointer(to, i64), words, 2 * blocks)


def run_blocks(task_bytes: Ptr[u8], begin: i64, end: i64) -> None:
    """A range of whole blocks, of 16 bytes each."""
    task = pointer_cast(task_bytes, i64)
    words = stack(4 * CHUNK, i32)
    at = begin
    while at < end:
        blocks = end - at
        if blocks > CHUNK:
            blocks = i64(CHUNK)
        philox(words, task[KEY], task[FIRST] + at, blocks)
        converted(task, task[TO] + 16 * at, words, blocks)
        at = at + blocks


def fill(self: Ptr[TensorImpl], normal: i64, generator: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """Overwrite a contiguous tensor of float32, float64 or int64."""
    words = random_words(generator)
    n = self.numel
    per = i64(2)
    if self.dtype == codes.FLOAT32:
        per = 4
    blocks = (n + per - 1) // per
    first = atomic_add_relaxed(words + BLOCKS, blocks)
    whole = n // per
    begin_work(n)
    task = stack(5, i64)
    task[TO] = address(self.data)
    task[DTYPE] = i64(self.dtype)
    task[KEY] = words[SEED]
    task[FIRST] = first
    task[NORMAL] = normal
    if whole < GRAIN:
        run_blocks(pointer_cast(task, u8), 0, whole)
    else:
        parallel(context(), function(run_blocks), task, whole, GRAIN)
    if whole < blocks:
        last = stack(2, i64)
        task[TO] = address(last)
        task[FIRST] = first + whole
        run_blocks(pointer_cast(task, u8), 0, 1)
        for i in range(whole * per, n):
            if self.dtype == codes.FLOAT32:
                pointer_cast(self.data, f32)[i] = pointer_cast(last, f32)[i - whole * per]
            else:
                pointer_cast(self.data, i64)[i] = last[i - whole * per]
    bump_version(self)
    tensor_retain(self)
    return self


def random_fill_(self: Ptr[TensorImpl], generator: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """Overwrite a contiguous tensor: floats with numbers from 0 to below 1, int64 with ints from 0 on."""
    return fill(self, 0, generator)


def random_normal_(self: Ptr[TensorImpl], generator: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """Overwrite a contiguous tensor of floats with numbers of the standard normal distribution."""
    return fill(self, 1, generator)


def random_new() -> Ptr[TensorImpl]:
    """A generator at the beginning of the numbers of the seed that all new ones have."""
    size = stack(1, i64)
    size[0] = WORDS
    out = tensor_alloc(codes.INT64, 1, size)
    memset(out.data, 0, WORDS * 8)
    pointer_cast(out.data, i64)[KIND] = MARK
    random_seed(out, DEFAULT_SEED)
    return out


def random_seed(generator: Ptr[TensorImpl], seed: i64) -> None:
    """Put a generator to the beginning of the numbers of a seed."""
    words = random_words(generator)
    words[SEED] = seed
    words[BLOCKS] = 0
    words[COUNTER] = 0
    words[COUNTER + 1] = -1
    words[KEY_OF_STREAM] = seed
    words[DRAWN] = 4
    words[HAS_32] = 0


def random_initial(generator: Ptr[TensorImpl]) -> i64:
    """The seed of a generator."""
    return random_words(generator)[SEED]
