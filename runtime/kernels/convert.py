"""Tier 3: stores and conversions between dtypes that are known only when the program runs.

Where both dtypes are known `copy.copy_elements` is the way. Here elements go through a buffer of int64 or float64,
which hold every element of the other dtypes exactly, so that a dozen dtypes need no hundred pairs of loops. (A uint64
is an int64 of the same bits, and on the way to a float a float64.)"""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    b8,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    pointer_cast,
    stack,
    u8,
    u16,
    u32,
    u64,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.copy import copy_raw, copy_row, lay_out
from tscript.runtime.kernels.tensor import is_complex, is_floating, itemsize_of, part_of

CHUNK = 256


def store_row(to: Ptr[u8], code: i32, stride: i64, source: Ptr[T], step: i64, n: i64) -> None:
    """Convert and store `n` elements to the dtype `code`."""
    if code == codes.FLOAT32:
        copy_row(pointer_cast(to, f32), stride, source, step, n)
    elif code == codes.FLOAT64:
        copy_row(pointer_cast(to, f64), stride, source, step, n)
    elif code == codes.INT64:
        copy_row(pointer_cast(to, i64), stride, source, step, n)
    elif code == codes.INT32:
        copy_row(pointer_cast(to, i32), stride, source, step, n)
    elif code == codes.INT16:
        copy_row(pointer_cast(to, i16), stride, source, step, n)
    elif code == codes.INT8:
        copy_row(pointer_cast(to, i8), stride, source, step, n)
    elif code == codes.UINT8:
        copy_row(to, stride, source, step, n)
    elif code == codes.FLOAT16:
        copy_row(pointer_cast(to, f16), stride, source, step, n)
    elif code == codes.BFLOAT16:
        copy_row(pointer_cast(to, bf16), stride, source, step, n)
    elif code == codes.UINT16:
        copy_row(pointer_cast(to, u16), stride, source, step, n)
    elif code == codes.UINT32:
        copy_row(pointer_cast(to, u32), stride, source, step, n)
    elif code == codes.UINT64:
        copy_row(pointer_cast(to, u64), stride, source, step, n)
    else:
        copy_row(pointer_cast(to, b8), stride, source, step, n)


def load_row(to: Ptr[T], source: Ptr[u8], code: i32, stride: i64, n: i64) -> None:
    """Convert and load `n` elements of the dtype `code`."""
    if code == codes.FLOAT32:
        copy_row(to, 1, pointer_cast(source, f32), stride, n)
    elif code == codes.FLOAT64:
        copy_row(to, 1, pointer_cast(source, f64), stride, n)
    elif code == codes.INT64:
        copy_row(to, 1, pointer_cast(source, i64), stride, n)
    elif code == codes.INT32:
        copy_row(to, 1, pointer_cast(source, i32), stride, n)
    elif code == codes.INT16:
        copy_row(to, 1, pointer_cast(source, i16), stride, n)
    elif code == codes.INT8:
        copy_row(to, 1, pointer_cast(source, i8), stride, n)
    elif code == codes.UINT8:
        copy_row(to, 1, source, stride, n)
    elif code == codes.FLOAT16:
        copy_row(to, 1, pointer_cast(source, f16), stride, n)
    elif code == codes.BFLOAT16:
        copy_row(to, 1, pointer_cast(source, bf16), stride, n)
    elif code == codes.UINT16:
        copy_row(to, 1, pointer_cast(source, u16), stride, n)
    elif code == codes.UINT32:
        copy_row(to, 1, pointer_cast(source, u32), stride, n)
    elif code == codes.UINT64:
        copy_row(to, 1, pointer_cast(source, u64), stride, n)
    else:
        copy_row(to, 1, pointer_cast(source, b8), stride, n)


def convert_complex(
    to: Ptr[u8],
    code: i32,
    stride: i64,
    source: Ptr[u8],
    source_code: i32,
    step: i64,
    n: i64,
    whole: Ptr[i64],
    real: Ptr[f64],
) -> None:
    """Convert at most `CHUNK` elements, of which the old or the new ones are complex: the parts one by one. What
    becomes real loses its imaginary part; a bool is whether one of the parts is not zero."""
    given = source_code
    taken = step
    if is_complex(source_code):
        given = part_of(source_code)
        taken = 2 * step
    if is_floating(given):
        load_row(real, source, given, taken, n)
    else:
        load_row(whole, source, given, taken, n)
        for i in range(n):
            real[i] = f64(whole[i])
    if not is_complex(code):
        if code == codes.BOOL:
            other = stack(CHUNK, f64)
            load_row(other, source + itemsize_of(given), given, taken, n)
            for i in range(n):
                if other[i] != 0.0:
                    real[i] = 1.0
        store_row(to, code, stride, real, 1, n)
        return
    part = part_of(code)
    store_row(to, part, 2 * stride, real, 1, n)
    if is_complex(source_code):
        load_row(real, source + itemsize_of(given), given, taken, n)
    else:
        for i in range(n):
            real[i] = 0.0
    store_row(to + itemsize_of(part), part, 2 * stride, real, 1, n)


def convert_row(
    to: Ptr[u8],
    code: i32,
    stride: i64,
    source: Ptr[u8],
    source_code: i32,
    step: i64,
    n: i64,
    whole: Ptr[i64],
    real: Ptr[f64],
) -> None:
    """Convert `n` elements; `whole` and `real` are buffers of `CHUNK` elements, for ints and floats."""
    done = 0
    while done < n:
        count = n - done
        if count > CHUNK:
            count = CHUNK
        here = to + done * stride * itemsize_of(code)
        there = source + done * step * itemsize_of(source_code)
        if is_complex(code) or is_complex(source_code):
            convert_complex(here, code, stride, there, source_code, step, count, whole, real)
        elif is_floating(source_code) or (source_code == codes.UINT64 and is_floating(code)):
            load_row(real, there, source_code, step, count)
            store_row(here, code, stride, real, 1, count)
        else:
            load_row(whole, there, source_code, step, count)
            store_row(here, code, stride, whole, 1, count)
        done = done + CHUNK


def convert_elements(
    to: Ptr[u8],
    code: i32,
    strides_to: Ptr[i64],
    source: Ptr[u8],
    source_code: i32,
    strides: Ptr[i64],
    sizes: Ptr[i64],
    ndim: i64,
) -> None:
    """`copy.copy_elements` between any two dtypes.

    Args:
        to, code, strides_to: First element of the target, its dtype and strides.
        source, source_code, strides: The same of the source.
        sizes: `ndim` sizes of both.
    """
    if code == source_code:
        copy_raw(to, strides_to, source, strides, sizes, ndim, itemsize_of(code))
        return
    extent = stack(MAX_RANK, i64)
    a = stack(MAX_RANK, i64)
    b = stack(MAX_RANK, i64)
    counters = stack(MAX_RANK, i64)
    whole = stack(CHUNK, i64)
    real = stack(CHUNK, f64)
    numel = 1
    for i in range(ndim):
        extent[i] = sizes[i]
        a[i] = strides_to[i]
        b[i] = strides[i]
        numel = numel * sizes[i]
    if numel == 0:
        return
    n = lay_out(ndim, extent, a, b)
    inner = n - 1
    rows = 1
    for d in range(inner):
        counters[d] = 0
        rows = rows * extent[d]
    here = to
    there = source
    for _ in range(rows):
        convert_row(here, code, a[inner], there, source_code, b[inner], extent[inner], whole, real)
        d = inner - 1
        while d >= 0:
            counters[d] = counters[d] + 1
            here = here + a[d] * itemsize_of(code)
            there = there + b[d] * itemsize_of(source_code)
            if counters[d] < extent[d]:
                break
            counters[d] = 0
            here = here + -(a[d] * extent[d]) * itemsize_of(code)
            there = there + -(b[d] * extent[d]) * itemsize_of(source_code)
            d = d - 1


def fill_contiguous(to: Ptr[u8], code: i32, value: f64, whole: i64, n: i64) -> None:
    """Store a number in `n` elements of the dtype `code`.

    Args:
        value: For floats and bools.
        whole: The same number for integers.
    """
    real = stack(1, f64)
    integer = stack(1, i64)
    real[0] = value
    integer[0] = whole
    if is_complex(code):
        part = part_of(code)
        store_row(to, part, 2, real, 0, n)
        real[0] = 0.0
        store_row(to + itemsize_of(part), part, 2, real, 0, n)
        return
    if is_floating(code) or code == codes.BOOL:
        store_row(to, code, 1, real, 0, n)
    else:
        store_row(to, code, 1, integer, 0, n)
