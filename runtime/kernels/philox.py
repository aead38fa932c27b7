"""Tier 3: random tensors: the counter-based generator Philox4x32-10 of Salmon and others, "Parallel Random Numbers: As
Easy as 1, 2, 3" (2011), doi:10.1145/2063384.2063405.

A generator is a seed and how many blocks of four words were drawn. A call takes as many blocks as it needs in one step,
so each element follows from the seed, the calls before and its place alone, on however many threads.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.generator import BLOCKS, SEED
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
    pointer,
    pointer_cast,
    stack,
    symbol,
    u8,
    unsigned_shr,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import bump_version
from tscript.runtime.kernels.tensor import begin_work, tensor_retain

LOW: Final = 0xFFFFFFFF
FACTOR_0: Final = 0xD2511F53
FACTOR_1: Final = 0xCD9E8D57
STEP_0: Final = 0x9E3779B9
STEP_1: Final = 0xBB67AE85
UNIT_32: Final = 2.0**-24
UNIT_64: Final = 2.0**-53
GRAIN: Final = 1 << 13
"""Blocks that are worth another thread."""
TO, DTYPE, KEY, FIRST = range(4)
"""Cells of the task of a fill."""


def random_words(generator: Ptr[TensorImpl]) -> Ptr[i64]:
    """The words of a generator; those of the default one for null."""
    if address(generator) == 0:
        return pointer(symbol(RANDOM_WORDS, i64)[0], i64)
    if generator.dtype != codes.INT64 or generator.numel != 2 or generator.ndim != 1:
        raise RuntimeError("the state of a generator is a tensor of two int64")
    return pointer_cast(generator.data, i64)


def philox(counter: i64, key: i64, out: Ptr[i64]) -> None:
    """The four words of 32 bits of a block."""
    c0 = counter & LOW
    c1 = unsigned_shr(counter, 32)
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
    out[0] = c0
    out[1] = c1
    out[2] = c2
    out[3] = c3


def units_32(to: Ptr[f32], key: i64, first: i64, begin: i64, end: i64) -> None:
    """Blocks of numbers from 0 to below 1, with 24 bits."""
    words = stack(4, i64)
    for i in range(begin, end):
        philox(first + i, key, words)
        for k in range(4):
            to[4 * i + k] = f32(i32(unsigned_shr(words[k], 8))) * f32(UNIT_32)


def units_64(to: Ptr[f64], key: i64, first: i64, begin: i64, end: i64) -> None:
    """Blocks of numbers from 0 to below 1, with 53 bits."""
    words = stack(4, i64)
    for i in range(begin, end):
        philox(first + i, key, words)
        for k in range(2):
            high = f64(i32(unsigned_shr(words[2 * k], 5)))
            low = f64(i32(unsigned_shr(words[2 * k + 1], 6)))
            to[2 * i + k] = (high * 67108864.0 + low) * UNIT_64


def whole_64(to: Ptr[i64], key: i64, first: i64, begin: i64, end: i64) -> None:
    """Blocks of ints of 63 bits."""
    words = stack(4, i64)
    for i in range(begin, end):
        philox(first + i, key, words)
        for k in range(2):
            to[2 * i + k] = unsigned_shr((words[2 * k] << 32) | words[2 * k + 1], 1)


def run_blocks(task_bytes: Ptr[u8], begin: i64, end: i64) -> None:
    """A range of whole blocks."""
    task = pointer_cast(task_bytes, i64)
    to = task[TO]
    if task[DTYPE] == codes.FLOAT32:
        units_32(pointer(to, f32), task[KEY], task[FIRST], begin, end)
    elif task[DTYPE] == codes.FLOAT64:
        units_64(pointer(to, f64), task[KEY], task[FIRST], begin, end)
    else:
        whole_64(pointer(to, i64), task[KEY], task[FIRST], begin, end)


def random_fill_(self: Ptr[TensorImpl], generator: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """Overwrite a contiguous tensor: floats with numbers from 0 to below 1, int64 with ints from 0 on."""
    words = random_words(generator)
    n = self.numel
    per = i64(2)
    if self.dtype == codes.FLOAT32:
        per = 4
    blocks = (n + per - 1) // per
    first = atomic_add_relaxed(words + BLOCKS, blocks)
    key = words[SEED]
    whole = n // per
    begin_work(n)
    task = stack(4, i64)
    task[TO] = address(self.data)
    task[DTYPE] = i64(self.dtype)
    task[KEY] = key
    task[FIRST] = first
    parallel(context(), function(run_blocks), task, whole, GRAIN)
    if whole < blocks:
        last = stack(4, i64)
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


def random_seed(generator: Ptr[TensorImpl], seed: i64) -> None:
    """Put a generator to the beginning of the numbers of a seed."""
    words = random_words(generator)
    words[SEED] = seed
    words[BLOCKS] = 0


def random_initial(generator: Ptr[TensorImpl]) -> i64:
    """The seed of a generator."""
    return random_words(generator)[SEED]
