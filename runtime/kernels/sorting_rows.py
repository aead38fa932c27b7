"""Tier 3: sorting the rows of arrays, stable, NaN last: by radix, from the highest digits; short rows by merging.

An element becomes a *key*, an int that is ordered as the elements are. What counts is how far keys are above the least
one; digits in which all agree cost nothing, and a row that is in order is only looked through.
"""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    Void,
    address,
    b8,
    bf16,
    bitcast,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    memset,
    pointer_cast,
    select,
    u8,
    u16,
    u32,
    u64,
    unsigned_shr,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.scalars import is_contiguous
from tscript.runtime.kernels.shapes import check_writable
from tscript.runtime.kernels.sorting import sort_numbers
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of, strides_of

SHORT = 400
"""Rows of at most so many elements are merged."""
LONG = 6000
"""Above so many elements digits have more bits."""
LONG_DIGIT = 11
COUNTS = 6 * 2048
"""Words that hold the counts of all digits."""
RUN = 8
LOW_63 = 0x7FFFFFFFFFFFFFFF
HIGHEST = -LOW_63 - 1
LOW_15 = 0x7FFF
INFINITE_16 = 0x7C00
"""The bits of infinity as a float16."""
INFINITE_BRAIN = 0x7F80
"""The same as a bfloat16."""


# ---- keys


def key_of(data: Ptr[u8], code: i32, at: i64) -> i64:
    """The key of an element that is not NaN; 0.0 and -0.0 have the same."""
    if code == codes.FLOAT64:
        return float_key(pointer_cast(data, f64)[at])
    if code == codes.FLOAT32:
        return float_key_32(pointer_cast(data, f32)[at])
    if code == codes.INT64:
        return pointer_cast(data, i64)[at]
    if code == codes.INT32:
        return i64(pointer_cast(data, i32)[at])
    if code == codes.INT16:
        return i64(pointer_cast(data, i16)[at])
    if code == codes.INT8:
        return i64(pointer_cast(data, i8)[at])
    if code == codes.FLOAT16:
        return float_key_32(f32(pointer_cast(data, f16)[at]))
    if code == codes.BFLOAT16:
        return float_key_32(f32(pointer_cast(data, bf16)[at]))
    if code == codes.UINT16:
        return i64(pointer_cast(data, u16)[at])
    if code == codes.UINT32:
        return i64(pointer_cast(data, u32)[at])
    if code == codes.UINT64:
        return pointer_cast(data, i64)[at] ^ HIGHEST
    return i64(data[at])


def float_key(x: f64) -> i64:
    """That of a float64."""
    bits = bitcast(x + 0.0, i64)
    return bits ^ ((bits >> 63) & LOW_63)


def float_key_32(x: f32) -> i64:
    """That of a float32, in 32 bits."""
    bits = bitcast(x + f32(0.0), i32)
    return i64(bits ^ ((bits >> 31) & 0x7FFFFFFF))


def is_nan(data: Ptr[u8], code: i32, at: i64) -> b8:
    """Whether an element is NaN."""
    if code == codes.FLOAT64:
        x = pointer_cast(data, f64)[at]
        return x != x
    if code == codes.FLOAT32:
        y = pointer_cast(data, f32)[at]
        return y != y
    if code == codes.FLOAT16:
        return (pointer_cast(data, i16)[at] & LOW_15) > INFINITE_16
    if code == codes.BFLOAT16:
        return (pointer_cast(data, i16)[at] & LOW_15) > INFINITE_BRAIN
    return False


# ---- keys alone


def are_sorted(keys: Ptr[T], n: i64) -> b8:
    """Whether keys are in order."""
    for k in range(1, n):  # noqa: SIM110 - the dialect has no generators
        if keys[k] < keys[k - 1]:
            return False
    return True


def bit_length(x: i64) -> i64:
    """The bits of an unsigned number."""
    found = i64(0)
    while x != 0:
        x = unsigned_shr(x, 1)
        found = found + 1
    return found


def digit_of(key: i64, low: i64, shift: i64, mask: i64) -> i64:
    """A digit of how far a key is above the least one."""
    return unsigned_shr(key - low, shift) & mask


def place_buckets(count: Ptr[i64], size: i64) -> None:
    """From counts to where each value begins."""
    total = i64(0)
    for k in range(size):
        held = count[k]
        count[k] = total
        total = total + held


def count_digits(keys: Ptr[T], n: i64, low: i64, start: i64, bits: i64, places: i64, counts: Ptr[i64]) -> None:
    """How often each digit has each value."""
    size = i64(1) << bits
    mask = size - 1
    memset(pointer_cast(counts, u8), 0, places * size * 8)
    if places <= 3:
        second = counts + size
        third = second + size
        if places < 3:
            third = second  # what is counted there is not used
        if places < 2:
            second = third
        for k in range(n):
            rest = unsigned_shr(i64(keys[k]) - low, start)
            a = rest & mask
            b = unsigned_shr(rest, bits) & mask
            c = unsigned_shr(rest, 2 * bits) & mask
            counts[a] = counts[a] + 1
            if places > 1:
                second[b] = second[b] + 1
            if places > 2:
                third[c] = third[c] + 1
        return
    for k in range(n):
        rest = unsigned_shr(i64(keys[k]) - low, start)
        for place in range(places):
            at = place * size + (rest & mask)
            counts[at] = counts[at] + 1
            rest = unsigned_shr(rest, bits)


def scatter(source: Ptr[T], target: Ptr[T], n: i64, low: i64, shift: i64, mask: i64, count: Ptr[i64]) -> None:
    """Put keys where their buckets go on."""
    for k in range(n):
        key = source[k]
        bucket = digit_of(i64(key), low, shift, mask)
        at = count[bucket]
        target[at] = key
        count[bucket] = at + 1


def by_digits(
    keys: Ptr[T], other: Ptr[T], n: i64, low: i64, start: i64, bits: i64, places: i64, counts: Ptr[i64]
) -> Ptr[T]:
    """Sort by some digits; returns which of the two places the keys are in."""
    count_digits(keys, n, low, start, bits, places, counts)
    size = i64(1) << bits
    source = keys
    target = other
    for place in range(places):
        count = counts + place * size
        shift = start + place * bits
        if count[digit_of(i64(source[0]), low, shift, size - 1)] != n:
            place_buckets(count, size)
            scatter(source, target, n, low, shift, size - 1, count)
            held = source
            source = target
            target = held
    return source


def insert_keys(keys: Ptr[T], n: i64) -> b8:
    """Sort keys that are almost in order by insertion; False: there is too much to move."""
    left = 4 * n
    for k in range(1, n):
        key = keys[k]
        if key < keys[k - 1]:
            at = k
            while at > 0 and key < keys[at - 1]:
                keys[at] = keys[at - 1]
                at = at - 1
            keys[at] = key
            left = left - (k - at)
            if left < 0:
                return False
    return True


def digit_bits(n: i64) -> i64:
    """The bits of a digit for so many keys."""
    if n > LONG:
        return LONG_DIGIT
    return 8


def sort_keys(keys: Ptr[T], other: Ptr[T], n: i64, counts: Ptr[i64]) -> Ptr[T]:
    """Sort keys; returns which of the two places they are in.

    The three highest digits bring almost all into order, and insertion the rest. Where it does not, all digits do.
    """
    if n <= SHORT:
        sort_numbers(keys, other, n)
        return keys
    if are_sorted(keys, n):
        return keys
    low = keys[0]
    high = keys[0]
    for k in range(n):
        key = keys[k]
        low = select(key < low, key, low)
        high = select(high < key, key, high)
    length = bit_length(i64(high) - i64(low))
    bits = digit_bits(n)
    places = (length + bits - 1) // bits
    if places <= 3:
        return by_digits(keys, other, n, i64(low), 0, bits, places, counts)
    found = by_digits(keys, other, n, i64(low), length - 3 * bits, bits, 3, counts)
    if insert_keys(found, n):
        return found
    rest = other
    if address(found) == address(other):
        rest = keys
    return by_digits(found, rest, n, i64(low), 0, bits, places, counts)


def sort_floats_64(x: Ptr[f64], step: i64, n: i64, out: Ptr[f64], other: Ptr[i64], counts: Ptr[i64]) -> None:
    """Sort a row of float64; the keys lie where the row goes."""
    keys = pointer_cast(out, i64)
    m = i64(0)
    negative = i64(0)
    for k in range(n):
        value = x[k * step]
        keys[m] = float_key(value)
        m = m + i64(value == value)
        negative = negative + i64(bitcast(value, i64) == -LOW_63 - 1)
    found = sort_keys(keys, other, m, counts)
    for k in range(m):
        key = found[k]
        keys[k] = key ^ ((key >> 63) & LOW_63)
    if m < n or negative > 0:
        finish_64(x, step, n, out, m)


def finish_64(x: Ptr[f64], step: i64, n: i64, out: Ptr[f64], m: i64) -> None:
    """Put NaNs behind `m` sorted numbers, and the zeros, which are equal, into their order. Another thread may have
    changed the row in between."""
    zero = i64(0)
    while zero < m and out[zero] < 0.0:
        zero = zero + 1
    for k in range(n):
        value = x[k * step]
        if value != value and m < n:
            out[m] = value
            m = m + 1
        elif value == 0.0 and zero < n:
            out[zero] = value
            zero = zero + 1


def sort_floats_32(x: Ptr[f32], step: i64, n: i64, out: Ptr[f32], other: Ptr[i32], counts: Ptr[i64]) -> None:
    """The same of float32."""
    keys = pointer_cast(out, i32)
    m = i64(0)
    negative = i64(0)
    for k in range(n):
        value = x[k * step]
        keys[m] = i32(float_key_32(value))
        m = m + i64(value == value)
        negative = negative + i64(bitcast(value, i32) == -0x80000000)
    found = sort_keys(keys, other, m, counts)
    for k in range(m):
        key = found[k]
        keys[k] = key ^ ((key >> 31) & 0x7FFFFFFF)
    if m < n or negative > 0:
        finish_32(x, step, n, out, m)


def finish_32(x: Ptr[f32], step: i64, n: i64, out: Ptr[f32], m: i64) -> None:
    """`finish_64` of float32."""
    zero = i64(0)
    while zero < m and out[zero] < f32(0.0):
        zero = zero + 1
    for k in range(n):
        value = x[k * step]
        if value != value and m < n:
            out[m] = value
            m = m + 1
        elif value == f32(0.0) and zero < n:
            out[zero] = value
            zero = zero + 1


def sort_ints(x: Ptr[T], step: i64, n: i64, out: Ptr[T], other: Ptr[T], counts: Ptr[i64]) -> None:
    """The same of ints."""
    for k in range(n):
        out[k] = x[k * step]
    found = sort_keys(out, other, n, counts)
    if address(found) != address(out):
        for k in range(n):
            out[k] = found[k]


def half_key(bits: i16) -> i16:
    """The key of the bits of a float16 or bfloat16; of a key, the bits."""
    return bits ^ ((bits >> 15) & LOW_15)


def sort_halves(
    x: Ptr[i16], infinite: i16, step: i64, n: i64, out: Ptr[i16], other: Ptr[i16], counts: Ptr[i64]
) -> None:
    """The same of float16 and bfloat16, of which `infinite` has the bits of infinity: NaN comes last."""
    for k in range(n):
        bits = x[k * step]
        if (bits & LOW_15) > infinite:
            bits = bits & LOW_15
        out[k] = half_key(bits)
    found = sort_keys(out, other, n, counts)
    for k in range(n):
        out[k] = half_key(found[k])


def sort_row(data: Ptr[u8], code: i32, step: i64, n: i64, out: Ptr[u8], other: Ptr[u8], counts: Ptr[i64]) -> None:
    """Sort a row of any dtype."""
    if code == codes.FLOAT64:
        sort_floats_64(pointer_cast(data, f64), step, n, pointer_cast(out, f64), pointer_cast(other, i64), counts)
    elif code == codes.FLOAT32:
        sort_floats_32(pointer_cast(data, f32), step, n, pointer_cast(out, f32), pointer_cast(other, i32), counts)
    elif code == codes.INT64:
        sort_ints(pointer_cast(data, i64), step, n, pointer_cast(out, i64), pointer_cast(other, i64), counts)
    elif code == codes.INT32:
        sort_ints(pointer_cast(data, i32), step, n, pointer_cast(out, i32), pointer_cast(other, i32), counts)
    elif code == codes.INT16:
        sort_ints(pointer_cast(data, i16), step, n, pointer_cast(out, i16), pointer_cast(other, i16), counts)
    elif code == codes.INT8:
        sort_ints(pointer_cast(data, i8), step, n, pointer_cast(out, i8), pointer_cast(other, i8), counts)
    elif code == codes.FLOAT16 or code == codes.BFLOAT16:
        infinite = i16(INFINITE_16)
        if code == codes.BFLOAT16:
            infinite = i16(INFINITE_BRAIN)
        sort_halves(
            pointer_cast(data, i16), infinite, step, n, pointer_cast(out, i16), pointer_cast(other, i16), counts
        )
    elif code == codes.UINT16:
        sort_ints(pointer_cast(data, u16), step, n, pointer_cast(out, u16), pointer_cast(other, u16), counts)
    elif code == codes.UINT32:
        sort_ints(pointer_cast(data, u32), step, n, pointer_cast(out, u32), pointer_cast(other, u32), counts)
    elif code == codes.UINT64:
        sort_ints(pointer_cast(data, u64), step, n, pointer_cast(out, u64), pointer_cast(other, u64), counts)
    else:
        sort_ints(data, step, n, out, other, counts)


def check_rows(x: Ptr[TensorImpl], out: Ptr[TensorImpl], dtype: i32) -> None:
    """Raise RuntimeError if `out` cannot take what is made of each row of `x`, of a dtype."""
    check_writable(out)
    if x.ndim != 2 or out.ndim != 2 or out.dtype != dtype or not is_contiguous(out):
        raise RuntimeError("rows are sorted into contiguous rows of the same size")
    if sizes_of(x)[0] != sizes_of(out)[0] or sizes_of(x)[1] != sizes_of(out)[1]:
        raise RuntimeError("rows are sorted into contiguous rows of the same size")


def begin_rows(x: Ptr[TensorImpl], out: Ptr[TensorImpl], dtype: i32, itemsize: i64) -> tuple[Ptr[Void], i64]:
    """Begin to sort rows into those of `out`, of a dtype: memory with room for `COUNTS` words and `itemsize` bytes for
    each element of a row, which the caller frees, and its size. Raises RuntimeError, MemoryError."""
    check_rows(x, out, dtype)
    nbytes = sizes_of(x)[1] * itemsize + COUNTS * 8
    scratch = heap_try_allocate(nbytes)
    if address(scratch) == 0:
        refuse(nbytes)
    begin_work(x.numel * 16)
    return scratch, nbytes


def sort_rows(x: Ptr[TensorImpl], out: Ptr[TensorImpl]) -> None:
    """``np.sort(x, axis=1, kind="stable")`` of two dimensions into `out`, which is contiguous.

    Raises RuntimeError if `out` has another form, MemoryError.
    """
    itemsize = itemsize_of(x.dtype)
    scratch, nbytes = begin_rows(x, out, x.dtype, itemsize)
    rows = sizes_of(x)[0]
    n = sizes_of(x)[1]
    counts = pointer_cast(scratch, i64)
    other = pointer_cast(scratch, u8) + COUNTS * 8
    for r in range(rows):
        row = x.data + r * strides_of(x)[0] * itemsize
        sort_row(row, x.dtype, strides_of(x)[1], n, out.data + r * n * itemsize, other, counts)
    heap_free(scratch, nbytes)


# ---- positions
#
# An item is two words: the key, and the position.


def merge_items(left: Ptr[i64], n: i64, right: Ptr[i64], m: i64, to: Ptr[i64]) -> None:
    """Merge two sorted rows of items into `to`, which may end where `right` does."""
    i = i64(0)
    j = i64(0)
    k = i64(0)
    while i < n and j < m:
        if right[2 * j] < left[2 * i]:
            to[k] = right[2 * j]
            to[k + 1] = right[2 * j + 1]
            j = j + 1
        else:
            to[k] = left[2 * i]
            to[k + 1] = left[2 * i + 1]
            i = i + 1
        k = k + 2
    while i < n:
        to[k] = left[2 * i]
        to[k + 1] = left[2 * i + 1]
        i = i + 1
        k = k + 2


def sort_short_items(items: Ptr[i64], other: Ptr[i64], n: i64) -> None:
    """Sort a few items: runs by insertion, then by merging."""
    start = i64(0)
    while start < n:
        stop = start + RUN
        if stop > n:
            stop = n
        for k in range(start + 1, stop):
            key = items[2 * k]
            place = items[2 * k + 1]
            at = k
            while at > start and key < items[2 * at - 2]:
                items[2 * at] = items[2 * at - 2]
                items[2 * at + 1] = items[2 * at - 1]
                at = at - 1
            items[2 * at] = key
            items[2 * at + 1] = place
        start = stop
    width = i64(RUN)
    while width < n:
        start = i64(0)
        while start + width < n:
            stop = start + 2 * width
            if stop > n:
                stop = n
            middle = items + 2 * (start + width)
            if middle[0] < middle[-2]:
                for k in range(2 * width):
                    other[k] = items[2 * start + k]
                merge_items(other, width, middle, stop - start - width, items + 2 * start)
            start = stop
        width = width * 2


def insert_items(items: Ptr[i64], n: i64) -> b8:
    """`insert_keys` of items."""
    left = 4 * n
    for k in range(1, n):
        key = items[2 * k]
        if key < items[2 * k - 2]:
            place = items[2 * k + 1]
            at = k
            while at > 0 and key < items[2 * at - 2]:
                items[2 * at] = items[2 * at - 2]
                items[2 * at + 1] = items[2 * at - 1]
                at = at - 1
            items[2 * at] = key
            items[2 * at + 1] = place
            left = left - (k - at)
            if left < 0:
                return False
    return True


def items_by_digits(
    items: Ptr[i64], other: Ptr[i64], n: i64, low: i64, start: i64, bits: i64, places: i64, counts: Ptr[i64]
) -> Ptr[i64]:
    """`by_digits` of items."""
    size = i64(1) << bits
    memset(pointer_cast(counts, u8), 0, places * size * 8)
    for k in range(n):
        rest = unsigned_shr(items[2 * k] - low, start)
        for place in range(places):
            at = place * size + (rest & (size - 1))
            counts[at] = counts[at] + 1
            rest = unsigned_shr(rest, bits)
    source = items
    target = other
    for place in range(places):
        count = counts + place * size
        shift = start + place * bits
        if count[digit_of(source[0], low, shift, size - 1)] != n:
            place_buckets(count, size)
            for k in range(n):
                key = source[2 * k]
                bucket = digit_of(key, low, shift, size - 1)
                at = count[bucket]
                target[2 * at] = key
                target[2 * at + 1] = source[2 * k + 1]
                count[bucket] = at + 1
            held = source
            source = target
            target = held
    return source


def sort_items(items: Ptr[i64], other: Ptr[i64], n: i64, low: i64, high: i64, counts: Ptr[i64]) -> Ptr[i64]:
    """Sort items whose least and greatest key are known; returns which of the two places they are in."""
    if n <= SHORT:
        sort_short_items(items, other, n)
        return items
    length = bit_length(high - low)
    bits = digit_bits(n)
    places = (length + bits - 1) // bits
    if places <= 3:
        return items_by_digits(items, other, n, low, 0, bits, places, counts)
    found = items_by_digits(items, other, n, low, length - 3 * bits, bits, 3, counts)
    if insert_items(found, n):
        return found
    rest = other
    if address(found) == address(other):
        rest = items
    return items_by_digits(found, rest, n, low, 0, bits, places, counts)


def argsort_row(data: Ptr[u8], code: i32, step: i64, n: i64, out: Ptr[i64], items: Ptr[i64], counts: Ptr[i64]) -> None:
    """The positions of a row in order; `items` has room for four words for each."""
    m = i64(0)
    behind = i64(0)
    in_order = True
    last = i64(0)
    low = LOW_63
    high = -LOW_63 - 1
    for k in range(n):
        if is_nan(data, code, k * step):
            behind = behind + 1
        else:
            key = key_of(data, code, k * step)
            items[2 * m] = key
            items[2 * m + 1] = k
            if m > 0 and key < last:
                in_order = False
            last = key
            low = select(key < low, key, low)
            high = select(high < key, key, high)
            m = m + 1
    found = items
    if not in_order:
        found = sort_items(items, items + 2 * n, m, low, high, counts)
    for k in range(m):
        out[k] = found[2 * k + 1]
    if behind > 0:
        for k in range(n):
            if m < n and is_nan(data, code, k * step):
                out[m] = k
                m = m + 1


def argsort_rows(x: Ptr[TensorImpl], out: Ptr[TensorImpl]) -> None:
    """``np.argsort(x, axis=1, kind="stable")`` of two dimensions into `out`, which is contiguous.

    Raises RuntimeError if `out` has another form, MemoryError.
    """
    itemsize = itemsize_of(x.dtype)
    scratch, nbytes = begin_rows(x, out, codes.INT64, 32)
    rows = sizes_of(x)[0]
    n = sizes_of(x)[1]
    counts = pointer_cast(scratch, i64)
    items = counts + COUNTS
    for r in range(rows):
        row = x.data + r * strides_of(x)[0] * itemsize
        argsort_row(row, x.dtype, strides_of(x)[1], n, pointer_cast(out.data, i64) + r * n, items, counts)
    heap_free(scratch, nbytes)
