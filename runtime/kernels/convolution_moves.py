"""Tier 3: short rows of floats moved a vector at a time: what a convolution copies, and its results.

A loop over a row of unknown length is vectorised by LLVM for long rows: it tests whether they overlap and goes over
what is left of a few vectors one by one. Rows of images are not longer than that. ``T`` is float32 or float64.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, i64, stack
from tscript.runtime.kernels.convolution_tiles import MOST_LANES, lanes


def move(to: Ptr[T], source: Ptr[T], n: i64) -> None:
    """Copy `n` elements, which do not overlap their copies. The last vector ends where they end, so some of them are
    copied twice."""
    size = lanes(T(0))
    half = size // 2
    v = stack(MOST_LANES, T)
    if n >= size:
        i = 0
        while i < n:
            if i > n - size:
                i = n - size
            for x in range(size):
                v[x] = source[i + x]
            for x in range(size):
                to[i + x] = v[x]
            i = i + size
    elif n >= half:
        i = 0
        while i < n:
            if i > n - half:
                i = n - half
            for x in range(half):
                v[x] = source[i + x]
            for x in range(half):
                to[i + x] = v[x]
            i = i + half
    else:
        for j in range(n):
            to[j] = source[j]


def move_plus(to: Ptr[T], source: Ptr[T], n: i64, value: T) -> None:
    """Copy `n` elements with a number added to each, in the way of `move`."""
    size = lanes(T(0))
    half = size // 2
    v = stack(MOST_LANES, T)
    if n >= size:
        i = 0
        while i < n:
            if i > n - size:
                i = n - size
            for x in range(size):
                v[x] = source[i + x] + value
            for x in range(size):
                to[i + x] = v[x]
            i = i + size
    elif n >= half:
        i = 0
        while i < n:
            if i > n - half:
                i = n - half
            for x in range(half):
                v[x] = source[i + x] + value
            for x in range(half):
                to[i + x] = v[x]
            i = i + half
    else:
        for j in range(n):
            to[j] = source[j] + value


def add_to(to: Ptr[T], source: Ptr[T], n: i64) -> None:
    """Add `n` elements to others."""
    size = lanes(T(0))
    v = stack(MOST_LANES, T)
    i = 0
    while i + size <= n:
        for x in range(size):
            v[x] = to[i + x] + source[i + x]
        for x in range(size):
            to[i + x] = v[x]
        i = i + size
    for j in range(i, n):
        to[j] = to[j] + source[j]


def move_every_other(to: Ptr[T], source: Ptr[T], n: i64) -> None:
    """Copy the first of each of `n` pairs, of which the last one may lack its second."""
    size = lanes(T(0))
    v = stack(2 * MOST_LANES, T)
    i = 0
    while i + size < n:
        for x in range(2 * size):
            v[x] = source[2 * i + x]
        for x in range(size):
            to[i + x] = v[2 * x]
        i = i + size
    for j in range(i, n):
        to[j] = source[2 * j]


def split_pairs(even: Ptr[T], odd: Ptr[T], source: Ptr[T], n: i64) -> None:
    """Copy the first of each of `n` pairs to one place, the second to another; the last ones as `move` does."""
    size = lanes(T(0))
    half = size // 2
    v = stack(2 * MOST_LANES, T)
    if n >= size:
        i = 0
        while i < n:
            if i > n - size:
                i = n - size
            for x in range(2 * size):
                v[x] = source[2 * i + x]
            for x in range(size):
                even[i + x] = v[2 * x]
            for x in range(size):
                odd[i + x] = v[2 * x + 1]
            i = i + size
    elif n >= half:
        i = 0
        while i < n:
            if i > n - half:
                i = n - half
            for x in range(2 * half):
                v[x] = source[2 * i + x]
            for x in range(half):
                even[i + x] = v[2 * x]
            for x in range(half):
                odd[i + x] = v[2 * x + 1]
            i = i + half
    else:
        for j in range(n):
            even[j] = source[2 * j]
            odd[j] = source[2 * j + 1]


def join_pairs(to: Ptr[T], even: Ptr[T], odd: Ptr[T], n: i64) -> None:
    """Make `n` pairs of what lies in two places; the last ones as `move` does."""
    size = lanes(T(0))
    half = size // 2
    v = stack(2 * MOST_LANES, T)
    if n >= size:
        i = 0
        while i < n:
            if i > n - size:
                i = n - size
            for x in range(size):
                v[2 * x] = even[i + x]
            for x in range(size):
                v[2 * x + 1] = odd[i + x]
            for x in range(2 * size):
                to[2 * i + x] = v[x]
            i = i + size
    elif n >= half:
        i = 0
        while i < n:
            if i > n - half:
                i = n - half
            for x in range(half):
                v[2 * x] = even[i + x]
            for x in range(half):
                v[2 * x + 1] = odd[i + x]
            for x in range(2 * half):
                to[2 * i + x] = v[x]
            i = i + half
    else:
        for j in range(n):
            to[2 * j] = even[j]
            to[2 * j + 1] = odd[j]
