"""Tier 3: discrete Fourier transforms of rows: Stockham's algorithm, with factors 4, 2 and any others in turn.

Stockham, "High-speed convolution and correlation" (1966): each pass reads one array and writes the other, so that
nothing has to be put in order at the end. A pass of a factor r takes the time of r operations for each element: rows
whose length has a large prime factor are slow.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    f64,
    i64,
    imag,
    of_parts,
    pointer_cast,
    real,
    stack,
)
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of, tensor_alloc, tensor_release


def fill_turns(turns: Ptr[T], n: i64, inverse: b8) -> None:
    """The `n` roots of one, from 1 on: clockwise, or the other way of an `inverse` transform."""
    step = 6.283185307179586 / f64(n)
    turns[0] = T(1)
    for k in range(1, n // 2 + 1):
        angle = step * f64(k)
        c = vm.cos(angle)
        s = -vm.sin(angle)
        if 4 * k == n:
            c = 0.0
            s = -1.0
        if 2 * k == n:
            c = -1.0
            s = 0.0
        if inverse:
            s = -s
        turns[k] = T(of_parts(c, s))
        turns[n - k] = T(of_parts(c, -s))


def factor_of(n: i64) -> i64:
    """The factor of the next pass."""
    if n % 4 == 0:
        return 4
    if n % 2 == 0:
        return 2
    r = 3
    while r * r <= n:
        if n % r == 0:
            return r
        r = r + 2
    return n


def pass_of_two(x: Ptr[T], y: Ptr[T], turns: Ptr[T], m: i64, s: i64) -> None:
    """One pass of the factor 2."""
    for p in range(m):
        w = turns[p * s]
        for q in range(s):
            a = x[q + s * p]
            b = x[q + s * (p + m)]
            y[q + s * 2 * p] = a + b
            y[q + s * (2 * p + 1)] = (a - b) * w


def pass_of_four(x: Ptr[T], y: Ptr[T], turns: Ptr[T], m: i64, s: i64, inverse: b8) -> None:
    """One pass of the factor 4."""
    sign = real(T(1))
    if inverse:
        sign = -sign
    for p in range(m):
        w = turns[p * s]
        w2 = turns[2 * p * s]
        w3 = turns[3 * p * s]
        for q in range(s):
            a = x[q + s * p]
            b = x[q + s * (p + m)]
            c = x[q + s * (p + 2 * m)]
            d = x[q + s * (p + 3 * m)]
            even = a + c
            odd = b + d
            left = a - c
            turned = b - d
            right = of_parts(imag(turned) * sign, -(real(turned) * sign))
            at = q + s * 4 * p
            y[at] = even + odd
            y[at + s] = (left + right) * w
            y[at + 2 * s] = (even - odd) * w2
            y[at + 3 * s] = (left - right) * w3


def pass_of(x: Ptr[T], y: Ptr[T], turns: Ptr[T], n: i64, r: i64, m: i64, s: i64) -> None:
    """One pass of any factor."""
    root = n // r
    for p in range(m):
        for j in range(r):
            w = turns[p * j * s]
            for q in range(s):
                total = x[q + s * p]
                turn = i64(0)
                for k in range(1, r):
                    turn = turn + j
                    if turn >= r:
                        turn = turn - r
                    total = total + x[q + s * (p + m * k)] * turns[turn * root]
                y[q + s * (r * p + j)] = total * w


def transform(row: Ptr[T], other: Ptr[T], turns: Ptr[T], n: i64, inverse: b8) -> None:
    """Transform a row in place; `other` is memory for as many elements."""
    x = row
    y = other
    s = i64(1)
    rest = n
    while rest > 1:
        r = factor_of(rest)
        m = rest // r
        if r == 4:
            pass_of_four(x, y, turns, m, s, inverse)
        elif r == 2:
            pass_of_two(x, y, turns, m, s)
        else:
            pass_of(x, y, turns, n, r, m, s)
        swapped = x
        x = y
        y = swapped
        s = s * r
        rest = m
    if address(x) != address(row):
        for i in range(n):
            row[i] = x[i]


def fourier_rows(self: Ptr[TensorImpl], n: i64, inverse: b8, mirrored: b8) -> Ptr[TensorImpl]:
    """The transforms of the rows of a contiguous tensor of complex numbers, with no factor; ``T`` is its dtype.

    Args:
        self: Its rows are cut or filled up with zeros.
        n: The length of the results, at least 1.
        inverse: The direction.
        mirrored: Rows are the first half of ones whose other half is their conjugate in reverse.

    Raises MemoryError.
    """
    ndim = i64(self.ndim)
    sizes = stack(MAX_RANK, i64)
    copy_sizes(sizes, sizes_of(self), ndim)
    given = sizes[ndim - 1]
    sizes[ndim - 1] = n
    out = tensor_alloc(self.dtype, ndim, sizes)
    nbytes = 2 * n * itemsize_of(self.dtype)
    if out.numel == 0:
        return out
    scratch = heap_try_allocate(nbytes)
    if address(scratch) == 0:
        tensor_release(out)
        refuse(nbytes)
    begin_work(8 * out.numel)
    turns = pointer_cast(scratch, T)
    other = turns + n
    fill_turns(turns, n, inverse)
    kept = n
    if mirrored:
        kept = n // 2 + 1
    filled = kept
    if given < filled:
        filled = given
    row = pointer_cast(out.data, T)
    source = pointer_cast(self.data, T)
    for _ in range(out.numel // n):
        for i in range(filled):
            row[i] = source[i]
        for i in range(filled, kept):
            row[i] = T(0)
        for i in range(kept, n):
            mirror = row[n - i]
            row[i] = of_parts(real(mirror), -imag(mirror))
        transform(row, other, turns, n, inverse)
        row = row + n
        source = source + given
    heap_free(scratch, nbytes)
    return out
